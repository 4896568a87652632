//! `postil daemon logs`: what the daemon wrote down.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use postil_protocol::LogLine;
use postil_socket::RuntimeDirs;

use super::install::{Managed, managed};
use crate::connect::refused;
use crate::failure::{Failure, FailureKind};
use crate::render::{OutputFormat, versioned};

/// The last part of a log is read for its last lines; they are short.
const TAIL_BYTES: u64 = 1 << 20;

/// How much of it.
#[derive(Debug, clap::Args)]
pub struct LogsArgs {
    /// Number of lines to print, from the end of the log
    #[arg(short = 'n', long, default_value_t = 100)]
    lines: usize,
}

/// Prints the last lines of the log.
pub fn run(args: &LogsArgs, format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    if let Managed::By(service) = managed()
        && let Some(journal) = service.journal()
    {
        let lines = args.lines.to_string();
        let mut command = Command::new(journal[0]);
        command.args(&journal[1..]).args(["-n", &lines]);
        let unread = |error: io::Error| {
            Failure::new(FailureKind::Unavailable, "could not read the journal").because(error)
        };
        if format == OutputFormat::Text {
            return Err(unread(command.exec()));
        }
        let journal = command.output().map_err(unread)?;
        return write(&String::from_utf8_lossy(&journal.stdout), args.lines, format, out);
    }
    let dirs = RuntimeDirs::of_this_user().map_err(|error| refused(error.into()))?;
    let path = dirs.log();
    let text = match tail(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Failure::new(FailureKind::CheckFailed, "no log file")
                .hint("a daemon in the foreground logs to its terminal"));
        }
        Err(error) => {
            return Err(Failure::new(FailureKind::Unavailable, format!("could not read {}", path.display()))
                .because(error));
        }
    };
    write(&text, args.lines, format, out)
}

/// Writes so many of the last lines.
fn write(text: &str, count: usize, format: OutputFormat, out: &mut impl Write) -> Result<(), Failure> {
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines[lines.len().saturating_sub(count)..] {
        let told = match format {
            OutputFormat::Text => (*line).to_owned(),
            OutputFormat::Json => versioned(&LogLine { line: (*line).to_owned() })?,
        };
        writeln!(out, "{told}").map_err(Failure::output)?;
    }
    Ok(())
}

fn tail(path: &std::path::Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
