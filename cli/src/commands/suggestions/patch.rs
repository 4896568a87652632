//! `postil patch`

use std::path::PathBuf;

use postil_client::{Checkout, PatchTextError, patch_texts};
use postil_protocol::{ByteText, Patch, PatchText, RepositoryRequest};

use super::write_plan::{self, WriteArgs};
use crate::commands::Context;
use crate::commands::input::{paths, suggested_change};
use crate::failure::{Failure, FailureKind};

/// Apply patches in any format
///
/// Example:
///
///     postil patch apply answer.md
#[derive(Debug, clap::Subcommand)]
#[command(verbatim_doc_comment)]
pub enum PatchCommand {
    Apply(ApplyPatchArgs),
}

/// Apply a patch to the working tree, even an imprecise one
///
/// Made for patches written by language models. Reads unified diffs, even with
/// wrong or missing headers, inside code fences, or with different line endings,
/// quotes or indentation; search/replace blocks; text between `*** Begin Patch`
/// and `*** End Patch`; and JSON with `path` and `patch_lines`, one object or a
/// list. If a hunk does not match, or matches more than once, nothing is written.
/// Paths are relative to the root of the repository.
///
/// Examples:
///
///     postil patch apply answer.md
///     postil patch apply --check --json < answer.json
///     postil patch apply --path src/lib.rs hunks.txt
///     postil patch apply --reverse answer.md
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct ApplyPatchArgs {
    /// Patch to apply; `-`, or no file, reads standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    file: PathBuf,

    /// File to change if the patch does not name one
    #[arg(long, value_name = "FILE")]
    path: Option<PathBuf>,

    /// Apply the patch in reverse
    #[arg(short = 'R', long)]
    reverse: bool,

    #[command(flatten)]
    write: WriteArgs,
}

/// Applies.
pub fn run(command: &PatchCommand, context: &Context) -> Result<(), Failure> {
    let PatchCommand::Apply(args) = command;
    let (mut session, mut screen) = context.begin()?;
    let read = suggested_change::read(&context.at.directory, &args.file);
    let patches = read.and_then(|bytes| patches(bytes, args.path.as_ref(), session.checkout()));
    let mut reply = session.ask(Patch { patches: patches?, reverse: args.reverse })?;
    let outcome = write_plan::write(
        &args.write,
        context,
        &mut session,
        &mut screen,
        &mut reply,
        "the patch",
        args.write.change_into(),
    );
    write_plan::print_reply::<RepositoryRequest<Patch>>(context, screen, &reply, outcome.map(drop))
}

fn patches(bytes: Vec<u8>, path: Option<&PathBuf>, checkout: &Checkout) -> Result<Vec<PatchText>, Failure> {
    let path = path.map(|path| paths::inside(checkout, path.as_os_str()).map(ByteText::new)).transpose()?;
    patch_texts(bytes, path.as_ref()).map_err(|error| match error {
        PatchTextError::Json(_) => {
            let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            Failure::new(FailureKind::Usage, "the patch contains invalid JSON")
                .because(source)
                .hint("nothing was written; write line breaks in a string as `\\n`")
        }
        PatchTextError::PatchBesideJson => {
            Failure::new(FailureKind::Usage, "the text contains both JSON and a patch")
                .hint("nothing was written; apply them separately")
        }
        PatchTextError::Form(what) => Failure::new(FailureKind::Usage, what)
            .hint("expected an object with `path` and either `patch_lines` (a list of strings) or `patch` (a string)"),
    })
}
