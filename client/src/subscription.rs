//! Events of a repository, one after the other, for as long as a client wants to receive them.
//!
//! A subscription has a connection of its own and blocks. It survives a daemon that is restarted or replaced: it
//! connects and subscribes again, and says so, since events of the time in between are not delivered.

use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{Client, ClientError, Event, RepositoryName, Subscribe, Topic};
use postil_socket::ConnectError;

use crate::daemon::{ClientProgram, IfNotRunning};
use crate::error::SessionError;
use crate::retry::Retry;

/// Whoever restarts or replaces a daemon starts the next one within this time; after it, the subscription does.
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
}

/// What a subscription delivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Something happened.
    Event(Event),
    /// The daemon is another one: what happened in between was not delivered, and a client that shows threads asks for
    /// them again.
    Reconnected,
}

/// A subscription to the events of a repository.
#[derive(Debug)]
pub struct Subscription {
    program: ClientProgram,
    subscribe: Subscribe,
    link: Link,
}

/// Whether events can come.
#[derive(Debug)]
enum Link {
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
        to: SubscribeTo,
    ) -> Result<Self, SessionError> {
        let subscribe = Subscribe { repository, topic: to.topic, work_tree: to.work_tree };
        let client = connect(&program, &subscribe, IfNotRunning::Start)?;
        Ok(Self { program, subscribe, link: Link::Connected(Box::new(client)) })
    }

    /// Waits for what comes next, until `deadline` if there is one; `None` if nothing came until then.
    ///
    /// After [`Event::Ended`] nothing comes any more, and this fails with [`SessionError::SubscriptionEnded`].
    pub fn next_before(&mut self, deadline: Option<Instant>) -> Result<Option<Delivery>, SessionError> {
        loop {
            match &mut self.link {
                Link::Ended => return Err(SessionError::SubscriptionEnded),
                Link::Lost(since) => {
                    let since = *since;
                    return self.reconnect(since, deadline);
                }
                Link::Connected(client) => match receive(client, deadline) {
                    Ok(event) => {
                        if matches!(event, Some(Event::Ended(_))) {
                            self.link = Link::Ended;
                        }
                        return Ok(event.map(Delivery::Event));
                    }
                    Err(Lost) => self.link = Link::Lost(Instant::now()),
                },
            }
        }
    }

    /// Connects and subscribes again.
    fn reconnect(
        &mut self,
        since: Instant,
        deadline: Option<Instant>,
    ) -> Result<Option<Delivery>, SessionError> {
        let mut retry = Retry::new(RETRY_FIRST, RETRY_MOST, Instant::now());
        loop {
            // At first nobody is in the way of whoever replaces the daemon by another version.
            let missing =
                if since.elapsed() < START_AFTER { IfNotRunning::Leave } else { IfNotRunning::Start };
            match connect(&self.program, &self.subscribe, missing) {
                Ok(client) => {
                    self.link = Link::Connected(Box::new(client));
                    return Ok(Some(Delivery::Reconnected));
                }
                Err(error @ SessionError::Subscribe(_)) => return Err(error),
                Err(error) if since.elapsed() > GIVE_UP_AFTER => {
                    self.link = Link::Lost(Instant::now());
                    return Err(error);
                }
                Err(_) => retry.failed(Instant::now()),
            }
            let now = Instant::now();
            let left = deadline.map(|deadline| deadline.saturating_duration_since(now));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            let wait = retry.remaining(now);
            thread::sleep(left.map_or(wait, |left| left.min(wait)));
        }
    }
}

/// Waits for each delivery without a deadline; ends when the repository is gone.
impl Iterator for Subscription {
    type Item = Result<Delivery, SessionError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next_before(None) {
            Ok(delivery) => delivery.map(Ok),
            Err(SessionError::SubscriptionEnded) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Connects and subscribes.
///
/// Here belongs from where on events are wanted, once the protocol can say it: those since the last one that was
/// delivered, so that none is missed.
fn connect(
    program: &ClientProgram,
    subscribe: &Subscribe,
    missing: IfNotRunning,
) -> Result<Client, SessionError> {
    let (mut client, _) = program.connect(missing)?;
    match client.ask(subscribe) {
        Ok(_) => Ok(client),
        Err(error @ ClientError::Fault(_)) if !is_stopping(&error) => {
            Err(SessionError::Subscribe(Box::new(error)))
        }
        Err(error) => Err(ConnectError::Refused(error).into()),
    }
}

fn is_stopping(error: &ClientError) -> bool {
    use postil_protocol::FaultCode;
    matches!(error, ClientError::Fault(fault) if fault.code == FaultCode::Stopping)
}

/// The daemon stopped, or what it sent cannot be read.
struct Lost;

/// The next event; `None` if none came before `deadline`.
fn receive(client: &mut Client, deadline: Option<Instant>) -> Result<Option<Event>, Lost> {
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    if left == Some(Duration::ZERO) {
        return Ok(None);
    }
    client.stream().set_read_timeout(left).map_err(|_| Lost)?;
    match client.next_event() {
        Ok(Some(event)) => Ok(Some(event)),
        Err(error) if error.is_timeout() => Ok(None),
        Ok(None) | Err(_) => Err(Lost),
    }
}
