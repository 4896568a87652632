//! `postil purge`

use postil_protocol::{In, Purge};

use super::Context;
use crate::failure::Failure;
use crate::render::line;

/// Hide threads everywhere, for good
///
/// For what nobody may see: a secret, a name. The thread vanishes from every
/// clone that syncs. The bytes stay in the history of refs/notes/reviews until
/// somebody rewrites that. To take a comment back, use `postil withdraw`.
///
/// Example:
///
///     postil purge 3f9c1a2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct PurgeArgs {
    /// Thread, single answer or review: the first digits of its id (can be repeated)
    #[arg(value_name = "ID", required = true)]
    of: Vec<String>,
}

/// Hides.
pub fn run(args: &PurgeArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin()?;
    let reply = session.write(Purge { of: args.of.clone() })?;
    if context.is_json() {
        screen.json::<In<Purge>>(&reply)?;
    } else {
        let records = if reply.dropped == 1 { "record" } else { "records" };
        let of = line(reply.of.join(", ").as_bytes());
        screen.line(format!("purged {of} ({} {records})", reply.dropped))?;
        screen.tell("note: the bytes stay in the history of refs/notes/reviews until somebody rewrites it");
    }
    screen.close()
}
