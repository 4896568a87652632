//! One command of postil in one repository, started again and again.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::BenchResult;
use crate::clock::{Samples, Timing, timed_child};
use crate::daemon::Commented;
use crate::table::{BenchRow, Goal, times};

/// Whether a daemon answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    ByDaemon,
    ByItself,
}

/// A command, and how many times longer than git's smallest it may take.
pub struct Task<'a> {
    what: String,
    repo: &'a Commented,
    words: &'static [&'static str],
    served: Served,
    most: Option<f64>,
    program: PathBuf,
    place: PathBuf,
    samples: Samples,
}

impl<'a> Task<'a> {
    pub fn new(
        what: impl Into<String>,
        repo: &'a Commented,
        words: &'static [&'static str],
        served: Served,
        most: f64,
        (program, place): (&Path, &Path),
    ) -> Self {
        let (program, place) = (program.to_owned(), place.to_owned());
        let (what, most, samples) = (what.into(), Some(most), Samples::default());
        Self { what, repo, words, served, most, program, place, samples }
    }

    /// The same, for comparison alone.
    pub fn without_aim(self) -> Self {
        Self { most: None, ..self }
    }

    /// Runs it once, to its end; what it prints is thrown away.
    pub fn round(&mut self) -> BenchResult<()> {
        self.samples.push(timed_child(&mut self.command())?);
        Ok(())
    }

    /// Runs it without measuring, so that what is kept is there.
    pub fn warm_up(&self) -> BenchResult<()> {
        timed_child(&mut self.command()).map(drop)
    }

    /// What it is.
    pub fn name(&self) -> &str {
        &self.what
    }

    /// How long it took.
    pub fn median(&self) -> Timing {
        self.samples.median()
    }

    /// Its figure, `unit` being the smallest command of git.
    pub fn line(&self, unit: &Samples) -> BenchRow {
        let median = self.median();
        let line = BenchRow::ratio(self.name(), median, times(median, unit.median()), "R");
        match self.most {
            Some(most) => line.aim(Goal::AtMost(most)),
            None => line,
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(self.words).current_dir(self.repo.folder()).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("HOME", &self.place).env("POSTIL_RUNTIME_DIR", self.place.join("run"));
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_AUTHOR_NAME", "A U Thor").env("GIT_AUTHOR_EMAIL", "author@example.com");
        if self.served == Served::ByItself {
            command.env("POSTIL_DAEMON", "off");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }
}
