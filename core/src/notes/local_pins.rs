//! Blobs that are kept only here, until git has published them.
//!
//! `refs/postil/pins` points to a tree of `<commit>/<blob>`, or `uncommitted/<second>/<blob>`. A blob is shared only
//! after git has pushed its commit.

use std::collections::BTreeSet;

use gix::bstr::BString;
use gix::objs::tree::EntryKind;

use super::reading::contents::pin_path;
use super::reading::page_scan::PageScan;
use super::reading::pages::read_blob;
use super::refs;
use super::writing::addition::Addition;
use super::writing::memory_objects::{edit_tree, put_blob, put_tree};
use super::writing::write_session::WriteSession;
use super::{Committer, NotesError, Store};
use crate::git::tree::{self, TreeEntry};
use crate::git::{BlobId, CommitId, Durability, RepoPath, TreeId, blobs_published, history, published};

/// The message of the ref's commits.
const KEEPING: &str = "Keep blobs that git has not published";

/// The directory of blobs that were not committed when they were commented on.
const UNCOMMITTED: &str = "uncommitted";

/// A commit may be dated this much before the comment on it; clocks differ.
const CLOCK_SKEW_SECONDS: i64 = 24 * 60 * 60;

/// A blob to be kept, and where it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pin {
    pub blob: BlobId,
    pub seen: PinSource,
}

/// Where a blob was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PinSource {
    In(CommitId),
    /// In the work tree, in this second since 1970.
    Uncommitted(i64),
}

impl Store {
    /// Shares the blobs that git has published since they were commented on.
    ///
    /// Returns how many. Costs one walk over the tracking branches, and nothing if there is no such blob. A blob of
    /// the work tree is shared only by this, never when it is commented on: the check would cost too much then.
    pub fn promote_pins(&self, by: &Committer) -> Result<usize, NotesError> {
        self.promote_pins_for(None, by)
    }

    /// As [`Store::promote_pins`], before notes are sent to `bound_for`: that remote counts too, even if they were
    /// never sent there.
    pub fn promote_pins_for(&self, bound_for: Option<&str>, by: &Committer) -> Result<usize, NotesError> {
        if self.repository().read_ref(&refs::name(refs::LOCAL_PINS))?.is_none() {
            return Ok(0);
        }
        self.session(by)?.retry(|session, checked| session.promote(checked.tip, bound_for))
    }
}

