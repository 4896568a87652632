//! Answers a comment.

use crate::convert::actor::Actor;
use crate::files::read_blob;
use crate::pointing::point::IgnoredFiles;
use crate::request::Request;
use crate::suggestions::suggest::{
    Aim, ParsedSuggestion, block_without_lines, suggested_at, suggested_patch,
};
use crate::trust::pace::check_pace;
use crate::view::current_thread::written_thread_view;
use crate::view::hex;
use crate::writing::records::{
    PendingRecords, Visibility, audience_of, home_of, read_for_answer, words, write_records,
};
use crate::writing::reply_record::reply_record;
use crate::writing::status_record::{NewStatus, status_record};
use postil_core::git::CommitId;
use postil_core::notes::DraftPin;
use postil_core::record::{self, Record, RecordId, StatusWord};
use postil_core::review::{Thread, ThreadState};
use postil_core::suggestion::Block;
use postil_protocol::{self, Fault, FaultCode, Mark, Suggest, WrittenReply};

/// Answers a comment.
pub fn reply(
    request: &Request,
    actor: &Actor,
    said: &postil_protocol::ReplyTo,
) -> Result<WrittenReply, Fault> {
    if said.resolve && said.draft {
        return Err(Fault::new(FaultCode::Refused, "a draft cannot resolve a thread"));
    }
    let text = words(&said.text, said.suggestion.as_ref())?;
    check_pace(request, actor, 1)?;
    let parent = request.notes.comment_named(&said.to)?;
    let threads = &request.notes.threads;
    let thread = threads.thread_of(parent.id()).expect("every comment is in a thread");
    let review = thread.root_comment().unwrap_or(parent).said().review;
    let suggested = suggested_in(request, thread, said, &text)?;
    let on_disk = |pin: &DraftPin| matches!(pin, DraftPin::Content(_));
    let uncommitted = suggested.pins.iter().any(on_disk);
    let record = reply_record(actor, thread, parent.id(), text, suggested.files)?;
    let id = record.id();
    let audience = match audience_of(request, parent.id()) {
        Visibility::Shared if said.draft => Visibility::Draft(review),
        audience => audience,
    };
    let home = home_of(request, parent.id())?;
    let resolved = if said.resolve { resolution(request, actor, thread)? } else { None };
    let verb = if resolved.is_some() { "Reply to and resolve" } else { "Reply to" };
    let records = std::iter::once(record).chain(resolved).map(|record| (home, record)).collect();
    let said_so = PendingRecords { records, pins: suggested.pins, ..PendingRecords::default() };
    let message = format!("{verb} {}", request.notes.prefixes.shorten(parent.id()));
    let notes = write_records(request, actor, said_so, audience, &message)?;
    Ok(WrittenReply { uncommitted, ..answered(request, parent.id(), id, notes)? })
}

/// The record that resolves a thread right after a reply; none if it is resolved.
fn resolution(request: &Request, actor: &Actor, thread: Thread<'_>) -> Result<Option<Record>, Fault> {
    let statuses = thread.statuses();
    if thread.state() == ThreadState::Resolved && !statuses.is_disputed() {
        return Ok(None);
    }
    let new = NewStatus { seq: Some(thread.next_seq().next()), ..NewStatus::new(StatusWord::Resolved, None) };
    status_record(request, actor, thread.id(), statuses, new).map(Some)
}

/// What an answer suggests: for the lines of its thread, or a patch.
pub(crate) fn suggested_in(
    request: &Request,
    thread: Thread<'_>,
    said: &postil_protocol::ReplyTo,
    text: &str,
) -> Result<ParsedSuggestion, Fault> {
    let anchor = thread.anchor();
    if let Some(Suggest::Patch(patch)) = &said.suggestion {
        let path = anchor.map(|anchor| &anchor.path);
        return suggested_patch(request, patch.as_bytes(), path, None, IgnoredFiles::Refuse);
    }
    let blob = anchor.and_then(|anchor| match &anchor.side {
        record::AnchorSide::Old(old) => Some(old.blob),
        record::AnchorSide::New => anchor.blob,
    });
    if said.suggestion.is_none() && Block::all_in(text).is_empty() {
        return Ok(ParsedSuggestion::default());
    }
    let (Some(anchor), Some(blob)) = (anchor, blob) else {
        return Err(match said.suggestion {
            Some(_) => Fault::new(FaultCode::Refused, "a suggestion needs the lines to change"),
            None => block_without_lines(),
        });
    };
    let handle = request.work_tree.repository().handle();
    let content = read_blob(&handle, blob)?;
    let files = suggested_at(
        request,
        said.suggestion.as_ref(),
        text,
        &Aim { anchor, content: &content, head: None },
    )?;
    Ok(ParsedSuggestion { files, ..ParsedSuggestion::default() })
}

/// The thread with a new answer in it.
fn answered(
    request: &Request,
    parent: RecordId,
    id: RecordId,
    notes: Option<CommitId>,
) -> Result<WrittenReply, Fault> {
    let again = read_for_answer(request);
    // What could not be read again is told as it was before.
    let (now, of) = again.as_ref().map_or((request, parent), |again| (again, id));
    let gone = || Fault::new(FaultCode::Conflict, format!("{id} was saved, but is already gone"));
    let thread = now.notes.threads.thread_of(of).ok_or_else(gone)?;
    Ok(WrittenReply {
        id: hex(id),
        notes: notes.map(hex),
        thread: written_thread_view(now, thread),
        opened: None,
        uncommitted: false,
        uncommitted_lines: Vec::new(),
        warnings: Vec::new(),
        mark: Mark::default(),
    })
}
