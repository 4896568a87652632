//! What a repository itself says about where to search: the `.gitattributes` of the head's own tree.
//!
//! Attributes of one machine (`info/attributes`, `core.attributesFile`) do not count: every machine
//! must decide alike.

use std::borrow::Cow;
use std::path::Path;

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search as Patterns, StateRef};
use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Case;

use super::bypass::{Search, by_name};
use crate::git::RepoPath;

/// The name of the files that hold attributes.
pub(super) const FILE_NAME: &[u8] = b".gitattributes";

/// The attributes that apply in one directory: its own and those above.
pub(super) struct Rules {
    patterns: Patterns,
    names: MetadataCollection,
}

impl Rules {
    /// Takes the files from the root of the tree down, each with the directory it stands in.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let mut rules = Self { patterns: Patterns::default(), names: MetadataCollection::default() };
        for (dir, content) in files {
            let file = if dir.is_empty() { FILE_NAME.to_vec() } else { [dir, b"/", FILE_NAME].concat() };
            let Ok(file) = gix::path::from_bstr(BStr::new(&file)).map(Cow::into_owned) else { continue };
            // As in git, only the file at the root may define macros. A pattern that is not understood is
            // passed over, and the others count.
            let added = rules.patterns.add_patterns_buffer(
                content,
                file,
                Some(Path::new("")),
                &mut rules.names,
                dir.is_empty(),
            );
            if let Err(error) = added {
                tracing::debug!(%error, "attributes were passed over");
            }
        }
        rules
    }

    /// What may be done in the file at `path`, which lies in the directory of these rules.
    pub fn search(&self, path: &RepoPath) -> Search {
        let mut found = Outcome::default();
        found.initialize_with_selection(&self.names, ["postil", "linguist-generated"]);
        let path_bytes = path.as_bytes().as_bstr();
        self.patterns.pattern_matching_relative_path(path_bytes, Case::Sensitive, Some(false), &mut found);
        let mut generated = None;
        for attribute in found.iter_selected() {
            let state = attribute.assignment.state;
            match (attribute.assignment.name.as_str(), state) {
                ("postil", StateRef::Value(value)) if value.as_bstr() == "exact" => return Search::Exact,
                ("postil", StateRef::Value(value)) if value.as_bstr() == "full" => return Search::Full,
                ("linguist-generated", StateRef::Set) => generated = Some(Search::Exact),
                ("linguist-generated", StateRef::Unset) => generated = Some(Search::Full),
                ("linguist-generated", StateRef::Value(value)) => {
                    generated = Some(if value.as_bstr() == "false" { Search::Full } else { Search::Exact });
                }
                _ => {}
            }
        }
        generated.unwrap_or_else(|| by_name(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], path: &str, expected: Search) {
        let rules = Rules::new(files.iter().map(|(dir, content)| (dir.as_bytes(), content.as_bytes())));
        assert_eq!(rules.search(&RepoPath::new(path).unwrap()), expected, "{path} with {files:?}");
    }

    #[test]
    fn a_repository_adds_patterns_and_takes_built_in_ones_away() {
        check(&[], "a.snap", Search::Full);
        check(&[("", "*.snap postil=exact\n")], "deep/down/a.snap", Search::Exact);
        check(&[("", "Cargo.lock postil=full\n")], "Cargo.lock", Search::Full);
        check(&[("", "*.lock -postil\n")], "Cargo.lock", Search::Exact);
        check(&[("", "*.snap postil=nonsense\n")], "a.snap", Search::Full);
    }

    #[test]
    fn the_file_nearest_to_the_path_and_its_last_line_win() {
        let files = [
            ("", "*.rs postil=exact\n"),
            ("src", "gen.rs postil=full\nlib.rs postil=full\nlib.rs postil=exact\n"),
        ];
        check(&files, "src/gen.rs", Search::Full);
        check(&files, "src/lib.rs", Search::Exact);
        check(&files, "src/main.rs", Search::Exact);
        check(&[("", "/gen.rs postil=exact\n")], "src/gen.rs", Search::Full);
        check(&[("src", "sub/*.rs postil=exact\n")], "src/sub/a.rs", Search::Exact);
    }

    #[test]
    fn macros_of_the_root_count_and_negation_takes_back() {
        let macros = "[attr]machine postil=exact\n*.out machine\n";
        check(&[("", macros)], "a.out", Search::Exact);
        check(&[("", macros), ("b", "a.out !postil\n")], "b/a.out", Search::Full);
        check(&[("b", "[attr]machine postil=exact\n*.out machine\n")], "b/a.out", Search::Full);
    }

    #[test]
    fn what_linguist_calls_generated_is_not_searched() {
        check(&[("", "*.ts linguist-generated\n")], "a.ts", Search::Exact);
        check(&[("", "*.ts linguist-generated=true\n")], "a.ts", Search::Exact);
        check(&[("", "*.ts linguist-generated=false\n")], "a.ts", Search::Full);
        check(&[("", "*.lock -linguist-generated\n")], "a.lock", Search::Full);
        check(&[("", "*.ts linguist-generated postil=full\n")], "a.ts", Search::Full);
    }

    #[test]
    fn a_file_of_nonsense_changes_nothing() {
        check(
            &[("", "\"unclosed postil=exact\n[attr]\n\\\n\u{0}\n*.rs postil=exact\n")],
            "a.rs",
            Search::Exact,
        );
        check(&[("", "postil=exact\n")], "a.rs", Search::Full);
    }
}
