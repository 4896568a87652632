//! What all connections and repository tasks share: the service, the repositories, the watches, the request to stop.
//!
//! Work that blocks goes to the pool of threads from here, and nowhere else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use postil_core::anchoring::Stop;
use postil_protocol::{Call, Fault, FaultCode, Reply, RepositoryName};
use postil_socket::RuntimeDirs;
use tokio::sync::{Semaphore, watch};

use crate::answers::Answers;
use crate::events::subscribers::{PositionScope, WatchedView};
use crate::process::malloc_trim::trim;
use crate::single_flight::SingleFlight;
use crate::watched_repository::WatchedRepository;
use crate::watching::registry::Registry;
use crate::watching::repository_paths;
use crate::watching::watches::Watches;
use postil_service::JsonText;

/// So many repositories are resolved and settled at once when heads have moved.
const BACKGROUND_AT_ONCE: usize = 2;

/// An answer as JSON text, shared by all who asked the same.
pub(crate) type JsonAnswer = Result<JsonText, Fault>;

/// What everybody in the process shares.
pub(crate) struct Hub {
    pub(crate) place: RuntimeDirs,
    pub(crate) version: String,
    pub(crate) answers: Arc<dyn Answers>,
    pub(crate) watches: Watches,
    /// Taken by work that no client asked for.
    pub(crate) background: Arc<Semaphore>,
    /// Taken besides for what can wait: one repository after the other, so that their memory does not add up.
    pub(crate) leisure: Arc<Semaphore>,
    pub(crate) connections: AtomicU32,
    pub(crate) began: Instant,
    registry: Mutex<Registry>,
    repositories: Mutex<BTreeMap<PathBuf, Arc<WatchedRepository>>>,
    flights: SingleFlight<JsonAnswer>,
    /// Names that are being looked up on disk.
    names: SingleFlight<Result<Option<PathBuf>, Fault>>,
    subscriptions: AtomicU64,
    stop: watch::Sender<bool>,
    spawn_task: fn(Arc<Hub>, Arc<WatchedRepository>),
}

impl Hub {
    /// Shares `answers` among everybody; `spawn_task` starts the task of a repository.
    pub(crate) fn new(
        place: RuntimeDirs,
        version: &str,
        answers: Arc<dyn Answers>,
        spawn_task: fn(Arc<Self>, Arc<WatchedRepository>),
    ) -> Arc<Self> {
        Arc::new(Self {
            registry: Mutex::new(Registry::open(place.registry())),
            place,
            version: version.to_owned(),
            answers,
            watches: Watches::new(),
            background: Arc::new(Semaphore::new(BACKGROUND_AT_ONCE)),
            connections: AtomicU32::new(0),
            began: Instant::now(),
            repositories: Mutex::default(),
            flights: SingleFlight::new(),
            names: SingleFlight::new(),
            leisure: Arc::new(Semaphore::new(1)),
            subscriptions: AtomicU64::new(0),
            stop: watch::Sender::new(false),
            spawn_task,
        })
    }

    /// Attends to all repositories that are written down.
    pub(crate) fn watch_known(self: &Arc<Self>) {
        let known: Vec<PathBuf> = hold(&self.registry).all().map(Path::to_owned).collect();
        for common_dir in known {
            self.watched_repository(&common_dir);
        }
    }

    /// The repository with this common git directory, watched from now on.
    pub(crate) fn watched_repository(self: &Arc<Self>, common_dir: &Path) -> Arc<WatchedRepository> {
        let mut repositories = hold(&self.repositories);
        if let Some(known) = repositories.get(common_dir) {
            return Arc::clone(known);
        }
        let new = Arc::new(WatchedRepository::new(common_dir.to_owned()));
        repositories.insert(common_dir.to_owned(), Arc::clone(&new));
        drop(repositories);
        (self.spawn_task)(Arc::clone(self), Arc::clone(&new));
        new
    }

