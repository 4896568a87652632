//! A small blocking client: one request at a time, and events in between.
//!
//! The stream is an argument. A time limit is set on the stream: a read that times out fails with
//! [`FrameError::Stream`], and what was read so far is kept.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::marker::PhantomData;
use std::os::unix::net::UnixStream;

use serde::Serialize;
use serde::de::DeserializeSeed;

use super::fault::Fault;
use super::frame::{FrameError, Frames, write_frame};
use super::message::{AwaitedLine, Incoming, MessageId, Outgoing, read_awaited};
use crate::daemon::event::Event;
use crate::daemon::hello::{Hello, PROTOCOL_VERSION, Welcome};
use crate::method::Method;

/// Size of one read: a long list is read in a few pieces.
const BUFFER_BYTES: usize = 128 << 10;

/// If more events than this wait, the oldest are dropped: a client that only sends requests never reads them.
const MAX_WAITING_EVENTS: usize = 4096;

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The service returned an error.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The connection failed.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The service closed the connection.
    #[error("the connection was closed")]
    Ended,
    /// The answer does not have the expected form.
    #[error("could not read the answer")]
    Garbled(#[from] serde_json::Error),
}

/// One connection to a service.
#[derive(Debug)]
pub struct Client<R: Read = UnixStream, W: Write = UnixStream> {
    frames: Frames<BufReader<R>>,
    to: W,
    next_id: i64,
    events: VecDeque<Event>,
}

/// A request that was sent and is not answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a request that nobody waits for is answered all the same"]
pub struct Pending(MessageId);

impl Pending {
    /// The id to use in [`Cancel`](crate::Cancel).
    pub fn id(&self) -> &MessageId {
        &self.0
    }
}

impl Client {
    /// Performs the handshake over a connected socket.
    pub fn connect(stream: UnixStream, hello: &Hello) -> Result<(Self, Welcome), ClientError> {
        let (mut client, pending) = Self::send_hello(stream, hello)?;
        let welcome = client.wait::<Hello>(&pending)?;
        Ok((client, welcome))
    }

    /// Sends `hello` over a connected socket; the answer can be awaited later.
    pub fn send_hello(stream: UnixStream, hello: &Hello) -> Result<(Self, Pending), ClientError> {
        let to = stream.try_clone().map_err(FrameError::from)?;
        let mut client = Self::new(stream, to);
        let pending = client.send(hello)?;
        Ok((client, pending))
    }
}

impl<R: Read, W: Write> Client<R, W> {
    /// Performs the handshake over two streams.
    pub fn over(from: R, to: W, hello: &Hello) -> Result<(Self, Welcome), ClientError> {
        let mut client = Self::new(from, to);
        let welcome = client.ask(hello)?;
        Ok((client, welcome))
    }

    fn new(from: R, to: W) -> Self {
        let frames = Frames::new(BufReader::with_capacity(BUFFER_BYTES, from));
        Self { frames, to, next_id: 1, events: VecDeque::new() }
    }

    /// Sends a request, and waits for the answer.
    pub fn ask<M: Method>(&mut self, params: &M) -> Result<M::Answer, ClientError> {
        let pending = self.send(params)?;
        self.wait::<M>(&pending)
    }

    /// Sends a request without waiting.
    pub fn send<M: Method>(&mut self, params: &M) -> Result<Pending, ClientError> {
        self.send_as(M::NAME, params)
    }

    fn send_as(&mut self, method: &str, params: &impl Serialize) -> Result<Pending, ClientError> {
        let id = MessageId::Number(self.next_id);
        self.next_id += 1;
        write_frame(&mut self.to, &Outgoing::new(&id, method, params))?;
        Ok(Pending(id))
    }

    /// Waits for the answer to a request; events that come first are kept.
    pub fn wait<M: Method>(&mut self, pending: &Pending) -> Result<M::Answer, ClientError> {
        loop {
            self.wait_for_line()?;
            if let Some(answer) = self.read_answer(pending, PhantomData::<M::Answer>)? {
                return Ok(answer);
            }
        }
    }

    /// Waits for a line, which [`Client::read_answer`] reads.
    pub fn wait_for_line(&mut self) -> Result<(), ClientError> {
        self.frames.read()?.map(drop).ok_or(ClientError::Ended)
    }

