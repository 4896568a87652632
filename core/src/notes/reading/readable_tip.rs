//! Finds the newest notes that can be read, if the commit or the tree at the tip of the notes cannot.
//!
//! A power loss, a full disk or a `git gc` of another tool can leave a ref that points to nothing. Older states of the
//! notes are recorded in several places: the parents of the commit, the reflog, the ref and the file of the last
//! checked tip, and the refs of what was fetched. Nothing is written here.

use std::collections::BTreeSet;

use crate::git::tree::{self, TreeDamage};
use crate::git::{CommitId, ObjectId, Repository, TreeId, history, last_moves};
use crate::notes::refs;
use crate::notes::writing::ref_backup::RefBackup;

/// How many commits are tried, at most.
const MAX_TRIED: usize = 4096;

/// How many moves of the reflog are looked at, at most.
const MAX_MOVES: usize = 1024;

/// The notes to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TipToRead {
    /// The commit; `None` if there is none.
    pub commit: Option<CommitId>,
    /// The tip of the notes, if it cannot be read and `commit` is an older one.
    pub unreadable: Option<CommitId>,
}

/// Returns the tree of a notes commit, or the object that cannot be read: the commit, or the tree itself.
///
/// What is below the tree is not looked at.
pub(in crate::notes) fn readable_tree(
    handle: &gix::Repository,
    commit: CommitId,
) -> Result<TreeId, ObjectId> {
    let tree = history::commit(handle, commit).map_err(|_| ObjectId::from(commit))?.tree;
    let is_readable = handle.find_tree(tree.raw()).is_ok_and(|tree| tree.iter().all(|entry| entry.is_ok()));
    if is_readable { Ok(tree) } else { Err(tree.raw().into()) }
}

/// Returns the parts of a notes commit that cannot be read: the commit, its tree, or trees below that.
///
/// Costs reading every tree.
pub(in crate::notes) fn unreadable_parts(handle: &gix::Repository, commit: CommitId) -> Vec<ObjectId> {
    let tree = match readable_tree(handle, commit) {
        Ok(tree) => tree,
        Err(object) => return vec![object],
    };
    let listing = tree::list(handle, tree);
    listing.map_or_else(
        |_| vec![tree.raw().into()],
        |listing| listing.damage.iter().filter_map(TreeDamage::unreadable).collect(),
    )
}

/// How much of the notes at a commit has to be readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::notes) enum ReadableExtent {
    /// The commit and its tree.
    Top,
    /// All trees.
    Whole,
}

/// Whether a commit can be read and may hold notes.
fn holds_notes(handle: &gix::Repository, commit: CommitId, extent: ReadableExtent) -> bool {
    let tree = readable_tree(handle, commit).ok().and_then(|tree| handle.find_tree(tree.raw()).ok());
    tree.is_some_and(|tree| may_hold_notes(&tree))
        && (extent == ReadableExtent::Top || unreadable_parts(handle, commit).is_empty())
}

/// Whether a tree may be one of notes: they are named by the objects that they are about, and nothing else is there
/// without any.
pub(in crate::notes) fn may_hold_notes(tree: &gix::Tree<'_>) -> bool {
    let mut names = tree.iter().filter_map(Result::ok).map(|entry| entry.filename().to_owned()).peekable();
    names.peek().is_none() || names.any(|name| name.iter().all(u8::is_ascii_hexdigit))
}

/// Returns the newest notes that can be read, for a tip that cannot.
///
/// Goes from each commit to its parents as far as the commits can be read.
pub(in crate::notes) fn newest_readable(
    repo: &Repository,
    handle: &gix::Repository,
    tip: CommitId,
    extent: ReadableExtent,
) -> Option<CommitId> {
    let mut tried = BTreeSet::new();
    for start in std::iter::once(tip).chain(recorded_tips(repo)) {
        let mut next = vec![start];
        while let Some(commit) = next.pop() {
            if tried.len() >= MAX_TRIED || !tried.insert(commit) {
                continue;
            }
            if holds_notes(handle, commit, extent) {
                return Some(commit);
            }
            let parents = history::commit(handle, commit).map(|found| found.parents).unwrap_or_default();
            next.extend(parents.into_iter().rev());
        }
    }
    None
}

/// Where the notes have been, as far as that was recorded, the most likely first.
fn recorded_tips(repo: &Repository) -> Vec<CommitId> {
    let moves = last_moves(repo.common_dir(), &refs::name(refs::NOTES), MAX_MOVES);
    let mut tips: Vec<CommitId> = moves.iter().flat_map(|moved| [moved.to, moved.from]).flatten().collect();
    let known = repo.read_ref(&refs::name(refs::KNOWN)).ok().flatten();
    tips.extend(known.map(|id| CommitId::from(id.raw())));
    tips.extend(RefBackup::before(repo, refs::KNOWN));
    let fetched = repo.list_refs(refs::REMOTES).map(|list| list.refs).unwrap_or_default();
    tips.extend(fetched.into_iter().map(|(_, id)| CommitId::from(id.raw())));
    tips
}
