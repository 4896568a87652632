//! What people said and did between two versions of the notes and the drafts.
//!
//! It starts from the records that differ, so the cost depends on what changed, not on the size of the store.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::notes::Draft;
use postil_core::record::{Body, PurgeRecord, Record, RecordId, RequestWord, StatusWord};
use postil_core::review::{Comment, Review, ReviewGroup};
use postil_protocol::{ChangeKind, ChangeView, MAX_CHANGES, Person};

use crate::notes::index::NotesVersion;
use crate::notes::subject::{Subject, Subjects, namesakes, threads_of_review};
use crate::request::Request;
use crate::view::{hex, person};
use crate::writing::sign::is_signature;

/// What people said and did.
#[derive(Debug, Default)]
pub(crate) struct SaidSince {
    /// What, about what, the oldest first; of the same moment, by the ids of the records.
    pub changes: Vec<Told>,
    /// The threads that this is about.
    pub threads: BTreeSet<RecordId>,
    /// The reviews that this is about, by the ids that they are shown under, or had.
    pub reviews: BTreeSet<RecordId>,
    /// The threads that began with it.
    pub begun: BTreeSet<RecordId>,
    /// The threads that may be seen now and were not before, or the other way round.
    pub turned: BTreeSet<RecordId>,
    /// Of first comments that are not here any more, what they said.
    pub gone: BTreeMap<RecordId, Body>,
    /// Whether something is missing here that cannot be found out.
    pub has_gaps: bool,
}

/// One thing that a person wrote or did.
#[derive(Debug)]
pub(crate) struct Told {
    what: ChangeKind,
    /// About what.
    pub of: Subject,
    record: Option<RecordId>,
    by: Option<Person>,
    at: Option<u64>,
    /// Whether a purge removed something that somebody else wrote.
    others: bool,
}

impl Told {
    /// The form that clients receive.
    pub fn view(&self, of: RecordId) -> ChangeView {
        let (what, of, record) = (self.what, hex(of), self.record.map(hex));
        ChangeView { what, of, record, by: self.by.clone(), at: self.at, others: self.others }
    }
}

/// The records that differ between two versions.
struct DifferingRecords {
    came: Vec<Record>,
    went: Vec<Record>,
    drafted: Vec<Record>,
    undrafted: Vec<Record>,
}

impl SaidSince {
    /// Finds what was said since a version; `None` if that version is not here any more, or is too long ago.
    pub fn find(request: &Request, since: NotesVersion) -> Option<Self> {
        let DifferingRecords { mut came, went, drafted, undrafted } = differing(request, since)?;
        let count = came.len() + went.len() + drafted.len() + undrafted.len();
        if count > MAX_CHANGES {
            return None;
        }
        let notes = &request.notes;
        came.retain(|record| !notes.purged.hides(record));
        let all = came.iter().chain(&went).chain(&drafted).chain(&undrafted);
        let subjects = Subjects::new(&notes.threads, all);
        let mut said = Self::default();
        let shared: BTreeSet<RecordId> = came.iter().map(Record::id).collect();
        let mut purged: BTreeMap<RecordId, &Record> = BTreeMap::new();
        for record in came.iter().filter(|record| record.is(PurgeRecord::KIND)) {
            if let Some(Body::Purge(purge)) = subjects.body(record.id()) {
                purged.extend(purge.of.iter().map(|id| (*id, record)));
            }
        }
        // A draft is shared first and then given up: until that is done, it is the draft that it was.
        let mut drafts: BTreeSet<RecordId> = undrafted.iter().map(Record::id).collect();
        drafts.extend(&notes.drafted);
        for record in came.iter().filter(|record| !drafts.contains(&record.id())).chain(&drafted) {
            said.add(request, &subjects, record, |body| what_of(request, record.id(), body));
            if subjects.of(record.id()) == Some(Subject::Thread(record.id())) {
                said.begun.insert(record.id());
            }
        }
        for record in &undrafted {
            let id = record.id();
            let is_here = shared.contains(&id)
                || notes.threads.comment(id).is_some()
                || notes.threads.review(id).is_some();
            let what = if is_here { ChangeKind::Published } else { ChangeKind::Dropped };
            said.add(request, &subjects, record, |_| Some(what));
            if !is_here {
                said.lose(&subjects, record);
            }
        }
        let mut told: BTreeSet<(Subject, RecordId)> = BTreeSet::new();
        for record in &went {
            let Some(of) = subjects.of(record.id()) else { continue };
            said.lose(&subjects, record);
            match purged.remove(&record.id()) {
                Some(purge) => {
                    if told.insert((of, purge.id())) {
                        said.add_about(request, &subjects, of, purge, ChangeKind::Purged);
                    }
                    said.note_author(of, purge.id(), subjects.body(record.id()));
                }
                // The record was lost, and there is no author for that.
                None => said.about(request, of),
            }
        }
        // The client may know a record that a purge names, even if it was never in the notes here.
        said.has_gaps = purged.keys().any(|id| !shared.contains(id));
        // Everyone gets the changes in the same order, however the records arrived.
        said.changes.sort_by_key(|told| (told.at, told.record, told.of));
        Some(said)
    }

    /// The records by which it was said or done.
    pub fn records(&self) -> impl Iterator<Item = RecordId> {
        self.changes.iter().filter_map(|told| told.record)
    }

    fn add(
        &mut self,
        request: &Request,
        subjects: &Subjects<'_>,
        record: &Record,
        what: impl FnOnce(&Body) -> Option<ChangeKind>,
    ) {
        let (Some(of), Some(body)) = (subjects.of(record.id()), subjects.body(record.id())) else { return };
        self.about(request, of);
        if matches!(body, Body::Move(_))
            && let Subject::Thread(thread) = of
        {
            self.turned.insert(thread);
        }
        if let Some(what) = what(body) {
            self.add_about(request, subjects, of, record, what);
        }
    }

