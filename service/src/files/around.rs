//! The files of one head, as suggestions are held against them.

use std::collections::HashMap;

use postil_core::git::{BlobId, RepoPath, TreeId, tree};
use postil_core::patch::FileMode;
use postil_protocol::{Fault, HeadName};

use crate::fault::OrFault as _;
use crate::files::contents::read_blob;
use crate::files::disk::{Disk, OnDisk};
use crate::request::{Request, commit_of};

/// The files of one head; each is looked at once.
pub(crate) struct Around<'a> {
    handle: &'a gix::Repository,
    disk: Option<Disk<'a>>,
    tree: Option<TreeId>,
    seen: HashMap<RepoPath, Option<Found>>,
}

/// A file of a head.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The name of its content.
    pub blob: BlobId,
    /// Its mode.
    pub mode: FileMode,
    /// Its content, where that is on disk alone.
    content: Option<Vec<u8>>,
}

impl<'a> Around<'a> {
    /// Looks at a head; `handle` is the repository's.
    pub fn of(request: &'a Request, handle: &'a gix::Repository, head: &HeadName) -> Result<Self, Fault> {
        let disk = match (head, request.work_tree.work_tree()) {
            (HeadName::WorkTree, Some(root)) => Some(Disk::open(root, handle)?),
            _ => None,
        };
        let tree = match commit_of(request, head)? {
            Some(commit) => Some(request.work_tree.tree_of(commit)?),
            None => None,
        };
        Ok(Self { handle, disk, tree, seen: HashMap::new() })
    }

    /// The files of the commit.
    pub fn tree(&self) -> Option<TreeId> {
        self.tree
    }

    /// The file at a path; `None` for what is no file, or none that can be read.
    pub fn at(&mut self, path: &RepoPath) -> Result<Option<Found>, Fault> {
        if let Some(found) = self.seen.get(path) {
            return Ok(found.clone());
        }
        let found = self.look(path)?;
        self.seen.insert(path.clone(), found.clone());
        Ok(found)
    }

    /// What a file holds; `None` where it is gone meanwhile.
    pub fn content(&self, found: &Found) -> Option<Vec<u8>> {
        match &found.content {
            Some(content) => Some(content.clone()),
            None => read_blob(self.handle, found.blob).ok(),
        }
    }

    fn look(&mut self, path: &RepoPath) -> Result<Option<Found>, Fault> {
        let committed = match self.tree {
            Some(tree) => tree::entry_at(self.handle, tree, path).or_fault()?,
            None => None,
        };
        let mode_then = committed
            .as_ref()
            .map(|entry| if entry.mode.is_executable() { FileMode::Executable } else { FileMode::Plain });
        let Some(disk) = &mut self.disk else {
            let file = committed.filter(|entry| entry.mode.is_blob());
            return Ok(file.zip(mode_then).map(|(entry, mode)| Found {
                blob: BlobId::from(entry.id.raw()),
                mode,
                content: None,
            }));
        };
        let Some(mode) = disk.mode(path) else { return Ok(None) };
        Ok(match disk.at(path)? {
            OnDisk::AsStaged(blob) => Some(Found { blob, mode, content: None }),
            OnDisk::Content(content) => {
                Some(Found { blob: disk.name_of(&content)?, mode, content: Some(content) })
            }
            OnDisk::Absent | OnDisk::Unreadable => None,
        })
    }
}
