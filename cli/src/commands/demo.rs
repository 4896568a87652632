//! `postil demo`

use std::io::Write;

use crate::demo;
use crate::failure::Failure;

/// Tell the story of postil on a throw-away repository
///
/// Nothing of yours is read or changed: the demo has its own home, its own
/// runtime directory and its own git identity, and removes them at the end. It
/// checks every claim it makes, and exits with 1 if one does not hold.
///
/// Example:
///
///     postil demo
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct DemoArgs {}

/// Plays the demo to `out`.
pub fn run(_: &DemoArgs, out: &mut dyn Write) -> Result<(), Failure> {
    demo::play(out)
}
