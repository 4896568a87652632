//! What purges removed and is kept here: who purged it, who wrote it, and what it becomes when it is restored.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::notes::{PurgedRecord, RestoredRecord, Store, restore_purged};
use postil_core::record::{Author, Body, PurgeRecord, Record, RecordId, Timestamp};
use postil_protocol::{Advice, Fault, FaultCode, Person, PurgeView};

use crate::convert::fault::OrFault as _;
use crate::request::Request;
use crate::view::{hex, person};

/// What purges removed and is kept here.
pub(crate) struct KeptPurged {
    /// The records that a purge in the notes names, each once.
    pub records: Vec<PurgedRecord>,
    /// The purge that named each.
    purges: BTreeMap<RecordId, NamedBy>,
    /// What those become that can be restored.
    becomes: Vec<RestoredRecord>,
    /// Those that were restored already, with what they became.
    pub restored: BTreeMap<RecordId, RecordId>,
}

/// A purge that names a record.
#[derive(Clone, Debug)]
struct NamedBy {
    id: RecordId,
    author: Author,
    at: Timestamp,
}

impl KeptPurged {
    /// Reads what is kept, and the purges; costs reading the store if anything is kept.
    pub fn read(store: &Store) -> Result<Self, Fault> {
        let mut records = store.purged_records().or_fault()?;
        let mut kept = Self {
            records: Vec::new(),
            purges: BTreeMap::new(),
            becomes: Vec::new(),
            restored: BTreeMap::new(),
        };
        if records.is_empty() {
            return Ok(kept);
        }
        let snapshot = store.read().or_fault()?;
        let purges = snapshot.records().filter(|(_, record)| record.is(PurgeRecord::KIND));
        for (_, record) in purges {
            let Ok(Body::Purge(purge)) = record.body() else { continue };
            let by = NamedBy { id: record.id(), author: purge.author, at: purge.at };
            for id in purge.of {
                kept.purges.entry(id).or_insert_with(|| by.clone());
            }
        }
        let mut seen = BTreeSet::new();
        // One that no purge names is still there: the purge was not written.
        records.retain(|one| kept.purges.contains_key(&one.record.id()) && seen.insert(one.record.id()));
        kept.becomes = restore_purged(&records, snapshot.purged()).or_fault()?;
        let here: BTreeSet<RecordId> = snapshot.records().map(|(_, record)| record.id()).collect();
        let again = kept.becomes.iter().filter(|new| here.contains(&new.record.id()));
        kept.restored = again.map(|new| (new.of, new.record.id())).collect();
        kept.records = records;
        Ok(kept)
    }

    /// The records that can be restored and were not, without those that come along with another of them.
    pub fn to_restore(&self) -> impl Iterator<Item = &PurgedRecord> {
        let open: BTreeSet<RecordId> =
            self.becomes.iter().map(|new| new.of).filter(|id| !self.restored.contains_key(id)).collect();
        let is_first = move |one: &&PurgedRecord| {
            open.contains(&one.record.id()) && about(&one.record).is_none_or(|of| !open.contains(&of))
        };
        self.records.iter().filter(is_first)
    }

    /// The one kept record whose id begins like this.
    pub fn named(&self, name: &str) -> Result<RecordId, Fault> {
        let ids = self.records.iter().map(|one| one.record.id());
        let found: Vec<RecordId> = ids.filter(|id| id.to_string().starts_with(name)).collect();
        match found[..] {
            [id] => Ok(id),
            [_, _, ..] if !name.is_empty() => {
                let fault = Fault::new(FaultCode::Ambiguous, format!("ambiguous ID prefix: {name}"));
                Err(fault.perhaps(found.iter().take(10).map(ToString::to_string)))
            }
            _ => {
                let message = format!("no purged record is kept here with the ID {name:?}");
                Err(Fault::new(FaultCode::NotFound, message).advise(Advice::ListPurged))
            }
        }
    }

