//! Records that are about to be written together: where each goes, and its place in its thread.
//!
//! What they say is for others to decide; nothing is written here.

use std::collections::BTreeMap;

use postil_core::git::CommitId;
use postil_core::notes::{DraftPin, Home};
use postil_core::record::{
    Author, Body, CommentAnchor, EditRecord, MoveRecord, Record, RecordId, Seq, StatusRecord, StatusWord,
    Timestamp, Via, ViaKind,
};
use postil_protocol::{Fault, Person};

use crate::convert::fault::OrFault as _;
use crate::request::Request;
use crate::writing::records::{PendingRecords, home_of};

/// Records under way.
#[derive(Debug, Default)]
pub(crate) struct ImportBatch {
    threads: BTreeMap<RecordId, PlannedThread>,
    roots: BTreeMap<RecordId, RecordId>,
    said: PendingRecords,
}

/// A thread to which something is added, or a new one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedThread {
    /// The note that it is written to.
    pub home: Home,
    /// The review that it belongs to.
    pub review: Option<RecordId>,
    next: Seq,
}

/// Who says something, and when.
#[derive(Clone, Debug)]
pub(crate) struct ImportAuthor {
    /// Who.
    pub author: Author,
    /// The program that wrote it, as the source says.
    pub via: Option<Box<Via>>,
    /// When.
    pub at: Timestamp,
}

/// What becomes of a thread or comment, and why.
#[derive(Debug)]
pub(crate) struct ImportedStatus {
    /// The new status.
    pub status: StatusWord,
    /// Why.
    pub reason: Option<String>,
    /// The commit by which it was resolved.
    pub commit: Option<CommitId>,
    /// The source that reports it no more, or again.
    pub source: Option<String>,
}

impl ImportAuthor {
    /// A person or a program as a source names them.
    pub fn of(person: &Person, at: Timestamp) -> Self {
        let author = |person: &Person| Author { name: person.name.clone(), email: person.email.clone() };
        let via = person.via.as_ref().map(|via| Via {
            kind: ViaKind::from(via.kind.clone()),
            program: via.program.clone(),
            version: via.version.clone(),
            model: via.model.clone(),
            person: via.person.as_deref().map(author),
        });
        Self { author: author(person), via: via.map(Box::new), at }
    }
}

impl ImportBatch {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.said.records.is_empty()
    }

    /// Everything, for writing.
    pub fn into_words(self) -> PendingRecords {
        self.said
    }

    /// Keeps something with the records.
    pub fn pin(&mut self, pin: &DraftPin) {
        if !self.said.pins.contains(pin) {
            self.said.pins.push(pin.clone());
        }
    }

    /// The thread of a comment, which is here or was planned, by its first comment.
    pub fn thread_of(
        &mut self,
        request: &Request,
        comment: RecordId,
    ) -> Result<(RecordId, PlannedThread), Fault> {
        if let Some(root) = self.roots.get(&comment) {
            return Ok((*root, self.threads[root]));
        }
        let thread = request.notes.threads.thread_of(comment).expect("every comment is in a thread");
        let root = thread.id();
        if let Some(planned) = self.threads.get(&root) {
            return Ok((root, *planned));
        }
        let review = thread.root_comment().and_then(|root| root.said().review);
        let planned = PlannedThread { home: home_of(request, root)?, review, next: thread.next_seq() };
        self.threads.insert(root, planned);
        Ok((root, planned))
    }

    /// The place of the next record in a thread.
    pub fn next_in(&mut self, root: RecordId) -> Seq {
        let Some(planned) = self.threads.get_mut(&root) else { return Seq::default() };
        let seq = planned.next;
        planned.next = seq.next();
        seq
    }

    /// Adds the first comment of a new thread.
    pub fn begin(&mut self, home: Home, review: Option<RecordId>, record: Record) {
        let id = record.id();
        self.roots.insert(id, id);
        self.threads.insert(id, PlannedThread { home, review, next: Seq::default().next() });
        self.add(home, record);
    }

    /// Adds an answer.
    pub fn answer(&mut self, root: RecordId, home: Home, record: Record) {
        self.roots.insert(record.id(), root);
        self.add(home, record);
    }

    /// Adds any other record.
    pub fn add(&mut self, home: Home, record: Record) {
        self.said.records.push((home, record));
    }

    /// Adds new words of a comment; returns the id of the edit.
    pub fn edit(
        &mut self,
        request: &Request,
        of: RecordId,
        by: ImportAuthor,
        text: String,
        over: Vec<RecordId>,
    ) -> Result<RecordId, Fault> {
        let (root, planned) = self.thread_of(request, of)?;
        let edit = EditRecord {
            author: by.author,
            at: by.at,
            seq: self.next_in(root),
            via: by.via,
            of,
            over,
            text: Some(text),
            title: None,
            description: None,
            branch: None,
            base: None,
        };
        let record = Record::new(&Body::Edit(edit)).or_fault()?;
        let id = record.id();
        self.add(planned.home, record);
        Ok(id)
    }

    /// Puts a thread elsewhere.
    pub fn place(
        &mut self,
        request: &Request,
        of: RecordId,
        by: ImportAuthor,
        anchor: CommentAnchor,
        over: Vec<RecordId>,
    ) -> Result<(), Fault> {
        let (root, planned) = self.thread_of(request, of)?;
        let seq = self.next_in(root);
        let (author, at, via, proposal) = (by.author, by.at, by.via, None);
        let moved = MoveRecord { author, at, seq, via, of, over, anchor, proposal };
        self.add(planned.home, Record::new(&Body::Move(moved)).or_fault()?);
        Ok(())
    }

    /// Adds what becomes of a thread.
    pub fn mark(
        &mut self,
        request: &Request,
        of: RecordId,
        by: ImportAuthor,
        new: ImportedStatus,
        over: Vec<RecordId>,
    ) -> Result<(), Fault> {
        let (root, planned) = self.thread_of(request, of)?;
        let seq = self.next_in(root);
        let status = StatusRecord {
            author: by.author,
            at: by.at,
            seq,
            via: by.via,
            of,
            over,
            status: new.status,
            reason: new.reason,
            by: new.commit,
            proposal: None,
            source: new.source,
        };
        self.add(planned.home, Record::new(&Body::Status(status)).or_fault()?);
        Ok(())
    }
}
