//! What a position means, in words that a person understands.

use std::fmt::Display;

use postil_protocol::{AnchorView, PlaceState, PositionView, Side};

use super::colour::Ink;
use super::site::{Naming, Site};

/// Says where something came from and how sure that is; `None` where there is nothing to say.
///
/// A comment that stands where the diff says is shown plainly.
pub fn position(naming: &Naming, position: &PositionView, anchor: &AnchorView) -> Option<String> {
    let then = Site::then(anchor);
    let was = naming.site(then);
    let is_same_file = position.path.as_ref() == Some(&anchor.path);
    let from = match (is_same_file, anchor.range) {
        (true, Some(range)) => format!("line {range}"),
        _ => was.clone(),
    };
    let sure = confidence(position.confidence.per_mille());
    Some(match position.state {
        PlaceState::Anchored if position.reason == "renamed" => {
            format!("in a renamed file, was {}", naming.path(&anchor.path))
        }
        PlaceState::Anchored => return None,
        PlaceState::Shifted => {
            let how = match position.reason.as_str() {
                "reformatted" => "reformatted since, same content".to_owned(),
                "grown" => "lines were added inside, the rest is the same".to_owned(),
                // What went elsewhere and came back, or whose neighbours did.
                "moved" | "history" if is_same_file && position.range == anchor.range => {
                    "lost by the diff and found again at the same line, same text".to_owned()
                }
                "moved" | "moved-to-file" => format!("moved from {from}, same text"),
                "history" => format!("followed through history from {from}, same text"),
                "twin" => format!("the same text, or a copy of it; was {was}"),
                "quote" => "the same words, in lines that changed".to_owned(),
                "text" => format!("found by its text alone, was {was}"),
                _ => format!("found elsewhere, was {was}"),
            };
            format!("{how} ({sure})")
        }
        PlaceState::Outdated => {
            let how = match position.reason.as_str() {
                "similar" => format!("changed since; similar lines are here now, was {from}; best guess"),
                "similar-in-file" => {
                    format!("changed since; similar lines are in this file, was {was}; best guess")
                }
                "deleted" => "its lines are gone; this is where they stood".to_owned(),
                "replaced" => "replaced; this stands there now".to_owned(),
                "restored" if position.confidence.per_mille() < 1000 => {
                    "the change does not delete all of these lines any more".to_owned()
                }
                "restored" => "the change does not delete these lines any more".to_owned(),
                "applied" => "its suggestion was applied; this is what it wrote".to_owned(),
                _ => "changed since; best guess".to_owned(),
            };
            format!("{how} ({sure})")
        }
        PlaceState::Orphaned => {
            let why = match position.reason.as_str() {
                "deleted" => "its lines are gone",
                "file-deleted" => "its file is gone",
                "bypassed" => "its lines changed, in a file that is never searched",
                "ambiguous" => "several places fit equally well",
                "not-text" => "what stands there now has no lines",
                "impossible" => "it names lines that its file never had",
                "unreadable" => "a file cannot be read here",
                _ => "no place can be defended",
            };
            let was = elsewhere(position, anchor).map(|_| format!("; was {was}")).unwrap_or_default();
            match position.candidates.len() {
                0 => format!("lost: {why}{was}"),
                1 => format!("lost: {why}{was}; there is 1 place to consider"),
                count => format!("lost: {why}{was}; there are {count} places to consider"),
            }
        }
    })
}

/// How sure something is, in words.
pub fn confidence(per_mille: u16) -> &'static str {
    match per_mille {
        950.. => "almost certain",
        800.. => "quite sure",
        500.. => "likely",
        _ => "a guess",
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
pub fn place(naming: &Naming, position: Option<&PositionView>, anchor: Option<&AnchorView>) -> String {
    let Some(anchor) = anchor else { return "(review)".into() };
    let site = position.and_then(|position| Site::now(position).or_else(|| elsewhere(position, anchor)));
    let site = site.unwrap_or_else(|| Site::then(anchor));
    let name = naming.site(site);
    if anchor.side == Side::Old { format!("{name} (old)") } else { name }
}

/// What the first place to consider is to an orphan.
pub fn first_candidate(position: &PositionView) -> &'static str {
    match position.reason.as_str() {
        // Nobody knows which of several it was, or the file that it stood in is gone.
        "ambiguous" | "file-deleted" => "perhaps here",
        _ => "stood here",
    }
}

/// The file at whose head an orphan stands, where that is not the one that it was in: it has another name by now.
fn elsewhere<'a>(position: &'a PositionView, anchor: &AnchorView) -> Option<Site<'a>> {
    let best = position.candidates.first().filter(|best| best.path != anchor.path)?;
    Some(Site { path: &best.path, range: None })
}

/// So many of them.
pub fn count<N: Copy + PartialEq + From<u8> + Display>(number: N, one: &str, many: &str) -> String {
    if number == N::from(1) { format!("1 {one}") } else { format!("{number} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let told = position(&Naming::default(), &now, &then);
            assert_eq!(told.as_deref(), Some(expected));
        };
        check(5, "moved", "moved from line 3, same text (quite sure)");
        check(5, "history", "followed through history from line 3, same text (quite sure)");
        let back = "lost by the diff and found again at the same line, same text (quite sure)";
        check(3, "moved", back);
        check(3, "history", back);
    }
}
