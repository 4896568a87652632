//! A sealed repository in memory, in which files are located without a work tree and without stock git.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use postil_core::anchoring::{Head, Pointed, Position, anchor_at, locate};
use postil_core::git::{BlobId, CommitId, RepoPath, TreeId};
use postil_core::record::{Anchor, LineSpan, Range};

/// An empty repository that keeps what is written in memory.
pub struct ObjectWorld {
    pub repo: gix::Repository,
    _folder: tempfile::TempDir,
}

pub type Files<'a> = BTreeMap<&'a str, String>;

impl ObjectWorld {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        gix::init_bare(folder.path()).unwrap();
        let repo = gix::open_opts(folder.path(), gix::open::Options::isolated()).unwrap();
        Self { repo: repo.with_object_memory(), _folder: folder }
    }

    /// A repository whose objects every thread sees.
    pub fn on_disk() -> Self {
        let folder = tempfile::tempdir().unwrap();
        gix::init_bare(folder.path()).unwrap();
        let repo = gix::open_opts(folder.path(), gix::open::Options::isolated()).unwrap();
        Self { repo, _folder: folder }
    }

    pub fn blob(&self, content: &[u8]) -> BlobId {
        self.repo.write_blob(content).unwrap().detach().into()
    }

    pub fn tree(&self, files: &Files<'_>) -> TreeId {
        use gix::objs::tree::{Entry, EntryKind};
        let mut entries = Vec::new();
        let mut folders: BTreeMap<&str, Files<'_>> = BTreeMap::new();
        for (path, text) in files {
            match path.split_once('/') {
                Some((folder, rest)) => {
                    folders.entry(folder).or_default().insert(rest, text.clone());
                }
                None => entries.push(Entry {
                    mode: EntryKind::Blob.into(),
                    filename: (*path).into(),
                    oid: self.blob(text.as_bytes()).raw(),
                }),
            }
        }
        for (folder, files) in folders {
            let oid = self.tree(&files).raw();
            entries.push(Entry { mode: EntryKind::Tree.into(), filename: folder.into(), oid });
        }
        entries.sort();
        self.repo.write_object(gix::objs::Tree { entries }).unwrap().detach().into()
    }

    pub fn commit(&self, files: &Files<'_>, parents: &[CommitId]) -> CommitId {
        self.commit_called("c", files, parents)
    }

    /// A commit with a message of its own; otherwise two with the same files and parents are one.
    pub fn commit_called(&self, message: &str, files: &Files<'_>, parents: &[CommitId]) -> CommitId {
        let who = gix::actor::SignatureRef { name: "a".into(), email: "a@b".into(), time: "1 +0000" };
        let parents: Vec<_> = parents.iter().map(|parent| parent.raw()).collect();
        self.repo.new_commit_as(who, who, message, self.tree(files).raw(), parents).unwrap().id.into()
    }

    pub fn tree_of(&self, commit: CommitId) -> TreeId {
        self.repo.find_commit(commit.raw()).unwrap().tree_id().unwrap().detach().into()
    }

    pub fn anchor(&self, commit: Option<CommitId>, path: &str, text: &str, first: u32, last: u32) -> Anchor {
        let path = RepoPath::new(path).unwrap();
        let range = Some(Range::lines(LineSpan::from_numbers(first, last).unwrap()));
        let blob = self.blob(text.as_bytes());
        anchor_at(&Pointed { commit, path: &path, blob, content: text.as_bytes(), range }).unwrap()
    }

    pub fn locate(&self, anchor: Anchor, head: Head) -> Position {
        locate(&self.repo, &[anchor], head, NonZeroUsize::MIN).remove(0).unwrap()
    }
}

/// Splits off the marks: lines that begin with `▸` are meant.
pub fn unmark(text: &str) -> (String, Option<(u32, u32)>) {
    let marked: Vec<u32> =
        (1..).zip(text.lines()).filter(|(_, line)| line.starts_with('▸')).map(|(at, _)| at).collect();
    (text.replace('▸', ""), marked.first().copied().zip(marked.last().copied()))
}

/// Shows a position: its state, its reason, and the lines.
pub fn shown(position: &Position) -> String {
    let lines = position.site().and_then(|site| site.range).map(Range::span);
    let lines = lines.map(|span| format!(" {}-{}", span.first(), span.last())).unwrap_or_default();
    format!("{} {}{lines}", position.state(), position.reason())
}
