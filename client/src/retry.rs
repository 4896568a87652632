//! When something that failed is tried again: soon at first, and ever more seldom.

use std::time::{Duration, Instant};

/// After a session lost its daemon or found none, this long passes before it looks for one again.
const SESSION_FIRST: Duration = Duration::from_secs(1);

/// However often that failed, it passes no longer than this.
const SESSION_MOST: Duration = Duration::from_mins(1);

/// When to try again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retry {
    first: Duration,
    most: Duration,
    wait: Duration,
    next: Instant,
}

impl Retry {
    /// Waits `first` after the first failure, twice as long after each further one, and never longer than `most`.
    pub(crate) fn new(first: Duration, most: Duration, now: Instant) -> Self {
        Self { first, most, wait: first, next: now }
    }

    /// When a session looks for a daemon again.
    pub(crate) fn of_session(is_connected: bool) -> Self {
        let now = Instant::now();
        let mut retry = Self::new(SESSION_FIRST, SESSION_MOST, now);
        if !is_connected {
            retry.failed(now);
        }
        retry
    }

    /// Whether it is time to try.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// How long to wait until it is time.
    pub(crate) fn remaining(&self, now: Instant) -> Duration {
        self.next.saturating_duration_since(now)
    }

    /// Notes that it failed.
    pub(crate) fn failed(&mut self, now: Instant) {
        self.next = now + self.wait;
        self.wait = (self.wait * 2).min(self.most);
    }

    /// Notes that it succeeded: the next failure is the first one again.
    pub(crate) fn succeeded(&mut self) {
        self.wait = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_doubles_the_wait_up_to_a_bound_and_success_resets_it() {
        let second = Duration::from_secs(1);
        let now = Instant::now();
        let mut retry = Retry::new(second, 4 * second, now);
        assert!(retry.is_due(now));
        let mut waits = Vec::new();
        for _ in 0..4 {
            retry.failed(now);
            waits.push(retry.remaining(now).as_secs());
        }
        assert_eq!(waits, [1, 2, 4, 4]);
        assert!(!retry.is_due(now + 3 * second) && retry.is_due(now + 4 * second));
        retry.succeeded();
        retry.failed(now);
        assert_eq!(retry.remaining(now), second);
    }
}
