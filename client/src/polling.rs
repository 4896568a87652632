//! Events of a repository for who uses no daemon: the service in this process is asked now and then.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{Changes, Ended, Event, FaultCode, In, RepositoryName};

use crate::error::SessionError;
use crate::in_process::LocalService;
use crate::retry::Retry;

/// Between two looks, at first and after something happened.
const LOOK_FIRST: Duration = Duration::from_millis(20);

/// Between two looks, at most: a look at a repository in which nothing happened reads a few refs.
const LOOK_MOST: Duration = Duration::from_millis(500);

/// The number of a subscription that nobody else has.
const ONLY: u64 = 1;

/// Asks the service in this process what happened.
#[derive(Debug)]
pub(crate) struct Polling {
    service: LocalService,
    repository: RepositoryName,
    question: Changes,
    waiting: VecDeque<Event>,
    has_ended: bool,
}

impl Polling {
    /// Begins after what is known already, or now.
    pub(crate) fn begin(repository: RepositoryName, question: Changes) -> Result<Self, SessionError> {
        let (service, waiting) = (LocalService::new(), VecDeque::new());
        let mut polling = Self { service, repository, question, waiting, has_ended: false };
        polling.look()?;
        Ok(polling)
    }

    /// Waits for the next event, until `deadline` if there is one.
    pub(crate) fn next_before(&mut self, deadline: Option<Instant>) -> Result<Option<Event>, SessionError> {
        let mut looks = Retry::new(LOOK_FIRST, LOOK_MOST, Instant::now());
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            if self.has_ended {
                return Err(SessionError::SubscriptionEnded);
            }
            let now = Instant::now();
            let left = deadline.map(|deadline| deadline.saturating_duration_since(now));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            let wait = looks.remaining(now);
            thread::sleep(left.map_or(wait, |left| left.min(wait)));
            self.look()?;
            looks.failed(Instant::now());
        }
    }

    /// Looks once, and keeps what happened.
    fn look(&mut self) -> Result<(), SessionError> {
        let repository = self.repository.clone();
        let params = self.question.clone();
        let request = In { repository, author: None, at: None, utc_offset: 0, buffers: Vec::new(), params };
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
