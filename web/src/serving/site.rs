//! What all requests of a server share.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use postil_client::AsyncSession;

use crate::door::{Door, DoorRefusal, Links};
use crate::live::LiveHub;
use crate::secret::Secret;
use crate::typed::TypedTexts;
use crate::viewed::ViewedMarks;

/// So many pages wait for news at once; one more is refused.
const MAX_STREAMS: usize = 8;

/// Whether anything can be written through the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writable {
    /// It can.
    Yes,
    /// It was started to be read alone.
    No,
}

/// What all requests of a server share.
#[derive(Debug)]
pub(crate) struct PageSite {
    /// Asks the service.
    pub(crate) session: AsyncSession,
    /// Lets requests in.
    pub(crate) door: Door,
    /// Whether anything can be written.
    pub(crate) writable: Writable,
    /// A page has so many lines when it is loaded. It fetches the others when they come near, and while nothing else happens.
    pub(crate) lines: u32,
    /// What the repository is called: its folder.
    pub(crate) repository: String,
    /// What happens, for all pages.
    pub(crate) live: LiveHub,
    /// What was typed and not sent yet.
    pub(crate) typed: TypedTexts,
    /// Which files were viewed.
    pub(crate) viewed: ViewedMarks,
    links: Mutex<Links>,
    last_asked: Mutex<Instant>,
    streams: AtomicUsize,
}

impl PageSite {
    pub(crate) fn new(
        session: AsyncSession,
        door: Door,
        writable: Writable,
        lines: u32,
        repository: String,
        kept: &Path,
        git_dir: &Path,
    ) -> Self {
        Self {
            live: LiveHub::new(session.clone(), git_dir),
            session,
            door,
            writable,
            lines,
            repository,
            typed: TypedTexts::in_folder(kept.to_owned()),
            viewed: ViewedMarks::in_folder(kept),
            links: Mutex::default(),
            last_asked: Mutex::new(Instant::now()),
            streams: AtomicUsize::new(0),
        }
    }

    /// Makes a one-time address that leads to a page.
    pub(crate) fn link(&self, leads_to: &str) -> std::io::Result<String> {
        let secret = Secret::new()?;
        let address = self.door.link(&secret);
        lock(&self.links).add(secret, leads_to.to_owned(), Instant::now());
        Ok(address)
    }

    /// Where a one-time address leads, if nobody opened it.
    pub(super) fn take_link(&self, word: &str) -> Option<String> {
        lock(&self.links).take(word.as_bytes(), Instant::now())
    }

    /// Notes that somebody looks.
    pub(super) fn note_look(&self) {
        *lock(&self.last_asked) = Instant::now();
    }

    /// How long nobody has looked; a page that waits for news is looked at.
    pub(crate) fn idle_for(&self) -> Duration {
        if self.streams.load(Ordering::Relaxed) > 0 {
            Duration::ZERO
        } else {
            lock(&self.last_asked).elapsed()
        }
    }

    /// Room for one more stream; it is given back when it is dropped.
    pub(super) fn stream_room(self: &std::sync::Arc<Self>) -> Result<StreamRoom, DoorRefusal> {
        let taken = self.streams.fetch_add(1, Ordering::Relaxed);
        let room = StreamRoom(std::sync::Arc::clone(self));
        if taken < MAX_STREAMS { Ok(room) } else { Err(DoorRefusal::TooManyStreams) }
    }
}

/// One of the streams that may be open.
#[derive(Debug)]
pub(super) struct StreamRoom(std::sync::Arc<PageSite>);

impl Drop for StreamRoom {
    fn drop(&mut self) {
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
        self.0.note_look();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
