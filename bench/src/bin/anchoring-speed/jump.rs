//! A far jump through history, in a made-up repository or in a real one.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use postil_core::anchoring::{LocateOptions, locate};
use postil_core::git::{BlobId, CommitId};
use postil_core::record::Anchor;

use crate::BenchResult;
use crate::clock::{Samples, timed};
use crate::source::{Random, change, code, text};
use crate::stage::{BareRepository, WrittenFiles, anchor};
use crate::table::{BenchRow, Goal, times};

const FILES: usize = 3_000;
const LINES: usize = 200;
const COMMITS: usize = 1_000;

/// How many files a commit changes.
const CHANGED: usize = 3;

/// How many comments there are at the old end.
const COMMENTS: usize = 1_000;

const ROUNDS: usize = 5;

pub fn measure() -> BenchResult<Vec<BenchRow>> {
    let mut dice = Random::new(2);
    let mut files: Vec<Vec<String>> = (0..FILES).map(|_| code(&mut dice, LINES)).collect();
    let path = |file: usize| format!("src/part_{}/deeper_{}/file_{file}.rs", file % 20, file % 7);
    let mut commits: Vec<WrittenFiles> =
        vec![files.iter().enumerate().map(|(file, lines)| (path(file), text(lines))).collect()];
    for _ in 0..COMMITS {
        let mut written = BTreeMap::new();
        for _ in 0..CHANGED {
            // Some files change all the time, most of them seldom.
            let limit = [FILES / 20, FILES][dice.below(2)];
            let file = dice.below(limit);
            change(&mut dice, &mut files[file]);
            written.insert(path(file), text(&files[file]));
        }
        commits.push(written);
    }
    let stage = BareRepository::new(&commits)?;
    let commits = stage.commits()?;
    lines(&stage, commits[0], commits[COMMITS])
}

/// The same between two commits of a real repository.
pub fn between(repository: &Path, from: &str, to: &str) -> BenchResult<Vec<BenchRow>> {
    let stage = BareRepository::at(repository);
    let commit = |name: &str| -> BenchResult<CommitId> {
        let hex = stage.git(&["rev-parse", &format!("{name}^{{commit}}")])?;
        Ok(CommitId::from_hex(hex.trim().as_bytes()).ok_or("no commit")?)
    };
    let (from, to) = (commit(from)?, commit(to)?);
    lines(&stage, from, to)
}

fn lines(stage: &BareRepository, from: CommitId, to: CommitId) -> BenchResult<Vec<BenchRow>> {
    let anchors = comments(stage, from)?;
    let head = stage.head(to)?;
    let (mut git, mut ours) = (Samples::default(), Samples::default());
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..ROUNDS {
        git.push(stage.timed_diff(&["-M"], from, to)?);
        let (positions, timing) = timed(|| {
            let repo = stage.open()?;
            Ok(locate(
                &repo,
                &anchors,
                head,
                LocateOptions::from(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)),
            ))
        })?;
        ours.push(timing);
        states.clear();
        for position in positions {
            *states.entry(position?.state()).or_default() += 1;
        }
    }
    let (git, ours) = (git.median(), ours.median());
    let told: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
    Ok(vec![
        BenchRow::time("git diff -M of the two ends", git),
        BenchRow::ratio(
            format!("{} comments, through history", anchors.len()),
            ours,
            times(ours, git),
            "of git",
        )
        .aim(Goal::AtMost(2.0)),
        BenchRow::time(format!("  {}", told.join(", ")), ours),
    ])
}

/// Comments on lines all over the text files of a commit.
fn comments(stage: &BareRepository, commit: CommitId) -> BenchResult<Vec<Anchor>> {
    let repo = stage.open()?;
    let listed = stage.git(&["ls-tree", "-r", &commit.to_string()])?;
    let files: Vec<(&str, &str)> = listed
        .lines()
        .filter(|line| line.starts_with("100"))
        .filter_map(|line| Some((line.split_once('\t')?.1, line.split(' ').nth(2)?.split('\t').next()?)))
        .collect();
    let mut dice = Random::new(3);
    let mut anchors = Vec::with_capacity(COMMENTS);
    for _ in 0..20 * COMMENTS {
        let (path, blob) = files[dice.below(files.len())];
        let blob = BlobId::from_hex(blob.as_bytes()).ok_or("no blob")?;
        let content = repo.find_blob(blob.raw())?.detach().data;
        let count = postil_core::edit::Text::new(content.as_slice()).len() as usize;
        if count == 0 || content.contains(&0) {
            continue;
        }
        let line = 1 + dice.below(count) as u32;
        anchors.extend(anchor(commit, path, &content, blob, (line, line)));
        if anchors.len() == COMMENTS {
            break;
        }
    }
    Ok(anchors)
}
