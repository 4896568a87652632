//! One record more, durable, in stores of several sizes.

use postil_core::git::CommitId;
use postil_core::notes::{Home, Store};
use postil_core::record::Record;

use crate::BenchResult;
use crate::clock::{Samples, Timing, timed};
use crate::comments::{Comments, Shape};
use crate::laboratory::{Bare, Laboratory, by};
use crate::store::Measurement;
use crate::table::{BenchRow, Goal, times};

const SIZES: [usize; 3] = [100, 10_000, 100_000];

/// Commits without a note; more rounds than that are not measured.
const SPARE: usize = 256;

/// Adds one record a round to each of three stores, which stay open, as in a daemon.
pub struct Add {
    stores: Vec<Growing>,
}

struct Growing {
    _repo: Bare,
    store: Store,
    /// Records for commits that have no note yet.
    next: Vec<(Home, Record)>,
    samples: Samples,
}

impl Add {
    pub fn new(laboratory: &Laboratory) -> BenchResult<Self> {
        let mut stores = Vec::new();
        for size in SIZES {
            let mut comments = Comments::new(size as u64)?;
            let (repo, commits) = laboratory.repository(&format!("add-{size}"), size + SPARE)?;
            let (spare, noted) = commits.split_at(SPARE);
            repo.fill(comments.on_each(noted, Shape::Short)?)?;
            let next = comments.at_home(spare, Shape::Full)?;
            stores.push(Growing { store: repo.open()?, _repo: repo, next, samples: Samples::default() });
        }
        Ok(Self { stores })
    }
}

impl Measurement for Add {
    fn round(&mut self) -> BenchResult<()> {
        for growing in &mut self.stores {
            let (home, record) = growing.next.pop().ok_or("more rounds than spare commits")?;
            let batch = growing.store.batch().add(home, record);
            let (_, timing) = timed(|| Ok(batch.write(&by(), "Comment on a change")?))?;
            growing.samples.push(timing);
        }
        Ok(())
    }

    fn lines(&self, r: Timing) -> Vec<BenchRow> {
        let medians: Vec<Timing> = self.stores.iter().map(|growing| growing.samples.median()).collect();
        let [few, some, many] = medians[..] else { return Vec::new() };
        vec![
            BenchRow::ratio("add a record to 100 notes, durable", few, times(few, r), "R"),
            BenchRow::ratio("add a record to 10,000 notes, durable", some, times(some, r), "R")
                .aim(Goal::AtMost(4.0)),
            BenchRow::ratio("add a record to 100,000 notes, durable", many, times(many, few), "x of 100")
                .aim(Goal::AtMost(1.5)),
        ]
    }
}

impl Comments {
    /// Makes a comment on each commit.
    pub fn on_each(&mut self, commits: &[CommitId], shape: Shape) -> BenchResult<Vec<(CommitId, Record)>> {
        commits.iter().map(|commit| Ok((*commit, self.on(*commit, shape)?.1))).collect()
    }

    /// Makes a comment on each commit, to be put where comments go.
    fn at_home(&mut self, commits: &[CommitId], shape: Shape) -> BenchResult<Vec<(Home, Record)>> {
        let at_home = |commit: &CommitId| {
            let (blob, record) = self.on(*commit, shape)?;
            Ok((Home::Anchor { commit: Some(*commit), blob }, record))
        };
        commits.iter().map(at_home).collect()
    }
}
