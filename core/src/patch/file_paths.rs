//! Which file a patch means: the path that it is read from, and the one that it is written to.
//!
//! What is done to it is for others.

use crate::git::RepoPath;

use super::file_patch::{FileAction, FilePatch};
use super::path::PatchPath;

/// Where a file is read from and written to; both are the same but for renames and copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilePaths {
    pub from: RepoPath,
    pub to: RepoPath,
}

impl FilePaths {
    /// Returns `None` if nothing names a file.
    ///
    /// `fallback` never stands in for a file that the patch names, but for one that is changed, is not there, and
    /// may be the same by a shorter or longer name.
    pub fn of(
        file: &FilePatch,
        fallback: Option<&RepoPath>,
        mut exists: impl FnMut(&RepoPath) -> bool,
    ) -> Option<Self> {
        let (old, new) = (file.old_path.as_ref(), file.new_path.as_ref());
        let Some(named) = old.or(new) else { return fallback.cloned().map(Self::stay) };
        match file.kind {
            // Where a file is made, none can tell whether git's prefix is part of the path.
            FileAction::Create => Some(Self::stay(new.unwrap_or(named).path.clone())),
            FileAction::Delete => Some(Self::stay(there(named, exists).unwrap_or(&named.path).clone())),
            FileAction::Rename | FileAction::Copy => {
                let from = there(named, exists).unwrap_or(&named.path).clone();
                Some(Self { from, to: new.unwrap_or(named).path.clone() })
            }
            FileAction::Modify => {
                let (before, after) =
                    (there(named, &mut exists), new.and_then(|new| there(new, &mut exists)));
                let path = match (before, after) {
                    // Of a file and a copy with something after its name, the file is meant.
                    (Some(before), Some(after)) if after.as_bytes().len() < before.as_bytes().len() => after,
                    // Two names without a word of a rename are two names of one file, as GNU patch has it.
                    (Some(path), _) | (None, Some(path)) => path,
                    (None, None) => {
                        let is_meant = |path: &&RepoPath| {
                            let path = PatchPath { path: (*path).clone(), written: None };
                            [Some(named), new]
                                .into_iter()
                                .flatten()
                                .any(|name| path.may_be(name) || name.may_be(&path))
                        };
                        let other = fallback.filter(is_meant).filter(|path| exists(path));
                        other.unwrap_or(&new.unwrap_or(named).path)
                    }
                };
                Some(Self::stay(path.clone()))
            }
        }
    }

    /// Whether the file gets another path.
    pub fn moves(&self) -> bool {
        self.from != self.to
    }

    fn stay(path: RepoPath) -> Self {
        Self { to: path.clone(), from: path }
    }
}

/// The form of a path in which it is there.
fn there(path: &PatchPath, mut exists: impl FnMut(&RepoPath) -> bool) -> Option<&RepoPath> {
    [Some(&path.path), path.written.as_ref()].into_iter().flatten().find(|path| exists(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::ParsedPatch;

    fn check(tree: &[&str], fallback: &str, patch: &str, route: [&str; 2]) {
        let path = |path: &str| RepoPath::new(path).unwrap();
        let patch = ParsedPatch::read(patch.as_bytes()).unwrap();
        let found = FilePaths::of(&patch.files[0], Some(&path(fallback)), |asked| {
            tree.iter().any(|at| path(at) == *asked)
        });
        assert_eq!(found, Some(FilePaths { from: path(route[0]), to: path(route[1]) }), "{patch:?}");
    }

    const CHANGE: &str = "@@ -1 +1 @@\n-old\n+new\n";

    #[test]
    fn what_is_made_or_deleted_is_what_the_patch_names() {
        check(&["keep"], "keep", "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", ["gone", "gone"]);
        check(&["keep"], "keep", "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+x\n", ["g", "g"]);
        check(&["b/g"], "b/g", "--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+x\n", ["g", "g"]);
        check(&["keep"], "keep", "diff --git a/f b/g\nrename from f\nrename to g\n", ["f", "g"]);
    }

    #[test]
    fn another_file_is_changed_only_where_the_name_may_mean_it() {
        let lib = &format!("--- a/lib.rs\n+++ b/lib.rs\n{CHANGE}");
        check(&["src/lib.rs"], "src/lib.rs", lib, ["src/lib.rs", "src/lib.rs"]);
        check(&["lib.rs", "src/lib.rs"], "src/lib.rs", lib, ["lib.rs", "lib.rs"]);
        check(&["src/mylib.rs"], "src/mylib.rs", lib, ["lib.rs", "lib.rs"]);
        check(&[], "src/lib.rs", lib, ["lib.rs", "lib.rs"]);
        let longer = &format!("--- old/src/lib.rs\n+++ new/src/lib.rs\n{CHANGE}");
        check(&["src/lib.rs"], "src/lib.rs", longer, ["src/lib.rs", "src/lib.rs"]);
        check(&["f"], "f", CHANGE, ["f", "f"]);
    }

    #[test]
    fn of_two_names_for_one_file_that_which_is_there_counts() {
        let copy = &format!("--- x.orig\n+++ x\n{CHANGE}");
        check(&["x"], "y", copy, ["x", "x"]);
        check(&["x", "x.orig"], "y", copy, ["x", "x"]);
        check(&["f"], "y", &format!("--- a/f\n+++ b/g\n{CHANGE}"), ["f", "f"]);
        check(&["g"], "y", &format!("--- a/f\n+++ b/g\n{CHANGE}"), ["g", "g"]);
        check(&["f"], "y", &format!("diff --git a/f b/g\n--- a/f\n+++ b/g\n{CHANGE}"), ["f", "g"]);
        check(&["a/x"], "y", &format!("--- a/x\n+++ a/x\n{CHANGE}"), ["a/x", "a/x"]);
    }
}
