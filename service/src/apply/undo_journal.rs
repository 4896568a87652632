//! The undo journal: the ways back from what was written, in the git directory of the work tree, the newest on top.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use postil_protocol::{Advice, Fault, FaultCode};

use super::checked_file::{FileWrite, FoundBefore, name_of};
use super::git_index;
use super::undo_entry::{FileBefore, StagedBefore, UndoEntry};
use super::write_files::{IndexAfter, make_changes, no_files};
use crate::convert::fault::cause;
use crate::repository::work_tree::WorkTree;

/// So many are kept; the oldest goes first.
const MAX_KEPT: usize = 20;

/// Where they are kept: files whose names are numbers, the highest of which is the newest.
fn place(work_tree: &WorkTree) -> PathBuf {
    work_tree.repository().git_dir().join("postil").join("undo")
}

/// The ways back that there are, the newest first.
fn kept(place: &Path) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u64>().ok();
    let mut kept: Vec<_> = entries.filter_map(|path| Some((number(&path)?, path))).collect();
    kept.sort_unstable_by(|a, b| b.cmp(a));
    kept
}

/// Stores an undo entry, which is on disk before any file is written; returns its path.
pub fn keep(
    work_tree: &WorkTree,
    what: &str,
    files: Vec<FileBefore>,
    index: IndexAfter,
) -> Result<PathBuf, Fault> {
    let failed = |error: std::io::Error| {
        Fault::new(FaultCode::WriteFailed, "could not save the undo information; nothing was written")
            .because(&error)
    };
    let mut entry =
        UndoEntry { what: what.to_owned(), files, head: git_index::head(work_tree), staged: None };
    if index == IndexAfter::Staged {
        entry.staged = Some(git_index::staged(work_tree, &entry.paths())?);
    }
    let text = serde_json::to_vec(&entry).map_err(|error| failed(error.into()))?;
    let place = place(work_tree);
    fs::create_dir_all(&place).map_err(failed)?;
    let earlier = kept(&place);
    let newest = earlier.first().map_or(0, |(number, _)| *number);
    let journal = place.join((newest + 1).to_string());
    let beside = journal.with_extension("new");
    let written = fs::File::create(&beside).and_then(|mut file| {
        file.write_all(&text)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&beside, &journal)).map_err(failed)?;
    earlier.iter().skip(MAX_KEPT - 1).for_each(|(_, oldest)| drop(fs::remove_file(oldest)));
    Ok(journal)
}

/// Makes all files what they were before something was last applied, and what is staged of them where that was
/// changed too; returns what it was.
///
/// If a file has changed since, nothing is undone. The same holds if a commit contains the files as they are.
pub fn undo(work_tree: &WorkTree) -> Result<UndoEntry, Fault> {
    let root = work_tree.work_tree().ok_or_else(no_files)?;
    let hash = work_tree.repository().handle().object_hash();
    let Some((_, journal)) = kept(&place(work_tree)).into_iter().next() else {
        return Err(nothing_to_undo());
    };
    let entry = read(&journal)?;
    let mut changes = Vec::new();
    for file in &entry.files {
        let there = fs::read(root.join(Path::new(
            <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(file.path.as_bytes()),
        )));
        let there = there.ok().and_then(|bytes| name_of(hash, &bytes));
        let before = file.before.as_ref().and_then(|before| name_of(hash, before.as_bytes()));
        // What a process that died did not come to is as it was.
        if there == before && there != file.after {
            continue;
        }
        if there != file.after {
            let name = String::from_utf8_lossy(file.path.as_bytes());
            return Err(stuck(&entry, format!("{name} has changed since it was applied"))
                .advise(Advice::TakeOwnChangeOut));
        }
        let expected = file.after.clone().map_or(FoundBefore::Nothing, FoundBefore::Is);
        let content = file.before.as_ref().map(|before| before.as_bytes().to_vec());
        let path = file.path.clone();
        changes.push(FileWrite { path, expected, content, executable: file.executable });
    }
    not_committed(work_tree, &entry)?;
    let staged = staged_since(work_tree, &entry)?;
    make_changes(root, hash, changes)?;
    if let Some(staged) = staged {
        git_index::put_back(work_tree, staged)?;
    }
    fs::remove_file(&journal).map_err(|error| {
        Fault::new(
            FaultCode::WriteFailed,
            "the files were restored, but the undo information could not be removed",
        )
        .because(&error)
    })?;
    Ok(entry)
}

/// Removes the newest undo entry and leaves all files as they are; returns its description.
pub fn skip(work_tree: &WorkTree) -> Result<String, Fault> {
    let Some((_, journal)) = kept(&place(work_tree)).into_iter().next() else {
        return Err(nothing_to_undo());
    };
    // One that is damaged is in the way as well.
    let what = read(&journal).map_or_else(|_| "the last apply".to_owned(), |entry| entry.what);
    fs::remove_file(&journal).map_err(|error| {
        Fault::new(FaultCode::WriteFailed, "could not remove the undo information").because(&error)
    })?;
    Ok(what)
}

/// What was applied last, if its files are not committed since.
pub fn last_entry(work_tree: &WorkTree) -> Result<UndoEntry, Fault> {
    let Some((_, journal)) = kept(&place(work_tree)).into_iter().next() else {
        return Err(nothing_to_undo());
    };
    let entry = read(&journal)?;
    not_committed(work_tree, &entry)?;
    Ok(entry)
}

fn read(journal: &Path) -> Result<UndoEntry, Fault> {
    let text = match fs::read(journal) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(nothing_to_undo()),
        Err(error) => {
            return Err(Fault::new(FaultCode::Damaged, "could not read the undo information")
                .because(&error)
                .advise(Advice::SkipUndo));
        }
    };
    serde_json::from_slice(&text).map_err(|error| {
        Fault::new(FaultCode::Damaged, "the undo information is damaged")
            .because(&error)
            .advise(Advice::SkipUndo)
    })
}

fn nothing_to_undo() -> Fault {
    Fault::new(FaultCode::NotFound, "nothing to undo")
        .because(&cause("everything applied in this working tree was undone already, or is too old"))
        .advise(Advice::RevertCommits)
}

/// Files that went back would be a new change, the contrary of the one that is committed.
fn not_committed(work_tree: &WorkTree, entry: &UndoEntry) -> Result<(), Fault> {
    let paths = entry.paths();
    if git_index::head(work_tree) == entry.head || !git_index::is_committed(work_tree, &paths)? {
        return Ok(());
    }
    let commit = git_index::last_change(work_tree, &paths).unwrap_or_else(|| "HEAD".to_owned());
    Err(stuck(entry, format!("it was committed as {commit}")).advise(Advice::RevertCommit { commit }))
}

/// What was staged before, where something else is staged now and what that is, is on disk too.
fn staged_since<'a>(work_tree: &WorkTree, entry: &'a UndoEntry) -> Result<Option<&'a [StagedBefore]>, Fault> {
    let Some(before) = &entry.staged else { return Ok(None) };
    let paths = entry.paths();
    if git_index::staged(work_tree, &paths)? == *before {
        return Ok(None);
    }
    if !git_index::is_as_on_disk(work_tree, &paths)? {
        return Err(stuck(entry, "other changes to its files were staged since").advise(Advice::UnstageFirst));
    }
    Ok(Some(before))
}

fn stuck(entry: &UndoEntry, why: impl Into<String>) -> Fault {
    // Several suggestions have several names.
    let were = if entry.what.contains(", ") { "were" } else { "was" };
    Fault::new(FaultCode::Conflict, format!("{} {were} not undone", entry.what)).because(&cause(why))
}
