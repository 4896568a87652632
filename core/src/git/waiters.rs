//! Threads that wait for the disk, several at a time.
//!
//! The file system then commits once for all, and the process is woken once, not once for each. A write waits three
//! times within milliseconds, and starting a thread takes as long as a short wait; so they stay for a while.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// More waiting at the same time would gain nothing: the file system has one journal.
const MAX_THREADS: usize = 7;

/// A thread that nobody needs for so long ends.
const STAY: Duration = Duration::from_secs(2);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

struct Waiters {
    state: Mutex<State>,
    /// There is a job.
    wake: Condvar,
}

static WAITERS: Waiters =
    Waiters { state: Mutex::new(State { jobs: VecDeque::new(), threads: 0, idle: 0 }), wake: Condvar::new() };

/// Work that is being done, and tells which piece of it failed.
#[must_use = "what fails is told by `finish` alone"]
#[derive(Debug)]
pub(super) struct Waiting {
    told: Receiver<(usize, io::Result<()>)>,
}

impl Waiting {
    /// Begins to do these pieces of work beside the caller.
    pub(super) fn begin<W>(works: impl IntoIterator<Item = W>) -> Self
    where
        W: FnOnce() -> io::Result<()> + Send + 'static,
    {
        let (tell, told) = mpsc::channel();
        for (at, work) in works.into_iter().enumerate() {
            let tell = tell.clone();
            // Somebody listens until the last piece is done.
            WAITERS.add(Box::new(move || drop(tell.send((at, work())))));
        }
        Self { told }
    }

    /// Waits for all of it, and helps; on failure, says which piece failed.
    pub(super) fn finish(self) -> Result<(), (usize, io::Error)> {
        self.wait()
    }

    fn wait(&self) -> Result<(), (usize, io::Error)> {
        while let Some(job) = WAITERS.take() {
            job();
        }
        let mut all = Ok(());
        for (at, done) in &self.told {
            all = all.and(done.map_err(|err| (at, err)));
        }
        all
    }
}

impl Drop for Waiting {
    /// Whoever gives up does so when nothing of it is under way any more.
    fn drop(&mut self) {
        // Nobody wants to know; after `finish` there is nothing left to wait for.
        let _ = self.wait();
    }
}

impl Waiters {
    fn add(&'static self, job: Job) {
        let mut state = self.state();
        state.jobs.push_back(job);
        if state.idle >= state.jobs.len() {
            self.wake.notify_one();
        } else if state.threads < MAX_THREADS {
            state.threads += 1;
            drop(state);
            // Without another thread, whoever waits for the work does it.
            if thread::Builder::new().name("disk".to_owned()).spawn(|| self.serve()).is_err() {
                self.state().threads -= 1;
            }
        }
    }

    fn take(&self) -> Option<Job> {
        self.state().jobs.pop_front()
    }

    fn serve(&self) {
        let mut state = self.state();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.state();
                continue;
            }
            state.idle += 1;
            let (woken, waited) = self.wake.wait_timeout(state, STAY).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if waited.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    /// Jobs run without the lock, so that one that panics leaves nothing half done.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
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
        let state = WAITERS.state();
        assert!(state.threads <= MAX_THREADS && state.idle <= state.threads);
    }
}
