//! Which files of a work tree may differ from a commit: found by times, as `git status` does.
//!
//! What they hold is not compared here.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use gix::bstr::{BStr, BString, ByteSlice as _};
use gix::status::Submodule;
use gix::status::index_worktree::Item;
use postil_core::git::{RepoPath, TreeId};
use postil_protocol::Fault;

use super::disk::Disk;
use super::head_files::HeadEntry;
use crate::convert::fault::damaged;

/// So many files that git does not track are looked at; those with the first names.
pub(crate) const MAX_UNTRACKED: usize = 4_096;

/// A larger file that git does not track is looked at only if it may be a tracked one that was renamed as it was:
/// nothing is searched for in it.
const MAX_UNTRACKED_BYTES: u64 = 1 << 20;

/// A file that differs from the commit.
#[derive(Clone, Debug)]
pub(crate) struct ChangedFile {
    /// Where it is.
    pub path: RepoPath,
    /// What is there now.
    pub found: HeadEntry,
    /// Whether git tracks it.
    pub tracked: Tracked,
}

/// Whether git tracks a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracked {
    /// It does, or an editor has it open.
    Yes,
    /// Not yet; it does not ignore it either.
    No,
}

/// The files that may differ from a commit.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Whether git tracks each.
    pub files: BTreeMap<RepoPath, Tracked>,
    /// How many of those that git does not track were looked at.
    pub extent: Extent,
}

/// How many of the files that git does not track were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All that could be read.
    #[default]
    All,
    /// Only the first [`MAX_UNTRACKED`].
    First,
}

/// The files on disk, in the index and in the commit that may not all be the same.
pub(super) fn candidates(disk: &Disk<'_>, committed: Option<TreeId>) -> Result<Candidates, Fault> {
    let mut candidates = BTreeMap::new();
    let mut add = |path: &[u8], tracked: Tracked| {
        if let Some(path) = RepoPath::new(path) {
            candidates.entry(path).or_insert(tracked);
        }
    };
    let handle = disk.handle();
    let mut staged = Staged { index: disk.index(), handle, found: Vec::new() };
    staged.compare(staged.index.tree(), committed.map(TreeId::raw), &mut BString::default())?;
    staged.found.iter().for_each(|path| add(path, Tracked::Yes));
    let unreadable =
        |error: &(dyn std::error::Error + 'static)| damaged("could not read the working tree", error);
    let mut handle = handle.clone();
    handle.set_workdir(disk.root().to_owned()).map_err(|error| unreadable(&error))?;
    let every_file = gix::dir::walk::EmissionMode::Matching;
    let walk = handle.dirwalk_options().map_err(|error| unreadable(&error))?.emit_untracked(every_file);
    let changes = handle
        .status(gix::progress::Discard)
        .map_err(|error| unreadable(&error))?
        // Set explicitly: `status.showUntrackedFiles=no` is about the output of `git status`.
        .index_worktree_options_mut(|options| options.dirwalk_options = Some(walk))
        .index_worktree_submodules(Submodule::Given {
            ignore: gix::submodule::config::Ignore::All,
            check_dirty: false,
        })
        .into_index_worktree_iter(Vec::<BString>::new())
        .map_err(|error| unreadable(&error))?;
    let (mut untracked, mut large, mut gone) = (Vec::new(), Vec::new(), HashSet::new());
    for change in changes {
        let change = match change {
            Ok(change) => change,
            Err(error) => {
                // A folder or a file that this user may not read, or that went meanwhile, ends the walk. Then every file
                // counts whose times are not those of the index, and none that git does not track.
                tracing::debug!(%error, "could not read all files of the working tree");
                disk.not_as_staged().iter().for_each(|path| add(path, Tracked::Yes));
                break;
            }
        };
        match change {
            Item::Modification { rela_path, .. } => {
                if on_disk(disk, rela_path.as_bstr()).is_none() {
                    gone.extend(disk.index().entry_by_path(rela_path.as_bstr()).map(|entry| entry.stat.size));
                }
                add(&rela_path, Tracked::Yes);
            }
            Item::DirectoryContents { entry, .. } => match on_disk(disk, entry.rela_path.as_bstr()) {
                Some(found) if !found.is_file() => {}
                Some(found) if found.len() <= MAX_UNTRACKED_BYTES => untracked.push(entry.rela_path),
                Some(found) => large.push((found.len(), entry.rela_path)),
                None => {}
            },
            Item::Rewrite { .. } => {}
        }
    }
    // The index knows the size of a file that was renamed, up to 4 GiB.
    let may_be_renamed = |size: u64| u32::try_from(size).is_ok_and(|size| gone.contains(&size));
    untracked.extend(large.into_iter().filter(|(size, _)| may_be_renamed(*size)).map(|(_, path)| path));
    untracked.sort();
    untracked.iter().take(MAX_UNTRACKED).for_each(|path| add(path, Tracked::No));
    let extent = if untracked.len() > MAX_UNTRACKED { Extent::First } else { Extent::All };
    Ok(Candidates { files: candidates, extent })
}

fn on_disk(disk: &Disk<'_>, path: &BStr) -> Option<fs::Metadata> {
    fs::symlink_metadata(disk.root().join(gix::path::from_bstr(path).ok()?)).ok()
}

/// Compares the index with a tree; folders that the index knows to be the same are passed over.
struct Staged<'a> {
    index: &'a gix::index::State,
    handle: &'a gix::Repository,
    found: Vec<BString>,
}

