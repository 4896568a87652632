//! Where answers go: whole lines, one after the other, whoever writes them.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// The output, shared by all that answer.
#[derive(Clone)]
pub(crate) struct Outlet(Arc<Mutex<OutletState>>);

struct OutletState {
    /// `None` once the client is gone.
    output: Option<Box<dyn Write + Send>>,
}

impl Outlet {
    pub fn new(output: Box<dyn Write + Send>) -> Self {
        Self(Arc::new(Mutex::new(OutletState { output: Some(output) })))
    }

    /// Writes a line. A client that does not read any more gets nothing, now and later.
    pub fn send(&self, mut line: String) {
        line = postil_words::sanitize::json(line);
        line.push('\n');
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(output) = &mut state.output else { return };
        if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
            state.output = None;
        }
    }

    /// Whether the client is gone.
    pub fn is_closed(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).output.is_none()
    }
}
