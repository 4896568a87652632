//! Why reviews could not be exchanged.

use super::TransportError;
use crate::notes::{NotesError, UnsentFile};

/// So many files are named.
const NAMED: usize = 3;

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
    /// The notes hold files that git has not sent there, and nobody has said that they may go.
    #[error("the reviews hold {} that git has not sent to {remote}: {}", counted(files), named(files))]
    Unsent {
        /// The remote.
        remote: String,
        /// The files.
        files: Vec<UnsentFile>,
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

fn counted(files: &[UnsentFile]) -> String {
    match files.len() {
        1 => "1 commented file".to_owned(),
        several => format!("{several} commented files"),
    }
}

/// Some of the files by name, as whoever commented on them wrote it: in quotes, and without anything that could be more.
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
