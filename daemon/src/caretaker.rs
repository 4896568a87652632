//! Keeps notes whole where nobody answers questions: what is lost comes back, what is published is shared.

use std::path::Path;

use postil_core::protocol::{Call, Fault, FaultCode, Reply};

use crate::answers::Answers;

/// Answers nothing.
#[derive(Debug, Default)]
pub struct Caretaker;

impl Answers for Caretaker {
    fn answer(&self, call: Call) -> Result<Reply, Fault> {
        Err(Fault::new(FaultCode::UnknownMethod, format!("{} is not answered here", call.name())))
    }

    fn forget(&self, _: &Path) {}
}
