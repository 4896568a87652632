//! `postil mcp`: review threads for agents that speak the Model Context Protocol.
//!
//! Standard output belongs to the agent: nothing else is printed there.

use std::io;

use postil_client::DeclaredVia;
use postil_mcp::McpSettings;

use crate::commands::Context;
use crate::failure::{Failure, FailureKind};

/// Serve review threads to a coding agent over MCP
///
/// Your agent starts this program and speaks the Model Context Protocol with it,
/// over standard input and output, until its input ends. Without --write, agents
/// can only read. With it, they can also write what postil.agents allows them in
/// your own git configuration; see docs/agents.md.
///
/// What they write names the agent as its author, never you.
///
/// Examples:
///
///     postil mcp --write
///     claude mcp add postil -- postil mcp
///     codex mcp add postil -- postil mcp --write
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct McpArgs {
    /// Offer the tools that write, as far as postil.agents allows it
    #[arg(long)]
    write: bool,
}

/// Serves an agent until its input ends.
pub fn run(args: &McpArgs, context: &Context) -> Result<(), Failure> {
    let via = match &context.via {
        None => None,
        Some(DeclaredVia::Program(via)) if via.kind == "agent" => Some(via.clone()),
        Some(_) => {
            return Err(Failure::new(FailureKind::Usage, "only an agent speaks over MCP")
                .hint("use `--via agent:NAME`, or leave it out: the agent says its name itself"));
        }
    };
    let settings = McpSettings { write: args.write, via };
    postil_mcp::serve(context.at.clone(), context.program(), settings, io::stdin().lock(), io::stdout())
        .map_err(|error| {
            Failure::new(FailureKind::Unavailable, "could not read what the agent sends")
                .because(error)
                .hint("your agent starts `postil mcp`; see docs/agents.md")
        })
}
