//! A branch of a hundred commits that was rebased, with comments on what each of them wrote.
//!
//! The same files can be reached by plain commits: that is what it is compared with.

use std::collections::BTreeMap;
use std::thread;

use postil_core::anchoring::{Head, LocateOptions, locate};
use postil_core::record::Anchor;

use crate::BenchResult;
use crate::clock::{Samples, timed};
use crate::source::{Random, change, code, text};
use crate::stage::{BareRepository, WrittenFiles, anchor, blob};
use crate::table::{BenchRow, Goal, times};

const FILES: usize = 300;
const LINES: usize = 200;
const COMMITS: usize = 100;

/// How many comments there are on what each commit wrote.
const COMMENTS: usize = 10;

const ROUNDS: usize = 7;

pub fn measure() -> BenchResult<Vec<BenchRow>> {
    let mut dice = Random::new(5);
    let mut files: Vec<Vec<String>> = (0..FILES).map(|_| code(&mut dice, LINES)).collect();
    let path = |file: usize| format!("src/part_{}/file_{file}.rs", file % 12);
    // What came to the base meanwhile: a line in front of every file.
    let moved_on = |lines: &[String]| format!("// Licensed as you like.\n{}", text(lines));
    let all = |files: &[Vec<String>], text: &dyn Fn(&[String]) -> String| -> WrittenFiles {
        files.iter().enumerate().map(|(file, lines)| (path(file), text(lines))).collect()
    };
    let (base, upstream) = (all(&files, &|lines| text(lines)), all(&files, &moved_on));
    let (mut plain, mut replayed, mut wrote) = (vec![base], vec![upstream], Vec::new());
    for _ in 0..COMMITS {
        let file = dice.below(FILES);
        change(&mut dice, &mut files[file]);
        plain.push(BTreeMap::from([(path(file), text(&files[file]))]));
        replayed.push(BTreeMap::from([(path(file), moved_on(&files[file]))]));
        wrote.push((path(file), text(&files[file])));
    }
    plain.push(all(&files, &moved_on));
    let stage = BareRepository::new(&plain)?;
    let commits = stage.commits()?;
    stage.commit("rebased", Some(commits[0]), &replayed)?;
    stage.git(&["repack", "-q", "-a", "-d"])?;
    let mut anchors = Vec::with_capacity(COMMITS * COMMENTS);
    for ((path, content), commit) in wrote.iter().zip(&commits[1..]) {
        let blob = blob(content.as_bytes())?;
        let lines = content.lines().count();
        for comment in 0..COMMENTS {
            let line = (1 + comment * lines / COMMENTS) as u32;
            anchors.push(anchor(*commit, path, content.as_bytes(), blob, (line, line))?);
        }
    }
    let rebased = *stage.commits_of("rebased")?.last().ok_or("no commits")?;
    let (rebased, plain) = (stage.head(rebased)?, stage.head(commits[COMMITS + 1])?);
    let (mut ours, mut theirs) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        round(&stage, &anchors, plain, &mut theirs)?;
        round(&stage, &anchors, rebased, &mut ours)?;
    }
    let (ours, theirs) = (ours.median(), theirs.median());
    Ok(vec![
        BenchRow::time("1,000 comments on 100 commits, at a head reached by plain commits", theirs),
        BenchRow::ratio(
            "the same files after a rebase of the 100 commits",
            ours,
            times(ours, theirs),
            "of that",
        )
        .aim(Goal::AtMost(1.5)),
    ])
}

fn round(stage: &BareRepository, anchors: &[Anchor], head: Head, samples: &mut Samples) -> BenchResult<()> {
    let threads = thread::available_parallelism()?;
    let (positions, timing) =
        timed(|| Ok(locate(&stage.open()?, anchors, head, LocateOptions::from(threads))))?;
    for position in positions {
        position?;
    }
    samples.push(timing);
    Ok(())
}
