//! One repository that the daemon watches, as all tasks share it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::events::subscribers::Subscribers;
use crate::events::watched_files::WatchedFiles;
use crate::sharing::BackgroundSync;
use crate::watching::folder_times::FolderTimes;
use crate::watching::watches::{Coverage, Wake};

/// So many requests to one repository are worked on at once, so that one slow repository leaves threads for others.
const AT_ONCE: usize = 4;

/// A repository, its subscribers, and how it is.
#[derive(Debug)]
pub(crate) struct WatchedRepository {
    common_dir: PathBuf,
    /// Wakes its task.
    pub(crate) waker: Wake,
    /// Taken by each request while it is worked on.
    pub(crate) turns: Arc<Semaphore>,
    /// Taken by work ahead of requests.
    pub(crate) ahead: Arc<Semaphore>,
    /// Exchanges its reviews with remotes.
    pub(crate) background_sync: Arc<BackgroundSync>,
    subscribers: Mutex<Subscribers>,
    watched: Mutex<WatchedFiles>,
    condition: Mutex<Condition>,
    folder_times: Mutex<FolderTimes>,
}

/// How a repository is.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// Whether events can be relied on.
    pub(crate) coverage: Coverage,
    /// What is wrong with it.
    pub(crate) trouble: Option<String>,
    /// When the last request came; `None` after its memory was released.
    pub(crate) used: Option<Instant>,
}

impl WatchedRepository {
    /// A repository that has not been read yet.
    pub(crate) fn new(common_dir: PathBuf) -> Self {
        Self {
            common_dir,
            waker: Wake::default(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            ahead: Arc::new(Semaphore::new(1)),
            background_sync: Arc::default(),
            subscribers: Mutex::default(),
            watched: Mutex::default(),
            condition: Mutex::new(Condition { coverage: Coverage::Partial, trouble: None, used: None }),
            folder_times: Mutex::default(),
        }
    }

    /// The git directory that all its work trees share.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Its subscribers.
    pub(crate) fn subscribers(&self) -> MutexGuard<'_, Subscribers> {
        // A panic can only happen while sending; the lists are whole.
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files on disk that subscribers want events of.
    pub(crate) fn watched(&self) -> MutexGuard<'_, WatchedFiles> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it is.
    pub(crate) fn condition(&self) -> MutexGuard<'_, Condition> {
        self.condition.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The times that show whether it has to be read again.
    pub(crate) fn folder_times(&self) -> MutexGuard<'_, FolderTimes> {
        self.folder_times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a request came.
    pub(crate) fn touch(&self) {
        self.condition().used = Some(Instant::now());
    }

    /// Whether its memory should be released: it was used, but not for `unused`, and it has no subscribers.
    pub(crate) fn is_idle(&self, unused: Duration) -> bool {
        let long_ago = self.condition().used.is_some_and(|used| used.elapsed() >= unused);
        long_ago && self.subscribers().len() == 0
    }
}
