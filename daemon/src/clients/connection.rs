//! One client: its requests, and its end.
//!
//! Every bound of a connection is here, but for that of its subscriptions, which have a file of their own. Requests are
//! answered as they are done, not in the order they came.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use postil_protocol::{
    Call, Cancel, Control, ControlReply, Fault, FaultCode, MessageId, RpcRequest, RpcResponse,
};
use serde::Serialize;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::Instrument as _;

use super::handshake::{Greeting, check_hello};
use super::line_reader::{LineReader, MessageRoom, ReadLine, WaitingRoom};
use super::status;
use super::subscriptions::Subscriptions;
use crate::events::outbox::{Outbox, outbox};
use crate::hub::Hub;

/// A client with so many requests that are not answered yet is not read from until one is.
const MAX_IN_FLIGHT: usize = 64;

/// A client that has not said hello after so long is cut off: it takes the place of another.
const HELLO_WITHIN: Duration = Duration::from_secs(10);

/// How long a client that is refused may take to say hello.
const LAST_WORD: Duration = Duration::from_secs(1);

/// So many requests of a client are worked on at once, and none begins while it leaves too many answers untaken.
const MAX_AT_ONCE: usize = 4;

/// Serves one client until it goes, is cut off, or the daemon stops.
///
/// Requests that were read are answered first, unless the client is gone.
pub(crate) async fn serve(hub: Arc<Hub>, stream: UnixStream, room: MessageRoom) {
    serve_within(hub, stream, room, HELLO_WITHIN).await;
}

/// The same, for a client that says hello within this time.
async fn serve_within(hub: Arc<Hub>, stream: UnixStream, room: MessageRoom, hello: Duration) {
    let (from, to) = stream.into_split();
    let (outbox, sending) = outbox();
    let sending = tokio::spawn(sending.run(to));
    let at_once = Semaphore::new(MAX_AT_ONCE);
    let subscriptions = Subscriptions::default();
    let connection = Arc::new(Connection { hub, outbox, at_once, subscriptions, state: Mutex::default() });
    let mut requests = JoinSet::new();
    let cut = connection.read(LineReader::new(from, room), &mut requests, hello).await;
    connection.subscriptions.end();
    if cut == ReadEnd::Yes {
        requests.abort_all();
        sending.abort();
        return;
    }
    while requests.join_next().await.is_some() {}
    drop(connection);
    // Ends once all is sent, or once the client has taken nothing for too long.
    let _ = sending.await;
}

/// Refuses a client that is one too many.
pub(crate) async fn refuse(stream: UnixStream) {
    let (mut from, to) = stream.into_split();
    let (outbox, sending) = outbox();
    let fault = Fault::new(FaultCode::Busy, "too many clients are connected to the daemon");
    outbox.answer(&RpcResponse::<()>::new(None, Err(fault)));
    drop(outbox);
    sending.run(to).await;
    // A client that still sends learns that the connection is closed, but not why.
    let _ = timeout(LAST_WORD, from.read(&mut [0; 1024])).await;
}

/// How reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadEnd {
    /// The client is gone.
    Yes,
    /// The client still waits for answers.
    No,
}

struct Connection {
    hub: Arc<Hub>,
    outbox: Outbox,
    /// Taken by each request until its answer waits to be sent.
    at_once: Semaphore,
    subscriptions: Subscriptions,
    state: Mutex<ConnectionState>,
}

#[derive(Default)]
struct ConnectionState {
    greeted: bool,
    /// Requests that can still be taken back.
    running: BTreeMap<MessageId, Arc<Notify>>,
}

impl Connection {
    async fn read(
        self: &Arc<Self>,
        mut lines: LineReader<impl tokio::io::AsyncRead + Unpin>,
        requests: &mut JoinSet<()>,
        hello: Duration,
    ) -> ReadEnd {
        let silence = sleep(hello);
        tokio::pin!(silence);
        loop {
            while requests.try_join_next().is_some() {}
            if requests.len() >= MAX_IN_FLIGHT {
                requests.join_next().await;
            }
            let greeted = self.state().greeted;
            let line = tokio::select! {
                biased;
                () = self.outbox.is_cut() => return ReadEnd::Yes,
                () = self.hub.stopping() => return ReadEnd::No,
                line = async { self.outbox.room().await; lines.next().await } => line,
                () = &mut silence, if !greeted => {
                    self.refuse(FaultCode::InvalidRequest, "no hello came in time");
                    return ReadEnd::No;
                }
            };
            match line {
                Ok(ReadLine::Message(line)) => self.receive(&line, lines.waiting.take(), requests),
                Ok(ReadLine::End) => return ReadEnd::No,
                Ok(ReadLine::TooLong) => {
                    self.refuse(FaultCode::TooLarge, "the message is too long");
                    return ReadEnd::No;
                }
                Ok(ReadLine::NoRoom) => {
                    self.refuse(FaultCode::Busy, "too many long messages are being sent to the daemon");
                    return ReadEnd::No;
                }
                Err(_) => return ReadEnd::Yes,
            }
        }
    }

