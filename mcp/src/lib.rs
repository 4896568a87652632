//! Review threads for coding agents: a server of the Model Context Protocol, and a client of postil like the others.
//!
//! `wire` speaks the protocol and knows no reviews; `tools` knows reviews and no protocol. Every comment that is answered is
//! data of other people, inside a block that its text cannot close. Agents read; they write only what a person allowed.

#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod tools;
mod wire;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use postil_client::{ClientProgram, RepositoryArgs};
use postil_protocol::ViaView;

use tools::review_tools::ReviewTools;
use wire::outlet::Outlet;
use wire::toolbox::Toolbox;

/// How a person started the server.
#[derive(Clone, Debug, Default)]
pub struct McpSettings {
    /// Whether the tools that write are offered, as far as the person's configuration allows it.
    pub write: bool,
    /// The agent, if the person names it; otherwise what the client calls itself counts.
    pub via: Option<ViaView>,
}

/// Serves one client until its input ends.
pub fn serve(
    at: RepositoryArgs,
    program: ClientProgram,
    settings: McpSettings,
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let outlet = Outlet::new(Box::new(output));
    let toolbox: Arc<dyn Toolbox> = Arc::new(ReviewTools::new(at, program, settings));
    wire::server::serve(&mut input, &outlet, &toolbox)
}
