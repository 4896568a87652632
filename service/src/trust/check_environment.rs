//! One question to a program, within the time that is left.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::temporary_files::Scratch;
use crate::process::child::{self, ChildExit, ChildLimit, Failed};

/// What looking at one signature has: files, and time.
#[derive(Debug)]
pub(crate) struct CheckEnvironment {
    /// Where files for programs are put.
    pub scratch: PathBuf,
    /// Where programs run.
    pub folder: PathBuf,
    /// When all programs must have ended.
    pub deadline: Instant,
}

/// Why a program gave no answer that can be kept.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// There was no time left.
    Late,
    /// It could not be asked.
    Unable(String),
}

impl CheckEnvironment {
    /// A file for a program.
    pub fn file(&self, content: &[u8]) -> Result<Scratch, NoAnswer> {
        Scratch::new(&self.scratch, content)
            .map_err(|error| NoAnswer::Unable(format!("could not check it: {error}")))
    }

    /// Runs a program that reads `input`, without prompts and with English messages.
    pub fn ask(&self, program: &OsStr, args: &[&OsStr], input: &[u8]) -> Result<ChildExit, NoAnswer> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left < Duration::from_millis(1) {
            return Err(NoAnswer::Late);
        }
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.folder);
        command.env("LC_ALL", "C").env("TZ", "UTC0").env("SSH_ASKPASS_REQUIRE", "never");
        child::run_with(&mut command, input, ChildLimit::Limited(left)).map_err(|failed| match failed {
            Failed::TimedOut | Failed::Killed => NoAnswer::Late,
            Failed::Start(error) => {
                let program = Path::new(program).display().to_string();
                NoAnswer::Unable(format!("could not start {program}: {error}"))
            }
        })
    }
}

/// Words of a command line.
pub(crate) fn words<const N: usize>(words: [&str; N]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}
