//! What a patch does to a whole tree: every file, or none.
//!
//! Texts are asked for and given back; writing them, all at once, is the caller's work.

use std::collections::BTreeMap;

use crate::git::RepoPath;

use super::file_patch::{FileAction, FileMode, FilePatch};
use super::file_paths::FilePaths;
use super::outcome::{Applied, PatchFailure};
use super::parse::form::ParsedPatch;
use super::path::PatchPath;
use super::target_file::TargetFile;

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchedFile {
    /// The path it is read from; `None` if it is made.
    pub from: Option<RepoPath>,
    /// The path it is written to; `None` if it goes.
    pub to: Option<RepoPath>,
    /// Whether `from` stays although `to` is another path.
    pub kind: FileAction,
    /// Its mode, where the patch changes it.
    pub mode: Option<FileMode>,
    /// Its text, and how it came about; an unchanged text for a mere rename.
    pub applied: Applied,
    /// Whose text was read at `from`.
    pub source: TextSource,
}

/// Whose text a file is that a patch changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextSource {
    /// What was there before the patch, though the patch may have put another file there by now.
    Tree,
    /// What the patch made of it before.
    Patch,
}

/// Why a patch was not applied to a tree, of which nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Some files cannot be patched.
    #[error("{} of {files} files could not be patched", failed.len())]
    Files {
        /// How many files the patch has.
        files: usize,
        /// Those that cannot be.
        failed: Vec<FileFailure>,
    },
    /// Everything the patch does is there.
    #[error("the patch is already applied")]
    AlreadyApplied,
}

/// Why one file cannot be patched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFailure {
    /// The file, where the patch names one.
    pub path: Option<RepoPath>,
    /// What is wrong.
    pub failure: PatchFailure,
}

