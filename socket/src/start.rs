//! Starts the daemon of a user from a client that found none.
//!
//! However many clients find none at once, one of them starts it and the others wait for that one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use super::connect::{ConnectError, LOOK_AGAIN};
use super::runtime_dirs::RuntimeDirs;

/// What a daemon says on its standard output once clients can connect.
pub const READY: &str = "ready";

/// Starts a daemon, unless another process has just done so.
pub(super) fn start_once(dirs: &RuntimeDirs, program: &Path, deadline: Instant) -> Result<(), ConnectError> {
    dirs.prepare_runtime()?;
    let failed = |error: io::Error| ConnectError::NotStarted(error.to_string());
    let lock =
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(dirs.start_lock());
    let lock: File = lock.map_err(failed)?;
    loop {
        match lock.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                return Err(ConnectError::NotStarted(
                    "timed out while another client was starting it".into(),
                ));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK_AGAIN),
        }
    }
    // The previous holder of the lock may have started one.
    if dirs.socket().is_ok_and(|path| UnixStream::connect(path).is_ok()) {
        return Ok(());
    }
    dirs.prepare_state()?;
    let mut child = spawn(dirs, program).map_err(failed)?;
    let mut said = String::new();
    let output = child.stdout.take().expect("standard output was asked for");
    // It says one line once clients can connect, or why they never will, and closes its output.
    let read = output.take(4096).read_to_string(&mut said);
    match (read, said.trim()) {
        (Ok(_), READY) => Ok(()),
        (Err(error), _) => Err(failed(error)),
        (Ok(_), "") => Err(ConnectError::NotStarted(format!("see {}", dirs.log().display()))),
        (Ok(_), words) => Err(ConnectError::NotStarted(words.to_owned())),
    }
}

fn spawn(dirs: &RuntimeDirs, program: &Path) -> io::Result<Child> {
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(dirs.log())?;
    let mut command = Command::new(program);
    command
        .args(["daemon", "run", "--detached"])
        // A daemon that runs in a folder keeps its file system from being unmounted.
        .current_dir("/")
        .env("POSTIL_RUNTIME_DIR", dirs.runtime())
        .env("POSTIL_STATE_DIR", dirs.state())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log);
    for name in super::environment::of_one_command() {
        command.env_remove(name);
    }
    keep_to_itself(&mut command);
    command.spawn()
}

/// Gives a program nothing of what this one has open beyond its standard streams.
///
/// A program that waits for the end of a pipe, such as a test, would otherwise wait for the daemon to end.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "descriptors that nobody here opened have no owner to ask")]
fn keep_to_itself(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;

    const FIRST: libc::c_uint = 3;
    // SAFETY: the call is safe between fork and exec. Nothing is closed before exec; a flag is set on descriptors that
    // exist, in the new process alone. An old kernel refuses, and all is as before.
    unsafe {
        command.pre_exec(|| {
            libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
            Ok(())
        });
    }
}

/// Other systems have no one call for it.
#[cfg(not(target_os = "linux"))]
fn keep_to_itself(_: &mut Command) {}
