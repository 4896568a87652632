//! One client: its requests, and its end.
//!
//! Every bound of a connection is here, but for that of its subscriptions, which have a file of their own. Requests are answered as they are done, not in the order they came.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use postil_core::protocol::{
    Call, Cancel, Control, ControlReply, Fault, FaultCode, MessageId, RpcRequest, RpcResponse,
};
use serde::Serialize;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::Instrument as _;

use crate::greet::{Greeting, greet};
use crate::hub::Hub;
use crate::lines::{Line, Lines};
use crate::outbox::{Outbox, outbox};
use crate::question::reads_only;
use crate::status;
use crate::subscriptions::Subscriptions;

/// A client with so many requests that are not answered yet is not read from until one is.
const MAX_IN_FLIGHT: usize = 64;

/// How long a client that is refused may take to say hello.
const LAST_WORD: Duration = Duration::from_secs(1);

/// So many requests of a client are worked on at once, and none begins while it leaves too many answers untaken.
const MAX_AT_ONCE: usize = 4;

/// Serves one client until it goes, is cut off, or the daemon stops.
///
/// Requests that were read are answered first, unless nobody is there to take the answers.
pub(crate) async fn serve(hub: Arc<Hub>, stream: UnixStream) {
    let (from, to) = stream.into_split();
    let (outbox, sending) = outbox();
    let sending = tokio::spawn(sending.run(to));
    let at_once = Semaphore::new(MAX_AT_ONCE);
    let subscriptions = Subscriptions::default();
    let connection = Arc::new(Connection { hub, outbox, at_once, subscriptions, state: Mutex::default() });
    let mut requests = JoinSet::new();
    let cut = connection.read(Lines::new(from), &mut requests).await;
    connection.subscriptions.end();
    if cut == Cut::Yes {
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
    // One that still speaks when nobody is there gets to know that, and not why.
    let _ = timeout(LAST_WORD, from.read(&mut [0; 1024])).await;
}

/// How reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// Nobody is there any more.
    Yes,
    /// Somebody waits for answers.
    No,
}

struct Connection {
    hub: Arc<Hub>,
    outbox: Outbox,
    /// Taken by each request until its answer waits to be sent.
    at_once: Semaphore,
    subscriptions: Subscriptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    greeted: bool,
    /// Requests that can still be taken back.
    running: BTreeMap<MessageId, Arc<Notify>>,
}

impl Connection {
    async fn read(
        self: &Arc<Self>,
        mut lines: Lines<impl tokio::io::AsyncRead + Unpin>,
        requests: &mut JoinSet<()>,
    ) -> Cut {
        loop {
            while requests.try_join_next().is_some() {}
            if requests.len() >= MAX_IN_FLIGHT {
                requests.join_next().await;
            }
            let line = tokio::select! {
                biased;
                () = self.outbox.is_cut() => return Cut::Yes,
                () = self.hub.stopping() => return Cut::No,
                line = async { self.outbox.room().await; lines.next().await } => line,
            };
            match line {
                Ok(Line::Message(line)) => self.receive(&line, requests),
                Ok(Line::End) => return Cut::No,
                Ok(Line::TooLong) => {
                    self.respond::<()>(None, Err(Fault::new(FaultCode::TooLarge, "the message is too long")));
                    return Cut::No;
                }
                Err(_) => return Cut::Yes,
            }
        }
    }

