//! Records that are not shared yet.
//!
//! `refs/postil/drafts` points to a tree of `<review>/<record>/`, with `unreviewed` for drafts without a review. In
//! each folder are the record, under the name of its home, and the blobs that are to be pinned with it. The ref has
//! no history: a draft that was dropped is gone. The records are not decoded here.

use std::collections::{BTreeMap, BTreeSet};

use gix::bstr::BString;
use gix::objs::Exists as _;
use gix::objs::tree::EntryKind;

use super::reading::pages::read_blob;
use super::refs;
use super::writing::memory_objects::{edit_tree, put_blob, put_tree};
use super::writing::write_session::WriteSession;
use super::{Committer, Home, NotesError, Store, WrittenBatch};
use crate::git::tree::{self, TreeDamage, TreeEntry};
use crate::git::{BlobId, CommitId, Durability, ObjectId, TreeId, history};
use crate::record::{Anchor, Record, RecordId};

/// The message of the ref's commits.
const KEEPING: &str = "Keep records that are not shared yet";

/// The directory of drafts without a review.
const UNREVIEWED: &str = "unreviewed";

/// Used instead of the commit for something that was not committed.
const UNCOMMITTED: &str = "uncommitted";

/// A record that is not shared yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The review it is published with; for a review that is a draft itself, its own id.
    pub review: Option<RecordId>,
    /// Which note it will go into.
    pub home: Home,
    /// The record.
    pub record: Record,
    /// The blobs that are kept for it, only here.
    pub pins: Vec<DraftPin>,
}

/// A blob that a draft is about, and the commit that it was seen in, if it was committed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DraftPin {
    /// A blob that is in the repository.
    Blob(BlobId, Option<CommitId>),
    /// The content of a blob that need not be in the repository; only for new drafts.
    Content(Vec<u8>),
}

impl DraftPin {
    /// Returns the blobs to keep for `anchor`, except content that was not committed.
    pub fn of_anchor(anchor: &Anchor) -> Vec<Self> {
        anchor.blobs().map(|(blob, commit)| Self::Blob(blob, commit)).collect()
    }
}

