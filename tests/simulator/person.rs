//! One person with a clone: runs commands, at whatever time their clock shows, and tells the model what came of them.

use std::cell::Cell;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, words};

/// How a command ended, as far as its words are concerned.
#[derive(Debug)]
pub enum Outcome {
    /// Acknowledged.
    Written {
        /// The id of the record.
        id: String,
        /// Whether it is a draft: so is every comment of a review that is one itself.
        draft: bool,
    },
    /// It failed, and says that nothing was written.
    Refused(String),
    /// It was killed, or lost its daemon: it may have been written.
    Uncertain,
}

/// Whether a command may use the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum With {
    Daemon,
    NoDaemon,
}

/// Somebody with a clone.
pub struct Someone<'world> {
    pub checkout: Checkout<'world>,
    /// What their clock shows, in seconds since 1970.
    pub clock: Cell<u64>,
}

impl Someone<'_> {
    /// A command of postil, at the time of their clock.
    pub fn command(&self, with: With, line: &str) -> Command {
        let mut command = self.checkout.command(POSTIL);
        command.args(words(line)).arg("--json");
        if with == With::NoDaemon {
            command.env("POSTIL_DAEMON", "off");
        }
        let now = format!("@{} +0000", self.clock.get());
        command.env("GIT_AUTHOR_DATE", &now).env("GIT_COMMITTER_DATE", &now);
        command
    }

    /// Runs a command that writes.
    pub fn write(&self, with: With, line: &str) -> Outcome {
        Outcome::of(&Finished::run(&mut self.command(with, line)))
    }

    /// Starts a command that writes, and goes on.
    pub fn start(&self, with: With, line: &str) -> Child {
        let mut command = self.command(with, line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap_or_else(|error| panic!("{command:?} did not start: {error}"))
    }
}

impl Outcome {
    /// What the end of a command means.
    #[track_caller]
    pub fn of(finished: &Finished) -> Self {
        Self::read(finished.exit(), &finished.stdout(), &finished.stderr())
    }

    /// What the end of a started command means.
    #[track_caller]
    pub fn of_child(child: Child) -> Self {
        let output = child.wait_with_output().expect("our own child");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self::read(output.status.code(), &text(&output.stdout), &text(&output.stderr))
    }

    #[track_caller]
    pub fn read(code: Option<i32>, stdout: &str, stderr: &str) -> Self {
        match code {
            Some(0) => {
                let answer: Value = serde_json::from_str(stdout.lines().next().unwrap_or_default())
                    .unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
                let id = answer["id"].as_str().unwrap_or_default().to_owned();
                let mut comments = answer["thread"]["comments"].as_array().into_iter().flatten();
                let own = comments.find(|comment| comment["id"] == id.as_str());
                Self::Written { draft: own.is_some_and(|own| own["draft"] == true), id }
            }
            None => Self::Uncertain,
            Some(1..=9) if stderr.contains("may or may not") => Self::Uncertain,
            Some(1..=9) => Self::Refused(stderr.to_owned()),
            Some(code) => panic!("ended with {code}: {stdout}{stderr}"),
        }
    }
}
