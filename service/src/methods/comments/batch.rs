//! Writes many comments at once: each is written or refused by itself, all in one notes commit.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use postil_core::anchoring::{Pointed, anchor_at};
use postil_core::edit::Text;
use postil_core::git::RepoPath;
use postil_core::notes::{DraftPin, Home};
use postil_core::record::{Body, CommentRecord, EditRecord, Record, RecordId, Seq};
use postil_core::review::{KEY, Opening};
use postil_protocol::{
    Advice, BatchDone, BatchItem, BatchLines, BatchPlace, BatchRefused, ByteText, ColumnUnit, CommentBatch,
    CommentBatchReply, Expected, Fault, FaultCode, MAX_BATCH, ReplyTo, Span, Suggest,
};

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::convert::severity;
use crate::import::find_lines::{Landing, land};
use crate::import::import_batch::ImportBatch;
use crate::methods::comments::batch_key::{check_same_item, new_words};
use crate::methods::comments::comment::review_for;
use crate::methods::comments::reply::suggested_in;
use crate::pointing::point::{IgnoredFiles, PointedFile, range, text_of, trackable_path};
use crate::request::{Request, current_branch};
use crate::reviews::follow_up::keep_head;
use crate::suggestions::suggest::{Aim, suggested_at};
use crate::trust::pace::check_pace;
use crate::view::hex;
use crate::writing::records::{
    PendingRecords, Visibility, audience_of, home_of, is_private, read_for_answer, words, write_records,
};

/// A longer name is refused: it is stored with the comment.
const MAX_KEY_BYTES: usize = 200;

/// So many characters of a line are told of the nearest place.
const MAX_NEAR_BYTES: usize = 200;

/// Writes many comments at once.
pub fn batch(request: &Request, actor: &Actor, asked: &CommentBatch) -> Result<CommentBatchReply, Fault> {
    if asked.items.len() > MAX_BATCH {
        let message = format!("too many comments: {}; the limit is {MAX_BATCH}", asked.items.len());
        return Err(Fault::new(FaultCode::TooLarge, message).advise(Advice::ImportInParts));
    }
    let mut writing = CommentBatchWriting::begin(request, actor, asked.draft);
    for (index, item) in (0_u32..).zip(&asked.items) {
        match writing.item(index, item) {
            Ok(done) => writing.done.push((done.id, done.told(index))),
            // Only what concerns everything ends the batch; nothing is written then.
            Err(refusal) if matches!(refusal.0.code, FaultCode::Internal | FaultCode::NoRepository) => {
                return Err(refusal.0);
            }
            Err(refusal) => writing.refused.push(refused_item(index, *refusal)),
        }
    }
    writing.write()
}

/// A comment that will be written.
struct PlannedComment {
    id: RecordId,
    path: Option<ByteText>,
    lines: Option<BatchLines>,
    instead_of: Option<BatchLines>,
    known: bool,
    changed: bool,
    draft: bool,
}

impl PlannedComment {
    fn new(id: RecordId) -> Self {
        Self { id, path: None, lines: None, instead_of: None, known: false, changed: false, draft: false }
    }

    fn told(self, index: u32) -> BatchDone {
        BatchDone {
            index,
            id: hex(self.id).to_string(),
            path: self.path,
            lines: self.lines.map(|lines| lines.to_string()),
            instead_of: self.instead_of.map(|lines| lines.to_string()),
            known: self.known,
            changed: self.changed,
            draft: self.draft,
        }
    }
}

/// Why a comment is not written, and the nearest place.
type ItemRefusal = Box<(Fault, Option<BatchPlace>)>;

