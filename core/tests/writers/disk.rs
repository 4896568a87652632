//! What of a sequence of calls would outlive a power loss at this moment.
//!
//! The strictest reading: content is on disk once its file was synced, a name once its directory was, and what was
//! there before the first call is in doubt until it is synced.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use postil_testkit::tracer::Call;

/// Counts calls; what happened before the first one happened at zero.
type Time = usize;

/// When names and files last changed, and when they were last synced.
#[derive(Default)]
pub struct Disk {
    now: Time,
    files: Vec<File>,
    /// Which file a name leads to. A draft that is renamed or linked stays the same file.
    names: HashMap<PathBuf, usize>,
    /// When a file or directory got its name.
    named: HashMap<PathBuf, Time>,
    dirs_made: HashMap<PathBuf, Time>,
    dirs_synced: HashMap<PathBuf, Time>,
}

#[derive(Default)]
struct File {
    written: Time,
    synced: Option<Time>,
}

impl Disk {
    /// Takes note of a call that succeeded.
    pub fn see(&mut self, call: &Call) {
        self.now += 1;
        match call {
            Call::Create(path) => {
                if !self.names.contains_key(path) {
                    self.named.insert(path.clone(), self.now);
                }
                self.file(path).written = self.now;
            }
            Call::Write(path) => self.file(path).written = self.now,
            Call::Sync(path) if path.is_dir() => {
                self.dirs_synced.insert(path.clone(), self.now);
            }
            Call::Sync(path) => self.file(path).synced = Some(self.now),
            Call::Rename(from, to) => {
                self.link(from, to);
                self.names.remove(from);
            }
            Call::Link(from, to) => self.link(from, to),
            Call::Remove(path) => {
                self.names.remove(path);
                self.dirs_made.remove(path);
            }
            Call::MakeDir(path) => {
                self.dirs_made.insert(path.clone(), self.now);
            }
            Call::Tell | Call::Other => {}
        }
    }

    /// Says why a file might be gone, or not be whole.
    pub fn doubts(&self, path: &Path) -> Option<String> {
        let since = self.named.get(path).copied().unwrap_or_default();
        self.doubts_content(path).or_else(|| self.doubts_name(path, since)).or_else(|| {
            path.ancestors().skip(1).find_map(|dir| self.doubts_name(dir, *self.dirs_made.get(dir)?))
        })
    }

    /// Says why the content of a file might not be whole.
    pub fn doubts_content(&self, path: &Path) -> Option<String> {
        let synced = self.names.get(path).is_some_and(|file| {
            let file = &self.files[*file];
            file.synced.is_some_and(|synced| synced > file.written)
        });
        (!synced).then(|| format!("{} was not synced", path.display()))
    }

    fn doubts_name(&self, path: &Path, since: Time) -> Option<String> {
        let synced = path.parent().and_then(|dir| self.dirs_synced.get(dir));
        let lasts = synced.is_some_and(|synced| *synced > since);
        (!lasts).then(|| format!("the directory of {} was not synced", path.display()))
    }

    fn link(&mut self, from: &Path, to: &Path) {
        self.file(from);
        self.names.insert(to.to_owned(), self.names[from]);
        self.named.insert(to.to_owned(), self.now);
    }

    fn file(&mut self, path: &Path) -> &mut File {
        let new = self.files.len();
        let file = *self.names.entry(path.to_owned()).or_insert(new);
        if file == new {
            self.files.push(File::default());
        }
        &mut self.files[file]
    }
}
