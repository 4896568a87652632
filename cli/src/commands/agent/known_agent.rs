//! The agents whose stop hooks postil knows: where their settings are, and what they say and understand.

use std::env;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// An agent, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum KnownAgent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// GitHub Copilot CLI.
    Copilot,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
}

impl KnownAgent {
    /// All of them.
    #[cfg(test)]
    pub const ALL: [Self; 5] = [Self::Claude, Self::Codex, Self::Copilot, Self::Gemini, Self::Cursor];

    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
        }
    }

    /// How the names begin under which it writes: on the command line by its mark, and as a client of the server.
    pub fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini-cli",
            Self::Cursor => "cursor",
        }
    }

    /// The file of its user's hooks; `None` if there is no home.
    pub fn settings_file(self) -> Option<PathBuf> {
        let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME");
        let below = |variable: Option<&str>, usual: &str| {
            variable.and_then(folder).or_else(|| home.as_ref().map(|home| home.join(usual)))
        };
        Some(match self {
            Self::Claude => below(Some("CLAUDE_CONFIG_DIR"), ".claude")?.join("settings.json"),
            Self::Codex => below(Some("CODEX_HOME"), ".codex")?.join("hooks.json"),
            Self::Copilot => below(Some("COPILOT_HOME"), ".copilot")?.join("hooks/postil.json"),
            Self::Gemini => below(None, ".gemini")?.join("settings.json"),
            Self::Cursor => below(None, ".cursor")?.join("hooks.json"),
        })
    }

    /// What a file of hooks must say besides them.
    pub fn version(self) -> Option<u32> {
        matches!(self, Self::Copilot | Self::Cursor).then_some(1)
    }

    /// The name of the event.
    pub fn event(self) -> &'static str {
        match self {
            Self::Claude | Self::Codex => "Stop",
            Self::Copilot => "agentStop",
            Self::Gemini => "AfterAgent",
            Self::Cursor => "stop",
        }
    }

    /// The entry that runs a command at the event.
    pub fn entry(self, command: &str) -> Value {
        match self {
            Self::Claude | Self::Codex => {
                json!({ "hooks": [{ "type": "command", "command": command, "timeout": 30 }] })
            }
            // Milliseconds.
            Self::Gemini => {
                json!({ "hooks": [{ "type": "command", "name": "postil", "command": command, "timeout": 30_000 }] })
            }
            Self::Copilot => json!({ "type": "command", "bash": command, "timeoutSec": 30 }),
            Self::Cursor => json!({ "command": command }),
        }
    }

    /// The command of the hook, as a shell runs it.
    pub fn command(self, program: &Path) -> String {
        let program = program.display().to_string();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
        let program = if program.chars().all(is_plain) {
            program
        } else {
            format!("'{}'", program.replace('\'', r"'\''"))
        };
        format!("{program} {}", self.arguments())
    }

    /// By what a hook of ours is known again, wherever the program was.
    pub fn arguments(self) -> String {
        format!("agent hook --for {}", self.word())
    }

    /// What the hook prints so that the agent goes on, reading `reason`.
    pub fn go_on(self, reason: &str) -> Value {
        match self {
            Self::Claude | Self::Codex | Self::Copilot => json!({ "decision": "block", "reason": reason }),
            Self::Gemini => json!({ "decision": "deny", "reason": reason }),
            Self::Cursor => json!({ "followup_message": reason }),
        }
    }

    /// What the hook prints so that the agent stops; most want nothing.
    pub fn stop(self) -> Option<Value> {
        // Codex expects JSON of a hook that succeeds.
        (self == Self::Codex).then(|| json!({}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_a_shell_would_take_apart_is_quoted() {
        let check = |program: &str, expected: &str| {
            assert_eq!(KnownAgent::Claude.command(Path::new(program)), expected);
        };
        check("postil", "postil agent hook --for claude");
        check("/opt/my tools/postil", "'/opt/my tools/postil' agent hook --for claude");
        check("/o'b/postil", r"'/o'\''b/postil' agent hook --for claude");
    }

    #[test]
    fn every_agent_gets_its_own_form() {
        for agent in KnownAgent::ALL {
            let said = agent.go_on("look").to_string();
            let expected = match agent {
                KnownAgent::Gemini => r#"{"decision":"deny","reason":"look"}"#,
                KnownAgent::Cursor => r#"{"followup_message":"look"}"#,
                _ => r#"{"decision":"block","reason":"look"}"#,
            };
            assert_eq!(said, expected, "{agent:?}");
            assert!(agent.entry("run me").to_string().contains("\"run me\""), "{agent:?}");
        }
    }
}
