//! Where comments are in files that are not committed: on disk, or in unsaved buffers.
//!
//! The files become a tree in memory, which is never stored. First it has only those files that comments are in, and
//! looking at those few is all that most requests cost. Only if a comment has to be looked for elsewhere, all files of
//! the work tree are looked at.

use std::collections::{BTreeSet, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;

use gix::objs::tree::{Editor, EntryKind};
use gix::objs::{Kind, Write as _};
use postil_core::anchoring::{Head, LocateError, LocateOptions, PartialTree, Position};
use postil_core::git::{RepoPath, TreeId};
use postil_core::record::{Basis, PositionEntry, PositionState};
use postil_protocol::Fault;

use crate::convert::fault::damaged;
use crate::files::head_files::FileKind;
use crate::files::{HeadEntry, HeadFiles};
use crate::positions::positions_at::{PositionsByThread, ThreadToLocate, entry, locate_all};
use crate::repository::hash_of::hash_of;
use crate::request::Request;

/// Where comments are in the files of a work tree.
#[derive(Debug)]
pub(crate) struct InFiles {
    /// All that were asked for.
    pub entries: PositionsByThread,
    /// Whether any file that matters differs from the commit.
    pub uncommitted: bool,
    /// How they differ, where they do.
    pub differing: Option<DifferingFiles>,
}

/// How files differ from a commit, and what that changes.
#[derive(Debug)]
pub(crate) struct DifferingFiles {
    /// The same for the same difference.
    pub hash: u64,
    /// Where those comments are that were looked for in these files.
    pub moved: PositionsByThread,
}

/// Goes on from where comments are in the commit to where they are in the files.
pub(crate) fn in_files(
    request: &Request,
    files: &HeadFiles<'_>,
    asked: &[ThreadToLocate<'_>],
    mut entries: PositionsByThread,
) -> Result<InFiles, Fault> {
    let mut known = HashSet::new();
    let mut differing = BTreeSet::new();
    for path in paths_that_matter(asked, &entries) {
        if files.differs(&path)? {
            differing.insert(path.clone());
        }
        known.insert(path);
    }
    let uncommitted = !differing.is_empty();
    if !uncommitted && files.commit().is_some() {
        return Ok(InFiles { entries, uncommitted, differing: None });
    }
    for path in attributes_of(&known) {
        if files.differs(&path)? {
            differing.insert(path.clone());
        }
        known.insert(path);
    }
    let stage = request.work_tree.repository().stage();
    let stage = stage.map_err(|error| damaged("could not read the objects", &error))?;
    let mut tree = write_tree(&stage, files, &differing)?;
    let partial = Arc::new(PartialTree::new(tree, known));
    let affected = affected(asked, &entries, &differing);
    let mut found = located(request, files, &stage, &affected, tree, Some(&partial))?;
    let mut searched = affected;
    if partial.was_left() {
        // Lines may have moved to any other file that was changed as well, also to one that git does not track yet.
        differing.extend(files.changed()?.iter().map(|changed| changed.path.clone()));
        // The search is the same for one thread as for all of them: a commented file may be ignored by git.
        let commented: BTreeSet<&RepoPath> =
            request.notes.threads.iter().filter_map(|thread| Some(&thread.anchor()?.path)).collect();
        for path in commented {
            if !differing.contains(path) && files.differs(path)? {
                differing.insert(path.clone());
            }
        }
        tree = write_tree(&stage, files, &differing)?;
        searched = self::affected(asked, &entries, &differing);
        found = located(request, files, &stage, &searched, tree, None)?;
    }
    let mut moved = PositionsByThread::new();
    for (asked, position) in searched.iter().zip(found) {
        let entry: Arc<PositionEntry> = entry(asked, &position, Basis::Blob).into();
        moved.insert(asked.id, entry.clone());
        entries.insert(asked.id, entry);
    }
    let differing = Some(DifferingFiles { hash: hash_of(&(tree, files.commit())), moved });
    Ok(InFiles { entries, uncommitted, differing })
}

/// The comments that files which differ from the commit may have moved.
fn affected<'a>(
    asked: &[ThreadToLocate<'a>],
    entries: &PositionsByThread,
    differing: &BTreeSet<RepoPath>,
) -> Vec<ThreadToLocate<'a>> {
    let is_affected = |asked: &&ThreadToLocate<'a>| {
        let Some(entry) = entries.get(&asked.id) else { return true };
        let touched = entry.path.iter().chain([&asked.anchor.path]).any(|path| differing.contains(path));
        touched || entry.state == PositionState::Orphaned
    };
    asked.iter().filter(is_affected).copied().collect()
}

