//! How long suggestions and patches take: a rebase over many edits, and a large patch beside `git apply`.
//!
//! The best of several runs, on whatever machine this is.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use postil_core::edit::{
    AgreementMode, AutoClose, EditOrigin, Replacement, Rules, SuggestedStep, SuggestedSteps, TextEdit, rebase,
};
use postil_core::git::RepoPath;
use postil_core::patch::{ParsedPatch, WrittenSide, unified_diff};
use postil_core::suggestion::{CarriedEdit, carry};

/// So many times everything is measured.
const RUNS: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:<52} {:>10}", "what", "best, ms");
    for edits in [100, 1_000, 10_000] {
        let (text, suggested, users) = edited(edits)?;
        let rules =
            Rules { mode: AgreementMode::Strict, auto_close: AutoClose::Typed, origin: EditOrigin::Typed };
        let took = best(RUNS, || drop(black_box(rebase(&text, &suggested, &users, rules))));
        row(&format!("rebase one suggestion over {edits} edits"), took);
        let current = users.apply(&text)?;
        let took = best(RUNS, || {
            let carried = carry(&text, &suggested, &current, AgreementMode::Strict);
            assert!(matches!(carried, Ok(CarriedEdit::Left(_))), "nothing stands in its way");
        });
        row(&format!("the same from the two texts ({} KB)", text.len() / 1000), took);
    }
    for edits in [1_000, 16_000] {
        let (text, suggested, users) = agreed(edits)?;
        let rules =
            Rules { mode: AgreementMode::Lenient, auto_close: AutoClose::Typed, origin: EditOrigin::Typed };
        let took = best(RUNS, || {
            let left = rebase(&text, &suggested, &users, rules);
            assert!(matches!(left, Ok(Ok(left)) if left.is_empty()), "all of it is done");
        });
        row(&format!("{edits} edits that agree with one replacement"), took);
    }
    let (text, _, users) = agreed(1_000)?;
    let steps: Vec<_> =
        users.replacements().iter().rev().map(|one| SuggestedStep::from(one.clone())).collect();
    let steps = SuggestedSteps(steps);
    let took = best(RUNS, || drop(black_box(steps.compose(&text))));
    row("compose 1000 edits that follow each other", took);
    patches()
}

/// A text, a suggestion that replaces all of it, and a user who made each part of it by itself.
fn agreed(edits: usize) -> Result<(Vec<u8>, TextEdit, TextEdit), Box<dyn Error>> {
    let (old, new) = ("x\n".repeat(edits), "xy\n".repeat(edits));
    let suggested = TextEdit::single(Replacement::new(0..old.len(), new, ()));
    let users = (0..edits).map(|line| Replacement::new(2 * line + 1..2 * line + 1, "y", ()));
    Ok((old.into_bytes(), suggested, TextEdit::new(users.collect())?))
}

/// A text with a line for each edit, a suggestion in its middle, and what a user did to every line but that.
fn edited(edits: usize) -> Result<(Vec<u8>, TextEdit, TextEdit), Box<dyn Error>> {
    let line = |at: usize| format!("let value_{at} = compute({at});\n");
    let text: String = (0..=2 * edits).map(line).collect();
    let start_of = |at: usize| text.find(&line(at)).ok_or("every line is there");
    let middle = start_of(edits)?;
    let suggested = TextEdit::single(Replacement::new(middle..middle + 3, "const", ()));
    let mut users = Vec::new();
    let mut offset = 0;
    for at in 0..=2 * edits {
        if at % 2 == 1 && at != edits {
            users.push(Replacement::new(offset..offset + 3, "var", ()));
        }
        offset += line(at).len();
    }
    Ok((text.into_bytes(), suggested, TextEdit::new(users)?))
}

/// A thousand hunks on a megabyte, beside git.
fn patches() -> Result<(), Box<dyn Error>> {
    let old: String = (0..25_000).map(|at| format!("line {at} of a text that is rather long\n")).collect();
    let new: String = (0..25_000)
        .map(|at| {
            let changed = if at % 25 == 12 { "changed" } else { "line" };
            format!("{changed} {at} of a text that is rather long\n")
        })
        .collect();
    let path = RepoPath::new("f.txt").ok_or("a path")?;
    let side = |text: &'static [u8]| WrittenSide { path: &path, text, mode: None };
    let (old, new): (&'static str, &'static str) = (old.leak(), new.leak());
    let diff = unified_diff(Some(side(old.as_bytes())), Some(side(new.as_bytes())));
    let hunks = diff.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"@@")).count();
    let took = best(RUNS, || {
        let patch = ParsedPatch::read(&diff).expect("a diff of our own is read");
        let plan = patch.plan(None, |_| Some(old.as_bytes().to_vec())).expect("it fits");
        assert_eq!(plan[0].applied.text, new.as_bytes());
    });
    row(&format!("apply {hunks} hunks to {} KB, in memory", old.len() / 1000), took);

    let folder = tempfile::tempdir()?;
    let git = |words: &[&str]| Command::new("git").current_dir(folder.path()).args(words).status();
    git(&["init", "--quiet"])?;
    fs::write(folder.path().join("f.patch"), &diff)?;
    let mut shortest = Duration::MAX;
    for _ in 0..RUNS {
        fs::write(folder.path().join("f.txt"), old)?;
        let began = Instant::now();
        let status = git(&["apply", "f.patch"])?;
        shortest = shortest.min(began.elapsed());
        assert!(status.success(), "git applies it");
    }
    row("git apply, the same", shortest);
    Ok(())
}

fn best(runs: usize, mut what: impl FnMut()) -> Duration {
    let timed = |what: &mut dyn FnMut()| {
        let began = Instant::now();
        what();
        began.elapsed()
    };
    (0..runs).map(|_| timed(&mut what)).min().unwrap_or_default()
}

fn row(what: &str, took: Duration) {
    println!("{what:<52} {:>10.3}", took.as_secs_f64() * 1000.0);
}
