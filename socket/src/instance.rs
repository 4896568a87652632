//! The right to be the daemon of a user: one lock, one socket.
//!
//! The lock decides, and the system releases it however the process ends. A socket file without a listener
//! was left by a killed daemon; only the holder of the lock removes it.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::error::SocketError;
use super::runtime_dirs::RuntimeDirs;

/// How long a daemon that has closed its socket may take to finish its work.
const MAKING_ROOM: Duration = Duration::from_secs(20);

/// Between two looks whether it has.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What a daemon's lock file says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its process, if the file could be read.
    pub pid: Option<u32>,
    /// The version of the program.
    pub version: String,
}

/// The lock and the socket of the one daemon of a user.
///
/// Dropping it removes the socket it made; one that was passed stays with the process that passed it.
#[derive(Debug)]
pub struct DaemonInstance {
    listener: UnixListener,
    _lock: File,
    made: Option<PathBuf>,
}

/// Becomes the daemon of `dirs`, listening on `passed` or on a socket of its own.
///
/// A daemon that answers is [`SocketError::Taken`]; one that has closed its socket and is about to end is waited for.
pub fn claim(
    dirs: &RuntimeDirs,
    version: &str,
    passed: Option<UnixListener>,
) -> Result<DaemonInstance, SocketError> {
    dirs.prepare_runtime()?;
    let socket = dirs.socket()?;
    let lock = take(&dirs.instance_lock(), &socket, version, passed.is_some())?;
    let (listener, made) = match passed {
        Some(listener) => (listener, None),
        None => (listen(&socket)?, Some(socket)),
    };
    Ok(DaemonInstance { listener, _lock: lock, made })
}

impl DaemonInstance {
    /// The listening socket, for the runtime that will accept on it.
    pub fn listener(&self) -> io::Result<UnixListener> {
        self.listener.try_clone()
    }

    /// Lets no new client in; the lock is kept until the claim is dropped.
    pub fn close(&mut self) {
        if let Some(path) = self.made.take() {
            // It may already have been removed.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for DaemonInstance {
    fn drop(&mut self) {
        self.close();
    }
}

impl Owner {
    /// Who holds the lock of `dirs`, if it is held.
    pub fn of(dirs: &RuntimeDirs) -> Option<Self> {
        let file = File::open(dirs.instance_lock()).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(Self::read(&file)),
            Ok(()) | Err(TryLockError::Error(_)) => None,
        }
    }

    fn read(mut file: &File) -> Self {
        let mut text = String::new();
        // What cannot be read is not known, and that is all.
        let _ = file.take(256).read_to_string(&mut text);
        let _ = file.rewind();
        let mut words = text.split_whitespace();
        let pid = words.next().and_then(|word| word.parse().ok());
        Self { pid, version: words.next().unwrap_or("unknown").to_owned() }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "process {pid}, version {}", self.version),
            None => write!(f, "version {}", self.version),
        }
    }
}

fn take(path: &Path, socket: &Path, version: &str, activated: bool) -> Result<File, SocketError> {
    let failed = |source| SocketError::Listen { path: path.to_owned(), source };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let mut file = options.open(path).map_err(failed)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            // With a passed socket every connection succeeds, also while the daemon before us ends.
            Err(TryLockError::WouldBlock) if !activated && UnixStream::connect(socket).is_ok() => {
                return Err(SocketError::Taken { owner: Owner::read(&file) });
            }
            Err(TryLockError::WouldBlock) if began.elapsed() > MAKING_ROOM => {
                return Err(SocketError::Taken { owner: Owner::read(&file) });
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK_AGAIN),
        }
    }
    file.set_len(0).map_err(failed)?;
    writeln!(file, "{} {version}", std::process::id()).map_err(failed)?;
    Ok(file)
}

fn listen(path: &Path) -> Result<UnixListener, SocketError> {
    let failed = |source| SocketError::Listen { path: path.to_owned(), source };
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(failed)?;
    // Between these two calls only the folder keeps others out, which it does.
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    fn dirs(root: &tempfile::TempDir) -> RuntimeDirs {
        RuntimeDirs::at(root.path().join("run"), root.path().join("state"))
    }

    #[test]
    fn the_socket_is_its_users_alone_and_goes_with_the_claim() {
        let root = tempfile::tempdir().unwrap();
        let dirs = dirs(&root);
        let claimed = claim(&dirs, "1.2.3", None).unwrap();
        let socket = dirs.socket().unwrap();
        assert_eq!(fs::metadata(&socket).unwrap().mode() & 0o777, 0o600);
        UnixStream::connect(&socket).unwrap();
        drop(claimed);
        assert!(!socket.exists());
        assert_eq!(Owner::of(&dirs), None);
    }

    #[test]
    fn a_second_claim_finds_the_first() {
        let root = tempfile::tempdir().unwrap();
        let dirs = dirs(&root);
        let _first = claim(&dirs, "1.2.3", None).unwrap();
        let Err(SocketError::Taken { owner }) = claim(&dirs, "1.2.4", None) else {
            panic!("there can be only one");
        };
        assert_eq!(owner, Owner { pid: Some(std::process::id()), version: "1.2.3".into() });
        assert_eq!(Owner::of(&dirs), Some(owner));
    }

    #[test]
    fn what_a_killed_daemon_left_is_replaced() {
        let root = tempfile::tempdir().unwrap();
        let dirs = dirs(&root);
        dirs.prepare_runtime().unwrap();
        drop(UnixListener::bind(dirs.socket().unwrap()).unwrap());
        fs::write(dirs.instance_lock(), "4000000000 0.0.1 and much longer than what is written next")
            .unwrap();
        let _claim = claim(&dirs, "1.2.3", None).unwrap();
        UnixStream::connect(dirs.socket().unwrap()).unwrap();
        assert_eq!(Owner::of(&dirs).unwrap().version, "1.2.3");
    }

    #[test]
    fn a_daemon_that_is_about_to_end_is_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let dirs = dirs(&root);
        let mut first = claim(&dirs, "1", None).unwrap();
        first.close();
        let second = thread::spawn({
            let dirs = dirs.clone();
            move || claim(&dirs, "2", None).map(|_| ())
        });
        drop(first);
        second.join().unwrap().unwrap();
    }

    #[test]
    fn a_passed_socket_stays_when_the_claim_ends() {
        let root = tempfile::tempdir().unwrap();
        let dirs = dirs(&root);
        dirs.prepare_runtime().unwrap();
        let socket = dirs.socket().unwrap();
        let passed = UnixListener::bind(&socket).unwrap();
        drop(claim(&dirs, "1", Some(passed.try_clone().unwrap())).unwrap());
        UnixStream::connect(&socket).unwrap();
    }
}
