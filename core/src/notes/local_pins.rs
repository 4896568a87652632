//! Blobs that are kept here only, until git has published them.
//!
//! `refs/postil/pins` leads to a tree of `<commit>/<blob>`, or `uncommitted/<blob>`: what is shared
//! is decided by where git has pushed the commit, never by us.

use std::collections::BTreeSet;

use gix::bstr::BString;
use gix::objs::tree::EntryKind;

use super::addition::Addition;
use super::batch::Pin;
use super::pages::read_blob;
use super::session::Session;
use super::staged::{edit_tree, put_blob, put_tree};
use super::upkeep::Upkeep;
use super::{Committer, NotesError, Store, refs};
use crate::git::tree::{self, Entry};
use crate::git::{BlobId, CommitId, Durability, TreeId, blobs_published, published};

/// What the commits of the ref say.
const KEEPING: &str = "Keep blobs that git has not published";

/// The directory of blobs that were not committed when they were commented on.
const UNCOMMITTED: &str = "uncommitted";

impl Store {
    /// Shares the blobs that git has published since they were commented on.
    ///
    /// Returns how many. Costs one walk over the tracking branches, and nothing if no blob waits.
    pub fn promote_pins(&self, by: &Committer) -> Result<usize, NotesError> {
        if self.repository().read_ref(&refs::name(refs::LOCAL_PINS))?.is_none() {
            return Ok(0);
        }
        self.session(by)?.retry(|session, checked| session.promote(checked.tip))
    }
}

