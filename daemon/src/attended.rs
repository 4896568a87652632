//! One repository that the daemon attends to, as everybody in the process shares it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::audience::Audience;
use crate::glance::Glance;
use crate::sharing::Errand;
use crate::watch::{Coverage, News};
use crate::watched_files::WatchedFiles;

/// So many requests to one repository are worked on at once, so that one slow repository leaves threads for others.
const AT_ONCE: usize = 4;

/// A repository, its subscribers, and how it is.
#[derive(Debug)]
pub(crate) struct Attended {
    common_dir: PathBuf,
    /// Wakes its attendant.
    pub(crate) news: News,
    /// Taken by each request while it is worked on.
    pub(crate) turns: Arc<Semaphore>,
    /// Taken by whoever works ahead of requests.
    pub(crate) ahead: Arc<Semaphore>,
    /// Wakes whoever exchanges its reviews with remotes.
    pub(crate) errand: Arc<Errand>,
    audience: Mutex<Audience>,
    watched: Mutex<WatchedFiles>,
    condition: Mutex<Condition>,
    glance: Mutex<Glance>,
}

/// How a repository is.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    /// Whether events can be relied on.
    pub(crate) coverage: Coverage,
    /// What is wrong with it.
    pub(crate) trouble: Option<String>,
    /// When somebody last asked for something; none once its memory is given back.
    pub(crate) used: Option<Instant>,
}

impl Attended {
    /// A repository that nobody has looked at yet.
    pub(crate) fn new(common_dir: PathBuf) -> Self {
        Self {
            common_dir,
            news: News::default(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            ahead: Arc::new(Semaphore::new(1)),
            errand: Arc::default(),
            audience: Mutex::default(),
            watched: Mutex::default(),
            condition: Mutex::new(Condition { coverage: Coverage::Partial, trouble: None, used: None }),
            glance: Mutex::default(),
        }
    }

    /// The git directory that all its work trees share.
    pub(crate) fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Its subscribers.
    pub(crate) fn audience(&self) -> MutexGuard<'_, Audience> {
        // Whoever panicked was sending; the lists are whole.
        self.audience.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files on disk that somebody wants to hear of.
    pub(crate) fn watched(&self) -> MutexGuard<'_, WatchedFiles> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it is.
    pub(crate) fn condition(&self) -> MutexGuard<'_, Condition> {
        self.condition.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What tells whether it has to be looked at again.
    pub(crate) fn glance(&self) -> MutexGuard<'_, Glance> {
        self.glance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that somebody asked for something.
    pub(crate) fn touch(&self) {
        self.condition().used = Some(Instant::now());
    }

    /// Whether its memory is to be given back: it was used, but not for `unused`, and nobody listens.
    pub(crate) fn is_idle(&self, unused: Duration) -> bool {
        let long_ago = self.condition().used.is_some_and(|used| used.elapsed() >= unused);
        long_ago && self.audience().len() == 0
    }
}
