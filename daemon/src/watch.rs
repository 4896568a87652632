//! Wakes whoever attends to a repository when its refs may have moved.
//!
//! An event is never taken for the change itself: a ref that is made together with its folder shows only the
//! folder, several moves come as one, and an overflow loses all. Each says "look again" and nothing more.

use std::path::Path;

use notify::event::EventKind;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::wake::Waker;

/// A watch on the folders where the refs of one repository live, until it is dropped.
#[derive(Debug)]
pub(crate) struct RefWatch {
    _watcher: RecommendedWatcher,
}

impl RefWatch {
    /// Watches the git directory that all work trees share.
    ///
    /// Folders, never files: git replaces refs by renaming over them. `packed-refs` is in the folder itself, loose
    /// refs are below `refs`. The rest of the git directory, with a folder for every prefix of an object id, is
    /// left alone.
    pub(crate) fn start(common_dir: &Path, waker: Waker) -> notify::Result<Self> {
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if event.as_ref().map_or(true, may_move_a_ref) {
                waker.wake();
            }
        })?;
        watcher.watch(common_dir, RecursiveMode::NonRecursive)?;
        watcher.watch(&common_dir.join("refs"), RecursiveMode::Recursive)?;
        Ok(Self { _watcher: watcher })
    }
}

/// Whether to look again.
fn may_move_a_ref(event: &Event) -> bool {
    if event.need_rescan() {
        return true;
    }
    // Reading is an event too, also our own: answering it would wake ourselves for ever.
    if matches!(event.kind, EventKind::Access(_)) {
        return false;
    }
    let is_on_the_way = |path: &Path| path.extension().is_some_and(|name| name == "lock" || name == "new");
    event.paths.is_empty() || !event.paths.iter().all(|path| is_on_the_way(path))
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, CreateKind, Flag, ModifyKind, RenameMode};

    use super::*;

    fn event(kind: EventKind, paths: &[&str]) -> Event {
        paths.iter().fold(Event::new(kind), |event, path| event.add_path(path.into()))
    }

    #[test]
    fn reading_and_locking_wake_nobody() {
        assert!(!may_move_a_ref(&event(EventKind::Access(AccessKind::Any), &["refs/notes/reviews"])));
        assert!(!may_move_a_ref(&event(EventKind::Create(CreateKind::File), &["refs/notes/reviews.lock"])));
        assert!(!may_move_a_ref(&event(EventKind::Create(CreateKind::File), &["packed-refs.new"])));
    }

    #[test]
    fn whatever_may_have_moved_a_ref_wakes() {
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::Both));
        assert!(may_move_a_ref(&event(renamed, &["refs/notes/reviews.lock", "refs/notes/reviews"])));
        assert!(may_move_a_ref(&event(EventKind::Create(CreateKind::Folder), &["refs/notes"])));
        assert!(may_move_a_ref(&event(EventKind::Other, &[]).set_flag(Flag::Rescan)));
    }
}
