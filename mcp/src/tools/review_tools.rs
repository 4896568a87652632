//! The tools of one repository: who calls, which of them are offered, and the session that answers.

use std::sync::{Mutex, PoisonError};

use postil_client::{AgentLevel, ClientProgram, DeclaredVia, RepositoryArgs, Session, SessionError};
use postil_protocol::ViaView;
use serde_json::Value;

use super::definitions::{INSTRUCTIONS, READING, WRITING, definition};
use super::failing::failed;
use super::{comment, preview, propose, thread, threads, wait};
use crate::McpSettings;
use crate::wire::toolbox::{CallInProgress, McpClient, Pace, ToolAnswer, ToolCall, Toolbox};

/// A client that does not say its name.
const UNNAMED: &str = "mcp-client";

/// What is kept of the name and the version of a client.
const MAX_NAME_CHARS: usize = 64;

/// The tools of one repository.
pub(crate) struct ReviewTools {
    at: RepositoryArgs,
    program: ClientProgram,
    settings: McpSettings,
    /// The session of what is answered in turn, for the client that called last.
    open: Mutex<Option<OpenSession>>,
}

struct OpenSession {
    via: ViaView,
    session: Session,
}

/// What every tool gets.
pub(super) struct Asked<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// The session.
    pub session: &'a mut Session,
}

impl ReviewTools {
    pub fn new(at: RepositoryArgs, program: ClientProgram, settings: McpSettings) -> Self {
        Self { at, program, settings, open: Mutex::new(None) }
    }

    /// What a person allows agents, as their configuration is now; nothing where there is no repository.
    fn level(&self) -> Result<AgentLevel, SessionError> {
        if !self.settings.write {
            return Ok(AgentLevel::Read);
        }
        Ok(AgentLevel::of(self.at.find()?.repository())?)
    }

    /// The program that calls: an agent, whatever it says of itself.
    fn via(&self, client: &McpClient) -> ViaView {
        if let Some(via) = &self.settings.via {
            return via.clone();
        }
        let program = client.name.as_deref().map(plain).filter(|name| !name.is_empty());
        ViaView {
            kind: "agent".to_owned(),
            program: program.unwrap_or_else(|| UNNAMED.to_owned()),
            version: client.version.as_deref().map(plain).filter(|version| !version.is_empty()),
            model: None,
            person: None,
        }
    }

    /// A session for this client.
    fn open(&self, via: &ViaView) -> Result<Session, SessionError> {
        let program = self.program.clone().acting_via(DeclaredVia::Program(via.clone()));
        Session::open(&self.at, program, Box::new(()))
    }

    /// Does something with the session of what is answered in turn.
    fn with_session(&self, call: &ToolCall, does: impl FnOnce(&mut Asked<'_>) -> ToolAnswer) -> ToolAnswer {
        let via = self.via(&call.client);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_none_or(|open| open.via != via) {
            match self.open(&via) {
                Ok(session) => *open = Some(OpenSession { via, session }),
                Err(error) => return failed(&error),
            }
        }
        let session = &mut open.as_mut().expect("it was opened above").session;
        // Who a person is, how they sign and what their agents get may have changed since it was opened.
        if let Err(error) = session.reload() {
            return failed(&error);
        }
        does(&mut Asked { call, session })
    }

    /// Writes, if a person allowed it when they started this, and in their own configuration.
    fn write(&self, call: &ToolCall) -> ToolAnswer {
        if !self.settings.write {
            let told = "writing is off: a person must start this server as `postil mcp --write`";
            return ToolAnswer::error(told);
        }
        let level = match self.level() {
            Ok(AgentLevel::Read) => {
                let told = "an agent may not write here; a person must allow it in their own configuration: \
                            `git config --global postil.agents draft`";
                return ToolAnswer::error(told);
            }
            Ok(level) => level,
            Err(error) => return failed(&error),
        };
        self.with_session(call, |asked| {
            let draft = level < AgentLevel::Write;
            match call.name.as_str() {
                "comment" => comment::comment(asked, draft),
                _ => propose::propose(asked, draft),
            }
        })
    }
}

impl Toolbox for ReviewTools {
    fn instructions(&self) -> &'static str {
        INSTRUCTIONS
    }

    fn offered(&self) -> Vec<Value> {
        let writes = self.level().is_ok_and(|level| level > AgentLevel::Read);
        let writing = WRITING.iter().filter(|_| writes);
        READING.iter().chain(writing).filter_map(|name| definition(name)).collect()
    }

    fn pace(&self, name: &str) -> Option<Pace> {
        match name {
            "wait" => Some(Pace::Waits),
            _ => (READING.contains(&name) || WRITING.contains(&name)).then_some(Pace::InTurn),
        }
    }

    fn call(&self, call: &ToolCall, running: &CallInProgress) -> ToolAnswer {
        match call.name.as_str() {
            "threads" => self.with_session(call, threads::threads),
            "thread" => self.with_session(call, thread::thread),
            "preview" => self.with_session(call, preview::preview),
            // It has a session of its own, so that others are answered meanwhile.
            "wait" => match self.open(&self.via(&call.client)) {
                Ok(mut session) => wait::wait(&mut Asked { call, session: &mut session }, running),
                Err(error) => failed(&error),
            },
            _ => self.write(call),
        }
    }
}

/// A name as a word that can be shown anywhere, and that pretends nothing.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "._+-".contains(c) { c } else { '-' };
    let name: String = name.trim().chars().map(kept).take(MAX_NAME_CHARS).collect();
    name.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_an_agent_with_a_plain_name_whatever_it_calls_itself() {
        let check = |name: Option<&str>, expected: &str| {
            let client = McpClient { name: name.map(str::to_owned), version: Some("1.0\u{202e}".to_owned()) };
            let program = ClientProgram::new("test", postil_client::DaemonProgram::None);
            let tools = ReviewTools::new(RepositoryArgs::default(), program, McpSettings::default());
            let via = tools.via(&client);
            assert_eq!((via.kind.as_str(), via.program.as_str()), ("agent", expected));
            assert_eq!((via.version.as_deref(), via.person), (Some("1.0"), None));
        };
        check(Some("claude-code"), "claude-code");
        check(Some("Ada Lovelace <ada@example.org>"), "Ada-Lovelace--ada-example.org");
        check(Some("\u{202e}\u{1b}[31m"), "31m");
        check(Some("person"), "person");
        check(Some(""), UNNAMED);
        check(Some("—"), UNNAMED);
        check(None, UNNAMED);
        check(Some(&"x".repeat(10_000)), &"x".repeat(MAX_NAME_CHARS));
    }
}
