//! `postil sync`

use postil_protocol::{In, NewsView, Sync, SyncDirection, SyncProblem, SyncReply, SyncedRemote};
use postil_service::sharing::meant_remotes;

use super::Context;
use crate::advice;
use crate::failure::{Failure, Kind};
use crate::render::line;

/// Exchange reviews with a remote
///
/// Fetches what others wrote, merges it with what is here, and sends what is new:
/// with git itself, so whatever git can reach, and without force. Nobody's words
/// are lost, however many people do so at once. Drafts stay here.
///
/// Commented files travel along once git itself has sent them to the remote. Where
/// it has not, as with a remote that reviews go to for the first time, nothing is
/// sent, and the files are named; `--with-files` sends them all the same.
///
/// Without a name: the remote of the branch, else origin, else the only one.
///
/// Examples:
///
///     postil sync
///     postil sync --fetch-only
///     postil sync upstream --dry-run
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct SyncArgs {
    /// The remote, as `git fetch` takes it
    #[arg(value_name = "REMOTE", conflicts_with = "all")]
    remote: Option<String>,

    /// With every remote
    #[arg(long)]
    all: bool,

    /// Send nothing
    #[arg(long, conflicts_with_all = ["push_only", "dry_run"])]
    fetch_only: bool,

    /// Fetch nothing; fails if the remote has something new
    #[arg(long, conflicts_with = "dry_run")]
    push_only: bool,

    /// Send commented files along that git has not sent there
    #[arg(long, conflicts_with = "fetch_only")]
    with_files: bool,

    /// Only tell what would come and go
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl SyncArgs {
    fn direction(&self) -> SyncDirection {
        match (self.dry_run, self.fetch_only, self.push_only) {
            (true, ..) => SyncDirection::DryRun,
            (_, true, _) => SyncDirection::FetchOnly,
            (.., true) => SyncDirection::PushOnly,
            _ => SyncDirection::Both,
        }
    }
}

/// Exchanges.
pub fn run(args: &SyncArgs, context: &Context) -> Result<(), Failure> {
    let (mut session, mut screen) = context.begin_in_process()?;
    let asked = Sync {
        remotes: args.remote.iter().cloned().collect(),
        all: args.all,
        direction: args.direction(),
        with_files: args.with_files,
    };
    let remotes = meant_remotes(session.checkout().repository(), &asked).map_err(|error| {
        Failure::new(Kind::Usage, "there is nobody to exchange reviews with").because(error)
    })?;
    let mut reply = SyncReply::default();
    // One after the other, so that each is told as soon as it is done.
    for remote in &remotes {
        let what = format!("exchanging reviews with {}", remote.shown());
        let one = Sync { remotes: vec![remote.name().to_owned()], all: false, ..asked.clone() };
        let SyncReply { remotes: synced, warnings, .. } =
            context.progress().before_questions(&what, || session.write(one))?;
        if reply.remotes.is_empty() {
            for warning in &warnings {
                screen.tell(format!("warning: {}", line(advice::warning(warning).as_bytes())));
            }
            reply.warnings = warnings;
        }
        for synced in synced {
            if let Some(why) = &synced.unsent {
                screen.tell(format!("nothing would be sent without `--with-files`: {why}"));
            }
            match &synced.error {
                Some(error) if reply.remotes.iter().any(|before| before.error.is_some()) => {
                    screen.tell(format!("error: {error}"));
                }
                None if !context.is_json() => {
                    let told = told(&synced, asked.direction);
                    screen.line(match remotes.len() {
                        1 => told,
                        _ => format!("{}: {told}", synced.remote),
                    })?;
                }
                _ => {}
            }
            reply.remotes.push(synced);
        }
    }
    if context.is_json() {
        screen.json::<In<Sync>>(&reply)?;
    }
    screen.close()?;
    reply.remotes.iter().find_map(failure).map_or(Ok(()), Err)
}

/// What it means to a person that an exchange failed.
fn failure(synced: &SyncedRemote) -> Option<Failure> {
    let (error, problem) = (synced.error.clone()?, synced.problem?);
    let (kind, what) = match problem {
        SyncProblem::Unsent => (Kind::Conflict, "nothing was sent"),
        SyncProblem::Outrun => (Kind::Conflict, "the reviews were not exchanged"),
        _ => (Kind::Unavailable, "the reviews were not exchanged"),
    };
    let causes = std::iter::once(error).chain(synced.causes.iter().cloned());
    let failure = Failure::new(kind, what).because_all(causes);
    Some(match synced.advice().and_then(|advice| advice::hint(&advice)) {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}

/// What came and went, on one line.
fn told(synced: &SyncedRemote, direction: SyncDirection) -> String {
    let came = match synced.came.records {
        0 => "nothing new".to_owned(),
        _ => words(&synced.came),
    };
    let came = match synced.purged {
        0 => came,
        hidden => format!("{came}, {hidden} purged (kept aside for 90 days)"),
    };
    let went = synced.went.records;
    match direction {
        SyncDirection::FetchOnly => came,
        SyncDirection::DryRun => format!("would come: {came}; would send {went}"),
        SyncDirection::Both if went == 0 => format!("{came}; nothing to send"),
        SyncDirection::PushOnly if went == 0 => "nothing to send".to_owned(),
        SyncDirection::PushOnly => format!("sent {went} to {}", synced.remote),
        SyncDirection::Both => format!("{came}; sent {went}"),
    }
}

/// How much of what is new, the more telling first.
fn words(news: &NewsView) -> String {
    let parts = [
        (news.comments, "new comment", "new comments"),
        (news.resolved, "thread resolved", "threads resolved"),
        (news.reopened, "reopened", "reopened"),
        (news.withdrawn, "thread withdrawn", "threads withdrawn"),
        (news.reviews, "new review", "new reviews"),
        (news.verdicts, "verdict", "verdicts"),
        (news.ended, "review ended", "reviews ended"),
        (news.edits, "edit", "edits"),
        (news.moves, "comment moved by hand", "comments moved by hand"),
        (news.purges, "purge", "purges"),
        (news.others, "other record", "other records"),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    let parts =
        parts.map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }));
    parts.collect::<Vec<String>>().join(", ")
}
