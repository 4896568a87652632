//! When the next exchange is due, and with whom.
//!
//! Pure: times are arguments. A failing remote is left alone for longer and longer, and delays no other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant;

use postil_service::sharing::{NOBODY, Policy, pause};

/// During a rebase, it is checked again after this time.
const NOT_NOW: Duration = Duration::from_secs(15);

/// What is due when.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    next: Option<Instant>,
    /// A tracking branch moved, or a remote was not reached since.
    must_retry: bool,
    failing: BTreeMap<String, Failing>,
}

#[derive(Debug)]
struct Failing {
    failures: u32,
    /// It is left alone until then.
    until: Instant,
}

impl Schedule {
    /// Takes note of what the settings say, and whether a tracking branch moved since the last time.
    pub(super) fn consider(&mut self, policy: Policy, moved: bool, now: Instant) {
        self.must_retry |= moved;
        if moved {
            // A push or fetch has just succeeded, so the network may be back.
            for failing in self.failing.values_mut() {
                failing.until = failing.until.min(now + pause(1));
            }
        }
        self.next = match policy {
            Policy::Off => {
                *self = Self::default();
                None
            }
            Policy::OnPush | Policy::Every(_) if moved => Some(now),
            Policy::OnPush => self.next.filter(|_| self.must_retry),
            // The first time at once: it is not known when the last sync was.
            Policy::Every(every) => Some(self.next.map_or(now, |next| next.min(now + every))),
        };
    }

    /// When something is due, if ever.
    pub(super) fn next(&self) -> Option<Instant> {
        self.next
    }

    /// Whom to leave alone for now.
    pub(super) fn left_alone(&self, now: Instant) -> BTreeSet<String> {
        let failing = self.failing.iter().filter(|(_, failing)| failing.until > now);
        failing.map(|(name, _)| name.clone()).collect()
    }

    /// Postpones the sync, because a rebase is in progress.
    pub(super) fn put_off(&mut self, now: Instant) {
        self.next = Some(now + NOT_NOW);
    }

    /// Takes note of whom there was an exchange with, and with whom it failed.
    pub(super) fn record_outcomes<'a>(
        &mut self,
        policy: Policy,
        outcomes: impl IntoIterator<Item = (&'a str, RemoteOutcome)>,
        now: Instant,
    ) {
        for (name, outcome) in outcomes {
            self.failing.retain(|failing, _| failing != NOBODY || name == NOBODY);
            match outcome {
                RemoteOutcome::Done => drop(self.failing.remove(name)),
                RemoteOutcome::Failed => {
                    let failures = self.failing.get(name).map_or(1, |failing| failing.failures + 1);
                    let until = now + pause(failures);
                    self.failing.insert(name.to_owned(), Failing { failures, until });
                }
            }
        }
        self.must_retry = !self.failing.is_empty();
        self.next = match policy {
            Policy::Off => None,
            Policy::OnPush => self.failing.values().map(|failing| failing.until).min(),
            Policy::Every(every) => Some(now + every),
        };
    }
}

/// How an exchange with one remote ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemoteOutcome {
    Done,
    Failed,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);
    const EVERY: Policy = Policy::Every(MINUTE);
    const DONE: [(&str, RemoteOutcome); 1] = [("origin", RemoteOutcome::Done)];
    const FAILED: [(&str, RemoteOutcome); 1] = [("origin", RemoteOutcome::Failed)];

    #[test]
    fn a_push_is_followed_once_and_nothing_else_is() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        schedule.consider(Policy::OnPush, false, now);
        assert_eq!(schedule.next(), None);
        schedule.consider(Policy::OnPush, true, now);
        assert_eq!(schedule.next(), Some(now));
        schedule.record_outcomes(Policy::OnPush, DONE, now);
        schedule.consider(Policy::OnPush, false, now);
        assert_eq!(schedule.next(), None);
    }

    #[test]
    fn an_interval_begins_at_once_and_goes_on_from_the_end_of_the_last() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        schedule.consider(EVERY, false, now);
        assert_eq!(schedule.next(), Some(now));
        schedule.record_outcomes(EVERY, DONE, now + MINUTE);
        schedule.consider(EVERY, false, now + MINUTE);
        assert_eq!(schedule.next(), Some(now + MINUTE * 2));
        // Who shortens it does not wait for the old one.
        schedule.consider(Policy::Every(MINUTE / 6), false, now + MINUTE);
        assert_eq!(schedule.next(), Some(now + MINUTE + MINUTE / 6));
        schedule.consider(Policy::Off, false, now + MINUTE);
        assert_eq!(schedule.next(), None);
    }

    #[test]
    fn pauses_grow_with_every_failure_until_one_succeeds_or_somebody_pushes() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        schedule.consider(Policy::OnPush, true, now);
        for failures in 1..=10 {
            schedule.record_outcomes(Policy::OnPush, FAILED, now);
            schedule.consider(Policy::OnPush, false, now);
            assert_eq!(schedule.next(), Some(now + pause(failures)));
        }
        assert!(schedule.left_alone(now + pause(1)).contains("origin"));
        schedule.consider(Policy::OnPush, true, now);
        assert!(schedule.left_alone(now).contains("origin"), "not at once");
        assert!(schedule.left_alone(now + pause(1)).is_empty());
        schedule.record_outcomes(Policy::OnPush, DONE, now);
        assert_eq!(schedule.next(), None);
    }

    #[test]
    fn one_that_fails_keeps_no_other_waiting() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        schedule.consider(EVERY, false, now);
        for _ in 0..5 {
            schedule.record_outcomes(
                EVERY,
                [("dead", RemoteOutcome::Failed), ("origin", RemoteOutcome::Done)],
                now,
            );
        }
        assert_eq!(schedule.next(), Some(now + MINUTE));
        assert_eq!(schedule.left_alone(now + MINUTE), ["dead".to_owned()].into());
        assert!(schedule.left_alone(now + pause(5)).is_empty());
    }

    #[test]
    fn whoever_is_reached_makes_good_that_nobody_was() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        schedule.consider(Policy::OnPush, true, now);
        for failures in 1..3 {
            schedule.record_outcomes(Policy::OnPush, [(NOBODY, RemoteOutcome::Failed)], now);
            assert_eq!(schedule.next(), Some(now + pause(failures)));
        }
        schedule.record_outcomes(Policy::OnPush, DONE, now);
        assert_eq!(schedule.next(), None);
    }

    #[test]
    fn what_is_due_inside_a_rebase_is_still_due_after_it() {
        let (mut schedule, now) = (Schedule::default(), Instant::now());
        schedule.consider(Policy::OnPush, true, now);
        schedule.put_off(now);
        schedule.consider(Policy::OnPush, false, now);
        assert_eq!(schedule.next(), Some(now + NOT_NOW));
    }
}
