//! `postil purge`

use postil_protocol::{Purge, RepositoryRequest};

use crate::commands::Context;
use crate::failure::Failure;
use crate::render::line;

/// Permanently hide threads in every clone
///
/// For content that must not be seen, such as a password. The thread disappears
/// from every clone that syncs. The data stays in the history of
/// refs/notes/reviews until someone rewrites it. To take back a comment, use
/// `postil withdraw`.
///
/// Example:
///
///     postil purge 3f9c1a2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PurgeArgs {
    /// ID of a thread, reply or review (a unique prefix is enough; can be repeated)
    #[arg(value_name = "ID", required = true)]
    of: Vec<String>,
}

/// Hides.
pub fn run(args: &PurgeArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.write(Purge { of: args.of.clone() })?;
    if context.is_json() {
        screen.json::<RepositoryRequest<Purge>>(&reply)?;
    } else {
        let records = if reply.dropped == 1 { "record" } else { "records" };
        let of = line(reply.of.join(", ").as_bytes());
        screen.line(format!("purged {of} ({} {records})", reply.dropped))?;
        screen.print_message(
            "note: the data stays in the history of refs/notes/reviews until someone rewrites it",
        );
        screen.warnings(&reply.warnings);
    }
    screen.close()
}
