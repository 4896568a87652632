//! Events of a repository for a program that has a runtime, by the rules of `subscription`.

use std::time::Instant;

use postil_protocol::{ClientError, Event, FaultCode, Subscribe};
use postil_socket::ConnectError;
use tokio::sync::mpsc::Receiver;
use tokio::time::sleep;

use crate::async_connection::{AskError, AsyncConnection};
use crate::async_session::AsyncSession;
use crate::daemon::{DaemonSetting, IfNotRunning};
use crate::error::SessionError;
use crate::retry::Retry;
use crate::subscription::{GIVE_UP_AFTER, RETRY_FIRST, RETRY_MOST, START_AFTER, SubscribeTo};

/// A subscription to the events of a repository, over the connection of its session.
#[derive(Debug)]
pub struct AsyncSubscription {
    session: AsyncSession,
    subscribe: Subscribe,
    link: Link,
}

/// Whether events can come.
#[derive(Debug)]
enum Link {
    /// They can.
    Connected { connection: AsyncConnection, number: u64, events: Receiver<Event> },
    /// The daemon stopped at this time.
    Lost(Instant),
    /// The repository is gone.
    Ended,
}

impl AsyncSession {
    /// Begins to receive events; they come from the daemon alone, which is started if none runs.
    pub async fn subscribe(&self, to: SubscribeTo) -> Result<AsyncSubscription, SessionError> {
        if self.daemon() == DaemonSetting::Off {
            return Err(SessionError::DaemonOff);
        }
        let SubscribeTo { topic, work_tree, since } = to;
        let subscribe = Subscribe { repository: self.repository().clone(), topic, work_tree, since };
        let link = Link::Lost(Instant::now());
        let mut subscription = AsyncSubscription { session: self.clone(), subscribe, link };
        subscription.link = subscription.connect(IfNotRunning::Start).await?;
        Ok(subscription)
    }
}

impl AsyncSubscription {
    /// Waits for what comes next; nothing is lost if the future is dropped.
    ///
    /// After [`Event::Ended`] this fails with [`SessionError::SubscriptionEnded`].
    pub async fn next(&mut self) -> Result<Event, SessionError> {
        loop {
            if let Link::Connected { events, .. } = &mut self.link {
                if let Some(event) = events.recv().await {
                    if matches!(event, Event::Ended(_)) {
                        self.link = Link::Ended;
                    }
                    if let Some(mark) = event.mark() {
                        self.subscribe.since = Some(mark.clone());
                    }
                    return Ok(event);
                }
                self.link = Link::Lost(Instant::now());
            }
            let Link::Lost(since) = self.link else { return Err(SessionError::SubscriptionEnded) };
            self.reconnect(since).await?;
        }
    }

    /// Connects and subscribes again.
    async fn reconnect(&mut self, since: Instant) -> Result<(), SessionError> {
        let mut retry = Retry::new(RETRY_FIRST, RETRY_MOST, Instant::now());
        loop {
            // At first nobody is in the way of whoever replaces the daemon by another version.
            let missing =
                if since.elapsed() < START_AFTER { IfNotRunning::Leave } else { IfNotRunning::Start };
            match self.connect(missing).await {
                Ok(link) => {
                    self.link = link;
                    return Ok(());
                }
                Err(error @ SessionError::Subscribe(_)) => return Err(error),
                Err(error) if since.elapsed() > GIVE_UP_AFTER => {
                    self.link = Link::Lost(Instant::now());
                    return Err(error);
                }
                Err(_) => retry.failed(Instant::now()),
            }
            sleep(retry.remaining(Instant::now())).await;
        }
    }

    /// Connects and subscribes, for what happened since the last event that was delivered.
    async fn connect(&mut self, missing: IfNotRunning) -> Result<Link, SessionError> {
        let connection = match self.session.connection() {
            Some(connection) => connection,
            None => self.session.connect(missing).await?,
        };
        let lost = |error| SessionError::Connect(ConnectError::Refused(error));
        match connection.subscribe(&self.subscribe).await {
            Ok((subscribed, events)) => {
                self.subscribe.since = Some(subscribed.mark);
                Ok(Link::Connected { connection, number: subscribed.subscription, events })
            }
            Err(AskError::Fault(fault)) if fault.code != FaultCode::Stopping => {
                Err(SessionError::Subscribe(Box::new(fault.into())))
            }
            Err(AskError::Fault(_) | AskError::NotRead) => Err(lost(ClientError::Ended)),
            Err(AskError::Lost(error)) => Err(lost(error)),
        }
    }
}

impl Drop for AsyncSubscription {
    fn drop(&mut self) {
        if let Link::Connected { connection, number, .. } = &self.link {
            connection.unsubscribe(*number);
        }
    }
}
