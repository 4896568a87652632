//! Events of a repository for a program that has a runtime, by the rules of `subscription`.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Instant;

use postil_protocol::{ClientError, Event, FaultCode, Subscribe};
use postil_socket::ConnectError;
use tokio::sync::mpsc::Receiver;
use tokio::time::sleep;

use crate::async_connection::{AskError, AsyncConnection};
use crate::async_session::{AsyncSession, blocking};
use crate::daemon::{DaemonSetting, IfNotRunning};
use crate::error::SessionError;
use crate::polling::{Polling, looks_from};
use crate::retry::Retry;
use crate::subscription::{GIVE_UP_AFTER, RETRY_FIRST, RETRY_MOST, START_AFTER, SubscribeTo};

/// A subscription to the events of a repository.
#[derive(Debug)]
pub struct AsyncSubscription(AsyncEventSource);

/// Where events come from.
#[derive(Debug)]
enum AsyncEventSource {
    Daemon(Box<AsyncDaemonEvents>),
    /// Shared with the polling thread: what it finds stays here, even if the future was dropped.
    InProcess(Arc<Mutex<Polling>>),
}

/// Events that a daemon sends, over the connection of the session.
#[derive(Debug)]
struct AsyncDaemonEvents {
    session: AsyncSession,
    subscribe: Subscribe,
    link: AsyncEventLink,
}

/// Whether events can come.
#[derive(Debug)]
enum AsyncEventLink {
    /// They can.
    Connected { connection: AsyncConnection, number: u64, events: Receiver<Event> },
    /// The daemon stopped at this time.
    Lost(Instant),
    /// The repository is gone.
    Ended,
}

impl AsyncSession {
    /// Begins to receive events; a daemon is started if none runs. Without one, the service is asked now and then.
    pub async fn subscribe(&self, to: SubscribeTo) -> Result<AsyncSubscription, SessionError> {
        let (repository, via) = (self.repository(), self.via());
        if self.daemon() == DaemonSetting::Off {
            let polling = blocking(move || Polling::begin(repository, via, to.question())).await?;
            return Ok(AsyncSubscription(AsyncEventSource::InProcess(Arc::new(Mutex::new(polling)))));
        }
        let SubscribeTo { topic, work_tree, since } = to;
        let subscribe = Subscribe { repository, topic, work_tree, since, via };
        let link = AsyncEventLink::Lost(Instant::now());
        let mut from = AsyncDaemonEvents { session: self.clone(), subscribe, link };
        from.link = from.connect(IfNotRunning::Start).await?;
        Ok(AsyncSubscription(AsyncEventSource::Daemon(Box::new(from))))
    }
}

impl AsyncSubscription {
    /// Waits for what comes next; nothing is lost if the future is dropped.
    ///
    /// After [`Event::Ended`] this fails with [`SessionError::SubscriptionEnded`].
    pub async fn next(&mut self) -> Result<Event, SessionError> {
        match &mut self.0 {
            AsyncEventSource::Daemon(from) => from.next().await,
            AsyncEventSource::InProcess(polling) => next_found(polling).await,
        }
    }
}

/// Looks until something happened.
async fn next_found(polling: &Arc<Mutex<Polling>>) -> Result<Event, SessionError> {
    let mut looks = looks_from(Instant::now());
    loop {
        // Taken here, where it cannot be dropped. An abandoned poll may still be running.
        let found = match polling.try_lock() {
            Ok(mut polling) => polling.take()?,
            Err(TryLockError::Poisoned(polling)) => polling.into_inner().take()?,
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(event) = found {
            return Ok(event);
        }
        sleep(looks.remaining(Instant::now())).await;
        let shared = Arc::clone(polling);
        blocking(move || shared.lock().unwrap_or_else(PoisonError::into_inner).poll()).await?;
        looks.failed(Instant::now());
    }
}

impl AsyncDaemonEvents {
    async fn next(&mut self) -> Result<Event, SessionError> {
        loop {
            if let AsyncEventLink::Connected { events, .. } = &mut self.link {
                if let Some(event) = events.recv().await {
                    if matches!(event, Event::Ended(_)) {
                        self.link = AsyncEventLink::Ended;
                    }
                    if let Some(mark) = event.mark() {
                        self.subscribe.since = Some(mark.clone());
                    }
                    return Ok(event);
                }
                self.link = AsyncEventLink::Lost(Instant::now());
            }
            let AsyncEventLink::Lost(since) = self.link else { return Err(SessionError::SubscriptionEnded) };
            self.reconnect(since).await?;
        }
    }

    /// Connects and subscribes again.
    async fn reconnect(&mut self, since: Instant) -> Result<(), SessionError> {
        let mut retry = Retry::new(RETRY_FIRST, RETRY_MOST, Instant::now());
        loop {
            // At first it does not start a daemon, so that another version can replace the old one.
            let missing =
                if since.elapsed() < START_AFTER { IfNotRunning::Leave } else { IfNotRunning::Start };
            match self.connect(missing).await {
                Ok(link) => {
                    self.link = link;
                    return Ok(());
                }
                Err(error @ SessionError::Subscribe(_)) => return Err(error),
                Err(error) if since.elapsed() > GIVE_UP_AFTER => {
                    self.link = AsyncEventLink::Lost(Instant::now());
                    return Err(error);
                }
                Err(_) => retry.failed(Instant::now()),
            }
            sleep(retry.remaining(Instant::now())).await;
        }
    }

    /// Connects and subscribes, for what happened since the last event that was delivered.
    async fn connect(&mut self, missing: IfNotRunning) -> Result<AsyncEventLink, SessionError> {
        let connection = match self.session.connection() {
            Some(connection) => connection,
            None => self.session.connect(missing).await?,
        };
        let lost = |error| SessionError::Connect(ConnectError::Refused(error));
        match connection.subscribe(&self.subscribe).await {
            Ok((subscribed, events)) => {
                self.subscribe.since = Some(subscribed.mark);
                Ok(AsyncEventLink::Connected { connection, number: subscribed.subscription, events })
            }
            Err(AskError::Fault(fault)) if fault.code != FaultCode::Stopping => {
                Err(SessionError::Subscribe(Box::new(fault.into())))
            }
            Err(AskError::Fault(_) | AskError::NotRead) => Err(lost(ClientError::Ended)),
            Err(AskError::Lost(error)) => Err(lost(error)),
        }
    }
}

impl Drop for AsyncDaemonEvents {
    fn drop(&mut self) {
        if let AsyncEventLink::Connected { connection, number, .. } = &self.link {
            connection.unsubscribe(*number);
        }
    }
}
