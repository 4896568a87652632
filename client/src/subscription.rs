//! Events of a repository, one after the other, for as long as a client wants to receive them.
//!
//! A subscription has a connection of its own and blocks. It survives a daemon that is restarted or replaced: it
//! connects and subscribes again, for what happened since the last event that was delivered. Without a daemon, the
//! service in this process is asked now and then.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{
    Changes, Client, ClientError, Event, HeadName, Mark, RepositoryName, RepositoryRequest, Subscribe, Topic,
    ViaView,
};
use postil_socket::ConnectError;

use crate::daemon::{ClientProgram, IfNotRunning};
use crate::error::SessionError;
use crate::polling::Polling;
use crate::retry::Retry;

/// A program that restarts or replaces a daemon does so within this time; after it, the subscription does.
pub(crate) const START_AFTER: Duration = Duration::from_secs(1);

/// A daemon that cannot be reached for so long is an error; the next call tries again for as long.
pub(crate) const GIVE_UP_AFTER: Duration = Duration::from_mins(1);

/// Between two attempts to connect, at first.
pub(crate) const RETRY_FIRST: Duration = Duration::from_millis(10);

/// Between two attempts to connect, at most.
pub(crate) const RETRY_MOST: Duration = Duration::from_secs(1);

/// What a client wants to receive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscribeTo {
    /// Of the whole repository, or of a part.
    pub topic: Topic,
    /// Whether files on disk count too; they are watched then.
    pub work_tree: bool,
    /// What is known already: whatever happened since comes first. Without one, what happens from now on.
    pub since: Option<Mark>,
}

impl SubscribeTo {
    /// The same, as a question to the service.
    pub(crate) fn question(self) -> Changes {
        let head = if self.work_tree { HeadName::WorkTree } else { HeadName::Head };
        Changes { since: self.since, head, topic: self.topic }
    }
}

/// A subscription to the events of a repository.
#[derive(Debug)]
pub struct Subscription(EventSource);

/// Where events come from.
#[derive(Debug)]
enum EventSource {
    Daemon(Box<DaemonEvents>),
    InProcess(Box<Polling>),
}

/// Events that a daemon sends.
#[derive(Debug)]
struct DaemonEvents {
    program: ClientProgram,
    subscribe: Subscribe,
    link: EventLink,
    /// What happened before it subscribed, and was not delivered yet.
    waiting: VecDeque<Event>,
}

/// Whether events can come.
#[derive(Debug)]
enum EventLink {
    /// They can.
    Connected(Box<Client>),
    /// The daemon stopped at this time.
    Lost(Instant),
    /// The repository is gone.
    Ended,
}

impl Subscription {
    /// Subscribes, and starts a daemon if none runs.
    pub(crate) fn begin(
        program: ClientProgram,
        repository: RepositoryName,
        via: Option<ViaView>,
        to: SubscribeTo,
    ) -> Result<Self, SessionError> {
        let SubscribeTo { topic, work_tree, since } = to;
        let subscribe = Subscribe { repository, topic, work_tree, since, via };
        let mut from = DaemonEvents { program, subscribe, link: EventLink::Ended, waiting: VecDeque::new() };
        match from.connect(IfNotRunning::Start) {
            Ok(()) => {}
            // The daemon stopped while it was asked: as later, the next one is waited for.
            Err(SessionError::Connect(ConnectError::Refused(_))) => {
                from.reconnect(Instant::now(), None)?;
            }
            Err(error) => return Err(error),
        }
        Ok(Self(EventSource::Daemon(Box::new(from))))
    }

    /// Asks the service in this process, for a program that uses no daemon.
    pub(crate) fn polling(
        repository: RepositoryName,
        via: Option<ViaView>,
        to: SubscribeTo,
    ) -> Result<Self, SessionError> {
        Ok(Self(EventSource::InProcess(Box::new(Polling::begin(repository, via, to.question())?))))
    }

    /// Waits for the next event, until `deadline` if there is one; `None` if none came until then.
    ///
    /// After [`Event::Ended`] nothing comes any more, and this fails with [`SessionError::SubscriptionEnded`].
    pub fn next_before(&mut self, deadline: Option<Instant>) -> Result<Option<Event>, SessionError> {
        match &mut self.0 {
            EventSource::Daemon(from) => from.next_before(deadline),
            EventSource::InProcess(polling) => polling.next_before(deadline),
        }
    }
}

