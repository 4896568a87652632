//! The binaries under test, as cargo built them for this very run.

use std::path::Path;
use std::process::Command;

use super::finished::Finished;
use super::running::Running;
use super::world::{Checkout, World, words};

/// The file of the binary `postil`.
pub const POSTIL: &str = env!("CARGO_BIN_EXE_postil");

/// The folder of the binary `git-postil`.
pub fn folder_of_git_postil() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_git-postil")).parent().expect("a binary is in a folder")
}

impl World {
    /// Runs postil as nobody in particular, outside any repository.
    pub fn postil(&self, line: &str) -> Finished {
        Finished::run(self.command(POSTIL).env("POSTIL_DAEMON", "off").args(words(line)))
    }

    /// Starts postil as nobody in particular, and goes on.
    pub fn start_postil(&self, line: &str) -> Running {
        Running::start(self.command(POSTIL).args(words(line)))
    }
}

impl Checkout<'_> {
    /// Runs postil in this repository.
    pub fn postil(&self, line: &str) -> Finished {
        Finished::run(&mut self.postil_command(line))
    }

    /// Starts postil in this repository, and goes on.
    pub fn start_postil(&self, line: &str) -> Running {
        Running::start(&mut self.postil_command(line))
    }

    fn postil_command(&self, line: &str) -> Command {
        let mut command = self.command(POSTIL);
        // A daemon is for the stories about it; it would outlive the others.
        command.env("POSTIL_DAEMON", "off").args(words(line));
        command
    }
}