fn located(
    request: &Request,
    files: &HeadFiles<'_>,
    stage: &gix::Repository,
    asked: &[ThreadToLocate<'_>],
    tree: TreeId,
    partial: Option<&Arc<PartialTree>>,
) -> Result<Vec<Result<Position, LocateError>>, Fault> {
    let repository = &request.repository;
    // Objects in memory are seen by one thread alone.
    let means = LocateOptions {
        threads: NonZeroUsize::MIN,
        maps: Some(repository.maps.clone()),
        stop: request.stop.clone(),
        partial: partial.cloned(),
    };
    locate_all(stage, &repository.written, asked, Head { tree, commit: files.commit() }, &means)
}

/// The files that comments are in, were in, or could be in.
fn paths_that_matter(asked: &[ThreadToLocate<'_>], entries: &PositionsByThread) -> BTreeSet<RepoPath> {
    let had = asked.iter().map(|asked| &asked.anchor.path);
    let have = entries.values().filter_map(|entry| entry.path.as_ref());
    // Thousands of comments are in the same few files.
    let paths: HashSet<&RepoPath> = had.chain(have).collect();
    paths.into_iter().cloned().collect()
}

/// The files that say what may be searched for in these.
fn attributes_of(paths: &HashSet<RepoPath>) -> BTreeSet<RepoPath> {
    let mut attributes = BTreeSet::new();
    for path in paths {
        let slashes =
            path.as_bytes().iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
        for folder in [0].into_iter().chain(slashes) {
            let file = [&path.as_bytes()[..folder], b".gitattributes"].concat();
            attributes.extend(RepoPath::new(file));
        }
    }
    attributes
}

/// Makes the tree of all files of a work tree, in the memory of `stage`: also of those that git does not track yet.
pub(crate) fn work_tree_tree(stage: &gix::Repository, files: &HeadFiles<'_>) -> Result<TreeId, Fault> {
    let changed = files.changed()?;
    write_tree(stage, files, &changed.iter().map(|changed| changed.path.clone()).collect())
}

/// Makes the tree of these files, in the memory of `stage`; all others are as they are committed.
fn write_tree(
    stage: &gix::Repository,
    files: &HeadFiles<'_>,
    differing: &BTreeSet<RepoPath>,
) -> Result<TreeId, Fault> {
    let failed = |error: gix::Error| damaged("could not create a tree from the files on disk", &error);
    let root = match files.tree() {
        Some(tree) => {
            stage.find_tree(tree.raw()).and_then(|tree| Ok(tree.decode()?.into())).map_err(failed)?
        }
        None => gix::objs::Tree::empty(),
    };
    let mut editor = Editor::new(root, &stage.objects, stage.object_hash());
    for path in differing {
        let parts = path.as_bytes().split(|byte| *byte == b'/').map(gix::bstr::BString::from);
        match files.at(path)? {
            HeadEntry::Unreadable => {}
            HeadEntry::Absent | HeadEntry::Folder => _ = editor.remove(parts).map_err(failed)?,
            HeadEntry::File(file) => {
                let content = file.in_memory();
                let blob = content.map(|content| stage.objects.write_buf(Kind::Blob, content));
                let blob = blob.transpose().map_err(failed)?.unwrap_or(file.blob.raw());
                let kind = match file.kind {
                    FileKind::Plain | FileKind::LeftOut => EntryKind::Blob,
                    FileKind::Executable => EntryKind::BlobExecutable,
                    FileKind::Link => EntryKind::Link,
                };
                editor.upsert(parts, kind, blob).map_err(failed)?;
            }
        }
    }
    let written = editor.write(|tree| stage.objects.write(tree));
    written.map(TreeId::from).map_err(failed)
}
