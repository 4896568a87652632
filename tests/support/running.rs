//! A process that runs while a test goes on: what it says, and how it ends.
//!
//! Everything is waited for with a deadline; a process that outlives its test is killed.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Far longer than anything here takes, also on a loaded machine.
const TEN_SECONDS: Duration = Duration::from_secs(10);

/// A running process, listened to on its standard error.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Running {
    /// Starts `command`.
    pub fn start(command: &mut Command) -> Self {
        let started = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = started.unwrap_or_else(|error| panic!("{command:?} did not start: {error}"));
        let stderr = child.stderr.take().expect("standard error was asked for");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines, heard: Vec::new() }
    }

    /// Waits until it says a line that holds `words`, and returns that line.
    #[track_caller]
    pub fn until(&mut self, words: &str) -> String {
        let deadline = Instant::now() + TEN_SECONDS;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains(words) => return line,
                Ok(line) => self.heard.push(line),
                Err(why) => panic!("nothing about {words:?} ({why}), only {:#?}", self.heard),
            }
        }
    }

    /// Sends it a signal.
    #[track_caller]
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("a process that was not waited for can be signalled");
    }

    /// Asks it to end, and waits until it has.
    #[track_caller]
    pub fn end(mut self, signal: Signal) -> ExitStatus {
        self.signal(signal);
        self.wait()
    }

    /// Waits until it has ended by itself.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + TEN_SECONDS;
        loop {
            // It ends its standard error when it ends.
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.heard.push(line),
                Err(RecvTimeoutError::Disconnected) => {
                    return self.child.wait().expect("a child can be waited for");
                }
                Err(RecvTimeoutError::Timeout) => panic!("did not end; it said {:#?}", self.heard),
            }
        }
    }

    fn pid(&self) -> Pid {
        let id = i32::try_from(self.child.id()).expect("process ids fit");
        Pid::from_raw(id).expect("no process has id zero")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it has ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
