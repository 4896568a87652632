//! Makes what is stored of a suggestion out of a patch that was laid against the files.

use std::collections::{BTreeMap, BTreeSet};

use crate::edit::{EditError, Grain, TextEdit};
use crate::git::{BlobId, RepoPath};
use crate::patch::{FileAction, FileMode, PatchedFile, TextSource};
use crate::record::{SuggestedEdit, SuggestedFile};

/// A file that a patch was laid against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseFile {
    /// Its content, by name.
    pub blob: BlobId,
    /// Its content.
    pub text: Vec<u8>,
}

/// Why a patch cannot be stored as a suggestion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MakeError {
    /// It makes a link or a submodule.
    #[error("{path} would become a symlink or a submodule, which is not supported")]
    NoFile {
        /// Where.
        path: RepoPath,
    },
    /// It renames, makes or deletes a file that it changes elsewhere too.
    #[error("{path} is changed twice, in conflicting ways")]
    Twice {
        /// Which file.
        path: RepoPath,
    },
    /// Nothing would change.
    #[error("nothing would change")]
    Nothing,
    /// An edit does not fit its file.
    #[error("an edit of {path} does not match")]
    Edit {
        /// Which file.
        path: RepoPath,
        /// Why not.
        source: EditError,
    },
}

/// What a plan does, as it is stored; `bases` are the files that it was laid against.
pub fn suggested_files(
    plan: Vec<PatchedFile>,
    bases: &BTreeMap<RepoPath, BaseFile>,
) -> Result<Vec<SuggestedFile>, MakeError> {
    let mut files: Vec<SuggestedFile> = Vec::new();
    let (mut left, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for change in plan {
        let path = change.from.as_ref().or(change.to.as_ref()).cloned().ok_or(MakeError::Nothing)?;
        if matches!(change.mode, Some(FileMode::Symlink | FileMode::Submodule)) {
            return Err(MakeError::NoFile { path });
        }
        let base =
            change.from.as_ref().and_then(|from| bases.get(from)).filter(|_| change.kind != FileAction::Copy);
        if let Some(again) = files.iter_mut().find(|file| file.path == path)
            && change.kind == FileAction::Modify
            && change.source == TextSource::Patch
            && again.new_path.is_none()
            && !again.delete
        {
            // What is changed twice was laid against its own result.
            let text = base.map_or(&b""[..], |base| &base.text);
            again.edits = stored(&TextEdit::from_diff(text, &change.applied.text, Grain::Line));
            continue;
        }
        let is_new = matches!(change.kind, FileAction::Create | FileAction::Copy);
        let gone = |file: &&mut SuggestedFile| file.delete && Some(&file.path) == change.to.as_ref();
        if is_new && let Some(again) = files.iter_mut().find(gone) {
            // What is deleted and made again is changed; it is no program unless that is said.
            let text = bases.get(&again.path).map_or(&b""[..], |base| &base.text);
            again.edits = stored(&TextEdit::from_diff(text, &change.applied.text, Grain::Line));
            again.mode = Some(change.mode.unwrap_or(FileMode::Plain).number());
            again.delete = false;
            continue;
        }
        let from = change.from.as_ref().filter(|_| change.kind != FileAction::Copy);
        if change.source == TextSource::Patch {
            return Err(MakeError::Twice { path });
        }
        // Two files may take each other's paths, but neither leaves or takes one twice.
        for (path, others) in [(from, &mut left), (change.to.as_ref(), &mut taken)] {
            if let Some(path) = path.filter(|path| !others.insert((*path).clone())) {
                return Err(MakeError::Twice { path: path.clone() });
            }
        }
        let mut file = SuggestedFile {
            path: path.clone(),
            blob: base.map(|base| base.blob),
            new_path: None,
            mode: change.mode.map(FileMode::number),
            delete: false,
            edits: Vec::new(),
        };
        match (change.kind, base) {
            (FileAction::Delete, _) => file.delete = true,
            (FileAction::Modify | FileAction::Rename, Some(base)) => {
                let edit = change.applied.edit.map_data(|_, _| ()).normalise(&base.text);
                file.edits = stored(&edit.map_err(|source| MakeError::Edit { path, source })?);
                file.new_path = change.to.filter(|to| *to != file.path);
            }
            (FileAction::Create | FileAction::Copy | FileAction::Modify | FileAction::Rename, _) => {
                file.path = change.to.unwrap_or(path);
                file.blob = None;
                file.edits = vec![SuggestedEdit { start: 0, end: 0, text: change.applied.text }];
            }
        }
        let plain_create = file.blob.is_none() && !file.delete;
        if plain_create
            || file.delete
            || file.new_path.is_some()
            || file.mode.is_some()
            || !file.edits.is_empty()
        {
            files.push(file);
        }
    }
    if files.is_empty() { Err(MakeError::Nothing) } else { Ok(files) }
}

/// An edit as it is stored.
fn stored(edit: &TextEdit) -> Vec<SuggestedEdit> {
    let stored = edit.replacements().iter().map(|replacement| SuggestedEdit {
        start: replacement.start() as u64,
        end: replacement.end() as u64,
        text: replacement.text().to_vec(),
    });
    stored.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::ParsedPatch;

    fn check(tree: &[(&str, &str)], patch: &str) -> Result<Vec<SuggestedFile>, MakeError> {
        let bases: BTreeMap<RepoPath, BaseFile> = tree
            .iter()
            .map(|(path, text)| {
                let blob = BlobId::from(gix::ObjectId::null(gix::hash::Kind::Sha1));
                (RepoPath::new(*path).unwrap(), BaseFile { blob, text: (*text).into() })
            })
            .collect();
        let read = |path: &RepoPath| bases.get(path).map(|base| base.text.clone());
        let plan = ParsedPatch::read(patch.as_bytes()).unwrap().plan(None, read).unwrap();
        suggested_files(plan, &bases)
    }

    #[test]
    fn every_kind_of_change_is_stored() {
        let patch = "diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+echo\ndiff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\ndiff --git a/from b/to\nrename from from\nrename to to\n--- a/from\n+++ b/to\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/run b/run\nold mode 100644\nnew mode 100755\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
        let files =
            check(&[("old", "gone\n"), ("from", "x\n"), ("run", "#!\n"), ("f", "a\nb\n")], patch).unwrap();
        let told: Vec<_> = files
            .iter()
            .map(|file| {
                let new = file.new_path.as_ref().map(ToString::to_string).unwrap_or_default();
                format!("{} {new} {} {:?} {}", file.path, file.blob.is_some(), file.mode, file.edits.len())
            })
            .collect();
        assert_eq!(
            told,
            [
                "new  false Some(33261) 1",
                "old  true None 0",
                "from to true None 1",
                "run  true Some(33261) 0",
                "f  true None 1"
            ]
        );
        assert!(files[1].delete);
        assert_eq!(files[4].edits[0], SuggestedEdit { start: 2, end: 3, text: b"c".to_vec() });
    }

    #[test]
    fn a_file_that_is_changed_twice_is_stored_once() {
        let one = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+A\n";
        let two = "--- a/f\n+++ b/f\n@@ -3 +3 @@\n-c\n+C\n";
        let files = check(&[("f", "a\nb\nc\n")], &format!("{one}{two}")).unwrap();
        assert_eq!((files.len(), files[0].edits.len()), (1, 2));
    }

    #[test]
    fn a_file_that_is_deleted_and_made_again_is_changed() {
        let gone = "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
        let made = "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+c\n";
        let files = check(&[("f", "a\nb\n")], &format!("{gone}{made}")).unwrap();
        assert_eq!((files.len(), files[0].delete), (1, false));
        assert_eq!(files[0].edits, [SuggestedEdit { start: 2, end: 4, text: b"c\n".to_vec() }]);
    }

    #[test]
    fn two_files_that_take_each_others_paths_are_stored() {
        let rename = |from: &str, to: &str| {
            format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n")
        };
        let swap = format!("{}{}", rename("a", "b"), rename("b", "a"));
        let files = check(&[("a", "1\n"), ("b", "2\n")], &swap).unwrap();
        let told: Vec<_> = files.iter().map(|file| (file.path.to_string(), file.new_path.clone())).collect();
        let path = |path: &str| RepoPath::new(path);
        assert_eq!(told, [("a".to_owned(), path("b")), ("b".to_owned(), path("a"))]);
        let on = format!("{}{}", rename("a", "b"), rename("b", "c"));
        assert!(matches!(check(&[("a", "1\n")], &on), Err(MakeError::Twice { .. })));
    }

    #[test]
    fn links_are_not_made() {
        let link =
            "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n";
        assert!(matches!(check(&[], link), Err(MakeError::NoFile { .. })));
    }
}
