//! `postil sync`

use std::num::NonZeroUsize;
use std::time::Duration;

use postil_client::{Checkout, Identity};
use postil_core::git::Patience;
use postil_core::notes::{Committer, Options, Store};
use postil_core::record::Author;
use postil_core::sync::{Direction, Exchanged, Files, News, Remote, SyncError, TransportError, exchange};
use postil_protocol::{NewsView, Sync, SyncReply, SyncedRemote};
use postil_service::sharing::{at_risk, made_good};
use postil_service::transport::{GitTransport, Manner};

use super::Context;
use crate::advice;
use crate::connect::{failed, find_checkout};
use crate::failure::{Failure, Kind};
use crate::render::line;

/// How long to wait for other writers.
const PATIENCE: Duration = Duration::from_secs(10);

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
    fn direction(&self) -> Direction {
        match (self.dry_run, self.fetch_only, self.push_only) {
            (true, ..) => Direction::DryRun,
            (_, true, _) => Direction::FetchOnly,
            (.., true) => Direction::PushOnly,
            _ => Direction::Both,
        }
    }

    fn files(&self) -> Files {
        if self.with_files { Files::All } else { Files::SentByGit }
    }
}

/// Exchanges.
pub fn run(args: &SyncArgs, context: &Context) -> Result<(), Failure> {
    let checkout = find_checkout(&context.at)?;
    let mut screen = context.screen(&checkout);
    let remotes = remotes(args, &checkout)?;
    let identity = Identity::of(&checkout);
    let author = identity.author().map_err(|error| failed(error, Some(&checkout)))?;
    let author = Author { name: author.name.clone(), email: author.email.clone() };
    let by = Committer::new(&author, identity.seconds(), identity.utc_offset());
    let repo = checkout.repository().reopen().map_err(|error| {
        Failure::new(Kind::Unavailable, "the repository cannot be opened again").because(error)
    })?;
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let patience = Patience::new(PATIENCE, std::thread::sleep);
    let store = Store::new(repo, Options { patience, threads });
    let mut transport = GitTransport::new(store.repository(), Manner::Attended);
    for warning in &at_risk(store.repository()) {
        screen.tell(format!("warning: {}", line(advice::warning(warning).as_bytes())));
    }
    let mut reply = SyncReply::default();
    let mut first_error = None;
    for remote in &remotes {
        let what = format!("exchanging reviews with {}", remote.shown());
        let exchanged = context.progress().before_questions(&what, || {
            exchange(&store, &mut transport, remote, args.direction(), args.files(), &by)
        });
        let synced = match exchanged {
            Ok(exchanged) => {
                if args.direction() == Direction::Both {
                    made_good(checkout.common_dir(), remote.shown());
                }
                if !exchanged.unsent.is_empty() {
                    let (remote, files) = (remote.shown().to_owned(), exchanged.unsent.clone());
                    let why = SyncError::Unsent { remote, files };
                    screen.tell(format!("nothing would be sent without `--with-files`: {why}"));
                }
                let told = told(remote, &exchanged, args.direction());
                if !context.is_json() {
                    screen.line(match remotes.len() {
                        1 => told,
                        _ => format!("{}: {told}", remote.shown()),
                    })?;
                }
                view(remote, &exchanged)
            }
            Err(error) => {
                let failed = SyncedRemote {
                    remote: remote.shown().to_owned(),
                    error: Some(error.to_string()),
                    ..SyncedRemote::default()
                };
                if first_error.is_some() {
                    screen.tell(format!("error: {error}"));
                }
                first_error.get_or_insert(error);
                failed
            }
        };
        reply.remotes.push(synced);
    }
    if context.is_json() {
        screen.json::<Sync>(&reply)?;
    }
    screen.close()?;
    first_error.map_or(Ok(()), |error| Err(failure(error)))
}

/// Those that are meant.
fn remotes(args: &SyncArgs, checkout: &Checkout) -> Result<Vec<Remote>, Failure> {
    let repo = checkout.repository();
    let names = Remote::configured(repo);
    let found = match &args.remote {
        Some(name) => Remote::named(name).map(|remote| vec![remote]),
        None if args.all && !names.is_empty() => names.iter().map(|name| Remote::named(name)).collect(),
        None => Remote::usual(repo).map(|remote| vec![remote]),
    };
    found
        .map_err(|error| Failure::new(Kind::Usage, "there is nobody to exchange reviews with").because(error))
}

fn failure(error: SyncError) -> Failure {
    let (kind, hint) = match &error {
        SyncError::Unsent { remote, .. } => {
            let hint = format!(
                "push the branches they are on to {remote}, or send them along with \
                 `postil sync {remote} --with-files`; what came is kept"
            );
            return Failure::new(Kind::Conflict, "nothing was sent").because(error).hint(hint);
        }
        SyncError::Outrun { .. } => (Kind::Conflict, "`postil sync` fetches first, merges, and sends then"),
        SyncError::Transport(TransportError::Refused { .. }) => (
            Kind::Unavailable,
            "whoever looks after the remote can allow refs/notes/reviews; nothing of yours is lost",
        ),
        SyncError::Transport(_) => {
            (Kind::Unavailable, "what came is kept, and nothing of yours is lost; try again")
        }
        SyncError::NoNotes { .. } => (
            Kind::Unavailable,
            "whoever looks after the remote can delete that ref; nothing of yours is lost",
        ),
        SyncError::Notes { .. } => (Kind::Unavailable, "nothing of yours is lost; try again"),
    };
    Failure::new(kind, "the reviews were not exchanged").because(error).hint(hint)
}

/// What came and went, on one line.
fn told(remote: &Remote, exchanged: &Exchanged, direction: Direction) -> String {
    let came = match exchanged.came.total() {
        0 => "nothing new".to_owned(),
        _ => words(&exchanged.came),
    };
    let came = match exchanged.purged {
        0 => came,
        hidden => format!("{came}, {hidden} purged (kept aside for 90 days)"),
    };
    let went = exchanged.went.total();
    match direction {
        Direction::FetchOnly => came,
        Direction::DryRun => format!("would come: {came}; would send {went}"),
        Direction::Both if went == 0 => format!("{came}; nothing to send"),
        Direction::PushOnly if went == 0 => "nothing to send".to_owned(),
        Direction::PushOnly => format!("sent {went} to {}", remote.shown()),
        Direction::Both => format!("{came}; sent {went}"),
    }
}

fn words(news: &News) -> String {
    let parts = news.parts().into_iter().filter(|(count, ..)| *count > 0);
    let parts =
        parts.map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several }));
    parts.collect::<Vec<String>>().join(", ")
}

fn view(remote: &Remote, exchanged: &Exchanged) -> SyncedRemote {
    let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let news = |news: &News| NewsView {
        comments: small(news.comments),
        resolved: small(news.resolved),
        reopened: small(news.reopened),
        withdrawn: small(news.withdrawn),
        reviews: small(news.reviews),
        verdicts: small(news.verdicts),
        records: small(news.total()),
    };
    SyncedRemote {
        remote: remote.shown().to_owned(),
        came: news(&exchanged.came),
        went: news(&exchanged.went),
        purged: small(exchanged.purged),
        tries: small(exchanged.tries),
        unsent_files: small(exchanged.unsent.len()),
        error: None,
    }
}
