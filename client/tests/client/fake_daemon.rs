//! A daemon that answers what a test tells it to, and stops when the test wants it to.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use postil_client::VERSION;
use postil_protocol::{MessageId, PROTOCOL_VERSION, RpcRequest};
use postil_socket::{RuntimeDirs, claim};

/// What a fake daemon does with a request that it read.
pub enum Act {
    /// It answers with this JSON.
    Answer(String),
    /// It answers after the next request.
    #[cfg_attr(
        not(feature = "async"),
        allow(dead_code, reason = "only an asynchronous session asks twice at once")
    )]
    AnswerLater(String),
    /// It answers, and sends this as an event.
    AnswerAndTell(String, String),
    /// It stops without an answer.
    Die,
}

/// A daemon of a test.
pub struct FakeDaemon {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    dirs: RuntimeDirs,
    is_stopped: AtomicBool,
    connections: Mutex<Vec<UnixStream>>,
    /// The methods that were asked for.
    asked: Mutex<Vec<String>>,
}

impl FakeDaemon {
    /// Listens in `dirs`, and lets `act` decide about every request but hellos.
    pub fn start(dirs: &RuntimeDirs, act: impl FnMut(&str) -> Act + Send + 'static) -> Self {
        let instance = claim(dirs, VERSION, None).expect("nobody else listens");
        let listener = instance.listener().expect("it can be copied");
        let state = Arc::new(State {
            dirs: dirs.clone(),
            is_stopped: AtomicBool::new(false),
            connections: Mutex::default(),
            asked: Mutex::default(),
        });
        let act = Arc::new(Mutex::new(act));
        let accepting = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            // The socket goes first, as that of a real daemon does.
            let (_instance, listener) = (instance, listener);
            while let Ok((stream, _)) = listener.accept() {
                if accepting.is_stopped.load(Ordering::SeqCst) {
                    return;
                }
                accepting.connections.lock().expect("no thread panicked").extend(stream.try_clone());
                let (state, act) = (Arc::clone(&accepting), Arc::clone(&act));
                std::thread::spawn(move || state.serve(stream, &*act));
            }
        });
        Self { state, thread: Some(thread) }
    }

    /// The methods that it was asked for so far, without hellos.
    pub fn asked(&self) -> Vec<String> {
        self.state.asked.lock().expect("no thread panicked").clone()
    }

    /// Stops it at once, whatever it does.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for FakeDaemon {
    fn drop(&mut self) {
        self.state.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl State {
    fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        for stream in self.connections.lock().expect("no thread panicked").drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        // Wakes the thread that waits for clients.
        let _ = self.dirs.socket().map(UnixStream::connect);
    }

    /// Serves one client.
    fn serve(&self, stream: UnixStream, act: &Mutex<impl FnMut(&str) -> Act>) {
        let mut to = stream.try_clone().expect("a socket can be copied");
        let mut later: Vec<String> = Vec::new();
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let request = RpcRequest::parse(line.as_bytes()).expect("clients send requests");
            let respond = |result: &str| {
                let Some(MessageId::Number(id)) = request.id.clone() else { panic!("ids are numbers") };
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n")
            };
            if request.method == "hello" {
                let welcome = format!(
                    r#"{{"protocol":{PROTOCOL_VERSION},"version":"{VERSION}","pid":1,"capabilities":[]}}"#
                );
                let _ = to.write_all(respond(&welcome).as_bytes());
                continue;
            }
            self.asked.lock().expect("no thread panicked").push(request.method.clone());
            let lines = match act.lock().expect("no thread panicked")(&request.method) {
                Act::Answer(result) => respond(&result) + &later.drain(..).collect::<String>(),
                Act::AnswerAndTell(result, event) => format!("{}{event}\n", respond(&result)),
                Act::AnswerLater(result) => {
                    later.push(respond(&result));
                    continue;
                }
                Act::Die => return self.stop(),
            };
            if to.write_all(lines.as_bytes()).is_err() {
                return;
            }
        }
    }
}
