//! The files of one head: in a commit, on disk, or in unsaved buffers on top of what is on disk.
//!
//! Every read of a file of a head goes through here, and each is recorded, so that it is known what an answer
//! depends on. A path may come from other people's notes; `disk` decides which paths are read at all.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use postil_core::git::{BlobId, CommitId, RepoPath, TreeId, tree};
use postil_core::patch::FileMode;
use postil_protocol::{Fault, FaultCode, HeadName};

use super::buffers::Buffers;
use super::changed::{self, ChangedFile, Extent};
use super::disk::{Disk, DiskFile, OnDisk};
use crate::convert::fault::{OrFault as _, damaged};
use crate::request::{Request, commit_of};

/// The files of one head, each looked at once.
pub(crate) struct HeadFiles<'a> {
    name: HeadName,
    commit: Option<CommitId>,
    tree: Option<TreeId>,
    handle: &'a gix::Repository,
    root: Option<&'a Path>,
    disk: OnceCell<RefCell<Disk<'a>>>,
    buffers: &'a Buffers,
    seen: RefCell<BTreeMap<RepoPath, HeadEntry>>,
    changed: OnceCell<UncommittedFiles>,
}

/// The files that differ from the commit.
#[derive(Clone, Debug)]
struct UncommittedFiles {
    files: Rc<[ChangedFile]>,
    extent: Extent,
}

/// What is at a path of a head.
#[derive(Clone, Debug)]
pub(crate) enum HeadEntry {
    /// Nothing.
    Absent,
    /// A folder.
    Folder,
    /// A device, or something that is too large or may not be read.
    Unreadable,
    /// A file or a link.
    File(HeadFile),
}

/// A file of a head.
#[derive(Clone, Debug)]
pub(crate) struct HeadFile {
    /// The name of its content.
    pub blob: BlobId,
    /// What it is.
    pub kind: FileKind,
    /// Its content, if that is in no object.
    content: Option<Rc<[u8]>>,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FileKind {
    /// A file.
    Plain,
    /// A program.
    Executable,
    /// A link; its content is where it leads.
    Link,
    /// A file that the index has and a sparse checkout left out.
    LeftOut,
}

/// What was at a path when it was looked at, to be compared with what is there later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PathState {
    /// Nothing.
    Absent,
    /// A folder.
    Folder,
    /// Something that cannot be read.
    Unreadable,
    /// A file with this content.
    File(BlobId, FileKind),
}

/// What of the files of a head an answer rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FilesBasis {
    /// What was looked at; nothing for a commit, whose files do not change.
    files: BTreeMap<RepoPath, PathState>,
    /// All files that differed from the commit, if all of them counted.
    changed: Option<Vec<(RepoPath, PathState)>>,
    /// Whether that is all of them.
    extent: Extent,
}

impl HeadFile {
    /// A file or link that is committed.
    fn of(entry: tree::TreeEntry) -> Self {
        let kind = match () {
            () if entry.mode.is_link() => FileKind::Link,
            () if entry.mode.is_executable() => FileKind::Executable,
            () => FileKind::Plain,
        };
        Self { blob: BlobId::from(entry.id.raw()), kind, content: None }
    }

    /// Its content, if that is in no object.
    pub fn in_memory(&self) -> Option<&[u8]> {
        self.content.as_deref()
    }

    /// Its mode; `None` for what is not a plain file on disk.
    pub fn mode(&self) -> Option<FileMode> {
        match self.kind {
            FileKind::Plain => Some(FileMode::Plain),
            FileKind::Executable => Some(FileMode::Executable),
            FileKind::Link | FileKind::LeftOut => None,
        }
    }
}

impl HeadEntry {
    /// The file, if there is one.
    pub fn file(self) -> Option<HeadFile> {
        match self {
            Self::File(file) => Some(file),
            Self::Absent | Self::Folder | Self::Unreadable => None,
        }
    }

    /// What is remembered of it.
    pub fn state(&self) -> PathState {
        match self {
            Self::Absent => PathState::Absent,
            Self::Folder => PathState::Folder,
            Self::Unreadable => PathState::Unreadable,
            Self::File(file) => PathState::File(file.blob, file.kind),
        }
    }
}

impl<'a> HeadFiles<'a> {
    /// Looks at a head as this request sees it; unsaved buffers count in the work tree.
    pub fn of(request: &'a Request, head: &HeadName) -> Result<Self, Fault> {
        let commit = commit_of(request, head)?;
        let tree = commit.map(|commit| request.work_tree.tree_of(commit)).transpose()?;
        let handle = &request.handle;
        let root = request.work_tree.work_tree().filter(|_| *head == HeadName::WorkTree);
        let (disk, seen, changed) = (OnceCell::new(), RefCell::default(), OnceCell::new());
        let (name, buffers) = (head.clone(), &request.buffers);
        Ok(Self { name, commit, tree, handle, root, disk, buffers, seen, changed })
    }

