//! Brings back what other programs lost from the notes of a repository.
//!
//! What was lost, and how it is found again, is `postil-core`'s business. The repository is opened anew each time, so
//! that one that is rarely touched costs no memory.

use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;
use std::time::Duration;

use postil_core::git::{OpenError, Patience, Repository, Settings};
use postil_core::notes::{Checked, NotesError, Options, Store};
use postil_service::committer;

use crate::answers::now;

/// How long a mending waits for a git that holds a lock; the next look tries again.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why the notes could not be mended.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MendError {
    /// The repository cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// What was lost could not be brought back.
    #[error("could not check the notes")]
    Check(#[from] NotesError),
}

/// Checks the notes of the repository with this git directory, and brings back what they lost.
///
/// Notes that are as they were left cost an open and two small reads.
pub(crate) fn mend(git_dir: &Path) -> Result<Checked, MendError> {
    let repository = Repository::open(git_dir, Settings::AsGit)?;
    let options = Options { patience: Patience::new(PATIENCE, thread::sleep), threads: NonZeroUsize::MIN };
    let by = committer(&repository, now());
    Ok(Store::new(repository, options).check(&by)?)
}
