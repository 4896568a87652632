//! A client's way to the daemon of its user: find it, start it where it is missing, shake hands.
//!
//! However many clients find none at once, one of them starts it and the others wait for that one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use postil_protocol::{Client, ClientError, FaultCode, Hello, MAKES_ROOM, Pending, Welcome};

use super::claim::Owner;
use super::error::SocketError;
use super::place::Place;

/// A daemon that does not shake hands for so long is taken to hang.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// A daemon that does not answer a request for so long is taken to hang.
const ANSWER: Duration = Duration::from_mins(2);

/// How long a client waits for a daemon to start, or for an older one to make room.
const PATIENCE: Duration = Duration::from_secs(30);

/// Between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// What to do where no daemon runs.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// Nothing.
    Never,
    /// Start this program as one: `program daemon run --detached`.
    With(&'a Path),
}

/// Why a client is not connected.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// There is no place for a daemon.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// None runs, and none was to be started.
    #[error("no daemon runs")]
    NotRunning,
    /// None runs, and none could be started.
    #[error("the daemon did not start: {0}")]
    NotStarted(String),
    /// One runs, but does not answer.
    #[error("the daemon does not answer")]
    Deaf(#[source] io::Error),
    /// One runs, and says no.
    #[error("the daemon refuses")]
    Refused(#[source] ClientError),
}

/// A client that said hello and does other things until it is answered.
#[derive(Debug)]
pub struct Knocking(Result<(Client, Pending), DialError>);

impl Knocking {
    /// Says hello to the daemon of `place`, if one runs.
    pub fn at(place: &Place, hello: &Hello) -> Self {
        Self(knock(place, hello))
    }

    /// Waits to be let in, and starts a daemon where none runs.
    ///
    /// A daemon that is older than this client makes room, and a new one is started.
    pub fn answered(
        self,
        place: &Place,
        hello: &Hello,
        start: Start<'_>,
    ) -> Result<(Client, Welcome), DialError> {
        let deadline = Instant::now() + PATIENCE;
        let mut knocked = self.0;
        loop {
            match knocked.and_then(let_in) {
                Err(DialError::NotRunning) => {}
                Err(DialError::Refused(error)) if is_making_room(&error, hello) => {
                    wait_for_room(place, deadline)?;
                }
                // It ended between letting us in and answering.
                Err(DialError::Refused(ClientError::Ended)) if Instant::now() < deadline => {
                    knocked = knock(place, hello);
                    continue;
                }
                answered => return answered,
            }
            match start {
                Start::Never => return Err(DialError::NotRunning),
                Start::With(_) if Instant::now() > deadline => {
                    return Err(DialError::NotStarted("it took too long".into()));
                }
                Start::With(program) => start_once(place, program, deadline)?,
            }
            knocked = knock(place, hello);
        }
    }
}

/// Says hello to a daemon that runs already.
fn knock(place: &Place, hello: &Hello) -> Result<(Client, Pending), DialError> {
    match place.check_runtime() {
        Err(SocketError::Folder { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            return Err(DialError::NotRunning);
        }
        checked => checked?,
    }
    let path = place.socket()?;
    let stream = match UnixStream::connect(&path) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Err(DialError::NotRunning);
        }
        Err(error) => return Err(DialError::Deaf(error)),
    };
    stream.set_read_timeout(Some(HANDSHAKE)).map_err(DialError::Deaf)?;
    Client::greet(stream, hello).map_err(DialError::Refused)
}

/// Waits for the answer to a hello.
fn let_in((mut client, pending): (Client, Pending)) -> Result<(Client, Welcome), DialError> {
    let welcome = client.wait::<Hello>(&pending).map_err(|error| match error {
        error if error.is_timeout() => DialError::Deaf(io::ErrorKind::TimedOut.into()),
        error => DialError::Refused(error),
    })?;
    client.stream().set_read_timeout(Some(ANSWER)).map_err(DialError::Deaf)?;
    Ok((client, welcome))
}

