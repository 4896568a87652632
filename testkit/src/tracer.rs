//! Runs a process from system call to system call, and lets a test look, fail a call, or kill it there.
//!
//! What the calls mean is the tests' business. Linux on x86-64 only: other machines name registers otherwise.
#![allow(unsafe_code, reason = "ptrace has no safe interface; every call here is on a child of this thread")]

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

use libc::{c_int, c_long, pid_t};

/// Of a `SIGTRAP` that is a system call, by `PTRACE_O_TRACESYSGOOD`.
const SYSCALL_TRAP: c_int = libc::SIGTRAP | 0x80;

/// Not in `libc` for every C library: Linux 5.3 and later.
const GET_SYSCALL_INFO: libc::c_uint = 0x420e;

/// One call that a test may care about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Opens a file and makes it if it is not there.
    Create(PathBuf),
    Write(PathBuf),
    /// Waits for the disk: `fsync` or `fdatasync`, on a file or a directory.
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    Remove(PathBuf),
    MakeDir(PathBuf),
    /// A write to standard error: what the process lets the world know.
    Tell,
    Other,
}

impl Call {
    /// Whether it changes the disk, or waits for it.
    pub fn changes(&self) -> bool {
        !matches!(self, Self::Tell | Self::Other)
    }

    /// The file that appears or changes.
    pub fn target(&self) -> Option<&Path> {
        match self {
            Self::Create(path) | Self::Write(path) | Self::Sync(path) => Some(path),
            Self::Rename(_, path) | Self::Link(_, path) | Self::Remove(path) | Self::MakeDir(path) => {
                Some(path)
            }
            Self::Tell | Self::Other => None,
        }
    }
}

/// Where the process stands.
#[derive(Debug)]
pub enum Moment<'a> {
    /// The call is about to be made.
    Before(&'a Call),
    /// The call was made, and is about to return; with the number of its error if it failed.
    After(&'a Call, Result<(), i32>),
}

/// What is done to the process at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Go,
    /// The call is not made and returns this error; only before it.
    Fail(i32),
    /// The process ends here, as by `kill -9`.
    Kill,
}

/// How the process ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Killed,
    Exited(i32),
}

/// A process that stops at its system calls.
pub struct Tracee {
    leader: pid_t,
    said: JoinHandle<String>,
    /// The calls that threads are in.
    calls: HashMap<pid_t, (Call, Next)>,
    begun: bool,
}

impl Tracee {
    /// Starts a process whose calls are watched from where it calls [`begin`]; fails if tracing is not allowed.
    pub fn start(mut command: Command) -> io::Result<Self> {
        command.stdout(Stdio::null());
        Self::spawn(command, false)
    }

    /// Starts a process that knows nothing of this, and whose calls are all watched; its standard output is left as it is.
    pub fn start_any(command: Command) -> io::Result<Self> {
        Self::spawn(command, true)
    }

