//! Writes several files: each whole, and all or none.
//!
//! New content is first written next to each file; then every file is replaced by a rename. If a step fails,
//! the earlier ones are undone. If the process dies in between, the undo entry is still there, and `undo`
//! restores the files from it.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use postil_protocol::{Advice, Fault, FaultCode, PlannedFile};

use super::checked_file::{CheckedFile, FileWrite, FoundBefore};
use super::undo_journal;
use crate::convert::fault::cause;
use crate::repository::work_tree::WorkTree;

/// Whether files will be staged once they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexAfter {
    /// The index stays as it is.
    Same,
    /// They will, so undoing also restores the index.
    Staged,
}

/// Writes the files of a plan, and stores an undo entry, described as `what`.
pub fn write_files(
    work_tree: &WorkTree,
    files: &[PlannedFile],
    what: &str,
    index: IndexAfter,
) -> Result<(), Fault> {
    let root = work_tree.work_tree().ok_or_else(no_files)?;
    let hash = work_tree.repository().handle().object_hash();
    let files = check_all(root, hash, changes(files))?;
    let prepared = PreparedFiles::write(files)?;
    let back: Vec<_> = prepared.files.iter().map(|file| file.entry(hash)).collect();
    let journal = undo_journal::keep(work_tree, what, back, index).inspect_err(|_| prepared.clear())?;
    // If nothing was written, the previous undo entry is the newest again.
    prepared.replace(root).inspect_err(|_| drop(fs::remove_file(&journal)))
}

/// Makes these changes, without an undo entry.
pub fn make_changes(root: &Path, hash: gix::hash::Kind, changes: Vec<FileWrite>) -> Result<(), Fault> {
    PreparedFiles::write(check_all(root, hash, changes)?)?.replace(root)
}

fn changes(files: &[PlannedFile]) -> Vec<FileWrite> {
    let mut changes = Vec::new();
    for file in files {
        let expected = file.disk.clone().map_or(FoundBefore::Nothing, FoundBefore::Is);
        if let (Some(to), Some(content)) = (&file.to, &file.content) {
            let expected =
                if file.from.as_ref() == Some(to) { expected.clone() } else { FoundBefore::Nothing };
            changes.push(FileWrite {
                path: to.clone(),
                expected,
                content: Some(content.as_bytes().to_vec()),
                executable: file.executable,
            });
        }
        if let Some(from) = file.from.as_ref().filter(|from| file.to.as_ref() != Some(*from)) {
            changes.push(FileWrite { path: from.clone(), expected, content: None, executable: false });
        }
    }
    one_for_each(changes)
}

/// Where one file leaves a path and another gets it, what is expected there is the one, and what comes the other.
fn one_for_each(changes: Vec<FileWrite>) -> Vec<FileWrite> {
    let (mut kept, leaving): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|change| change.content.is_some());
    for left in leaving {
        match kept
            .iter_mut()
            .find(|change| change.path == left.path && change.expected == FoundBefore::Nothing)
        {
            Some(change) => change.expected = left.expected,
            None => kept.push(left),
        }
    }
    kept
}

fn check_all(root: &Path, hash: gix::hash::Kind, changes: Vec<FileWrite>) -> Result<Vec<CheckedFile>, Fault> {
    changes.into_iter().map(|change| CheckedFile::check(root, hash, change)).collect()
}

/// Files whose new content is on disk, beside the old.
struct PreparedFiles {
    files: Vec<CheckedFile>,
    /// For each file, where its new content is; none when it is deleted.
    beside: Vec<Option<PathBuf>>,
    /// The folders that were made, outermost first.
    made: Vec<PathBuf>,
}

impl PreparedFiles {
    fn write(files: Vec<CheckedFile>) -> Result<Self, Fault> {
        let mut prepared = Self { files, beside: Vec::new(), made: Vec::new() };
        for at in 0..prepared.files.len() {
            match prepared.write_one(at) {
                Ok(beside) => prepared.beside.push(beside),
                Err(error) => {
                    let name = prepared.name(at);
                    prepared.clear();
                    return Err(not_written(&name, &error).advise(Advice::NothingChanged));
                }
            }
        }
        Ok(prepared)
    }

    fn write_one(&mut self, at: usize) -> std::io::Result<Option<PathBuf>> {
        let checked = &self.files[at];
        let Some(content) = &checked.change.content else { return Ok(None) };
        let folder = checked.on_disk.parent().expect("a file of a work tree is in a folder");
        let missing: Vec<_> = folder.ancestors().take_while(|above| !above.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)?;
            self.made.push(folder.to_owned());
        }
        let beside = folder.join(format!(".postil-{}-{at}", std::process::id()));
        let usual = if checked.change.executable { 0o777 } else { 0o666 };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(usual).open(&beside)?;
        let written = (|| {
            file.write_all(content)?;
            if let Some(mode) = checked.permissions_after() {
                file.set_permissions(fs::Permissions::from_mode(mode))?;
            }
            file.sync_all()
        })();
        written.inspect_err(|_| drop(fs::remove_file(&beside)))?;
        Ok(Some(beside))
    }

    /// Puts every file in its place, or every one back.
    fn replace(self, root: &Path) -> Result<(), Fault> {
        for at in 0..self.files.len() {
            let file = &self.files[at];
            let replaced = match &self.beside[at] {
                Some(beside) => fs::rename(beside, &file.on_disk),
                None => fs::remove_file(&file.on_disk),
            };
            if let Err(error) = replaced {
                let fault = not_written(&self.name(at), &error);
                let lost: Vec<String> =
                    (0..at).filter(|at| self.files[*at].restore().is_err()).map(|at| self.name(at)).collect();
                self.clear();
                return Err(if lost.is_empty() {
                    fault.advise(Advice::NothingChanged)
                } else {
                    fault
                        .because(&cause(format!("could not restore {}", lost.join(", "))))
                        .advise(Advice::PutBackByHand { files: lost })
                });
            }
        }
        for file in self.files.iter().filter(|file| file.change.content.is_none()) {
            // As git does it: a folder goes with its last file.
            let above = file.on_disk.ancestors().skip(1).take_while(|above| *above != root);
            above.map(fs::remove_dir).take_while(Result::is_ok).for_each(drop);
        }
        Ok(())
    }

    fn name(&self, at: usize) -> String {
        String::from_utf8_lossy(self.files[at].change.path.as_bytes()).into_owned()
    }

    /// Takes away what was written beside, and the folders that were made for it.
    fn clear(&self) {
        self.beside.iter().flatten().for_each(|beside| drop(fs::remove_file(beside)));
        self.made.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
    }
}