    /// Forgets a repository that is gone.
    pub(crate) fn forget(&self, common_dir: &Path) {
        let gone = hold(&self.repositories).remove(common_dir);
        if let Some(gone) = gone {
            self.watches.set(&gone.waker, &[]);
            gone.subscribers().end();
        }
        if let Err(error) = hold(&self.registry).forget(common_dir) {
            tracing::warn!(%error, "could not save the list of repositories");
        }
        self.give_back_memory_of(vec![common_dir.to_owned()]);
    }

    /// All repositories that are watched.
    pub(crate) fn repositories(&self) -> Vec<Arc<WatchedRepository>> {
        hold(&self.repositories).values().cloned().collect()
    }

    /// Answers a request of a client on a thread of the pool; its repository is watched from then on.
    ///
    /// The answer is JSON already: writing it takes as long as finding it. `question` is given where others who ask
    /// the same at the same time may have the same answer.
    pub(crate) async fn call(self: &Arc<Self>, call: Call, question: Option<&[u8]>) -> JsonAnswer {
        let repository = self.by_name(call.repository()).await?;
        repository.touch();
        let answer = match question {
            Some(question) => {
                let compute = async {
                    let waiting = StopOnDrop::default();
                    self.compute(&repository, call, waiting.0.clone()).await
                };
                self.flights.share(question, compute).await
            }
            // A write runs to its end, even if the client is gone.
            None => self.compute(&repository, call, Stop::default()).await,
        };
        repository.touch();
        // A repository of another user, or one that no longer exists, is not watched either.
        if answer.as_ref().is_err_and(|fault| fault.code == FaultCode::NoRepository) {
            self.forget(repository.common_dir());
        }
        answer
    }

    async fn compute(&self, repository: &WatchedRepository, call: Call, stop: Stop) -> JsonAnswer {
        let turn = Arc::clone(&repository.turns).acquire_owned().await;
        let answers = Arc::clone(&self.answers);
        blocking(move || {
            let _turn = turn;
            answers.answer_json(&call, &stop)
        })
        .await?
    }

    /// Calls the service on a thread of the pool, without counting as use of the repository.
    ///
    /// Dropping the future stops the work: a later move of a head makes it useless.
    pub(crate) async fn ask(&self, repository: &WatchedRepository, call: Call) -> Result<Reply, Fault> {
        let waiting = StopOnDrop::default();
        let stop = waiting.0.clone();
        let turn = Arc::clone(&repository.turns).acquire_owned().await;
        let answers = Arc::clone(&self.answers);
        blocking(move || {
            let _turn = turn;
            answers.answer(&call, &stop)
        })
        .await?
    }

    /// The repository that a client names, written down and watched.
    ///
    /// The disk is read on a thread of the pool, once for all requests with the same name. A disk that does
    /// not answer delays only them.
    pub(crate) async fn by_name(
        self: &Arc<Self>,
        name: &RepositoryName,
    ) -> Result<Arc<WatchedRepository>, Fault> {
        let (hub, wanted) = (Arc::clone(self), name.clone());
        // In its own task: a client that gives up leaves a thread behind, and the next one must not take
        // another.
        let looking = tokio::spawn(async move {
            let question = wanted.git_dir.clone();
            hub.names
                .share(question.as_bytes(), blocking(move || repository_paths::common_dir(&wanted)))
                .await
        });
        let found = looking.await.unwrap_or(Ok(None))?;
        let common_dir = found.ok_or_else(|| no_repository(name))?;
        let is_known = hold(&self.repositories).contains_key(&common_dir);
        if !is_known && let Err(error) = hold(&self.registry).add(&common_dir) {
            tracing::warn!(%error, "could not save the list of repositories");
        }
        Ok(self.watched_repository(&common_dir))
    }

    /// From where a client looks at a repository.
    pub(crate) async fn viewpoint(
        &self,
        name: RepositoryName,
        places: PositionScope,
    ) -> Result<WatchedView, Fault> {
        let wanted = name.clone();
        let found = blocking(move || repository_paths::git_dir(&wanted)).await?;
        let git_dir = found.ok_or_else(|| no_repository(&name))?;
        Ok(WatchedView { name, git_dir, places })
    }

