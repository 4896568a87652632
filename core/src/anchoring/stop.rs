//! A way to end a batch that nobody waits for any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::locate::LocateError;

/// Shared by who works and who may lose interest; looked at between two anchors, none of which takes long.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends what listens to this; there is no way back.
    pub fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was ended.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does something that somebody still waits for.
    pub(super) fn unless<T>(&self, work: impl FnOnce() -> Result<T, LocateError>) -> Result<T, LocateError> {
        if self.is_asked() { Err(LocateError::Stopped) } else { work() }
    }
}
