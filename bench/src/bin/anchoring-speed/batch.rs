//! Many comments over many files, of which a commit changes some.

use std::sync::Arc;
use std::thread;

use postil_core::anchoring::{Head, LocateOptions, MapCache, locate};
use postil_core::record::Anchor;

use crate::BenchResult;
use crate::clock::{Samples, timed};
use crate::source::{Random, change, code, text};
use crate::stage::{BareRepository, WrittenFiles, anchor, blob};
use crate::table::{BenchRow, Goal, times};

const FILES: usize = 1_000;
const LINES: usize = 400;

/// One file of so many is changed.
const CHANGED: usize = 20;

const ROUNDS: usize = 15;

pub fn measure() -> BenchResult<Vec<BenchRow>> {
    let mut dice = Random::new(1);
    let old: Vec<Vec<String>> = (0..FILES).map(|_| code(&mut dice, LINES)).collect();
    let mut new = old.clone();
    for file in (0..FILES).step_by(CHANGED) {
        change(&mut dice, &mut new[file]);
    }
    let path = |file: usize| format!("src/part_{}/file_{file}.rs", file % 25);
    let written = |files: &[Vec<String>]| -> WrittenFiles {
        files.iter().enumerate().map(|(file, lines)| (path(file), text(lines))).collect()
    };
    let stage = BareRepository::new(&[written(&old), written(&new)])?;
    let commits = stage.commits()?;
    let head = stage.head(commits[1])?;
    let comments = |each: usize| -> BenchResult<Vec<Anchor>> {
        let mut anchors = Vec::with_capacity(each * FILES);
        for (file, lines) in old.iter().enumerate() {
            let content = text(lines);
            let blob = blob(content.as_bytes())?;
            for comment in 0..each {
                let line = (1 + comment * LINES / each) as u32;
                anchors.push(anchor(commits[0], &path(file), content.as_bytes(), blob, (line, line))?);
            }
        }
        Ok(anchors)
    };
    let (few, many) = (comments(10)?, comments(100)?);
    let (mut git, mut cold, mut warm, mut cold_many, mut own) = Default::default();
    let caches = tempfile::tempdir()?;
    for _ in 0..ROUNDS {
        git_round(&stage, &commits, &mut git)?;
        round(&stage, &few, head, None, &mut cold)?;
        let maps = Some(Arc::new(MapCache::open(caches.path())));
        round(&stage, &few, head, maps, &mut warm)?;
        round(&stage, &many, head, None, &mut cold_many)?;
        round(&stage, &few, stage.head(commits[0])?, None, &mut own)?;
    }
    let git = git.median();
    Ok(vec![
        BenchRow::time("git diff -U0 -M of a commit that changes 50 of 1,000 files", git),
        ratio("10,000 comments, nothing cached", &cold, git, 0.5),
        ratio("10,000 comments, cached", &warm, git, 0.1),
        BenchRow::ratio(
            "100,000 comments, nothing cached",
            cold_many.median(),
            times(cold_many.median(), cold.median()),
            "of 10,000",
        )
        .aim(Goal::AtMost(2.0)),
        BenchRow::time("10,000 comments at their own commit", own.median()),
    ])
}

fn ratio(what: &str, samples: &Samples, git: crate::clock::Timing, most: f64) -> BenchRow {
    let ours = samples.median();
    BenchRow::ratio(what, ours, times(ours, git), "of git").aim(Goal::AtMost(most))
}

fn git_round(
    stage: &BareRepository,
    commits: &[postil_core::git::CommitId],
    samples: &mut Samples,
) -> BenchResult<()> {
    samples.push(stage.timed_diff(&["-U0", "-M"], commits[0], commits[1])?);
    Ok(())
}

/// Locates all comments on all cores, with a handle that has read nothing yet.
fn round(
    stage: &BareRepository,
    anchors: &[Anchor],
    head: Head,
    maps: Option<Arc<MapCache>>,
    samples: &mut Samples,
) -> BenchResult<()> {
    let threads = thread::available_parallelism()?;
    let (positions, timing) = timed(|| {
        let repo = stage.open()?;
        Ok(locate(&repo, anchors, head, LocateOptions { maps, ..threads.into() }))
    })?;
    for position in positions {
        position?;
    }
    samples.push(timing);
    Ok(())
}
