//! Why reviews could not be exchanged.

use super::TransportError;
use crate::notes::NotesError;

/// Why reviews could not be exchanged.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// Git could not reach the remote, or the remote refused.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// Our own notes could not be read or written.
    #[error("could not take in the reviews of {remote}")]
    Notes {
        /// The remote.
        remote: String,
        /// Why.
        source: Box<NotesError>,
    },
    /// The remote has something else under the name of the notes.
    #[error("refs/notes/reviews of {remote} is no commit, so there are no reviews in it")]
    NoNotes {
        /// The remote.
        remote: String,
    },
    /// Somebody else was faster, every time.
    #[error("others sent reviews to {remote} at the same moment, {tries} times in a row; try again")]
    Outrun {
        /// The remote.
        remote: String,
        /// How often we tried.
        tries: usize,
    },
}
