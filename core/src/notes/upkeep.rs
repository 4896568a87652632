//! What the whole store must know of single pages: purges, and heads that have positions.
//!
//! Both are rare, and looking for their kinds' names in the bytes is much cheaper than reading
//! every record.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use memchr::memmem;

use super::NotesError;
use super::note_blobs::NoteBlobs;
use super::pages::read_each;
use crate::git::{BlobId, CommitId, ObjectId};
use crate::record::{Body, Page, Positions, Purge, Record, RecordId};

/// How many heads keep their positions; the oldest go first.
pub const MAX_POSITION_HEADS: usize = 64;

/// What some purge names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    ids: BTreeSet<RecordId>,
    blobs: BTreeSet<BlobId>,
}

impl Purged {
    /// Whether this record is hidden everywhere; a purge never is, nor are positions, which are united under other ids.
    pub fn hides(&self, record: &Record) -> bool {
        self.ids.contains(&record.id()) && !record.is(Purge::KIND) && !record.is(Positions::KIND)
    }

    /// Whether the pin of this blob goes.
    pub fn unpins(&self, blob: BlobId) -> bool {
        self.blobs.contains(&blob)
    }

    /// Whether no purge names any record.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Takes in what one more record says, if it is a purge.
    pub(super) fn learn(&mut self, record: &Record) {
        if !record.is(Purge::KIND) {
            return;
        }
        if let Ok(Body::Purge(purge)) = record.body() {
            self.ids.extend(purge.of);
            self.blobs.extend(purge.blobs);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.ids.extend(other.ids);
        self.blobs.extend(other.blobs);
    }
}

/// What the pages of a store say that holds for other pages too.
#[derive(Debug, Default)]
pub(super) struct Upkeep {
    pub purged: Purged,
    heads: BTreeMap<CommitId, i64>,
    /// Notes that could not be read.
    pub missed: Vec<ObjectId>,
}

/// Notes that say nothing about other notes, from earlier looks: most of them, and a blob never changes.
#[derive(Debug, Default)]
pub(super) struct Plain(Mutex<HashSet<BlobId>>);

impl Plain {
    /// More are forgotten all at once, so that a large store does not fill the memory of a daemon.
    const MAX: usize = 1 << 16;

    fn known(&self) -> MutexGuard<'_, HashSet<BlobId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, blobs: impl Iterator<Item = BlobId>) {
        let mut known = self.known();
        known.extend(blobs);
        if known.len() > Self::MAX {
            *known = HashSet::new();
        }
    }
}

/// How notes are looked through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    /// On so many threads.
    pub threads: NonZeroUsize,
    /// What need not be looked at again.
    pub plain: &'a Plain,
}

impl Upkeep {
    /// Looks through all of `notes`; one whose blob is not here says nothing.
    pub fn gather(repo: &gix::Repository, reader: Reader<'_>, notes: &BTreeMap<ObjectId, NoteBlobs>) -> Self {
        let known = reader.plain.known();
        let (objects, blobs): (Vec<ObjectId>, Vec<BlobId>) = notes
            .iter()
            .flat_map(|(object, blobs)| blobs.iter().map(|blob| (*object, *blob)))
            .filter(|(_, blob)| !known.contains(blob))
            .unzip();
        drop(known);
        let found = read_each(repo, reader.threads, &blobs, look_through);
        let is_plain = |found: &Result<Option<Self>, NotesError>| matches!(found, Ok(None));
        reader
            .plain
            .learn(blobs.iter().zip(&found).filter(|(_, found)| is_plain(found)).map(|(blob, _)| *blob));
        let mut upkeep = Self::default();
        for ((object, blob), found) in objects.into_iter().zip(&blobs).zip(found) {
            let found = match found {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(_) => {
                    upkeep.missed.push((*blob).into());
                    continue;
                }
            };
            upkeep.purged.add(found.purged);
            for (head, time) in found.heads.into_iter().filter(|(head, _)| stands_at(*head, object)) {
                upkeep.heads.entry(head).and_modify(|known| *known = time.max(*known)).or_insert(time);
            }
        }
        upkeep
    }

    /// The heads whose positions go, because newer ones are enough.
    pub fn evicted(&self) -> BTreeSet<CommitId> {
        let mut by_age: Vec<(i64, CommitId)> = self.heads.iter().map(|(head, time)| (*time, *head)).collect();
        by_age.sort_unstable();
        let surplus = by_age.len().saturating_sub(MAX_POSITION_HEADS);
        by_age[..surplus].iter().map(|(_, head)| *head).collect()
    }
}

/// Positions count in the note of their own head only; a copy elsewhere adds nothing.
fn stands_at(head: CommitId, object: ObjectId) -> bool {
    ObjectId::from(head) == object
}

fn look_through(note: &[u8]) -> Option<Upkeep> {
    // A kind stands in a record as a text string of its length: 65 "purge", 69 "positions".
    let mentions = |kind: &str| memmem::find(note, kind.as_bytes()).is_some();
    if !mentions(Purge::KIND) && !mentions(Positions::KIND) {
        return None;
    }
    let mut upkeep = Upkeep::default();
    for record in Page::parse(note).records() {
        upkeep.purged.learn(record);
        if let Some(positions) = positions_of(record) {
            upkeep.heads.insert(positions.head, positions.time);
        }
    }
    Some(upkeep)
}

fn positions_of(record: &Record) -> Option<Positions> {
    match record.is(Positions::KIND).then(|| record.body()) {
        Some(Ok(Body::Positions(positions))) => Some(positions),
        _ => None,
    }
}

/// Brings the positions of one page into their one form: for its own head, one entry a comment.
///
/// Those of an evicted head go, and so do copies that belong to another head.
pub(super) fn settle_positions(page: &mut Page, object: ObjectId, evicted: &BTreeSet<CommitId>) {
    let taken = page.drop_unless(|record| positions_of(record).is_none());
    let mut best: Option<(CommitId, i64)> = None;
    let mut entries = Vec::new();
    for positions in taken.iter().filter_map(positions_of) {
        if stands_at(positions.head, object) && !evicted.contains(&positions.head) {
            let time = best.map_or(positions.time, |(_, time)| time.max(positions.time));
            best = Some((positions.head, time));
            entries.extend(positions.entries);
        }
    }
    if let Some((head, time)) = best {
        for record in Positions::records(head, time, entries) {
            page.insert(record);
        }
    }
}
