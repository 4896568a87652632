//! Exchanges the reviews of one repository with remotes: for a person who asks, and in the background.
//!
//! The one place that puts store, git and remotes together. When something is exchanged is decided elsewhere.

use std::collections::BTreeSet;
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use postil_core::git::{ConfigScope, Patience, Repository};
use postil_core::notes::{Committer, Store, StoreOptions, refs};
use postil_core::record::Timestamp;
use postil_core::sync::{
    ExchangeDirection, Exchanged, FilesToSend, RecordCounts, Remote, RemoteError, SyncError, TransportError,
    exchange,
};
use postil_protocol::{ByteText, PurgeView, RecordCountsView, Sync, SyncProblem, SyncedRemote};

use super::git_transport::{GitTransport, Interaction};
use super::last_failures::{NOBODY, SyncFailure, made_good, note};
use crate::notes::kept_purged::KeptPurged;
use crate::process::child::KillHandle;
use crate::repository::person::committer;

/// So many entries that were left out are named.
const MAX_LEFT_OUT: usize = 20;

/// A repository, and in whose name its reviews are exchanged.
#[derive(Debug)]
pub(crate) struct Exchange {
    store: Store,
    transport: GitTransport,
    by: Committer,
    interaction: Interaction,
    kill_handle: Arc<KillHandle>,
}

/// What an exchange in the background may take.
#[derive(Clone, Copy, Debug)]
pub struct BackgroundLimits {
    /// One fetch or push that takes longer is ended.
    pub transport: Duration,
    /// How long to wait for other writers.
    pub patience: Patience,
}

impl Exchange {
    /// Exchanges in the name of `by`, until the handle kills it.
    pub fn new(
        repo: Repository,
        options: StoreOptions,
        by: Committer,
        interaction: Interaction,
        kill_handle: Arc<KillHandle>,
    ) -> Self {
        let store = Store::new(repo, options);
        let transport = GitTransport::new(store.repository(), interaction).on(Arc::clone(&kill_handle));
        Self { store, transport, by, interaction, kill_handle }
    }

    /// Exchanges with one remote, and writes down for `status` how it ended.
    pub fn with(
        &mut self,
        remote: &Remote,
        direction: ExchangeDirection,
        files: FilesToSend,
    ) -> SyncedRemote {
        let exchanged = exchange(&self.store, &mut self.transport, remote, direction, files, &self.by);
        let name = remote.shown();
        let common_dir = self.store.repository().common_dir();
        match exchanged {
            Ok(exchanged) => {
                if direction == ExchangeDirection::Both {
                    made_good(common_dir, name);
                }
                let mut synced = succeeded(name, &exchanged);
                synced.purges = purges(&self.store, &exchanged);
                synced
            }
            Err(error) => {
                let failed = failed(name, problem_of(&error), &error);
                // The result of a cancelled exchange is not worth reporting.
                if self.interaction != Interaction::Attended && !self.kill_handle.is_killed() {
                    write_down(common_dir, &failed);
                }
                failed
            }
        }
    }
}

/// The remotes that are meant.
pub fn meant_remotes(repo: &Repository, asked: &Sync) -> Result<Vec<Remote>, RemoteError> {
    let names = if asked.all { Remote::configured(repo) } else { asked.remotes.clone() };
    if names.is_empty() {
        return Remote::usual(repo).map(|remote| vec![remote]);
    }
    names.iter().map(|name| Remote::named(name)).collect()
}

/// Syncs with every remote that reviews were exchanged with before, otherwise with the default remote; never
/// prompts.
///
/// Those in `left_alone` are passed over. Where no exchange can begin, that is the answer, under the name [`NOBODY`].
pub fn exchange_in_background(
    common_dir: &Path,
    now: Timestamp,
    limits: BackgroundLimits,
    left_alone: &BTreeSet<String>,
    kill_handle: &Arc<KillHandle>,
) -> Vec<SyncedRemote> {
    let begun = begin_in_background(common_dir, now, limits, kill_handle);
    let (mut exchange, remotes) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            let failed = failed(NOBODY, SyncProblem::NotBegun, &*error);
            write_down(common_dir, &failed);
            return vec![failed];
        }
    };
    let wanted = remotes.iter().filter(|remote| !left_alone.contains(remote.shown()));
    // Only a person may decide to send files that git has not published.
    wanted.map(|remote| exchange.with(remote, ExchangeDirection::Both, FilesToSend::SentByGit)).collect()
}