    /// What these become, with all that was said about them and what they are about; without what is there already.
    pub fn restoring(&self, wanted: &BTreeSet<RecordId>) -> Vec<&RestoredRecord> {
        let mut all = wanted.clone();
        // With a comment come its answers, and what was said about those.
        let mut grown = 0;
        while grown != all.len() {
            grown = all.len();
            let more =
                self.records.iter().filter(|one| about(&one.record).is_some_and(|of| all.contains(&of)));
            all.extend(more.map(|one| one.record.id()).collect::<Vec<_>>());
        }
        // An answer makes no sense without what it answers.
        let parents: BTreeMap<RecordId, RecordId> =
            self.records.iter().filter_map(|one| Some((one.record.id(), about(&one.record)?))).collect();
        for id in wanted {
            let mut id = *id;
            while let Some(parent) = parents.get(&id).filter(|parent| all.insert(**parent)) {
                id = *parent;
            }
        }
        let is_missing =
            |new: &&RestoredRecord| all.contains(&new.of) && !self.restored.contains_key(&new.of);
        self.becomes.iter().filter(is_missing).collect()
    }

    /// The purges of these records, the oldest first.
    pub fn views(&self, ids: impl Fn(RecordId) -> bool) -> Vec<PurgeView> {
        let firsts: BTreeSet<RecordId> = self.to_restore().map(|one| one.record.id()).collect();
        let mut views: BTreeMap<RecordId, PurgeView> = BTreeMap::new();
        for one in self.records.iter().filter(|one| ids(one.record.id())) {
            let Some(by) = self.purges.get(&one.record.id()) else { continue };
            let view = views.entry(by.id).or_insert_with(|| PurgeView {
                id: hex(by.id),
                by: person(&by.author, None),
                at: by.at.0,
                records: 0,
                authors: Vec::new(),
                others: false,
                restore: Vec::new(),
            });
            view.records += 1;
            if let Some(author) = author_of(&one.record) {
                view.others |= author.email != by.author.email;
                add_person(&mut view.authors, &author);
            }
            if firsts.contains(&one.record.id()) {
                view.restore.push(hex(one.record.id()));
            }
        }
        let mut views: Vec<PurgeView> = views.into_values().collect();
        views.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        views
    }

    /// Who wrote a kept record, and who purged it, in words.
    pub fn story(&self, record: &Record) -> String {
        let (author, by) = (author_of(record), self.purges.get(&record.id()));
        let written = author.as_ref().map(|author| format!(" by {}", author.name)).unwrap_or_default();
        let what = format!("{} {}{written}", record.kind(), record.id());
        match (author, by) {
            (Some(author), Some(by)) if author.email == by.author.email => {
                format!("{what} was purged by its author")
            }
            (Some(_), Some(by)) => format!("{what} was purged by {}, who did not write it", by.author.name),
            (None, Some(by)) => format!("{what} was purged by {}", by.author.name),
            (_, None) => format!("{what} was purged"),
        }
    }
}

/// Says of something that was not found that it was purged, by whom, and how it comes back.
pub(crate) fn perhaps_purged(request: &Request, name: &str, fault: Fault) -> Fault {
    if fault.code != FaultCode::NotFound || name.len() < 4 {
        return fault;
    }
    let Ok(kept) = KeptPurged::read(&request.repository.store) else { return fault };
    let Ok(id) = kept.named(name) else { return fault };
    let Some(one) = kept.records.iter().find(|one| one.record.id() == id) else { return fault };
    let advice = match kept.restored.get(&id) {
        Some(new) => Advice::ShowRestored { record: hex(*new) },
        None => Advice::RestorePurged { records: vec![hex(id)] },
    };
    Fault::new(FaultCode::NotFound, kept.story(&one.record)).advise(advice)
}

/// Adds a person, unless somebody with that address is there.
pub(crate) fn add_person(people: &mut Vec<Person>, author: &Author) {
    if people.iter().all(|known| known.email != author.email) {
        people.push(person(author, None));
    }
}

/// What a record says something about.
fn about(record: &Record) -> Option<RecordId> {
    match record.body() {
        Ok(Body::Comment(comment)) => comment.parent.or(comment.review),
        Ok(Body::Edit(edit)) => Some(edit.of),
        Ok(Body::Status(status)) => Some(status.of),
        Ok(Body::Move(moved)) => Some(moved.of),
        Ok(Body::Verdict(verdict)) => Some(verdict.review),
        Ok(Body::Proposal(proposal)) => Some(proposal.of),
        Ok(Body::Request(request)) => Some(request.review),
        _ => None,
    }
}

fn author_of(record: &Record) -> Option<Author> {
    record.body().ok()?.made_by().map(|(author, _)| author.clone())
}
