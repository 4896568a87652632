//! One subscription for all pages of a server, for as long as any page waits.
//!
//! Threads and heads are told by the service's events. Files without a comment are nobody's subscription: while a page
//! waits, the outline of what it shows is looked at now and then, and only a difference is told.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use postil_client::{AsyncSession, SubscribeTo};
use postil_protocol::{Diff, DiffReply, Event};
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep, timeout};

use super::news::News;

/// A page that leaves more news than this untaken is told to fetch everything.
const MAX_UNTAKEN: usize = 64;

/// At most one part in so many of the time is spent looking.
const LOOKS_SHARE: u32 = 15;

/// Between two looks at the files on disk.
const LOOK: Duration = Duration::from_millis(1500);

/// A page that waits for events is not kept waiting for longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Before another attempt to subscribe.
const AGAIN: Duration = Duration::from_secs(2);

/// What happens, for all pages.
#[derive(Clone, Debug)]
pub(crate) struct LiveHub {
    session: AsyncSession,
    /// The folder without which there is no repository.
    git_dir: Arc<Path>,
    /// None while no page waits.
    channel: Arc<Mutex<Option<Channel>>>,
    /// What the files on disk held when a page was last given them, or they were last looked at.
    known: Arc<Mutex<Option<blake3::Hash>>>,
}

/// Where news goes.
#[derive(Clone, Debug)]
struct Channel {
    sender: broadcast::Sender<News>,
    /// Whether events come: what happens from then on is told.
    is_ready: watch::Receiver<bool>,
}

impl LiveHub {
    pub(crate) fn new(session: AsyncSession, git_dir: &Path) -> Self {
        Self { session, git_dir: git_dir.into(), channel: Arc::default(), known: Arc::default() }
    }

    /// Takes note of the files that a page is given; if they are not those that were known, all pages are told.
    ///
    /// Without it, a file that was changed and changed back between two looks would stay changed on a page that asked in
    /// between.
    pub(crate) fn given(&self, outline: &DiffReply) {
        if self.differs(contents(outline)) {
            let channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
            // Whether anybody listens is looked at elsewhere.
            let _ = channel.as_ref().map(|channel| channel.sender.send(News::files()));
        }
    }

    /// Keeps what the files hold now; returns whether something else was known before.
    fn differs(&self, now: blake3::Hash) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.replace(now).is_some_and(|before| before != now)
    }

    /// What happens from now on: when this returns, nothing that happens later is missed.
    ///
    /// If there is nobody to tell it, that is so after a moment, and news begins with a request to fetch everything.
    pub(crate) async fn listen(&self) -> broadcast::Receiver<News> {
        let (receiver, mut is_ready) = self.join();
        let _ = timeout(PATIENCE, is_ready.wait_for(|is_ready| *is_ready)).await;
        receiver
    }

    fn join(&self) -> (broadcast::Receiver<News>, watch::Receiver<bool>) {
        let mut channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = &*channel {
            return (channel.sender.subscribe(), channel.is_ready.clone());
        }
        let (sender, receiver) = broadcast::channel(MAX_UNTAKEN);
        let (ready, is_ready) = watch::channel(false);
        *channel = Some(Channel { sender: sender.clone(), is_ready: is_ready.clone() });
        tokio::spawn(self.clone().attend(sender, ready));
        (receiver, is_ready)
    }

    /// Tells what happens until no page waits.
    async fn attend(self, sender: broadcast::Sender<News>, ready: watch::Sender<bool>) {
        // Before anybody is told that news comes: what is saved after it is seen to differ.
        if let Some(found) = self.contents().await {
            self.differs(found);
        }
        tokio::select! {
            () = self.hear(&sender, &ready) => {}
            () = self.look(&sender) => {}
        }
    }

    /// Tells the events of the service.
    async fn hear(&self, sender: &broadcast::Sender<News>, ready: &watch::Sender<bool>) {
        let mut is_first = true;
        loop {
            let to = SubscribeTo { work_tree: true, ..SubscribeTo::default() };
            if let Ok(mut subscription) = self.session.subscribe(to).await {
                if !std::mem::take(&mut is_first) {
                    // What happened in between is not known.
                    let _ = sender.send(News::reset());
                }
                let _ = ready.send(true);
                while let Ok(event) = subscription.next().await {
                    let is_last = matches!(event, Event::Ended(_));
                    // Whether anybody listens is looked at in the other half.
                    let _ = sender.send(News::of(&event));
                    if is_last {
                        break;
                    }
                }
            }
            is_first = false;
            sleep(AGAIN).await;
        }
    }

    /// Tells that files on disk changed; ends when no page waits.
    async fn look(&self, sender: &broadcast::Sender<News>) {
        let mut pause = LOOK;
        let mut is_gone = false;
        loop {
            sleep(pause).await;
            {
                let mut channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
                if sender.receiver_count() == 0 {
                    *channel = None;
                    return;
                }
            }
            if !self.git_dir.is_dir() {
                // Whoever opens a page now is told as well.
                let _ = sender.send(News::ended());
                is_gone = true;
                continue;
            }
            if std::mem::take(&mut is_gone) {
                let _ = sender.send(News::reset());
            }
            let began = Instant::now();
            let found = self.contents().await;
            // In a large repository a look takes long, and there are fewer.
            pause = LOOK.max(began.elapsed() * LOOKS_SHARE);
            if found.is_some_and(|found| self.differs(found)) {
                let _ = sender.send(News::files());
            }
        }
    }

    /// What the files on disk hold, as a number; none if that cannot be told now.
    async fn contents(&self) -> Option<blake3::Hash> {
        let outline = Diff { outline: true, untracked: true, ..Diff::default() };
        self.session.ask(outline).await.ok().map(|diff| contents(&diff))
    }
}

/// What the files hold, as a number.
fn contents(diff: &DiffReply) -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    for file in &diff.files {
        for path in [&file.before, &file.after] {
            hash.update(path.as_ref().map_or(&[][..], |path| path.as_bytes())).update(&[0]);
        }
        for side in [&file.old, &file.new].into_iter().flatten() {
            hash.update(side.blob.as_str().as_bytes()).update(side.mode.as_bytes());
        }
    }
    hash.finalize()
}
