//! What a command could not do: what it tried, why not, and what to do next.
//!
//! `exit` maps each kind to an exit code.

use std::error::Error;
use std::fmt;
use std::io;

use postil_protocol::Advice;

use crate::sanitize;

/// A failed command, in the form that the user reads.
#[derive(Debug)]
pub struct Failure {
    kind: FailureKind,
    what: Box<str>,
    cause: Option<Box<dyn Error + Send + Sync>>,
    causes: Vec<String>,
    notes: Vec<String>,
    hint: Option<Box<str>>,
    for_programs: Box<ForPrograms>,
}

/// What only programs read.
#[derive(Debug, Default)]
struct ForPrograms {
    code: Option<Box<str>>,
    advice: Option<Advice>,
    /// Whether the result that was printed as JSON says it.
    in_result: bool,
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A check did not hold.
    CheckFailed,
    /// A check found what it looked for, and the result is already printed.
    Found,
    /// The command line asks for something that makes no sense.
    Usage,
    /// What was named does not exist, or is ambiguous.
    NotFound,
    /// Someone else's change is in the way.
    Conflict,
    /// The repository, the daemon, or something that they need cannot be used.
    Unavailable,
    /// It could do harm: to other people's words, to secrets, to files outside of the repository.
    Unsafe,
    /// A person or a supervisor ended it.
    Interrupted,
    /// The reader closed the output, so there is nothing to report.
    OutputClosed,
}

impl Failure {
    /// Says what was tried, without a full stop: "could not …", "… was not …".
    pub fn new(kind: FailureKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into().into(),
            cause: None,
            causes: Vec::new(),
            notes: Vec::new(),
            hint: None,
            for_programs: Box::default(),
        }
    }

    /// Adds why, with all its own causes.
    #[must_use]
    pub fn because(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Adds causes that are text, the nearest first.
    #[must_use]
    pub fn because_all(mut self, causes: impl IntoIterator<Item = String>) -> Self {
        self.causes.extend(causes);
        self
    }

    /// The same as the reason why a check could not look, which is never taken for a result of the check.
    #[must_use]
    pub fn in_check(self, what: &str) -> Self {
        let causes = std::iter::once(self.what.to_string()).chain(self.causes()).collect();
        Self { kind: FailureKind::Unavailable, what: what.into(), cause: None, causes, ..self }
    }

    /// Adds something else that is to be known.
    #[must_use]
    pub fn also(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into().into());
        self
    }

    /// Adds the word that programs know it by, where that says more than the kind.
    #[must_use]
    pub fn coded(mut self, code: &str) -> Self {
        self.for_programs.code = Some(code.into());
        self
    }

    /// Adds what the service advises, for programs.
    #[must_use]
    pub fn advised(mut self, advice: Option<Advice>) -> Self {
        self.for_programs.advice = advice;
        self
    }

    /// Says that the result that was printed as JSON contains it.
    #[must_use]
    pub fn in_result(mut self) -> Self {
        self.for_programs.in_result = true;
        self
    }

    /// Whether programs have yet to be told.
    pub fn is_untold(&self) -> bool {
        !self.for_programs.in_result && !matches!(self.kind, FailureKind::OutputClosed | FailureKind::Found)
    }

    /// What the service advises.
    pub fn advice(&self) -> Option<&Advice> {
        self.for_programs.advice.as_ref()
    }

    /// The word that programs know it by.
    pub fn code(&self) -> &str {
        let of_kind = match self.kind {
            FailureKind::CheckFailed => "check-failed",
            FailureKind::Found => "found",
            FailureKind::Usage => "usage",
            FailureKind::NotFound => "not-found",
            FailureKind::Conflict => "conflict",
            FailureKind::Unavailable => "unavailable",
            FailureKind::Unsafe => "unsafe",
            FailureKind::Interrupted => "interrupted",
            FailureKind::OutputClosed => "output-closed",
        };
        self.for_programs.code.as_deref().unwrap_or(of_kind)
    }

    /// What was tried.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Why, and why that; the nearest cause first.
    pub fn causes(&self) -> Vec<String> {
        let first = self.cause.as_deref().map(|cause| cause as &dyn Error);
        let chain = std::iter::successors(first, |error| (*error).source());
        chain.map(ToString::to_string).chain(self.causes.iter().cloned()).collect()
    }

    /// What to do next.
    pub fn next(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// What it means that standard output could not be written.
    pub fn output(error: io::Error) -> Self {
        let kind = if error.kind() == io::ErrorKind::BrokenPipe {
            FailureKind::OutputClosed
        } else {
            FailureKind::Unavailable
        };
        Self::new(kind, "could not write the output").because(error)
    }

    /// The outcome of a check whose result was printed: it is the same if the reader closed the output early.
    pub fn checked(found: bool, told: Result<(), Self>) -> Result<(), Self> {
        match told {
            Err(failure) if failure.kind != FailureKind::OutputClosed => Err(failure),
            _ if found => Err(Self::new(FailureKind::Found, String::new())),
            told => told,
        }
    }

    /// How a check ends that found nothing, but could not look everywhere.
    pub fn unchecked() -> Self {
        Self::new(FailureKind::Unavailable, "the check failed: some comments or commits could not be read")
            .hint("`postil doctor` and `git fsck` show what is missing")
    }

    /// What kind of failure it was.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }
}

