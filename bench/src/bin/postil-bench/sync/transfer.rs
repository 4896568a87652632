//! How many bytes travel for new records, against those records packed and nothing else.

use std::fmt::Write as _;
use std::fs;

use postil_core::git::CommitId;

use crate::BenchResult;
use crate::clock::Timing;
use crate::comments::{Comments, Shape};
use crate::laboratory::{Bare, Laboratory, write};
use crate::store::Measurement;
use crate::table::{BenchRow, Goal};

const SHARED: usize = 1_000;
const NEW: usize = 1_000;

/// Measured once: it is the same in every round.
pub struct Transfer {
    lines: Vec<(String, f64)>,
}

impl Transfer {
    pub fn new(laboratory: &Laboratory) -> BenchResult<Self> {
        let mut lines = Vec::new();
        for group in [1, 10, NEW] {
            let mut comments = Comments::new(29)?;
            let (remote, commits) = laboratory.repository(&format!("transfer-{group}"), SHARED)?;
            remote.fill(comments.on_each(&commits, Shape::Full)?)?;
            let here = laboratory.folder(&format!("transfer-here-{group}"));
            let from = remote.dir.display().to_string();
            here.git(&["clone", "-q", "--bare", "--no-local", &from, "."])?;
            here.git(&["config", "fetch.unpackLimit", "1"])?;
            let fetch = ["fetch", "-q", &from, "+refs/notes/reviews:refs/notes/reviews"];
            here.git(&fetch)?;
            let before = packs(&here)?;
            let store = remote.open()?;
            let mut records = Vec::new();
            for at in (0..NEW).step_by(group) {
                // A review is about a few commits, and what is said of it comes together.
                let on: Vec<CommitId> = (at..at + group).map(|count| commits[count / 10 % SHARED]).collect();
                let notes = comments.on_each(&on, Shape::Full)?;
                records.extend(notes.iter().map(|(_, record)| record.as_bytes().to_vec()));
                write(&store, notes)?;
            }
            here.git(&fetch)?;
            let travelled = packs(&here)? - before;
            let alone = packed_alone(laboratory, &records, group)?;
            lines.push((
                format!("{NEW} new records in groups of {group}: {travelled} bytes travel"),
                travelled as f64 / alone as f64,
            ));
        }
        Ok(Self { lines })
    }
}

/// The size of a pack of these records, each as a blob, and nothing else.
fn packed_alone(laboratory: &Laboratory, records: &[Vec<u8>], group: usize) -> BenchResult<u64> {
    let repo = laboratory.folder(&format!("alone-{group}"));
    repo.git(&["init", "-q", "--bare", "."])?;
    let mut stream = Vec::new();
    for record in records {
        let mut head = String::new();
        writeln!(head, "blob\ndata {}", record.len())?;
        stream.extend_from_slice(head.as_bytes());
        stream.extend_from_slice(record);
        stream.push(b'\n');
    }
    repo.git(&["config", "fastimport.unpackLimit", "0"])?;
    repo.import(&stream, "alone")?;
    // As git packs for sending: with deltas.
    repo.git(&["repack", "-q", "-a", "-d", "-f", "-k"])?;
    packs(&repo)
}

fn packs(repo: &Bare) -> BenchResult<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(repo.dir.join("objects/pack"))? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|name| name == "pack") {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}

impl Measurement for Transfer {
    fn round(&mut self) -> BenchResult<()> {
        Ok(())
    }

    fn lines(&self, _: Timing) -> Vec<BenchRow> {
        let line = |(what, ratio): &(String, f64)| {
            BenchRow::figure(what, *ratio, "x of records").aim(Goal::AtMost(1.3))
        };
        self.lines.iter().map(line).collect()
    }
}
