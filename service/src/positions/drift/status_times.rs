//! How long threads stay open.

use postil_core::review::{Thread, ThreadState};
use postil_protocol::StatusTimes;

/// How long these threads stay open, or stayed until they were resolved. A thread whose first comment is missing is
/// counted, without a time.
pub(crate) fn status_times<'a>(threads: impl Iterator<Item = Thread<'a>>, now: u64) -> StatusTimes {
    let mut times = StatusTimes::default();
    let (mut open, mut resolved) = (Vec::new(), Vec::new());
    for thread in threads {
        let started = thread.root_comment().map(|root| root.said().at.0);
        let set = thread.statuses().in_force().map(|status| status.said.at.0);
        match thread.state() {
            ThreadState::Open => {
                times.open += 1;
                open.extend(started.map(|started| now.saturating_sub(started)));
            }
            ThreadState::Resolved => {
                times.resolved += 1;
                resolved.extend(started.zip(set).map(|(started, set)| set.saturating_sub(started)));
            }
            ThreadState::Withdrawn => times.withdrawn += 1,
        }
    }
    open.sort_unstable();
    resolved.sort_unstable();
    times.open_median = share(&open, 50);
    times.open_longest = open.last().copied();
    times.resolved_median = share(&resolved, 50);
    times.resolved_most = share(&resolved, 90);
    times
}

/// The smallest of the sorted times that so many per cent do not exceed.
fn share(sorted: &[u64], percent: usize) -> Option<u64> {
    let count = (sorted.len() * percent).div_ceil(100);
    sorted.get(count.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_times_is_one_of_them() {
        assert_eq!(share(&[], 50), None);
        assert_eq!(share(&[7], 90), Some(7));
        assert_eq!(share(&[1, 2, 3, 4], 50), Some(2));
        assert_eq!(share(&[1, 2, 3], 50), Some(2));
        assert_eq!(share(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 90), Some(9));
    }
}
