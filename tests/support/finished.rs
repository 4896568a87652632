//! A command that has ended, and what is expected of it.

use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};

/// How a command ended, and all it printed.
pub struct Finished {
    line: String,
    output: Output,
}

impl Finished {
    /// Runs `command` to its end.
    pub fn run(command: &mut Command) -> Self {
        let output = command.output().unwrap_or_else(|error| panic!("{command:?} did not start: {error}"));
        Self { line: format!("{command:?}"), output }
    }

    /// Runs `command` to its end with the standard output that it has.
    pub fn run_as_is(command: &mut Command) -> Self {
        let child = command.stderr(Stdio::piped()).spawn();
        let output = child.and_then(Child::wait_with_output);
        let output = output.unwrap_or_else(|error| panic!("{command:?} did not start: {error}"));
        Self { line: format!("{command:?}"), output }
    }

    /// Runs `command` to its end with this text as its standard input; one that does not read it may end before.
    pub fn given(command: &mut Command, input: &str) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?} did not start: {error}"));
        let mut stdin = child.stdin.take().expect("it was piped");
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self { line: format!("{command:?}"), output }
    }

    /// A command that a test ran in its own way.
    pub fn of(output: Output) -> Self {
        Self { line: "a command".to_owned(), output }
    }

    /// Expects this exit code.
    #[track_caller]
    pub fn code(&self, expected: i32) -> &Self {
        assert_eq!(
            self.output.status.code(),
            Some(expected),
            "{}: {}{}",
            self.line,
            self.stdout(),
            self.stderr()
        );
        self
    }

    /// How it ended; none where it was killed.
    pub fn exit(&self) -> Option<i32> {
        self.output.status.code()
    }

    /// What it printed as its result.
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// What it printed beside.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}
