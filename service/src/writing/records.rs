//! Records on their way to the notes or to the drafts.

use crate::convert::actor::Actor;
use crate::convert::fault::OrFault as _;
use crate::request::Request;
use crate::view::current_thread::written_thread_view;
use crate::view::hex;
use crate::writing::sign::with_signatures_of;
use postil_core::git::CommitId;
use postil_core::notes::{Committer, Draft, DraftPin, Home};
use postil_core::record::{Record, RecordId};
use postil_core::review::Thread;
use postil_protocol::{self, Advice, Fault, FaultCode, Mark, Suggest, WarningView};

/// What a suggestion says that comes without words.
pub(crate) const UNSAID: &str = "Suggested change";

/// Records on their way to the notes, or to the drafts.
#[derive(Debug, Default)]
pub(crate) struct PendingRecords {
    /// Each with its home.
    pub records: Vec<(Home, Record)>,
    /// What is kept with them.
    pub pins: Vec<DraftPin>,
    /// What is kept with each, where there are several that may be published apart.
    pub own_pins: Vec<(RecordId, DraftPin)>,
}

/// Where records go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Visibility {
    /// Everybody.
    Shared,
    /// Only this clone, until the drafts of this review are published.
    Draft(Option<RecordId>),
}

/// Writes records about a comment or review to the same note, and returns its threads as they are now.
pub fn add_to(
    request: &Request,
    actor: &Actor,
    of: &[RecordId],
    records: Vec<Record>,
    pins: Vec<DraftPin>,
    message: &str,
) -> Result<postil_protocol::DoneReply, Fault> {
    debug_assert_eq!(of.len(), records.len());
    let mut notes = request.notes.version.notes;
    let mut shared = PendingRecords { pins, ..PendingRecords::default() };
    for (of, record) in of.iter().zip(records) {
        let home = home_of(request, *of)?;
        match audience_of(request, *of) {
            Visibility::Shared => shared.records.push((home, record)),
            audience @ Visibility::Draft(_) => {
                let pins = std::mem::take(&mut shared.pins);
                write_records(
                    request,
                    actor,
                    PendingRecords { records: vec![(home, record)], pins, ..PendingRecords::default() },
                    audience,
                    message,
                )?;
            }
        }
    }
    if !shared.records.is_empty() {
        notes = write_records(request, actor, shared, Visibility::Shared, message)?;
    }
    Ok(threads_done(read_for_answer(request).as_ref().unwrap_or(request), of, notes))
}

/// The threads of these comments as they are.
pub fn threads_done(
    request: &Request,
    of: &[RecordId],
    notes: Option<CommitId>,
) -> postil_protocol::DoneReply {
    let threads = of.iter().filter_map(|id| request.notes.threads.thread_of(*id));
    let threads = threads.map(|thread| written_thread_view(request, thread)).collect();
    postil_protocol::DoneReply {
        threads,
        unchanged: Vec::new(),
        notes: notes.map(hex),
        warnings: Vec::new(),
        mark: Mark::default(),
    }
}

/// Whether a record is a draft that somebody publishes; those that only wait for a merge are as good as shared.
pub fn is_private(request: &Request, id: RecordId) -> bool {
    request.notes.drafts.contains(&id) && !request.repository.store.waiting().contains(&id)
}

/// Where a record about this one goes: a draft's answers are drafts.
pub fn audience_of(request: &Request, id: RecordId) -> Visibility {
    let threads = &request.notes.threads;
    let thread = threads.thread_of(id);
    let is_draft = |id: &RecordId| is_private(request, *id);
    let root = thread.map(Thread::id);
    if ![Some(id), root].iter().flatten().any(is_draft) {
        return Visibility::Shared;
    }
    let root = thread.and_then(Thread::root_comment);
    let review = root.or_else(|| threads.comment(id)).map(|comment| comment.said().review);
    Visibility::Draft(review.unwrap_or_else(|| threads.review(id).map(postil_core::review::Review::id)))
}

/// Which note a record about this one goes into.
pub fn home_of(request: &Request, id: RecordId) -> Result<Home, Fault> {
    let home = request.notes.threads.home(id).map(Home::On);
    home.ok_or_else(|| Fault::new(FaultCode::Internal, format!("{id} is not in any note")))
}

