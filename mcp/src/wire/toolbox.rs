//! What can be called, apart from how it is asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};

use super::outlet::Outlet;

/// What a client can call.
pub(crate) trait Toolbox: Send + Sync {
    /// What to know before the first call, for the model.
    fn instructions(&self) -> &'static str;

    /// What is offered, in a fixed order.
    fn offered(&self) -> Vec<Value>;

    /// How a call of this name is run; `None` if there is no such tool.
    fn pace(&self, name: &str) -> Option<Pace>;

    /// Answers a call of a tool that [`Toolbox::pace`] knows.
    fn call(&self, call: &ToolCall, running: &CallInProgress) -> ToolAnswer;
}

/// How long a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// It is answered before the next one.
    InTurn,
    /// It waits for others to do something, while other calls are answered.
    Waits,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct ToolCall {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// Who calls.
    pub client: McpClient,
}

/// The program at the other end, as it names itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct McpClient {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

/// What a call gives: text for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolAnswer {
    /// What to read.
    pub text: String,
    /// Whether the call failed; the text says why, and what to do.
    pub is_error: bool,
}

impl ToolAnswer {
    /// A result.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false }
    }

    /// A failure.
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }
}

/// A call that is being answered.
pub(crate) struct CallInProgress {
    outlet: Outlet,
    /// What notifications of progress name; `None` if the client wants none.
    progress: Option<Value>,
    cancelled: Arc<AtomicBool>,
}

impl CallInProgress {
    pub fn new(outlet: Outlet, progress: Option<Value>, cancelled: Arc<AtomicBool>) -> Self {
        Self { outlet, progress, cancelled }
    }

    /// Whether nobody waits for the answer any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.outlet.is_closed()
    }

    /// Says that so much of so much is done, if the client wants to know.
    pub fn tell(&self, done: u64, of: u64, message: &str) {
        if let Some(token) = &self.progress {
            let params = serde_json::json!({
                "progressToken": token, "progress": done, "total": of, "message": message,
            });
            self.outlet.send(super::message::notification_line("notifications/progress", &params));
        }
    }
}