impl WriteSession<'_> {
    /// Keeps these blobs from `git gc`, and returns those that may be shared and are not yet.
    ///
    /// Fails for a blob that is not here: a tree that names it could be neither pushed nor checked.
    pub fn keep_blobs(&mut self, pins: &[Pin]) -> Result<BTreeSet<BlobId>, NotesError> {
        let shared = self.tree_of(self.tip()?)?;
        let pins = self.absent_from(shared, pins.to_vec(), |pin| pin_path(pin.blob).to_vec())?;
        if pins.is_empty() {
            return Ok(BTreeSet::new());
        }
        let tip = self.read_ref(refs::LOCAL_PINS)?;
        let tree = self.tree_of(tip)?;
        // When git publishes one of those that are kept here, [`WriteSession::promote`] shares it.
        let pins = self.absent_from(tree, pins, local_path)?;
        let mut buffer = Vec::new();
        for pin in &pins {
            let Ok(bytes) = read_blob(&self.repo, pin.blob, &mut buffer) else {
                self.believe_lost([pin.blob.into()])?;
                return Err(NotesError::NoSuchBlob { blob_id: pin.blob });
            };
            // Remembered until a ref leads to it: before that, a `git gc` may take it at any time.
            put_blob(&self.repo, bytes)?;
        }
        let shared = self.seen_in_public(&pins, None)?;
        let local: Vec<Pin> = pins.into_iter().filter(|pin| !shared.contains(&pin.blob)).collect();
        if local.is_empty() {
            return Ok(shared);
        }
        let added = self.write_pins(tree, &local)?;
        if Some(added) != tree {
            let parents: Vec<CommitId> = tip.into_iter().collect();
            self.move_local_ref(refs::LOCAL_PINS, tip, added, &parents, KEEPING)?;
        }
        Ok(shared)
    }

    /// Those that are not in a tree yet: most comments are on a file that has some already.
    fn absent_from(
        &self,
        tree: Option<TreeId>,
        pins: Vec<Pin>,
        path: impl Fn(Pin) -> Vec<BString>,
    ) -> Result<Vec<Pin>, NotesError> {
        let Some(tree) = tree else { return Ok(pins) };
        let mut left = Vec::new();
        for pin in pins {
            let path = RepoPath::new(path(pin).join(&b"/"[..])).expect("digits make a path");
            if tree::entry_at(&self.repo, tree, &path)?.is_none() {
                left.push(pin);
            }
        }
        Ok(left)
    }

    /// Moves the blobs that git has published meanwhile from the local pins to the shared ones.
    fn promote(&mut self, tip: Option<CommitId>, bound_for: Option<&str>) -> Result<usize, NotesError> {
        let pins = self.local_pins()?;
        let mut shared = &self.seen_in_public(&pins, bound_for)? | &self.public_by_now(&pins, bound_for)?;
        if shared.is_empty() {
            return Ok(0);
        }
        let tree = self.tree_of(tip)?;
        let scan = PageScan::gather(&self.repo, self.reader(), &self.contents(tree)?.notes);
        self.believe_lost(scan.missed)?;
        let purged = scan.purged;
        let done = shared.clone();
        shared.retain(|blob| !purged.unpins(*blob));
        let promoted = shared.len();
        let addition = Addition { pins: shared, ..Addition::default() };
        let parents: Vec<CommitId> = tip.into_iter().collect();
        self.add(&addition, tree, &parents, "Share blobs that git has published")?;
        let forgotten = self.forget_local_pins(&done);
        self.after_write(forgotten, "stop keeping files that are shared now");
        Ok(promoted)
    }

    /// Keeps all but these; the ref gets no history, so that `git gc` can remove the rest.
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
        self.move_local_ref(refs::LOCAL_PINS, tip, tree, &[], KEEPING)
    }

    /// The blobs that are kept only here.
    pub fn local_pins(&self) -> Result<Vec<Pin>, NotesError> {
        let Some(tree) = self.tree_of(self.read_ref(refs::LOCAL_PINS)?)? else { return Ok(Vec::new()) };
        let entries = tree::list(&self.repo, tree)?.entries;
        Ok(entries.iter().filter_map(|(path, entry)| read_pin(path.as_bytes(), *entry)).collect())
    }

    fn write_pins(&self, tree: Option<TreeId>, pins: &[Pin]) -> Result<TreeId, NotesError> {
        let mut editor = edit_tree(&self.repo, tree)?;
        for pin in pins {
            editor
                .upsert(local_path(*pin), EntryKind::Blob, pin.blob.raw())
                .map_err(NotesError::write_tree)?;
        }
        put_tree(&self.repo, editor)
    }

    /// Those of these blobs that were seen in a commit which git has published.
    fn seen_in_public(&self, pins: &[Pin], bound_for: Option<&str>) -> Result<BTreeSet<BlobId>, NotesError> {
        let commit_of = |pin: &Pin| match pin.seen {
            PinSource::In(commit) => Some(commit),
            PinSource::Uncommitted(_) => None,
        };
        let commits: Vec<CommitId> = pins.iter().filter_map(commit_of).collect();
        if commits.is_empty() {
            return Ok(BTreeSet::new());
        }
        let (remotes, handle) = self.remotes(bound_for)?;
        let public = published(self.repository(), &handle, &remotes, &commits)?;
        let may = |pin: &&Pin| commit_of(pin).is_some_and(|commit| public.contains(&commit));
        Ok(pins.iter().filter(may).map(|pin| pin.blob).collect())
    }

    /// Those of these blobs that git has published in any commit, for example a rewritten one.
    fn public_by_now(&self, pins: &[Pin], bound_for: Option<&str>) -> Result<BTreeSet<BlobId>, NotesError> {
        let since = |pin: &Pin| match pin.seen {
            PinSource::In(commit) => history::commit(&self.repo, commit).ok().map(|commit| commit.time),
            PinSource::Uncommitted(since) => Some(since),
        };
        let oldest = pins.iter().filter_map(since).min().unwrap_or(i64::MAX);
        let blobs: BTreeSet<BlobId> = pins.iter().map(|pin| pin.blob).collect();
        let (remotes, handle) = self.remotes(bound_for)?;
        let since = oldest.saturating_sub(CLOCK_SKEW_SECONDS);
        Ok(blobs_published(self.repository(), &handle, &remotes, &blobs, since)?)
    }

    /// The remotes that notes go to: those they were synced with and `bound_for`, else all that are configured.
    fn remotes(&self, bound_for: Option<&str>) -> Result<(Vec<String>, gix::Repository), NotesError> {
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
        synced.extend(bound_for.map(str::to_owned));
        // An address has no tracking branches, and a remote that was removed since is synced with no more.
        synced.retain(|name| configured.contains(name));
        let remotes = if synced.is_empty() { configured } else { synced };
        Ok((remotes.into_iter().collect(), handle))
    }
}

/// The parts of the path of a blob in the tree of local pins.
fn local_path(pin: Pin) -> Vec<BString> {
    let mut path: Vec<BString> = match pin.seen {
        PinSource::In(commit) => vec![commit.to_string().into()],
        PinSource::Uncommitted(since) => vec![UNCOMMITTED.into(), since.to_string().into()],
    };
    path.push(pin.blob.to_string().into());
    path
}

fn read_pin(path: &[u8], entry: TreeEntry) -> Option<Pin> {
    let parts: Vec<&[u8]> = path.split(|b| *b == b'/').collect();
    let (seen, name) = match parts[..] {
        [dir, since, name] if dir == UNCOMMITTED.as_bytes() => {
            (PinSource::Uncommitted(std::str::from_utf8(since).ok()?.parse().ok()?), name)
        }
        [commit, name] => (PinSource::In(CommitId::from_hex(commit)?), name),
        _ => return None,
    };
    let blob = BlobId::from_hex(name).filter(|blob| blob.raw() == entry.id.raw())?;
    Some(Pin { blob, seen })
}
