//! Everything that the notes of a repository say at one tip, folded, with the drafts that are here.
//!
//! Where comments are now is not in the notes: that is `placing`'s work.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroUsize;

use postil_core::anchoring::ENGINE_VERSION;
use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::{Damage, Draft, LostTip, Purged, Store};
use postil_core::record::{Body, PositionEntry, PositionsRecord, RawEntry, Record, RecordId};
use postil_core::review::{Prefixes, Threads};
use postil_protocol::{Advice, Fault, WarningView};

use crate::convert::fault::OrFault as _;
use crate::repository::hash_of::hash_of;
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
    /// What is needed of signed records.
    pub vouched: BTreeMap<RecordId, Vouched>,
    /// What could not be read, in words.
    pub damage: Vec<String>,
    /// The part of it that may have held threads, in words.
    unread: Vec<String>,
    /// Every draft that was read, also those that only sign another.
    pub(crate) drafted: BTreeSet<RecordId>,
    /// What purges name.
    pub(crate) purged: Purged,
    /// The notes that could not be read, in words.
    pub(crate) missing: Vec<String>,
    /// Newest commits of the notes that could not be read and were skipped, as far as nobody was told.
    pub(crate) lost: Vec<LostTip>,
    /// What they lack: objects that are not here, and may come.
    lacks: Vec<ObjectId>,
    /// Objects that are here and damaged, and may be repaired.
    damaged: Vec<ObjectId>,
    /// The threads that were taken in last, each time with the version before, the oldest first.
    pub(crate) touched: VecDeque<(NotesVersion, BTreeSet<RecordId>)>,
    /// The positions that came with the notes, by head and by the object whose note contains them.
    stored: BTreeMap<(CommitId, ObjectId), Vec<Record>>,
}

/// The kind of the records of comments.
const COMMENT: &str = "comment";

/// Which state of the notes and of the drafts a notes was read at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct NotesVersion {
    /// The tip of the notes.
    pub notes: Option<CommitId>,
    /// The tip of the drafts.
    pub drafts: Option<CommitId>,
    /// Another number for other objects that the notes lack here, as in a partial clone; 0 if all are here.
    pub lacking: u64,
}

impl NotesVersion {
    /// Whether notes and drafts are where they were, whatever of them is here.
    pub fn is_at_refs_of(&self, other: &Self) -> bool {
        self.notes == other.notes && self.drafts == other.drafts
    }
}

impl NotesIndex {
    /// Why there may be more threads than these, in words: notes that could not be read, and comments of a later
    /// version.
    pub fn unread(&self) -> Vec<String> {
        let later = self.threads.not_understood().iter();
        let later = later.filter(|unread| unread.record.is(COMMENT)).count();
        let later = counted(&[(
            later,
            "comment of a later version of postil",
            "comments of a later version of postil",
        )]);
        let lost = self.lost.iter().map(lost_in_words);
        self.unread.iter().cloned().chain(lost).chain(later).collect()
    }