impl CheckedFile {
    /// Makes the file what it was.
    fn restore(&self) -> std::io::Result<()> {
        let Some(before) = &self.before else { return fs::remove_file(&self.on_disk) };
        let beside = self.on_disk.with_file_name(format!(".postil-{}-back", std::process::id()));
        fs::write(&beside, before)?;
        if let Some(mode) = self.permissions {
            fs::set_permissions(&beside, fs::Permissions::from_mode(mode))?;
        }
        fs::rename(&beside, &self.on_disk)
    }
}

/// A repository without a work tree has no files.
pub fn no_files() -> Fault {
    Fault::new(FaultCode::Refused, "this repository has no working tree")
}

fn not_written(name: &str, error: &std::io::Error) -> Fault {
    Fault::new(FaultCode::WriteFailed, format!("could not write {name}")).because(error)
}

#[cfg(test)]
mod tests {
    use super::super::checked_file::name_of;
    use super::*;

    const HASH: gix::hash::Kind = gix::hash::Kind::Sha1;

    fn order(path: &str, before: Option<&str>, after: Option<&str>) -> FileWrite {
        let expected = before.map_or(FoundBefore::Nothing, |before| {
            FoundBefore::Is(name_of(HASH, before.as_bytes()).unwrap())
        });
        FileWrite {
            path: path.into(),
            expected,
            content: after.map(|after| after.as_bytes().to_vec()),
            executable: false,
        }
    }

    fn tree(root: &Path) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(root).unwrap().display().to_string();
                    all.push((name, fs::read_to_string(path).unwrap()));
                }
            }
        }
        all.sort();
        all
    }

    #[test]
    fn a_failure_in_the_middle_puts_everything_back() {
        let root = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(root.path().join(name), name).unwrap();
        }
        fs::set_permissions(root.path().join("a"), fs::Permissions::from_mode(0o700)).unwrap();
        let changes = vec![
            order("a", Some("a"), Some("A")),
            order("new/deep/file", None, Some("new")),
            order("b", Some("b"), None),
            order("c", Some("c"), Some("C")),
        ];
        let staged = PreparedFiles::write(check_all(root.path(), HASH, changes).unwrap()).unwrap();
        // A directory appears where a file was, at the last moment.
        fs::remove_file(root.path().join("c")).unwrap();
        fs::create_dir(root.path().join("c")).unwrap();
        let fault = staged.replace(root.path()).unwrap_err();
        assert_eq!(&*fault.message, "could not write c");
        assert_eq!(fault.advice(), Some(Advice::NothingChanged));
        let expected = [("a", "a"), ("b", "b")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(tree(root.path()), expected);
        assert!(!root.path().join("new").exists());
        let mode = fs::metadata(root.path().join("a")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_file_that_is_not_as_expected_stops_everything() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a"), "a").unwrap();
        fs::write(root.path().join("b"), "other").unwrap();
        let changes = vec![order("a", Some("a"), Some("A")), order("b", Some("b"), Some("B"))];
        let fault = make_changes(root.path(), HASH, changes).unwrap_err();
        assert_eq!(fault.code, FaultCode::Conflict);
        assert_eq!(fs::read_to_string(root.path().join("a")).unwrap(), "a");
    }

    #[test]
    fn nothing_is_written_through_links_or_into_git() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), root.path().join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("x"), root.path().join("file")).unwrap();
        for path in ["link/x", "../x", ".git/hooks/pre-commit", "file"] {
            assert!(make_changes(root.path(), HASH, vec![order(path, None, Some("x"))]).is_err(), "{path}");
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_goes_with_its_last_file_and_modes_stay() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("x/y")).unwrap();
        fs::write(root.path().join("x/y/z"), "z").unwrap();
        fs::write(root.path().join("run"), "r").unwrap();
        fs::set_permissions(root.path().join("run"), fs::Permissions::from_mode(0o640)).unwrap();
        let program = FileWrite { executable: true, ..order("run", Some("r"), Some("R")) };
        make_changes(root.path(), HASH, vec![order("x/y/z", Some("z"), None), program]).unwrap();
        assert!(!root.path().join("x").exists());
        let mode = fs::metadata(root.path().join("run")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o750);
    }
}