/// Whether the daemon ends because it is older than we are.
fn is_making_room(error: &ClientError, hello: &Hello) -> bool {
    let ClientError::Fault(fault) = error else { return false };
    fault.code == FaultCode::Version
        && fault.data.reason.as_deref() == Some(MAKES_ROOM)
        && !hello.version.is_empty()
}

fn wait_for_room(place: &Place, deadline: Instant) -> Result<(), DialError> {
    while Owner::of(place).is_some() {
        if Instant::now() > deadline {
            return Err(DialError::NotStarted("an older daemon does not make room".into()));
        }
        thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// Starts a daemon, unless somebody else just has.
fn start_once(place: &Place, program: &Path, deadline: Instant) -> Result<(), DialError> {
    place.prepare_runtime()?;
    let failed = |error: io::Error| DialError::NotStarted(error.to_string());
    let lock =
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(place.start_lock());
    let lock: File = lock.map_err(failed)?;
    loop {
        match lock.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                return Err(DialError::NotStarted("another client has been starting it for too long".into()));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK_AGAIN),
        }
    }
    // Whoever had the lock before us may have started one.
    if place.socket().is_ok_and(|path| UnixStream::connect(path).is_ok()) {
        return Ok(());
    }
    place.prepare_state()?;
    let mut child = spawn(place, program).map_err(failed)?;
    let mut said = String::new();
    let output = child.stdout.take().expect("standard output was asked for");
    // It says one line once clients can connect, or why they never will, and closes its output.
    let read = output.take(4096).read_to_string(&mut said);
    match (read, said.trim()) {
        (Ok(_), READY) => Ok(()),
        (Err(error), _) => Err(failed(error)),
        (Ok(_), "") => Err(DialError::NotStarted(format!("see {}", place.log().display()))),
        (Ok(_), words) => Err(DialError::NotStarted(words.to_owned())),
    }
}

/// What a daemon says on its standard output once clients can connect.
pub const READY: &str = "ready";

/// How the C library's allocator is to behave: one heap for all threads, and no more asked for than is needed.
///
/// Left alone it keeps a heap for each thread. What is given back, and when, the daemon says itself.
const HEAP: [(&str, &str); 2] = [("MALLOC_ARENA_MAX", "1"), ("MALLOC_TOP_PAD_", "16384")];

fn spawn(place: &Place, program: &Path) -> io::Result<Child> {
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(place.log())?;
    let mut command = Command::new(program);
    command
        .args(["daemon", "run", "--detached"])
        // A daemon that stands in a folder keeps its file system from being unmounted.
        .current_dir("/")
        .env("POSTIL_RUNTIME_DIR", place.runtime())
        .env("POSTIL_STATE_DIR", place.state())
        .envs(HEAP)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log);
    for name in super::environment::of_one_command() {
        command.env_remove(name);
    }
    keep_to_oneself();
    command.spawn()
}

/// Lets no program that is started from here on have what this one was given beyond its standard streams.
///
/// Whoever waits for the end of a pipe, a test for one, would else wait for the daemon to end.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "descriptors that nobody here opened have no owner to ask")]
fn keep_to_oneself() {
    const FIRST: libc::c_uint = 3;
    // SAFETY: nothing is closed; a flag is set on descriptors that exist. An old kernel refuses, and all is as before.
    unsafe {
        libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
    }
}

/// Other systems have no one call for it.
#[cfg(not(target_os = "linux"))]
fn keep_to_oneself() {}

#[cfg(test)]
mod tests {
    use postil_protocol::Fault;

    use super::*;

    #[test]
    fn whether_a_daemon_makes_room_is_decided_by_a_word_that_stays_and_not_by_its_message() {
        let hello = Hello::new("test", "1.2.3");
        let is_so = |fault: Fault| is_making_room(&ClientError::Fault(fault), &hello);
        assert!(is_so(Fault::new(FaultCode::Version, "reworded").reason(MAKES_ROOM)));
        assert!(!is_so(Fault::new(FaultCode::Version, "this daemon makes room")));
        assert!(!is_so(Fault::new(FaultCode::Version, "no").reason("other")));
        assert!(!is_making_room(&ClientError::Ended, &hello));
    }
}
