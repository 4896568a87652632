//! What went wrong after something was written: a warning, since who is told of an error would write it a second time.

use std::sync::{Arc, Mutex};

use postil_protocol::{Fault, WarningView};

use crate::repository::state::lock;

/// The warnings of one request; all that is read again for it adds to the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<WarningView>>>);

impl Warnings {
    /// Adds one in words.
    pub fn say(&self, what: impl Into<String>) {
        self.add(WarningView { what: what.into(), advice: None });
    }

    /// Adds one, unless it is there.
    pub fn add(&self, warning: WarningView) {
        let mut all = lock(&self.0);
        if !all.contains(&warning) {
            all.push(warning);
        }
    }

    /// Takes the outcome of a step after something was written: an error is a warning then.
    pub fn after_write<T>(&self, outcome: Result<T, Fault>) -> Option<T> {
        outcome.map_err(|fault| self.say(format!("it was saved, but {}", in_one_line(&fault)))).ok()
    }

    /// Takes out what was said.
    pub fn take(&self) -> Vec<WarningView> {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// What failed and why.
fn in_one_line(fault: &Fault) -> String {
    let causes = fault.data.causes.iter();
    causes.fold(fault.message.to_string(), |told, cause| format!("{told}: {cause}"))
}
