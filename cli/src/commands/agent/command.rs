//! The words of `postil agent`.

use std::io::Write as _;

use super::known_agent::KnownAgent;
use super::{hook, install};
use crate::commands::Context;
use crate::failure::Failure;

/// What a skill of this version says, with its name and description.
const SKILL: &str = include_str!("skill.md");

/// What `AGENTS.md` of a repository can say.
const INSTRUCTIONS: &str = include_str!("instructions.md");

/// Set up coding agents to work with reviews
///
/// Examples:
///
///     postil agent install claude
///     postil agent skill > ~/.claude/skills/postil-review/SKILL.md
///     postil agent instructions >> AGENTS.md
#[derive(Debug, clap::Subcommand)]
#[command(verbatim_doc_comment)]
pub enum AgentCommand {
    /// Print a skill that explains reviews to an agent
    ///
    /// It matches this version of postil. Save it as SKILL.md in a folder named
    /// postil-review, where your agent looks for skills.
    ///
    /// Example:
    ///
    ///     postil agent skill > ~/.claude/skills/postil-review/SKILL.md
    #[command(verbatim_doc_comment)]
    Skill,
    /// Print the lines about reviews for a repository's AGENTS.md
    ///
    /// Example:
    ///
    ///     postil agent instructions >> AGENTS.md
    #[command(verbatim_doc_comment)]
    Instructions,
    /// Install a hook that tells an agent about new comments when it stops
    ///
    /// Shows the change of the agent's configuration and asks before it is written.
    /// Everything else in the file stays as it is.
    ///
    /// When the agent is about to stop, it is told once about each open thread that
    /// others changed since it last stopped, and goes on. It is never told about
    /// what it wrote itself.
    ///
    /// Examples:
    ///
    ///     postil agent install claude
    ///     postil agent install codex --force
    #[command(verbatim_doc_comment)]
    Install {
        /// The agent
        agent: KnownAgent,
        /// Do not ask for confirmation
        #[arg(short, long)]
        force: bool,
    },
    /// Remove the hook of an agent
    ///
    /// Example:
    ///
    ///     postil agent remove claude
    #[command(verbatim_doc_comment)]
    Remove {
        /// The agent
        agent: KnownAgent,
        /// Do not ask for confirmation
        #[arg(short, long)]
        force: bool,
    },
    /// Tell an agent that stops about new comments; this is what the hooks run
    ///
    /// Reads what the agent says on standard input, and answers in the agent's own
    /// form. Whatever goes wrong, the agent can stop: it is then told on standard
    /// error, and the exit code is 0.
    ///
    /// Example:
    ///
    ///     postil agent hook --for claude < stop.json
    #[command(verbatim_doc_comment)]
    Hook {
        /// The agent
        #[arg(long = "for", value_name = "AGENT")]
        agent: KnownAgent,
    },
}

/// Does what the words say.
pub fn run(command: &AgentCommand, context: &Context) -> Result<(), Failure> {
    match command {
        AgentCommand::Skill => print(SKILL),
        AgentCommand::Instructions => print(INSTRUCTIONS),
        AgentCommand::Install { agent, force } => install::install(*agent, *force),
        AgentCommand::Remove { agent, force } => install::remove(*agent, *force),
        AgentCommand::Hook { agent } => hook::run(*agent, context),
    }
}

fn print(text: &str) -> Result<(), Failure> {
    let text = text.replace("VERSION", env!("CARGO_PKG_VERSION"));
    std::io::stdout().write_all(text.as_bytes()).map_err(Failure::output)
}
