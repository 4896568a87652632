//! How notes are moved between repositories.

use crate::git::{CommitId, RefName};

/// Moves notes between this repository and its remotes; the user's own git, except in tests.
pub trait Transport {
    /// Fetches `refs/notes/reviews` of `remote` into `tracking`, with all of its history, and replaces what was there.
    fn fetch(&mut self, remote: &str, tracking: &RefName) -> Result<Fetched, TransportError>;

    /// From now on, fetches bring all objects again, also those that git takes to be here.
    fn fetch_everything(&mut self);

    /// Pushes `tip` to `refs/notes/reviews` of `remote`, if that is a fast-forward.
    ///
    /// A remote with several addresses has accepted it when all of them have.
    fn push(&mut self, remote: &str, tip: CommitId) -> Result<Pushed, TransportError>;

    /// The addresses for pushes to `remote` that differ from the one for fetches; usually none.
    fn push_addresses(&mut self, remote: &str) -> Vec<String>;

    /// Waits before another try: longer after more tries, and by a random time.
    fn pause(&mut self, tries: usize);
}

/// How a fetch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The tracking ref is what the remote has.
    Notes,
    /// The same, and objects came that were missing here.
    Completed,
    /// The remote has no reviews yet; the tracking ref was not touched.
    Nothing,
}

/// How a push ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// The remote has all of it now.
    Accepted,
    /// The remote had all of it already.
    UpToDate,
    /// Somebody else pushed meanwhile: it has to be fetched first.
    Outrun,
}

/// Why a fetch or push failed.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// Git could not be started.
    #[error("could not start git")]
    Start(#[source] std::io::Error),
    /// There is no such remote, or it cannot be reached or read.
    #[error("could not fetch from {remote}: {said}")]
    Fetch {
        /// The remote.
        remote: String,
        /// What git reported, on one line.
        said: String,
    },
    /// The remote does not let us write, or not there.
    #[error("{remote} rejected the reviews: {said}")]
    Refused {
        /// The remote.
        remote: String,
        /// What it reported, on one line.
        said: String,
    },
    /// The remote could not be reached for sending.
    #[error("could not push to {remote}: {said}")]
    Push {
        /// The remote.
        remote: String,
        /// What git reported, on one line.
        said: String,
    },
    /// Git was stopped, because the caller ends.
    #[error("interrupted")]
    Stopped,
    /// Git did not end in time and was stopped.
    #[error("{remote} did not answer within {seconds} seconds")]
    TimedOut {
        /// The remote.
        remote: String,
        /// How long we waited.
        seconds: u64,
    },
}

impl TransportError {
    /// The same error with this name of the remote: an address may contain a password.
    pub(super) fn of(self, name: &str) -> Self {
        let remote = name.to_owned();
        match self {
            Self::Start(error) => Self::Start(error),
            Self::Stopped => Self::Stopped,
            Self::Fetch { said, .. } => Self::Fetch { remote, said },
            Self::Refused { said, .. } => Self::Refused { remote, said },
            Self::Push { said, .. } => Self::Push { remote, said },
            Self::TimedOut { seconds, .. } => Self::TimedOut { remote, seconds },
        }
    }
}
