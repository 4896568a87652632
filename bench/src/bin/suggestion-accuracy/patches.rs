//! Changes of real histories as patches, for the same files as they were some changes earlier.
//!
//! The truth is what `git merge-file` makes of it without a conflict, which knows the text that the change was made for.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use postil_core::git::RepoPath;
use postil_core::patch::{ParsedPatch, WrittenSide, unified_diff};

use crate::history::{AccuracyError, changes, merged, text};
use crate::tally::OutcomeTally;

/// So many changes are taken from each repository.
const CHANGES: usize = 200;

/// So many of one file.
const OF_ONE_FILE: usize = 4;

/// By how many lines the headers are put wrong, at most.
const WRONG: [usize; 3] = [0, 10, 60];

/// The ways that are compared.
const WAYS: [(&str, PatchMethod); 3] =
    [("postil", postil), ("`git apply`", git_apply), ("GNU patch", gnu_patch)];

type PatchMethod = fn(&Path, &[u8], &[u8]) -> Result<Option<Vec<u8>>, AccuracyError>;

/// Measures, and prints the table.
pub fn run(repositories: &[&Path]) -> Result<(), AccuracyError> {
    let folder = tempfile::tempdir()?;
    let mut tallies = [[OutcomeTally::default(); WRONG.len()]; WAYS.len()];
    let mut count = 0;
    for repository in repositories {
        let mut taken = 0;
        for (path, history) in changes(repository)? {
            for (at, change) in history.iter().enumerate().step_by(5).take(OF_ONE_FILE) {
                // Some changes earlier: between three and twelve.
                let Some(earlier) = history.get(at + 3 + at % 10) else { break };
                if taken == CHANGES {
                    break;
                }
                let texts = [&earlier.old, &change.old, &change.new].map(|blob| text(repository, blob));
                let [Some(current), Some(before), Some(after)] = texts else { continue };
                let truth = merged(folder.path(), &current, &before, &after)?;
                let Some(truth) = truth.filter(|truth| *truth != current && current != before) else {
                    continue;
                };
                taken += 1;
                let named = RepoPath::new("f").ok_or("a path")?;
                let side = |text| Some(WrittenSide { path: &named, text, mode: None });
                let patch = unified_diff(side(&before), side(&after));
                for (column, most) in WRONG.into_iter().enumerate() {
                    let patch = misled(&patch, most, path.len() + at);
                    for ((name, way), tallies) in WAYS.iter().zip(&mut tallies) {
                        let result = way(folder.path(), &current, &patch)?;
                        tallies[column].count(result.as_deref(), &truth);
                        if result.is_some_and(|result| result != truth) {
                            let (old, new) = (&change.old[..10], &change.new[..10]);
                            eprintln!(
                                "{name} is wrong: {path} {old}..{new} for {:.10}, off by {most}",
                                earlier.old
                            );
                        }
                    }
                }
            }
        }
        count += taken;
        println!("{taken} changes of {}", repository.display());
    }
    println!(
        "\n| of {count} each, with headers | as they are: right | refused | wrong | off by up to 10: right | refused | wrong | off by up to 60: right | refused | wrong |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for ((name, _), [right, near, far]) in WAYS.iter().zip(&tallies) {
        println!("| {name} | {right} | {near} | {far} |");
    }
    Ok(())
}

/// Puts the lines that headers of hunks state wrong, each by another number, but none by more than `most`.
fn misled(patch: &[u8], most: usize, seed: usize) -> Vec<u8> {
    let mut dice = seed;
    let text = String::from_utf8_lossy(patch);
    let lines = text.split_inclusive('\n').map(|line| {
        let Some(rest) = line.strip_prefix("@@ -").filter(|_| most > 0) else {
            return line.as_bytes().to_vec();
        };
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let by = 1 + (dice >> 33) % most;
        let wrong = |start: &str| {
            let start: usize = start.parse().unwrap_or(1);
            if dice & (1 << 20) == 0 && start > by { start - by } else { start + by }
        };
        let (old, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (new, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let put = |range: &str| match range.split_once(',') {
            Some((start, count)) => format!("{},{count}", wrong(start)),
            None => wrong(range).to_string(),
        };
        format!("@@ -{} +{} {rest}", put(old), put(new.trim_start_matches('+'))).into_bytes()
    });
    if std::str::from_utf8(patch).is_ok() { lines.collect::<Vec<_>>().concat() } else { patch.to_vec() }
}

fn postil(_: &Path, current: &[u8], patch: &[u8]) -> Result<Option<Vec<u8>>, AccuracyError> {
    let patch = ParsedPatch::read(patch)?;
    let file = patch.files.first().ok_or("a patch of one file")?;
    Ok(file.apply(current).ok().map(|applied| applied.text))
}

fn git_apply(folder: &Path, current: &[u8], patch: &[u8]) -> Result<Option<Vec<u8>>, AccuracyError> {
    by_program(folder, current, patch, Command::new("git").args(["apply", "--whitespace=nowarn", "../p"]))
}

fn gnu_patch(folder: &Path, current: &[u8], patch: &[u8]) -> Result<Option<Vec<u8>>, AccuracyError> {
    let options = ["-p1", "-s", "-f", "-N", "--no-backup-if-mismatch", "-r", "-", "-i", "../p"];
    by_program(folder, current, patch, Command::new("patch").args(options))
}

/// All hunks or none, also where a program leaves some of them behind.
fn by_program(
    folder: &Path,
    current: &[u8],
    patch: &[u8],
    command: &mut Command,
) -> Result<Option<Vec<u8>>, AccuracyError> {
    let tree = folder.join("tree");
    fs::create_dir_all(&tree)?;
    fs::write(tree.join("f"), current)?;
    fs::write(folder.join("p"), patch)?;
    command.current_dir(&tree).stdout(Stdio::null()).stderr(Stdio::null());
    // A repository further up would make git look for the file in there.
    let applied = command.env("GIT_CEILING_DIRECTORIES", folder).status()?.success();
    Ok(applied.then(|| fs::read(tree.join("f"))).transpose()?)
}