    /// No files at all: what is before the first commit.
    pub fn none(request: &'a Request) -> Self {
        let (disk, seen, changed) = (OnceCell::new(), RefCell::default(), OnceCell::new());
        let (name, handle, buffers) = (HeadName::Rev(String::new()), &request.handle, &request.buffers);
        Self { name, commit: None, tree: None, handle, root: None, disk, buffers, seen, changed }
    }

    /// What the head is called.
    pub fn name(&self) -> &HeadName {
        &self.name
    }

    /// The commit that it is, or is made upon.
    pub fn commit(&self) -> Option<CommitId> {
        self.commit
    }

    /// The files of that commit.
    pub fn tree(&self) -> Option<TreeId> {
        self.tree
    }

    /// Whether files on disk or in buffers count.
    pub fn is_work_tree(&self) -> bool {
        self.root.is_some()
    }

    /// Takes note of what a commit has at a path, so that its trees are not read for it again.
    pub fn note(&self, path: &RepoPath, entry: tree::TreeEntry) {
        if self.root.is_none() && entry.mode.is_blob_or_symlink() {
            self.seen
                .borrow_mut()
                .entry(path.clone())
                .or_insert_with(|| HeadEntry::File(HeadFile::of(entry)));
        }
    }

    /// What is at a path.
    pub fn at(&self, path: &RepoPath) -> Result<HeadEntry, Fault> {
        if let Some(found) = self.seen.borrow().get(path) {
            return Ok(found.clone());
        }
        let found = self.read_entry(path)?;
        self.seen.borrow_mut().insert(path.clone(), found.clone());
        Ok(found)
    }

    /// The plain file at a path, if there is one.
    pub fn plain(&self, path: &RepoPath) -> Result<Option<HeadFile>, Fault> {
        Ok(self.at(path)?.file().filter(|file| file.mode().is_some()))
    }

    /// What a file or link holds; where something unreadable is on disk, what is committed there.
    pub fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, Fault> {
        let found = match self.at(path)? {
            HeadEntry::Unreadable => self.in_tree(path)?,
            found => found,
        };
        found.file().map(|file| self.content(&file)).transpose()
    }

    /// Whether there is a file or link that could be read.
    pub fn is_there(&self, path: &RepoPath) -> Result<bool, Fault> {
        Ok(match self.at(path)? {
            HeadEntry::Unreadable => self.in_tree(path)?.file().is_some(),
            found => found.file().is_some(),
        })
    }

    /// What a file holds.
    pub fn content(&self, file: &HeadFile) -> Result<Vec<u8>, Fault> {
        match &file.content {
            Some(content) => Ok(content.to_vec()),
            None => read_blob(self.handle, file.blob),
        }
    }

    /// What the commit has at a path.
    pub fn committed(&self, path: &RepoPath) -> Result<Option<tree::TreeEntry>, Fault> {
        self.tree.map_or(Ok(None), |tree| tree::entry_at(self.handle, tree, path)).or_fault()
    }

    /// Whether git ignores the file at a path.
    pub fn is_ignored(&self, path: &RepoPath) -> Result<bool, Fault> {
        self.disk()?.map_or(Ok(false), |disk| disk.borrow().is_ignored(path))
    }

    /// Whether what is at a path is not what is committed there; unreadable things count as committed.
    pub fn differs(&self, path: &RepoPath) -> Result<bool, Fault> {
        let committed = self.committed(path)?;
        if committed.is_some_and(|entry| entry.mode.is_commit()) {
            // A submodule is a separate repository.
            return Ok(false);
        }
        let before =
            committed.filter(|entry| !entry.mode.is_tree()).map(|entry| BlobId::from(entry.id.raw()));
        Ok(match self.at(path)? {
            HeadEntry::Unreadable => false,
            HeadEntry::Absent | HeadEntry::Folder => before.is_some(),
            HeadEntry::File(file) => before != Some(file.blob),
        })
    }

    /// All files that differ from the commit: tracked, not tracked yet and not ignored, or in a buffer.
    ///
    /// Costs a look at every file of the work tree, once.
    pub fn changed(&self) -> Result<Rc<[ChangedFile]>, Fault> {
        if let Some(changed) = self.changed.get() {
            return Ok(Rc::clone(&changed.files));
        }
        let (mut changed, mut extent) = (Vec::new(), Extent::All);
        if let Some(disk) = self.disk()? {
            let found = changed::candidates(&disk.borrow(), self.tree)?;
            extent = found.extent;
            let mut candidates = found.files;
            for path in self.buffers.paths() {
                candidates.entry(path.clone()).or_insert(changed::Tracked::Yes);
            }
            for (path, tracked) in candidates {
                // What is only searched in is not worth starting a program for each file.
                if tracked == changed::Tracked::No && disk.borrow_mut().has_filter(&path)? {
                    continue;
                }
                if self.differs(&path)? {
                    changed.push(ChangedFile { found: self.at(&path)?, path, tracked });
                }
            }
        }
        let changed = UncommittedFiles { files: changed.into(), extent };
        Ok(Rc::clone(&self.changed.get_or_init(|| changed).files))
    }

