//! Wakes the task of a repository when something may have happened in its folders.
//!
//! An event is never taken for the change itself: a ref that is made together with its folder shows only the
//! folder, several moves come as one, and an overflow loses all. Each says "look again" and nothing more.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify::event::{EventKind, ModifyKind, RenameMode};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use postil_service::Stamp;

/// So many folders of one repository are watched; the rest is looked at now and then.
pub(crate) const MAX_WATCHES: usize = 128;

/// Wakes the task of one repository; any number of wakes before it runs are one.
pub(crate) type Wake = Arc<Notify>;

/// The watched folders of all repositories.
#[derive(Debug)]
pub(crate) struct Watches {
    /// None where the system gives no events.
    watcher: Mutex<Option<RecommendedWatcher>>,
    watched: Arc<Mutex<HashMap<PathBuf, Watched>>>,
}

#[derive(Debug)]
struct Watched {
    stamp: Stamp,
    waker: Wake,
}

/// What came of watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WatchResult {
    /// Whether events can be relied on.
    pub(crate) coverage: Coverage,
    /// How many folders are watched that were not before.
    pub(crate) added: usize,
}

/// Whether events can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// All folders that are there are watched.
    Events,
    /// Some are not, so that only reading them shows a change.
    Partial,
}

impl Watches {
    /// Watches nothing yet; a system without events is reported once.
    pub(crate) fn new() -> Self {
        let watched: Arc<Mutex<HashMap<PathBuf, Watched>>> = Arc::default();
        let seen = Arc::clone(&watched);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| match event {
            Ok(event) => wake(&mut hold(&seen), &event),
            // It is not known what was missed, so all are to look.
            Err(_) => wake_all(&hold(&seen)),
        });
        let watcher = watcher.inspect_err(|error| tracing::warn!(%error, "no file events; polling instead"));
        Self { watcher: Mutex::new(watcher.ok()), watched }
    }

    /// Watches these folders for `waker`, and no others; folders that are not there are passed over.
    ///
    /// If a folder was replaced by another one, the new one is watched.
    pub(crate) fn set(&self, waker: &Wake, folders: &[PathBuf]) -> WatchResult {
        let mut set = WatchResult { coverage: Coverage::Events, added: 0 };
        // A disk that does not answer must not keep others from watching.
        let wanted: HashMap<&Path, Stamp> = folders
            .iter()
            .filter_map(|folder| Some((folder.as_path(), Stamp::of_folder(folder)?)))
            .take(MAX_WATCHES)
            .collect();
        if wanted.len() == MAX_WATCHES {
            set.coverage = Coverage::Partial;
        }
        let elsewhere = self.watched_elsewhere(&wanted);
        let (moved, shared): (Vec<_>, Vec<_>) =
            elsewhere.into_iter().partition(|(path, stamp)| Stamp::of_folder(path).as_ref() != Some(stamp));
        let mut watcher = hold(&self.watcher);
        let Some(watcher) = watcher.as_mut() else {
            return WatchResult { coverage: Coverage::Partial, ..set };
        };
        for (path, _) in moved {
            if let Some(gone) = self.release(&path) {
                let _ = watcher.unwatch(&path);
                gone.waker.notify_one();
            }
        }
        let stale: Vec<PathBuf> = hold(&self.watched)
            .iter()
            .filter(|(path, watched)| {
                Arc::ptr_eq(&watched.waker, waker) && wanted.get(path.as_path()) != Some(&watched.stamp)
            })
            .map(|(path, _)| path.clone())
            .collect();
        for path in stale {
            self.release(&path);
            // The system has dropped the watch already where the folder is gone.
            let _ = watcher.unwatch(&path);
        }
        for (path, stamp) in wanted {
            let is_shared = shared.iter().any(|(_, other)| *other == stamp);
            let owned = hold(&self.watched).get(path).map(|watched| Arc::ptr_eq(&watched.waker, waker));
            if is_shared || owned == Some(false) {
                set.coverage = Coverage::Partial;
                continue;
            }
            if owned == Some(true) {
                continue;
            }
            hold(&self.watched).insert(path.to_owned(), Watched { stamp, waker: Arc::clone(waker) });
            match watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => set.added += 1,
                Err(error) => {
                    tracing::debug!(path = %path.display(), %error, "could not watch");
                    self.release(path);
                    set.coverage = Coverage::Partial;
                }
            }
        }
        set
    }

    /// Takes a folder off the table, and lets go of the table again.
    ///
    /// Never holds both locks while it calls the watcher: the thread that delivers an event waits for the
    /// table, and the watcher waits for that thread.
    fn release(&self, path: &Path) -> Option<Watched> {
        hold(&self.watched).remove(path)
    }

    /// The folders among these that are watched under another name: they moved, or have two.
    ///
    /// The system knows folders, not names, and gives one watch for both: ending that of the old name would end the new
    /// one's unnoticed.
    fn watched_elsewhere(&self, wanted: &HashMap<&Path, Stamp>) -> Vec<(PathBuf, Stamp)> {
        let watched = hold(&self.watched);
        let others = watched.iter().filter(|(path, _)| !wanted.contains_key(path.as_path()));
        others
            .filter(|(_, watched)| wanted.values().any(|stamp| *stamp == watched.stamp))
            .map(|(path, watched)| (path.clone(), watched.stamp.clone()))
            .collect()
    }

    /// How many folders are watched.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        hold(&self.watched).len()
    }
}