    /// Reads the line that came last; `None` if it is not the answer to this request.
    pub fn read_answer<T, S>(&mut self, pending: &Pending, seed: S) -> Result<Option<T>, ClientError>
    where
        S: for<'de> DeserializeSeed<'de, Value = T>,
    {
        match read_awaited(self.frames.last(), &pending.0, seed)? {
            AwaitedLine::Answer(answer) => return Ok(Some(answer?)),
            AwaitedLine::Event(event) => self.keep(event),
            AwaitedLine::Other => {}
        }
        Ok(None)
    }

    /// Waits for the next event; `None` if the connection was closed.
    pub fn next_event(&mut self) -> Result<Option<Event>, ClientError> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            let Some(line) = self.frames.read()? else { return Ok(None) };
            if let Incoming::Event(event) = Incoming::parse(line)? {
                self.keep(event);
            }
        }
    }

    /// The stream that is read, to set a time limit on it.
    pub fn stream(&self) -> &R {
        self.frames.get_ref().get_ref()
    }

    fn keep(&mut self, event: Event) {
        if self.events.len() == MAX_WAITING_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }
}

impl Hello {
    /// The `hello` of a client of this version.
    pub fn new(client: &str, version: &str) -> Self {
        Self { protocol: PROTOCOL_VERSION, client: client.to_owned(), version: version.to_owned() }
    }
}

impl ClientError {
    /// Whether a read only timed out.
    pub fn is_timeout(&self) -> bool {
        let kind = match self {
            Self::Frame(FrameError::Stream(error)) => error.kind(),
            _ => return false,
        };
        matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daemon::control::{DaemonStop, Subscribe, Topic};
    use crate::{FaultCode, MAX_FRAME_BYTES, RepositoryName};

    const WELCOME: &str =
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"version":"0","pid":2,"capabilities":[]}}"#;

    fn talk(lines: &str) -> (Client<io::Cursor<String>, Vec<u8>>, Welcome) {
        let all = io::Cursor::new(format!("{WELCOME}\n{lines}"));
        Client::over(all, Vec::new(), &Hello::new("test", "0")).unwrap()
    }

    #[test]
    fn an_answer_is_found_behind_events_and_the_answers_to_others() {
        let lines = r#"{"jsonrpc":"2.0","method":"changed","params":{"subscription":1,"git_dir":"/r","mark":"m","changes":[],"threads":[],"reviews":[],"gone":[]}}
{"jsonrpc":"2.0","id":77,"result":5}
{"jsonrpc":"2.0","id":2,"result":null}
"#;
        let (mut client, welcome) = talk(lines);
        assert_eq!(welcome.pid, 2);
        client.ask(&DaemonStop {}).unwrap();
        assert!(matches!(client.next_event().unwrap(), Some(Event::Changed(_))));
        assert!(client.next_event().unwrap().is_none());
        let sent = String::from_utf8(client.to).unwrap();
        assert_eq!(
            sent.lines().nth(1).unwrap(),
            r#"{"jsonrpc":"2.0","id":2,"method":"daemon.stop","params":{}}"#
        );
    }

    #[test]
    fn an_answer_with_its_fields_in_any_order_is_read() {
        for answer in [
            r#"{"jsonrpc":"2.0","id":2,"result":{"subscription":7,"mark":"m"}}"#,
            r#"{"result":{"subscription":7,"mark":"m"},"id":2,"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"subscription":7,"mark":"m"},"more":{}}"#,
        ] {
            let (mut client, _) = talk(&format!("{answer}\n"));
            let params = Subscribe {
                repository: name(),
                topic: Topic::Repository,
                work_tree: false,
                since: None,
                via: None,
            };
            assert_eq!(client.ask(&params).unwrap().subscription, 7, "{answer}");
        }
    }

    fn name() -> RepositoryName {
        RepositoryName { git_dir: "/r".into(), work_tree: None }
    }

    #[test]
    fn a_fault_and_an_end_are_told_apart() {
        let fault = r#"{"jsonrpc":"2.0","id":2,"error":{"code":15,"message":"stopping"}}"#;
        let (mut client, _) = talk(&format!("{fault}\n"));
        match client.ask(&DaemonStop {}) {
            Err(ClientError::Fault(fault)) => assert_eq!(fault.code, FaultCode::Stopping),
            other => panic!("{other:?}"),
        }
        assert!(matches!(client.ask(&DaemonStop {}), Err(ClientError::Ended)));
    }

    #[test]
    fn a_service_that_never_ends_a_line_fills_no_memory() {
        let (mut client, _) = talk(&"x".repeat(MAX_FRAME_BYTES + 1));
        assert!(matches!(client.ask(&DaemonStop {}), Err(ClientError::Frame(FrameError::TooLarge))));
    }
}
