//! What a position means, in words that a person understands.

use std::fmt::Display;

use postil_protocol::{AnchorView, PlaceState, PositionView, Side};

use super::colour::Ink;
use super::message_words::{message_now, message_position};
use super::site::{CommentedOn, Naming, ShownSite};

/// Said of a position that came with the notes.
pub const ELSEWHERE: &str = "computed on another machine";

/// Says where something came from and how sure that is; `None` where there is nothing to say.
///
/// A comment at the place that the diff gives is shown without a remark.
pub fn position(naming: &Naming, position: &PositionView, on: CommentedOn<'_>) -> Option<String> {
    let said = match on {
        CommentedOn::File(anchor) => found(naming, position, anchor),
        CommentedOn::Message(on) => message_position(position, on),
    };
    if !position.computed_elsewhere {
        return said;
    }
    Some(said.map_or_else(|| ELSEWHERE.to_owned(), |said| format!("{said}; {ELSEWHERE}")))
}

fn found(naming: &Naming, position: &PositionView, anchor: &AnchorView) -> Option<String> {
    let then = ShownSite::then(anchor);
    let was = naming.site(then);
    let is_same_file = position.path.as_ref() == Some(&anchor.path);
    let from = match (is_same_file, anchor.range) {
        (true, Some(range)) => format!("line {range}"),
        _ => was.clone(),
    };
    let sure = confidence(position.confidence.per_mille());
    Some(match position.state {
        PlaceState::Anchored if position.reason == "renamed" => {
            format!("file renamed from {}", naming.path(&anchor.path))
        }
        PlaceState::Anchored => return None,
        PlaceState::Shifted => {
            let how = match position.reason.as_str() {
                "reformatted" => "reformatted".to_owned(),
                "grown" => "lines were added inside".to_owned(),
                // What went elsewhere and came back, or whose neighbours did.
                "moved" | "history" if is_same_file && position.range == anchor.range => {
                    "found again at the same line, same text".to_owned()
                }
                "moved" | "moved-to-file" => format!("moved from {from}, same text"),
                "history" => format!("followed through history from {from}, same text"),
                "twin" => format!("same text, or an identical copy; was {was}"),
                "quote" => "same text, in changed lines".to_owned(),
                "text" => format!("found by its text only, was {was}"),
                _ => format!("found elsewhere, was {was}"),
            };
            format!("{how} ({sure})")
        }
        PlaceState::Outdated => {
            let how = match position.reason.as_str() {
                "similar" => format!("changed; similar lines found here, was {from}"),
                "similar-in-file" => {
                    format!("changed; similar lines found in this file, was {was}")
                }
                "deleted" => "its lines were deleted here".to_owned(),
                "replaced" => "its lines were replaced by these".to_owned(),
                "restored" if position.confidence.per_mille() < 1000 => {
                    "the change no longer deletes all of these lines".to_owned()
                }
                "restored" => "the change no longer deletes these lines".to_owned(),
                "applied" => "its suggestion was applied here".to_owned(),
                _ => "changed".to_owned(),
            };
            format!("{how} ({sure})")
        }
        PlaceState::Orphaned => {
            let why = match position.reason.as_str() {
                "deleted" => "its lines were deleted",
                "file-deleted" => "its file was deleted",
                "bypassed" => "its lines changed, in a file that postil does not search",
                "ambiguous" => "several places match equally well",
                "not-text" => "the file is no longer text",
                "impossible" => "the file never had these lines",
                "unreadable" => "a file could not be read",
                _ => "no similar lines found",
            };
            let was = elsewhere(position, anchor).map(|_| format!("; was {was}")).unwrap_or_default();
            match position.candidates.len() {
                0 => format!("orphaned: {why}{was}"),
                1 => format!("orphaned: {why}{was}; 1 possible place"),
                count => format!("orphaned: {why}{was}; {count} possible places"),
            }
        }
    })
}

/// How sure something is, in words.
pub fn confidence(per_mille: u16) -> &'static str {
    match per_mille {
        950.. => "very high confidence",
        800.. => "high confidence",
        500.. => "medium confidence",
        _ => "low confidence",
    }
}

