//! A process that runs while the story goes on, and what it says.
//!
//! It ends when it is dropped: asked first, then made to.

use std::io::{self, BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// How long it may take to say or to do something; far beyond what a loaded machine needs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running process.
#[derive(Debug)]
pub struct DemoProcess {
    child: Child,
    lines: Receiver<String>,
}

impl DemoProcess {
    /// Starts it, and listens to its standard error.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let (sender, lines) = mpsc::channel();
        let stderr = child.stderr.take().expect("standard error was asked for");
        thread::spawn(move || {
            // Ends when the process closes its end, or when the receiver is gone.
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, lines })
    }

    /// Waits until it says a line that holds `words`; `None` when it ends or takes too long.
    pub fn wait_for_line(&mut self, words: &str) -> Option<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let line = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()?;
            if line.contains(words) {
                return Some(line);
            }
        }
    }

    /// Asks it to end with SIGTERM; whether it did so with success.
    pub fn end(&mut self) -> bool {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let asked = pid.is_some_and(|pid| kill_process(pid, Signal::TERM).is_ok());
        if !asked || !self.falls_silent() {
            return false;
        }
        self.child.wait().is_ok_and(|status| status.success())
    }

    /// Whether it closes its standard error in time, as a process does that ends.
    fn falls_silent(&mut self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    }
}

impl Drop for DemoProcess {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) && !self.end() {
            // The process has already ended or cannot be stopped; there is nothing else to do.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