    fn add_about(
        &mut self,
        request: &Request,
        subjects: &Subjects<'_>,
        of: Subject,
        record: &Record,
        what: ChangeKind,
    ) {
        self.about(request, of);
        let made = subjects.body(record.id()).and_then(Body::made_by);
        let via = subjects.body(record.id()).and_then(Body::via);
        let (by, at) = (made.map(|(author, _)| person(author, via)), made.map(|(_, at)| at.0));
        self.changes.push(Told { what, of, record: Some(record.id()), by, at, others: false });
    }

    /// Notes who wrote something that a purge removed, if it was not who purged.
    fn note_author(&mut self, of: Subject, purge: RecordId, gone: Option<&Body>) {
        let Some((author, _)) = gone.and_then(Body::made_by) else { return };
        let of_purge = |told: &&mut Told| told.of == of && told.record == Some(purge);
        if let Some(told) = self.changes.iter_mut().rev().find(of_purge) {
            told.others |= told.by.as_ref().is_some_and(|by| by.email != author.email);
        }
    }

    /// Notes that something was said about this.
    fn about(&mut self, request: &Request, of: Subject) {
        let threads = &request.notes.threads;
        match of {
            Subject::Thread(thread) => _ = self.threads.insert(thread),
            Subject::Review(review) => {
                self.reviews.insert(shown_as(request, review));
                self.turned.extend(threads_of_review(threads, review));
                let others = namesakes(threads, review);
                if !others.is_empty() {
                    // Which review its threads are shown with may be another.
                    self.threads.extend(threads_of_review(threads, review));
                    self.reviews.extend(others.into_iter().map(|other| shown_as(request, other)));
                }
            }
        }
    }

    /// Notes that a record is not here any more.
    fn lose(&mut self, subjects: &Subjects<'_>, record: &Record) {
        if let (Some(Subject::Thread(thread)), Some(body)) =
            (subjects.of(record.id()), subjects.body(record.id()))
        {
            self.turned.insert(thread);
            if thread == record.id() {
                self.gone.insert(thread, body.clone());
            }
        }
    }
}

/// The id under which a review is shown.
fn shown_as(request: &Request, review: RecordId) -> RecordId {
    request.notes.threads.group_of(review).map_or(review, ReviewGroup::id)
}

fn differing(request: &Request, since: NotesVersion) -> Option<DifferingRecords> {
    let (store, now) = (&request.repository.store, request.notes.version);
    if since.lacking != now.lacking {
        // What came that was missing may be any part of the notes.
        return None;
    }
    let notes = store.difference(since.notes, now.notes).ok()?;
    let (mut drafted, mut undrafted) = (Vec::new(), Vec::new());
    if since.drafts != now.drafts {
        let drafts = |tip| match tip {
            Some(tip) => store.drafts_at(tip).ok(),
            None => Some(Vec::new()),
        };
        let (before, after): (Vec<Draft>, Vec<Draft>) = (drafts(since.drafts)?, drafts(now.drafts)?);
        let only = |these: &[Draft], those: &[Draft]| -> Vec<Record> {
            let those: BTreeSet<RecordId> = those.iter().map(|draft| draft.record.id()).collect();
            let only = these.iter().filter(|draft| !those.contains(&draft.record.id()));
            only.map(|draft| draft.record.clone()).collect()
        };
        (drafted, undrafted) = (only(&after, &before), only(&before, &after));
        undrafted.retain(|record| !is_signature(record));
    }
    Some(DifferingRecords { came: notes.came, went: notes.went, drafted, undrafted })
}

/// What a record that came does; `None` for one that says nothing by itself.
fn what_of(request: &Request, id: RecordId, body: &Body) -> Option<ChangeKind> {
    let threads = &request.notes.threads;
    Some(match body {
        Body::Comment(comment) if !comment.suggestion.is_empty() => ChangeKind::Suggested,
        Body::Comment(_) if threads.thread(id).is_some() => ChangeKind::Commented,
        // A copy of a finding that is shown says nothing new.
        Body::Comment(comment) if comment.parent.is_none() && threads.comment(id).is_some() => return None,
        Body::Comment(_) => ChangeKind::Replied,
        Body::Edit(edit) if edit.branch.is_some() => ChangeKind::Moved,
        Body::Edit(edit) => {
            let words = threads
                .comment(edit.of)
                .map(Comment::words)
                .or_else(|| threads.review(edit.of).map(Review::words));
            let is_own = words.is_none_or(|words| words.edits().changes().iter().any(|own| own.id == id));
            if is_own { ChangeKind::Edited } else { ChangeKind::Proposed }
        }
        Body::Status(status) => match status.status {
            StatusWord::Open if status.proposal.is_some() => ChangeKind::Declined,
            StatusWord::Open => ChangeKind::Reopened,
            StatusWord::Resolved if status.source.is_some() => ChangeKind::Retired,
            StatusWord::Resolved => ChangeKind::Resolved,
            StatusWord::Withdrawn => ChangeKind::Withdrawn,
            StatusWord::Merged => ChangeKind::Merged,
            StatusWord::Closed => ChangeKind::Closed,
        },
        Body::Move(_) => ChangeKind::Moved,
        Body::Verdict(_) => ChangeKind::Judged,
        Body::Proposal(_) => ChangeKind::Proposed,
        Body::Request(request) => match request.request {
            RequestWord::Asked => ChangeKind::Requested,
            RequestWord::Released => ChangeKind::Released,
        },
        Body::Review(_) => ChangeKind::Started,
        Body::Signature(_) | Body::Purge(_) | Body::Positions(_) | Body::Text(_) | Body::Leftover(_) => {
            return None;
        }
    })
}
