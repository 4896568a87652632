//! Drops from the cache of line maps and positions what no comment needs any more.
//!
//! Never while a client waits for an answer: the end of a review is only noted, and the cache is swept when
//! the process is done or when the daemon is idle. If too much is dropped, it is computed again.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postil_core::git::BlobId;
use postil_core::record::Timestamp;
use postil_core::review::{Membership, ReviewState, Thread, ThreadState};

use super::state::{RepositoryState, lock};
use crate::notes::index::NotesIndex;

/// How often a cache is swept at which no review ended, in milliseconds.
const EVERY: u64 = 24 * 60 * 60 * 1000;

/// When a cache was swept, and whether it is to be swept again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sweeping {
    /// A review ended then.
    due: Option<Timestamp>,
    /// It was last swept then, by this process.
    last: Option<Timestamp>,
}

impl RepositoryState {
    /// Notes that a review ended, so that the cache is swept later, when no client waits.
    pub fn sweep_soon(&self, now: Timestamp) {
        lock(&self.sweeping).due = Some(now);
    }

    /// Sweeps the cache if a review ended since that was last done.
    pub fn sweep_if_due(&self) {
        let due = lock(&self.sweeping).due.take();
        if let Some(now) = due {
            self.sweep(now);
        }
    }

    /// Sweeps the cache if a review ended, or if it was not swept for a day.
    pub fn sweep_now_and_then(&self, now: Timestamp) {
        let Sweeping { due, last } = *lock(&self.sweeping);
        if due.is_some() || last.is_none_or(|last| now.0.saturating_sub(last.0) >= EVERY) {
            self.sweep(now);
        }
    }

    /// Drops what no comment needs, and what went unused for long.
    pub fn sweep(&self, now: Timestamp) {
        let Ok(notes) = self.notes() else { return };
        *lock(&self.sweeping) = Sweeping { due: None, last: Some(now) };
        self.maps.sweep(&needed(&notes), system_time(now));
    }
}

/// The commented blobs that may still be needed: all of open reviews, and those of open threads without a
/// review or in a merged one.
fn needed(notes: &NotesIndex) -> BTreeSet<BlobId> {
    let is_needed = |thread: &Thread<'_>| {
        let is_open = thread.state() == ThreadState::Open;
        let state = match thread.review() {
            Membership::Review(review) => {
                notes.threads.group_of(review.id()).map(|group| group.lead().state())
            }
            Membership::None | Membership::Unknown(_) => None,
        };
        notes.drafts.contains(&thread.id())
            || match state {
                Some(ReviewState::Open) => true,
                Some(ReviewState::Closed) => false,
                Some(ReviewState::Merged) | None => is_open,
            }
    };
    let anchors = notes.threads.iter().filter(is_needed).filter_map(Thread::anchor);
    anchors.flat_map(|anchor| anchor.blobs().map(|(blob, _)| blob).collect::<Vec<_>>()).collect()
}

fn system_time(now: Timestamp) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(now.0)
}