impl ParsedPatch {
    /// Applies the patch to the files that `read` gives; `read` returns `None` for a file that is not there.
    ///
    /// A file that the patch has twice is patched twice, one after the other; two may take each other's paths. `fallback` is the file that is
    /// meant where the patch names none, or names one to be changed that is not there, by a part of its path.
    /// If modes are not given, none is left to be changed.
    pub fn plan<F: Into<TargetFile>>(
        &self,
        fallback: Option<&RepoPath>,
        mut read: impl FnMut(&RepoPath) -> Option<F>,
    ) -> Result<Vec<PatchedFile>, PlanError> {
        let mut tree = BTreeMap::<RepoPath, Option<TargetFile>>::new();
        let mut look = |tree: &BTreeMap<RepoPath, Option<TargetFile>>, path: &RepoPath| {
            tree.get(path).cloned().unwrap_or_else(|| read(path).map(Into::into))
        };
        let (mut changes, mut failed) = (Vec::new(), Vec::new());
        let leaves = |path: &RepoPath, of: &[FilePatch]| {
            let is_named = |name: &PatchPath| name.path == *path || name.written.as_ref() == Some(path);
            let mut leaving =
                of.iter().filter(|file| matches!(file.kind, FileAction::Rename | FileAction::Delete));
            leaving.any(|file| file.old_path.as_ref().is_some_and(is_named))
        };
        // What was at a path that another file got before it left.
        let mut displaced = BTreeMap::<RepoPath, TargetFile>::new();
        for (index, file) in self.files.iter().enumerate() {
            // With several files in a patch, each is the one that it names.
            let fallback = fallback.filter(|_| file.old_path.is_none() || self.files.len() == 1);
            let Some(route) = FilePaths::of(file, fallback, |path| look(&tree, path).is_some()) else {
                failed.push(FileFailure { path: None, failure: PatchFailure::Unnamed });
                continue;
            };
            let was_displaced = displaced.remove(&route.from);
            let source = match tree.get(&route.from) {
                Some(Some(_)) if was_displaced.is_none() => TextSource::Patch,
                _ => TextSource::Tree,
            };
            let is_displaced = was_displaced.is_some();
            let base = was_displaced.or_else(|| look(&tree, &route.from));
            let mut existing = if route.moves() { look(&tree, &route.to) } else { None };
            let makes_way = base.is_some() && leaves(&route.to, &self.files[index + 1..]);
            if let Some(other) = existing.take_if(|_| file.kind == FileAction::Rename && makes_way) {
                displaced.insert(route.to.clone(), other);
            }
            match file.change(&route, base.as_ref(), existing.as_ref()) {
                Ok(change) => {
                    let change = PatchedFile { source, ..change };
                    if let (Some(from), true) =
                        (&change.from, change.kind != FileAction::Copy && !is_displaced)
                    {
                        tree.insert(from.clone(), None);
                    }
                    if let Some(to) = &change.to {
                        let mode = change.mode.or(base.and_then(|base| base.mode));
                        tree.insert(to.clone(), Some(TargetFile { text: change.applied.text.clone(), mode }));
                    }
                    changes.push(change);
                }
                Err(failure) => failed.push(failure),
            }
        }
        if failed.is_empty() {
            return Ok(changes);
        }
        let files = self.files.len();
        let all =
            failed.len() == files && failed.iter().all(|file| file.failure == PatchFailure::AlreadyApplied);
        Err(if all { PlanError::AlreadyApplied } else { PlanError::Files { files, failed } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies a patch to a tree and shows what it becomes: path to text.
    fn check(tree: &[(&str, &str)], patch: &str) -> Result<Vec<(String, String)>, PlanError> {
        let mut tree: BTreeMap<RepoPath, Vec<u8>> =
            tree.iter().map(|(path, text)| (RepoPath::new(*path).unwrap(), (*text).into())).collect();
        let plan = ParsedPatch::read(patch.as_bytes()).unwrap().plan(None, |path| tree.get(path).cloned())?;
        let gone = |change: &PatchedFile| change.from.clone().filter(|_| change.kind != FileAction::Copy);
        plan.iter().filter(|change| change.source == TextSource::Tree).filter_map(gone).for_each(|from| {
            tree.remove(&from);
        });
        for change in plan {
            if let Some(from) = gone(&change).filter(|_| change.source == TextSource::Patch) {
                tree.remove(&from);
            }
            if let Some(to) = change.to {
                tree.insert(to, change.applied.text);
            }
        }
        Ok(tree
            .into_iter()
            .map(|(path, text)| (path.to_string(), String::from_utf8(text).unwrap()))
            .collect())
    }

    fn tree(files: &[(&str, &str)]) -> Vec<(String, String)> {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    const MANY: &str = "diff --git a/new.sh b/new.sh\nnew file mode 100755\nindex 0000000..1\n--- /dev/null\n+++ b/new.sh\n@@ -0,0 +1 @@\n+echo\ndiff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\ndiff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\ndiff --git a/run b/run\nold mode 100644\nnew mode 100755\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n";

    #[test]
    fn files_are_made_deleted_renamed_and_changed_together() {
        let before = [("old", "gone\n"), ("from", "same\n"), ("run", "#!\n"), ("x", "one\n")];
        let after = [("new.sh", "echo\n"), ("run", "#!\n"), ("to", "same\n"), ("x", "two\n")];
        assert_eq!(check(&before, MANY).unwrap(), tree(&after));
        let read = |path: &RepoPath| {
            let path = path.to_string();
            before.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec())
        };
        let modes: Vec<_> = ParsedPatch::read(MANY.as_bytes())
            .unwrap()
            .plan(None, read)
            .unwrap()
            .iter()
            .map(|change| change.mode)
            .collect();
        assert_eq!(modes, [Some(FileMode::Executable), None, None, Some(FileMode::Executable), None]);
    }

    #[test]
    fn reversing_a_patch_of_many_files_undoes_all() {
        let after = [("new.sh", "echo\n"), ("run", "#!\n"), ("to", "same\n"), ("x", "two\n")];
        let patch = ParsedPatch::read(MANY.as_bytes()).unwrap().reversed();
        let read = |path: &RepoPath| {
            let path = path.to_string();
            after.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec())
        };
        let plan = patch.plan(None, read).unwrap();
        let kinds: Vec<_> = plan.iter().map(|change| change.kind).collect();
        assert_eq!(
            kinds,
            [
                FileAction::Modify,
                FileAction::Modify,
                FileAction::Rename,
                FileAction::Create,
                FileAction::Delete
            ]
        );
        assert_eq!(plan[0].applied.text, b"one\n");
    }

    #[test]
    fn one_file_that_cannot_be_patched_stops_all() {
        let before = [("old", "gone\n"), ("from", "same\n"), ("run", "#!\n"), ("x", "three\n")];
        let Err(PlanError::Files { files: 5, failed }) = check(&before, MANY) else { panic!("x is another") };
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].path.as_ref().map(ToString::to_string), Some("x".to_owned()));
    }

