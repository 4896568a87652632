//! What all connections and attendants share: the service, the repositories, the watches, the request to stop.
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
use crate::attended::Attended;
use crate::audience::{PlacesFor, Viewpoint};
use crate::flight::Flights;
use crate::named;
use crate::registry::Registry;
use crate::trim::trim;
use crate::watch::Watches;
use postil_service::JsonText;

/// So many repositories are resolved and settled at once when heads have moved.
const BACKGROUND_AT_ONCE: usize = 2;

/// An answer as JSON text, shared by all who asked the same.
pub(crate) type Answer = Result<JsonText, Fault>;

/// What everybody in the process shares.
pub(crate) struct Hub {
    pub(crate) place: RuntimeDirs,
    pub(crate) version: String,
    pub(crate) answers: Arc<dyn Answers>,
    pub(crate) watches: Watches,
    /// Taken by whoever works without having been asked.
    pub(crate) background: Arc<Semaphore>,
    /// Taken besides for what can wait: one repository after the other, so that their memory does not add up.
    pub(crate) leisure: Arc<Semaphore>,
    pub(crate) connections: AtomicU32,
    pub(crate) began: Instant,
    registry: Mutex<Registry>,
    repositories: Mutex<BTreeMap<PathBuf, Arc<Attended>>>,
    flights: Flights<Answer>,
    /// Names that are being looked up on disk.
    names: Flights<Result<Option<PathBuf>, Fault>>,
    subscriptions: AtomicU64,
    stop: watch::Sender<bool>,
    attend: fn(Arc<Hub>, Arc<Attended>),
}

