//! What became of a thread, in one word.

use postil_core::record::{PositionEntry, PositionState};
use postil_core::review::{Thread, ThreadState};
use postil_protocol::DriftCounts;

use crate::positions::positions_at::where_it_was_put;

/// What became of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadDrift {
    /// It is where it was put.
    InPlace,
    /// Its text is elsewhere.
    Moved,
    /// Its text changed.
    Outdated,
    /// Its lines no longer exist.
    Lost,
    /// It is on no file.
    WithoutPlace,
}

impl ThreadDrift {
    /// What became of a thread that is here.
    pub fn of(thread: Thread<'_>, entry: Option<&PositionEntry>) -> Self {
        let (Some(anchor), Some(entry)) = (thread.anchor(), entry) else { return Self::WithoutPlace };
        match entry.state {
            PositionState::Orphaned => Self::Lost,
            PositionState::Outdated => Self::Outdated,
            PositionState::Anchored | PositionState::Shifted => {
                let put = where_it_was_put(thread.id(), anchor);
                if (&put.path, put.range) == (&entry.path, entry.range) { Self::InPlace } else { Self::Moved }
            }
        }
    }

    /// Whether the text that was commented on is still there.
    pub fn is_found(self) -> bool {
        matches!(self, Self::InPlace | Self::Moved)
    }
}

/// Counts a thread.
pub(crate) fn count(counts: &mut DriftCounts, thread: Thread<'_>, drift: ThreadDrift) {
    counts.threads += 1;
    counts.open += u32::from(thread.state() == ThreadState::Open);
    let moved = thread.root_comment().and_then(|root| root.moves().in_force());
    counts.moved_by_hand += u32::from(moved.is_some());
    *match drift {
        ThreadDrift::InPlace => &mut counts.in_place,
        ThreadDrift::Moved => &mut counts.moved,
        ThreadDrift::Outdated => &mut counts.outdated,
        ThreadDrift::Lost => &mut counts.lost,
        ThreadDrift::WithoutPlace => &mut counts.without_place,
    } += 1;
}
