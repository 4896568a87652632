//! Comments on messages of commits: where they are, and what became of their commit, in words.

use postil_protocol::{ByteText, Hex, MessageView, PlaceState, PositionView};

use super::position_words::confidence;
use super::thread::short;
use crate::sanitize;

/// A commit's message, and the lines of it that were meant.
pub fn message_then(on: &MessageView) -> String {
    let lines = on.range.map(|range| range.to_string());
    message_place(&on.commit, lines.as_deref())
}

/// The message that a comment is in, else the one that it was in.
pub fn message_now(position: Option<&PositionView>, on: &MessageView) -> String {
    let found = position.filter(|position| position.state != PlaceState::Orphaned);
    match found.and_then(|position| Some((position, position.message.as_ref()?))) {
        Some((position, site)) => {
            let lines = position.range.map(|range| range.to_string());
            message_place(&site.commit, lines.as_deref())
        }
        None => message_then(on),
    }
}

/// A commit's message, and lines of it.
pub fn message_place(commit: &Hex, lines: Option<&str>) -> String {
    let commit = short(commit.as_str());
    match lines {
        Some(lines) => format!("message of {commit}:{lines}"),
        None => format!("message of {commit}"),
    }
}

/// A commit as the heading of what is said about its message.
pub fn message_heading(commit: &Hex, subject: &ByteText) -> String {
    let commit = short(commit.as_str());
    let subject = sanitize::line(subject.as_bytes());
    if subject.is_empty() { format!("commit {commit}") } else { format!("commit {commit}  {subject}") }
}

/// Says what became of a commented message; `None` if it is as it was.
pub fn message_position(position: &PositionView, on: &MessageView) -> Option<String> {
    let was = message_then(on);
    let is_same = position.message.as_ref().is_some_and(|site| site.commit == on.commit);
    let sure = confidence(position.confidence.per_mille());
    Some(match (position.state, position.reason.as_str()) {
        (PlaceState::Anchored, _) if is_same => return None,
        (PlaceState::Anchored, _) => format!("the commit was rewritten; was {was}"),
        (PlaceState::Shifted, "text") => format!("found by its text in this message; was {was} ({sure})"),
        (PlaceState::Shifted, "reformatted") => format!("rewritten and reformatted; was {was} ({sure})"),
        (PlaceState::Shifted, _) => format!("rewritten, the same text is here; was {was} ({sure})"),
        (PlaceState::Outdated, "replaced") => {
            format!("reworded; these lines replace it; was {was} ({sure})")
        }
        (PlaceState::Outdated, _) => format!("reworded; was {was} ({sure})"),
        (PlaceState::Orphaned, "deleted") => {
            let now = position.message.as_ref().filter(|_| !is_same);
            let now = now.map(|site| format!(" as {}", short(site.commit.as_str()))).unwrap_or_default();
            format!("orphaned: the message was reworded{now} without these lines; was {was}")
        }
        (PlaceState::Orphaned, "ambiguous") => {
            format!("orphaned: several messages have these words; was {was}")
        }
        (PlaceState::Orphaned, "unreadable") => format!("orphaned: a commit could not be read; was {was}"),
        (PlaceState::Orphaned, _) => format!("orphaned: its commit is not in this history; was {was}"),
    })
}
