//! One bit of news between threads: there may be something to look at.
//!
//! A wake says nothing about what happened, so any number of them that nobody has heard yet are one.

use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::Duration;

/// Wakes the one who waits; copies wake the same one.
#[derive(Clone, Debug)]
pub(crate) struct Waker(SyncSender<()>);

/// The end that waits.
#[derive(Debug)]
pub(crate) struct Wakes(Receiver<()>);

/// Why waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    /// Somebody called [`Waker::wake`], now or since the last time.
    Woken,
    /// Nobody did, for as long as was asked.
    TimedOut,
}

/// Makes the two ends.
pub(crate) fn pair() -> (Waker, Wakes) {
    let (sender, receiver) = mpsc::sync_channel(1);
    (Waker(sender), Wakes(receiver))
}

impl Waker {
    /// Never blocks, and so can be called for every event of a flood.
    pub(crate) fn wake(&self) {
        // A full channel holds a wake that was not heard yet, and a closed one has nobody to wake.
        let _ = self.0.try_send(());
    }
}

impl Wakes {
    /// Waits for a wake, at most for `patience`.
    pub(crate) fn wait(&self, patience: Duration) -> Waited {
        match self.0.recv_timeout(patience) {
            Ok(()) => Waited::Woken,
            Err(_) => Waited::TimedOut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_wakes_are_heard_once() {
        let (waker, wakes) = pair();
        for _ in 0..1000 {
            waker.wake();
        }
        assert_eq!(wakes.wait(Duration::ZERO), Waited::Woken);
        assert_eq!(wakes.wait(Duration::ZERO), Waited::TimedOut);
    }
}
