//! The request to stop, which a signal or a caller makes.
//!
//! Only a request: whoever attends to something finishes what it began, then returns.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::wake::{self, Waker, Wakes};

/// A request to stop that was made, or not yet; copies are the same request.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    requested: Arc<AtomicBool>,
    waker: Waker,
}

impl Stop {
    /// Makes one that nobody has requested, and the end that is woken by the request.
    pub(crate) fn new() -> (Self, Wakes) {
        let (waker, wakes) = wake::pair();
        (Self { requested: Arc::default(), waker }, wakes)
    }

    /// Asks to stop; asking again changes nothing.
    pub(crate) fn request(&self) {
        self.requested.store(true, Ordering::SeqCst);
        self.waker.wake();
    }

    /// Whether somebody has asked.
    pub(crate) fn is_requested(&self) -> bool {
        self.requested.load(Ordering::SeqCst)
    }

    /// What wakes the one who waits for this request.
    pub(crate) fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Lets SIGTERM and SIGINT make this request, until the process ends.
    pub(crate) fn on_signals(&self) -> io::Result<()> {
        let mut signals = Signals::new([SIGTERM, SIGINT])?;
        let stop = self.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                tracing::info!(signal, "stopping");
                stop.request();
            }
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::wake::Waited;

    #[test]
    fn a_request_wakes_the_one_who_waits() {
        let (stop, wakes) = Stop::new();
        assert!(!stop.is_requested());
        stop.clone().request();
        assert!(stop.is_requested());
        assert_eq!(wakes.wait(Duration::ZERO), Waited::Woken);
    }
}