impl fmt::Display for Failure {
    /// Prints whole lines, or nothing if there is nothing to report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(self.kind, FailureKind::OutputClosed | FailureKind::Found) {
            return Ok(());
        }
        writeln!(f, "error: {}", lines(&self.what))?;
        let mut cause = self.cause.as_deref().map(|cause| cause as &dyn Error);
        while let Some(error) = cause {
            // A cause of several lines stays under its own head.
            write_cause(f, &error.to_string())?;
            cause = error.source();
        }
        self.causes.iter().try_for_each(|cause| write_cause(f, cause))?;
        self.notes.iter().try_for_each(|note| writeln!(f, "note: {}", lines(note)))?;
        match &self.hint {
            Some(hint) => writeln!(f, "hint: {}", lines(hint)),
            None => Ok(()),
        }
    }
}

fn write_cause(f: &mut fmt::Formatter<'_>, cause: &str) -> fmt::Result {
    // A marker of gix for programs, which ends many of its chains.
    if cause == "NotFound" {
        return Ok(());
    }
    writeln!(f, "  because: {}", lines(cause.trim_end()).replace('\n', "\n           "))
}

/// A message may quote what others wrote: a path, a name, a branch. It stays as many lines as it is.
fn lines(message: &str) -> String {
    message.split('\n').map(|one| sanitize::line(one.as_bytes())).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_and_why_and_what_next() {
        let failure = Failure::new(FailureKind::Unavailable, "the tea was not made")
            .because("the kettle is cold\nand empty\n")
            .hint("fill it");
        let told = "error: the tea was not made\n  because: the kettle is cold\n           and empty\nhint: fill it\n";
        assert_eq!(failure.to_string(), told);
    }

    #[test]
    fn nothing_that_is_quoted_reaches_the_terminal_as_it_is() {
        let evil = "\u{1b}[2J\u{9b}31m\u{202e}\u{200b}";
        let failure = Failure::new(FailureKind::NotFound, evil).because(evil).also(evil).hint(evil);
        let told = failure.to_string();
        assert!(told.chars().all(|c| c.is_ascii() && (c == '\n' || !c.is_control())), "{told:?}");
    }

    #[test]
    fn a_check_ends_as_it_would_have_where_somebody_reads_it() {
        let closed = || Failure::output(io::ErrorKind::BrokenPipe.into());
        let full = || Failure::output(io::ErrorKind::StorageFull.into());
        let check = |found, told, kind: Option<FailureKind>| {
            assert_eq!(Failure::checked(found, told).err().map(|failure| failure.kind()), kind);
        };
        check(true, Ok(()), Some(FailureKind::Found));
        check(true, Err(closed()), Some(FailureKind::Found));
        check(true, Err(full()), Some(FailureKind::Unavailable));
        check(false, Ok(()), None);
        check(false, Err(closed()), Some(FailureKind::OutputClosed));
    }

    #[test]
    fn a_closed_output_is_passed_over_in_silence() {
        let closed = Failure::output(io::ErrorKind::BrokenPipe.into());
        assert_eq!((closed.kind(), closed.to_string()), (FailureKind::OutputClosed, String::new()));
        let full = Failure::output(io::ErrorKind::StorageFull.into());
        assert_eq!(full.kind(), FailureKind::Unavailable);
    }
}
