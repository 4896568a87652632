//! The files of a head: on disk, or in a commit.

use postil_core::git::{BlobId, RepoPath, TreeId, tree};
use postil_protocol::{Fault, HeadName};

use crate::fault::{OrFault as _, damaged};
use crate::files::disk::{Disk, OnDisk};
use crate::request::{Request, commit_of};

/// The files of one head, which is looked at once.
pub(crate) struct Contents<'a> {
    handle: &'a gix::Repository,
    disk: Option<Disk<'a>>,
    tree: Option<TreeId>,
}

impl<'a> Contents<'a> {
    /// Those of a head; `handle` is one of the request's repository.
    pub fn of(request: &'a Request, handle: &'a gix::Repository, head: &HeadName) -> Result<Self, Fault> {
        let tree = commit_of(request, head)?.map(|commit| request.work_tree.tree_of(commit)).transpose()?;
        let root = request.work_tree.work_tree().filter(|_| *head == HeadName::WorkTree);
        let disk = root.map(|root| Disk::open(root, handle)).transpose()?;
        Ok(Self { handle, disk, tree })
    }

    /// What a file holds; `None` where it is not there.
    pub fn read(&mut self, path: &RepoPath) -> Result<Option<Vec<u8>>, Fault> {
        if let Some(disk) = &mut self.disk {
            match disk.at(path)? {
                OnDisk::Content(content) => return Ok(Some(content)),
                OnDisk::AsStaged(blob) => return read_blob(self.handle, blob).map(Some),
                OnDisk::Absent => return Ok(None),
                OnDisk::Unreadable => {}
            }
        }
        let Some(tree) = self.tree else { return Ok(None) };
        let entry = tree::entry_at(self.handle, tree, path).or_fault()?;
        match entry.filter(|entry| entry.mode.is_blob_or_symlink()) {
            Some(entry) => read_blob(self.handle, BlobId::from(entry.id.raw())).map(Some),
            None => Ok(None),
        }
    }
}

/// The content of a blob.
pub(crate) fn read_blob(handle: &gix::Repository, blob: BlobId) -> Result<Vec<u8>, Fault> {
    let found = handle.find_object(blob.raw());
    found.map(|found| found.detach().data).map_err(|error| damaged(format!("could not read {blob}"), &error))
}
