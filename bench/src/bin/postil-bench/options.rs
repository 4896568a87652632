//! What is said on the command line to whoever measures a `postil` as a program.

use std::path::PathBuf;

use crate::BenchResult;

/// What to measure, and how.
pub struct BenchOptions<'a> {
    /// The program: built beside this one, unless another is named.
    pub program: PathBuf,
    /// How many rounds.
    pub rounds: usize,
    /// How long an idle daemon is looked at.
    pub idle_seconds: u64,
    only: Vec<&'a str>,
}

impl<'a> BenchOptions<'a> {
    /// Reads them; `rounds` is how many there are if nobody says otherwise.
    pub fn read(words: &[&'a str], rounds: usize) -> BenchResult<Self> {
        let program = std::env::current_exe()?.with_file_name("postil");
        let mut options = Self { program, rounds, idle_seconds: 60, only: Vec::new() };
        for option in words.chunks(2) {
            match option {
                ["--rounds", count] => options.rounds = count.parse()?,
                ["--postil", path] => options.program = PathBuf::from(path),
                ["--idle", count] => options.idle_seconds = count.parse()?,
                ["--only", subject] => options.only.push(*subject),
                _ => return Err(crate::USAGE.into()),
            }
        }
        if !options.program.is_file() {
            let program = options.program.display();
            return Err(format!("build {program} first, or name another one with --postil").into());
        }
        Ok(options)
    }

    /// Whether somebody wants to know about this in particular.
    pub fn wants_by_name(&self, subject: &str) -> bool {
        self.only.contains(&subject)
    }

    /// Whether somebody wants to know about this.
    pub fn wants(&self, subject: &str) -> bool {
        self.only.is_empty() || self.only.contains(&subject)
    }
}