/// Comments under way.
struct CommentBatchWriting<'a> {
    request: &'a Request,
    actor: &'a Actor,
    draft: bool,
    /// Threads that something is added to, and new ones.
    threads: ImportBatch,
    /// What goes to everybody, or to the drafts of a review.
    pending: BTreeMap<Visibility, PendingRecords>,
    files: BTreeMap<RepoPath, (PointedFile, Text)>,
    /// The review of the branch, once it was looked for.
    review: Option<RecordId>,
    has_looked: bool,
    opening: Option<Opening>,
    keys: BTreeMap<String, RecordId>,
    /// The items that were done under each key.
    taken: BTreeMap<&'a str, (u32, &'a BatchItem)>,
    done: Vec<(RecordId, BatchDone)>,
    refused: Vec<BatchRefused>,
}

impl<'a> CommentBatchWriting<'a> {
    fn begin(request: &'a Request, actor: &'a Actor, draft: bool) -> Self {
        let own =
            request.notes.threads.comments().filter(|one| one.said().author.email == actor.author.email);
        let keys = own.flat_map(|comment| {
            let keys = comment.said().tags.iter().filter_map(|tag| tag.strip_prefix(KEY));
            keys.map(|key| (key.to_owned(), comment.id()))
        });
        Self {
            request,
            actor,
            draft,
            threads: ImportBatch::default(),
            pending: BTreeMap::new(),
            files: BTreeMap::new(),
            review: None,
            has_looked: false,
            opening: None,
            keys: keys.collect(),
            taken: BTreeMap::new(),
            done: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Plans one comment.
    fn item(&mut self, index: u32, item: &'a BatchItem) -> Result<PlannedComment, ItemRefusal> {
        let plain = |fault: Fault| Box::new((fault, None));
        let Some(key) = &item.key else { return self.new_item(item) };
        if key.trim().is_empty() || key.len() > MAX_KEY_BYTES {
            let message = format!("a key has 1 to {MAX_KEY_BYTES} bytes");
            return Err(plain(Fault::new(FaultCode::InvalidParams, message)));
        }
        if let Some((first, other)) = self.taken.get(key.as_str()) {
            check_same_item(key, *first, other, item).map_err(plain)?;
            let id = self.keys[key];
            let is_draft = self.done.iter().any(|(done, told)| *done == id && told.draft);
            return Ok(PlannedComment { known: true, draft: is_draft, ..PlannedComment::new(id) });
        }
        let planned = match self.keys.get(key) {
            Some(id) => self.known(*id, item).map_err(plain)?,
            None => self.new_item(item)?,
        };
        self.keys.insert(key.clone(), planned.id);
        self.taken.insert(key, (index, item));
        Ok(planned)
    }

    /// Plans a comment that is not here yet.
    fn new_item(&mut self, item: &BatchItem) -> Result<PlannedComment, ItemRefusal> {
        let plain = |fault: Fault| Box::new((fault, None));
        let suggestion = item.suggestion.clone().map(Suggest::Replacement);
        let text = words(&item.text, suggestion.as_ref()).map_err(plain)?;
        match &item.reply_to {
            Some(to) if item.path.is_some() || item.lines.is_some() => {
                let message = format!("a reply to {to} has no place of its own");
                Err(plain(Fault::new(FaultCode::InvalidParams, message)))
            }
            Some(to) => self.reply(item, to, text, suggestion).map_err(plain),
            None => self.thread(item, text, suggestion.as_ref()),
        }
    }

    /// Plans the new words of a comment that has the key of an item.
    fn known(&mut self, id: RecordId, item: &BatchItem) -> Result<PlannedComment, Fault> {
        let request = self.request;
        let threads = &request.notes.threads;
        let gone = || Fault::new(FaultCode::Conflict, format!("{id} has this key, and is gone"));
        let (comment, thread) = threads.comment(id).zip(threads.thread_of(id)).ok_or_else(gone)?;
        let audience = audience_of(request, id);
        let is_draft = audience != Visibility::Shared;
        let known = PlannedComment { known: true, draft: is_draft, ..PlannedComment::new(id) };
        let Some(text) = new_words(request, comment, thread, item)? else { return Ok(known) };
        let (root, planned) = self.threads.thread_of(request, id)?;
        let edit = EditRecord {
            author: self.actor.author.clone(),
            at: self.actor.at,
            seq: self.threads.next_in(root),
            via: self.actor.via.clone(),
            of: id,
            over: comment.over_for_edit(&self.actor.author),
            text: Some(text),
            title: None,
            description: None,
            branch: None,
            base: None,
        };
        let audience = match audience {
            Visibility::Shared if self.draft => Visibility::Draft(planned.review),
            audience => audience,
        };
        self.add(audience, planned.home, Record::new(&Body::Edit(edit)).or_fault()?, Vec::new());
        Ok(PlannedComment { changed: true, draft: audience != Visibility::Shared, ..known })
    }

    /// Plans a reply.
    fn reply(
        &mut self,
        item: &BatchItem,
        to: &str,
        text: String,
        suggestion: Option<Suggest>,
    ) -> Result<PlannedComment, Fault> {
        let request = self.request;
        let parent = request.notes.comment_named(to)?.id();
        let thread = request.notes.threads.thread_of(parent).expect("every comment is in a thread");
        let said =
            ReplyTo { to: to.to_owned(), text: text.clone(), suggestion, draft: false, resolve: false };
        let suggested = suggested_in(request, thread, &said, &text)?;
        let (root, planned) = self.threads.thread_of(request, parent)?;
        let seq = self.threads.next_in(root);
        let body = CommentRecord {
            seq,
            review: planned.review,
            parent: Some(parent),
            suggestion: suggested.files,
            ..self.body(item, text)?
        };
        let record = Record::new(&Body::Comment(body)).or_fault()?;
        let id = record.id();
        let audience = match audience_of(request, parent) {
            Visibility::Shared if self.draft => Visibility::Draft(planned.review),
            audience => audience,
        };
        self.add(audience, home_of(request, parent)?, record, suggested.pins);
        Ok(PlannedComment { draft: audience != Visibility::Shared, ..PlannedComment::new(id) })
    }

    /// Plans the first comment of a thread.
    fn thread(
        &mut self,
        item: &BatchItem,
        text: String,
        suggestion: Option<&Suggest>,
    ) -> Result<PlannedComment, ItemRefusal> {
        let plain = |fault: Fault| Box::new((fault, None));
        let Some(path) = &item.path else {
            return self.on_review(item, text, suggestion).map_err(plain);
        };
        let path = trackable_path(path).map_err(plain)?;
        let request = self.request;
        let (seen, lines) = self.file(&path).map_err(|fault| {
            let nearest = fault.data.candidates.first().map(|name| BatchPlace {
                path: ByteText::new(name.as_bytes()),
                line: None,
                code: None,
            });
            Box::new((fault, nearest))
        })?;
        let (at, instead_of) = landed(&path, lines, item)?;
        let span = at.map(|at| range(Span::lines(at.start, at.end))).transpose().map_err(plain)?;
        let pointed = Pointed {
            commit: seen.commit,
            path: &path,
            blob: seen.blob,
            content: &seen.content,
            range: span,
        };
        let anchor = anchor_at(&pointed).or_fault().map_err(|fault| {
            let nearest = at.and_then(|at| near_line(&path, lines, at.start));
            Box::new((fault, nearest))
        })?;
        let aim = Aim { anchor: &anchor, content: &seen.content, head: None };
        let suggested = suggested_at(request, suggestion, &text, &aim).map_err(plain)?;
        if suggestion.is_some() && suggested.is_empty() {
            let message = "a suggestion needs the lines to change";
            return Err(plain(Fault::new(FaultCode::Refused, message)));
        }
        let (home, pin) = (Home::Anchor { commit: seen.commit, blob: seen.blob }, seen.pin.clone());
        let review = self.review(true).map_err(plain)?;
        let mut body = self.body(item, text).map_err(plain)?;
        body.review = review;
        body.anchor = Some(anchor.into());
        body.suggestion = suggested;
        let record = Record::new(&Body::Comment(body)).or_fault().map_err(plain)?;
        let (id, audience) = (record.id(), self.audience(review));
        self.add(audience, home, record, vec![pin]);
        Ok(PlannedComment {
            path: item.path.clone(),
            lines: at,
            instead_of,
            draft: audience != Visibility::Shared,
            ..PlannedComment::new(id)
        })
    }

    /// Plans a comment on the whole review.
    fn on_review(
        &mut self,
        item: &BatchItem,
        text: String,
        suggestion: Option<&Suggest>,
    ) -> Result<PlannedComment, Fault> {
        if item.lines.is_some() || item.code.is_some() || suggestion.is_some() {
            return Err(Fault::new(FaultCode::InvalidParams, "`path` is missing: lines are those of a file"));
        }
        let review = self.review(false)?;
        let body = CommentRecord { review, ..self.body(item, text)? };
        let record = Record::new(&Body::Comment(body)).or_fault()?;
        let id = record.id();
        let home = match (&self.opening, review) {
            (Some(opening), _) => opening.home,
            (None, review) => home_of(self.request, review.unwrap_or(id))?,
        };
        let audience = self.audience(review);
        self.add(audience, home, record, Vec::new());
        Ok(PlannedComment { draft: audience != Visibility::Shared, ..PlannedComment::new(id) })
    }

    /// What a comment says, without its place.
    fn body(&self, item: &BatchItem, text: String) -> Result<CommentRecord, Fault> {
        Ok(CommentRecord {
            author: self.actor.author.clone(),
            at: self.actor.at,
            seq: Seq::default(),
            via: self.actor.via.clone(),
            review: None,
            parent: None,
            anchor: None,
            text,
            severity: item.severity.as_ref().map(severity::given).transpose()?,
            tags: item.key.iter().map(|key| format!("{KEY}{key}")).collect(),
            suggestion: Vec::new(),
        })
    }

    /// A file on disk, read once for all that is about it.
    fn file(&mut self, path: &RepoPath) -> Result<(&PointedFile, &Text), Fault> {
        if !self.files.contains_key(path) {
            let seen = text_of(self.request, path, None, IgnoredFiles::Refuse)?;
            let text = Text::new(seen.content.clone());
            self.files.insert(path.clone(), (seen, text));
        }
        let (seen, text) = &self.files[path];
        Ok((seen, text))
    }

    /// The review of the branch; the first comment opens it.
    fn review(&mut self, has_place: bool) -> Result<Option<RecordId>, Fault> {
        if self.has_looked && (has_place || self.review.is_some()) {
            return Ok(self.review);
        }
        let (review, opening) = review_for(self.request, self.actor, None, has_place)?;
        (self.review, self.opening, self.has_looked) = (review, opening, true);
        Ok(review)
    }

    fn audience(&self, review: Option<RecordId>) -> Visibility {
        // What belongs to a review that is a draft itself would be shared without it.
        let in_draft = review.is_some_and(|review| is_private(self.request, review));
        if self.draft || in_draft { Visibility::Draft(review) } else { Visibility::Shared }
    }

    fn add(&mut self, audience: Visibility, home: Home, record: Record, pins: Vec<DraftPin>) {
        let pending = self.pending.entry(audience).or_default();
        pending.own_pins.extend(pins.into_iter().map(|pin| (record.id(), pin)));
        pending.records.push((home, record));
    }

    fn write(mut self) -> Result<CommentBatchReply, Fault> {
        let (request, actor) = (self.request, self.actor);
        let mut notes = request.notes.version.notes;
        check_pace(request, actor, self.pending.values().map(|pending| pending.records.len()).sum())?;
        for (audience, mut pending) in std::mem::take(&mut self.pending) {
            // Replies belong to reviews that are there; the one that is opened comes with its first comment.
            let opens = |opening: &Opening| match audience {
                Visibility::Shared => true,
                Visibility::Draft(review) => review == Some(opening.record.id()),
            };
            if let Some(opening) = self.opening.take_if(|opening| opens(opening)) {
                pending.records.insert(0, (opening.home, opening.record));
            }
            let message = format!("Write {} comments", pending.records.len());
            notes = write_records(request, actor, pending, audience, &message)?;
        }
        let review = self.review.filter(|_| current_branch(request).is_some());
        if let Some(review) = review.filter(|_| !self.done.is_empty()) {
            keep_head(request, review, request.head, &actor.committer());
        }
        let now = read_for_answer(request);
        let prefixes = &now.as_ref().unwrap_or(request).notes.prefixes;
        let done = self.done.into_iter();
        let done = done.map(|(id, done)| BatchDone { id: prefixes.shorten(id).to_string(), ..done });
        Ok(CommentBatchReply {
            done: done.collect(),
            refused: self.refused,
            notes: notes.map(hex),
            ..CommentBatchReply::default()
        })
    }
}

/// The lines that are meant: those that are given if they begin with the expected code, else those that do.
fn landed(
    path: &RepoPath,
    text: &Text,
    item: &BatchItem,
) -> Result<(Option<BatchLines>, Option<BatchLines>), ItemRefusal> {
    let Some(lines) = item.lines else { return Ok((None, None)) };
    let expected = item.code.as_ref().map(|code| Expected {
        line: code.lines().next().unwrap_or_default().to_owned(),
        before: None,
        after: None,
        part: false,
    });
    let span = Span::lines(lines.start, lines.end);
    if lines.start == 0 || lines.end < lines.start || expected.is_none() {
        return Ok((Some(lines), None));
    }
    match land(text, span, ColumnUnit::Bytes, expected.as_ref()) {
        Landing::AsTold(_) => Ok((Some(lines), None)),
        Landing::Found(found) => Ok((Some(BatchLines { start: found.start, end: found.end }), Some(lines))),
        Landing::Lost | Landing::OutOfFile => {
            let code = expected.map(|expected| expected.line).unwrap_or_default();
            let message = format!("the first line of {path}:{lines} is not {:?}", code.trim());
            let fault = Fault::new(FaultCode::NoSuchPlace, message).about(path.as_bytes());
            Err(Box::new((fault, nearest_code(path, text, &code, lines.start))))
        }
    }
}

/// The nearest line with this code or, if there is none, the line that shares most words with it.
fn nearest_code(path: &RepoPath, text: &Text, code: &str, told: u32) -> Option<BatchPlace> {
    let words = |line: &str| {
        let all = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        all.map(str::to_owned).collect::<Vec<_>>()
    };
    let wanted = words(code);
    let score = |number: u32| {
        let line = String::from_utf8_lossy(text.line(number - 1)).into_owned();
        if line.trim() == code.trim() {
            return usize::MAX;
        }
        let there = words(&line);
        wanted.iter().filter(|word| there.contains(word)).count()
    };
    let best = (1..=text.len()).map(|number| (score(number), number));
    let best = best.max_by_key(|(score, number)| (*score, std::cmp::Reverse(number.abs_diff(told))));
    let line = best.filter(|(score, _)| *score > 0).map_or(told, |(_, number)| number);
    near_line(path, text, line)
}

/// A line of a file, or its last one.
fn near_line(path: &RepoPath, text: &Text, line: u32) -> Option<BatchPlace> {
    let line = line.clamp(1, text.len().max(1));
    if text.is_empty() {
        return None;
    }
    let code = text.line(line - 1);
    let code = Some(ByteText::new(&code[..code.len().min(MAX_NEAR_BYTES)]));
    Some(BatchPlace { path: ByteText::new(path.as_bytes()), line: Some(line), code })
}

fn refused_item(index: u32, (fault, nearest): (Fault, Option<BatchPlace>)) -> BatchRefused {
    let told = [&*fault.message].into_iter().chain(fault.data.causes.iter().map(String::as_str));
    let mut reason = told.collect::<Vec<_>>().join(": ");
    if let Some(Advice::ChooseWord { words }) = fault.advice() {
        let _ = write!(reason, "; possible: {}", words.join(", "));
    }
    BatchRefused { index, code: fault.data.name.to_string(), reason, nearest }
}