/// A lock whose holder panicked guards a table that is whole all the same: no entry is half written.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wake(watched: &mut HashMap<PathBuf, Watched>, event: &Event) {
    if event.need_rescan() || event.paths.is_empty() {
        wake_all(watched);
        return;
    }
    // Reading is an event too, also our own: answering it would wake ourselves for ever.
    if matches!(event.kind, EventKind::Access(_)) {
        return;
    }
    for path in event.paths.iter().filter(|path| may_matter(path)) {
        let in_folder = path.parent().and_then(|folder| watched.get(folder));
        for watched in in_folder.into_iter().chain(watched.get(path)) {
            watched.waker.notify_one();
        }
    }
    // The watcher stops watching a path that was removed, even when another folder is there by now and its watch is
    // the newer one. Forgotten here, it is watched again by the task that was just woken.
    if is_removal(event.kind) {
        for path in &event.paths {
            watched.remove(path);
        }
    }
}

/// Whether what was at a path is not there any more.
fn is_removal(kind: EventKind) -> bool {
    matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From)))
}

fn wake_all(watched: &HashMap<PathBuf, Watched>) {
    for watched in watched.values() {
        watched.waker.notify_one();
    }
}

/// Whether a file of this name can be more than a step on the way.
fn may_matter(path: &Path) -> bool {
    let on_the_way = path.extension().is_some_and(|name| name == "lock" || name == "new");
    // Every `git status` may write the index, every commit its message.
    let busy = ["index", "COMMIT_EDITMSG", "ORIG_HEAD", "gc.pid"].map(OsStr::new);
    !on_the_way && !path.file_name().is_some_and(|name| busy.contains(&name))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use notify::event::{AccessKind, CreateKind, Flag, RemoveKind};

    use super::*;

    fn event(kind: EventKind, paths: &[&str]) -> Event {
        paths.iter().fold(Event::new(kind), |event, path| event.add_path(path.into()))
    }

    fn watching(folder: &str, waker: &Wake) -> HashMap<PathBuf, Watched> {
        let stamp = Stamp::of_folder(tempfile::tempdir().unwrap().path()).unwrap();
        HashMap::from([(PathBuf::from(folder), Watched { stamp, waker: Arc::clone(waker) })])
    }

    fn check(event: &Event, expected: bool) {
        let waker = Wake::default();
        wake(&mut watching("refs/notes", &waker), event);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let woken =
            runtime.block_on(async { tokio::time::timeout(Duration::ZERO, waker.notified()).await.is_ok() });
        assert_eq!(woken, expected, "{event:?}");
    }

    #[test]
    fn reading_and_locking_wake_nobody() {
        check(&event(EventKind::Access(AccessKind::Any), &["refs/notes/reviews"]), false);
        check(&event(EventKind::Create(CreateKind::File), &["refs/notes/reviews.lock"]), false);
        check(&event(EventKind::Create(CreateKind::File), &["elsewhere/reviews"]), false);
    }

    #[test]
    fn whatever_may_have_moved_a_ref_wakes() {
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::Both));
        check(&event(renamed, &["refs/notes/reviews.lock", "refs/notes/reviews"]), true);
        check(&event(EventKind::Create(CreateKind::Folder), &["refs/notes/x"]), true);
        check(&event(EventKind::Remove(RemoveKind::Folder), &["refs/notes"]), true);
        check(&event(EventKind::Other, &[]).set_flag(Flag::Rescan), true);
    }

    #[test]
    fn a_folder_that_was_removed_is_not_taken_for_watched() {
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::From));
        for kind in [EventKind::Remove(RemoveKind::Folder), renamed] {
            let mut watched = watching("refs/notes", &Wake::default());
            wake(&mut watched, &event(kind, &["refs/notes/reviews"]));
            assert_eq!(watched.len(), 1, "a file in it was removed");
            wake(&mut watched, &event(kind, &["refs/notes"]));
            assert!(watched.is_empty());
        }
    }

    #[test]
    fn a_folder_that_moved_stays_watched_when_its_old_name_is_forgotten() {
        let parent = tempfile::tempdir().unwrap();
        let (old, new) = (parent.path().join("old"), parent.path().join("new"));
        fs::create_dir_all(old.join("refs")).unwrap();
        let (watches, before, after) = (Watches::new(), Wake::default(), Wake::default());
        watches.set(&before, &[old.join("refs")]);
        fs::rename(&old, &new).unwrap();
        // While events arrive: the table must not be held while waiting for the thread that delivers them.
        (0..500).for_each(|n| fs::write(new.join("refs/main"), n.to_string()).unwrap());
        assert_eq!(
            watches.set(&after, &[new.join("refs")]),
            WatchResult { coverage: Coverage::Events, added: 1 }
        );
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let heard = async |waker: &Wake| {
                tokio::time::timeout(Duration::from_secs(10), waker.notified()).await.is_ok()
            };
            assert!(heard(&before).await, "whoever had it is to look for it");
            watches.set(&before, &[]);
            while tokio::time::timeout(Duration::from_millis(1), after.notified()).await.is_ok() {}
            fs::write(new.join("refs/main"), "x").unwrap();
            assert!(heard(&after).await);
        });
    }

    #[test]
    fn a_folder_that_somebody_else_watches_is_looked_at_now_and_then() {
        let folder = tempfile::tempdir().unwrap();
        let (watches, first, second) = (Watches::new(), Wake::default(), Wake::default());
        let folders = [folder.path().to_owned()];
        assert_eq!(watches.set(&first, &folders).coverage, Coverage::Events);
        assert_eq!(watches.set(&second, &folders), WatchResult { coverage: Coverage::Partial, added: 0 });
        assert_eq!(watches.set(&first, &folders).coverage, Coverage::Events);
    }

    #[test]
    fn a_folder_that_was_replaced_is_watched_again_and_none_leaks() {
        let parent = tempfile::tempdir().unwrap();
        let folders = [parent.path().to_owned(), parent.path().join("refs"), parent.path().join("missing")];
        fs::create_dir(&folders[1]).unwrap();
        let (watches, waker) = (Watches::new(), Wake::default());
        assert_eq!(watches.set(&waker, &folders), WatchResult { coverage: Coverage::Events, added: 2 });
        assert_eq!(watches.count(), 2);
        fs::remove_dir(&folders[1]).unwrap();
        fs::create_dir(&folders[1]).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            // As a task does: whatever the event, what is there is watched. The removal is reported twice, from the
            // folder and from its parent, and either may end a watch that was just made.
            let heard = async |within| tokio::time::timeout(within, waker.notified()).await.is_ok();
            while heard(Duration::from_millis(1)).await || watches.set(&waker, &folders).added > 0 {}
            fs::write(folders[1].join("main"), "x").unwrap();
            assert!(heard(Duration::from_secs(10)).await);
        });
        watches.set(&waker, &[]);
        assert_eq!(watches.count(), 0);
    }
}
