//! Why there is no socket to listen on, or none to talk to.

use std::io;
use std::path::PathBuf;

use super::instance::Owner;

/// Why the socket cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// Neither the environment nor the system says where this user's files are.
    #[error("no home directory for the daemon's state")]
    Homeless,
    /// Every folder would have a daemon of its own.
    #[error("{name} is {}, which is not an absolute path", path.display())]
    Relative {
        /// Which variable.
        name: &'static str,
        /// What it says.
        path: PathBuf,
    },
    /// A folder could not be made or looked at.
    #[error("could not use {}", path.display())]
    Folder {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An attacker may have put a link there, to intercept requests.
    #[error("{} is not a directory, but a symlink or a file", path.display())]
    NoFolder {
        /// Where it is.
        path: PathBuf,
    },
    /// It belongs to another user.
    #[error("{} belongs to user {found}, not to user {expected}", path.display())]
    Foreign {
        /// Which folder or socket.
        path: PathBuf,
        /// Who has it.
        found: u32,
        /// Who we are.
        expected: u32,
    },
    /// Another user would read the requests, and could answer anything.
    #[error("user {found} listens on {}, not user {expected}", path.display())]
    ForeignListener {
        /// Which socket.
        path: PathBuf,
        /// Who listens.
        found: u32,
        /// Who we are.
        expected: u32,
    },
    /// The system does not say who listens.
    #[error("could not find out which user listens on {}", path.display())]
    UnknownListener {
        /// Which socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others may write to it.
    #[error("{} is open to other users (mode {mode:03o}, must be 700)", path.display())]
    Open {
        /// Which folder.
        path: PathBuf,
        /// What they may do.
        mode: u32,
    },
    /// Longer than what a socket address holds.
    #[error("the path {} is too long for a socket: {length} bytes, at most {most}", path.display())]
    TooLong {
        /// The path of the socket.
        path: PathBuf,
        /// How long it is.
        length: usize,
        /// How long it may be.
        most: usize,
    },
    /// Another daemon of this user runs.
    #[error("a daemon is already running ({owner})")]
    Taken {
        /// What it says about itself.
        owner: Owner,
    },
    /// The lock, or the socket itself.
    #[error("could not listen on {}", path.display())]
    Listen {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What the system passed is not a socket to listen on.
    #[error("the passed file descriptor is not a listening socket")]
    Passed(#[source] io::Error),
}