    /// How many of the files that git does not track were looked at, if any were.
    pub fn extent(&self) -> Extent {
        self.changed.get().map_or(Extent::All, |changed| changed.extent)
    }

    /// The very bytes of a file that may be written over, with the form that git would store them in.
    ///
    /// An unsaved buffer is what the editor would write. Fails for what no file may be written over.
    pub fn to_change(&self, path: &RepoPath) -> Result<Option<DiskFile>, Fault> {
        let disk = self.changeable()?;
        match self.buffers.text(path) {
            Some(text) => disk.borrow_mut().file_as_if(path, text.as_bytes()).map(Some),
            None => disk.borrow_mut().file(path),
        }
    }

    /// The bytes that git would check out for this content.
    pub fn as_checked_out(&self, content: &[u8], path: &RepoPath) -> Result<Vec<u8>, Fault> {
        self.changeable()?.borrow_mut().as_checked_out(content, path)
    }

    /// What the answer that was made with these files rests on.
    pub fn basis(&self) -> FilesBasis {
        if self.root.is_none() {
            return FilesBasis::default();
        }
        let files = self.seen.borrow().iter().map(|(path, found)| (path.clone(), found.state())).collect();
        let changed = self.changed.get().map(|changed| states(&changed.files));
        FilesBasis { files, changed, extent: self.extent() }
    }

    /// Whether all that an earlier answer rested on is still so.
    pub fn agree_with(&self, basis: &FilesBasis) -> Result<bool, Fault> {
        for (path, look) in &basis.files {
            if self.at(path)?.state() != *look {
                return Ok(false);
            }
        }
        Ok(match &basis.changed {
            Some(then) => states(&self.changed()?) == *then && self.extent() == basis.extent,
            None => true,
        })
    }

    /// Fails if there is no work tree whose files could be changed.
    pub fn must_be_changeable(&self) -> Result<(), Fault> {
        self.changeable().map(drop)
    }

    fn changeable(&self) -> Result<&RefCell<Disk<'a>>, Fault> {
        let none = || Fault::new(FaultCode::Refused, "this repository has no working tree");
        self.disk()?.ok_or_else(none)
    }

    /// The files on disk, if they count; the index is read when they are first looked at.
    fn disk(&self) -> Result<Option<&RefCell<Disk<'a>>>, Fault> {
        let Some(root) = self.root else { return Ok(None) };
        if let Some(disk) = self.disk.get() {
            return Ok(Some(disk));
        }
        let disk = RefCell::new(Disk::open(root, self.handle)?);
        Ok(Some(self.disk.get_or_init(|| disk)))
    }

    fn read_entry(&self, path: &RepoPath) -> Result<HeadEntry, Fault> {
        let Some(disk) = self.disk()? else { return self.in_tree(path) };
        let mut disk = disk.borrow_mut();
        if let Some(text) = self.buffers.text(path) {
            let content = disk.buffer_as_git(text.as_bytes(), path)?;
            let kind = disk.mode(path).map_or(FileKind::Plain, FileKind::from);
            return Ok(HeadEntry::File(HeadFile {
                blob: disk.name_of(&content)?,
                kind,
                content: Some(content.into()),
            }));
        }
        Ok(match disk.at(path)? {
            OnDisk::Absent => HeadEntry::Absent,
            OnDisk::Folder => HeadEntry::Folder,
            OnDisk::Unreadable => HeadEntry::Unreadable,
            OnDisk::AsStaged(blob, kind) => HeadEntry::File(HeadFile { blob, kind, content: None }),
            OnDisk::Content(content, kind) => HeadEntry::File(HeadFile {
                blob: disk.name_of(&content)?,
                kind,
                content: Some(content.into()),
            }),
        })
    }

    fn in_tree(&self, path: &RepoPath) -> Result<HeadEntry, Fault> {
        let entry = self.committed(path)?.filter(|entry| entry.mode.is_blob_or_symlink());
        Ok(entry.map_or(HeadEntry::Absent, |entry| HeadEntry::File(HeadFile::of(entry))))
    }
}

impl From<FileMode> for FileKind {
    fn from(mode: FileMode) -> Self {
        match mode {
            FileMode::Executable => Self::Executable,
            FileMode::Symlink => Self::Link,
            FileMode::Plain | FileMode::Submodule => Self::Plain,
        }
    }
}

fn states(changed: &[ChangedFile]) -> Vec<(RepoPath, PathState)> {
    changed.iter().map(|file| (file.path.clone(), file.found.state())).collect()
}

/// The content of a blob.
pub(crate) fn read_blob(handle: &gix::Repository, blob: BlobId) -> Result<Vec<u8>, Fault> {
    let found = handle.find_object(blob.raw());
    found.map(|found| found.detach().data).map_err(|error| damaged(format!("could not read {blob}"), &error))
}
