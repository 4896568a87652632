//! Commented files that would be sent with the notes, and that git has not pushed to that remote.
//!
//! A pin is shared if git has published the file to the remotes that count at that time. Remotes that count later,
//! and pins of people with other remotes, are checked here, before anything is sent.

use std::collections::{BTreeMap, BTreeSet};

use super::reading::contents::Slot;
use super::{NotesError, Store};
use crate::git::tree::{self, Subtrees};
use crate::git::{BlobId, BlobSeen, CommitId, RepoPath, TreeId, blobs_ever_published, history};
use crate::record::{AnchorSide, Body, CommentAnchor, Record, Timestamp};

/// A commit may be dated this much before the comment on it; clocks differ.
const CLOCK_SKEW_SECONDS: i64 = 24 * 60 * 60;

/// A commented file that git has not pushed to a remote, as far as is known here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnsentFile {
    /// Its path in the comment, if a record that is here has one.
    pub path: Option<RepoPath>,
    /// Its content.
    pub blob: BlobId,
}

/// Where a blob was commented on.
struct BlobSighting {
    path: RepoPath,
    seen: BlobSeen,
}

impl Store {
    /// Returns the pins of the notes commit `ours` that git has not pushed to `remote`, and that are not in the notes
    /// which it `had`.
    ///
    /// Costs one diff of the pins; if some are new, also reading comments and tracking branches.
    pub fn unsent_files(
        &self,
        remote: &str,
        had: &[CommitId],
        ours: CommitId,
    ) -> Result<Vec<UnsentFile>, NotesError> {
        let mut pins = pins_beyond(&self.repository().handle(), had.first().copied(), ours)?;
        for had in had.iter().skip(1) {
            pins = &pins & &pins_beyond(&self.repository().handle(), Some(*had), ours)?;
        }
        if pins.is_empty() {
            return Ok(Vec::new());
        }
        let sightings = self.sightings(&pins, had.first().copied(), ours)?;
        // A long-lived handle does not see that a remote was added, so the configuration is read anew.
        let handle = self.repository().reopen()?.handle();
        if let Some(name) = configured(&handle, remote) {
            // A purge leaves a file that a draft is about. No record that is here may say when it was commented on.
            let anywhere = || BlobSeen { commits: BTreeSet::new(), since: i64::MIN };
            let seen_of = |pin| sightings.get(pin).map_or_else(anywhere, |sighting| sighting.seen.clone());
            let seen = pins.iter().map(|pin| (*pin, seen_of(pin))).collect();
            pins = &pins - &blobs_ever_published(self.repository(), &handle, &name, &seen)?;
        }
        let path_of = |blob: &BlobId| sightings.get(blob).map(|sighting| sighting.path.clone());
        let mut unsent: Vec<UnsentFile> =
            pins.iter().map(|blob| UnsentFile { path: path_of(blob), blob: *blob }).collect();
        unsent.sort_unstable();
        Ok(unsent)
    }

    /// Where these blobs were commented on: by records that are new to the remote, else by any.
    fn sightings(
        &self,
        pins: &BTreeSet<BlobId>,
        had: Option<CommitId>,
        ours: CommitId,
    ) -> Result<BTreeMap<BlobId, BlobSighting>, NotesError> {
        let handle = self.repository().handle();
        let mut sightings = BTreeMap::new();
        for record in self.added(had, Some(ours))? {
            note_sightings(&handle, &record, pins, &mut sightings);
        }
        if pins.iter().any(|pin| !sightings.contains_key(pin)) {
            for (_, record) in self.read()?.records() {
                note_sightings(&handle, record, pins, &mut sightings);
            }
        }
        Ok(sightings)
    }
}

/// The pins that one notes commit has and another does not.
fn pins_beyond(
    handle: &gix::Repository,
    had: Option<CommitId>,
    ours: CommitId,
) -> Result<BTreeSet<BlobId>, NotesError> {
    let folder = RepoPath::new("pins").expect("a word is a path");
    let pins_of = |commit: CommitId| -> Result<Option<TreeId>, NotesError> {
        let entry = tree::entry_at(handle, history::commit(handle, commit)?.tree, &folder)?;
        Ok(entry.filter(|entry| entry.mode.is_tree()).map(|entry| entry.id.raw().into()))
    };
    // Of notes that cannot be read nobody knows what they had.
    let (old, new) = (had.and_then(|had| pins_of(had).ok().flatten()), pins_of(ours)?);
    if old == new {
        return Ok(BTreeSet::new());
    }
    let changes = tree::diff(handle, old, new, Subtrees::Omit)?.changes;
    let pin = |change: &tree::TreeChange| {
        let path = [folder.as_bytes(), b"/", change.path().as_bytes()].concat();
        match Slot::of(&path, change.after()?) {
            Slot::Pin(blob) => Some(blob),
            Slot::Note(_) | Slot::Foreign => None,
        }
    };
    Ok(changes.iter().filter_map(pin).collect())
}

fn note_sightings(
    handle: &gix::Repository,
    record: &Record,
    pins: &BTreeSet<BlobId>,
    sightings: &mut BTreeMap<BlobId, BlobSighting>,
) {
    let (anchor, suggested, at) = match record.body() {
        Ok(Body::Comment(comment)) => (comment.anchor, comment.suggestion, comment.at),
        Ok(Body::Move(moved)) => (Some(moved.anchor), Vec::new(), moved.at),
        Ok(Body::Proposal(proposal)) => (proposal.anchor, Vec::new(), proposal.at),
        _ => return,
    };
    let mut note = |blob: BlobId, commit: Option<CommitId>, path: &RepoPath| {
        if !pins.contains(&blob) {
            return;
        }
        let since = seconds(at).saturating_sub(CLOCK_SKEW_SECONDS);
        let seen = BlobSeen { commits: BTreeSet::new(), since };
        let sighting = sightings.entry(blob).or_insert(BlobSighting { path: path.clone(), seen });
        // Anybody can say that a file was in a commit that everybody has.
        sighting.seen.commits.extend(commit.filter(|commit| holds(handle, *commit, path, blob)));
        sighting.seen.since = sighting.seen.since.min(since);
    };
    if let Some(CommentAnchor::File(anchor)) = anchor {
        if let Some(blob) = anchor.blob {
            note(blob, anchor.commit, &anchor.path);
        }
        if let AnchorSide::Old(old) = &anchor.side {
            note(old.blob, Some(old.commit), old.path.as_ref().unwrap_or(&anchor.path));
        }
    }
    for file in suggested {
        if let Some(blob) = file.blob {
            note(blob, None, &file.path);
        }
    }
}

fn holds(handle: &gix::Repository, commit: CommitId, path: &RepoPath, blob: BlobId) -> bool {
    let found = history::commit(handle, commit).and_then(|info| tree::entry_at(handle, info.tree, path));
    found.is_ok_and(|entry| entry.is_some_and(|entry| entry.id == blob.into()))
}

fn seconds(at: Timestamp) -> i64 {
    i64::try_from(at.0 / 1000).unwrap_or(i64::MAX)
}

/// The name of a remote in the configuration; `remote` may be its address.
fn configured(handle: &gix::Repository, remote: &str) -> Option<String> {
    let config = handle.config_snapshot();
    let names: Vec<String> = handle.remote_names().iter().map(ToString::to_string).collect();
    let is_its_address = |name: &&String| {
        config.string(format!("remote.{name}.url").as_str()).is_some_and(|url| url == remote.as_bytes())
    };
    let found = names.iter().find(|name| *name == remote).or_else(|| names.iter().find(is_its_address));
    found.cloned()
}