/// Some of the drafts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftsOf<'a> {
    /// Every one.
    Anything,
    /// Those of these reviews.
    Reviews(&'a [RecordId]),
    /// Those of these reviews, and those without a review.
    ReviewsOrNone(&'a [RecordId]),
    /// Those without a review.
    NoReview,
    /// These records.
    Records(&'a [RecordId]),
}

impl DraftsOf<'_> {
    /// Whether this draft is one of them.
    pub fn includes(self, draft: &Draft) -> bool {
        match (self, draft.review) {
            (Self::Records(ids), _) => ids.contains(&draft.record.id()),
            (Self::Anything, _) | (Self::NoReview | Self::ReviewsOrNone(_), None) => true,
            (Self::Reviews(reviews) | Self::ReviewsOrNone(reviews), Some(review)) => {
                reviews.contains(&review)
            }
            (Self::Reviews(_), None) | (Self::NoReview, Some(_)) => false,
        }
    }
}

impl Store {
    /// Returns the commit of the drafts; it is another one after every change.
    pub fn drafts_tip(&self) -> Result<Option<CommitId>, NotesError> {
        self.read_ref_or_backup(refs::DRAFTS)
    }

    /// Returns the drafts, by review and then by record. What cannot be read as a draft is skipped, and stays.
    pub fn drafts(&self) -> Result<Vec<Draft>, NotesError> {
        self.drafts_tip()?.map_or_else(|| Ok(Vec::new()), |tip| self.drafts_at(tip))
    }

    /// Returns the drafts of one commit; fails if it is not here any more.
    pub fn drafts_at(&self, tip: CommitId) -> Result<Vec<Draft>, NotesError> {
        let handle = self.repository().handle();
        let read = || read_drafts(&handle, history::commit(&handle, tip)?.tree);
        let found = read();
        let is_partial = found.as_ref().map_or_else(NotesError::may_pass, |found| !found.missed.is_empty());
        let found = if is_partial && self.repository().restore_kept(&[]) > 0 { read() } else { found };
        Ok(found?.drafts)
    }

    /// Keeps records here until they are published; all of them or none.
    ///
    /// Adding a draft twice changes nothing. Fails if the blob of a pin is not here.
    pub fn add_drafts(&self, drafts: &[Draft], by: &Committer) -> Result<(), NotesError> {
        self.session(by)?.retry(|session, _| session.add_drafts(drafts))
    }

    /// Deletes the drafts with these ids, and returns how many there were.
    pub fn drop_drafts(&self, ids: &[RecordId], by: &Committer) -> Result<usize, NotesError> {
        let ids: BTreeSet<RecordId> = ids.iter().copied().collect();
        self.session(by)?.retry(|session, _| session.forget_drafts(&ids))
    }

    /// Writes drafts to the notes, in one commit, and deletes the drafts.
    ///
    /// If the process ends in between, the drafts are still there. Publishing them again changes nothing: a record is
    /// stored only once. `None` if there is no such draft.
    pub fn publish(
        &self,
        which: DraftsOf<'_>,
        by: &Committer,
        message: &str,
    ) -> Result<Option<WrittenBatch>, NotesError> {
        let mut session = self.session(by)?;
        session.restore_refs()?;
        let mut drafts = session.drafts()?;
        drafts.retain(|draft| which.includes(draft));
        if drafts.is_empty() {
            return Ok(None);
        }
        let mut batch = self.batch();
        for draft in &drafts {
            batch = batch.add(draft.home, draft.record.clone());
            for pin in &draft.pins {
                batch = match pin {
                    DraftPin::Blob(blob, commit) => batch.pin(*blob, *commit),
                    DraftPin::Content(content) => batch.pin_content(content.clone()),
                };
            }
        }
        let mut written = batch.write_in(&mut session, message)?;
        let published = drafts.iter().map(|draft| draft.record.id()).collect();
        let forgotten = session.retry(|session, _| session.forget_drafts(&published));
        session.after_write(forgotten, "delete the drafts that were published");
        written.warnings.append(&mut session.warnings);
        Ok(Some(written))
    }
}

impl WriteSession<'_> {
    fn drafts(&self) -> Result<Vec<Draft>, NotesError> {
        let tree = self.tree_of(self.read_ref(refs::DRAFTS)?)?;
        let Some(tree) = tree else { return Ok(Vec::new()) };
        let found = read_drafts(&self.repo, tree)?;
        self.believe_lost(found.missed)?;
        Ok(found.drafts)
    }

    fn add_drafts(&mut self, drafts: &[Draft]) -> Result<(), NotesError> {
        let tip = self.read_ref(refs::DRAFTS)?;
        let before = self.tree_of(tip)?;
        let mut editor = edit_tree(&self.repo, before)?;
        for draft in drafts {
            let dir = [BString::from(review_dir(draft.review)), draft.record.id().to_string().into()];
            let mut put = |name: String, blob: BlobId| {
                let path = dir.iter().cloned().chain([name.into()]);
                editor.upsert(path, EntryKind::Blob, blob.raw()).map(drop).map_err(NotesError::write_tree)
            };
            put(home_name(draft.home), put_blob(&self.repo, draft.record.as_bytes())?)?;
            for pin in &draft.pins {
                let (blob, commit) = match pin {
                    DraftPin::Blob(blob, commit) => (*blob, *commit),
                    DraftPin::Content(content) => (put_blob(&self.repo, content)?, None),
                };
                if !self.repo.objects.exists(&blob.raw()) {
                    return Err(NotesError::NoSuchBlob { blob_id: blob });
                }
                put(format!("pin-{}-{blob}", commit_word(commit)), blob)?;
            }
        }
        let tree = put_tree(&self.repo, editor)?;
        if Some(tree) == before || tree.raw() == self.repo.object_hash().empty_tree() {
            return Ok(());
        }
        self.move_local_ref(refs::DRAFTS, tip, tree, &[], KEEPING)
    }

    fn forget_drafts(&mut self, ids: &BTreeSet<RecordId>) -> Result<usize, NotesError> {
        let tip = self.read_ref(refs::DRAFTS)?;
        let Some(before) = self.tree_of(tip)? else { return Ok(0) };
        let mut editor = edit_tree(&self.repo, None)?;
        let mut gone = BTreeSet::new();
        let mut kept = 0;
        let mut listing = tree::list(&self.repo, before)?;
        if let Some(damage) = listing.damage.pop() {
            // What is not seen would be lost by writing.
            return Err(NotesError::Damaged { tree_id: before, damage });
        }
        for (path, entry) in listing.entries {
            let parts: Vec<BString> = path.as_bytes().split(|b| *b == b'/').map(BString::from).collect();
            match parts.get(1).and_then(|name| record_id(name)).filter(|id| ids.contains(id)) {
                Some(id) => {
                    gone.insert(id);
                }
                None => {
                    kept += 1;
                    editor
                        .upsert(parts, entry.mode.kind(), entry.id.raw())
                        .map_err(NotesError::write_tree)?;
                }
            }
        }
        if gone.is_empty() {
            return Ok(0);
        }
        if kept == 0 {
            self.swap(refs::DRAFTS, tip, None, "postil: no drafts left", Durability::Synced)?;
        } else {
            let tree = put_tree(&self.repo, editor)?;
            self.move_local_ref(refs::DRAFTS, tip, tree, &[], KEEPING)?;
        }
        Ok(gone.len())
    }
}

