//! One connection to the daemon that many requests and subscriptions share.
//!
//! Two tasks serve it: one writes lines, one reads them and hands each to the caller that waits for it. They end with the last
//! handle, or with the daemon.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use postil_protocol::{
    Cancel, Client, ClientError, Event, Fault, FrameError, Incoming, MAX_FRAME_BYTES, MessageId, Method,
    Subscribe, Subscribed, Unsubscribe, write_frame,
};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// So many requests wait to be written; one more waits for room.
const MAX_UNSENT: usize = 64;

/// A subscriber that leaves more events than this untaken is cut off, and subscribes again.
const MAX_UNTAKEN: usize = 1024;

/// A daemon that does not answer a request for so long is taken to hang.
const ANSWER: Duration = Duration::from_mins(2);

/// A handle of a connection.
#[derive(Clone, Debug)]
pub(crate) struct AsyncConnection {
    lines: mpsc::Sender<(i64, Vec<u8>)>,
    routes: Arc<Mutex<Routes>>,
    next_id: Arc<AtomicI64>,
}

/// Why a request was not answered.
#[derive(Debug)]
pub(crate) enum AskError {
    /// The daemon says why.
    Fault(Fault),
    /// The daemon cannot have read it.
    NotRead,
    /// The daemon may have read it.
    Lost(ClientError),
}

/// Who waits for what.
#[derive(Debug, Default)]
struct Routes {
    is_closed: bool,
    answers: HashMap<i64, PendingAnswers>,
    subscribers: HashMap<u64, mpsc::Sender<Event>>,
}

#[derive(Debug)]
struct PendingAnswers {
    answer: oneshot::Sender<Result<String, AskError>>,
    /// Gets the events of the subscription that is the answer.
    events: Option<mpsc::Sender<Event>>,
    /// Whether the daemon may have read the request.
    is_written: bool,
}

impl AsyncConnection {
    /// Takes over a connection whose hello was answered, in the runtime of the caller.
    pub(crate) fn new(client: &Client) -> io::Result<Self> {
        // After its welcome the daemon sends nothing unasked, so the client's buffer is empty.
        let stream = client.stream().try_clone()?;
        stream.set_nonblocking(true)?;
        let (from, to) = UnixStream::from_std(stream)?.into_split();
        let routes = Arc::new(Mutex::new(Routes::default()));
        let (lines, unsent) = mpsc::channel(MAX_UNSENT);
        let reading = tokio::spawn(read(from, Arc::clone(&routes))).abort_handle();
        let writing = write(to, unsent, Arc::clone(&routes));
        tokio::spawn(async move {
            writing.await;
            reading.abort();
        });
        Ok(Self { lines, routes, next_id: Arc::new(AtomicI64::new(2)) })
    }

    /// Whether the daemon is gone.
    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.routes).is_closed
    }

    /// Asks, and waits for the answer as JSON text. A request whose future is dropped is taken back.
    pub(crate) async fn ask<M: Method>(&self, params: &M) -> Result<String, AskError> {
        self.send(params, None).await
    }

    /// Subscribes; events end when the daemon is gone, or when too many were not taken.
    pub(crate) async fn subscribe(
        &self,
        subscribe: &Subscribe,
    ) -> Result<(Subscribed, mpsc::Receiver<Event>), AskError> {
        let (sender, events) = mpsc::channel(MAX_UNTAKEN);
        let answer = self.send(subscribe, Some(sender)).await?;
        let subscribed: Subscribed =
            serde_json::from_str(&answer).map_err(|error| AskError::Lost(error.into()))?;
        Ok((subscribed, events))
    }

    /// Wants no more events of a subscription.
    pub(crate) fn unsubscribe(&self, subscription: u64) {
        lock(&self.routes).subscribers.remove(&subscription);
        self.mention(&Unsubscribe { subscription });
    }

    async fn send<M: Method>(
        &self,
        params: &M,
        events: Option<mpsc::Sender<Event>>,
    ) -> Result<String, AskError> {
        let (id, line) = self.line(params).map_err(|error| AskError::Lost(error.into()))?;
        let (answer, answered) = oneshot::channel();
        {
            let mut routes = lock(&self.routes);
            if routes.is_closed {
                return Err(AskError::NotRead);
            }
            routes.answers.insert(id, PendingAnswers { answer, events, is_written: false });
        }
        let _taken_back = CancelOnDrop { connection: self, id };
        self.lines.send((id, line)).await.map_err(|_| AskError::NotRead)?;
        match timeout(ANSWER, answered).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(AskError::Lost(ClientError::Ended)),
            Err(_) => Err(AskError::Lost(FrameError::from(io::Error::from(io::ErrorKind::TimedOut)).into())),
        }
    }

    fn line<M: Method>(&self, params: &M) -> Result<(i64, Vec<u8>), FrameError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let mut line = Vec::new();
        let message = MessageId::Number(id);
        write_frame(&mut line, &postil_protocol::Outgoing::new(&message, M::NAME, params))?;
        Ok((id, line))
    }

    /// Sends a request without waiting for the answer; if the queue is full, it is dropped.
    fn mention<M: Method>(&self, params: &M) {
        if let Ok(line) = self.line(params) {
            let _ = self.lines.try_send(line);
        }
    }
}

