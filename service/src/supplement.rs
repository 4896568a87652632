//! What a book lacks of a later edition, so that it need not be read anew.
//!
//! What was added is taken in; a book that lost something is read as a whole again, which `book` does. Both ways lead to
//! the same book.

use std::collections::BTreeSet;

use postil_core::git::ObjectId;
use postil_core::notes::{Draft, Gain, Store};
use postil_core::record::{Body, Record, RecordId};

use super::book::{Book, Edition};
use super::sign::is_signature;
use super::vouch::Vouched;

/// What a book lacks of a later edition.
#[derive(Debug)]
pub(super) struct Supplement {
    edition: Edition,
    gain: Gain,
    drafts: Vec<Draft>,
}

impl Supplement {
    /// Finds what `book` lacks; `None` where the edition has to be read as a whole.
    pub fn find(book: &Book, store: &Store, edition: Edition) -> Option<Self> {
        if !book.is_whole {
            return None;
        }
        let gain = match (book.edition.notes, edition.notes) {
            (from, to) if from == to => Gain::default(),
            (Some(from), Some(to)) => store.gained(from, to, &book.purged).ok().flatten()?,
            _ => return None,
        };
        let drafts = new_drafts(book, store, edition)?;
        let supplement = Self { edition, gain, drafts };
        supplement.has_what_is_signed(book).then_some(supplement)
    }

    /// The new records, with the objects whose notes they stand in or will stand in.
    fn records(&self) -> impl Iterator<Item = (ObjectId, &Record)> {
        let noted = self.gain.records.iter().map(|(object, record)| (*object, record));
        noted.chain(self.drafts.iter().map(|draft| (draft.home.object(), &draft.record)))
    }

    /// Whether nobody signed an older record: its bytes are not in the book.
    fn has_what_is_signed(&self, book: &Book) -> bool {
        let ids: BTreeSet<RecordId> = self.records().map(|(_, record)| record.id()).collect();
        let signed = self.records().map(|(_, record)| record).filter(|record| is_signature(record));
        signed.into_iter().all(|signature| match signature.body() {
            Ok(Body::Signature(signature)) => {
                ids.contains(&signature.of) || book.vouched.contains_key(&signature.of)
            }
            // One that cannot be read signs nothing.
            _ => true,
        })
    }
}

impl Book {
    /// Takes in what was lacking, and is of the later edition then.
    pub fn take_in(&mut self, supplement: &Supplement) {
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
        self.edition = supplement.edition;
    }
}

/// The drafts that the book does not have; `None` where some are gone.
fn new_drafts(book: &Book, store: &Store, edition: Edition) -> Option<Vec<Draft>> {
    if book.edition.drafts == edition.drafts {
        return Some(Vec::new());
    }
    let now = store.drafts().ok()?;
    let ids: BTreeSet<RecordId> = now.iter().map(|draft| draft.record.id()).collect();
    let is_known = |draft: &Draft| book.drafted.contains(&draft.record.id());
    ids.is_superset(&book.drafted).then(|| now.into_iter().filter(|draft| !is_known(draft)).collect())
}
