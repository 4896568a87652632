//! The daemon's whole life: open, attend, end.
//!
//! Here is decided what a move of the notes means; how it is noticed is `attend`'s work.

use std::path::Path;

use postil_core::git::CommitId;

use crate::attend::{AttendError, attend};
use crate::repository::Repository;

/// Attends to the repository around `folder` until SIGTERM or SIGINT, and logs each move of its notes.
pub fn run(folder: &Path) -> Result<(), AttendError> {
    let repository = Repository::discover(folder)?;
    let repo = repository.common_dir().display().to_string();
    attend(repository, |moved| {
        tracing::info!(repo, from = shown(moved.from), to = shown(moved.to), "notes moved");
    })
}

fn shown(tip: Option<CommitId>) -> String {
    tip.map_or_else(|| "none".to_owned(), |commit_id| commit_id.to_string())
}
