//! Attends to one repository: waits, looks, and tells what moved.
//!
//! What to do about a move is the caller's. The loop knows no files and no signals, only wakes and looks.

use std::time::Duration;

use crate::repository::{NotesMove, Repository, RepositoryError};
use crate::stop::Stop;
use crate::wake::{Waited, Wakes};
use crate::watch::RefWatch;

/// How long a repository must be quiet before it is looked at: one git command moves several files.
const SETTLE: Duration = Duration::from_millis(30);

/// How many times in a row settling may start over, so that a busy repository is looked at too.
const MAX_SETTLING: usize = 16;

/// How often it is looked at without any event: file systems lose events, or send none at all.
const LOOK_ANYWAY: Duration = Duration::from_secs(5);

/// Why the daemon could not go on.
#[derive(Debug, thiserror::Error)]
pub enum AttendError {
    /// The repository cannot be opened, or is gone.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    /// The operating system gives no file events.
    #[error("could not watch the refs")]
    Watch(#[source] notify::Error),
    /// The operating system takes no signal handler.
    #[error("could not listen for signals")]
    Signals(#[source] std::io::Error),
}

/// Calls `on_move` each time the notes ref of `repository` has moved, until SIGTERM or SIGINT.
///
/// Moves since it was opened are told too. Several moves in quick succession may come as one. A move that is under way when the signal comes is still
/// told. Signals keep being handled until the process ends.
pub fn attend(repository: Repository, on_move: impl FnMut(&NotesMove)) -> Result<(), AttendError> {
    let (stop, wakes) = Stop::new();
    stop.on_signals().map_err(AttendError::Signals)?;
    attend_until(&stop, &wakes, repository, on_move)
}

fn attend_until(
    stop: &Stop,
    wakes: &Wakes,
    mut repository: Repository,
    mut on_move: impl FnMut(&NotesMove),
) -> Result<(), AttendError> {
    let _watch = RefWatch::start(repository.common_dir(), stop.waker()).map_err(AttendError::Watch)?;
    let common_dir = repository.common_dir().display().to_string();
    tracing::info!(repo = common_dir, "watching");
    // The first look comes before the first wait: the ref may have moved before the watch began.
    loop {
        match repository.look() {
            Ok(Some(moved)) => on_move(&moved),
            Ok(None) => {}
            Err(gone @ RepositoryError::Gone { .. }) => return Err(gone.into()),
            // A ref that is half written by something else may be whole the next time.
            Err(error) => tracing::warn!(repo = common_dir, error = chain(&error), "could not look"),
        }
        if stop.is_requested() {
            tracing::info!(repo = common_dir, "stopped");
            return Ok(());
        }
        wait_until_quiet(stop, wakes);
    }
}

fn wait_until_quiet(stop: &Stop, wakes: &Wakes) {
    if wakes.wait(LOOK_ANYWAY) == Waited::TimedOut {
        return;
    }
    for _ in 0..MAX_SETTLING {
        if stop.is_requested() || wakes.wait(SETTLE) == Waited::TimedOut {
            return;
        }
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use super::*;
    use crate::repository::fixture::{bare, say};

    #[test]
    fn every_move_is_told_also_of_a_ref_made_together_with_its_folder() {
        let folder = bare();
        let repository = Repository::discover(folder.path()).unwrap();
        let mut tips = vec![say(folder.path(), "first")];
        let (stop, wakes) = Stop::new();
        let mut told = Vec::new();
        let began = Instant::now();
        attend_until(&stop, &wakes, repository, |moved| {
            told.push((moved.to, moved.checked.restored));
            match told.len() {
                1 => fs::remove_dir_all(folder.path().join("refs/notes")).unwrap(),
                2 => tips.push(say(folder.path(), "second")),
                _ => stop.request(),
            }
        })
        .unwrap();
        assert_eq!(told, [(tips[0], false), (tips[0], true), (tips[1], false)]);
        assert!(began.elapsed() < LOOK_ANYWAY, "an event woke it, not the clock");
    }
}