    /// Writes down the repository with this git directory and watches it, if there is one.
    pub(crate) async fn register(self: &Arc<Self>, git_dir: &Path) {
        let name = RepositoryName { git_dir: repository_paths::text(git_dir), work_tree: None };
        if let Err(fault) = self.by_name(&name).await {
            tracing::warn!(why = fault.message, "not watched");
        }
    }

    /// Forgets what was read of configurations, and looks at everything again.
    pub(crate) fn reload(&self) {
        let all = self.repositories();
        self.give_back_memory_of(all.iter().map(|repository| repository.common_dir().to_owned()).collect());
        for repository in all {
            repository.waker.notify_one();
        }
    }

    /// Releases the memory of repositories that were not used for this long.
    pub(crate) fn give_back(&self, unused: Duration) {
        let mut idle = Vec::new();
        for repository in self.repositories() {
            if repository.is_idle(unused) {
                tracing::debug!(repo = %repository.common_dir().display(), "unused");
                repository.condition().used = None;
                idle.push(repository.common_dir().to_owned());
            }
        }
        if !idle.is_empty() {
            self.give_back_memory_of(idle);
        }
    }

    /// Whether there is a repository whose memory was not released since it was last used.
    pub(crate) fn is_in_use(&self) -> bool {
        self.repositories().iter().any(|repository| repository.condition().used.is_some())
    }

    /// Releases the memory of all repositories but the one that was used last, subscribers or not.
    pub(crate) fn keep_the_last_used(&self) {
        let with_time = |repository: Arc<WatchedRepository>| {
            let used = repository.condition().used;
            used.map(|used| (used, repository))
        };
        let mut used: Vec<_> = self.repositories().into_iter().filter_map(with_time).collect();
        used.sort_by_key(|(at, _)| *at);
        used.pop();
        let others = used.into_iter().map(|(_, repository)| {
            repository.condition().used = None;
            repository.common_dir().to_owned()
        });
        self.give_back_memory_of(others.collect());
    }

    /// Has everything forgotten that can be read again of these repositories.
    ///
    /// On a thread of the pool, since caches are written to disk first.
    pub(crate) fn give_back_memory_of(&self, common_dirs: Vec<PathBuf>) {
        let answers = Arc::clone(&self.answers);
        let forgotten = tokio::task::spawn_blocking(move || {
            for common_dir in common_dirs {
                answers.forget(&common_dir);
            }
            trim();
        });
        tokio::spawn(async move {
            // Threads that end take their last pieces with them only then; a daemon that stops needs none of this.
            let _ = forgotten.await;
            tokio::time::sleep(THREADS_ENDED).await;
            let _ = tokio::task::spawn_blocking(trim).await;
        });
    }

    /// A number for a new subscription.
    pub(crate) fn next_subscription(&self) -> u64 {
        self.subscriptions.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Asks everybody to finish; asking again changes nothing.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until no background work is left: positions that subscribers received are then written down.
    pub(crate) async fn at_rest(&self) {
        let all = u32::try_from(BACKGROUND_AT_ONCE).expect("a small number");
        // The semaphore belongs to this hub, and is never closed.
        let _ = self.background.acquire_many(all).await;
    }

    /// Waits until the daemon is asked to stop.
    pub(crate) async fn stopping(&self) {
        let mut stop = self.stop.subscribe();
        // The sender is in this very hub, and so cannot be gone.
        let _ = stop.wait_for(|stop| *stop).await;
    }
}

/// A waiting client; dropping it stops the work.
#[derive(Default)]
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.now();
    }
}

fn no_repository(name: &RepositoryName) -> Fault {
    let words = format!("cannot read the git directory {:?}", name.git_dir);
    Fault::new(FaultCode::NoRepository, words)
}

/// After so long, threads that had something to do have ended; longer than they stay idle.
const THREADS_ENDED: Duration = Duration::from_secs(6);

/// Runs on a thread of the pool; a panic there ends the request, not the daemon.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a request failed because of a bug");
        Fault::new(FaultCode::Internal, "the request failed because of a bug in postil; see the daemon's log")
    })
}

/// A table whose holder panicked is whole all the same: no entry is half written.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
