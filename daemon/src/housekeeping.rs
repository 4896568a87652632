//! What an idle daemon does from time to time: looks for changes that no event reported, and gives back memory.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::hub::{Hub, blocking};
use crate::process::malloc_trim::trim;
use crate::process::memory::own_bytes;
use crate::watched_repository::WatchedRepository;
use crate::watching::watches::{Coverage, Wake};
use postil_service::Stamp;

/// How often a repository is looked at that events do not cover: a network file system, or too many folders.
const LOOK_UNWATCHED: Duration = Duration::from_secs(20);

/// How often all are looked at, and the daemon looks after itself: file systems lose events.
const LOOK_ANYWAY: Duration = Duration::from_mins(1);

/// A repository that was not used for this long releases its memory; reading a thousand comments again takes
/// a hundredth of a second.
const UNUSED: Duration = Duration::from_mins(1);

/// With more memory than this, what was read of all repositories but one is forgotten: twice what ten repositories with
/// 10,000 comments take.
const MAX_OWN_BYTES: u64 = 128 << 20;

/// Ticks until the daemon stops.
pub(crate) async fn run_housekeeping(hub: Arc<Hub>) {
    let socket = hub.place.socket().ok();
    let socket = socket.map(|path| (Stamp::of_file(&path), path));
    let mut since_all = Duration::ZERO;
    let mut looking = None;
    let waker = Wake::default();
    hub.watches.set(&waker, &[hub.place.runtime().to_owned()]);
    loop {
        let partial = hub.repositories().iter().any(|it| it.condition().coverage == Coverage::Partial);
        let pause = if partial { LOOK_UNWATCHED } else { LOOK_ANYWAY.saturating_sub(since_all) };
        let began = Instant::now();
        // Without its socket no client finds the daemon, and the next client starts another one.
        if timeout(pause, waker.notified()).await.is_ok()
            && let Some((was, path)) = &socket
            && Stamp::of_file(path) != *was
        {
            tracing::warn!("the socket was removed; stopping");
            hub.stop();
            return;
        }
        since_all += began.elapsed();
        let all = since_all >= LOOK_ANYWAY;
        let due = hub.repositories().into_iter();
        let due = due.filter(|it| all || it.condition().coverage == Coverage::Partial).collect();
        wake_changed(&mut looking, due);
        if !all {
            continue;
        }
        since_all = Duration::ZERO;
        hub.give_back(UNUSED);
        if hub.is_in_use() {
            give_back_what_is_free(&hub, own_bytes).await;
        }
        waker.notify_one();
    }
}

/// Gives back what repositories in use have freed, and more if the rest, which `own_bytes` counts, is too much.
async fn give_back_what_is_free(hub: &Hub, own_bytes: fn() -> Option<u64>) {
    let left = blocking(move || {
        trim();
        own_bytes()
    });
    if let Ok(Some(left)) = left.await
        && left > MAX_OWN_BYTES
    {
        tracing::info!(bytes = left, "too much memory; releasing what can be read again");
        hub.keep_the_last_used();
    }
}

/// Wakes the tasks of those of these repositories that may have changed.
///
/// All of them are checked on one thread, so that idle repositories together cost one wake-up. A file system that
/// hangs holds that thread; the others are then looked at one by one.
fn wake_changed(looking: &mut Option<JoinHandle<()>>, due: Vec<Arc<WatchedRepository>>) {
    if looking.as_ref().is_some_and(|looking| !looking.is_finished()) {
        for repository in due {
            repository.waker.notify_one();
        }
        return;
    }
    *looking = Some(tokio::task::spawn_blocking(move || {
        for repository in due {
            if !repository.folder_times().holds() {
                repository.waker.notify_one();
            }
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{World, run};

    #[test]
    fn too_much_memory_leaves_what_was_read_of_the_last_repository() {
        run(async {
            let world = World::new(|_, _| {});
            let [first, last] =
                ["first", "last"].map(|name| world.hub.watched_repository(&world.git_dir().join(name)));
            first.touch();
            last.touch();
            let are_in_use = || [&first, &last].map(|it| it.condition().used.is_some());
            give_back_what_is_free(&world.hub, || Some(MAX_OWN_BYTES)).await;
            assert_eq!((are_in_use(), world.fake.asked()), ([true, true], vec![]));
            give_back_what_is_free(&world.hub, || Some(MAX_OWN_BYTES + 1)).await;
            assert_eq!(are_in_use(), [false, true]);
            world.fake.until(|asked| asked == ["forget"]).await;
        });
    }
}
