//! Why the page cannot be served.

use std::io;
use std::path::PathBuf;

use postil_client::SessionError;
use postil_socket::SocketError;

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The repository or the service cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The folders of this user cannot be used.
    #[error(transparent)]
    Folders(#[from] SocketError),
    /// Another program listens on the port.
    #[error("port {port} is in use")]
    PortInUse {
        /// The port that was asked for.
        port: u16,
    },
    /// The system refuses to listen.
    #[error("cannot listen on 127.0.0.1:{port}")]
    Listen {
        /// The port that was asked for; 0 for any.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// A private file cannot be written.
    #[error("cannot write {}", path.display())]
    PrivateFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A page of this repository is being served, and does not answer.
    #[error("a page of this repository is served by process {pid}, which does not answer")]
    NoAnswer {
        /// The process.
        pid: u32,
    },
    /// The system gives no random numbers, threads or timers.
    #[error("the system refuses what a server needs")]
    System(#[from] io::Error),
}
