//! What a patch makes of one file, and whether that was done before.

use crate::edit::TextEdit;
use crate::git::RepoPath;

use super::file_patch::{FileAction, FileMode, FilePatch, Hunks};
use super::file_paths::FilePaths;
use super::hunk::PatchHunk;
use super::outcome::{Applied, PatchFailure};
use super::plan::{FileFailure, PatchedFile, TextSource};
use super::target_file::TargetFile;

impl FilePatch {
    /// What becomes of the file; `base` is at the path that it is read from, `existing` at another path that it gets.
    pub(super) fn change(
        &self,
        route: &FilePaths,
        base: Option<&TargetFile>,
        existing: Option<&TargetFile>,
    ) -> Result<PatchedFile, FileFailure> {
        let failed = |path: &RepoPath, failure| Err(FileFailure { path: Some(path.clone()), failure });
        let is_renamed = self.kind == FileAction::Rename && base.is_none();
        let (result, target) = match existing.filter(|_| is_renamed) {
            // Somebody renamed it: its lines may be left to change.
            Some(there) if self.has_changes() => (self.apply(&there.text), Some(there)),
            Some(there) => (Err(PatchFailure::AlreadyApplied), Some(there)),
            None => {
                let result = self.text(route, base.map(text), existing.map(text));
                (result, existing.or(base))
            }
        };
        let (from, kind) = match existing {
            Some(_) if is_renamed => (&route.to, FileAction::Modify),
            _ => (&route.from, self.kind),
        };
        let wanted = self.modes.1.filter(|mode| self.modes.0 != Some(*mode));
        match result {
            Ok(applied) => {
                // A program stays one when it is copied.
                let program = base.and_then(|base| base.mode).filter(|mode| *mode == FileMode::Executable);
                Ok(PatchedFile {
                    from: (kind != FileAction::Create).then(|| from.clone()),
                    to: (kind != FileAction::Delete).then(|| route.to.clone()),
                    kind,
                    mode: wanted.or(program.filter(|_| kind == FileAction::Copy)),
                    applied,
                    source: TextSource::Tree,
                })
            }
            Err(PatchFailure::AlreadyApplied) => {
                let is_other = |wanted: &FileMode| {
                    target.and_then(|target| target.mode).is_some_and(|mode| mode != *wanted)
                };
                match (target, wanted.filter(is_other)) {
                    (Some(target), Some(mode)) => Ok(PatchedFile {
                        from: Some(route.to.clone()),
                        to: Some(route.to.clone()),
                        kind: FileAction::Modify,
                        mode: Some(mode),
                        applied: unchanged(&target.text),
                        source: TextSource::Tree,
                    }),
                    _ => failed(from, PatchFailure::AlreadyApplied),
                }
            }
            Err(PatchFailure::Exists) => failed(&route.to, PatchFailure::Exists),
            Err(failure) => failed(from, failure),
        }
    }

    /// The text that the file gets, with nothing of it done so far.
    fn text(
        &self,
        route: &FilePaths,
        base: Option<&[u8]>,
        existing: Option<&[u8]>,
    ) -> Result<Applied, PatchFailure> {
        match (self.kind, base) {
            (FileAction::Create, Some(base)) => {
                let made = self.apply(b"");
                match made {
                    Ok(made) if made.text == base => Err(PatchFailure::AlreadyApplied),
                    made if base.is_empty() => made,
                    _ => Err(PatchFailure::Exists),
                }
            }
            (FileAction::Create, None) => self.apply(b""),
            (FileAction::Delete, None) => Err(PatchFailure::AlreadyApplied),
            (FileAction::Delete, Some(base)) => {
                if matches!(&self.hunks, Hunks::InOrder(hunks) if hunks.is_empty()) {
                    return Ok(unchanged(b""));
                }
                let applied = self.apply(base)?;
                match applied.text.len() {
                    0 => Ok(applied),
                    left => Err(PatchFailure::MoreThanDeleted { left }),
                }
            }
            (FileAction::Rename, Some(_)) if existing.is_some() => Err(PatchFailure::Exists),
            (FileAction::Copy, Some(base)) => match (self.moved(base), existing) {
                (Ok(made), Some(existing)) if made.text == existing => Err(PatchFailure::AlreadyApplied),
                (_, Some(_)) => Err(PatchFailure::Exists),
                (made, None) => made,
            },
            (FileAction::Rename | FileAction::Modify, Some(base)) if route.moves() => self.moved(base),
            (FileAction::Rename | FileAction::Modify, Some(base)) => self.apply(base),
            // Models write new files as if they were there and empty.
            (FileAction::Modify, None) if self.has_changes() => {
                self.apply(b"").map_err(|_| PatchFailure::Missing)
            }
            (FileAction::Modify | FileAction::Rename | FileAction::Copy, None) => Err(PatchFailure::Missing),
        }
    }

    /// The text at another path: with its lines changed before, the path is left.
    fn moved(&self, base: &[u8]) -> Result<Applied, PatchFailure> {
        match self.apply(base) {
            Err(PatchFailure::AlreadyApplied) => Ok(unchanged(base)),
            result => result,
        }
    }

