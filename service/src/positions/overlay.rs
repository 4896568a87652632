//! What is not committed: the files on disk as a tree, and where comments are in it.
//!
//! The tree is made in memory and never stored. It is made only where a file that matters differs from the commit:
//! looking at those few files is all that a clean work tree costs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::num::NonZeroUsize;

use gix::objs::tree::{Editor, EntryKind};
use gix::objs::{Kind, Write as _};
use postil_core::anchoring::{Head, Means, Stop};
use postil_core::git::{BlobId, CommitId, RepoPath, TreeId, tree};
use postil_core::record::{Basis, Entry, State};
use postil_protocol::Fault;

use crate::fault::{OrFault as _, damaged};
use crate::files::disk::{Disk, OnDisk};
use crate::lists::kept::Ground;
use crate::positions::positions_at::{Asked, Entries, entry, locate_all};
use crate::repository::RepositoryState;
use crate::work_tree::WorkTree;

/// How a file on disk differs from the commit.
#[derive(Debug)]
enum Difference {
    Removed,
    Is(Vec<u8>),
    Staged(BlobId),
}

/// Where comments are in the files on disk, where those differ from the commit in what matters.
#[derive(Debug)]
pub(crate) struct Overlaid {
    /// All that were asked for.
    pub entries: Entries,
    /// Whether any file that matters differs from the commit.
    pub uncommitted: bool,
    /// What of the files on disk that rests on.
    pub ground: Ground,
}

/// Goes on from where comments are at `head` to where they are in the files on disk.
pub(crate) fn overlay(
    repository: &RepositoryState,
    work_tree: &WorkTree,
    head: Option<CommitId>,
    asked: &[Asked<'_>],
    mut entries: Entries,
    stop: &Stop,
) -> Result<Overlaid, Fault> {
    let Some(root) = work_tree.work_tree() else {
        return Ok(Overlaid { entries, uncommitted: false, ground: Ground::Commit });
    };
    let handle = work_tree.repository().handle();
    let mut disk = Disk::open(root, &handle)?;
    let committed = head.map(|head| work_tree.tree_of(head)).transpose()?;
    let mut differing: BTreeMap<RepoPath, Difference> = BTreeMap::new();
    let mut same = Vec::new();
    for path in paths_that_matter(asked, &entries) {
        let entry = committed.map_or(Ok(None), |tree| tree::entry_at(&handle, tree, &path)).or_fault()?;
        match difference(&mut disk, entry, &path)? {
            Some(difference) => _ = differing.insert(path, difference),
            None => same.push((path, entry)),
        }
    }
    let uncommitted = !differing.is_empty();
    if !uncommitted && head.is_some() {
        return Ok(Overlaid { entries, uncommitted, ground: Ground::Committed(same) });
    }
    if uncommitted {
        // Lines may have moved to any other file that was changed as well.
        for (path, entry) in tracked(&disk, &handle, committed)? {
            if !differing.contains_key(&path)
                && let Some(difference) = difference(&mut disk, entry, &path)?
            {
                differing.insert(path, difference);
            }
        }
    }
    let stage =
        work_tree.repository().stage().map_err(|error| damaged("could not read the objects", &error))?;
    let on_disk = write_tree(&stage, committed, &differing)?;
    let affected = |asked: &&Asked<'_>| {
        let Some(entry) = entries.get(&asked.id) else { return true };
        let touched = entry.path.iter().chain([&asked.anchor.path]).any(|path| differing.contains_key(path));
        touched || entry.state == State::Orphaned
    };
    let affected: Vec<Asked<'_>> = asked.iter().filter(affected).copied().collect();
    // Objects in memory are seen by one thread alone.
    let means = Means { threads: NonZeroUsize::MIN, maps: Some(repository.maps.clone()), stop: stop.clone() };
    let found =
        locate_all(&stage, &repository.written, &affected, Head { tree: on_disk, commit: head }, &means)?;
    for (asked, position) in affected.iter().zip(found) {
        let entry: Entry = entry(asked, &position, Basis::Blob);
        entries.insert(asked.id, entry.into());
    }
    Ok(Overlaid { entries, uncommitted, ground: Ground::Unsettled })
}