    fn receive(self: &Arc<Self>, line: &[u8], requests: &mut JoinSet<()>) {
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
                let question = reads_only(&call).then(|| [&request.method, "\n", request.params()].concat());
                self.call(id, call, question, requests);
            }
            Some(Err(fault)) => self.respond::<()>(id, Err(fault)),
            None => {
                let words = format!("there is no method {:?}", request.method);
                self.respond::<()>(id, Err(Fault::new(FaultCode::UnknownMethod, words)));
            }
        }
    }

    fn control(self: &Arc<Self>, id: Option<MessageId>, control: Control, requests: &mut JoinSet<()>) {
        let greeted = self.state().greeted;
        match control {
            Control::Hello(hello) => match greet(&self.hub.version, &hello) {
                Greeting::Welcome(welcome) => {
                    tracing::debug!(client = hello.client, version = hello.version, "client");
                    self.state().greeted = true;
                    self.respond(id, Ok(ControlReply::Hello(welcome)));
                }
                Greeting::Refused(fault) => self.respond::<()>(id, Err(fault)),
                Greeting::MakeRoom(fault) => {
                    tracing::info!(newer = hello.version, "making room for a newer version");
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
            Control::Remember(printed) => {
                let connection = Arc::clone(self);
                requests.spawn(async move {
                    let outcome = connection.hub.remember(printed).await;
                    connection.respond(id, outcome.map(ControlReply::Remember));
                });
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

    /// `question` tells two calls apart that only read; one that writes has none.
    fn call(
        self: &Arc<Self>,
        id: Option<MessageId>,
        call: Call,
        question: Option<String>,
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
                        (Err(Fault::new(FaultCode::Cancelled, "taken back")), None)
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

    fn respond<R: Serialize>(&self, id: Option<MessageId>, outcome: Result<R, Fault>) {
        // A notification is done and not answered; what could not be read is answered without an id.
        let unreadable = matches!(&outcome, Err(fault) if matches!(fault.code, FaultCode::Parse | FaultCode::InvalidRequest | FaultCode::TooLarge));
        if id.is_some() || unreadable {
            self.outbox.answer(&RpcResponse::new(id, outcome));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.hub.connections.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream as Blocking;
    use std::thread;

    use postil_core::protocol::{
        Client, ClientError, Hello, In, List, MAX_FRAME_BYTES, RepositoryName, Status, Subscribe, Topic,
    };
    use rustix::fs::{CWD, Mode, mkfifoat};
    use serde_json::json;

    use super::*;
    use crate::attend::attend;
    use crate::audience::Sort;
    use crate::fixture::{Held, TEN_SECONDS, World, run};
    use crate::named;
    use crate::outbox::MAX_WAITING_BYTES;

    /// Lets a client in, and runs it on a thread of its own while the connection is served.
    async fn with<T: Send + 'static>(
        world: &World,
        client: impl FnOnce(Blocking) -> T + Send + 'static,
    ) -> T {
        let (near, far) = Blocking::pair().unwrap();
        near.set_read_timeout(Some(TEN_SECONDS)).unwrap();
        far.set_nonblocking(true).unwrap();
        let client = thread::spawn(move || client(near));
        world.hub.connections.fetch_add(1, Ordering::SeqCst);
        serve(Arc::clone(&world.hub), UnixStream::from_std(far).unwrap()).await;
        tokio::task::spawn_blocking(move || client.join().unwrap()).await.unwrap()
    }

    fn hello() -> Hello {
        Hello::new("test", "1.0.0")
    }

    fn about<P>(world: &World, params: P) -> In<P> {
        In { repository: world.name(), author: None, at: None, utc_offset: 0, params }
    }

    fn code<T: std::fmt::Debug>(answer: Result<T, ClientError>) -> FaultCode {
        match answer {
            Err(ClientError::Fault(fault)) => fault.code,
            other => panic!("{other:?}"),
        }
    }

    /// Sends lines, closes its end, and returns the codes of what comes back.
    fn codes(mut stream: Blocking, lines: &[u8]) -> Vec<i64> {
        stream.write_all(lines).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        BufReader::new(stream)
            .lines()
            .map(|line| {
                let answer: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
                answer["error"]["code"].as_i64().unwrap_or_default()
            })
            .collect()
    }

    #[test]
    fn nonsense_is_answered_and_the_first_request_must_be_hello() {
        let found = run(async {
            let lines: &[u8] = b"{\n[]\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sing\"}\n\
                {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"hello\",\"params\":{\"protocol\":1}}\n\
                {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"sing\"}\n\
                {\"jsonrpc\":\"2.0\",\"method\":\"sing\"}\n\
                {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"unsubscribe\",\"params\":{\"subscription\":9}}\n";
            with(&World::new(attend), |stream| codes(stream, lines)).await
        });
        assert_eq!(found, [-32700, -32600, -32600, 0, -32601, 1]);
    }

    #[test]
    fn an_endless_line_is_refused_and_ends_the_connection() {
        let found = run(async {
            with(&World::new(attend), |mut stream| {
                let mut reading = stream.try_clone().unwrap();
                let writing = thread::spawn(move || {
                    // Fails once the other end has had enough.
                    let _ = stream.write_all(&vec![b'x'; MAX_FRAME_BYTES * 2]);
                });
                let mut answer = String::new();
                let _ = std::io::Read::read_to_string(&mut reading, &mut answer);
                writing.join().unwrap();
                answer
            })
            .await
        });
        assert!(found.contains("\"name\":\"too-large\""), "{found}");
    }

    #[test]
    fn a_defect_ends_one_request_and_nothing_else() {
        run(async {
            let world = World::new(attend);
            let (status, list) = (about(&world, Status::default()), about(&world, List::default()));
            with(&world, move |stream| {
                let (mut client, _) = Client::connect(stream, &hello()).unwrap();
                assert_eq!(code(client.ask(&status)), FaultCode::Internal);
                assert_eq!(client.ask(&list).unwrap().total, 1);
            })
            .await;
            assert_eq!(world.hub.connections.load(Ordering::SeqCst), 0);
        });
    }

    #[test]
    fn a_request_that_reads_can_be_taken_back() {
        run(async {
            let world = World::new(attend);
            let slow = Arc::clone(&world.fake.slow);
            let list = about(&world, List::default());
            let fake = Arc::clone(&world.fake);
            with(&world, move |stream| {
                let (mut client, _) = Client::connect(stream, &hello()).unwrap();
                let held = Held::of(slow);
                let pending = client.send(&list).unwrap();
                run(fake.until(|asked| asked.iter().any(|what| what == "list 1")));
                client.ask(&Cancel { id: pending.id().clone() }).unwrap();
                drop(held);
                // Whoever computes it is told to end.
                run(fake.until(|asked| asked.iter().any(|what| what == "stopped 1")));
                // The answer came before that of the cancelling, and was passed over; a second one never comes.
                assert_eq!(client.ask(&list).unwrap().total, 1);
            })
            .await;
        });
    }

    #[test]
    fn a_client_that_does_not_read_is_cut_off_without_harm_to_others() {
        run(async {
            let world = World::new(attend);
            world.attended().await;
            let (near, far) = Blocking::pair().unwrap();
            far.set_nonblocking(true).unwrap();
            world.hub.connections.fetch_add(1, Ordering::SeqCst);
            let deaf = tokio::spawn(serve(Arc::clone(&world.hub), UnixStream::from_std(far).unwrap()));
            // Every event has the repository's name as the client says it, which can be said at length.
            let long = format!("{}{}", world.git_dir().display(), "/.".repeat(2000));
            let name = RepositoryName { git_dir: long.as_str().into(), work_tree: None };
            let subscribe = |topic| Subscribe { repository: name.clone(), topic, work_tree: false };
            let (first, second) = (subscribe(Topic::Repository), subscribe(Topic::Repository));
            let _near = tokio::task::spawn_blocking(move || {
                let (mut client, _) = Client::connect(near, &hello()).unwrap();
                client.ask(&first).unwrap();
                client
            })
            .await
            .unwrap();
            let repository = world.hub.named(&world.name()).await.unwrap();
            let viewpoint = world.hub.viewpoint(name, Sort::Head).await.unwrap();
            with(&world, move |stream| {
                let (mut client, _) = Client::connect(stream, &hello()).unwrap();
                client.ask(&second).unwrap();
                // Events that this client reads and the other one does not.
                let enough = MAX_WAITING_BYTES / long.len() + 200;
                for _ in 0..enough {
                    repository.audience().resolving(&viewpoint, None);
                    client.next_event().unwrap().unwrap();
                }
            })
            .await;
            // At once, and not because it stalled.
            timeout(TEN_SECONDS, deaf).await.unwrap().unwrap();
        });
    }

    #[test]
    fn a_client_that_takes_no_answers_has_few_made() {
        run(async {
            let world = World::new(attend);
            world.attended().await;
            world.fake.wordy.store(MAX_WAITING_BYTES / 3, Ordering::SeqCst);
            let (near, far) = Blocking::pair().unwrap();
            far.set_nonblocking(true).unwrap();
            world.hub.connections.fetch_add(1, Ordering::SeqCst);
            let greedy = tokio::spawn(serve(Arc::clone(&world.hub), UnixStream::from_std(far).unwrap()));
            near.set_read_timeout(Some(TEN_SECONDS)).unwrap();
            let ask = |id: u32, method: &str, params: &serde_json::Value| {
                let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
                (&near).write_all(format!("{line}\n").as_bytes()).unwrap();
            };
            ask(0, "hello", &json!({"protocol": 1}));
            (1..=16).for_each(|n| ask(n, "list", &json!({"repository": world.name(), "limit": n})));
            let one = about(&world, List::default());
            world.fake.until(|asked| asked.iter().any(|what| what == "list 1")).await;
            // Requests to one repository take turns, so that this one comes behind all that were begun.
            with(&world, move |stream| {
                let (mut client, _) = Client::connect(stream, &hello()).unwrap();
                client.ask(&one).unwrap();
            })
            .await;
            let made = world.fake.asked().iter().filter(|what| *what == "list 1").count();
            assert!(made <= 3 + MAX_AT_ONCE + 1, "{made}");
            // All of them are made once they are taken.
            let taken = tokio::task::spawn_blocking(move || BufReader::new(near).lines().take(17).count());
            assert_eq!(taken.await.unwrap(), 17);
            greedy.await.unwrap();
        });
    }

    #[test]
    fn a_client_that_goes_before_it_is_subscribed_is_told_nothing() {
        run(async {
            let world = World::new(attend);
            let slow = Held::of(Arc::clone(&world.fake.slow));
            let lines = format!(
                "{}\n{}\n",
                r#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1}}"#,
                json!({"jsonrpc": "2.0", "id": 2, "method": "subscribe", "params": {"repository": world.name()}})
            );
            let (near, far) = Blocking::pair().unwrap();
            far.set_nonblocking(true).unwrap();
            world.hub.connections.fetch_add(1, Ordering::SeqCst);
            let served = tokio::spawn(serve(Arc::clone(&world.hub), UnixStream::from_std(far).unwrap()));
            (&near).write_all(lines.as_bytes()).unwrap();
            near.shutdown(Shutdown::Write).unwrap();
            world.fake.until(|asked| asked.iter().any(|what| what == "list 1")).await;
            drop(slow);
            timeout(TEN_SECONDS, served).await.expect("the connection ends").unwrap();
            assert_eq!(world.hub.named(&world.name()).await.unwrap().audience().len(), 0);
        });
    }

    #[test]
    fn a_disk_that_does_not_answer_keeps_nobody_else_waiting() {
        run(async {
            let world = World::new(attend);
            // Opening a pipe takes until somebody opens its other end.
            let folder = world.git_dir().join("hangs");
            fs::create_dir(&folder).unwrap();
            let pipe = folder.join("commondir");
            mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
            let mut hangs = about(&world, List::default());
            hangs.repository.git_dir = named::text(&folder);
            let list = about(&world, List::default());
            with(&world, move |stream| {
                let (mut client, _) = Client::connect(stream, &hello()).unwrap();
                let pending = client.send(&hangs).unwrap();
                let meanwhile = client.ask(&list).map(|list| list.total);
                drop(fs::OpenOptions::new().write(true).open(pipe));
                assert_eq!(meanwhile.unwrap(), 1);
                assert_eq!(code(client.wait::<In<List>>(&pending)), FaultCode::NoRepository);
            })
            .await;
        });
    }

    #[test]
    fn a_newer_client_makes_this_daemon_give_way() {
        run(async {
            let world = World::new(attend);
            with(&world, |stream| {
                let newer = Hello::new("test", "1.0.1");
                assert_eq!(code(Client::connect(stream, &newer)), FaultCode::Version);
            })
            .await;
            world.hub.stopping().await;
        });
    }
}
