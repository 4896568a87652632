//! Long lists that outlive the process that made them, for commands that run without a daemon.
//!
//! A list lies under a name made of everything that decides it, so that whatever changes leads to another name, or to
//! none. Only the files on disk are looked at when it is found. What is damaged or missing costs the work again and
//! nothing more; a daemon has no use for it, since it remembers.

use std::fs;
use std::hash::{Hash as _, Hasher};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use postil_core::anchoring::ENGINE_VERSION;
use postil_core::git::{CommitId, RepoPath, tree};
use postil_protocol::{In, List};

use super::desk::Desk;
use super::kept::{Ground, MAX_KEPT, MAX_KEPT_BYTES, Standing};
use super::overlay::still_committed;
use super::seat::Seat;

/// Fewer threads are listed as fast as a file is read.
pub(super) const MIN_THREADS: usize = 500;

/// Where lists lie in the directory that all work trees share.
const FOLDER: &str = "postil/lists";

/// The place of one list.
#[derive(Debug)]
pub(super) struct Slot(PathBuf);

/// What else decides an answer: settings, and objects, which can arrive without any ref being moved.
#[derive(Debug)]
pub(super) struct Around(Vec<Option<(u64, i64, i64, u64)>>);

/// A list that was found.
#[derive(Debug)]
pub(super) struct Shelved {
    /// The files that must be on disk as they are committed.
    files: Vec<RepoPath>,
    /// The answer, as JSON text.
    pub answer: String,
}

impl Around {
    /// Looks; to be asked before anything is read.
    pub fn now(seat: &Seat) -> Self {
        let repo = seat.repository();
        let shared = ["config", "shallow", "objects/pack", "objects/info/alternates"];
        let shared = shared.iter().map(|place| stamp(&repo.common_dir().join(place)));
        Self(shared.chain([stamp(&repo.git_dir().join("config.worktree"))]).collect())
    }
}

impl Slot {
    /// Where the answer to this question lies while things stand like that.
    pub fn of(desk: &Desk, asked: &In<List>, standing: &Standing, around: &Around) -> Option<Self> {
        let mut name = Name(blake3::Hasher::new());
        env!("CARGO_PKG_VERSION").hash(&mut name);
        ENGINE_VERSION.hash(&mut name);
        serde_json::to_string(&standing.question).ok()?.hash(&mut name);
        standing.hash_rest(&mut name);
        // Who looks may be the one in whose name it is written down that a review was merged.
        asked.author.as_ref().map(|author| &author.email).hash(&mut name);
        around.0.hash(&mut name);
        let name = name.0.finalize().to_hex();
        Some(Self(desk.store.repository().common_dir().join(FOLDER).join(&name.as_str()[..32])))
    }

    /// What lies here, if the files on disk are still as they are committed.
    pub fn find(&self, seat: &Seat, head: Option<CommitId>) -> Option<Shelved> {
        let shelved = Shelved::from_bytes(&fs::read(&self.0).ok()?)?;
        shelved.holds(seat, head).then_some(shelved)
    }

    /// Lays a list down; it may stay undone.
    pub fn put(&self, ground: &Ground, answer: &str) {
        let Some(bytes) = Shelved::to_bytes(ground, answer) else { return };
        if let Err(error) = self.write(&bytes) {
            tracing::debug!(%error, "a list was not kept");
        }
    }

    fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        let folder = self.0.parent().expect("a place in a folder");
        // The repository is there: what is not made anew is one that was deleted meanwhile.
        if let Some(ours) = folder.parent() {
            let _ = fs::create_dir(ours);
        }
        let _ = fs::create_dir(folder);
        make_room(folder)?;
        // Whoever finds half of it sees that by its sum.
        let new = self.0.with_extension(std::process::id().to_string());
        let mut file = fs::File::create(&new)?;
        let written = file.write_all(bytes).and_then(|()| fs::rename(&new, &self.0));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }
}

impl Shelved {
    /// A sum, how long the names of files are, those names, and the answer.
    fn to_bytes(ground: &Ground, answer: &str) -> Option<Vec<u8>> {
        let files: &[(RepoPath, Option<tree::Entry>)] = match ground {
            Ground::Commit => &[],
            Ground::Committed(files) => files,
            Ground::Unsettled => return None,
        };
        if answer.len() > MAX_KEPT_BYTES {
            return None;
        }
        let names: Vec<u8> =
            files.iter().flat_map(|(path, _)| [path.as_bytes(), b"\0"]).flatten().copied().collect();
        let mut rest = u32::try_from(names.len()).ok()?.to_le_bytes().to_vec();
        rest.extend(names);
        rest.extend(answer.as_bytes());
        let mut bytes = blake3::hash(&rest).as_bytes().to_vec();
        bytes.extend(rest);
        Some(bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (sum, rest) = bytes.split_first_chunk::<{ blake3::OUT_LEN }>()?;
        if blake3::hash(rest) != *sum {
            return None;
        }
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (names, answer) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let files = names.map(|name| RepoPath::new(name.to_vec())).collect::<Option<_>>()?;
        Some(Self { files, answer: String::from_utf8(answer.to_vec()).ok()? })
    }

    fn holds(&self, seat: &Seat, head: Option<CommitId>) -> bool {
        let handle = seat.repository().handle();
        let Some(Ok(tree)) = head.map(|head| seat.tree_of(head)) else { return self.files.is_empty() };
        let committed = |path: &RepoPath| Some((path.clone(), tree::entry_at(&handle, tree, path).ok()?));
        let files: Option<Vec<_>> = self.files.iter().map(committed).collect();
        files.is_some_and(|files| still_committed(seat, &files).unwrap_or(false))
    }
}

/// Takes away what is older than the few that may stay, and what somebody left half-done.
fn make_room(folder: &Path) -> std::io::Result<()> {
    let mut lists: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        lists.push((entry.metadata()?.modified()?, entry.path()));
    }
    lists.sort();
    let most = lists.len().saturating_sub(MAX_KEPT - 1);
    for (_, path) in &lists[..most] {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// What tells a file or folder from what it was before.
fn stamp(path: &Path) -> Option<(u64, i64, i64, u64)> {
    let found = fs::metadata(path).ok()?;
    Some((found.ino(), found.mtime(), found.mtime_nsec(), found.size()))
}

/// Turns whatever can be hashed into a name that nothing else has.
struct Name(blake3::Hasher);

impl Hasher for Name {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        u64::from_le_bytes(*self.0.finalize().as_bytes().first_chunk().expect("a sum is longer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_laid_down_is_found_as_it_was_and_never_damaged() {
        let path = |name: &str| RepoPath::new(name).unwrap();
        let ground = Ground::Committed(vec![(path("a b"), None), (path("dir/c"), None)]);
        let bytes = Shelved::to_bytes(&ground, "{\"total\":7}").unwrap();
        let found = Shelved::from_bytes(&bytes).unwrap();
        assert_eq!((found.files, &*found.answer), (vec![path("a b"), path("dir/c")], "{\"total\":7}"));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(Shelved::from_bytes(&damaged).is_none(), "byte {at}");
            assert!(Shelved::from_bytes(&bytes[..at]).is_none(), "cut at {at}");
        }
        assert!(Shelved::to_bytes(&Ground::Unsettled, "{}").is_none());
    }

    #[test]
    fn the_oldest_lists_make_room() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..3 * MAX_KEPT {
            Slot(dir.path().join(FOLDER).join(number.to_string())).write(b"x").unwrap();
        }
        assert_eq!(fs::read_dir(dir.path().join(FOLDER)).unwrap().count(), MAX_KEPT);
    }
}
