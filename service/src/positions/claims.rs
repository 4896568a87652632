//! Positions that came with the notes: claims of somebody else, of use where less is here than they had.
//!
//! Whoever can push notes can write any position into them. So a claim is used only if our own engine could have made
//! it, if it says it had more to go by, if our own answer leaves room for a better one, and if the files agree with
//! it. It stays marked as computed elsewhere, and our own place is its first candidate. Nothing is ever applied, moved
//! or written back by a claim.

use std::collections::BTreeMap;

use postil_core::anchoring::claim_holds;
use postil_core::git::{CommitId, TreeId, history};
use postil_core::record::{AnchorSide, Candidate, EntryOrigin, PositionEntry, PositionState, RecordId};

use crate::notes::index::NotesIndex;
use crate::positions::applied::APPLIED;
use crate::positions::positions_at::{ThreadToLocate, UNREADABLE};

/// A longer reason is not one of the engine's words.
const MAX_REASON_BYTES: usize = 32;

/// The claims about one head.
pub(crate) struct Claims<'a> {
    handle: &'a gix::Repository,
    files: TreeId,
    by_comment: BTreeMap<RecordId, PositionEntry>,
}

impl<'a> Claims<'a> {
    /// Those that the notes have about `head`, whose files are `files`.
    pub fn about(handle: &'a gix::Repository, notes: &NotesIndex, head: CommitId, files: TreeId) -> Self {
        Self { handle, files, by_comment: notes.claims_about(head) }
    }

    /// The claim about a thread, if it is better than what was computed here and holds; else what was computed.
    pub fn or_computed(&self, asked: &ThreadToLocate<'_>, computed: PositionEntry) -> PositionEntry {
        match self.by_comment.get(&asked.id) {
            Some(claim) if is_of_use(claim, asked, &computed) && self.holds(claim, asked) => {
                marked(claim, computed)
            }
            _ => computed,
        }
    }

    fn holds(&self, claim: &PositionEntry, asked: &ThreadToLocate<'_>) -> bool {
        let files = match (&asked.anchor.side, asked.base()) {
            (AnchorSide::New, _) => Some(self.files),
            // Deleted lines are in the base, and only who knows it can look.
            (AnchorSide::Old(_), Some(base)) => history::commit(self.handle, base).ok().map(|base| base.tree),
            (AnchorSide::Old(_), None) => None,
        };
        files.is_some_and(|files| claim_holds(self.handle, files, asked.anchor, claim))
    }
}

/// Whether a claim would say more than what was computed, if it were true.
fn is_of_use(claim: &PositionEntry, asked: &ThreadToLocate<'_>, computed: &PositionEntry) -> bool {
    // Positions are of the place that a comment was put on first.
    !asked.is_moved()
        && claim.engine == computed.engine
        && claim.basis > computed.basis
        && computed.state != PositionState::Anchored
        && sureness(claim.state) >= sureness(computed.state)
        && (claim.path.as_ref(), claim.range) != (computed.path.as_ref(), computed.range)
        && is_a_reason(&claim.reason)
}

fn sureness(state: PositionState) -> u8 {
    match state {
        PositionState::Anchored => 3,
        PositionState::Shifted => 2,
        PositionState::Outdated => 1,
        PositionState::Orphaned => 0,
    }
}

/// Whether this can be a word of the engine; what was applied or could not be read is known here alone.
fn is_a_reason(reason: &str) -> bool {
    let is_word = reason.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_word && reason.len() <= MAX_REASON_BYTES && ![APPLIED, UNREADABLE].contains(&reason)
}

/// A claim as it is shown: other places are those that were found here, our own first.
fn marked(claim: &PositionEntry, computed: PositionEntry) -> PositionEntry {
    let PositionEntry { path, range, confidence, candidates, .. } = computed;
    let own = path.zip(range).map(|(path, range)| Candidate { path, range, confidence });
    PositionEntry {
        origin: EntryOrigin::Elsewhere,
        candidates: own.into_iter().chain(candidates).collect(),
        source: None,
        ..claim.clone()
    }
}
