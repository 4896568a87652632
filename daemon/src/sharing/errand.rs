//! The one who carries reviews of a repository to and fro.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postil_core::git::{Patience, Repository, Settings};
use postil_core::notes::{Committer, Options, Store, refs};
use postil_core::sync::{Direction, Exchanged, Remote, exchange};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::policy::{Policy, pause};
use super::trouble;
use crate::mend::person;
use crate::survey::{Rest, Survey};
use crate::transport::{GitTransport, Manner};

/// One fetch or push that takes longer will never end.
const LIMIT: Duration = Duration::from_mins(2);

/// How long to wait for other writers.
const PATIENCE: Duration = Duration::from_secs(5);

/// While somebody is inside a rebase, it is looked at again after this.
const NOT_NOW: Duration = Duration::from_secs(15);

/// What wakes the one who carries.
#[derive(Debug, Default)]
pub(crate) struct Errand {
    wake: Notify,
    moved: AtomicBool,
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
}

/// Carries reviews as long as it is polled; one exchange at a time.
///
/// Where nobody asked for it, it sleeps until somebody changes the configuration or pushes.
pub(crate) async fn keep_sharing(common_dir: PathBuf, errand: Arc<Errand>) {
    let mut failures = 0;
    let mut next: Option<Instant> = None;
    let mut is_owed = false;
    loop {
        let policy = asked(&common_dir).await;
        is_owed |= errand.moved.swap(false, Ordering::Relaxed);
        let now = Instant::now();
        next = match policy {
            Policy::Off => {
                is_owed = false;
                None
            }
            Policy::OnPush => next.filter(|_| is_owed).or_else(|| is_owed.then_some(now)),
            // The first time at once: nobody knows when it was done last.
            Policy::Every(every) => {
                let next = next.map_or(now, |next| next.min(now + every.max(pause(failures))));
                Some(if is_owed && failures == 0 { now } else { next })
            }
        };
        if next.is_some_and(|next| next <= now) {
            match carry(&common_dir).await {
                Carried::Done => {
                    failures = 0;
                    is_owed = false;
                    next = next_after(policy, 0);
                }
                Carried::NotNow => next = Some(Instant::now() + NOT_NOW),
                Carried::Failed => {
                    failures += 1;
                    next = next_after(policy, failures).or(Some(Instant::now() + pause(failures)));
                }
            }
        }
        tokio::select! {
            () = errand.wake.notified() => {}
            () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => {}
        }
    }
}

fn next_after(policy: Policy, failures: u32) -> Option<Instant> {
    let Policy::Every(every) = policy else { return None };
    let wait = if failures == 0 { every } else { every.max(pause(failures)) };
    Some(Instant::now() + wait)
}

enum Carried {
    Done,
    /// Somebody is inside a rebase.
    NotNow,
    Failed,
}

async fn asked(common_dir: &Path) -> Policy {
    let common_dir = common_dir.to_owned();
    let read = move || {
        let repo = Repository::open(&common_dir, Settings::AsGit).ok()?;
        let setting = repo.handle().config_snapshot().string("postil.autosync")?;
        Some(Policy::read(&setting.to_string()))
    };
    tokio::task::spawn_blocking(read).await.ok().flatten().unwrap_or_default()
}

async fn carry(common_dir: &Path) -> Carried {
    let common_dir = common_dir.to_owned();
    tokio::task::spawn_blocking(move || {
        let under_way = |survey: Survey| survey.heads.values().any(|head| head.rest == Rest::UnderWay);
        if Survey::of(&common_dir).is_ok_and(under_way) {
            return Carried::NotNow;
        }
        let repo = common_dir.display().to_string();
        let carried = share(&common_dir);
        let noted = match &carried {
            Ok(exchanged) => {
                let (came, went) =
                    (sum(exchanged, |it| it.came.total()), sum(exchanged, |it| it.went.total()));
                tracing::info!(repo, came, went, "exchanged reviews");
                trouble::note(&common_dir, None)
            }
            Err(said) => {
                tracing::warn!(repo, said, "could not exchange reviews");
                trouble::note(&common_dir, Some(said))
            }
        };
        if let Err(error) = noted {
            tracing::warn!(repo, %error, "could not write down how an exchange ended");
        }
        if carried.is_ok() { Carried::Done } else { Carried::Failed }
    })
    .await
    .unwrap_or(Carried::Failed)
}

fn sum(exchanged: &[Exchanged], of: impl Fn(&Exchanged) -> usize) -> usize {
    exchanged.iter().map(of).sum()
}

/// Exchanges with every remote that reviews were exchanged with before, else with the usual one.
fn share(common_dir: &Path) -> Result<Vec<Exchanged>, String> {
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
    let mut transport = GitTransport::new(store.repository(), Manner::Unattended { limit: LIMIT });
    let mut exchanged = Vec::new();
    for remote in &remotes {
        let done = exchange(&store, &mut transport, remote, Direction::Both, &by);
        exchanged.push(done.map_err(|error| told(&error))?);
    }
    Ok(exchanged)
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
