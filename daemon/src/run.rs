//! The daemon's whole life: open, attend, end.
//!
//! Here is decided what a move of the notes means; how it is noticed is `attend`'s work.

use std::path::Path;

use postil_core::git::CommitId;

use crate::attend::{AttendError, attend};
use crate::repository::Repository;

/// Attends to the repository around `folder` until SIGTERM or SIGINT, and brings back what its notes lose.
pub fn run(folder: &Path) -> Result<(), AttendError> {
    let repository = Repository::discover(folder)?;
    let repo = repository.common_dir().display().to_string();
    attend(repository, |moved| {
        let (from, to) = (shown(moved.from), shown(moved.to));
        tracing::info!(repo, from, to, "notes moved");
        if moved.checked.healed() {
            let (records, pins) = (moved.checked.records, moved.checked.pins);
            tracing::warn!(
                repo,
                records,
                pins,
                restored = moved.checked.restored,
                "brought back what was lost"
            );
        }
    })
}

fn shown(tip: Option<CommitId>) -> String {
    tip.map_or_else(|| "none".to_owned(), |commit_id| commit_id.to_string())
}
