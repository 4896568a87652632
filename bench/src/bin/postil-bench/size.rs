//! What a comment costs on disk, once `git gc` has packed it.

use std::fs;
use std::path::Path;

use crate::BenchResult;
use crate::clock::Timing;
use crate::comments::{Comments, Shape};
use crate::laboratory::{Laboratory, write};
use crate::store::Measurement;
use crate::table::{BenchRow, Goal};

const GROUP: usize = 10;
const GROUPS: usize = 200;

/// Measured once: it is the same in every round.
pub struct Size {
    lines: Vec<(String, f64, Option<Goal>)>,
}

impl Size {
    pub fn new(laboratory: &Laboratory) -> BenchResult<Self> {
        let mut lines = Vec::new();
        for (shape, groups_in_a_note) in [(Shape::Short, 1), (Shape::Short, 10), (Shape::Full, 1)] {
            let mut comments = Comments::new(17)?;
            let name = format!("size-{shape:?}-{groups_in_a_note}");
            let (repo, commits) = laboratory.repository(&name, GROUPS)?;
            repo.collect_garbage()?;
            let before = bytes_below(&repo.dir.join("objects"))?;
            let store = repo.open()?;
            let mut raw = 0;
            for count in 0..GROUPS {
                // Reviews take turns: what belongs to one note is written at different times.
                let commit = commits[count % (GROUPS / groups_in_a_note)];
                let notes = comments.on_each(&[commit; GROUP], shape)?;
                raw += notes.iter().map(|(_, record)| record.as_bytes().len()).sum::<usize>();
                write(&store, notes)?;
            }
            repo.collect_garbage()?;
            let packed = bytes_below(&repo.dir.join("objects"))? - before;
            let (raw, packed) = (raw / (GROUP * GROUPS), packed as f64 / (GROUP * GROUPS) as f64);
            let what = format!(
                "after git gc, a comment of {raw} bytes, in groups of ten, {} in a note",
                GROUP * groups_in_a_note
            );
            lines.push((what, packed, (shape == Shape::Short).then_some(Goal::AtMost(250.0))));
        }
        Ok(Self { lines })
    }
}

impl Measurement for Size {
    fn round(&mut self) -> BenchResult<()> {
        Ok(())
    }

    fn lines(&self, _: Timing) -> Vec<BenchRow> {
        let line = |(what, bytes, target): &(String, f64, Option<Goal>)| {
            let line = BenchRow::figure(what, *bytes, "bytes");
            target.map_or_else(|| BenchRow::figure(what, *bytes, "bytes"), |target| line.aim(target))
        };
        self.lines.iter().map(line).collect()
    }
}

/// Packs, their indexes, and whatever else there is.
fn bytes_below(dir: &Path) -> BenchResult<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let file = entry.metadata()?;
        bytes += if file.is_dir() { bytes_below(&entry.path())? } else { file.len() };
    }
    Ok(bytes)
}
