//! Why a client could not do what it was asked.
//!
//! What failed, and nothing about what to do next: each client says that in its own words.

use std::io;
use std::path::PathBuf;

use postil_core::git::OpenError;
use postil_protocol::{ClientError, Fault};
use postil_socket::ConnectError;

/// Why a client could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The folder in which to look for a repository cannot be used.
    #[error("cannot change to {}", path.display())]
    Directory {
        /// Which folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no repository, or it cannot be used.
    #[error("not inside a git repository that postil can use")]
    NoRepository(#[source] Box<OpenError>),
    /// There is a repository, above a folder at which the search ends.
    #[error("no repository found below GIT_CEILING_DIRECTORIES")]
    Ceiling,
    /// A setting that git passes on for one command cannot be read.
    #[error("could not parse a setting given with `git -c`")]
    UnreadableParameter(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A setting that git passes on for one command has a value that it cannot have.
    #[error("invalid setting given with `git -c`")]
    InvalidParameter(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Something was to be written, and git does not know by whom.
    #[error("git does not know who you are")]
    UnknownAuthor,
    /// What a program declares itself to be is not understood.
    #[error("invalid program: {text:?}")]
    InvalidVia {
        /// What was declared.
        text: String,
    },
    /// The service refuses, or fails.
    #[error(transparent)]
    Fault(Box<Fault>),
    /// The daemon read a request to write something and stopped before it answered.
    #[error("the daemon stopped before confirming; this may or may not have been saved")]
    MaybeSaved(#[source] Box<ClientError>),
    /// There is no connection to the daemon.
    #[error("could not connect to the daemon")]
    Connect(#[from] ConnectError),
    /// The daemon does not accept a subscription.
    #[error("the daemon refused the subscription")]
    Subscribe(#[source] Box<ClientError>),
    /// The repository is gone, and its events with it.
    #[error("the repository no longer exists")]
    SubscriptionEnded,
}

impl From<Fault> for SessionError {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}