    pub(super) fn has_changes(&self) -> bool {
        match &self.hunks {
            Hunks::InOrder(hunks) | Hunks::AnyOrder(hunks) => hunks.iter().any(PatchHunk::is_change),
            Hunks::Binary => true,
        }
    }
}

fn text(found: &TargetFile) -> &[u8] {
    &found.text
}

fn unchanged(text: &[u8]) -> Applied {
    Applied { text: text.to_vec(), edit: TextEdit::nothing(), hunks: Vec::new() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::patch::{ParsedPatch, PlanError};

    const PLAIN: Option<FileMode> = Some(FileMode::Plain);
    const PROGRAM: Option<FileMode> = Some(FileMode::Executable);

    type Made = (String, String, Option<FileMode>);
    type Outcome = Result<Made, (String, PatchFailure)>;

    /// What a patch of one file does: where it goes, what it holds then, and the mode it gets.
    fn check(tree: &[(&str, &str, Option<FileMode>)], patch: &str) -> Outcome {
        let tree: BTreeMap<String, TargetFile> = tree
            .iter()
            .map(|(path, text, mode)| ((*path).to_owned(), TargetFile { text: (*text).into(), mode: *mode }))
            .collect();
        let patch = ParsedPatch::read(patch.as_bytes()).unwrap();
        match patch.plan(None, |path| tree.get(&path.to_string()).cloned()) {
            Ok(mut plan) => {
                let change = plan.remove(0);
                let text = String::from_utf8(change.applied.text).unwrap();
                Ok((change.to.map(|to| to.to_string()).unwrap_or_default(), text, change.mode))
            }
            Err(PlanError::AlreadyApplied) => Err((String::new(), PatchFailure::AlreadyApplied)),
            Err(PlanError::Files { mut failed, .. }) => {
                let first = failed.remove(0);
                Err((first.path.unwrap().to_string(), first.failure))
            }
        }
    }

    fn left(path: &str, text: &str, mode: Option<FileMode>) -> Made {
        (path.to_owned(), text.to_owned(), mode)
    }

    fn done() -> Outcome {
        Err((String::new(), PatchFailure::AlreadyApplied))
    }

    #[test]
    fn a_rename_is_done_only_with_its_lines() {
        let git = "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
        let other =
            "*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@\n one\n-two\n+three\n*** End Patch\n";
        for patch in [git, other] {
            assert_eq!(check(&[("f", "one\ntwo\n", None)], patch), Ok(left("g", "one\nthree\n", None)));
            assert_eq!(check(&[("g", "one\ntwo\n", None)], patch), Ok(left("g", "one\nthree\n", None)));
            assert_eq!(check(&[("g", "one\nthree\n", None)], patch), done());
            assert_eq!(check(&[("f", "one\nthree\n", None)], patch), Ok(left("g", "one\nthree\n", None)));
            let unrelated = check(&[("g", "else\n", None)], patch);
            assert!(
                matches!(&unrelated, Err((path, PatchFailure::Hunks { .. })) if path == "g"),
                "{unrelated:?}"
            );
            let both = check(&[("f", "one\ntwo\n", None), ("g", "", None)], patch);
            assert_eq!(both, Err(("g".to_owned(), PatchFailure::Exists)));
        }
    }

    #[test]
    fn a_mode_is_left_to_do_where_the_lines_are_done() {
        let change = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n";
        assert_eq!(check(&[("f", "one\n", PLAIN)], change), Ok(left("f", "two\n", PROGRAM)));
        assert_eq!(check(&[("f", "two\n", PLAIN)], change), Ok(left("f", "two\n", PROGRAM)));
        assert_eq!(check(&[("f", "two\n", PROGRAM)], change), done());
        let create =
            "diff --git a/f b/f\nnew file mode 100755\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+two\n";
        assert_eq!(check(&[("f", "two\n", PLAIN)], create), Ok(left("f", "two\n", PROGRAM)));
        assert_eq!(check(&[("f", "two\n", PROGRAM)], create), done());
        assert_eq!(check(&[("f", "else\n", PROGRAM)], create), Err(("f".to_owned(), PatchFailure::Exists)));
    }

    #[test]
    fn copies_and_empty_files_are_made_once() {
        let copy = "diff --git a/f b/g\ncopy from f\ncopy to g\n";
        assert_eq!(check(&[("f", "one\n", PROGRAM)], copy), Ok(left("g", "one\n", PROGRAM)));
        assert_eq!(check(&[("f", "one\n", None), ("g", "one\n", None)], copy), done());
        let other = check(&[("f", "one\n", None), ("g", "two\n", None)], copy);
        assert_eq!(other, Err(("g".to_owned(), PatchFailure::Exists)));
        let empty = "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n";
        assert_eq!(check(&[], empty), Ok(left("e", "", PLAIN)));
        assert_eq!(check(&[("e", "", PLAIN)], empty), done());
    }
}
