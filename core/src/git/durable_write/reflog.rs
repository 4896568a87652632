//! The log of where a ref was, in the form and by the rules of git.
//!
//! It is for people, and is not synced, as git does not sync it either. `refs/branch_renames` reads renames from it.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gix::actor::SignatureRef;
use gix::refs::store::WriteReflog;

use super::durable_files::create_dirs;
use crate::git::error::RefError;
use crate::git::{CommitId, ObjectId, RefName, Repository};

/// A longer one is not read.
pub(in crate::git) const MAX_BYTES: u64 = 8 << 20;

/// What a reflog keeps of one move of a ref, apart from the two ids.
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

/// One move of a ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedMove {
    /// Where it was; `None` if it did not exist.
    pub from: Option<CommitId>,
    /// Where it went; `None` if it was deleted.
    pub to: Option<CommitId>,
    /// When, in seconds since 1970.
    pub at: i64,
    /// When exactly, of the last one: the reflog was written then.
    pub written: Option<SystemTime>,
}

/// Returns the last moves of a ref, the newest first, at most `most`; none if the reflog is missing or very long.
pub fn last_moves(common_dir: &Path, name: &RefName, most: usize) -> Vec<LoggedMove> {
    let path = name.below(&common_dir.join("logs"));
    let log = read(&path);
    let lines = log.split(|byte| *byte == b'\n').rev().filter(|line| !line.is_empty());
    let mut moves: Vec<LoggedMove> = lines.take(most).map_while(logged_move).collect();
    if let Some(last) = moves.first_mut() {
        last.written = fs::metadata(&path).and_then(|file| file.modified()).ok();
    }
    moves
}

/// Returns the message of the last move of a ref to `to`, if the reflog has it.
pub fn last_message(common_dir: &Path, name: &RefName, to: CommitId) -> Option<String> {
    let log = read(&name.below(&common_dir.join("logs")));
    let mut lines = log.split(|byte| *byte == b'\n').rev();
    let line = lines.find(|line| logged_move(line).is_some_and(|moved| moved.to == Some(to)))?;
    let message = line.splitn(2, |byte| *byte == b'\t').nth(1)?;
    Some(String::from_utf8_lossy(message).into_owned())
}

fn logged_move(line: &[u8]) -> Option<LoggedMove> {
    let head = line.split(|byte| *byte == b'\t').next()?;
    let id = |word: &[u8]| {
        let id = ObjectId::from_hex(word)?.raw();
        Some((!id.is_null()).then(|| CommitId::from(id)))
    };
    let mut words = head.split(|byte| *byte == b' ');
    let (from, to) = (id(words.next()?)?, id(words.next()?)?);
    // The time is before the zone, which is last.
    let at = head.rsplit(|byte| *byte == b' ').nth(1)?;
    Some(LoggedMove { from, to, at: std::str::from_utf8(at).ok()?.parse().ok()?, written: None })
}

fn read(path: &Path) -> Vec<u8> {
    let short = fs::metadata(path).is_ok_and(|file| file.len() <= MAX_BYTES);
    short.then(|| fs::read(path).ok()).flatten().unwrap_or_default()
}

/// Returns where a ref has been, as its reflog has it; nothing if the reflog is missing or very long.
pub(in crate::git) fn held(repo: &Repository, name: &RefName) -> BTreeSet<CommitId> {
    read(&path(repo, name)).split(|byte| *byte == b'\n').flat_map(ids).collect()
}

/// The two commits of one line; the null id of a ref that did not exist is left out.
pub(in crate::git) fn ids(line: &[u8]) -> impl Iterator<Item = CommitId> {
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

/// Removes `dir` if it holds nothing but empty directories, which git leaves behind when refs go.
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
    fn the_last_moves_are_told_the_newest_first_up_to_a_line_that_makes_no_sense() {
        let top = tempfile::tempdir().unwrap();
        let logs = top.path().join("logs/refs/heads");
        fs::create_dir_all(&logs).unwrap();
        let id = |digit: char| digit.to_string().repeat(40);
        let line = |from, to, at| format!("{} {} A B <a@b> {at} +0100\tcommit: 7 words\n", id(from), id(to));
        let log = ["nonsense\n", &line('0', '1', 5), &line('1', '2', 6), &line('2', '0', 7)].concat();
        fs::write(logs.join("a"), log).unwrap();
        let commit = |digit| CommitId::from_hex(id(digit).as_bytes());
        let moved = |from, to, at| LoggedMove { from, to, at, written: None };
        let all =
            [moved(commit('2'), None, 7), moved(commit('1'), commit('2'), 6), moved(None, commit('1'), 5)];
        let (name, other) = (RefName::new("refs/heads/a").unwrap(), RefName::new("refs/heads/b").unwrap());
        let last = |name: &RefName, most| {
            let mut moves = last_moves(top.path(), name, most);
            let times: Vec<bool> = moves.iter().map(|moved| moved.written.is_some()).collect();
            assert!(times.iter().enumerate().all(|(at, known)| *known == (at == 0)), "{times:?}");
            for moved in &mut moves {
                moved.written = None;
            }
            moves
        };
        assert_eq!(last(&name, 10), all);
        assert_eq!(last(&name, 1), all[..1]);
        assert_eq!(last(&other, 10), []);
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
