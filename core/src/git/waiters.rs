//! Threads that wait for the disk, several at a time.
//!
//! The file system then commits once for all, and the process is woken once, not once for each. A write waits three
//! times within milliseconds, and starting a thread takes as long as a short wait; so they stay for a while.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use std::{fmt, io};

/// More waiting at the same time would gain nothing: the file system has one journal.
const MAX_THREADS: usize = 7;

/// A thread that nobody needs for so long ends.
const STAY: Duration = Duration::from_secs(2);

/// With so many pieces in line, those that are done already are taken out.
const LONG_LINE: usize = 64;

type Work = Box<dyn FnOnce() + Send>;

/// A piece of work, for whoever takes it first.
struct Piece(Mutex<Option<Work>>);

impl Piece {
    fn take(&self) -> Option<Work> {
        hold(&self.0).take()
    }

    fn is_taken(&self) -> bool {
        hold(&self.0).is_none()
    }
}

#[derive(Default)]
struct State {
    line: VecDeque<Arc<Piece>>,
    threads: usize,
    idle: usize,
}

struct Waiters {
    state: Mutex<State>,
    /// There is a piece more.
    wake: Condvar,
}

static WAITERS: Waiters =
    Waiters { state: Mutex::new(State { line: VecDeque::new(), threads: 0, idle: 0 }), wake: Condvar::new() };

/// Work that is being done, and tells which piece of it failed.
#[must_use = "what fails is told by `finish` alone"]
pub(super) struct Waiting {
    pieces: Vec<Arc<Piece>>,
    told: Receiver<(usize, io::Result<()>)>,
}

impl Waiting {
    /// Begins to do these pieces of work beside the caller.
    pub(super) fn begin<W>(works: impl IntoIterator<Item = W>) -> Self
    where
        W: FnOnce() -> io::Result<()> + Send + 'static,
    {
        let (tell, told) = mpsc::channel();
        let mut pieces = Vec::new();
        for (at, work) in works.into_iter().enumerate() {
            let tell = tell.clone();
            // Somebody listens until the last piece is done.
            let work: Work = Box::new(move || drop(tell.send((at, work()))));
            let piece = Arc::new(Piece(Mutex::new(Some(work))));
            WAITERS.add(Arc::clone(&piece));
            pieces.push(piece);
        }
        Self { pieces, told }
    }

    /// Waits for all of it, and helps; on failure, says which piece failed.
    pub(super) fn finish(self) -> Result<(), (usize, io::Error)> {
        match self.wait() {
            (done, Ok(())) if done < self.pieces.len() => Err((done, io::Error::other("a thread panicked"))),
            (_, all) => all,
        }
    }

    /// How many pieces told how they ended, and whether all of those ended well.
    fn wait(&self) -> (usize, Result<(), (usize, io::Error)>) {
        // With its own work alone: that of another repository may be on a disk that never answers.
        for work in self.pieces.iter().filter_map(|piece| piece.take()) {
            work();
        }
        let (mut count, mut all) = (0, Ok(()));
        for (at, done) in &self.told {
            count += 1;
            all = all.and(done.map_err(|err| (at, err)));
        }
        (count, all)
    }
}

impl Drop for Waiting {
    /// Whoever gives up does so when nothing of it is under way any more.
    fn drop(&mut self) {
        // Nobody wants to know; after `finish` there is nothing left to wait for.
        let _ = self.wait();
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").field("pieces", &self.pieces.len()).finish_non_exhaustive()
    }
}

impl Waiters {
    fn add(&'static self, piece: Arc<Piece>) {
        let mut state = hold(&self.state);
        if state.line.len() >= LONG_LINE {
            state.line.retain(|piece| !piece.is_taken());
        }
        state.line.push_back(piece);
        if state.idle >= state.line.len() {
            self.wake.notify_one();
        } else if state.threads < MAX_THREADS {
            state.threads += 1;
            drop(state);
            // Without another thread, whoever waits for the work does it.
            if thread::Builder::new().name("disk".to_owned()).spawn(|| self.serve()).is_err() {
                hold(&self.state).threads -= 1;
            }
        }
    }

    fn serve(&self) {
        let mut state = hold(&self.state);
        loop {
            if let Some(piece) = state.line.pop_front() {
                drop(state);
                if let Some(work) = piece.take() {
                    // Whoever waits for it is told by not being told.
                    let _ = panic::catch_unwind(AssertUnwindSafe(work));
                }
                state = hold(&self.state);
                continue;
            }
            state.idle += 1;
            let (woken, waited) = self.wake.wait_timeout(state, STAY).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if waited.timed_out() && state.line.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}

/// Work is done without a lock, so that one that panics leaves nothing half done.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn all_of_it_is_done_and_a_failure_is_named() {
        let done = Arc::new(AtomicUsize::new(0));
        let work = |at: usize| {
            let done = Arc::clone(&done);
            move || {
                done.fetch_add(1, Ordering::Relaxed);
                if at == 7 { Err(io::Error::other("full")) } else { Ok(()) }
            }
        };
        let (at, err) = Waiting::begin((0..20).map(work)).finish().unwrap_err();
        assert_eq!((at, err.to_string(), done.load(Ordering::Relaxed)), (7, "full".to_owned(), 20));
        assert!(Waiting::begin((0..7).map(work)).finish().is_ok());
        assert!(Waiting::begin((0..0).map(work)).finish().is_ok());
    }

    #[test]
    fn a_piece_that_panics_is_a_failure_and_costs_no_thread() {
        for _ in 0..=MAX_THREADS {
            let works = (0..2).map(|at| move || if at == 1 { panic!("on purpose") } else { Ok(()) });
            let waiting = Waiting::begin(works);
            // Not helped with, so that it panics there.
            while waiting.pieces.iter().any(|piece| !piece.is_taken()) {
                thread::yield_now();
            }
            assert_eq!(waiting.finish().unwrap_err().1.to_string(), "a thread panicked");
        }
        assert!(Waiting::begin((0..20).map(|_| || Ok(()))).finish().is_ok());
    }

    #[test]
    fn who_gives_up_waits_all_the_same() {
        let (tell, told) = mpsc::channel();
        let slow = move || {
            (0..1_000).for_each(|_| thread::yield_now());
            tell.send(()).map_err(io::Error::other)
        };
        drop(Waiting::begin([slow]));
        assert!(told.try_recv().is_ok());
    }

    #[test]
    fn a_disk_that_never_answers_holds_up_nobody_else() {
        let (let_go, held) = mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        // More than there are threads; all of them hang.
        let hanging = (0..2 * MAX_THREADS).map(|_| {
            let held = Arc::clone(&held);
            move || hold(&held).recv().map_err(io::Error::other)
        });
        let hanging = Waiting::begin(hanging);
        assert!(Waiting::begin((0..20).map(|_| || Ok(()))).finish().is_ok());
        drop(let_go);
        assert!(hanging.finish().is_err());
    }

    #[test]
    fn many_who_wait_at_once_get_their_own_answers() {
        thread::scope(|scope| {
            for failing in 0..16 {
                scope.spawn(move || {
                    for _ in 0..50 {
                        let work = |at: usize| {
                            move || if at == failing { Err(io::Error::other("full")) } else { Ok(()) }
                        };
                        assert_eq!(Waiting::begin((0..16).map(work)).finish().unwrap_err().0, failing);
                    }
                });
            }
        });
        let state = hold(&WAITERS.state);
        assert!(state.threads <= MAX_THREADS && state.idle <= state.threads);
    }
}
