//! On what a printed list rests: every file and folder whose times tell that it would be printed the same again.
//!
//! What cannot be told so is not kept. How it is kept is `echo`'s business.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use postil_core::git::RepoPath;
use postil_core::protocol::Remember;

use super::desk::Desk;
use super::kept::Ground;
use super::seat::Seat;
use crate::echo;
use crate::survey::folders_below;

/// What rests on more files is not kept: asking for the times of all of them would take longer than the answer.
const MAX_FILES: usize = 4096;

/// The clock of a file system is coarser than ours: what was written this long before a moment may have been written
/// after it.
const TICK: Duration = Duration::from_millis(100);

/// Keeps what was printed, if all that it rests on was as it is now since before the command began.
pub(super) fn remember(folder: &Path, desk: &Desk, seat: &Seat, printed: &Remember) -> Option<()> {
    let ground = desk.kept.ground_of(seat, &printed.question)?;
    let sources: Vec<PathBuf> = sources(seat, &ground, printed)?.into_iter().collect();
    let began = UNIX_EPOCH.checked_add(Duration::from_millis(printed.began))?.checked_sub(TICK)?;
    match echo::put(folder, (&printed.key, &printed.text), &sources, began) {
        Ok(kept) => kept.then_some(()),
        Err(error) => {
            tracing::debug!(%error, "what a command printed was not kept");
            None
        }
    }
}

/// All files and folders that decide what a list of this ground says; `None` where they are not known or too many.
fn sources(seat: &Seat, ground: &Ground, printed: &Remember) -> Option<BTreeSet<PathBuf>> {
    let (git_dir, common_dir) = (seat.repository().git_dir(), seat.repository().common_dir());
    let own = ["HEAD", "index", "config.worktree", "rebase-merge/head-name", "rebase-apply/head-name"];
    let shared =
        ["packed-refs", "config", "shallow", "objects/pack", "objects/info/alternates", "info/attributes"];
    let mut all: BTreeSet<PathBuf> = own.iter().map(|name| git_dir.join(name)).collect();
    all.extend(shared.iter().map(|name| common_dir.join(name)));
    // A ref is replaced and never written over, so that its folder tells of it.
    all.extend(folders_below(&common_dir.join("refs"))?);
    let files: &[(RepoPath, _)] = match ground {
        Ground::Commit => &[],
        Ground::Committed(files) => files,
        Ground::Unsettled => return None,
    };
    if files.len() > MAX_FILES {
        return None;
    }
    if let Some(root) = seat.work_tree() {
        for (path, _) in files {
            let file = root.join(OsStr::from_bytes(path.as_bytes()));
            let folders = file.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
            // Attributes say how a file is to be read.
            all.extend(folders.map(|folder| folder.join(".gitattributes")));
            all.insert(file);
        }
    }
    all.extend(printed.files.iter().map(|path| PathBuf::from(OsStr::from_bytes(path.as_bytes()))));
    (all.len() <= MAX_FILES).then_some(all)
}
