//! Takes over what was said elsewhere: everything as one notes commit, and nothing twice.
//!
//! Where something comes from is kept in its tags: `imported`, `from:` its source, and `id:` its name there. Records are
//! made of what the source says alone, so that two people who import the same get the same records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use postil_core::anchoring::{AnchorError, Pointed, anchor_at};
use postil_core::edit::Text;
use postil_core::git::{BlobId, CommitId, ObjectId, RepoPath, history};
use postil_core::notes::Home;
use postil_core::patch::is_binary;
use postil_core::record::{
    Anchor, AnchorSide, Body, CommentAnchor, CommentRecord, Line, LineSpan, Range, Record, RecordId, Seq,
    StatusRecord, StatusWord, SuggestedFile, Timestamp,
};
use postil_core::review::{Comment, ReviewGroup, Thread, ThreadState};
use postil_protocol::{
    self, ByteText, ColumnUnit, Fault, FaultCode, FixedFile, Hex, Import, ImportReply, ImportedComment,
    ImportedFix, RefusedView,
};

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::convert::severity;
use crate::files::disk::is_trackable;
use crate::import::exported_message::{exported_message, placed_message};
use crate::import::find_lines::{Landing, land};
use crate::import::import_batch::{ImportAuthor, ImportBatch, ImportedStatus};
use crate::import::imported_suggestion::edits_of;
use crate::notes::names::{current_review, is_open};
use crate::pointing::point::{
    IgnoredFiles, PointedFile, Pointing, anchor_of_place, range, repo_path, text_of,
};
use crate::request::Request;
use crate::suggestions::suggest::suggested_patch;
use crate::view::hex;
use crate::writing::records::{Visibility, home_of, words, write_records};

/// Marks everything that was said elsewhere.
const IMPORTED: &str = "imported";

/// Before the source.
const FROM: &str = "from:";

/// Before the name that it has there.
const ID: &str = "id:";

/// Why a thread was resolved whose source does not report it any more; such a one is opened again if it does.
const VANISHED: &str = "no longer reported";

/// Longer names of sources in the subject of a notes commit are cut.
const MAX_SUBJECT_CHARS: usize = 200;

/// The source of something, and its name there.
type ImportOrigin = (String, String);

/// A file that was looked at, and its lines.
type FileAndLines = (PointedFile, Text);

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
    current: Option<RecordId>,
    known: BTreeMap<ImportOrigin, RecordId>,
    files: BTreeMap<(RepoPath, Option<String>), Arc<FileAndLines>>,
    pinned: BTreeSet<BlobId>,
}

/// Where a new thread is placed.
struct NewThreadPlace {
    anchor: Option<CommentAnchor>,
    home: Home,
    is_displaced: bool,
    /// The commit that it was looked for in; none for the files on disk.
    rev: Option<String>,
}