    fn spawn(mut command: Command, begun: bool) -> io::Result<Self> {
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        // SAFETY: between fork and exec only `ptrace` is called, which is a bare system call.
        unsafe {
            command.pre_exec(|| match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            });
        }
        let mut child = command.spawn()?;
        let mut stderr = child.stderr.take().expect("it was piped");
        // A full pipe would stop the process while this thread waits for its next call.
        let said = std::thread::spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).expect("a pipe can be read");
            String::from_utf8_lossy(&text).into_owned()
        });
        let leader = pid_t::try_from(child.id()).expect("process ids fit");
        let (_, status) = wait(leader);
        assert!(libc::WIFSTOPPED(status), "a traced process stops when it has begun");
        let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_EXITKILL;
        request(libc::PTRACE_SETOPTIONS, leader, 0, c_long::from(options))?;
        request(if begun { libc::PTRACE_SYSCALL } else { libc::PTRACE_CONT }, leader, 0, 0)?;
        Ok(Self { leader, said, calls: HashMap::new(), begun })
    }

    /// Lets the process run, and asks `watch` at each moment what to do; returns how it ended and what it said.
    pub fn run(mut self, mut watch: impl FnMut(Moment<'_>) -> Next) -> (End, String) {
        let end = loop {
            let (thread, status) = wait(-1);
            if libc::WIFSTOPPED(status) {
                if self.stopped(thread, status, &mut watch) == Next::Kill {
                    // SAFETY: the process was started here and nobody has waited for it yet.
                    unsafe { libc::kill(self.leader, libc::SIGKILL) };
                }
            } else if thread == self.leader {
                let killed = libc::WIFSIGNALED(status);
                break if killed { End::Killed } else { End::Exited(libc::WEXITSTATUS(status)) };
            }
        };
        (end, self.said.join().expect("the reader does not panic"))
    }

    fn stopped(&mut self, thread: pid_t, status: c_int, watch: &mut impl FnMut(Moment<'_>) -> Next) -> Next {
        let signal = match libc::WSTOPSIG(status) {
            SYSCALL_TRAP => {
                if self.syscall(thread, watch) == Next::Kill {
                    return Next::Kill;
                }
                0
            }
            libc::SIGUSR1 => {
                self.begun = true;
                0
            }
            // The first stop of a new thread, and the notice that there is one.
            libc::SIGSTOP | libc::SIGTRAP => 0,
            signal => signal,
        };
        let how = if self.begun { libc::PTRACE_SYSCALL } else { libc::PTRACE_CONT };
        // A thread that is gone by now needs no more.
        let _ = request(how, thread, 0, c_long::from(signal));
        Next::Go
    }

    fn syscall(&mut self, thread: pid_t, watch: &mut impl FnMut(Moment<'_>) -> Next) -> Next {
        // The operation, three fields of no interest here, then number and arguments, or the result.
        let mut info = [0_u64; 11];
        let size = c_long::try_from(size_of_val(&info)).expect("it is small");
        // SAFETY: the kernel writes at most `size` bytes to the buffer, which has that size.
        let found = unsafe { libc::ptrace(GET_SYSCALL_INFO, thread, size, info.as_mut_ptr()) };
        if found < 0 {
            return Next::Go;
        }
        let [operation, _, _, number, args @ ..] = info;
        match operation & 0xff {
            1 => {
                let call = Memory(thread).call(number, &args[..6]);
                let next = watch(Moment::Before(&call));
                if let Next::Fail(_) = next {
                    set_register(thread, libc::ORIG_RAX, -1);
                }
                self.calls.insert(thread, (call, next));
                next
            }
            2 => {
                let Some((call, next)) = self.calls.remove(&thread) else { return Next::Go };
                let mut result = c_long::from_ne_bytes(number.to_ne_bytes());
                if let Next::Fail(error) = next {
                    result = -c_long::from(error);
                    set_register(thread, libc::RAX, result);
                }
                let failed = i32::try_from(-result).ok().filter(|error| (1..4096).contains(error));
                watch(Moment::After(&call, failed.map_or(Ok(()), Err)))
            }
            _ => Next::Go,
        }
    }
}

/// Called in the process itself: from here on its calls are watched.
pub fn begin() {
    // SAFETY: the tracer takes the signal before it is delivered.
    unsafe { libc::raise(libc::SIGUSR1) };
}

/// What a thread passed to a call.
struct Memory(pid_t);

impl Memory {
    fn call(&self, number: u64, args: &[u64]) -> Call {
        let here = c_long::from(libc::AT_FDCWD).cast_unsigned();
        match c_long::try_from(number).unwrap_or(-1) {
            libc::SYS_openat if args[2] & u64::from(libc::O_CREAT.cast_unsigned()) != 0 => {
                Call::Create(self.path(args[0], args[1]))
            }
            libc::SYS_write | libc::SYS_writev if args[0] == 2 => Call::Tell,
            libc::SYS_write | libc::SYS_writev | libc::SYS_pwrite64 => Call::Write(self.file(args[0])),
            libc::SYS_fsync | libc::SYS_fdatasync => Call::Sync(self.file(args[0])),
            libc::SYS_rename => Call::Rename(self.path(here, args[0]), self.path(here, args[1])),
            libc::SYS_renameat | libc::SYS_renameat2 => {
                Call::Rename(self.path(args[0], args[1]), self.path(args[2], args[3]))
            }
            libc::SYS_link => Call::Link(self.path(here, args[0]), self.path(here, args[1])),
            libc::SYS_linkat => Call::Link(self.path(args[0], args[1]), self.path(args[2], args[3])),
            libc::SYS_unlink | libc::SYS_rmdir => Call::Remove(self.path(here, args[0])),
            libc::SYS_unlinkat => Call::Remove(self.path(args[0], args[1])),
            libc::SYS_mkdir => Call::MakeDir(self.path(here, args[0])),
            libc::SYS_mkdirat => Call::MakeDir(self.path(args[0], args[1])),
            _ => Call::Other,
        }
    }

    fn file(&self, descriptor: u64) -> PathBuf {
        fs::read_link(format!("/proc/{}/fd/{descriptor}", self.0)).unwrap_or_default()
    }

    fn path(&self, dir: u64, address: u64) -> PathBuf {
        let mut bytes = vec![0; 4096];
        let memory = File::open(format!("/proc/{}/mem", self.0));
        let read = memory.and_then(|memory| memory.read_at(&mut bytes, address)).unwrap_or(0);
        bytes.truncate(read);
        bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(read));
        let path = PathBuf::from(OsString::from_vec(bytes));
        if path.is_absolute() { path } else { self.file(dir).join(path) }
    }
}

/// Waits for a child of this thread alone: others in this process have children too.
fn wait(whom: pid_t) -> (pid_t, c_int) {
    let mut status = 0;
    loop {
        // SAFETY: `status` outlives the call.
        let thread = unsafe { libc::waitpid(whom, &raw mut status, libc::__WALL | libc::__WNOTHREAD) };
        if thread > 0 {
            return (thread, status);
        }
        let error = io::Error::last_os_error();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted, "a child is there to wait for: {error}");
    }
}

fn set_register(thread: pid_t, register: c_int, value: c_long) {
    let offset = c_long::from(register) * 8;
    request(libc::PTRACE_POKEUSER, thread, offset, value).expect("a stopped thread has registers");
}

fn request(what: libc::c_uint, thread: pid_t, address: c_long, data: c_long) -> io::Result<()> {
    // SAFETY: none of the requests made here takes a pointer of this process.
    match unsafe { libc::ptrace(what, thread, address, data) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
