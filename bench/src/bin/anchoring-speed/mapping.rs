//! One changed region at a time, with every layer and nothing remembered.

use std::num::NonZeroUsize;
use std::time::Duration;

use postil_core::anchoring::{Head, Position, locate};

use crate::BenchResult;
use crate::clock::{Timing, timed};
use crate::source::{Random, change, code, text};
use crate::stage::{BareRepository, WrittenFiles, anchor, blob};
use crate::table::{BenchRow, Goal};

const FILES: usize = 40;
const LINES: usize = 400;

pub fn measure() -> BenchResult<Vec<BenchRow>> {
    let mut dice = Random::new(4);
    let old: Vec<Vec<String>> = (0..FILES).map(|_| code(&mut dice, LINES)).collect();
    let mut new = old.clone();
    for file in &mut new {
        for _ in 0..3 {
            change(&mut dice, file);
        }
    }
    let path = |file: usize| format!("src/file_{file}.rs");
    let written = |files: &[Vec<String>]| -> WrittenFiles {
        files.iter().enumerate().map(|(file, lines)| (path(file), text(lines))).collect()
    };
    let stage = BareRepository::new(&[written(&old), written(&new)])?;
    let commits = stage.commits()?;
    let head: Head = stage.head(commits[1])?;
    let repo = stage.open()?;
    let mut taken: Vec<Duration> = Vec::new();
    for (file, lines) in old.iter().enumerate() {
        let content = text(lines);
        let blob = blob(content.as_bytes())?;
        for line in 1..=LINES as u32 - 3 {
            let lines = (line, line + line % 3);
            let anchors = [anchor(commits[0], &path(file), content.as_bytes(), blob, lines)?];
            let (positions, timing) = timed(|| Ok(locate(&repo, &anchors, head, NonZeroUsize::MIN)))?;
            for position in positions {
                if !matches!(position?, Position::Anchored { .. }) {
                    taken.push(timing.cpu);
                }
            }
        }
    }
    taken.sort_unstable();
    let at = |share: usize| Timing {
        wall: taken[taken.len() * share / 100],
        cpu: taken[taken.len() * share / 100],
    };
    let line = |what: &str, share: usize| {
        let timing = at(share);
        BenchRow::ratio(
            format!("{what} of {} changed regions", taken.len()),
            timing,
            timing.cpu.as_secs_f64() * 1e3,
            "ms",
        )
    };
    Ok(vec![line("the median", 50).aim(Goal::AtMost(0.5)), line("the 99th of a hundred", 99)])
}
