//! The one who carries reviews of a repository to and fro.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postil_core::git::{ConfigScope, Patience, Repository};
use postil_core::record::Timestamp;
use postil_protocol::SyncedRemote;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::schedule::{RemoteOutcome, Schedule};
use crate::watching::ref_snapshot::{RefSnapshot, Rest};
use postil_service::process::child::KillHandle;
use postil_service::sharing::{BackgroundLimits, NOBODY, Policy, exchange_in_background};

/// One fetch or push that takes longer will never end.
const LIMIT: Duration = Duration::from_mins(2);

/// How long to wait for other writers.
const PATIENCE: Duration = Duration::from_secs(5);

/// What wakes the one who carries, and what stops them.
#[derive(Debug, Default)]
pub(crate) struct BackgroundSync {
    wake: Notify,
    moved: AtomicBool,
    kill_handle: Arc<KillHandle>,
}

impl BackgroundSync {
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
        self.kill_handle.kill();
    }
}

/// Carries reviews as long as it is polled; one exchange at a time.
///
/// If syncing is off, it sleeps until the configuration changes or a tracking branch moves.
pub(crate) async fn keep_sharing(common_dir: PathBuf, background_sync: Arc<BackgroundSync>) {
    let mut schedule = Schedule::default();
    loop {
        let policy = read_policy(&common_dir).await;
        let now = Instant::now();
        schedule.consider(policy, background_sync.moved.swap(false, Ordering::Relaxed), now);
        if schedule.next().is_some_and(|next| next <= now) {
            match sync_now(&common_dir, schedule.left_alone(now), Arc::clone(&background_sync.kill_handle))
                .await
            {
                SyncAttempt::NotNow => schedule.put_off(Instant::now()),
                SyncAttempt::To(outcomes) => {
                    let outcomes = outcomes.iter().map(|(name, outcome)| (name.as_str(), *outcome));
                    schedule.record_outcomes(policy, outcomes, Instant::now());
                }
            }
        }
        let next = schedule.next();
        tokio::select! {
            () = background_sync.wake.notified() => {}
            () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => {}
        }
    }
}

enum SyncAttempt {
    /// A rebase is in progress.
    NotNow,
    /// To these remotes, or to [`NOBODY`].
    To(Vec<(String, RemoteOutcome)>),
}

async fn read_policy(common_dir: &Path) -> Policy {
    let common_dir = common_dir.to_owned();
    let read = move || Some(Policy::of(&Repository::open(&common_dir, ConfigScope::AsGit).ok()?));
    tokio::task::spawn_blocking(read).await.ok().flatten().unwrap_or_default()
}

async fn sync_now(
    common_dir: &Path,
    left_alone: BTreeSet<String>,
    kill_handle: Arc<KillHandle>,
) -> SyncAttempt {
    let common_dir = common_dir.to_owned();
    tokio::task::spawn_blocking(move || {
        let under_way = |survey: RefSnapshot| survey.heads.values().any(|head| head.rest == Rest::UnderWay);
        if RefSnapshot::of(&common_dir).is_ok_and(under_way) {
            return SyncAttempt::NotNow;
        }
        if left_alone.contains(NOBODY) {
            return SyncAttempt::To(Vec::new());
        }
        let limits =
            BackgroundLimits { transport: LIMIT, patience: Patience::new(PATIENCE, std::thread::sleep) };
        let exchanged = exchange_in_background(&common_dir, now(), limits, &left_alone, &kill_handle);
        if kill_handle.is_killed() {
            return SyncAttempt::To(Vec::new());
        }
        let repo = common_dir.display().to_string();
        let outcome = |SyncedRemote { remote, came, went, error, .. }: SyncedRemote| {
            let Some(said) = error else {
                tracing::info!(repo, remote, came = came.records, went = went.records, "synced reviews");
                return (remote, RemoteOutcome::Done);
            };
            tracing::warn!(repo, remote, said, "could not sync reviews");
            (remote, RemoteOutcome::Failed)
        };
        SyncAttempt::To(exchanged.into_iter().map(outcome).collect())
    })
    .await
    .unwrap_or_else(|_| SyncAttempt::To(vec![(NOBODY.to_owned(), RemoteOutcome::Failed)]))
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
