//! The refs that the store keeps.

use crate::git::RefName;

/// The notes with the reviews, which are shared.
pub const NOTES: &str = "refs/notes/reviews";

/// A pattern that git takes in a refspec, and that names the notes alone. An exact name would break `git fetch` from a
/// remote that has no notes yet.
pub const NOTES_PATTERN: &str = "refs/notes/review*";

/// The last tip of the notes that was checked in this repository.
pub const KNOWN: &str = "refs/postil/known";

/// Blobs that are kept only here, because git has not published them.
pub const LOCAL_PINS: &str = "refs/postil/pins";

/// Records that are not shared yet.
pub const DRAFTS: &str = "refs/postil/drafts";

/// The last heads of open reviews that were seen here, each as `<review>/<commit>`.
pub const HEADS: &str = "refs/postil/heads/";

/// Records that other people's purges removed.
pub const PURGED: &str = "refs/postil/purged";

/// Commits of notes with entries that git refuses, which are left out of ours.
pub const REFUSED: &str = "refs/postil/refused";

/// Where the notes of remotes are fetched to.
pub const REMOTES: &str = "refs/postil/remotes/";

pub(super) fn name(name: &str) -> RefName {
    RefName::new(name).expect("the names above are valid")
}
