//! What a position means, in words, and how sure it is.

use postil_protocol::{AnchorView, PlaceState, PositionView, Side};

use crate::pages::file_key::shown;

/// The word of a state.
pub(crate) fn word(state: PlaceState) -> &'static str {
    match state {
        PlaceState::Anchored => "anchored",
        PlaceState::Shifted => "shifted",
        PlaceState::Outdated => "outdated",
        PlaceState::Orphaned => "orphaned",
    }
}

/// Why something is where it is; empty where there is nothing to say.
pub(crate) fn reason(position: &PositionView, anchor: &AnchorView) -> String {
    let said = found(position, anchor);
    match (position.computed_elsewhere, said.is_empty()) {
        (false, _) => said,
        (true, true) => "computed on another machine".to_owned(),
        (true, false) => format!("{said}; computed on another machine"),
    }
}

fn found(position: &PositionView, anchor: &AnchorView) -> String {
    let is_same_file = position.path.as_ref() == Some(&anchor.path);
    let was = place(anchor);
    let from = match (is_same_file, anchor.range) {
        (true, Some(range)) => format!("line {range}"),
        _ => was.clone(),
    };
    let text = match (position.state, position.reason.as_str()) {
        (PlaceState::Anchored, "renamed") => return format!("file renamed from {}", shown(&anchor.path)),
        (PlaceState::Anchored, _) => return String::new(),
        (PlaceState::Shifted, "reformatted") => "reformatted",
        (PlaceState::Shifted, "grown") => "lines were added inside",
        (PlaceState::Shifted, "moved" | "history") if is_same_file && position.range == anchor.range => {
            "found again at the same line"
        }
        (PlaceState::Shifted, "moved" | "moved-to-file") => return format!("moved from {from}"),
        (PlaceState::Shifted, "history") => return format!("followed through history from {from}"),
        (PlaceState::Shifted, "twin") => return format!("here or in an identical copy; was {was}"),
        (PlaceState::Shifted, "quote") => "same words, in changed lines",
        (PlaceState::Shifted, _) => return format!("found by its text, was {was}"),
        (PlaceState::Outdated, "similar") => return format!("similar lines found here, was {from}"),
        (PlaceState::Outdated, "similar-in-file") => {
            return format!("similar lines found in this file, was {was}");
        }
        (PlaceState::Outdated, "deleted") => "its lines were deleted here",
        (PlaceState::Outdated, "replaced") => "its lines were replaced by these",
        (PlaceState::Outdated, "restored") => "the change no longer deletes these lines",
        (PlaceState::Outdated, "applied") => "its suggestion was applied here",
        (PlaceState::Outdated, _) => "its lines changed",
        (PlaceState::Orphaned, "deleted") => "its lines were deleted",
        (PlaceState::Orphaned, "file-deleted") => "its file was deleted",
        (PlaceState::Orphaned, "bypassed") => "its lines changed, in a file that is not searched",
        (PlaceState::Orphaned, "ambiguous") => "several places match equally well",
        (PlaceState::Orphaned, "not-text") => "the file is no longer text",
        (PlaceState::Orphaned, "impossible") => "the file never had these lines",
        (PlaceState::Orphaned, "unreadable") => "a file could not be read",
        (PlaceState::Orphaned, _) => "no similar lines found",
    };
    text.to_owned()
}

/// What a comment was put on: `src/a.rs:12-14`.
pub(crate) fn place(anchor: &AnchorView) -> String {
    let path = shown(&anchor.path);
    let side = if anchor.side == Side::Old { " (old)" } else { "" };
    match anchor.range {
        Some(range) => format!("{path}:{range}{side}"),
        None => format!("{path}{side}"),
    }
}

/// How sure a position is, as a word, and from 1 to 4.
pub(crate) fn confidence(per_mille: u16) -> (&'static str, u8) {
    match per_mille {
        950.. => ("very high confidence", 4),
        800.. => ("high confidence", 3),
        500.. => ("medium confidence", 2),
        _ => ("low confidence", 1),
    }
}
