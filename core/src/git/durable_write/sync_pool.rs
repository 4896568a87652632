//! A small pool of threads that sync files, several at a time.
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

/// A thread that is idle for so long ends.
const IDLE_LIMIT: Duration = Duration::from_secs(2);

/// If the queue is this long, tasks that are done already are removed from it.
const LONG_QUEUE: usize = 64;

type SyncJob = Box<dyn FnOnce() + Send>;

/// One task, run by the first thread that takes it.
struct SyncTask(Mutex<Option<SyncJob>>);

impl SyncTask {
    fn take(&self) -> Option<SyncJob> {
        hold(&self.0).take()
    }

    fn is_taken(&self) -> bool {
        hold(&self.0).is_none()
    }
}

#[derive(Default)]
struct SyncPoolState {
    queue: VecDeque<Arc<SyncTask>>,
    threads: usize,
    idle: usize,
}

struct SyncPool {
    state: Mutex<SyncPoolState>,
    /// Notified if there is one more task.
    wake: Condvar,
}

static POOL: SyncPool = SyncPool {
    state: Mutex::new(SyncPoolState { queue: VecDeque::new(), threads: 0, idle: 0 }),
    wake: Condvar::new(),
};

/// Syncs that are running; [`PendingSync::finish`] returns which of them failed.
#[must_use = "what fails is returned by `finish` only"]
pub(super) struct PendingSync {
    tasks: Vec<Arc<SyncTask>>,
    results: Receiver<(usize, io::Result<()>)>,
}

impl PendingSync {
    /// Starts these tasks on other threads.
    pub(super) fn begin<W>(works: impl IntoIterator<Item = W>) -> Self
    where
        W: FnOnce() -> io::Result<()> + Send + 'static,
    {
        let (sender, results) = mpsc::channel();
        let mut tasks = Vec::new();
        for (at, work) in works.into_iter().enumerate() {
            let sender = sender.clone();
            // The receiver lives until the last task is done.
            let work: SyncJob = Box::new(move || drop(sender.send((at, work()))));
            let task = Arc::new(SyncTask(Mutex::new(Some(work))));
            POOL.add(Arc::clone(&task));
            tasks.push(task);
        }
        Self { tasks, results }
    }

    /// Waits for all of them, and runs those that no thread took yet; on failure, returns which task failed.
    pub(super) fn finish(self) -> Result<(), (usize, io::Error)> {
        match self.wait() {
            (done, Ok(())) if done < self.tasks.len() => Err((done, io::Error::other("a thread panicked"))),
            (_, all) => all,
        }
    }

    /// Returns how many tasks reported their end, and the first failure of those.
    fn wait(&self) -> (usize, Result<(), (usize, io::Error)>) {
        // With its own work alone: that of another repository may be on a disk that never answers.
        for work in self.tasks.iter().filter_map(|task| task.take()) {
            work();
        }
        let (mut count, mut all) = (0, Ok(()));
        for (at, done) in &self.results {
            count += 1;
            all = all.and(done.map_err(|err| (at, err)));
        }
        (count, all)
    }
}

impl Drop for PendingSync {
    /// Waits until no task is running any more.
    fn drop(&mut self) {
        // Nobody wants to know; after `finish` there is nothing left to wait for.
        let _ = self.wait();
    }
}

impl fmt::Debug for PendingSync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingSync").field("tasks", &self.tasks.len()).finish_non_exhaustive()
    }
}

impl SyncPool {
    fn add(&'static self, task: Arc<SyncTask>) {
        let mut state = hold(&self.state);
        if state.queue.len() >= LONG_QUEUE {
            state.queue.retain(|task| !task.is_taken());
        }
        state.queue.push_back(task);
        if state.idle >= state.queue.len() {
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
            if let Some(task) = state.queue.pop_front() {
                drop(state);
                if let Some(work) = task.take() {
                    // Whoever waits for it notices that no result came.
                    let _ = panic::catch_unwind(AssertUnwindSafe(work));
                }
                state = hold(&self.state);
                continue;
            }
            state.idle += 1;
            let (woken, waited) =
                self.wake.wait_timeout(state, IDLE_LIMIT).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if waited.timed_out() && state.queue.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}

/// Tasks run without a lock, so that one that panics leaves nothing half done.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

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
        let (at, err) = PendingSync::begin((0..20).map(work)).finish().unwrap_err();
        assert_eq!((at, err.to_string(), done.load(Ordering::Relaxed)), (7, "full".to_owned(), 20));
        assert!(PendingSync::begin((0..7).map(work)).finish().is_ok());
        assert!(PendingSync::begin((0..0).map(work)).finish().is_ok());
    }

    #[test]
    fn a_piece_that_panics_is_a_failure_and_costs_no_thread() {
        for _ in 0..=MAX_THREADS {
            let (begun, begins) = mpsc::channel();
            let works = (0..2).map(|at| {
                let begun = begun.clone();
                move || {
                    begun.send(()).map_err(io::Error::other)?;
                    if at == 1 { panic!("on purpose") } else { Ok(()) }
                }
            });
            let waiting = PendingSync::begin(works);
            // Not helped with, so that it panics there.
            (0..2).for_each(|_| begins.recv_timeout(Duration::from_secs(30)).expect("a thread begins it"));
            assert_eq!(waiting.finish().unwrap_err().1.to_string(), "a thread panicked");
        }
        assert!(PendingSync::begin((0..20).map(|_| || Ok(()))).finish().is_ok());
    }

    #[test]
    fn who_gives_up_waits_all_the_same() {
        let (sender, results) = mpsc::channel();
        let (_nobody, never) = mpsc::channel::<()>();
        let slow = move || {
            let _ = never.recv_timeout(Duration::from_millis(20));
            sender.send(()).map_err(io::Error::other)
        };
        drop(PendingSync::begin([slow]));
        assert!(results.try_recv().is_ok());
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
        let hanging = PendingSync::begin(hanging);
        assert!(PendingSync::begin((0..20).map(|_| || Ok(()))).finish().is_ok());
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
                        assert_eq!(PendingSync::begin((0..16).map(work)).finish().unwrap_err().0, failing);
                    }
                });
            }
        });
        let state = hold(&POOL.state);
        assert!(state.threads <= MAX_THREADS && state.idle <= state.threads);
    }
}
