//! Events of a repository for who uses no daemon: the service in this process is asked now and then.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{Changes, Ended, Event, FaultCode, RepositoryName, RepositoryRequest, ViaView};

use crate::error::SessionError;
use crate::in_process::LocalService;
use crate::retry::Retry;

/// Between two looks, at first and after something happened.
const LOOK_FIRST: Duration = Duration::from_millis(20);

/// Between two looks, at most: a look at a repository in which nothing happened reads a few refs.
const LOOK_MOST: Duration = Duration::from_millis(500);

/// The number of the only subscription in this process.
const ONLY: u64 = 1;

/// When to poll, for a wait that begins now.
pub(crate) fn looks_from(now: Instant) -> Retry {
    Retry::new(LOOK_FIRST, LOOK_MOST, now)
}

/// Asks the service in this process what happened.
#[derive(Debug)]
pub(crate) struct Polling {
    service: LocalService,
    repository: RepositoryName,
    via: Option<ViaView>,
    question: Changes,
    waiting: VecDeque<Event>,
    has_ended: bool,
}

impl Polling {
    /// Begins after what is known already, or now.
    pub(crate) fn begin(
        repository: RepositoryName,
        via: Option<ViaView>,
        question: Changes,
    ) -> Result<Self, SessionError> {
        let (service, waiting) = (LocalService::new(), VecDeque::new());
        let mut polling = Self { service, repository, via, question, waiting, has_ended: false };
        polling.poll()?;
        Ok(polling)
    }

    /// Waits for the next event, until `deadline` if there is one.
    pub(crate) fn next_before(&mut self, deadline: Option<Instant>) -> Result<Option<Event>, SessionError> {
        let mut looks = looks_from(Instant::now());
        loop {
            if let Some(event) = self.take()? {
                return Ok(Some(event));
            }
            let now = Instant::now();
            let left = deadline.map(|deadline| deadline.saturating_duration_since(now));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            let wait = looks.remaining(now);
            thread::sleep(left.map_or(wait, |left| left.min(wait)));
            self.poll()?;
            looks.failed(Instant::now());
        }
    }

    /// The next of the events that were found; fails if none can come any more.
    pub(crate) fn take(&mut self) -> Result<Option<Event>, SessionError> {
        match self.waiting.pop_front() {
            None if self.has_ended => Err(SessionError::SubscriptionEnded),
            event => Ok(event),
        }
    }

    /// Looks once, and keeps what happened.
    pub(crate) fn poll(&mut self) -> Result<(), SessionError> {
        // A look that was given up may have found the end already.
        if self.has_ended {
            return Ok(());
        }
        let repository = self.repository.clone();
        let params = self.question.clone();
        let request = RepositoryRequest {
            repository,
            author: None,
            at: None,
            via: self.via.clone(),
            utc_offset: 0,
            buffers: Vec::new(),
            params,
        };
        match self.service.answer(request) {
            Ok(reply) => {
                let known = self.question.since.take().unwrap_or_default();
                self.waiting.extend(reply.events(ONLY, &self.repository.git_dir, &known, false));
                self.question.since = Some(reply.mark);
                Ok(())
            }
            Err(SessionError::Fault(fault)) if fault.code == FaultCode::NoRepository => {
                let git_dir = self.repository.git_dir.clone();
                self.waiting.push_back(Event::Ended(Ended { subscription: ONLY, git_dir }));
                self.has_ended = true;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