    #[test]
    fn what_is_there_or_missing_is_told() {
        let create = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one\n";
        assert_eq!(check(&[("x", "one\n")], create), Err(PlanError::AlreadyApplied));
        let failure = |result: Result<Vec<(String, String)>, PlanError>| match result {
            Err(PlanError::Files { mut failed, .. }) => failed.remove(0).failure,
            other => panic!("{other:?}"),
        };
        assert_eq!(failure(check(&[("x", "two\n")], create)), PatchFailure::Exists);
        let delete = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
        assert_eq!(check(&[], delete), Err(PlanError::AlreadyApplied));
        assert_eq!(failure(check(&[("x", "one\ntwo\n")], delete)), PatchFailure::MoreThanDeleted { left: 4 });
        let change = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n";
        assert_eq!(failure(check(&[], change)), PatchFailure::Missing);
        let binary = "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n";
        assert_eq!(failure(check(&[("x", "\0")], binary)), PatchFailure::Binary);
    }

    #[test]
    fn the_other_forms_make_delete_and_move_files_too() {
        let patch = "*** Begin Patch\n*** Add File: new\n+one\n+two\n*** Delete File: old\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch\n";
        let after = check(&[("old", "whatever\n"), ("a", "x\n")], patch).unwrap();
        assert_eq!(after, tree(&[("b", "y\n"), ("new", "one\ntwo\n")]));
        let blocks = "a.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n\nb.txt\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n";
        let after = check(&[("a.txt", "x\n")], blocks).unwrap();
        assert_eq!(after, tree(&[("a.txt", "y\n"), ("b.txt", "new\n")]));
    }

    #[test]
    fn two_files_take_each_others_paths() {
        let rename = |from: &str, to: &str| {
            format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n")
        };
        let one = format!("{}{}", rename("a", "b"), rename("b", "a"));
        let swapped = check(&[("a", "one\n"), ("b", "two\n")], &one).unwrap();
        assert_eq!(swapped, tree(&[("a", "two\n"), ("b", "one\n")]));
        let round = format!("{}{}{}", rename("a", "b"), rename("b", "c"), rename("c", "a"));
        let files = [("a", "1\n"), ("b", "2\n"), ("c", "3\n")];
        assert_eq!(check(&files, &round).unwrap(), tree(&[("a", "3\n"), ("b", "1\n"), ("c", "2\n")]));
        // Without a file that would be in the way, it is one that moves on.
        let on = format!("{}{}", rename("a", "b"), rename("b", "c"));
        assert_eq!(check(&[("a", "1\n")], &on).unwrap(), tree(&[("c", "1\n")]));
        assert!(check(&[("a", "one\n"), ("b", "two\n")], &rename("a", "b")).is_err());
    }

    #[test]
    fn a_copy_that_a_file_was_compared_with_need_not_be_there() {
        let patch = "--- x.orig\n+++ ./x\n@@ -1 +1 @@\n-one\n+two\n";
        assert_eq!(check(&[("x", "one\n")], patch).unwrap(), tree(&[("x", "two\n")]));
        let unnamed = check(&[("x", "one\n")], "@@ -1 +1 @@\n-one\n+two\n");
        let Err(PlanError::Files { failed, .. }) = unnamed else { panic!("it names no file") };
        assert_eq!(failed, [FileFailure { path: None, failure: PatchFailure::Unnamed }]);
    }

    #[test]
    fn a_directory_that_is_called_like_gits_prefix_is_found() {
        let patch = "--- a/x\n+++ a/x\n@@ -1 +1 @@\n-one\n+two\n";
        assert_eq!(check(&[("a/x", "one\n")], patch).unwrap(), tree(&[("a/x", "two\n")]));
    }

    #[test]
    fn paths_that_leave_the_tree_are_refused() {
        for path in ["../x", "/etc/passwd", ".git/hooks/pre-commit"] {
            for patch in [
                format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n"),
                format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"),
                format!("{path}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"),
                format!("diff --git a/y b/y\nrename from y\nrename to {path}\n"),
            ] {
                assert!(ParsedPatch::read(patch.as_bytes()).is_err(), "{patch}");
            }
        }
    }
}
