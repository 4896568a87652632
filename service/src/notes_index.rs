//! Everything that the notes of a repository say at one tip, folded, with the drafts that are here.
//!
//! Where comments are now is not in the notes: that is `placing`'s work.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroUsize;

use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::{Damage, Draft, Purged, Store};
use postil_core::record::{Body, Entry, Positions, Record, RecordId};
use postil_core::review::{Prefixes, Threads};
use postil_protocol::Fault;

use crate::fault::OrFault as _;
use crate::view::signatures::Vouched;
use crate::writing::sign::is_signature;

/// Everything that the notes say at one tip.
#[derive(Clone, Debug)]
pub(crate) struct NotesIndex {
    /// What it was read at.
    pub version: NotesVersion,
    /// The threads and reviews, drafts among them.
    pub threads: Threads,
    /// Their short names.
    pub prefixes: Prefixes,
    /// The records that are not shared yet.
    pub drafts: BTreeSet<RecordId>,
    /// What is needed of records that somebody signed.
    pub vouched: BTreeMap<RecordId, Vouched>,
    /// What could not be read, in words.
    pub damage: Vec<String>,
    /// Every draft that was read, also those that only sign another.
    pub(crate) drafted: BTreeSet<RecordId>,
    /// What purges name.
    pub(crate) purged: Purged,
    /// Whether every note could be read.
    pub(crate) is_whole: bool,
    /// The threads that were taken in last, each time with the version before, the oldest first.
    pub(crate) touched: VecDeque<(NotesVersion, BTreeSet<RecordId>)>,
    /// The positions that came with the notes, by head, and by what the note is attached to that they stand in.
    stored: BTreeMap<(CommitId, ObjectId), Vec<Record>>,
}

/// Which state of the notes and of the drafts a notes was read at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct NotesVersion {
    /// The tip of the notes.
    pub notes: Option<CommitId>,
    /// The tip of the drafts.
    pub drafts: Option<CommitId>,
}

impl NotesIndex {
    /// Reads and folds the whole store.
    ///
    /// What is written meanwhile may be in it although the version does not say so; the next look then reads again.
    pub fn read(store: &Store, version: NotesVersion, threads: NonZeroUsize) -> Result<Self, Fault> {
        let snapshot = store.read().or_fault()?;
        let drafts = if version.drafts.is_some() { store.drafts().or_fault()? } else { Vec::new() };
        let of_drafts = drafts.iter().map(|draft: &Draft| (draft.home.object(), &draft.record));
        let threads = Threads::fold_on(snapshot.records().chain(of_drafts), threads);
        let all =
            snapshot.records().map(|(_, record)| record).chain(drafts.iter().map(|draft| &draft.record));
        let vouched = Vouched::among(&threads, all);
        let mut notes = Self {
            version: NotesVersion { notes: snapshot.tip(), ..version },
            prefixes: threads.prefixes(),
            drafts: BTreeSet::new(),
            damage: damage_in_words(snapshot.damage()),
            threads,
            vouched,
            drafted: BTreeSet::new(),
            purged: snapshot.purged().clone(),
            is_whole: is_whole(snapshot.damage()),
            touched: VecDeque::new(),
            stored: BTreeMap::new(),
        };
        notes.note_drafts(&drafts);
        for (object, record) in snapshot.records() {
            notes.store(object, record);
        }
        Ok(notes)
    }

    /// Notes which records are drafts.
    pub(crate) fn note_drafts(&mut self, drafts: &[Draft]) {
        self.drafted.extend(drafts.iter().map(|draft| draft.record.id()));
        let said = drafts.iter().filter(|draft| !is_signature(&draft.record));
        self.drafts.extend(said.map(|draft| draft.record.id()));
    }

    /// Keeps a record that stands in the note of `object`, if it has positions.
    pub(crate) fn store(&mut self, object: ObjectId, record: &Record) {
        if record.kind() == Positions::KIND
            && let Ok(Body::Positions(positions)) = record.body()
        {
            self.stored.entry((positions.head, object)).or_default().push(record.clone());
        }
    }

    /// Forgets the positions that stood in the note of `object`.
    pub(crate) fn unstore(&mut self, object: ObjectId) {
        self.stored.retain(|(_, stands_in), _| *stands_in != object);
    }

    /// A notes of threads that were just made, with the short names that go for all.
    pub fn of(threads: Threads, prefixes: Prefixes, drafts: BTreeSet<RecordId>) -> Self {
        Self {
            version: NotesVersion::default(),
            threads,
            prefixes,
            drafts,
            vouched: BTreeMap::new(),
            damage: Vec::new(),
            drafted: BTreeSet::new(),
            purged: Purged::default(),
            is_whole: true,
            touched: VecDeque::new(),
            stored: BTreeMap::new(),
        }
    }

    /// The threads about which something may be otherwise than at an earlier version; `None` where nobody knows.
    pub fn touched_since(&self, version: NotesVersion) -> Option<BTreeSet<RecordId>> {
        if version == self.version {
            return Some(BTreeSet::new());
        }
        let from = self.touched.iter().rposition(|(before, _)| *before == version)?;
        Some(self.touched.iter().skip(from).flat_map(|(_, touched)| touched.iter().copied()).collect())
    }

    /// The heads that positions came with the notes for.
    pub fn stored_heads(&self) -> impl Iterator<Item = CommitId> {
        // Copies stand beside each other.
        let mut heads: Vec<CommitId> = self.stored.keys().map(|(head, _)| *head).collect();
        heads.dedup();
        heads.into_iter()
    }

    /// The positions of a head that came with the notes, by comment.
    pub fn stored_at(&self, head: CommitId) -> BTreeMap<RecordId, Entry> {
        let mut entries = BTreeMap::new();
        let of_head = self.stored.iter().filter(|((of, _), _)| *of == head);
        for record in of_head.flat_map(|(_, records)| records) {
            let Ok(Body::Positions(positions)) = record.body() else { continue };
            for raw in &positions.entries {
                if let Ok(entry) = raw.read() {
                    entries.insert(entry.comment, entry);
                }
            }
        }
        entries
    }
}

/// Whether all notes are there; what stands in them may be damaged all the same.
fn is_whole(damage: &Damage) -> bool {
    damage.missing.is_empty() && damage.trees.is_empty()
}

fn damage_in_words(damage: &Damage) -> Vec<String> {
    let counts = [
        (damage.foreign, "stretch of foreign words in notes", "stretches of foreign words in notes"),
        (damage.remains, "remains of a damaged record", "remains of damaged records"),
        (damage.over_budget, "note too costly to read to its end", "notes too costly to read to their ends"),
        (damage.missing.len(), "note whose content is missing", "notes whose content is missing"),
        (damage.trees.len(), "damaged part of the notes tree", "damaged parts of the notes tree"),
    ];
    let told = counts.iter().filter(|(count, ..)| *count > 0);
    told.map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many })).collect()
}
