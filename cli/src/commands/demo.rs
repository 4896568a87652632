//! `postil demo`

use std::io::Write;

use crate::demo;
use crate::failure::Failure;

/// Show what postil does, in a temporary repository
///
/// None of your files or settings are read or changed: the demo uses a temporary
/// home directory and git identity, and removes them at the end. Checks every
/// result, and exits with 1 if any is wrong.
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