/// The parts of one draft that were found.
#[derive(Default)]
struct DraftParts {
    record: Option<(Home, Record)>,
    pins: Vec<DraftPin>,
}

/// The drafts that could be read, and the trees that could not.
struct FoundDrafts {
    drafts: Vec<Draft>,
    missed: Vec<ObjectId>,
}

fn read_drafts(repo: &gix::Repository, tree: TreeId) -> Result<FoundDrafts, NotesError> {
    let mut found: BTreeMap<(Option<RecordId>, RecordId), DraftParts> = BTreeMap::new();
    let mut buffer = Vec::new();
    let listing = tree::list(repo, tree)?;
    for (path, entry) in listing.entries {
        let parts: Vec<&[u8]> = path.as_bytes().split(|b| *b == b'/').collect();
        let &[dir, record, name] = parts.as_slice() else { continue };
        let (review, Some(id)) = (record_id(dir), record_id(record)) else { continue };
        if review.is_none() && dir != UNREVIEWED.as_bytes() {
            continue;
        }
        let remains = found.entry((review, id)).or_default();
        if let Some(pin) = read_pin(name, entry) {
            remains.pins.push(pin);
        } else if let Some(home) = read_home(name) {
            let bytes = read_blob(repo, entry.id.raw().into(), &mut buffer)?;
            let read = Record::from_bytes(bytes).ok().filter(|read| read.id() == id);
            remains.record = remains.record.take().or(read.map(|read| (home, read)));
        }
    }
    let draft = |((review, _), remains): ((Option<RecordId>, RecordId), DraftParts)| {
        let (home, record) = remains.record?;
        Some(Draft { review, home, record, pins: remains.pins })
    };
    let missed = listing.damage.iter().filter_map(TreeDamage::unreadable).collect();
    Ok(FoundDrafts { drafts: found.into_iter().filter_map(draft).collect(), missed })
}

fn review_dir(review: Option<RecordId>) -> String {
    review.map_or_else(|| UNREVIEWED.to_owned(), |review| review.to_string())
}

fn home_name(home: Home) -> String {
    match home {
        Home::On(object) => format!("on-{object}"),
        Home::Anchor { commit, blob } => format!("at-{}-{blob}", commit_word(commit)),
    }
}

fn read_home(name: &[u8]) -> Option<Home> {
    if let Some(object) = name.strip_prefix(b"on-") {
        return ObjectId::from_hex(object).map(Home::On);
    }
    let (commit, blob) = read_pair(name.strip_prefix(b"at-")?)?;
    Some(Home::Anchor { commit, blob })
}

fn read_pin(name: &[u8], entry: TreeEntry) -> Option<DraftPin> {
    let (commit, blob) = read_pair(name.strip_prefix(b"pin-")?)?;
    (blob.raw() == entry.id.raw()).then_some(DraftPin::Blob(blob, commit))
}

fn commit_word(commit: Option<CommitId>) -> String {
    commit.map_or_else(|| UNCOMMITTED.to_owned(), |commit| commit.to_string())
}

fn read_pair(words: &[u8]) -> Option<(Option<CommitId>, BlobId)> {
    let dash = words.iter().position(|b| *b == b'-')?;
    let (commit, blob) = (&words[..dash], &words[dash + 1..]);
    let commit = if commit == UNCOMMITTED.as_bytes() { None } else { Some(CommitId::from_hex(commit)?) };
    Some((commit, BlobId::from_hex(blob)?))
}

fn record_id(hex: &[u8]) -> Option<RecordId> {
    RecordId::from_hex(std::str::from_utf8(hex).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_survives_its_name() {
        let commit = CommitId::from_bytes(&[1; 20]);
        let blob = BlobId::from_bytes(&[2; 20]).unwrap();
        let wide = BlobId::from_bytes(&[3; 32]).unwrap();
        for home in [
            Home::On(blob.into()),
            Home::Anchor { commit, blob },
            Home::Anchor { commit: None, blob },
            Home::Anchor { commit: None, blob: wide },
        ] {
            assert_eq!(read_home(home_name(home).as_bytes()), Some(home));
        }
        for name in ["", "on-", "on-12", "at-uncommitted", "at--12", "pin-uncommitted-12", "record"] {
            assert_eq!(read_home(name.as_bytes()), None, "{name:?}");
        }
    }
}
