//! The speed and size of the store, all subjects in turns, so that a busy minute spoils none of them alone.

use crate::BenchResult;
use crate::add::Add;
use crate::clock::{Samples, Timing, timed_child};
use crate::group::Group;
use crate::laboratory::{Laboratory, wait_for_disk};
use crate::merge::Merge;
use crate::read::ReadBench;
use crate::size::Size;
use crate::table::{self, BenchRow};

const ROUNDS: usize = 15;

/// One thing to measure.
pub trait Measurement {
    /// Does it once.
    fn round(&mut self) -> BenchResult<()>;

    /// What was found; `r` is the time of `git rev-parse HEAD`.
    fn lines(&self, r: Timing) -> Vec<BenchRow>;
}

/// Measures and prints the table.
pub fn run(options: &[&str]) -> BenchResult<()> {
    let (mut rounds, mut only) = (ROUNDS, Vec::new());
    for option in options.chunks(2) {
        match option {
            ["--rounds", count] => rounds = count.parse()?,
            ["--only", subject] => only.push(*subject),
            _ => return Err(crate::USAGE.into()),
        }
    }
    let laboratory = Laboratory::new()?;
    let wanted = |name: &str| only.is_empty() || only.contains(&name);
    let mut subjects: Vec<Box<dyn Measurement + '_>> = Vec::new();
    if wanted("add") {
        subjects.push(Box::new(Add::new(&laboratory)?));
    }
    if wanted("group") {
        subjects.push(Box::new(Group::new(&laboratory)?));
    }
    if wanted("read") {
        subjects.push(Box::new(ReadBench::new(&laboratory)?));
    }
    if wanted("merge") {
        subjects.push(Box::new(Merge::new(&laboratory)?));
    }
    if wanted("size") {
        subjects.push(Box::new(Size::new(&laboratory)?));
    }
    let (repo, _) = laboratory.repository("r", 1_000)?;
    let mut r = Samples::default();
    for _ in 0..rounds {
        wait_for_disk()?;
        for subject in &mut subjects {
            r.push(timed_child(&mut repo.command(&["rev-parse", "HEAD"]))?);
            subject.round()?;
        }
    }
    let r = r.median();
    let mut lines = vec![BenchRow::time("R: git rev-parse HEAD", r)];
    lines.extend(subjects.iter().flat_map(|subject| subject.lines(r)));
    table::print(&lines);
    Ok(())
}