/// The colour of a state.
pub fn ink(state: PlaceState) -> Ink {
    match state {
        PlaceState::Anchored => Ink::Good,
        PlaceState::Shifted => Ink::Faint,
        PlaceState::Outdated => Ink::Doubt,
        PlaceState::Orphaned => Ink::Bad,
    }
}

/// The place of a thread: where it is, else where it was.
pub fn place(naming: &Naming, position: Option<&PositionView>, on: Option<CommentedOn<'_>>) -> String {
    let anchor = match on {
        None => return "(review)".into(),
        Some(CommentedOn::Message(on)) => return message_now(position, on),
        Some(CommentedOn::File(anchor)) => anchor,
    };
    let site = position.and_then(|position| ShownSite::now(position).or_else(|| elsewhere(position, anchor)));
    let site = site.unwrap_or_else(|| ShownSite::then(anchor));
    let name = naming.site(site);
    if anchor.side == Side::Old { format!("{name} (old)") } else { name }
}

/// What the first place to consider is to an orphan.
pub fn first_candidate(position: &PositionView) -> &'static str {
    match position.reason.as_str() {
        // Either several places match, or the file is gone.
        "ambiguous" | "file-deleted" => "possibly here",
        _ => "was here",
    }
}

/// The file that an orphan is shown in, if it is not its old one: it was renamed.
fn elsewhere<'a>(position: &'a PositionView, anchor: &AnchorView) -> Option<ShownSite<'a>> {
    let best = position.candidates.first().filter(|best| best.path != anchor.path)?;
    Some(ShownSite { path: &best.path, range: None })
}

/// So many of them.
pub fn count<N: Copy + PartialEq + From<u8> + Display>(number: N, one: &str, many: &str) -> String {
    if number == N::from(1) { format!("1 {one}") } else { format!("{number} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_machine_computed_is_said_to_be_so() {
        let check = |state: &str, reason: &str, expected: &str| {
            let point = serde_json::json!({"line": 3, "column": null});
            let range = serde_json::json!({"start": point, "end": point});
            let now = serde_json::json!({
                "state": state, "side": "new", "path": "a", "start": 3, "end": 3, "range": range,
                "confidence": 1.0, "reason": reason, "candidates": [], "computed_elsewhere": true,
            });
            let then = serde_json::json!({
                "commit": null, "side": "new", "path": "a", "start": 3, "end": 3, "range": range, "lines": [],
            });
            let (now, then) = (serde_json::from_value(now).unwrap(), serde_json::from_value(then).unwrap());
            let on = CommentedOn::File(&then);
            assert_eq!(position(&Naming::default(), &now, on).as_deref(), Some(expected));
        };
        check("anchored", "translated", "computed on another machine");
        check("shifted", "reformatted", "reformatted (very high confidence); computed on another machine");
    }

    #[test]
    fn what_came_back_to_its_line_is_not_said_to_have_moved_from_there() {
        let check = |line: u32, reason: &str, expected: &str| {
            let point = |line: u32| serde_json::json!({"line": line, "column": null});
            let range = |line: u32| serde_json::json!({"start": point(line), "end": point(line)});
            let now = serde_json::json!({
                "state": "shifted", "side": "new", "path": "a", "start": line, "end": line, "range": range(line),
                "confidence": 0.9, "reason": reason, "candidates": [],
            });
            let then = serde_json::json!({
                "commit": null, "side": "new", "path": "a", "start": 3, "end": 3, "range": range(3), "lines": [],
            });
            let (now, then) = (serde_json::from_value(now).unwrap(), serde_json::from_value(then).unwrap());
            let told = position(&Naming::default(), &now, CommentedOn::File(&then));
            assert_eq!(told.as_deref(), Some(expected));
        };
        check(5, "moved", "moved from line 3, same text (high confidence)");
        check(5, "history", "followed through history from line 3, same text (high confidence)");
        let back = "found again at the same line, same text (high confidence)";
        check(3, "moved", back);
        check(3, "history", back);
    }
}
