//! How long to wait for a lock that another process holds.
//!
//! Nothing here reads a clock or sleeps: the caller gives the time limit and the function that sleeps.

use std::time::Duration;

/// The first pause between two attempts.
const FIRST_PAUSE: Duration = Duration::from_millis(1);

/// Pauses double up to this one, so that a lock that is given back is taken soon after.
const LONGEST_PAUSE: Duration = Duration::from_millis(32);

/// A bound on waiting, and the way to wait.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    limit: Duration,
    sleep: fn(Duration),
}

impl Patience {
    /// Waits at most `limit` in all, by calling `sleep` (a process passes `std::thread::sleep`).
    pub fn new(limit: Duration, sleep: fn(Duration)) -> Self {
        Self { limit, sleep }
    }

    /// The same, for something that is not worth waiting longer for than `limit`.
    #[must_use]
    pub fn at_most(self, limit: Duration) -> Self {
        Self { limit: self.limit.min(limit), ..self }
    }

    /// Begins to wait for one thing.
    pub(super) fn begin(self) -> LockWait {
        LockWait { patience: self, waited: Duration::ZERO, pause: FIRST_PAUSE }
    }
}

/// One wait that has begun.
pub(super) struct LockWait {
    patience: Patience,
    waited: Duration,
    pause: Duration,
}

impl LockWait {
    /// Pauses before the next attempt, or returns how long was waited when that is enough.
    pub(super) fn pause(&mut self) -> Result<(), Duration> {
        let left = self.patience.limit.saturating_sub(self.waited);
        if left.is_zero() {
            return Err(self.waited);
        }
        let pause = self.pause.min(left);
        (self.patience.sleep)(pause);
        self.waited += pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_after_exactly_the_limit() {
        let limit = Duration::from_millis(100);
        let mut waiting = Patience::new(limit, |_| {}).begin();
        let mut pauses = 0;
        let waited = loop {
            match waiting.pause() {
                Ok(()) => pauses += 1,
                Err(waited) => break waited,
            }
        };
        assert_eq!(waited, limit);
        assert_eq!(pauses, 8);
    }

    #[test]
    fn no_patience_is_one_attempt() {
        assert!(Patience::new(Duration::ZERO, |_| panic!("must not sleep")).begin().pause().is_err());
    }
}