impl Staged<'_> {
    fn compare(
        &mut self,
        known: Option<&gix::index::extension::Tree>,
        tree: Option<gix::ObjectId>,
        folder: &mut BString,
    ) -> Result<(), Fault> {
        if known.is_some_and(|known| known.num_entries.is_some() && Some(known.id) == tree) {
            return Ok(());
        }
        let mut committed = self.entries(tree)?;
        let index = self.index;
        let all = index.entries();
        let range = if folder.is_empty() {
            0..all.len()
        } else {
            index.prefixed_entries_range(folder.as_bstr()).unwrap_or(0..0)
        };
        let mut at = range.start;
        while at < range.end {
            let path = all[at].path(index);
            let name = &path[folder.len()..];
            if let Some(end) = name.find_byte(b'/') {
                let name = name[..end].as_bstr();
                if all[at].mode == gix::index::entry::Mode::DIR {
                    // A sparse index has the folder alone, as it is committed.
                    committed.remove(name);
                    at += 1;
                    continue;
                }
                let below = folder.len();
                folder.extend_from_slice(&path[below..=below + end]);
                let subtree = committed.remove(name).filter(|(mode, _)| mode.is_tree()).map(|(_, id)| id);
                let known =
                    known.and_then(|known| known.children.iter().find(|child| child.name[..] == name[..]));
                self.compare(known, subtree, folder)?;
                at = index.prefixed_entries_range(folder.as_bstr()).map_or(at + 1, |below| below.end);
                folder.truncate(below);
                continue;
            }
            let same = committed
                .remove(name.as_bstr())
                .is_some_and(|(mode, id)| !mode.is_tree() && id == all[at].id && all[at].stage_raw() == 0);
            if !same && all[at].mode != gix::index::entry::Mode::COMMIT {
                self.found.push(path.to_owned());
            }
            at += 1;
        }
        for (name, (mode, id)) in committed {
            let length = folder.len();
            folder.extend_from_slice(&name);
            if mode.is_tree() {
                folder.push(b'/');
                self.compare(None, Some(id), folder)?;
            } else if !mode.is_commit() {
                self.found.push(folder.clone());
            }
            folder.truncate(length);
        }
        Ok(())
    }

    fn entries(
        &self,
        tree: Option<gix::ObjectId>,
    ) -> Result<BTreeMap<BString, (gix::objs::tree::EntryMode, gix::ObjectId)>, Fault> {
        let Some(tree) = tree else { return Ok(BTreeMap::new()) };
        let unreadable =
            |error: &(dyn std::error::Error + 'static)| damaged("could not read the committed files", error);
        let tree = self.handle.find_tree(tree).map_err(|error| unreadable(&error))?;
        let mut entries = BTreeMap::new();
        for entry in tree.iter() {
            let entry = entry.map_err(|error| unreadable(&error))?;
            entries.insert(entry.filename().to_owned(), (entry.mode(), entry.oid().to_owned()));
        }
        Ok(entries)
    }
}
