//! `postil sync`

use postil_client::Checkout;
use postil_protocol::{
    Person, PurgeView, RecordCountsView, RepositoryRequest, Sync, SyncDirection, SyncProblem, SyncReply,
    SyncedRemote,
};
use postil_service::sharing::meant_remotes;

use crate::advice;
use crate::commands::Context;
use crate::failure::{Failure, FailureKind};
use crate::render::line;

/// Fetch and push reviews
///
/// Fetches the reviews of the remote, merges them with yours, and pushes the
/// result. Uses git, so any remote that git can reach works; it never force-pushes.
/// No comments are lost, even if several people sync at once. Drafts are not sent.
///
/// Reviews contain the content of commented files. If a file has not been pushed
/// to the remote yet, nothing is sent, and an error names it; `--with-files` sends
/// it anyway.
///
/// Examples:
///
///     postil sync
///     postil sync --fetch-only
///     postil sync upstream --dry-run
#[derive(Debug, Default, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct SyncArgs {
    /// Remote name or URL [default: the remote of the branch, then origin, then the only one]
    #[arg(value_name = "REMOTE", conflicts_with = "all")]
    remote: Option<String>,

    /// Sync with all remotes
    #[arg(long)]
    all: bool,

    /// Only fetch and merge
    #[arg(long, conflicts_with_all = ["push_only", "dry_run"])]
    fetch_only: bool,

    /// Only push; fail if the remote has new reviews
    #[arg(long, conflicts_with = "dry_run")]
    push_only: bool,

    /// Also send commented files that have not been pushed to the remote
    #[arg(long, conflicts_with = "fetch_only")]
    with_files: bool,

    /// Only show what would be fetched and sent
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

/// Whether there is a remote to sync with.
pub fn is_possible(checkout: &Checkout) -> bool {
    meant_remotes(checkout.repository(), &Sync::default()).is_ok_and(|remotes| !remotes.is_empty())
}

/// Exchanges with the remote that is used if none is named.
pub fn with_usual_remote(context: &Context) -> Result<(), Failure> {
    run(&SyncArgs::default(), context)
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
    let remotes = meant_remotes(session.checkout().repository(), &asked)
        .map_err(|error| Failure::new(FailureKind::Usage, "no remote to sync with").because(error))?;
    let mut reply = SyncReply::default();
    // One after the other, so that each result is printed as soon as it is there.
    for remote in &remotes {
        let what = format!("syncing with {}", remote.shown());
        let one = Sync { remotes: vec![remote.name().to_owned()], all: false, ..asked.clone() };
        let SyncReply { remotes: synced, warnings, mark } =
            context.progress().before_questions(&what, || session.write(one))?;
        if reply.remotes.is_empty() {
            // That of the first hides nothing that the others brought.
            reply.mark = mark;
            for warning in &warnings {
                screen.print_message(format!("warning: {}", line(advice::warning(warning).as_bytes())));
            }
            reply.warnings = warnings;
        }
        for synced in synced {
            if let Some(why) = &synced.unsent {
                screen.print_message(format!("without `--with-files`, nothing would be sent: {why}"));
            }
            if let [first, ..] = synced.left_out.as_slice() {
                let name = line(first.as_bytes());
                screen.print_message(format!(
                    "warning: left out entries of {}'s notes that git refuses, such as {name:?}; they are kept in \
                     refs/postil/refused",
                    synced.remote
                ));
            }
            match &synced.error {
                Some(error) if reply.remotes.iter().any(|before| before.error.is_some()) => {
                    screen.print_message(format!("error: {error}"));
                }
                None if !context.is_json() => {
                    let told = summary(&synced, asked.direction);
                    screen.line(match remotes.len() {
                        1 => told,
                        _ => format!("{}: {told}", synced.remote),
                    })?;
                    for purge in &synced.purges {
                        screen.line(purged(purge))?;
                    }
                }
                _ => {}
            }
            reply.remotes.push(synced);
        }
    }
    let failure = reply.remotes.iter().find_map(failure);
    if context.is_json() {
        match &failure {
            None => screen.json::<RepositoryRequest<Sync>>(&reply)?,
            Some(failure) => screen.json_failed::<RepositoryRequest<Sync>>(&reply, failure)?,
        }
    }
    screen.close()?;
    failure.map_or(Ok(()), |failure| Err(failure.in_result()))
}

/// What it means to a person that an exchange failed.
fn failure(synced: &SyncedRemote) -> Option<Failure> {
    let (error, problem) = (synced.error.clone()?, synced.problem?);
    let (kind, what) = match problem {
        SyncProblem::Unsent => (FailureKind::Conflict, "nothing was sent"),
        SyncProblem::Outrun => (FailureKind::Conflict, "sync failed"),
        _ => (FailureKind::Unavailable, "sync failed"),
    };
    let causes = std::iter::once(error).chain(synced.causes.iter().cloned());
    let failure = Failure::new(kind, what).because_all(causes).advised(synced.advice());
    Some(match synced.advice().and_then(|advice| advice::hint(&advice)) {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}

/// What came and went, on one line.
fn summary(synced: &SyncedRemote, direction: SyncDirection) -> String {
    let came = match synced.came.records {
        0 => "nothing new".to_owned(),
        _ => words(&synced.came),
    };
    let came = match synced.purged {
        0 => came,
        hidden => format!("{came}, {hidden} purged (kept for 90 days)"),
    };
    let went = synced.went.records;
    match direction {
        SyncDirection::FetchOnly => came,
        SyncDirection::DryRun => format!("would fetch: {came}; would send: {went}"),
        SyncDirection::Both if went == 0 => format!("{came}; nothing to send"),
        SyncDirection::PushOnly if went == 0 => "nothing to send".to_owned(),
        SyncDirection::PushOnly => format!("sent {went} to {}", synced.remote),
        SyncDirection::Both => format!("{came}; sent {went}"),
    }
}

/// Who purged what of whom, and how to undo it.
fn purged(purge: &PurgeView) -> String {
    let names = |people: &[Person]| {
        let names: Vec<String> = people.iter().map(|person| line(person.name.as_bytes())).collect();
        names.join(", ")
    };
    let by = names(std::slice::from_ref(&purge.by));
    let records = if purge.records == 1 { "record" } else { "records" };
    let whose = if purge.others { format!(" written by {}", names(&purge.authors)) } else { String::new() };
    let undo = match &*purge.restore {
        [] => String::new(),
        records => format!("; to restore, run `{}`", advice::restore_command(records)),
    };
    format!("{by} purged {} {records}{whose}{undo}", purge.records)
}

/// The counts of new records, most important first.
fn words(news: &RecordCountsView) -> String {
    let parts = [
        (news.comments, "new comment", "new comments"),
        (news.resolved, "thread resolved", "threads resolved"),
        (news.reopened, "reopened", "reopened"),
        (news.withdrawn, "thread withdrawn", "threads withdrawn"),
        (news.reviews, "new review", "new reviews"),
        (news.verdicts, "verdict", "verdicts"),
        (news.proposals, "proposal", "proposals"),
        (news.requests, "review request", "review requests"),
        (news.ended, "review closed", "reviews closed"),
        (news.edits, "edit", "edits"),
        (news.moves, "comment moved", "comments moved"),
        (news.purges, "purge", "purges"),
        (news.others, "other record", "other records"),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    let parts =
        parts.map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }));
    parts.collect::<Vec<String>>().join(", ")
}
