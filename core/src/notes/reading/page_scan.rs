//! Scans pages for what matters to the whole store: purges, and heads that have positions.
//!
//! Both are rare, and a search for the names of their kinds in the bytes is much cheaper than reading every record.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use memchr::memmem;

use super::note_blobs::NoteBlobs;
use super::pages::read_each;
use crate::git::{BlobId, CommitId, ObjectId};
use crate::notes::NotesError;
use crate::record::{Body, Page, PositionsRecord, PurgeRecord, Record, RecordId};

/// How many heads keep their positions; the oldest go first.
pub const MAX_POSITION_HEADS: usize = 64;

/// What purges name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    ids: BTreeSet<RecordId>,
    blobs: BTreeSet<BlobId>,
}

impl Purged {
    /// Whether this record is hidden everywhere; purges never are, and positions are not, because merging gives them
    /// other ids.
    pub fn hides(&self, record: &Record) -> bool {
        self.ids.contains(&record.id()) && !record.is(PurgeRecord::KIND) && !record.is(PositionsRecord::KIND)
    }

    /// Whether a purge names this id.
    pub fn names(&self, id: RecordId) -> bool {
        self.ids.contains(&id)
    }

    /// Whether the pin of this blob goes.
    pub fn unpins(&self, blob: BlobId) -> bool {
        self.blobs.contains(&blob)
    }

    /// Whether no purge names any record.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds what one more record names, if it is a purge.
    pub(in crate::notes) fn learn(&mut self, record: &Record) {
        if !record.is(PurgeRecord::KIND) {
            return;
        }
        if let Ok(Body::Purge(purge)) = record.body() {
            self.ids.extend(purge.of);
            self.blobs.extend(purge.blobs);
        }
    }

    pub(in crate::notes) fn add(&mut self, other: Self) {
        self.ids.extend(other.ids);
        self.blobs.extend(other.blobs);
    }
}

/// What a scan of all pages found.
#[derive(Debug, Default)]
pub(in crate::notes) struct PageScan {
    pub purged: Purged,
    heads: BTreeMap<CommitId, i64>,
    /// Notes that could not be read.
    pub missed: Vec<ObjectId>,
}

/// Notes that a scan has found to have no purges and no positions: most of them. A blob never changes, so they are not
/// scanned again.
#[derive(Debug, Default)]
pub(in crate::notes) struct NotesWithoutPurges(Mutex<HashSet<BlobId>>);

impl NotesWithoutPurges {
    /// If there are more, all are forgotten, so that a large store does not fill the memory of a daemon.
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

/// How notes are scanned.
#[derive(Clone, Copy, Debug)]
pub(in crate::notes) struct PageScanner<'a> {
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// What need not be scanned again.
    pub plain: &'a NotesWithoutPurges,
}

impl PageScan {
    /// Scans all of `notes`; one whose blob is not here is skipped.
    pub fn gather(
        repo: &gix::Repository,
        reader: PageScanner<'_>,
        notes: &BTreeMap<ObjectId, NoteBlobs>,
    ) -> Self {
        let known = reader.plain.known();
        let (objects, blobs): (Vec<ObjectId>, Vec<BlobId>) = notes
            .iter()
            .flat_map(|(object, blobs)| blobs.iter().map(|blob| (*object, *blob)))
            .filter(|(_, blob)| !known.contains(blob))
            .unzip();
        drop(known);
        let found = read_each(repo, reader.threads, &blobs, scan_page);
        let is_plain = |found: &Result<Option<Self>, NotesError>| matches!(found, Ok(None));
        reader
            .plain
            .learn(blobs.iter().zip(&found).filter(|(_, found)| is_plain(found)).map(|(blob, _)| *blob));
        let mut scan = Self::default();
        for ((object, blob), found) in objects.into_iter().zip(&blobs).zip(found) {
            let found = match found {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(_) => {
                    scan.missed.push((*blob).into());
                    continue;
                }
            };
            scan.purged.add(found.purged);
            for (head, time) in found.heads.into_iter().filter(|(head, _)| stands_at(*head, object)) {
                scan.heads.entry(head).and_modify(|known| *known = time.max(*known)).or_insert(time);
            }
        }
        scan
    }

    /// The heads whose positions are removed, because there are enough newer ones.
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

fn scan_page(note: &[u8]) -> Option<PageScan> {
    // A kind stands in a record as a text string of its length: 65 "purge", 69 "positions".
    let mentions = |kind: &str| memmem::find(note, kind.as_bytes()).is_some();
    if !mentions(PurgeRecord::KIND) && !mentions(PositionsRecord::KIND) {
        return None;
    }
    let mut scan = PageScan::default();
    for record in Page::parse(note).records() {
        scan.purged.learn(record);
        if let Some(positions) = positions_of(record) {
            scan.heads.insert(positions.head, positions.time);
        }
    }
    Some(scan)
}

fn positions_of(record: &Record) -> Option<PositionsRecord> {
    match record.is(PositionsRecord::KIND).then(|| record.body()) {
        Some(Ok(Body::Positions(positions))) => Some(positions),
        _ => None,
    }
}

/// Unites the positions of one page: for its own head, one entry for each comment.
///
/// Those of an evicted head are removed, and so are copies that belong to another head.
pub(in crate::notes) fn unite_positions(page: &mut Page, object: ObjectId, evicted: &BTreeSet<CommitId>) {
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
        for record in PositionsRecord::records(head, time, entries) {
            page.insert(record);
        }
    }
}
