//! Files in which nothing is ever searched: generated, minified, locked, very large or binary.
//!
//! In one that is only large, a change is followed within its hunk (`within_hunk`).
//!
//! The built-in patterns are overruled by the head's own `.gitattributes`, as git resolves them.
//! Attributes of the machine (its configuration, `info/attributes`) do not count: every machine
//! must decide alike.

use std::collections::BTreeSet;

use gix::attrs::StateRef;
use gix::attrs::search::{MetadataCollection, Outcome};
use gix::bstr::ByteSlice;

use crate::edit::Text;
use crate::git::{RepoPath, TreeId};

use crate::anchoring::locate::LocateError;
use crate::anchoring::repository::objects::{ObjectError, Objects, PathEntry};

/// A larger file in the head is never searched, and changes are followed within their hunks.
const MAX_SEARCHED_BYTES: usize = 512_000;

/// A file with more lines is never searched: so many lines in so few bytes are data.
const MAX_SEARCHED_LINES: u32 = 50_000;

/// How many first bytes decide whether content is binary, as in git.
const BINARY_PROBE_BYTES: usize = 8_000;

/// A larger `.gitattributes` is not read, as in git.
const MAX_ATTRIBUTES_BYTES: usize = 100 << 20;

/// What the engine may do in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchScope {
    /// Every step.
    Full,
    /// What the diff kept, and what is in the hunk that changed the lines: the file is very large.
    Hunk,
    /// Only what the diff kept.
    Exact,
}

/// What may be done in a file of `tree` that has this text.
pub(crate) fn search_in(
    objects: &Objects,
    tree: TreeId,
    path: &RepoPath,
    text: &Text,
) -> Result<SearchScope, ObjectError> {
    Ok(match search(objects, tree, path)? {
        SearchScope::Full if !is_searchable(text) => SearchScope::Hunk,
        search => search,
    })
}

/// What may be done in the file at `path`: by the tree's attributes, else by its name.
///
/// `postil=exact` and `postil=full` decide; else `linguist-generated` does; else the name.
pub(crate) fn search(objects: &Objects, tree: TreeId, path: &RepoPath) -> Result<SearchScope, ObjectError> {
    let mut patterns = gix::attrs::Search::default();
    let mut collection = MetadataCollection::default();
    let slashes = memchr::memchr_iter(b'/', path.as_bytes()).map(|at| at + 1);
    for folder in [0].into_iter().chain(slashes) {
        let mut file = path.as_bytes()[..folder].to_vec();
        file.extend_from_slice(b".gitattributes");
        let Some(PathEntry::File(blob)) = objects.entry(tree, &file)? else { continue };
        let text = objects.text(blob)?;
        if text.bytes().len() > MAX_ATTRIBUTES_BYTES {
            continue;
        }
        let Ok(source) = gix::path::from_byte_slice(&file) else { continue };
        let root = Some(std::path::Path::new(""));
        // Macros count in the outermost file alone, as in git. Lines that make no sense are skipped.
        let macros = folder == 0;
        let _ = patterns.add_patterns_buffer(text.bytes(), source.to_owned(), root, &mut collection, macros);
    }
    if patterns.num_pattern_lists() == 0 {
        return Ok(by_name(path));
    }
    let mut outcome = Outcome::default();
    outcome.initialize_with_selection(&collection, ["postil", "linguist-generated"]);
    let case = gix::glob::pattern::Case::Sensitive;
    patterns.pattern_matching_relative_path(path.as_bytes().as_bstr(), case, Some(false), &mut outcome);
    let mut states = outcome.iter_selected().map(|found| found.assignment.state);
    let (ours, generated) = (states.next(), states.next());
    Ok(match (ours, generated) {
        (Some(StateRef::Value(value)), _) if value.as_bstr() == "exact" => SearchScope::Exact,
        (Some(StateRef::Value(value)), _) if value.as_bstr() == "full" => SearchScope::Full,
        (_, Some(StateRef::Set)) => SearchScope::Exact,
        (_, Some(StateRef::Value(value))) if value.as_bstr() == "true" => SearchScope::Exact,
        (_, Some(StateRef::Unset)) => SearchScope::Full,
        (_, Some(StateRef::Value(value))) if value.as_bstr() == "false" => SearchScope::Full,
        _ => by_name(path),
    })
}

/// Which of these files of `tree` a program wrote: by the tree's attributes, else by their names.
///
/// Costs one look at each folder above them.
pub fn generated(
    repo: &gix::Repository,
    tree: TreeId,
    paths: impl Iterator<Item = RepoPath>,
) -> Result<BTreeSet<RepoPath>, LocateError> {
    let objects = Objects::new(repo, None);
    let mut found = BTreeSet::new();
    for path in paths {
        if search(&objects, tree, &path)? == SearchScope::Exact {
            found.insert(path);
        }
    }
    Ok(found)
}

/// Whether a text is small enough to be searched.
pub(crate) fn is_searchable(text: &Text) -> bool {
    text.bytes().len() <= MAX_SEARCHED_BYTES && text.len() <= MAX_SEARCHED_LINES
}

/// What the built-in patterns say of a path.
fn by_name(path: &RepoPath) -> SearchScope {
    let name = path.file_name();
    let ends = [".lock", ".min.js", ".min.css", ".pb.go", ".g.dart"];
    let holds = [&b"-lock."[..], b".generated."];
    let exact = ends.iter().any(|end| name.ends_with(end.as_bytes()))
        || holds.iter().any(|part| memchr::memmem::find(name, part).is_some());
    if exact { SearchScope::Exact } else { SearchScope::Full }
}

/// Whether git would call the content binary.
pub(crate) fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(BINARY_PROBE_BYTES)]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_and_locked_files_are_not_searched() {
        let check = |path: &str, expected| {
            assert_eq!(by_name(&RepoPath::new(path).unwrap()), expected, "{path}");
        };
        for exact in
            ["Cargo.lock", "a/package-lock.json", "x.min.js", "x.min.css", "api.generated.ts", "a.pb.go"]
        {
            check(exact, SearchScope::Exact);
        }
        for full in ["a.rs", "lock.rs", "a.lock/b.rs", "min.js", "generated.rs"] {
            check(full, SearchScope::Full);
        }
    }
}