/// Writes, durably; returns where the notes are.
pub fn write_records(
    request: &Request,
    actor: &Actor,
    said: PendingRecords,
    audience: Visibility,
    message: &str,
) -> Result<Option<CommitId>, Fault> {
    // What is taken over from others, such as a report, is not written here.
    let is_own = |record: &&Record| {
        let body = record.body();
        body.is_ok_and(|body| body.made_by().is_some_and(|(author, _)| *author == actor.author))
    };
    let own = said.records.iter().map(|(_, record)| record).filter(is_own).map(Record::id);
    request.repository.here.add(&own.collect::<Vec<RecordId>>());
    write_by(request, &actor.committer(), with_signatures_of(request, said)?, audience, message)
}

/// Writes records in the name of a person, without a signature.
pub fn write_by(
    request: &Request,
    by: &Committer,
    said: PendingRecords,
    audience: Visibility,
    message: &str,
) -> Result<Option<CommitId>, Fault> {
    let message = one_line(message);
    match audience {
        Visibility::Shared if request.repository.store.open_merge().is_some() => {
            let drafts = drafts_of(said, None);
            request.repository.store.add_waiting(&drafts, by).or_fault()?;
            if let Some(merge) = open_merge_warning(request) {
                let what = format!("kept as a draft until the merge ends: {}", merge.what);
                request.warnings.add(WarningView { what, ..merge });
            }
            Ok(request.notes.version.notes)
        }
        Visibility::Shared => {
            let mut batch = request.repository.store.batch();
            for (home, record) in said.records {
                batch = batch.add(home, record);
            }
            let own = said.own_pins.into_iter().map(|(_, pin)| pin);
            let mut kept: Vec<DraftPin> = Vec::new();
            for pin in said.pins.into_iter().chain(own) {
                if !kept.contains(&pin) {
                    kept.push(pin);
                }
            }
            for pin in kept {
                batch = match pin {
                    DraftPin::Blob(blob, commit) => batch.pin(blob, commit),
                    DraftPin::Content(content) => batch.pin_content(content),
                };
            }
            let written = batch.write(by, &message).or_fault()?;
            written.warnings.iter().for_each(|warning| request.warnings.say(warning));
            let tip = written.tip;
            request.own_writes.wrote(&request.repository.store.repository().handle(), tip);
            Ok(tip)
        }
        Visibility::Draft(review) => {
            request.repository.store.add_drafts(&drafts_of(said, review), by).or_fault()?;
            Ok(request.notes.version.notes)
        }
    }
}

fn drafts_of(said: PendingRecords, review: Option<RecordId>) -> Vec<Draft> {
    let (mut pins, own) = (Some(said.pins), said.own_pins);
    let mut draft = |(home, record): (Home, Record)| {
        let mut pins = pins.take().unwrap_or_default();
        pins.extend(own.iter().filter(|(of, _)| *of == record.id()).map(|(_, pin)| pin.clone()));
        Draft { review, home, record, pins }
    };
    // What is kept belongs to the comment, which comes last.
    said.records.into_iter().rev().map(&mut draft).collect()
}

/// That somebody has to finish a merge of the notes before anything is shared.
pub fn open_merge_warning(request: &Request) -> Option<WarningView> {
    let merge = request.repository.store.open_merge()?;
    let what = format!("a `git notes merge` is not finished in {}", merge.place().display());
    Some(WarningView { what, advice: Some(Advice::FinishNotesMerge) })
}

/// Looks around again, after something was written.
pub fn read_again(request: &Request) -> Result<Request, Fault> {
    let again = Request::new(request.repository.clone(), request.work_tree.clone(), request.now)?;
    let again = again.with_buffers(request.buffers.clone()).until(&request.stop);
    Ok(Request { warnings: request.warnings.clone(), ..again })
}

/// As [`read_again`], where only the answer depends on it; `None` is a warning, and what was seen before is told.
pub fn read_for_answer(request: &Request) -> Option<Request> {
    request.warnings.after_write(read_again(request))
}

/// The words without blank lines around them; some there must be, unless a suggestion speaks for itself.
pub(crate) fn words(text: &str, suggestion: Option<&Suggest>) -> Result<String, Fault> {
    let text = text.trim_end();
    let lines = text.lines().skip_while(|line| line.trim().is_empty()).collect::<Vec<_>>();
    if lines.is_empty() && suggestion.is_some() {
        return Ok(UNSAID.to_owned());
    }
    if lines.is_empty() {
        return Err(Fault::new(FaultCode::Refused, "the text is empty").advise(Advice::SayText));
    }
    Ok(lines.join("\n"))
}

/// A path may hold anything; the subject of a commit may not.
pub(crate) fn one_line(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}