impl DaemonEvents {
    fn next_before(&mut self, deadline: Option<Instant>) -> Result<Option<Event>, SessionError> {
        loop {
            // What happened already needs no time.
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            match &mut self.link {
                EventLink::Ended => return Err(SessionError::SubscriptionEnded),
                EventLink::Lost(since) => {
                    let since = *since;
                    if !self.reconnect(since, deadline)? {
                        return Ok(None);
                    }
                }
                EventLink::Connected(client) => match receive(client, deadline) {
                    Ok(event) => {
                        if matches!(event, Some(Event::Ended(_))) {
                            self.link = EventLink::Ended;
                        }
                        if let Some(mark) = event.as_ref().and_then(Event::mark) {
                            self.subscribe.since = Some(mark.clone());
                        }
                        return Ok(event);
                    }
                    Err(ConnectionLost) => self.link = EventLink::Lost(Instant::now()),
                },
            }
        }
    }

    /// Connects and subscribes again; says whether that was possible before the deadline.
    fn reconnect(&mut self, since: Instant, deadline: Option<Instant>) -> Result<bool, SessionError> {
        let mut retry = Retry::new(RETRY_FIRST, RETRY_MOST, Instant::now());
        loop {
            // At first it does not start a daemon, so that another version can replace the old one.
            let missing =
                if since.elapsed() < START_AFTER { IfNotRunning::Leave } else { IfNotRunning::Start };
            match self.connect(missing) {
                Ok(()) => return Ok(true),
                Err(error @ SessionError::Subscribe(_)) => return Err(error),
                Err(error) if since.elapsed() > GIVE_UP_AFTER => {
                    self.link = EventLink::Lost(Instant::now());
                    return Err(error);
                }
                Err(_) => retry.failed(Instant::now()),
            }
            let now = Instant::now();
            let left = deadline.map(|deadline| deadline.saturating_duration_since(now));
            if left == Some(Duration::ZERO) {
                return Ok(false);
            }
            let wait = retry.remaining(now);
            thread::sleep(left.map_or(wait, |left| left.min(wait)));
        }
    }

    /// Connects and subscribes, for what happened since the last event that was delivered.
    fn connect(&mut self, missing: IfNotRunning) -> Result<(), SessionError> {
        let (mut client, _) = self.program.connect(missing)?;
        match self.catch_up(&mut client).and_then(|()| client.ask(&self.subscribe)) {
            Ok(subscribed) => {
                self.subscribe.since = Some(subscribed.mark);
                self.link = EventLink::Connected(Box::new(client));
                Ok(())
            }
            Err(error @ ClientError::Fault(_)) if !is_stopping(&error) => {
                Err(SessionError::Subscribe(Box::new(error)))
            }
            Err(error) => Err(ConnectError::Refused(error).into()),
        }
    }
}

impl DaemonEvents {
    /// Asks for what happened since the mark, if there is one: as an answer it may be larger than an event.
    fn catch_up(&mut self, client: &mut Client) -> Result<(), ClientError> {
        let Some(known) = self.subscribe.since.clone() else { return Ok(()) };
        let head = if self.subscribe.work_tree { HeadName::WorkTree } else { HeadName::Head };
        let params = Changes { since: Some(known.clone()), head, topic: self.subscribe.topic.clone() };
        let repository = self.subscribe.repository.clone();
        let request = RepositoryRequest {
            repository,
            author: None,
            at: None,
            via: self.subscribe.via.clone(),
            utc_offset: 0,
            buffers: Vec::new(),
            params,
        };
        let reply = client.ask(&request)?;
        self.waiting.extend(reply.events(0, &self.subscribe.repository.git_dir, &known, false));
        self.subscribe.since = Some(reply.mark);
        Ok(())
    }
}

/// Waits for each event without a deadline; ends when the repository no longer exists.
impl Iterator for Subscription {
    type Item = Result<Event, SessionError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next_before(None) {
            Ok(event) => event.map(Ok),
            Err(SessionError::SubscriptionEnded) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

fn is_stopping(error: &ClientError) -> bool {
    use postil_protocol::FaultCode;
    matches!(error, ClientError::Fault(fault) if fault.code == FaultCode::Stopping)
}

/// The daemon stopped, or what it sent cannot be read.
struct ConnectionLost;

/// The next event; `None` if none came before `deadline`.
fn receive(client: &mut Client, deadline: Option<Instant>) -> Result<Option<Event>, ConnectionLost> {
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    if left == Some(Duration::ZERO) {
        return Ok(None);
    }
    client.stream().set_read_timeout(left).map_err(|_| ConnectionLost)?;
    match client.next_event() {
        Ok(Some(event)) => Ok(Some(event)),
        Err(error) if error.is_timeout() => Ok(None),
        Ok(None) | Err(_) => Err(ConnectionLost),
    }
}
