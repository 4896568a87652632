//! What commands printed, to be printed again at once while nothing that it rests on has changed.
//!
//! A list that was told already still costs a client more than the answer itself: its words are to be understood, its
//! repository and settings to be found and read, its lines to be written. Who asks the very same again gets the very
//! same, and times of files alone tell whether it still is. What cannot be told so is not kept.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use postil_core::git::RepoPath;
use postil_core::protocol::{Recalled, Remember};
use serde_json::value::RawValue;

use super::desk::{Desk, lock};
use super::kept::Ground;
use super::seat::Seat;
use crate::stamp::Stamp;
use crate::survey::folders_below;

/// So many are kept, of all repositories; the one that was not asked for the longest goes first.
const MAX_ECHOES: usize = 16;

/// So much text is kept in all; what is longer by itself is not kept.
const MAX_BYTES: usize = 8 << 20;

/// What rests on more files is not kept: asking for the times of all of them would take longer than the answer.
const MAX_FILES: usize = 4096;

/// A longer key is nobody's.
const MAX_KEY_BYTES: usize = 16 << 10;

/// The clock of a file system is coarser than ours: what was written this long before a moment may have been written
/// after it.
const TICK: Duration = Duration::from_millis(100);

/// What commands printed.
#[derive(Debug, Default)]
pub(super) struct Echoes(Mutex<VecDeque<Arc<Echo>>>);

/// What one command printed.
#[derive(Debug)]
struct Echo {
    key: String,
    common_dir: PathBuf,
    /// What it rests on, as it was.
    seen: Vec<(PathBuf, Option<Stamp>)>,
    answer: Arc<RawValue>,
}

impl Echoes {
    /// What was printed, and in which repository, if the same would be printed now.
    pub fn recall(&self, key: &str) -> Option<(PathBuf, Arc<RawValue>)> {
        let echo = lock(&self.0).iter().find(|echo| echo.key == key).cloned()?;
        if !echo.holds() {
            lock(&self.0).retain(|other| !Arc::ptr_eq(other, &echo));
            return None;
        }
        let mut all = lock(&self.0);
        if let Some(at) = all.iter().position(|other| Arc::ptr_eq(other, &echo)) {
            let last = all.remove(at).expect("it was found just now");
            all.push_front(last);
        }
        Some((echo.common_dir.clone(), echo.answer.clone()))
    }

    /// Keeps what was printed, if all that it rests on was as it is now since before the command began.
    pub fn remember(&self, desk: &Desk, seat: &Seat, printed: &Remember) -> Option<()> {
        let ground = desk.kept.ground_of(seat, &printed.question)?;
        let seen: Vec<_> = sources(seat, &ground, printed)?
            .into_iter()
            .map(|path| (Stamp::of_entry(&path), path))
            .map(|(stamp, path)| (path, stamp))
            .collect();
        let began = UNIX_EPOCH.checked_add(Duration::from_millis(printed.began))?.checked_sub(TICK)?;
        let is_old =
            |stamp: &Option<Stamp>| stamp.as_ref().is_none_or(|stamp| stamp.is_unchanged_since(began));
        if printed.key.len() > MAX_KEY_BYTES || !seen.iter().all(|(_, stamp)| is_old(stamp)) {
            return None;
        }
        let text = Recalled { text: printed.text.clone() };
        let answer: Arc<RawValue> = serde_json::value::to_raw_value(&text).ok()?.into();
        let common_dir = seat.repository().common_dir().to_owned();
        let mut all = lock(&self.0);
        all.retain(|echo| echo.key != printed.key);
        all.push_front(Arc::new(Echo { key: printed.key.clone(), common_dir, seen, answer }));
        let mut bytes = 0;
        let fits = |echo: &&Arc<Echo>| {
            bytes += echo.answer.get().len();
            bytes <= MAX_BYTES
        };
        let most = all.iter().take(MAX_ECHOES).take_while(fits).count();
        all.truncate(most);
        Some(())
    }

    /// Gives the memory of a repository back.
    pub fn forget(&self, common_dir: &Path) {
        lock(&self.0).retain(|echo| echo.common_dir != common_dir);
    }
}

impl Echo {
    fn holds(&self) -> bool {
        self.seen.iter().all(|(path, was)| Stamp::of_entry(path) == *was)
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
