//! Takes over what was said elsewhere: everything as one notes commit, and nothing twice.
//!
//! Where something comes from is kept in its tags: `imported`, `from:` its source, and `id:` its name there. Records are
//! made of what the source says alone, so that two people who import the same get the same records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use postil_core::edit::Text;
use postil_core::git::{CommitId, ObjectId, RepoPath, history};
use postil_core::notes::Home;
use postil_core::record::{Body, CommentRecord, Record, RecordId, Seq, StatusRecord, StatusWord, Timestamp};
use postil_core::review::{Opening, ReportKey, ReviewGroup, Thread};
use postil_protocol::{self, Fault, FaultCode, ImportReply, ImportedComment, RefusedView};

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::convert::severity;
use crate::import::import_batch::{ImportAuthor, ImportBatch, ImportedStatus};
use crate::import::known_comment::SaidWords;
use crate::notes::names::{current_review, is_open};
use crate::pointing::point::PointedFile;
use crate::request::Request;
use crate::view::hex;
use crate::writing::records::{Visibility, words, write_records};

/// Why a thread was resolved whose source does not report it any more; such a one is opened again if it does.
pub(super) const VANISHED: &str = "no longer reported";

/// Longer names of sources in the subject of a notes commit are cut.
const MAX_SUBJECT_CHARS: usize = 200;

/// A file that was looked at, and its lines.
pub(super) type FileAndLines = (PointedFile, Text);

/// An import under way.
#[derive(Debug)]
pub(crate) struct Importing<'a> {
    /// What is seen.
    pub request: &'a Request,
    /// Who imports.
    pub actor: &'a Actor,
    /// When what is checked out was committed, for what has no time of its own.
    pub committed: Timestamp,
    /// Reviews by name, each with the object whose note contains it.
    pub reviews: BTreeMap<String, (RecordId, ObjectId)>,
    /// What will be written.
    pub batch: ImportBatch,
    /// The result of it so far.
    pub reply: ImportReply,
    /// The review of the branch that is checked out.
    pub current: Option<RecordId>,
    /// The note of the review that this import opens.
    pub opened: Option<Home>,
    /// Everything that was imported, by its key.
    pub keys: BTreeMap<ReportKey, RecordId>,
    /// The words of the comments that will be written.
    pub said: BTreeMap<RecordId, SaidWords>,
    /// The threads that this report is about.
    pub reported: BTreeSet<RecordId>,
    /// The files that were looked at.
    pub files: BTreeMap<(RepoPath, Option<String>), Arc<FileAndLines>>,
}

impl<'a> Importing<'a> {
    pub fn begin(request: &'a Request, actor: &'a Actor) -> Result<Self, Fault> {
        let handle = request.work_tree.repository().handle();
        let seconds = match request.head {
            Some(head) => history::commit(&handle, head).or_fault()?.time,
            None => 0,
        };
        let mut keys = BTreeMap::new();
        for comment in request.notes.threads.comments() {
            keys.extend(ReportKey::imported(&comment.said().tags).map(|key| (key, comment.id())));
        }
        let current = current_review(request).filter(|group| is_open(*group));
        Ok(Self {
            request,
            actor,
            committed: Timestamp(u64::try_from(seconds).unwrap_or(0).saturating_mul(1000)),
            reviews: BTreeMap::new(),
            batch: ImportBatch::default(),
            reply: ImportReply::default(),
            current: current.map(ReviewGroup::id),
            opened: None,
            keys,
            said: BTreeMap::new(),
            reported: BTreeSet::new(),
            files: BTreeMap::new(),
        })
    }

    /// Notes down what could not be taken over; only what concerns everything ends the import.
    pub fn note_refusal(&mut self, id: &str, taken: Result<(), Fault>) -> Result<(), Fault> {
        let Err(fault) = taken else { return Ok(()) };
        if matches!(fault.code, FaultCode::Internal | FaultCode::NoRepository) {
            return Err(fault);
        }
        let told: Vec<&str> =
            [&*fault.message].into_iter().chain(fault.data.causes.iter().map(String::as_str)).collect();
        self.reply.refused.push(RefusedView { id: id.to_owned(), reason: told.join(": ") });
        Ok(())
    }