    /// Says that a part of the notes of this repository is lost or damaged, for every answer.
    ///
    /// What others wrote badly is reported by lists alone: strangers could fill every answer with it.
    pub fn lost_warning(&self) -> Option<WarningView> {
        let lost: Vec<String> =
            self.missing.iter().cloned().chain(self.lost.iter().map(lost_in_words)).collect();
        let what = || format!("some comments could not be read: {}", lost.join(", "));
        (!lost.is_empty()).then(|| WarningView { what: what(), advice: Some(Advice::SyncMissing) })
    }

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
        let mut damaged: Vec<ObjectId> = snapshot.damage().missed().collect();
        let lacks = store.repository().lacking(damaged.iter().copied()).unwrap_or_else(|_| damaged.clone());
        damaged.retain(|id| !lacks.contains(id));
        let lost = unknown_losses(store)?;
        let lost_ids: Vec<CommitId> = lost.iter().map(|lost| lost.commit).collect();
        let is_whole = lacks.is_empty() && damaged.is_empty() && lost.is_empty();
        let lacking = if is_whole { 0 } else { hash_of(&(&lacks, &damaged, &lost_ids)) };
        let missing = missing_in_words(snapshot.damage());
        let (foreign, unread) = (foreign_in_words(snapshot.damage()), unread_in_words(snapshot.damage()));
        let unread: Vec<String> = unread.into_iter().chain(missing.iter().cloned()).collect();
        let mut notes = Self {
            version: NotesVersion { notes: snapshot.tip(), lacking, ..version },
            prefixes: threads.prefixes(),
            drafts: BTreeSet::new(),
            damage: foreign.into_iter().chain(unread.iter().cloned()).collect(),
            unread,
            threads,
            vouched,
            drafted: BTreeSet::new(),
            purged: snapshot.purged().clone(),
            missing,
            lost,
            lacks,
            damaged,
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

    /// Keeps a record from the note of `object`, if it contains positions.
    pub(crate) fn store(&mut self, object: ObjectId, record: &Record) {
        if record.kind() == PositionsRecord::KIND
            && let Ok(Body::Positions(positions)) = record.body()
        {
            self.stored.entry((positions.head, object)).or_default().push(record.clone());
        }
    }

    /// Forgets the positions from the note of `object`.
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
            unread: Vec::new(),
            drafted: BTreeSet::new(),
            purged: Purged::default(),
            missing: Vec::new(),
            lost: Vec::new(),
            lacks: Vec::new(),
            damaged: Vec::new(),
            touched: VecDeque::new(),
            stored: BTreeMap::new(),
        }
    }

    /// Whether nothing came of what could not be read when it was read; costs nothing where all was.
    pub fn lacks_the_same(&self, store: &Store) -> bool {
        let lacking = || store.repository().lacking(self.lacks.iter().copied());
        let is_same = || lacking().is_ok_and(|lacking| lacking.len() == self.lacks.len());
        let handle = store.repository().handle();
        let is_damaged = |id: &ObjectId| handle.find_object(id.raw()).is_err();
        (self.lacks.is_empty() || is_same())
            && self.damaged.iter().all(is_damaged)
            && self.lost_the_same(store)
    }

    /// Whether no other newest commits could not be read when it was read.
    pub fn lost_the_same(&self, store: &Store) -> bool {
        unknown_losses(store).is_ok_and(|lost| lost == self.lost)
    }

    /// The threads that may have changed since an earlier version; `None` if that is not known.
    pub fn touched_since(&self, version: NotesVersion) -> Option<BTreeSet<RecordId>> {
        if version == self.version {
            return Some(BTreeSet::new());
        }
        let from = self.touched.iter().rposition(|(before, _)| *before == version)?;
        Some(self.touched.iter().skip(from).flat_map(|(_, touched)| touched.iter().copied()).collect())
    }

    /// The heads that positions came with the notes for; what stands in the note of another object does not count.
    pub fn stored_heads(&self) -> impl Iterator<Item = CommitId> {
        self.stored.keys().filter(|(head, object)| ObjectId::from(*head) == *object).map(|(head, _)| *head)
    }

    /// Whether positions of a comment at a head came with the notes.
    pub fn is_stored_at(&self, head: CommitId, comment: RecordId) -> bool {
        self.entries_about(head).any(|(_, entry)| entry.comment() == comment)
    }

    /// What the notes claim about a head that our own engine could have computed, by comment.
    ///
    /// Of several claims about a comment, the one that says it had most to go by.
    pub fn claims_about(&self, head: CommitId) -> BTreeMap<RecordId, PositionEntry> {
        let mut claims: BTreeMap<RecordId, PositionEntry> = BTreeMap::new();
        let read = self.entries_about(head).filter_map(|(_, raw)| raw.read().ok());
        for claim in read.filter(|claim| claim.engine == ENGINE_VERSION) {
            let known = claims.get(&claim.comment);
            if known.is_none_or(|known| known.basis < claim.basis) {
                claims.insert(claim.comment, claim);
            }
        }
        claims
    }

    /// The entries that the notes have about a head, each with the time that its record gives the head.
    ///
    /// Only what stands in the note of that head counts; a copy elsewhere adds nothing.
    pub fn entries_about(&self, head: CommitId) -> impl Iterator<Item = (i64, RawEntry)> {
        let records = self.stored.get(&(head, head.into())).into_iter().flatten();
        let positions = records.filter_map(|record| match record.body() {
            Ok(Body::Positions(positions)) => Some(positions),
            _ => None,
        });
        positions.flat_map(|positions| {
            let time = positions.time;
            positions.entries.into_iter().map(move |entry| (time, entry))
        })
    }
}

/// Text of other programs in the notes, in words.
fn foreign_in_words(damage: &Damage) -> Vec<String> {
    counted(&[(damage.foreign, "piece of foreign text", "pieces of foreign text")])
}

/// The newest commits of the notes that cannot be read, as far as nobody was told.
fn unknown_losses(store: &Store) -> Result<Vec<LostTip>, Fault> {
    let mut lost = store.lost_tips();
    lost.retain(|lost| !lost.is_acknowledged);
    // One that nobody could skip yet, because this repository cannot be written to.
    let unreadable = store.notes_to_read().or_fault()?.unreadable;
    lost.extend(unreadable.filter(|tip| lost.iter().all(|lost| lost.commit != *tip)).map(|commit| LostTip {
        commit,
        since: 0,
        is_acknowledged: false,
        subject: String::new(),
    }));
    Ok(lost)
}

/// A commit of the notes that cannot be read.
pub(crate) fn lost_in_words(lost: &LostTip) -> String {
    let subject = if lost.subject.is_empty() { String::new() } else { format!(" ({})", lost.subject) };
    format!("an unreadable commit, {}{subject}", lost.commit)
}

/// What could not be read in the notes, in words.
fn unread_in_words(damage: &Damage) -> Vec<String> {
    counted(&[
        (damage.remains, "damaged record", "damaged records"),
        (damage.over_budget, "note too large to read completely", "notes too large to read completely"),
    ])
}

/// The notes that are not there.
fn missing_in_words(damage: &Damage) -> Vec<String> {
    counted(&[
        (damage.missing.len(), "note whose content is missing", "notes whose content is missing"),
        (damage.trees.len(), "damaged part of the notes tree", "damaged parts of the notes tree"),
    ])
}

fn counted(counts: &[(usize, &str, &str)]) -> Vec<String> {
    let told = counts.iter().filter(|(count, ..)| *count > 0);
    told.map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many })).collect()
}
