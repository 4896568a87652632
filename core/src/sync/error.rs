//! Why reviews could not be exchanged.

use super::TransportError;
use crate::notes::refs::NOTES;
use crate::notes::{NotesError, UnsentFile};

/// The most files that are named.
const NAMED: usize = 3;

/// Why reviews could not be exchanged.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// Git could not reach the remote, or the remote refused.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// Our own notes could not be read or written.
    #[error("could not merge the reviews of {remote}")]
    Notes {
        /// The remote.
        remote: String,
        /// Why.
        source: Box<NotesError>,
    },
    /// The remote has something else under the name of the notes.
    #[error("{NOTES} of {remote} is not a commit")]
    NoNotes {
        /// The remote.
        remote: String,
    },
    /// The notes contain files that git has not pushed there, and nobody has allowed it.
    #[error("the reviews contain {} not yet pushed to {remote}: {}", counted(files), named(files))]
    Unsent {
        /// The remote.
        remote: String,
        /// The files.
        files: Vec<UnsentFile>,
    },
    /// Somebody else was faster, every time.
    #[error("{remote} received new reviews while pushing")]
    Outrun {
        /// The remote.
        remote: String,
        /// How often we tried.
        tries: usize,
    },
}

fn counted(files: &[UnsentFile]) -> String {
    match files.len() {
        1 => "1 commented file".to_owned(),
        several => format!("{several} commented files"),
    }
}

/// Some of the files by name, quoted and escaped: other people chose the names.
fn named(files: &[UnsentFile]) -> String {
    let name = |file: &UnsentFile| match &file.path {
        Some(path) => format!("{:?}", path.to_string()),
        None => file.blob.to_string(),
    };
    let mut names: Vec<String> = files.iter().take(NAMED).map(name).collect();
    names.dedup();
    let more = files.len().saturating_sub(NAMED);
    names.extend((more > 0).then(|| format!("{more} more")));
    names.join(", ")
}
