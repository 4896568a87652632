//! A sync that finds nothing new, against the fetch and the push that anybody would have to do.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::BenchResult;
use crate::clock::{Samples, Timing, timed_child};
use crate::comments::{Comments, Shape};
use crate::laboratory::{Bare, Laboratory};
use crate::store::Measurement;
use crate::table::{BenchRow, Goal, times};

/// Notes that both sides have.
const SHARED: usize = 1_000;

/// Two repositories that have told each other everything.
pub struct Idle {
    program: PathBuf,
    repo: Bare,
    ours: Samples,
    git: Samples,
}

impl Idle {
    pub fn new(laboratory: &Laboratory, program: PathBuf) -> BenchResult<Self> {
        let (remote, commits) = laboratory.repository("idle-remote", SHARED)?;
        remote.fill(Comments::new(19)?.on_each(&commits, Shape::Full)?)?;
        let repo = laboratory.folder("idle");
        let from = remote.dir.display().to_string();
        repo.git(&["clone", "-q", &from, "."])?;
        let idle = Self { program, repo, ours: Samples::default(), git: Samples::default() };
        timed_child(&mut idle.sync())?;
        timed_child(&mut idle.repo.command(&FETCH))?;
        Ok(idle)
    }

    fn sync(&self) -> Command {
        let like = self.repo.command(&[]);
        let mut command = Command::new(&self.program);
        command.arg("sync").current_dir(&self.repo.dir).env_clear().env("POSTIL_DAEMON", "off");
        for (name, value) in like.get_envs() {
            command.envs(value.map(|value| (name, value)));
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }
}

const FETCH: [&str; 4] = ["fetch", "-q", "origin", "+refs/notes/reviews:refs/notes/theirs"];
const PUSH: [&str; 4] = ["push", "-q", "origin", "refs/notes/reviews:refs/notes/reviews"];

impl Measurement for Idle {
    fn round(&mut self) -> BenchResult<()> {
        self.ours.push(timed_child(&mut self.sync())?);
        let fetch = timed_child(&mut self.repo.command(&FETCH))?;
        let push = timed_child(&mut self.repo.command(&PUSH))?;
        self.git.push(fetch + push);
        Ok(())
    }

    fn lines(&self, _: Timing) -> Vec<BenchRow> {
        let (ours, git) = (self.ours.median(), self.git.median());
        let what = format!("postil sync with nothing new, {SHARED} notes on both sides");
        vec![
            BenchRow::time("git fetch and git push of the notes, nothing new", git),
            BenchRow::ratio(what, ours, times(ours, git), "x of git").aim(Goal::AtMost(1.2)),
        ]
    }
}
