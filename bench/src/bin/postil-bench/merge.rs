//! Two stores that went different ways, against `git notes merge` of the same refs.

use std::collections::BTreeSet;

use postil_core::git::CommitId;
use postil_core::record::RecordId;

use crate::BenchResult;
use crate::clock::{Samples, Timing, timed, timed_child};
use crate::comments::{Comments, Shape};
use crate::laboratory::{Bare, Laboratory, NOTES, by, write};
use crate::store::Measurement;
use crate::table::{BenchRow, Goal, times};

/// Notes that both sides begin with.
const SHARED: usize = 10_000;

/// Records that each side adds: one half to notes of its own, the other to notes that both change.
const APART: usize = 1_000;

/// Records that are written together.
const GROUP: usize = 10;

const THEIRS: &str = "refs/notes/theirs";

/// Merges the same two stores in every round.
pub struct Merge<'a> {
    laboratory: &'a Laboratory,
    repo: Bare,
    theirs: CommitId,
    ours: Samples,
    git: Samples,
}

impl<'a> Merge<'a> {
    pub fn new(laboratory: &'a Laboratory) -> BenchResult<Self> {
        let mut comments = Comments::new(13)?;
        let (repo, commits) = laboratory.repository("merge", SHARED + APART)?;
        let (own, shared) = commits.split_at(APART);
        repo.fill(comments.on_each(shared, Shape::Short)?)?;
        let base = repo.tip(NOTES)?;
        let mut tips = Vec::new();
        for own in own.chunks(APART / 2) {
            repo.reset(base)?;
            let store = repo.open()?;
            let both: Vec<CommitId> =
                own.iter().zip(shared).flat_map(|(own, shared)| [*own, *shared]).collect();
            for group in both.chunks(GROUP) {
                write(&store, comments.on_each(group, Shape::Full)?)?;
            }
            tips.push(repo.tip(NOTES)?);
        }
        let [ours, theirs] = tips[..] else { return Err("there are two sides".into()) };
        repo.reset(ours)?;
        repo.git(&["update-ref", THEIRS, &theirs.to_string()])?;
        repo.collect_garbage()?;
        Ok(Self { laboratory, repo, theirs, ours: Samples::default(), git: Samples::default() })
    }
}

impl Measurement for Merge<'_> {
    fn round(&mut self) -> BenchResult<()> {
        let for_us = self.laboratory.copy(&self.repo)?;
        let (_, timing) = timed(|| Ok(for_us.open()?.merge(self.theirs, &by())?))?;
        self.ours.push(timing);
        let for_git = self.laboratory.copy(&self.repo)?;
        let merge = ["notes", "--ref=reviews", "merge", "-q", "-s", "union", THEIRS];
        self.git.push(timed_child(&mut for_git.command(&merge))?);
        let (ours, by_git) = (records(&for_us)?, records(&for_git)?);
        if ours != by_git || ours.len() != SHARED + 2 * APART {
            return Err(format!("postil merged to {} records, git to {}", ours.len(), by_git.len()).into());
        }
        Ok(())
    }

    fn lines(&self, _: Timing) -> Vec<BenchRow> {
        let (ours, git) = (self.ours.median(), self.git.median());
        let what = format!("merge 2 x {APART} records in stores of {SHARED} notes, durable");
        vec![
            BenchRow::time("git notes merge -s union of the same refs", git),
            BenchRow::ratio(what, ours, times(ours, git), "x of git").aim(Goal::AtMost(1.0)),
        ]
    }
}

fn records(repo: &Bare) -> BenchResult<BTreeSet<RecordId>> {
    Ok(repo.open()?.read()?.records().map(|(_, record)| record.id()).collect())
}