impl Session<'_> {
    /// Keeps these blobs from `git gc`, and returns those that may be shared.
    ///
    /// Fails for a blob that is not here: a tree that names it could be neither pushed nor checked.
    pub fn keep_blobs(&mut self, pins: &[Pin]) -> Result<BTreeSet<BlobId>, NotesError> {
        let mut buffer = Vec::new();
        for pin in pins {
            let Ok(bytes) = read_blob(&self.repo, pin.blob, &mut buffer) else {
                return Err(NotesError::NoSuchBlob { blob_id: pin.blob });
            };
            // Remembered until a ref leads to it: before that, a `git gc` may take it at any time.
            put_blob(&self.repo, bytes)?;
        }
        let (shared, local) = self.sort_by_publication(pins)?;
        if local.is_empty() {
            return Ok(shared);
        }
        let tip = self.read_ref(refs::LOCAL_PINS)?;
        let tree = self.tree_of(tip)?;
        let added = self.write_pins(tree, &local)?;
        if Some(added) != tree {
            let parents: Vec<CommitId> = tip.into_iter().collect();
            self.move_aside(refs::LOCAL_PINS, tip, added, &parents, KEEPING)?;
        }
        Ok(shared)
    }

    /// Moves the blobs that git has published meanwhile from the local pins to the shared ones.
    fn promote(&mut self, tip: Option<CommitId>) -> Result<usize, NotesError> {
        let (mut shared, _) = self.sort_by_publication(&self.local_pins()?)?;
        if shared.is_empty() {
            return Ok(0);
        }
        let tree = self.tree_of(tip)?;
        let purged = Upkeep::gather(&self.repo, self.threads(), &self.contents(tree)?.notes).purged;
        let done = shared.clone();
        shared.retain(|blob| !purged.unpins(*blob));
        let promoted = shared.len();
        let addition = Addition { pins: shared, ..Addition::default() };
        let parents: Vec<CommitId> = tip.into_iter().collect();
        self.add(&addition, tree, &parents, "Share blobs that git has published")?;
        self.forget_local_pins(&done)?;
        Ok(promoted)
    }

    /// Keeps all but these; the ref's history goes, so that `git gc` can take what nobody needs.
    pub fn forget_local_pins(&mut self, blobs: &BTreeSet<BlobId>) -> Result<(), NotesError> {
        let pins = self.local_pins()?;
        let kept: Vec<Pin> = pins.iter().filter(|pin| !blobs.contains(&pin.blob)).copied().collect();
        if kept.len() == pins.len() {
            return Ok(());
        }
        let tip = self.read_ref(refs::LOCAL_PINS)?;
        if kept.is_empty() {
            return self.swap(refs::LOCAL_PINS, tip, None, "postil: all published", Durability::Relaxed);
        }
        let tree = self.write_pins(None, &kept)?;
        self.move_aside(refs::LOCAL_PINS, tip, tree, &[], KEEPING)
    }

    /// The blobs that are kept here only.
    pub fn local_pins(&self) -> Result<Vec<Pin>, NotesError> {
        let Some(tree) = self.tree_of(self.read_ref(refs::LOCAL_PINS)?)? else { return Ok(Vec::new()) };
        let entries = tree::list(&self.repo, tree)?.entries;
        Ok(entries.iter().filter_map(|(path, entry)| read_pin(path.as_bytes(), *entry)).collect())
    }

    fn write_pins(&self, tree: Option<TreeId>, pins: &[Pin]) -> Result<TreeId, NotesError> {
        let mut editor = edit_tree(&self.repo, tree)?;
        for pin in pins {
            let dir = pin.commit.map_or_else(|| UNCOMMITTED.to_owned(), |commit| commit.to_string());
            let path = [BString::from(dir), pin.blob.to_string().into()];
            editor.upsert(path, EntryKind::Blob, pin.blob.raw()).map_err(NotesError::write_tree)?;
        }
        put_tree(&self.repo, editor)
    }

    /// Tells what may be shared from what may not.
    fn sort_by_publication(&self, pins: &[Pin]) -> Result<(BTreeSet<BlobId>, Vec<Pin>), NotesError> {
        if pins.is_empty() {
            return Ok((BTreeSet::new(), Vec::new()));
        }
        let (remotes, handle) = self.remotes()?;
        let commits: Vec<CommitId> = pins.iter().filter_map(|pin| pin.commit).collect();
        let commits_out = published(self.repository(), &handle, &remotes, &commits)?;
        let uncommitted: BTreeSet<BlobId> =
            pins.iter().filter(|pin| pin.commit.is_none()).map(|pin| pin.blob).collect();
        let in_trees = blobs_published(self.repository(), &handle, &remotes, &uncommitted)?;
        let may = |pin: &Pin| match pin.commit {
            Some(commit) => commits_out.contains(&commit),
            None => in_trees.contains(&pin.blob),
        };
        let (shared, local): (Vec<Pin>, Vec<Pin>) = pins.iter().partition(|pin| may(pin));
        let shared: BTreeSet<BlobId> = shared.into_iter().map(|pin| pin.blob).collect();
        Ok((shared.clone(), local.into_iter().filter(|pin| !shared.contains(&pin.blob)).collect()))
    }

    /// The remotes that notes go to: those they were synced with, else all that are configured.
    fn remotes(&self) -> Result<(Vec<String>, gix::Repository), NotesError> {
        // A long-lived handle does not see that a remote was added, so the configuration is read anew.
        let handle = self.repository().reopen()?.handle();
        let mut synced: BTreeSet<String> = BTreeSet::new();
        for (name, _) in self.repository().list_refs(refs::REMOTES)?.refs {
            let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
            let remote = name.strip_prefix(refs::REMOTES).and_then(|rest| rest.rsplit_once('/'));
            if let Some((remote, _)) = remote {
                synced.insert(remote.to_owned());
            }
        }
        let configured: BTreeSet<String> =
            handle.remote_names().iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        // A remote that was removed since is synced with no more.
        synced.retain(|name| configured.contains(name));
        let remotes = if synced.is_empty() { configured } else { synced };
        Ok((remotes.into_iter().collect(), handle))
    }
}

fn read_pin(path: &[u8], entry: Entry) -> Option<Pin> {
    let slash = path.iter().position(|b| *b == b'/')?;
    let (dir, name) = (&path[..slash], &path[slash + 1..]);
    let blob = BlobId::from_hex(name).filter(|blob| blob.raw() == entry.id.raw())?;
    let commit = if dir == UNCOMMITTED.as_bytes() { None } else { Some(CommitId::from_hex(dir)?) };
    Some(Pin { blob, commit })
}
