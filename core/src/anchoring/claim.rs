//! Checks what a position that somebody else computed says about the text.
//!
//! Such a position is a claim: whoever can push notes can write any. This says only whether the files agree with it.
//! Whether it is wanted at all, and what is shown of it, is the caller's decision.

use super::files::bypass::is_binary;
use super::lines::region::LineRegion;
use super::matching::sameness::{Sameness, sameness};
use super::without_blob::{likeness, lines, stand_in};
use crate::edit::{Text, normalise};
use crate::git::{TreeId, tree};
use crate::record::{Anchor, Line, PositionEntry, PositionState};

/// Changed lines that are less like the anchor's own need a line that was near them and still is.
const ALIKE: f64 = 0.5;

/// Shorter lines without white space are everywhere, and prove nothing.
const TELLING_BYTES: usize = 6;

/// Whether the files of `files` agree with what `claim` says about the lines of `anchor`.
///
/// The file is there, the lines are in it, and they read as the state says: the same lines (anchored), the same but for
/// what formatters change or a few lines between them (shifted), or changed lines that still have something of the
/// anchor in or near them (outdated). What cannot be checked does not hold: a comment without a place, one on a whole
/// file, and words of prose, which are found by themselves.
pub fn claim_holds(repo: &gix::Repository, files: TreeId, anchor: &Anchor, claim: &PositionEntry) -> bool {
    let (Some(path), Some(range)) = (&claim.path, claim.range) else { return false };
    if anchor.range.is_none() || anchor.lines.is_empty() || anchor.quote.is_some() {
        return false;
    }
    let Ok(Some(entry)) = tree::entry_at(repo, files, path) else { return false };
    if !entry.mode.is_blob() {
        return false;
    }
    let Ok(content) = repo.find_blob(entry.id.raw()).map(|mut blob| blob.take_data()) else { return false };
    let (text, is) = (Text::new(content), LineRegion::from_range(range));
    if is_binary(text.bytes()) || !is.fits(&text) {
        return false;
    }
    let (old, was) = stand_in(anchor, &text);
    match (claim.state, sameness(&old, &was, &text, &is)) {
        (PositionState::Anchored, same) => same == Sameness::Exact,
        (PositionState::Shifted, same) => same < Sameness::Changed,
        (PositionState::Outdated, Sameness::Changed) => {
            likeness(&lines(&old, &was), &lines(&text, &is)) >= ALIKE || has_a_neighbour(anchor, &text, &is)
        }
        (PositionState::Outdated | PositionState::Orphaned, _) => false,
    }
}

/// Whether a line that was at the anchor or near it is at the place or near it.
fn has_a_neighbour(anchor: &Anchor, text: &Text, is: &LineRegion) -> bool {
    let near = anchor.before.len().max(anchor.after.len()) as u32;
    let last = is.last.saturating_add(near).min(text.len().saturating_sub(1));
    let window = is.first.saturating_sub(near)..=last;
    let known: Vec<Vec<u8>> = anchor
        .before
        .iter()
        .chain(&anchor.lines)
        .chain(&anchor.after)
        .filter_map(|line| match line {
            Line::Text(bytes) => Some(normalise(bytes)),
            Line::Hash(_) => None,
        })
        .filter(|line| line.len() >= TELLING_BYTES)
        .collect();
    window.into_iter().any(|line| known.contains(&normalise(text.bare(line))))
}
