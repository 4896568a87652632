//! The one who carries reviews of a repository to and fro.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postil_core::git::{Patience, Repository, Settings};
use postil_core::notes::{Committer, Options, Store, refs};
use postil_core::sync::{Direction, Exchanged, Files, Remote, SyncError, exchange};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::schedule::{Outcome, Schedule};
use crate::survey::{Rest, Survey};
use postil_service::child::Leash;
use postil_service::person;
use postil_service::sharing::{self, NOBODY, Policy};
use postil_service::transport::{GitTransport, Manner};

/// One fetch or push that takes longer will never end.
const LIMIT: Duration = Duration::from_mins(2);

/// How long to wait for other writers.
const PATIENCE: Duration = Duration::from_secs(5);

/// What wakes the one who carries, and what stops them.
#[derive(Debug, Default)]
pub(crate) struct Errand {
    wake: Notify,
    moved: AtomicBool,
    leash: Arc<Leash>,
}

impl Errand {
    /// A tracking branch moved.
    pub(crate) fn remotes_moved(&self) {
        self.moved.store(true, Ordering::Relaxed);
        self.wake.notify_one();
    }

    /// The configuration may say something else now.
    pub(crate) fn reconsider(&self) {
        self.wake.notify_one();
    }

    /// Ends the fetch or push that is under way, for good: a server that hangs must not keep a daemon from ending.
    pub(crate) fn stop(&self) {
        self.leash.cut();
    }
}

/// Carries reviews as long as it is polled; one exchange at a time.
///
/// Where nobody asked for it, it sleeps until somebody changes the configuration or pushes.
pub(crate) async fn keep_sharing(common_dir: PathBuf, errand: Arc<Errand>) {
    let mut schedule = Schedule::default();
    loop {
        let policy = asked(&common_dir).await;
        let now = Instant::now();
        schedule.consider(policy, errand.moved.swap(false, Ordering::Relaxed), now);
        if schedule.next().is_some_and(|next| next <= now) {
            match carry(&common_dir, schedule.left_alone(now), Arc::clone(&errand.leash)).await {
                Carried::NotNow => schedule.put_off(Instant::now()),
                Carried::To(outcomes) => {
                    let outcomes = outcomes.iter().map(|(name, outcome)| (name.as_str(), *outcome));
                    schedule.settle(policy, outcomes, Instant::now());
                }
            }
        }
        let next = schedule.next();
        tokio::select! {
            () = errand.wake.notified() => {}
            () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => {}
        }
    }
}

enum Carried {
    /// Somebody is inside a rebase.
    NotNow,
    /// To these remotes, or to [`NOBODY`].
    To(Vec<(String, Outcome)>),
}

async fn asked(common_dir: &Path) -> Policy {
    let common_dir = common_dir.to_owned();
    let read = move || Some(Policy::of(&Repository::open(&common_dir, Settings::AsGit).ok()?));
    tokio::task::spawn_blocking(read).await.ok().flatten().unwrap_or_default()
}

async fn carry(common_dir: &Path, left_alone: BTreeSet<String>, leash: Arc<Leash>) -> Carried {
    let common_dir = common_dir.to_owned();
    tokio::task::spawn_blocking(move || {
        let under_way = |survey: Survey| survey.heads.values().any(|head| head.rest == Rest::UnderWay);
        if Survey::of(&common_dir).is_ok_and(under_way) {
            return Carried::NotNow;
        }
        if left_alone.contains(NOBODY) {
            return Carried::To(Vec::new());
        }
        let carried = match share(&common_dir, &left_alone, &leash) {
            Ok(carried) => carried,
            Err(said) => vec![(NOBODY.to_owned(), Err(said))],
        };
        // How an exchange ended that was not let end is nothing to tell of.
        if carried.is_empty() || leash.is_cut() {
            return Carried::To(Vec::new());
        }
        let repo = common_dir.display().to_string();
        for (remote, exchanged) in &carried {
            match exchanged {
                Ok(exchanged) => {
                    let (came, went) = (exchanged.came.total(), exchanged.went.total());
                    tracing::info!(repo, remote, came, went, "exchanged reviews");
                }
                Err(said) => tracing::warn!(repo, remote, said, "could not exchange reviews"),
            }
        }
        let said: Vec<(&str, Option<&str>)> = carried
            .iter()
            .map(|(remote, exchanged)| (remote.as_str(), exchanged.as_ref().err().map(String::as_str)))
            .collect();
        if let Err(error) = sharing::note(&common_dir, &said) {
            tracing::warn!(repo, %error, "could not write down how an exchange ended");
        }
        let outcome = |exchanged: &Result<Exchanged, String>| match exchanged {
            Ok(_) => Outcome::Done,
            Err(_) => Outcome::Failed,
        };
        Carried::To(carried.into_iter().map(|(remote, exchanged)| (remote, outcome(&exchanged))).collect())
    })
    .await
    .unwrap_or_else(|_| Carried::To(vec![(NOBODY.to_owned(), Outcome::Failed)]))
}

type Shared = Vec<(String, Result<Exchanged, String>)>;

/// Exchanges with every remote that reviews were exchanged with before, else with the usual one.
fn share(common_dir: &Path, left_alone: &BTreeSet<String>, leash: &Arc<Leash>) -> Result<Shared, String> {
    let told = |error: &dyn std::error::Error| {
        let causes = std::iter::successors(Some(error), |error| error.source());
        causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
    };
    let repo = Repository::open(common_dir, Settings::AsGit).map_err(|error| told(&error))?;
    let author = person(common_dir).map_err(|error| told(&error))?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let by = Committer::new(&author, i64::try_from(seconds).unwrap_or(i64::MAX), 0);
    let remotes = remotes(&repo)?;
    let patience = Patience::new(PATIENCE, std::thread::sleep);
    let store = Store::new(repo, Options { patience, threads: NonZeroUsize::MIN });
    let manner = Manner::Unattended { limit: LIMIT };
    let mut transport = GitTransport::new(store.repository(), manner).on(Arc::clone(leash));
    let mut shared = Shared::new();
    for remote in remotes.iter().filter(|remote| !left_alone.contains(remote.shown())) {
        // What git has not published, a person may send, and nobody else.
        let done = exchange(&store, &mut transport, remote, Direction::Both, Files::SentByGit, &by);
        let done = done.map_err(|error| match &error {
            SyncError::Unsent { .. } => {
                format!("{error}; `postil sync {} --with-files` sends them along", remote.shown())
            }
            _ => told(&error),
        });
        shared.push((remote.shown().to_owned(), done));
    }
    Ok(shared)
}

fn remotes(repo: &Repository) -> Result<Vec<Remote>, String> {
    let tracked = repo.list_refs(refs::REMOTES).map_err(|error| error.to_string())?;
    let synced: Vec<Remote> = Remote::configured(repo)
        .iter()
        .filter_map(|name| Remote::named(name).ok())
        .filter(|remote| tracked.refs.iter().any(|(name, _)| name == remote.tracking()))
        .collect();
    if !synced.is_empty() {
        return Ok(synced);
    }
    Remote::usual(repo).map(|remote| vec![remote]).map_err(|error| error.to_string())
}
