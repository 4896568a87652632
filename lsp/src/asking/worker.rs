//! One thread for each repository that asks the service, and one that receives events.
//!
//! Both only send: what is decided is decided by the server's own loop, one message after the other.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use postil_client::{ClientProgram, RepositoryArgs, Session, SessionError, SubscribeTo};
use postil_protocol::{Buffer, Detail, Event, List, ThreadView, WarningView};

/// After an error, so long no events are asked for.
const BEFORE_LISTENING_AGAIN: Duration = Duration::from_secs(5);

/// When nothing was asked for so long, memory is given back: while somebody types, the next answer needs it again.
const BEFORE_GIVING_BACK: Duration = Duration::from_secs(2);

/// Something to be done with a session.
pub(crate) type Work = Box<dyn FnOnce(&mut Session) -> Finished + Send>;

/// What came of it, for the server's loop.
pub(crate) type Finished = Box<dyn FnOnce(&mut crate::server::Server) + Send>;

/// What a worker is asked for, with the unsaved texts that count for it.
pub(crate) struct Job {
    /// The unsaved texts.
    pub(crate) buffers: Vec<Buffer>,
    /// What to do.
    pub(crate) task: WorkerTask,
}

/// What to do.
pub(crate) enum WorkerTask {
    /// Find out where all threads are, with so much of each.
    Verify(Detail),
    /// Anything else that only reads.
    Read(Work),
    /// Anything that writes, in the name of whom git's settings name now.
    Write(Work),
}

/// The threads of a repository.
#[derive(Default)]
pub(crate) struct ListedThreads {
    /// All that the working tree sees.
    pub(crate) threads: Vec<Arc<ThreadView>>,
    /// What could not be read, besides.
    pub(crate) warnings: Vec<WarningView>,
}

/// What workers send to the server's loop.
pub(crate) enum FromWorker {
    /// Where all threads are.
    Verified {
        /// The repository.
        repository: usize,
        /// The threads, or why they could not be listed.
        listed: Result<ListedThreads, SessionError>,
    },
    /// Something was done.
    Finished(Finished),
    /// From now on, events come.
    Listening {
        /// The repository.
        repository: usize,
    },
    /// Something happened in the repository.
    Happened {
        /// The repository.
        repository: usize,
        /// What.
        event: Box<Event>,
    },
}

/// The threads of one repository.
pub(crate) struct Worker {
    jobs: Sender<Job>,
}

impl Worker {
    /// Starts them; `to` is the server's loop.
    pub(crate) fn start(
        repository: usize,
        root: &Path,
        program: ClientProgram,
        to: Sender<FromWorker>,
        give_back: fn(),
    ) -> Result<Self, SessionError> {
        let args = RepositoryArgs::around(root);
        let mut session = Session::open(&args, program.clone(), Box::new(()))?;
        let (jobs, received) = unbounded();
        let events_to = to.clone();
        thread::spawn(move || listen(&args, &program, repository, &events_to));
        thread::spawn(move || work(&mut session, repository, &received, &to, give_back));
        Ok(Self { jobs })
    }

    /// Asks for something; it is done after what was asked before.
    pub(crate) fn ask(&self, job: Job) {
        // A worker ends with the server only.
        let _ = self.jobs.send(job);
    }
}

fn work(
    session: &mut Session,
    repository: usize,
    jobs: &Receiver<Job>,
    to: &Sender<FromWorker>,
    give_back: fn(),
) {
    while let Some(Job { buffers, task }) = next(jobs, BEFORE_GIVING_BACK, give_back) {
        session.set_buffers(buffers);
        let answer = match task {
            WorkerTask::Verify(detail) => FromWorker::Verified { repository, listed: list(session, detail) },
            WorkerTask::Read(work) => FromWorker::Finished(work(session)),
            WorkerTask::Write(work) => {
                // An editor runs for days, and somebody whom git did not know sets their name meanwhile. If the repository
                // is gone, the work itself says so.
                let _ = session.reload();
                FromWorker::Finished(work(session))
            }
        };
        if to.send(answer).is_err() {
            return;
        }
    }
}

/// The next job; `None` once there are none any more. Memory is given back once while it is waited for.
fn next(jobs: &Receiver<Job>, pause: Duration, give_back: fn()) -> Option<Job> {
    match jobs.recv_timeout(pause) {
        Err(RecvTimeoutError::Timeout) => {
            give_back();
            jobs.recv().ok()
        }
        received => received.ok(),
    }
}

/// All threads that the working tree sees, a page at a time.
fn list(session: &mut Session, detail: Detail) -> Result<ListedThreads, SessionError> {
    let mut asked = List { detail, ..List::default() };
    let mut listed = ListedThreads::default();
    loop {
        let page = session.ask(asked.clone())?;
        listed.threads.extend(page.threads.into_iter().map(Arc::new));
        listed.warnings = page.warnings;
        let Some(next) = page.next else { return Ok(listed) };
        asked.cursor = Some(next);
    }
}

/// Receives events for as long as the server runs.
fn listen(args: &RepositoryArgs, program: &ClientProgram, repository: usize, to: &Sender<FromWorker>) {
    loop {
        let subscribed = Session::open(args, program.clone(), Box::new(()))
            .and_then(|session| session.subscribe(SubscribeTo { work_tree: true, ..SubscribeTo::default() }));
        if let Ok(mut subscription) = subscribed {
            // What happened before is in no event.
            if to.send(FromWorker::Listening { repository }).is_err() {
                return;
            }
            while let Ok(Some(event)) = subscription.next_before(None) {
                if to.send(FromWorker::Happened { repository, event: Box::new(event) }).is_err() {
                    return;
                }
            }
        }
        thread::sleep(BEFORE_LISTENING_AGAIN);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    thread_local! {
        /// Who asks, until memory is given back; then nobody does any more.
        static ASKING: RefCell<Option<Sender<Job>>> = const { RefCell::new(None) };
    }

    #[test]
    fn memory_is_given_back_while_nothing_is_asked_for() {
        let (jobs, received) = unbounded();
        jobs.send(Job { buffers: Vec::new(), task: WorkerTask::Verify(Detail::default()) })
            .expect("it is open");
        ASKING.set(Some(jobs));
        let give_back = || ASKING.set(None);
        assert!(next(&received, Duration::ZERO, give_back).is_some());
        assert!(ASKING.with_borrow(Option::is_some), "somebody asked");
        assert!(next(&received, Duration::ZERO, give_back).is_none());
        assert!(ASKING.with_borrow(Option::is_none), "nobody asked");
    }
}
