//! A folder of source has few siblings, so that a person can draw it from memory.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Complaint, Source};

/// More files and folders than this are to be grouped by subject; the file that lists them does not count.
const MAX_SIBLINGS: usize = 21;

/// The files that only list what is beside them.
const LISTS: [&str; 3] = ["mod.rs", "lib.rs", "main.rs"];

/// Complains about every folder below a `src` with too many files and folders.
pub fn crowded(sources: &[&Source]) -> Vec<Complaint> {
    let mut folders: BTreeMap<String, (BTreeSet<&str>, &Source)> = BTreeMap::new();
    for source in sources {
        let parts: Vec<&str> = source.path.split('/').collect();
        let Some(root) = parts.iter().position(|part| *part == "src") else { continue };
        for depth in root + 1..parts.len() {
            let folder = parts[..depth].join("/");
            let (names, _) = folders.entry(folder).or_insert_with(|| (BTreeSet::new(), source));
            // A file and the folder of its child modules are one.
            names.extend(
                Some(parts[depth].trim_end_matches(".rs")).filter(|_| !LISTS.contains(&parts[depth])),
            );
        }
    }
    folders
        .into_iter()
        .filter(|(_, (names, _))| names.len() > MAX_SIBLINGS)
        .map(|(folder, (names, first))| {
            let count = names.len();
            first.complain(0, format!("{folder} has {count} files and folders; {MAX_SIBLINGS} are the most"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(siblings: usize) -> Vec<Source> {
        let mut sources: Vec<Source> =
            (0..siblings).map(|n| Source::new(&format!("core/src/git/file_{n}.rs"), "")).collect();
        sources.push(Source::new("core/src/git/mod.rs", ""));
        sources.push(Source::new("core/src/git/file_0/tests.rs", ""));
        sources
    }

    #[test]
    fn a_folder_with_too_many_siblings_is_found() {
        let (few, many) = (folder(MAX_SIBLINGS), folder(MAX_SIBLINGS + 1));
        assert!(crowded(&few.iter().collect::<Vec<_>>()).is_empty());
        assert_eq!(crowded(&many.iter().collect::<Vec<_>>()).len(), 1);
    }

    #[test]
    fn folders_of_tests_may_have_many() {
        let sources: Vec<Source> =
            (0..100).map(|n| Source::new(&format!("tests/scenarios/story_{n}.rs"), "")).collect();
        assert!(crowded(&sources.iter().collect::<Vec<_>>()).is_empty());
    }
}
