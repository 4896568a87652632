//! The one clock of an idle daemon: looks for what no event told, and gives back memory.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::hub::Hub;
use crate::stamp::Stamp;
use crate::watch::{Coverage, News};

/// How often a repository is looked at that events do not cover: a network file system, or too many folders.
const LOOK_UNWATCHED: Duration = Duration::from_secs(20);

/// How often all are looked at, and the daemon looks after itself: file systems lose events.
const LOOK_ANYWAY: Duration = Duration::from_mins(1);

/// A repository that nobody asks for so long gives its memory back.
const UNUSED: Duration = Duration::from_mins(10);

/// Ticks until the daemon stops.
pub(crate) async fn tick(hub: Arc<Hub>) {
    let socket = hub.place.socket().ok();
    let socket = socket.map(|path| (Stamp::of_file(&path), path));
    let mut since_all = Duration::ZERO;
    let news = News::default();
    hub.watches.set(&news, &[hub.place.runtime().to_owned()]);
    loop {
        let partial = hub.repositories().iter().any(|it| it.condition().coverage == Coverage::Partial);
        let pause = if partial { LOOK_UNWATCHED } else { LOOK_ANYWAY.saturating_sub(since_all) };
        let began = Instant::now();
        // Without its socket nobody finds the daemon, and the next client starts another one.
        if timeout(pause, news.notified()).await.is_ok()
            && let Some((was, path)) = &socket
            && Stamp::of_file(path) != *was
        {
            tracing::warn!("the socket is gone, and so is this daemon");
            hub.stop();
            return;
        }
        since_all += began.elapsed();
        let all = since_all >= LOOK_ANYWAY;
        for repository in hub.repositories() {
            if all || repository.condition().coverage == Coverage::Partial {
                repository.news.notify_one();
            }
        }
        if !all {
            continue;
        }
        since_all = Duration::ZERO;
        hub.give_back(UNUSED);
        news.notify_one();
    }
}
