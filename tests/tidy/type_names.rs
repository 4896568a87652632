//! A type name is defined once in the workspace, so that a search for it leads to one place.

use std::collections::BTreeMap;

use crate::code;
use crate::source::{Complaint, Source};

/// Names that are defined more than once, each with the reason.
const EXCEPTIONS: [(&str, &str); 1] = [(
    "Comment",
    "a request of the protocol, and in `core` what its records fold into; both are the plain word",
)];

/// What begins the definition of a type.
const KINDS: [&str; 5] = ["struct", "enum", "union", "trait", "type"];

/// Complains about every definition of a type name that is defined elsewhere too; tests are left out.
pub fn repeated(sources: &[&Source]) -> Vec<Complaint> {
    let mut definitions: BTreeMap<&str, Vec<(&Source, usize)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test() && !is_test_module(source, sources)) {
        for (name, at) in defined(&source.text) {
            definitions.entry(name).or_default().push((source, at));
        }
    }
    let is_excepted = |name: &str| EXCEPTIONS.iter().any(|(known, _)| *known == name);
    definitions
        .into_iter()
        .filter(|(name, places)| places.len() > 1 && !is_excepted(name))
        .flat_map(|(name, places)| {
            let complaint = format!("the type name `{name}` is defined {} times", places.len());
            places.into_iter().map(move |(source, at)| source.complain(at, complaint.clone()))
        })
        .collect()
}

/// The type names that a file defines outside its test modules, and where.
fn defined(text: &str) -> Vec<(&str, usize)> {
    let tests = code::test_modules(text);
    let tokens = code::tokens(text);
    let mut found = Vec::new();
    let mut associated: Option<usize> = None;
    for (index, pair) in tokens.windows(2).enumerate() {
        let [kind, name] = pair else { continue };
        if ["impl", "trait"].contains(&kind.text) && associated.is_none_or(|end| end < index) {
            // The types inside are associated ones, which belong to their trait.
            let body = tokens[index..].iter().position(|token| ["{", ";"].contains(&token.text));
            associated = body.and_then(|body| code::closing(&tokens, index + body));
        }
        let is_associated = kind.text == "type" && associated.is_some_and(|end| index < end);
        let is_name = name.text.starts_with(|c: char| c.is_ascii_uppercase());
        if KINDS.contains(&kind.text)
            && is_name
            && !is_associated
            && !tests.iter().any(|module| module.contains(&kind.at))
        {
            found.push((name.text, name.at));
        }
    }
    found
}

/// Whether a file is in a folder `tests`, or a module that its parent has for tests only: `#[cfg(test)] mod name;`.
fn is_test_module(source: &Source, sources: &[&Source]) -> bool {
    if source.path.split('/').any(|part| part == "tests") {
        return true;
    }
    let Some((folder, file)) = source.path.rsplit_once('/') else { return false };
    let name = file.trim_end_matches(".rs");
    let declared = format!("#[cfg(test)]\nmod {name};");
    let public = format!("#[cfg(test)]\npub(crate) mod {name};");
    let parents = [format!("{folder}/mod.rs"), format!("{folder}/lib.rs"), format!("{folder}.rs")];
    let is_parent = |parent: &&&Source| parents.contains(&parent.path);
    sources.iter().filter(is_parent).any(|parent| {
        let text = parent.text.replace("pub(super) ", "").replace("    ", "");
        text.contains(&declared) || text.contains(&public)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], complaints: usize) {
        let sources: Vec<Source> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
        let found = repeated(&sources.iter().collect::<Vec<_>>());
        assert_eq!(found.len(), complaints, "{files:?}: {found:?}");
    }

    #[test]
    fn a_name_that_is_defined_twice_is_found_at_both_places() {
        check(&[("core/src/a.rs", "pub struct Found;"), ("cli/src/b.rs", "enum Found { A }")], 2);
        check(&[("core/src/a.rs", "struct Way(u8);\nmod b { type Way = u8; }")], 2);
        check(
            &[("core/src/a.rs", "struct Found;"), ("cli/src/b.rs", "use core::Found;\nfn f(_: Found) {}")],
            0,
        );
    }

    #[test]
    fn names_of_tests_and_associated_types_may_repeat() {
        let tests = "struct A;\n#[cfg(test)]\nmod tests {\n    struct World;\n}\n";
        check(&[("core/src/a.rs", tests), ("cli/src/b.rs", &tests.replace("struct A", "struct B"))], 0);
        check(&[("core/tests/a.rs", "struct World;"), ("tests/scenarios/b.rs", "struct World;")], 0);
        let items = "impl Iterator for A { type Item = u8; }\nimpl Iterator for B { type Item = u8; }";
        check(&[("core/src/a.rs", items)], 0);
        let parent = "#[cfg(test)]\nmod laws;\n";
        check(
            &[("core/src/lib.rs", parent), ("core/src/laws.rs", "struct A;"), ("core/src/b.rs", "struct A;")],
            0,
        );
    }

    #[test]
    fn there_are_few_exceptions() {
        assert!(EXCEPTIONS.len() <= 20);
        assert!(EXCEPTIONS.iter().all(|(_, reason)| !reason.is_empty()));
    }
}
