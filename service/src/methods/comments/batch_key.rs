//! What the key of a comment in a batch says: another item, or a comment that is here, is the same comment.
//!
//! Whatever differs is written or refused: nothing that somebody wrote is dropped because of a key.

use postil_core::record::{Anchor, AnchorSide};
use postil_core::review::{Comment, Thread, ThreadState};
use postil_core::suggestion::Block;
use postil_protocol::{Advice, BatchItem, Fault, FaultCode, Freshness, HeadName, Suggest};

use crate::files::{HeadFiles, read_blob};
use crate::pointing::point::trackable_path;
use crate::positions::in_head::positions_of;
use crate::request::Request;
use crate::suggestions::suggest::{Aim, suggested_at};
use crate::writing::records::words;

/// Fails if two items of one batch have the same key and are two comments.
pub(super) fn check_same_item(
    key: &str,
    first: u32,
    one: &BatchItem,
    other: &BatchItem,
) -> Result<(), Fault> {
    let place = |item: &BatchItem| {
        (item.path.clone(), item.lines, item.code.clone(), item.reply_to.as_ref().map(ToString::to_string))
    };
    let what = if one.text.trim() != other.text.trim() {
        "other words"
    } else if place(one) != place(other) {
        "another place"
    } else if one.suggestion != other.suggestion {
        "another suggestion"
    } else if one.severity != other.severity {
        "another severity"
    } else {
        return Ok(());
    };
    let message =
        format!("item {first} has the key {key:?} too, with {what}: give each comment a key of its own");
    Err(Fault::new(FaultCode::Refused, message))
}

/// The words that an item has for the comment with its key; `None` if it says what is there.
pub(super) fn new_words(
    request: &Request,
    comment: &Comment,
    thread: Thread<'_>,
    item: &BatchItem,
) -> Result<Option<String>, Fault> {
    let short = request.notes.prefixes.shorten(comment.id());
    let refused = |why: &str| Fault::new(FaultCode::Refused, format!("{short} has this key{why}"));
    if is_elsewhere(request, comment, thread, item)? {
        return Err(refused(", in another place: use another key"));
    }
    let suggestion = item.suggestion.clone().map(Suggest::Replacement);
    let text = words(&item.text, suggestion.as_ref())?;
    if suggestion.is_some_and(|suggestion| !is_suggested(request, comment, thread, &suggestion)) {
        return Err(refused(", without this suggestion: suggest it in a reply, or use another key")
            .advise(Advice::KeepSuggestion));
    }
    if comment.text() == text {
        return Ok(None);
    }
    match (thread.state(), comment.state()) {
        (ThreadState::Open, ThreadState::Open) => {}
        (ThreadState::Withdrawn, _) | (_, ThreadState::Withdrawn) => {
            return Err(refused(" and was withdrawn, with other words: use another key"));
        }
        _ => return Err(refused(" and is resolved, with other words: reply to it, or use another key")),
    }
    if Block::all_in(comment.text()) != Block::all_in(&text) {
        let what = "cannot edit a suggested change: others may have applied it";
        return Err(Fault::new(FaultCode::Refused, what).advise(Advice::KeepSuggestion));
    }
    Ok(Some(text))
}

/// Whether an item belongs somewhere else than the comment with its key: in another thread, or in another file.
///
/// Lines do not count: the comment moves with them.
fn is_elsewhere(
    request: &Request,
    comment: &Comment,
    thread: Thread<'_>,
    item: &BatchItem,
) -> Result<bool, Fault> {
    let is_reply = comment.said().parent.is_some();
    if let Some(to) = &item.reply_to {
        let to = request.notes.comment_named(to)?.id();
        let there = request.notes.threads.thread_of(to).map(Thread::id);
        return Ok(!is_reply || there != Some(thread.id()));
    }
    let (Some(path), Some(anchor)) = (&item.path, comment.anchor()) else {
        return Ok(is_reply || item.path.is_some() || comment.comment_anchor().is_some());
    };
    let path = trackable_path(path)?;
    if is_reply || anchor.path == path {
        return Ok(is_reply);
    }
    // The file may have another name now.
    let files = HeadFiles::of(request, &HeadName::WorkTree)?;
    let found = positions_of(request, &files, Freshness::Wait, std::iter::once(thread))?;
    let now = found.entries.get(&thread.id()).and_then(|entry| entry.path.as_ref());
    Ok(now != Some(&path))
}

/// Whether a comment suggests this already.
fn is_suggested(request: &Request, comment: &Comment, thread: Thread<'_>, suggestion: &Suggest) -> bool {
    let own = comment.said().anchor.as_ref().and_then(|anchor| anchor.file());
    let Some(anchor) = own.or_else(|| thread.anchor()) else { return false };
    let Some(blob) = blob_of(anchor) else { return false };
    let Ok(content) = read_blob(&request.handle, blob) else { return false };
    let aim = Aim { anchor, content: &content, head: None };
    suggested_at(request, Some(suggestion), "", &aim).is_ok_and(|made| made == comment.said().suggestion)
}

/// The file that an anchor was made in.
fn blob_of(anchor: &Anchor) -> Option<postil_core::git::BlobId> {
    match &anchor.side {
        AnchorSide::Old(old) => Some(old.blob),
        AnchorSide::New => anchor.blob,
    }
}
