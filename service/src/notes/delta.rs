//! What a notes index lacks of a later version, so that it need not be read again.
//!
//! What was added is taken in; an index that lost something is read as a whole again, which `notes` does. Both ways lead to
//! the same notes.

use std::collections::BTreeSet;

use postil_core::git::ObjectId;
use postil_core::notes::{AddedRecords, Draft, Store};
use postil_core::record::{Body, Record, RecordId};

use super::index::{NotesIndex, NotesVersion};
use super::subject::{Subject, Subjects, threads_of_review};
use crate::view::signatures::Vouched;
use crate::writing::sign::is_signature;

/// Number of updates whose touched threads are kept; a client that knows an older version checks everything.
const MAX_TOUCHED: usize = 64;

/// What a notes index lacks of a later version.
#[derive(Debug)]
pub(crate) struct NotesDelta {
    version: NotesVersion,
    gain: AddedRecords,
    drafts: Vec<Draft>,
}

impl NotesDelta {
    /// Finds what `notes` lacks; `None` if the version has to be read as a whole.
    pub fn find(notes: &NotesIndex, store: &Store, version: NotesVersion) -> Option<Self> {
        if !notes.missing.is_empty() || !notes.lost_the_same(store) {
            return None;
        }
        let gain = match (notes.version.notes, version.notes) {
            (from, to) if from == to => AddedRecords::default(),
            (Some(from), Some(to)) => store.added_since(from, to, &notes.purged).ok().flatten()?,
            _ => return None,
        };
        let drafts = new_drafts(notes, store, version)?;
        let supplement = Self { version, gain, drafts };
        supplement.has_what_is_signed(notes).then_some(supplement)
    }

    /// The new records, each with the object whose note contains it or will contain it.
    fn records(&self) -> impl Iterator<Item = (ObjectId, &Record)> {
        let noted = self.gain.records.iter().map(|(object, record)| (*object, record));
        noted.chain(self.drafts.iter().map(|draft| (draft.home.object(), &draft.record)))
    }

    /// Whether none of the new signatures is for an older record: the bytes of those are not kept.
    fn has_what_is_signed(&self, notes: &NotesIndex) -> bool {
        let ids: BTreeSet<RecordId> = self.records().map(|(_, record)| record.id()).collect();
        let signed = self.records().map(|(_, record)| record).filter(|record| is_signature(record));
        signed.into_iter().all(|signature| match signature.body() {
            Ok(Body::Signature(signature)) => {
                ids.contains(&signature.of) || notes.vouched.contains_key(&signature.of)
            }
            // One that cannot be read signs nothing.
            _ => true,
        })
    }
}

impl NotesIndex {
    /// Takes in what was lacking, and is of the later version then.
    pub fn take_in(&mut self, supplement: &NotesDelta) {
        self.threads.add(supplement.records());
        let records = || supplement.records().map(|(_, record)| record);
        self.vouched.extend(Vouched::among(&self.threads, records()));
        let is_named =
            |id: &RecordId| self.threads.comment(*id).is_some() || self.threads.review(*id).is_some();
        self.prefixes.extend(records().map(Record::id).filter(is_named));
        self.note_drafts(&supplement.drafts);
        for (object, positions) in &supplement.gain.positions {
            self.unstore(*object);
            for record in positions {
                self.store(*object, record);
            }
        }
        self.note_touched(supplement);
        // What was not here before is not here now; otherwise all would be read again.
        self.version = NotesVersion { lacking: self.version.lacking, ..supplement.version };
    }

    /// Remembers for a while which threads this is about.
    fn note_touched(&mut self, supplement: &NotesDelta) {
        let records: Vec<&Record> = supplement.records().map(|(_, record)| record).collect();
        let subjects = Subjects::new(&self.threads, records.iter().copied());
        let mut touched = BTreeSet::new();
        for record in &records {
            // A thread without its first comment is named by that, which may come and answer another one.
            touched.insert(record.id());
            // Other short ids may be longer because of it.
            touched.extend(self.prefixes.longer_for(record.id()));
            match subjects.of(record.id()) {
                Some(Subject::Thread(thread)) => _ = touched.insert(thread),
                Some(Subject::Review(review)) => touched.extend(threads_of_review(&self.threads, review)),
                None => {}
            }
        }
        // Which of several copies of a finding is shown may be another one now.
        let copies: Vec<RecordId> =
            touched.iter().flat_map(|thread| self.threads.with_key_of(*thread)).collect();
        touched.extend(copies);
        if self.touched.len() >= MAX_TOUCHED {
            self.touched.pop_front();
        }
        self.touched.push_back((self.version, touched));
    }
}

/// The drafts that the notes does not have; `None` if some are gone.
fn new_drafts(notes: &NotesIndex, store: &Store, version: NotesVersion) -> Option<Vec<Draft>> {
    if notes.version.drafts == version.drafts {
        return Some(Vec::new());
    }
    let now = store.drafts().ok()?;
    let ids: BTreeSet<RecordId> = now.iter().map(|draft| draft.record.id()).collect();
    let is_known = |draft: &Draft| notes.drafted.contains(&draft.record.id());
    ids.is_superset(&notes.drafted).then(|| now.into_iter().filter(|draft| !is_known(draft)).collect())
}