/// Takes a request back if its future is dropped before it is answered.
struct CancelOnDrop<'a> {
    connection: &'a AsyncConnection,
    id: i64,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let was_waiting = lock(&self.connection.routes).answers.remove(&self.id).is_some();
        if was_waiting {
            self.connection.mention(&Cancel { id: MessageId::Number(self.id) });
        }
    }
}

/// Writes lines until the last handle is gone.
async fn write(to: OwnedWriteHalf, mut unsent: mpsc::Receiver<(i64, Vec<u8>)>, routes: Arc<Mutex<Routes>>) {
    while let Some((id, line)) = unsent.recv().await {
        if write_line(&to, id, &line, &routes).await.is_err() {
            return lock(&routes).close();
        }
    }
}

/// Writes one line, and notes when the daemon may have read it: a line without its end is not a request.
async fn write_line(to: &OwnedWriteHalf, id: i64, line: &[u8], routes: &Mutex<Routes>) -> io::Result<()> {
    let mut rest = line;
    while !rest.is_empty() {
        to.writable().await?;
        // Held while the bytes are written, so that a task that sees the connection end knows whether they
        // were.
        let mut routes = lock(routes);
        if routes.is_closed {
            return Err(io::ErrorKind::NotConnected.into());
        }
        match to.try_write(rest) {
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if let (true, Some(waiting)) = (rest.is_empty(), routes.answers.get_mut(&id)) {
            waiting.is_written = true;
        }
    }
    Ok(())
}

/// Reads lines until the daemon is gone.
async fn read(from: OwnedReadHalf, routes: Arc<Mutex<Routes>>) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = MAX_FRAME_BYTES as u64 + 1;
        let read = (&mut from).take(most).read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(length) if length > 0)
            || !line.ends_with(b"\n")
            || !lock(&routes).hand_over(&line)
        {
            lock(&routes).close();
            return;
        }
    }
}

impl Routes {
    /// Hands a line to the caller that waits for it; returns whether it could be read.
    fn hand_over(&mut self, line: &[u8]) -> bool {
        match Incoming::parse(line) {
            Ok(Incoming::Response { id: Some(MessageId::Number(id)), outcome }) => {
                if let Some(waiting) = self.answers.remove(&id) {
                    if let (Some(events), Ok(text)) = (waiting.events, &outcome)
                        && let Ok(Subscribed { subscription, .. }) = serde_json::from_str(text)
                    {
                        self.subscribers.insert(subscription, events);
                    }
                    let _ = waiting.answer.send(outcome.map(str::to_owned).map_err(AskError::Fault));
                }
                true
            }
            Ok(Incoming::Event(event)) => {
                let number = event.subscription();
                if self.subscribers.get(&number).is_some_and(|events| events.try_send(event).is_err()) {
                    self.subscribers.remove(&number);
                }
                true
            }
            Ok(Incoming::Response { .. } | Incoming::Unknown(_)) => true,
            Err(_) => false,
        }
    }

    /// Wakes all tasks that wait for an answer.
    fn close(&mut self) {
        self.is_closed = true;
        self.subscribers.clear();
        for (_, PendingAnswers { answer, is_written, .. }) in self.answers.drain() {
            let why = if is_written { AskError::Lost(ClientError::Ended) } else { AskError::NotRead };
            let _ = answer.send(Err(why));
        }
    }
}

fn lock(routes: &Mutex<Routes>) -> MutexGuard<'_, Routes> {
    routes.lock().unwrap_or_else(PoisonError::into_inner)
}
