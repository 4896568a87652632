//! `postil patch`

use std::path::PathBuf;

use postil_client::{Checkout, PatchTextError, patch_texts};
use postil_protocol::{ByteText, In, Patch, PatchText};

use super::writing::{self, WriteArgs};
use super::{Context, change, paths};
use crate::failure::{Failure, Kind};

/// Apply patches of any form
///
/// Example:
///
///     postil patch apply answer.md
#[derive(Debug, clap::Subcommand)]
#[command(verbatim_doc_comment)]
pub enum PatchCommand {
    Apply(ApplyPatchArgs),
}

/// Apply a patch to the files on disk, also one that a language model wrote
///
/// Reads unified diffs with wrong or missing headers, code fences around them,
/// other line ends, quotes or indentation; search/replace blocks; what stands
/// between `*** Begin Patch` and `*** End Patch`; and JSON with `path` and
/// `patch_lines`, one object or a list. Each hunk has one place, or none: then
/// nothing is written at all. Paths in a patch are from the root of the
/// repository.
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
    /// The patch; `-`, or none, is standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    file: PathBuf,

    /// The file that is meant where the patch names none
    #[arg(long, value_name = "FILE")]
    path: Option<PathBuf>,

    /// Undo what the patch does
    #[arg(short = 'R', long)]
    reverse: bool,

    #[command(flatten)]
    write: WriteArgs,
}

/// Applies.
pub fn run(command: &PatchCommand, context: &Context) -> Result<(), Failure> {
    let PatchCommand::Apply(args) = command;
    let (mut session, mut screen) = context.begin()?;
    let read = change::read(&context.at.directory, &args.file);
    let patches = read.and_then(|bytes| patches(bytes, args.path.as_ref(), session.checkout()));
    let asked = patches.and_then(|patches| session.ask(Patch { patches, reverse: args.reverse }));
    let mut reply = match asked {
        Ok(reply) => reply,
        Err(failure) => return writing::told::<In<Patch>>(context, screen, None, Err(failure)),
    };
    let outcome = writing::write(
        &args.write,
        context,
        &mut session,
        &mut screen,
        &mut reply,
        "the patch",
        args.write.change_into(),
    );
    writing::told::<In<Patch>>(context, screen, Some(&reply), outcome)
}

fn patches(bytes: Vec<u8>, path: Option<&PathBuf>, checkout: &Checkout) -> Result<Vec<PatchText>, Failure> {
    let path = path.map(|path| paths::inside(checkout, path.as_os_str()).map(ByteText::new)).transpose()?;
    patch_texts(bytes, path.as_ref()).map_err(|error| match error {
        PatchTextError::Json(_) => {
            let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            Failure::new(Kind::Usage, "the patch is in JSON that cannot be read")
                .because(source)
                .hint("nothing was written; line ends within a string are written `\\n`")
        }
        PatchTextError::PatchBesideJson => Failure::new(Kind::Usage, "the text has a patch beside its JSON")
            .hint("nothing was written; apply one after the other"),
        PatchTextError::Form(what) => Failure::new(Kind::Usage, what)
            .hint("give an object with `path` and `patch_lines`, a list of strings, or `patch`, a string"),
    })
}
