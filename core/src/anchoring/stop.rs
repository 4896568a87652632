//! A way to end a batch that is not wanted any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::locate::LocateError;

/// Shared by the worker and the caller; checked between two anchors, none of which takes long.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the work; this cannot be undone.
    pub fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was stopped.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does the work, unless it was stopped.
    pub(super) fn unless<T>(&self, work: impl FnOnce() -> Result<T, LocateError>) -> Result<T, LocateError> {
        if self.is_asked() { Err(LocateError::Stopped) } else { work() }
    }
}
