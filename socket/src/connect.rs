//! A client's way to the daemon of its user: find it, start it if it is missing, shake hands.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{Client, ClientError, FaultCode, Hello, MAKES_ROOM, Pending, Welcome};

use super::error::SocketError;
use super::instance::Owner;
use super::peer;
use super::runtime_dirs::RuntimeDirs;
use super::start::start_once;

/// A daemon that does not shake hands for so long is taken to hang.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// A daemon that does not answer a request for so long is taken to hang.
const ANSWER: Duration = Duration::from_mins(2);

/// How long a client waits for a daemon to start, or for an older one to make room.
const PATIENCE: Duration = Duration::from_secs(30);

/// Between two looks.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// What to do if no daemon runs.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// Nothing.
    Never,
    /// Start this program as one: `program daemon run --detached`.
    With(&'a Path),
}

/// Why a client is not connected.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The folders of the daemon cannot be used.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// None runs, and none was to be started.
    #[error("the daemon is not running")]
    NotRunning,
    /// None runs, and none could be started.
    #[error("the daemon did not start: {0}")]
    NotStarted(String),
    /// One runs, but does not answer.
    #[error("the daemon did not answer")]
    NoAnswer(#[source] io::Error),
    /// One runs, and says no.
    #[error("the daemon refused the connection")]
    Refused(#[source] ClientError),
}

/// A hello to the daemon of a user, which it answers while its client does other things.
#[derive(Debug)]
#[must_use = "a hello that nobody waits for connects nobody"]
pub struct PendingConnect {
    dirs: RuntimeDirs,
    hello: Hello,
    sent: Result<(Client, Pending), ConnectError>,
}

impl PendingConnect {
    /// Sends `hello` to the daemon of `dirs`, if one runs.
    pub fn begin(dirs: RuntimeDirs, hello: Hello) -> Self {
        let sent = say_hello(&dirs, &hello);
        Self { dirs, hello, sent }
    }

    /// Waits for the welcome, and starts a daemon if none runs.
    ///
    /// A daemon that is older than this client makes room, and a new one is started.
    pub fn finish(self, start: Start<'_>) -> Result<(Client, Welcome), ConnectError> {
        let Self { dirs, hello, mut sent } = self;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match sent.and_then(welcomed) {
                Err(ConnectError::NotRunning) => {}
                Err(ConnectError::Refused(error)) if is_making_room(&error) => {
                    wait_for_room(&dirs, deadline)?;
                }
                // It ended between letting us in and answering.
                Err(ConnectError::Refused(ClientError::Ended)) if Instant::now() < deadline => {
                    sent = say_hello(&dirs, &hello);
                    continue;
                }
                answered => return answered,
            }
            match start {
                Start::Never => return Err(ConnectError::NotRunning),
                Start::With(_) if Instant::now() > deadline => {
                    return Err(ConnectError::NotStarted("it took too long".into()));
                }
                Start::With(program) => start_once(&dirs, program, deadline)?,
            }
            sent = say_hello(&dirs, &hello);
        }
    }
}

/// Sends `hello` to a daemon that runs already; a process of another user is sent nothing.
fn say_hello(dirs: &RuntimeDirs, hello: &Hello) -> Result<(Client, Pending), ConnectError> {
    match dirs.check_runtime() {
        Err(SocketError::Folder { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            return Err(ConnectError::NotRunning);
        }
        checked => checked?,
    }
    let path = dirs.socket()?;
    let stream = match UnixStream::connect(&path) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Err(ConnectError::NotRunning);
        }
        Err(error) => return Err(ConnectError::NoAnswer(error)),
    };
    peer::check(&stream, &path, rustix::process::geteuid().as_raw())?;
    stream.set_read_timeout(Some(HANDSHAKE)).map_err(ConnectError::NoAnswer)?;
    Client::send_hello(stream, hello).map_err(ConnectError::Refused)
}

/// Waits for the answer to a hello.
fn welcomed((mut client, pending): (Client, Pending)) -> Result<(Client, Welcome), ConnectError> {
    let welcome = client.wait::<Hello>(&pending).map_err(|error| match error {
        error if error.is_timeout() => ConnectError::NoAnswer(io::ErrorKind::TimedOut.into()),
        error => ConnectError::Refused(error),
    })?;
    client.stream().set_read_timeout(Some(ANSWER)).map_err(ConnectError::NoAnswer)?;
    Ok((client, welcome))
}

/// Whether the daemon ends because it is older than we are.
fn is_making_room(error: &ClientError) -> bool {
    let ClientError::Fault(fault) = error else { return false };
    fault.code == FaultCode::Version && fault.data.reason.as_deref() == Some(MAKES_ROOM)
}

fn wait_for_room(dirs: &RuntimeDirs, deadline: Instant) -> Result<(), ConnectError> {
    while Owner::of(dirs).is_some() {
        if Instant::now() > deadline {
            return Err(ConnectError::NotStarted("an older daemon did not stop".into()));
        }
        thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Read as _;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::net::UnixListener;

    use super::*;

    const NOBODY: libc::uid_t = 65_534;

    #[test]
    fn a_process_of_another_user_is_sent_nothing() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let dirs = RuntimeDirs::at(folder.path().join("runtime"), folder.path().join("state"));
        dirs.prepare_runtime().unwrap();
        let listener = UnixListener::bind(dirs.socket().unwrap()).unwrap();
        listen_as(NOBODY, &listener);
        let begun = PendingConnect::begin(dirs, Hello::new("test", "1.0.0"));
        let refused = begun.finish(Start::Never).unwrap_err();
        let is_theirs = |error: &ConnectError| {
            matches!(error, ConnectError::Socket(SocketError::ForeignListener { found: NOBODY, .. }))
        };
        assert!(is_theirs(&refused), "{refused:?}");
        let (mut stream, _) = listener.accept().unwrap();
        let mut received = Vec::new();
        stream.read_to_end(&mut received).unwrap();
        assert_eq!(received, b"");
    }

    /// Listens again as another user, whom a client sees from then on. The system has users of threads, unlike its
    /// library, so this process stays who it is.
    #[expect(unsafe_code, reason = "the standard library has no users of threads")]
    fn listen_as(user: libc::uid_t, listener: &UnixListener) {
        const SAME: libc::uid_t = libc::uid_t::MAX;
        let socket = listener.as_raw_fd();
        // SAFETY: both calls take numbers and no pointer; the socket is open until this thread has ended.
        let listen = move || unsafe {
            assert_eq!(libc::syscall(libc::SYS_setresuid, SAME, user, SAME), 0);
            assert_eq!(libc::listen(socket, 1), 0);
        };
        thread::spawn(listen).join().expect("the system's own user may become another");
    }
}