impl Hub {
    /// Shares `answers` among everybody; `attend` begins to attend to a repository.
    pub(crate) fn new(
        place: RuntimeDirs,
        version: &str,
        answers: Arc<dyn Answers>,
        attend: fn(Arc<Self>, Arc<Attended>),
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
            flights: Flights::new(),
            names: Flights::new(),
            leisure: Arc::new(Semaphore::new(1)),
            subscriptions: AtomicU64::new(0),
            stop: watch::Sender::new(false),
            attend,
        })
    }

    /// Attends to all repositories that are written down.
    pub(crate) fn attend_known(self: &Arc<Self>) {
        let known: Vec<PathBuf> = hold(&self.registry).all().map(Path::to_owned).collect();
        for common_dir in known {
            self.attended(&common_dir);
        }
    }

    /// The repository with this common git directory, attended to from now on.
    pub(crate) fn attended(self: &Arc<Self>, common_dir: &Path) -> Arc<Attended> {
        let mut repositories = hold(&self.repositories);
        if let Some(known) = repositories.get(common_dir) {
            return Arc::clone(known);
        }
        let new = Arc::new(Attended::new(common_dir.to_owned()));
        repositories.insert(common_dir.to_owned(), Arc::clone(&new));
        drop(repositories);
        (self.attend)(Arc::clone(self), Arc::clone(&new));
        new
    }

    /// Forgets a repository that is gone.
    pub(crate) fn forget(&self, common_dir: &Path) {
        let gone = hold(&self.repositories).remove(common_dir);
        if let Some(gone) = gone {
            self.watches.set(&gone.news, &[]);
            gone.audience().end();
        }
        if let Err(error) = hold(&self.registry).forget(common_dir) {
            tracing::warn!(%error, "could not write down which repositories there are");
        }
        self.give_back_memory_of(vec![common_dir.to_owned()]);
    }

    /// All repositories that are attended to.
    pub(crate) fn repositories(&self) -> Vec<Arc<Attended>> {
        hold(&self.repositories).values().cloned().collect()
    }

    /// Answers a request of a client on a thread of the pool; its repository is attended to from then on.
    ///
    /// The answer is JSON already: writing it takes as long as finding it. `question` is given where others who ask
    /// the same at the same time may have the same answer.
    pub(crate) async fn call(self: &Arc<Self>, call: Call, question: Option<&[u8]>) -> Answer {
        let repository = self.named(call.repository()).await?;
        repository.touch();
        let answer = match question {
            Some(question) => {
                let compute = async {
                    let waiting = Waiting::default();
                    self.compute(&repository, call, waiting.0.clone()).await
                };
                self.flights.share(question, compute).await
            }
            // What writes goes on to its end, whoever waits for it.
            None => self.compute(&repository, call, Stop::default()).await,
        };
        repository.touch();
        // What is somebody else's, or no repository any more, is not to be watched either.
        if answer.as_ref().is_err_and(|fault| fault.code == FaultCode::NoRepository) {
            self.forget(repository.common_dir());
        }
        answer
    }

    async fn compute(&self, repository: &Attended, call: Call, stop: Stop) -> Answer {
        let turn = Arc::clone(&repository.turns).acquire_owned().await;
        let answers = Arc::clone(&self.answers);
        blocking(move || {
            let _turn = turn;
            answers.tell(&call, &stop)
        })
        .await?
    }

    /// Asks the service on a thread of the pool, without counting as somebody who uses the repository.
    ///
    /// Whoever drops this ends the work: a later move of a head makes it useless.
    pub(crate) async fn ask(&self, repository: &Attended, call: Call) -> Result<Reply, Fault> {
        let waiting = Waiting::default();
        let stop = waiting.0.clone();
        let turn = Arc::clone(&repository.turns).acquire_owned().await;
        let answers = Arc::clone(&self.answers);
        blocking(move || {
            let _turn = turn;
            answers.answer(&call, &stop)
        })
        .await?
    }

    /// The repository that a client names, written down and attended to.
    ///
    /// The disk is asked on a thread of the pool, once for all who name it alike: one that does not answer keeps them
    /// waiting, and nobody else.
    pub(crate) async fn named(self: &Arc<Self>, name: &RepositoryName) -> Result<Arc<Attended>, Fault> {
        let (hub, wanted) = (Arc::clone(self), name.clone());
        // On its own: whoever does not wait for it leaves a thread behind, and the next one must not take another.
        let looking = tokio::spawn(async move {
            let question = wanted.git_dir.clone();
            hub.names.share(question.as_bytes(), blocking(move || named::common_dir(&wanted))).await
        });
        let found = looking.await.unwrap_or(Ok(None))?;
        let common_dir = found.ok_or_else(|| no_repository(name))?;
        let is_known = hold(&self.repositories).contains_key(&common_dir);
        if !is_known && let Err(error) = hold(&self.registry).add(&common_dir) {
            tracing::warn!(%error, "could not write down which repositories there are");
        }
        Ok(self.attended(&common_dir))
    }

    /// From where a client looks at a repository.
    pub(crate) async fn viewpoint(
        &self,
        name: RepositoryName,
        places: PlacesFor,
    ) -> Result<Viewpoint, Fault> {
        let wanted = name.clone();
        let found = blocking(move || named::git_dir(&wanted)).await?;
        let git_dir = found.ok_or_else(|| no_repository(&name))?;
        Ok(Viewpoint { name, git_dir, places })
    }

    /// Writes down the repository with this git directory and attends to it, if there is one.
    pub(crate) async fn register(self: &Arc<Self>, git_dir: &Path) {
        let name = RepositoryName { git_dir: named::text(git_dir), work_tree: None };
        if let Err(fault) = self.named(&name).await {
            tracing::warn!(why = fault.message, "not attended to");
        }
    }

    /// Forgets what was read of configurations, and looks at everything again.
    pub(crate) fn reload(&self) {
        let all = self.repositories();
        self.give_back_memory_of(all.iter().map(|repository| repository.common_dir().to_owned()).collect());
        for repository in all {
            repository.news.notify_one();
        }
    }

    /// Gives back the memory of repositories that nobody has used for so long.
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

    /// Waits until nobody works without having been asked: who heard where comments are finds it written down.
    pub(crate) async fn at_rest(&self) {
        let all = u32::try_from(BACKGROUND_AT_ONCE).expect("a small number");
        // The semaphore is in this very hub, and nobody closes it.
        let _ = self.background.acquire_many(all).await;
    }

    /// Waits until somebody asks.
    pub(crate) async fn stopping(&self) {
        let mut stop = self.stop.subscribe();
        // The sender is in this very hub, and so cannot be gone.
        let _ = stop.wait_for(|stop| *stop).await;
    }
}

/// Somebody who waits for an answer, and whose leaving ends the work.
#[derive(Default)]
struct Waiting(Stop);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.now();
    }
}

fn no_repository(name: &RepositoryName) -> Fault {
    let words = format!("{:?} is no git directory that can be read", name.git_dir);
    Fault::new(FaultCode::NoRepository, words)
}

/// After so long, threads that had something to do have ended; longer than they stay idle.
const THREADS_ENDED: Duration = Duration::from_secs(6);

/// Runs on a thread of the pool; a panic there ends the request, not the daemon.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a request failed by a defect");
        Fault::new(FaultCode::Internal, "the request failed by a defect of postil; the daemon's log has more")
    })
}

/// A table whose holder panicked is whole all the same: no entry is half written.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
