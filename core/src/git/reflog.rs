//! The log of where a ref was, in the form and by the rules of git.
//!
//! It is for people, and is not synced, as git does not sync it either. What it says of renames is read by `renames`.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gix::actor::SignatureRef;
use gix::refs::store::WriteReflog;

use super::durable::create_dirs;
use super::error::RefError;
use super::{CommitId, ObjectId, RefName, Repository};

/// A longer one is not read.
pub(super) const MAX_BYTES: u64 = 8 << 20;

/// What a reflog says about one move of a ref, besides the two ids.
#[derive(Clone, Copy, Debug)]
pub struct LogEntry<'a> {
    /// Who moved it, and when.
    pub committer: SignatureRef<'a>,
    /// Why, in one line; other white space becomes blanks.
    pub message: &'a str,
}

/// Adds a line to the reflog of `name`, if git would keep one.
pub(super) fn append(
    repo: &Repository,
    name: &RefName,
    old: Option<ObjectId>,
    new: ObjectId,
    entry: LogEntry<'_>,
) -> Result<(), RefError> {
    let path = path(repo, name);
    let failed = |source| RefError::Write { path: path.clone(), source };
    let kept = kept_by_default(repo.reflogs(), name);
    let line = line(repo.object_hash(), old, new, entry).map_err(failed)?;
    let mut options = OpenOptions::new();
    options.append(true).create(kept);
    let mut opened = options.open(&path);
    if kept && opened.is_err() {
        make_room(repo, &path).map_err(failed)?;
        opened = options.open(&path);
    }
    let new_file =
        kept && opened.as_ref().is_ok_and(|file| file.metadata().is_ok_and(|file| file.len() == 0));
    match opened {
        Ok(mut file) => file.write_all(&line).map_err(failed)?,
        Err(_) if !kept && !path.is_file() => {}
        Err(source) => return Err(failed(source)),
    }
    if new_file { repo.sharing().apply(&path).map_err(failed) } else { Ok(()) }
}

/// Where a ref has been, as far as its reflog tells; one that is missing or very long says nothing.
pub(super) fn held(repo: &Repository, name: &RefName) -> BTreeSet<CommitId> {
    let path = path(repo, name);
    let short = fs::metadata(&path).is_ok_and(|file| file.len() <= MAX_BYTES);
    let log = short.then(|| fs::read(&path).ok()).flatten().unwrap_or_default();
    log.split(|byte| *byte == b'\n').flat_map(ids).collect()
}

/// The two commits of one line, without one that is none: a ref that did not exist.
pub(super) fn ids(line: &[u8]) -> impl Iterator<Item = CommitId> {
    let ids = line.split(|byte| *byte == b' ').take(2).filter_map(ObjectId::from_hex);
    ids.filter(|id| !id.raw().is_null()).map(|id| id.raw().into())
}

/// Removes the reflog of a ref that is gone.
pub(super) fn remove(repo: &Repository, name: &RefName) -> Result<(), RefError> {
    let path = path(repo, name);
    match fs::remove_file(&path) {
        Err(source) if path.is_file() => Err(RefError::Write { path, source }),
        _ => {
            prune_empty_parents(&path, &repo.common_dir().join("logs/refs"));
            Ok(())
        }
    }
}

/// Removes the directories above `path` that are now empty, except `stop` and those just below it.
pub(super) fn prune_empty_parents(path: &Path, stop: &Path) {
    for dir in path.ancestors().skip(1) {
        let kept = dir == stop || dir.parent() == Some(stop);
        if kept || fs::remove_dir(dir).is_err() {
            return;
        }
    }
}

/// Removes `dir` if it holds nothing but empty directories, which git leaves where refs were.
pub(super) fn remove_empty_dirs(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_empty_dirs(&entry.path())?;
        }
    }
    fs::remove_dir(dir)
}

fn path(repo: &Repository, name: &RefName) -> PathBuf {
    name.below(&repo.common_dir().join("logs"))
}

fn kept_by_default(reflogs: WriteReflog, name: &RefName) -> bool {
    let branches = [&b"refs/heads/"[..], b"refs/remotes/", b"refs/notes/"];
    match reflogs {
        WriteReflog::Always => true,
        WriteReflog::Normal => branches.iter().any(|prefix| name.as_bytes().starts_with(prefix)),
        WriteReflog::Disable => false,
    }
}

fn make_room(repo: &Repository, path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return remove_empty_dirs(path);
    }
    create_dirs(path.parent().unwrap_or(path), repo.sharing()).map(drop)
}

fn line(
    hash: gix::hash::Kind,
    old: Option<ObjectId>,
    new: ObjectId,
    entry: LogEntry<'_>,
) -> io::Result<Vec<u8>> {
    let old = old.map_or_else(|| hash.null(), ObjectId::raw);
    let mut line = format!("{old} {new} ").into_bytes();
    entry.committer.trim().write_to(&mut line)?;
    let message: Vec<&str> = entry.message.split_ascii_whitespace().collect();
    if !message.is_empty() {
        line.push(b'\t');
        line.extend_from_slice(message.join(" ").as_bytes());
    }
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_whatever_the_message() {
        let id = ObjectId::from_bytes(&[0xab; 20]).unwrap();
        let committer =
            SignatureRef { name: " A U Thor ".into(), email: "a@example.com".into(), time: "5 +0100" };
        let line = line(gix::hash::Kind::Sha1, None, id, LogEntry { committer, message: " two\n lines\t\n" });
        let expected = format!("{} {id} A U Thor <a@example.com> 5 +0100\ttwo lines\n", "0".repeat(40));
        assert_eq!(String::from_utf8(line.unwrap()).unwrap(), expected);
    }

    #[test]
    fn only_empty_directories_are_removed() {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir_all(top.path().join("a/b/c")).unwrap();
        remove_empty_dirs(&top.path().join("a")).unwrap();
        assert!(!top.path().join("a").exists());

        fs::create_dir_all(top.path().join("a/b/c")).unwrap();
        fs::write(top.path().join("a/file"), "").unwrap();
        assert!(remove_empty_dirs(&top.path().join("a")).is_err());
        assert!(top.path().join("a/file").exists());
    }
}
