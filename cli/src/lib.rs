//! The command line of postil: thin over the rooms of `core` and the daemon.
//!
//! Here are the words of the command line and what ties the rooms together. What a command does is in its own file
//! in `commands`; exit codes are in `exit` alone.

#![deny(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod connect;
mod demo;
pub mod exit;
mod failure;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use exit::Exit;
use failure::Failure;

/// Keep code-review comments in the repository they talk about
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, arg_required_else_help = true)]
struct Arguments {
    /// Run as if started in DIR (can be repeated; each is relative to the one before)
    #[arg(short = 'C', value_name = "DIR")]
    directory: Vec<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(commands::demo::DemoArgs),
    #[command(subcommand)]
    Daemon(commands::daemon::DaemonCommand),
}

/// Runs the command line of this process, under the name by which it was called.
pub fn main(called: &'static str) -> ExitCode {
    let arguments = match parse(called, std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(refusal) => {
            // Help and version go to stdout, the rest to stderr; a reader that is gone needs neither.
            let _ = refusal.print();
            return if refusal.use_stderr() { Exit::Usage } else { Exit::Success }.into();
        }
    };
    match run(arguments) {
        Ok(()) => Exit::Success.into(),
        Err(failure) => {
            let _ = write!(std::io::stderr(), "{failure}");
            Exit::of(&failure).into()
        }
    }
}

fn parse(called: &'static str, words: impl Iterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let matches = Arguments::command().name(called).bin_name(called).try_get_matches_from(words)?;
    Arguments::from_arg_matches(&matches)
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    // Joining an absolute path replaces what came before, as `git -C` has it.
    let directory: PathBuf = arguments.directory.iter().collect();
    let directory = if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory };
    match arguments.command {
        Command::Demo(args) => commands::demo::run(&args, &mut std::io::stdout().lock()),
        Command::Daemon(command) => {
            commands::daemon::run(&command, &directory, &mut std::io::stdout().lock())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, clap::Error> {
        parse("postil", line.split(' ').map(OsString::from))
    }

    #[test]
    fn the_words_of_the_command_line_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn each_directory_is_relative_to_the_one_before() {
        let directory = |line| parsed(line).unwrap().directory.iter().collect::<PathBuf>();
        assert_eq!(directory("postil -C a -C b daemon run"), PathBuf::from("a/b"));
        assert_eq!(directory("postil -C a -C /b daemon run"), PathBuf::from("/b"));
    }

    #[test]
    fn an_unknown_word_gets_a_suggestion() {
        let refusal = parsed("postil dmeo").unwrap_err().to_string();
        assert!(refusal.contains("'demo'"), "{refusal}");
    }
}