    /// `room` is held until the message is answered.
    fn receive(self: &Arc<Self>, line: &[u8], room: Option<WaitingRoom>, requests: &mut JoinSet<()>) {
        let request = match RpcRequest::parse(line) {
            Ok(request) => request,
            Err(fault) => return self.respond::<()>(None, Err(fault)),
        };
        let id = request.id.clone();
        if let Some(control) = Control::from_parts(&request.method, request.params()) {
            return match control {
                Ok(control) => self.control(id, control, requests),
                Err(fault) => self.respond::<()>(id, Err(fault)),
            };
        }
        if !self.state().greeted {
            return self.respond::<()>(
                id,
                Err(Fault::new(FaultCode::InvalidRequest, "the first request must be hello")),
            );
        }
        match Call::from_parts(&request.method, request.params()) {
            Some(Ok(call)) => {
                if let Err(fault) = call.traits().check_other_process() {
                    return self.respond::<()>(id, Err(fault));
                }
                let question = shared_question(&call, &request);
                self.call(id, call, question, room, requests);
            }
            Some(Err(fault)) => self.respond::<()>(id, Err(fault)),
            None => {
                let words = format!("no such method: {:?}", request.method);
                self.respond::<()>(id, Err(Fault::new(FaultCode::UnknownMethod, words)));
            }
        }
    }

    fn control(self: &Arc<Self>, id: Option<MessageId>, control: Control, requests: &mut JoinSet<()>) {
        let greeted = self.state().greeted;
        match control {
            Control::Hello(hello) => match check_hello(&self.hub.version, &hello) {
                Greeting::Welcome(welcome) => {
                    tracing::debug!(client = hello.client, version = hello.version, "client");
                    self.state().greeted = true;
                    self.respond(id, Ok(ControlReply::Hello(welcome)));
                }
                Greeting::Refused(fault) => self.respond::<()>(id, Err(fault)),
                Greeting::MakeRoom(fault) => {
                    tracing::info!(newer = hello.version, "stopping for a newer version");
                    self.respond::<()>(id, Err(fault));
                    self.hub.stop();
                }
            },
            _ if !greeted => {
                self.respond::<()>(
                    id,
                    Err(Fault::new(FaultCode::InvalidRequest, "the first request must be hello")),
                );
            }
            Control::Cancel(cancel) => {
                self.cancel(&cancel);
                self.respond(id, Ok(ControlReply::Cancel(())));
            }
            Control::Subscribe(subscribe) => {
                let connection = Arc::clone(self);
                requests.spawn(async move {
                    let Connection { hub, outbox, subscriptions, .. } = &*connection;
                    let outcome = subscriptions.add(hub, outbox, subscribe).await;
                    connection.respond(id, outcome.map(ControlReply::Subscribe));
                });
            }
            Control::Unsubscribe(unsubscribe) => {
                let outcome = self.subscriptions.remove(&unsubscribe);
                self.respond(id, outcome.map(ControlReply::Unsubscribe));
            }
            Control::DaemonStatus(_) => {
                self.respond(id, Ok(ControlReply::DaemonStatus(status::status(&self.hub))));
            }
            Control::DaemonStop(_) => {
                tracing::info!("stopping, as a client asked");
                self.respond(id, Ok(ControlReply::DaemonStop(())));
                self.hub.stop();
            }
        }
    }

    /// Only what has a `question` can be shared and taken back.
    fn call(
        self: &Arc<Self>,
        id: Option<MessageId>,
        call: Call,
        question: Option<String>,
        room: Option<WaitingRoom>,
        requests: &mut JoinSet<()>,
    ) {
        let taken_back = Arc::new(Notify::new());
        if let Some(id) = &id {
            self.state().running.insert(id.clone(), Arc::clone(&taken_back));
        }
        let method = call.name();
        let span = tracing::info_span!("request", method, repo = ?call.repository().git_dir);
        let connection = Arc::clone(self);
        requests.spawn(
            async move {
                let began = tokio::time::Instant::now();
                let _room = room;
                let question = question.as_ref().map(String::as_bytes);
                let work = async {
                    let turn = connection.at_once.acquire().await;
                    connection.outbox.room().await;
                    (connection.hub.call(call, question).await, turn.ok())
                };
                let (outcome, _turn) = tokio::select! {
                    biased;
                    // What writes is done or not begun; in between nothing can be taken back.
                    () = taken_back.notified(), if question.is_some() => {
                        (Err(Fault::new(FaultCode::Cancelled, "the request was cancelled")), None)
                    }
                    done = work => done,
                };
                let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
                match &outcome {
                    Ok(_) => tracing::debug!(micros, "answered"),
                    Err(fault) => tracing::debug!(micros, code = fault.code.name(), "refused"),
                }
                if let Some(id) = &id {
                    connection.state().running.remove(id);
                }
                match (&id, &outcome) {
                    (Some(id), Ok(answer)) => connection.outbox.shared_answer(id, answer),
                    _ => connection.respond::<()>(id, outcome.map(drop)),
                }
            }
            .instrument(span),
        );
    }

    fn cancel(&self, cancel: &Cancel) {
        if let Some(taken_back) = self.state().running.get(&cancel.id) {
            taken_back.notify_one();
        }
    }

    /// Says why the connection is about to be closed; no request is the reason.
    fn refuse(&self, code: FaultCode, why: &str) {
        self.outbox.answer(&RpcResponse::<()>::new(None, Err(Fault::new(code, why))));
    }

    fn respond<R: Serialize>(&self, id: Option<MessageId>, outcome: Result<R, Fault>) {
        // A notification is done and not answered; what could not be read is answered without an id.
        let unreadable = matches!(&outcome, Err(fault) if matches!(fault.code, FaultCode::Parse | FaultCode::InvalidRequest));
        if id.is_some() || unreadable {
            self.outbox.answer(&RpcResponse::new(id, outcome));
        }
    }

    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of a call that only reads: equal calls may share one answer.
fn shared_question(call: &Call, request: &RpcRequest<'_>) -> Option<String> {
    call.traits().reads_only().then(|| [&request.method, "\n", request.params()].concat())
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.hub.connections.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests;