/// Whether these files are on disk as they were committed.
pub(crate) fn still_committed(
    work_tree: &WorkTree,
    files: &[(RepoPath, Option<tree::Entry>)],
) -> Result<bool, Fault> {
    let Some(root) = work_tree.work_tree() else { return Ok(true) };
    let handle = work_tree.repository().handle();
    let mut disk = Disk::open(root, &handle)?;
    for (path, entry) in files {
        if difference(&mut disk, *entry, path)?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The files on disk that differ from the commit, as far as git tracks them.
pub(crate) fn changed_files(
    work_tree: &WorkTree,
    head: Option<CommitId>,
) -> Result<BTreeSet<RepoPath>, Fault> {
    let Some(root) = work_tree.work_tree() else { return Ok(BTreeSet::new()) };
    let handle = work_tree.repository().handle();
    let mut disk = Disk::open(root, &handle)?;
    let committed = head.map(|head| work_tree.tree_of(head)).transpose()?;
    let mut changed = BTreeSet::new();
    for (path, entry) in tracked(&disk, &handle, committed)? {
        if difference(&mut disk, entry, &path)?.is_some() {
            changed.insert(path);
        }
    }
    Ok(changed)
}

/// The files that are staged or committed, each with what is committed.
fn tracked(
    disk: &Disk<'_>,
    handle: &gix::Repository,
    committed: Option<TreeId>,
) -> Result<BTreeMap<RepoPath, Option<tree::Entry>>, Fault> {
    let mut files: BTreeMap<RepoPath, Option<tree::Entry>> =
        disk.staged().into_iter().map(|path| (path, None)).collect();
    if let Some(committed) = committed {
        let entries = tree::list(handle, committed).or_fault()?.entries;
        files.extend(entries.into_iter().map(|(path, entry)| (path, Some(entry))));
    }
    Ok(files)
}

/// The files that comments are in, were in, or could be in.
fn paths_that_matter(asked: &[Asked<'_>], entries: &Entries) -> BTreeSet<RepoPath> {
    let had = asked.iter().map(|asked| &asked.anchor.path);
    let have = entries.values().filter_map(|entry| entry.path.as_ref());
    // Thousands of comments are in the same few files.
    let paths: HashSet<&RepoPath> = had.chain(have).collect();
    paths.into_iter().cloned().collect()
}

/// How the file at a path differs from what is committed there.
fn difference(
    disk: &mut Disk<'_>,
    committed: Option<tree::Entry>,
    path: &RepoPath,
) -> Result<Option<Difference>, Fault> {
    if committed.is_some_and(|entry| entry.mode.is_commit()) {
        // A submodule is somebody else's repository.
        return Ok(None);
    }
    let before = committed.filter(|entry| !entry.mode.is_tree()).map(|entry| BlobId::from(entry.id.raw()));
    Ok(match disk.at(path)? {
        OnDisk::Unreadable => None,
        OnDisk::Absent => before.map(|_| Difference::Removed),
        OnDisk::AsStaged(blob) => (before != Some(blob)).then_some(Difference::Staged(blob)),
        OnDisk::Content(content) => {
            (before != Some(disk.name_of(&content)?)).then_some(Difference::Is(content))
        }
    })
}

/// Makes the tree of the files on disk, in the memory of `stage`.
fn write_tree(
    stage: &gix::Repository,
    committed: Option<TreeId>,
    differing: &BTreeMap<RepoPath, Difference>,
) -> Result<TreeId, Fault> {
    let failed = |error: gix::Error| damaged("could not make a tree of the files on disk", &error);
    let root = match committed {
        Some(tree) => {
            stage.find_tree(tree.raw()).and_then(|tree| Ok(tree.decode()?.into())).map_err(failed)?
        }
        None => gix::objs::Tree::empty(),
    };
    let mut editor = Editor::new(root, &stage.objects, stage.object_hash());
    for (path, difference) in differing {
        let parts = path.as_bytes().split(|byte| *byte == b'/').map(gix::bstr::BString::from);
        let blob = match difference {
            Difference::Removed => {
                editor.remove(parts).map_err(failed)?;
                continue;
            }
            Difference::Is(content) => stage.objects.write_buf(Kind::Blob, content).map_err(failed)?,
            Difference::Staged(blob) => blob.raw(),
        };
        editor.upsert(parts, EntryKind::Blob, blob).map_err(failed)?;
    }
    let written = editor.write(|tree| stage.objects.write(tree));
    written.map(TreeId::from).map_err(failed)
}