fn begin_in_background(
    common_dir: &Path,
    now: Timestamp,
    limits: BackgroundLimits,
    kill_handle: &Arc<KillHandle>,
) -> Result<(Exchange, Vec<Remote>), Box<dyn Error>> {
    let repo = Repository::open(common_dir, ConfigScope::AsGit)?;
    let remotes = background_remotes(&repo)?;
    let by = committer(&repo, now);
    let options = StoreOptions { patience: limits.patience, threads: NonZeroUsize::MIN };
    let interaction = Interaction::Unattended { limit: limits.transport };
    Ok((Exchange::new(repo, options, by, interaction, Arc::clone(kill_handle)), remotes))
}

fn background_remotes(repo: &Repository) -> Result<Vec<Remote>, Box<dyn Error>> {
    let tracked = repo.list_refs(refs::REMOTES)?;
    let synced: Vec<Remote> = Remote::configured(repo)
        .iter()
        .filter_map(|name| Remote::named(name).ok())
        .filter(|remote| tracked.refs.iter().any(|(name, _)| name == remote.tracking()))
        .collect();
    Ok(if synced.is_empty() { vec![Remote::usual(repo)?] } else { synced })
}

fn write_down(common_dir: &Path, failed: &SyncedRemote) {
    let said = failed.error.iter().chain(&failed.causes).cloned().collect::<Vec<_>>().join(": ");
    let trouble = SyncFailure { said, is_unsent: failed.problem == Some(SyncProblem::Unsent) };
    if let Err(error) = note(common_dir, &failed.remote, Some(&trouble)) {
        let repo = common_dir.display().to_string();
        tracing::warn!(repo, %error, "could not save the result of a sync");
    }
}

fn problem_of(error: &SyncError) -> SyncProblem {
    match error {
        SyncError::Unsent { .. } => SyncProblem::Unsent,
        SyncError::Outrun { .. } => SyncProblem::Outrun,
        SyncError::Transport(TransportError::Refused { .. }) => SyncProblem::Refused,
        SyncError::Transport(_) => SyncProblem::Unreachable,
        SyncError::NoNotes { .. } => SyncProblem::NoNotes,
        SyncError::Notes { .. } => SyncProblem::NotTakenIn,
    }
}

fn failed(remote: &str, problem: SyncProblem, error: &dyn Error) -> SyncedRemote {
    let causes = std::iter::successors(error.source(), |error| (*error).source());
    SyncedRemote {
        remote: remote.to_owned(),
        problem: Some(problem),
        error: Some(error.to_string()),
        causes: causes.map(ToString::to_string).collect(),
        ..SyncedRemote::default()
    }
}

fn succeeded(remote: &str, exchanged: &Exchanged) -> SyncedRemote {
    let unsent = (!exchanged.unsent.is_empty()).then(|| {
        let files = exchanged.unsent.clone();
        SyncError::Unsent { remote: remote.to_owned(), files }.to_string()
    });
    SyncedRemote {
        remote: remote.to_owned(),
        came: news(&exchanged.came),
        went: news(&exchanged.went),
        purged: small(exchanged.purged.len()),
        left_out: exchanged
            .refused
            .iter()
            .take(MAX_LEFT_OUT)
            .map(|path| ByteText::new(path.as_bytes()))
            .collect(),
        tries: small(exchanged.tries),
        unsent_files: small(exchanged.unsent.len()),
        unsent,
        ..SyncedRemote::default()
    }
}

/// The purges that came with an exchange; what cannot be read now, a check of the repository tells later.
fn purges(store: &Store, exchanged: &Exchanged) -> Vec<PurgeView> {
    if exchanged.purged.is_empty() {
        return Vec::new();
    }
    let kept = KeptPurged::read(store);
    kept.map(|kept| kept.views(|id| exchanged.purged.contains(&id))).unwrap_or_default()
}

fn news(news: &RecordCounts) -> RecordCountsView {
    RecordCountsView {
        comments: small(news.comments),
        resolved: small(news.resolved),
        reopened: small(news.reopened),
        withdrawn: small(news.withdrawn),
        reviews: small(news.reviews),
        verdicts: small(news.verdicts),
        proposals: small(news.proposals),
        requests: small(news.requests),
        ended: small(news.ended),
        edits: small(news.edits),
        moves: small(news.moves),
        purges: small(news.purges),
        others: small(news.others),
        records: small(news.total()),
    }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