    /// Takes over a comment that has a name in its source, or a reply to one.
    pub fn comment(&mut self, comment: &ImportedComment) -> Result<(), Fault> {
        let key = ReportKey { source: comment.source.clone(), name: comment.id.clone() };
        if let Some(id) = self.known(&comment.source, &comment.id) {
            self.reported.extend(self.request.notes.threads.thread_of(id).map(Thread::id));
            self.update(comment, id)?;
            self.reply.known += 1;
            return Ok(());
        }
        let text = words(&comment.text, None)?;
        let by = ImportAuthor::of(&comment.author, comment.at.map_or(self.committed, Timestamp));
        let mut body = CommentRecord {
            author: by.author.clone(),
            at: by.at,
            seq: Seq::default(),
            via: by.via.clone(),
            review: None,
            parent: None,
            anchor: None,
            text: text.clone(),
            severity: comment.severity.as_ref().map(severity::given).transpose()?,
            tags: tags_of(comment, &key),
            suggestion: Vec::new(),
        };
        let id = match &comment.parent {
            None => {
                let placed = self.place(comment)?;
                body.review = match &comment.review {
                    Some(name) => Some(self.review_named(name)?.0),
                    None => self.current,
                };
                body.suggestion = self.suggestion(comment, Some(&placed));
                placed.pins.iter().for_each(|pin| self.batch.pin(pin));
                body.anchor = placed.anchor;
                let review = body.review;
                let record = Record::new(&Body::Comment(body)).or_fault()?;
                let id = record.id();
                self.batch.begin(placed.home, review, record);
                self.reply.displaced += u32::from(placed.is_displaced);
                id
            }
            Some(name) => {
                let refused = || {
                    Fault::new(FaultCode::NotFound, format!("the comment it replies to is missing: {name}"))
                };
                let parent = self.known(&comment.source, name).ok_or_else(refused)?;
                let (root, planned) = self.batch.thread_of(self.request, parent)?;
                body.seq = self.batch.next_in(root);
                body.review = planned.review;
                body.parent = Some(parent);
                body.suggestion = self.suggestion(comment, None);
                let record = Record::new(&Body::Comment(body)).or_fault()?;
                let id = record.id();
                self.batch.answer(root, planned.home, record);
                id
            }
        };
        self.keys.insert(key, id);
        self.reply.added.push(hex(id));
        let edited = comment.edited.map(Timestamp).filter(|edited| *edited > by.at);
        let (author, said, at) = (by.author.clone(), text.clone(), edited.unwrap_or(by.at));
        let mut over = Vec::new();
        if let Some(edited) = edited {
            let by = ImportAuthor { at: edited, ..by.clone() };
            over.push(self.batch.edit(self.request, id, by, text, Vec::new())?);
        }
        self.said.insert(id, SaidWords { author, text: said, at, over });
        let ends = [(&comment.resolved, StatusWord::Resolved), (&comment.withdrawn, StatusWord::Withdrawn)];
        for (end, word) in ends.into_iter().filter_map(|(end, word)| Some((end.as_ref()?, word))) {
            let at = end.at.map_or(by.at, Timestamp);
            let who = ImportAuthor::of(&end.author, at);
            let commit =
                end.commit.as_ref().and_then(|commit| CommitId::from_hex(commit.as_str().as_bytes()));
            let what = ImportedStatus { status: word, reason: end.reason.clone(), commit, source: None };
            self.batch.mark(self.request, id, who, what, Vec::new())?;
        }
        Ok(())
    }

    /// What is said about the whole goes to this review, which the import opens if there is none yet.
    pub fn in_review(&mut self, review: Option<RecordId>, opening: Option<Opening>) {
        if let Some(opening) = opening {
            self.opened = Some(opening.home);
            self.batch.add(opening.home, opening.record);
        }
        self.current = review;
    }

    /// Opens a thread again that was retired.
    pub fn reopen(&mut self, id: RecordId, source: String, over: Vec<RecordId>) -> Result<(), Fault> {
        let what = status_by_report(StatusWord::Open, "reported again", source);
        self.batch.mark(self.request, id, self.importer(), what, over)?;
        self.reply.reopened.push(hex(id));
        Ok(())
    }

    pub fn write(mut self, sources: &[String]) -> Result<ImportReply, Fault> {
        let mut notes = self.request.notes.version.notes;
        if !self.batch.is_empty() {
            let message = format!("Import {} comments from {}", self.reply.added.len(), sources.join(", "));
            let message: String = message.chars().take(MAX_SUBJECT_CHARS).collect();
            notes = write_records(
                self.request,
                self.actor,
                self.batch.into_words(),
                Visibility::Shared,
                &message,
            )?;
        }
        self.reply.notes = notes.map(hex);
        Ok(self.reply)
    }

    /// A comment that is here or was planned; what was exported from here is known by its own id.
    pub fn known(&self, source: &str, name: &str) -> Option<RecordId> {
        let own = RecordId::from_hex(name).filter(|id| self.request.notes.threads.comment(*id).is_some());
        let key = ReportKey { source: source.to_owned(), name: name.to_owned() };
        own.or_else(|| self.keys.get(&key).copied())
    }

    /// A review that was taken over, and what carries its note.
    pub fn review_named(&self, name: &str) -> Result<(RecordId, ObjectId), Fault> {
        let refused = || Fault::new(FaultCode::NotFound, "its review was not imported");
        self.reviews.get(name).copied().ok_or_else(refused)
    }

    /// Who imports, as the author of what the import itself decides.
    pub fn importer(&self) -> ImportAuthor {
        let Actor { author, via, at, .. } = self.actor.clone();
        ImportAuthor { author, via, at }
    }
}

/// Whether a status says that a source reports no more what a thread is about; earlier versions wrote the reason alone.
pub(super) fn has_vanished(status: &StatusRecord) -> bool {
    status.source.is_some() || status.reason.as_deref() == Some(VANISHED)
}

/// The status of a thread that a source reports no more, or again.
pub(super) fn status_by_report(status: StatusWord, reason: &str, source: String) -> ImportedStatus {
    ImportedStatus { status, reason: Some(reason.to_owned()), commit: None, source: Some(source) }
}

/// The tags of a comment, with where it comes from.
pub(super) fn tags_of(comment: &ImportedComment, key: &ReportKey) -> Vec<String> {
    let own = comment.tags.iter().filter(|tag| !ReportKey::is_in(tag)).cloned();
    own.chain(key.tags()).collect()
}