impl<'a> Importing<'a> {
    pub fn begin(request: &'a Request, actor: &'a Actor) -> Result<Self, Fault> {
        let handle = request.work_tree.repository().handle();
        let seconds = match request.head {
            Some(head) => history::commit(&handle, head).or_fault()?.time,
            None => 0,
        };
        let mut known = BTreeMap::new();
        for comment in request.notes.threads.comments() {
            known.extend(origin_in(&comment.said().tags).map(|origin| (origin, comment.id())));
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
            known,
            files: BTreeMap::new(),
            pinned: BTreeSet::new(),
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

    pub fn comment(&mut self, comment: &ImportedComment) -> Result<(), Fault> {
        let origin = (comment.source.clone(), comment.id.clone());
        if let Some(id) = self.known(&comment.source, &comment.id) {
            self.reply.known += 1;
            return self.update(comment, id);
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
            tags: tags(comment),
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
        self.known.insert(origin, id);
        self.reply.added.push(hex(id));
        if let Some(edited) = comment.edited.map(Timestamp).filter(|edited| *edited > by.at) {
            self.batch.edit(self.request, id, ImportAuthor { at: edited, ..by.clone() }, text, Vec::new())?;
        }
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

    /// Says what is new about a comment that is here already.
    fn update(&mut self, comment: &ImportedComment, id: RecordId) -> Result<(), Fault> {
        let Some(here) = self.request.notes.threads.comment(id) else { return Ok(()) };
        let text = words(&comment.text, None)?;
        let by = ImportAuthor::of(&comment.author, self.committed);
        let last = here.words().edits().in_force().map_or(here.said().at, |edit| edit.said.at);
        // What was changed here is changed back only by words that are newer still.
        if let Some(edited) = comment.edited.map(Timestamp).filter(|edited| *edited > last)
            && here.text() != text
            && here.said().author.email == by.author.email
        {
            let over = here.over_for_edit(&by.author);
            self.batch.edit(self.request, id, ImportAuthor { at: edited, ..by }, text, over)?;
            self.reply.changed += 1;
        }
        // Earlier versions wrote the reason alone.
        let has_vanished =
            |status: &StatusRecord| status.source.is_some() || status.reason.as_deref() == Some(VANISHED);
        let is_reported = !comment.exported && comment.resolved.is_none();
        if is_reported
            && here.state() == ThreadState::Resolved
            && here.statuses().in_force().is_some_and(|status| has_vanished(&status.said))
        {
            let what = status_by_report(StatusWord::Open, "reported again", comment.source.clone());
            self.batch.mark(self.request, id, self.importer(), what, here.statuses().over())?;
            self.reply.reopened.push(hex(id));
        }
        Ok(())
    }

    /// Resolves what these sources once reported and report no more, unless a person answered it.
    pub fn retire(&mut self, import: &Import) -> Result<(), Fault> {
        let reported: BTreeSet<(&str, &str)> =
            import.comments.iter().map(|comment| (comment.source.as_str(), comment.id.as_str())).collect();
        let open = |thread: &Thread<'_>| thread.state() == ThreadState::Open;
        // What a person says about a finding is for people to settle.
        let is_by_hand = |answer: &Comment| {
            let said = answer.said();
            said.via.is_none() && origin_in(&said.tags).is_none() && answer.state() != ThreadState::Withdrawn
        };
        let unanswered = |thread: &Thread<'_>| !thread.comments().skip(1).any(is_by_hand);
        let request = self.request;
        let own = request.notes.threads.iter().filter(open).filter(unanswered);
        for root in own.filter_map(Thread::root_comment) {
            let Some((source, id)) = origin_in(&root.said().tags) else { continue };
            if import.sources.contains(&source) && !reported.contains(&(&source, &id)) {
                let what = status_by_report(StatusWord::Resolved, VANISHED, source);
                self.batch.mark(request, root.id(), self.importer(), what, root.statuses().over())?;
                self.reply.retired.push(hex(root.id()));
            }
        }
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

    /// Finds the place of a comment that starts a thread.
    fn place(&mut self, comment: &ImportedComment) -> Result<NewThreadPlace, Fault> {
        if let Some(on) = &comment.message {
            let (anchor, is_displaced) = placed_message(self.request, exported_message(on)?)?;
            let home = Home::On(anchor.commit.into());
            let anchor = Some(CommentAnchor::Message(anchor));
            return Ok(NewThreadPlace { anchor, home, is_displaced, rev: None });
        }
        let Some(place) = &comment.place else {
            let home = match (&comment.review, self.current) {
                (Some(name), _) => Home::On(self.review_named(name)?.1),
                (None, Some(current)) => home_of(self.request, current)?,
                (None, None) => return Err(Fault::new(FaultCode::NoSuchPlace, "no location")),
            };
            return Ok(NewThreadPlace { anchor: None, home, is_displaced: false, rev: None });
        };
        if let Some(placed) = self.as_anchored(comment) {
            return Ok(placed);
        }
        let path = repo_path(&place.path)?;
        if !is_trackable(&path) {
            let message = format!("{path} is outside the repository, or in the git directory");
            return Err(Fault::new(FaultCode::NoSuchPlace, message));
        }
        if place.side == postil_protocol::Side::Old {
            let Pointing { anchor, home, pins, .. } = anchor_of_place(self.request, place)?;
            for pin in &pins {
                self.batch.pin(pin);
            }
            let anchor = Some(anchor.into());
            return Ok(NewThreadPlace { anchor, home, is_displaced: false, rev: None });
        }
        let mut rev = place.rev.clone();
        let mut found = self.file(&path, rev.as_deref());
        // A commit that is not here, such as one that only a build made, says nothing; its text does.
        if found.is_err() && place.rev.is_some() && comment.expected.is_some() {
            found = self.file(&path, None);
            rev = None;
        }
        let file = match found {
            Ok(file) => file,
            // The report contains the text of the line, so it can be searched for.
            Err(fault) if fault.code == FaultCode::NoSuchPlace && comment.expected.is_some() => {
                return self.lost(comment, &path);
            }
            Err(fault) => return Err(fault),
        };
        let (seen, text) = file.as_ref();
        let landing = place.span.map(|span| land(text, span, comment.columns, comment.expected.as_ref()));
        let (span, is_displaced) = match landing {
            None => (None, false),
            Some(Landing::AsTold(span)) => (Some(span), false),
            Some(Landing::Found(span)) => (Some(span), true),
            Some(Landing::OutOfFile) => (None, true),
            Some(Landing::Lost) => return self.lost(comment, &path),
        };
        let (commit, blob) = (seen.commit, seen.blob);
        let whole = Pointed { commit, path: &path, blob, content: &seen.content, range: None };
        let pointed = Pointed { range: span.map(range).transpose()?, ..whole.clone() };
        let anchor = anchor_at(&pointed).or_else(|error| match error {
            AnchorError::Binary { .. } => anchor_at(&whole),
            error => Err(error),
        });
        if self.pinned.insert(blob) {
            self.batch.pin(&seen.pin);
        }
        Ok(NewThreadPlace {
            anchor: Some(anchor.or_fault()?.into()),
            home: Home::Anchor { commit, blob },
            is_displaced,
            rev,
        })
    }

    /// The place that its author chose, if the commit and the content that they chose it in are here.
    fn as_anchored(&mut self, comment: &ImportedComment) -> Option<NewThreadPlace> {
        let place = comment.anchored.as_ref()?;
        let path = repo_path(&place.path).ok().filter(is_trackable)?;
        let file = self.file(&path, place.rev.as_deref()).ok()?;
        let (seen, text) = file.as_ref();
        let is_same = |blob: &Hex| blob.as_str() == seen.blob.to_string();
        if !comment.blob.as_ref().is_none_or(is_same) || place.span.is_some_and(|span| span.end > text.len())
        {
            return None;
        }
        let Pointing { anchor, home, pins, .. } = anchor_of_place(self.request, place).ok()?;
        for pin in &pins {
            self.batch.pin(pin);
        }
        Some(NewThreadPlace {
            anchor: Some(anchor.into()),
            home,
            is_displaced: false,
            rev: place.rev.clone(),
        })
    }

    /// What a comment suggests; notes down why it is imported without that.
    fn suggestion(
        &mut self,
        comment: &ImportedComment,
        placed: Option<&NewThreadPlace>,
    ) -> Vec<SuggestedFile> {
        let Some(fix) = &comment.fix else { return Vec::new() };
        let made = match fix {
            ImportedFix::Files(_) if placed.is_none_or(|placed| placed.is_displaced) => {
                Err("the lines that it is about are different here".to_owned())
            }
            ImportedFix::Files(files) => {
                self.fixed_files(files, comment.columns, placed.and_then(|placed| placed.rev.as_deref()))
            }
            ImportedFix::Unreadable(reason) => Err(reason.clone()),
            ImportedFix::Patch { patch, rev } => self.patched_files(patch, rev.as_deref()),
        };
        match made {
            Ok(files) => {
                self.reply.fixes += 1;
                files
            }
            Err(reason) => {
                self.reply.without_fix.push(RefusedView { id: comment.id.clone(), reason });
                Vec::new()
            }
        }
    }

    fn fixed_files(
        &mut self,
        files: &[FixedFile],
        unit: ColumnUnit,
        rev: Option<&str>,
    ) -> Result<Vec<SuggestedFile>, String> {
        let mut fixed: Vec<SuggestedFile> = Vec::new();
        let mut pins = Vec::new();
        for FixedFile { path, replacements } in files {
            let path = repo_path(path).ok().filter(is_trackable);
            let path = path.ok_or("it changes a file outside the repository")?;
            let seen = self.file(&path, rev).map_err(|fault| fault.message.to_string())?;
            let (seen, text) = seen.as_ref();
            if is_binary(&seen.content) || fixed.iter().any(|file| file.path == path) {
                return Err(format!("it cannot be applied to {path}"));
            }
            let edits = edits_of(text, replacements, unit)?;
            pins.push(seen.pin.clone());
            let blob = Some(seen.blob);
            fixed.push(SuggestedFile { path, blob, new_path: None, mode: None, delete: false, edits });
        }
        for pin in &pins {
            self.batch.pin(pin);
        }
        Ok(fixed)
    }

    fn patched_files(&mut self, patch: &ByteText, rev: Option<&str>) -> Result<Vec<SuggestedFile>, String> {
        let ignored = IgnoredFiles::Refuse;
        let made = suggested_patch(self.request, patch.as_bytes(), None, rev, ignored);
        let made = made.map_err(|fault| fault.message.to_string())?;
        for pin in &made.pins {
            self.batch.pin(pin);
        }
        Ok(made.files)
    }

    /// An anchor on text that is not in this repository; the thread is orphaned until it is moved by hand.
    fn lost(&self, comment: &ImportedComment, path: &RepoPath) -> Result<NewThreadPlace, Fault> {
        let expected = comment.expected.as_ref().expect("only text that was told can be lost");
        let first = comment.place.as_ref().and_then(|place| place.span).map_or(1, |span| span.start);
        let none = || Fault::new(FaultCode::NoSuchPlace, "the repository has no commits yet");
        let head = self.request.head.ok_or_else(none)?;
        let line = |text: &Option<String>| text.iter().map(|text| Line::new(text.as_bytes())).collect();
        let anchor = Anchor {
            commit: None,
            path: path.clone(),
            blob: None,
            side: AnchorSide::New,
            range: LineSpan::from_numbers(first, first).map(Range::lines),
            lines: vec![Line::new(expected.line.as_bytes())],
            before: line(&expected.before),
            after: line(&expected.after),
            quote: None,
            headings: Vec::new(),
            scope: Vec::new(),
        };
        let home = Home::On(ObjectId::from(head));
        Ok(NewThreadPlace { anchor: Some(anchor.into()), home, is_displaced: true, rev: None })
    }

    /// A file, read once for all that is about it.
    fn file(&mut self, path: &RepoPath, rev: Option<&str>) -> Result<Arc<FileAndLines>, Fault> {
        let key = (path.clone(), rev.map(str::to_owned));
        if let Some(file) = self.files.get(&key) {
            return Ok(file.clone());
        }
        let seen = text_of(self.request, path, rev, IgnoredFiles::Refuse)?;
        let text = Text::new(seen.content.clone());
        let file = Arc::new((seen, text));
        self.files.insert(key, file.clone());
        Ok(file)
    }

    /// A comment that is here or was planned; what was exported from here is known by its own id.
    fn known(&self, source: &str, name: &str) -> Option<RecordId> {
        let own = RecordId::from_hex(name).filter(|id| self.request.notes.threads.comment(*id).is_some());
        own.or_else(|| self.known.get(&(source.to_owned(), name.to_owned())).copied())
    }

    /// A review that was taken over, and what carries its note.
    pub fn review_named(&self, name: &str) -> Result<(RecordId, ObjectId), Fault> {
        let refused = || Fault::new(FaultCode::NotFound, "its review was not imported");
        self.reviews.get(name).copied().ok_or_else(refused)
    }

    fn importer(&self) -> ImportAuthor {
        let Actor { author, via, at, .. } = self.actor.clone();
        ImportAuthor { author, via, at }
    }
}

/// The status of a thread that a source reports no more, or again.
fn status_by_report(status: StatusWord, reason: &str, source: String) -> ImportedStatus {
    ImportedStatus { status, reason: Some(reason.to_owned()), commit: None, source: Some(source) }
}

/// The tags of a comment, with where it comes from.
fn tags(comment: &ImportedComment) -> Vec<String> {
    let own = comment.tags.iter().filter(|tag| !is_origin(tag)).cloned();
    let origin = [IMPORTED.to_owned(), format!("{FROM}{}", comment.source), format!("{ID}{}", comment.id)];
    own.chain(origin).collect()
}

fn is_origin(tag: &str) -> bool {
    tag == IMPORTED || tag.starts_with(FROM) || tag.starts_with(ID)
}

/// Where a comment comes from, as its tags say.
fn origin_in(tags: &[String]) -> Option<ImportOrigin> {
    let after = |start: &str| tags.iter().find_map(|tag| tag.strip_prefix(start)).map(str::to_owned);
    if tags.iter().any(|tag| tag == IMPORTED) { after(FROM).zip(after(ID)) } else { None }
}
