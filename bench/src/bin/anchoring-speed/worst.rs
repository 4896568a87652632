//! Inputs made to be expensive: none may cost one anchor more than its bound.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Head, locate};
use postil_core::record::Anchor;

use crate::BenchResult;
use crate::clock::{Timing, timed};
use crate::source::{Random, change, code, text};
use crate::stage::{BareRepository, WrittenFiles, anchor, blob};
use crate::table::{BenchRow, Goal};

/// The largest text that is searched.
const LARGE: usize = 500_000;

/// A text that is too large to be searched; changes are followed within their hunks.
const TOO_LARGE: usize = 900_000;

/// What one anchor may cost, in milliseconds.
const BOUND: f64 = 50.0;

const ROUNDS: usize = 2;

/// Measures the inputs whose name holds `wanted`.
pub fn measure(wanted: &str) -> BenchResult<Vec<BenchRow>> {
    let mut lines = Vec::new();
    for (name, old, new) in inputs().into_iter().filter(|(name, ..)| name.contains(wanted)) {
        lines.push(one_anchor(name, &old, &new)?);
    }
    if wanted.is_empty() {
        lines.push(many_anchors()?);
    }
    Ok(lines)
}

/// Two versions of the largest text that is searched, line by line.
fn numbered(old: impl Fn(usize) -> String, new: impl Fn(usize) -> String) -> (String, String) {
    sized(LARGE, old, new)
}

/// Two versions of a text of so many bytes, line by line.
fn sized(bytes: usize, old: impl Fn(usize) -> String, new: impl Fn(usize) -> String) -> (String, String) {
    let until = |line: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        for at in 0.. {
            let line = line(at);
            if text.len() + line.len() + 1 > bytes {
                break;
            }
            text.push_str(&line);
            text.push('\n');
        }
        text
    };
    (until(&old), until(&new))
}

fn inputs() -> Vec<(&'static str, String, String)> {
    let mut inputs = Vec::new();
    let mut add = |name, (old, new): (String, String)| inputs.push((name, old, new));
    add("ten kinds of lines, rotated", {
        let line = |at: usize| format!("    value = compute(source, {});", at % 10);
        numbered(line, |at| line(at + 3))
    });
    add("ten kinds of lines, each changed", {
        let line = |word: &str, at: usize| format!("    {word} = compute(source, {});", at % 10);
        numbered(|at| line("value", at), |at| line("other", at))
    });
    add("lines that differ in a number, each changed", {
        let line = |word: &str, at: usize| format!("    {word} = compute(source, {at});");
        numbered(|at| line("value", at), |at| line("other", at))
    });
    add("lines that differ in a number, each changed and turned around", {
        let line = |word: &str, at: usize| format!("    {word} = compute(source, {at});");
        numbered(|at| line("value", at), |at| line("other", 14_000 - at.min(14_000)))
    });
    add("words that come 200 times each", {
        let line = |word: &str, at: usize| {
            let words: Vec<String> = (0..8).map(|n| format!("w{n}_{}", at * (n + 1) % 60)).collect();
            format!("    {word}({});", words.join(", "))
        };
        numbered(|at| line("first", at), |at| line("second", at * 7))
    });
    add("words that come 200 times each, deeply indented", {
        let line = |word: &str, at: usize| {
            let words: Vec<String> = (0..8).map(|n| format!("w{n}_{}", at * (n + 1) % 40)).collect();
            format!("{:width$}{word}({});", "", words.join(" "), width = 2 + at % 60)
        };
        numbered(|at| line("first", at), |at| line("second", at * 7))
    });
    add("every second line changed", {
        numbered(
            |at| format!("    let value = {at};"),
            |at| format!("    let value = {};", at + at % 2 * 100_000),
        )
    });
    add("every second line changed, each there twice", {
        let line = |at: usize| format!("    let value = {};", at / 2);
        numbered(line, |at| line(at + at % 2 * 100_000))
    });
    add("short lines, half of them new", {
        numbered(|at| format!("{}", at % 1_000), |at| format!("{}", at * 7 % 2_000))
    });
    add("lines of one letter", {
        let letter = |at: usize| char::from(b'a' + (at % 26) as u8).to_string();
        numbered(move |at| letter(at * at % 101), move |at| letter(at * at * at % 103))
    });
    add(
        "blank lines",
        numbered(
            |at| if at % 9 == 0 { at.to_string() } else { String::new() },
            |at| {
                if at % 7 == 0 { (at + 1).to_string() } else { String::new() }
            },
        ),
    );
    add("five lines of 100 KB, words changed", {
        let line = |at: usize, every: usize| -> String {
            (0..14_000)
                .map(|word| format!("w{} ", if word % every == 0 { word + at } else { word }))
                .collect()
        };
        numbered(|at| line(at, 1), |at| line(at, 3))
    });
    add("five lines of 100 KB, one word each", {
        let line = |at: usize, step: usize| -> String {
            (0..99_000).map(|byte| char::from(b'a' + ((byte * step + at) % 7) as u8)).collect()
        };
        numbered(|at| line(at, 1), |at| line(at, 3))
    });
    add("five lines of 100 KB, marks alone", {
        let line = |at: usize, step: usize| -> String {
            (0..99_000).map(|byte| ['(', ')', '+', ';'][(byte * step + at) % 4]).collect()
        };
        numbered(|at| line(at, 1), |at| line(at, 3))
    });
    add("one block of equal brackets", {
        numbered(
            |at| if at % 2 == 0 { "{".into() } else { "}".into() },
            |at| {
                if at % 3 == 0 { "{".into() } else { "}".into() }
            },
        )
    });
    add("900 KB, a line in a hundred changed", {
        let line =
            |word: &str, at: usize| format!("    let {word}_{at} = compute(source, {});", at * 7 % 1_000);
        let new = |at: usize| line(if at % 100 == 50 { "other" } else { "value" }, at);
        sized(TOO_LARGE, |at| line("value", at), new)
    });
    add("900 KB, every second line changed", {
        let line = |at: usize| format!("    let value = compute(source, {at});");
        sized(TOO_LARGE, line, |at| line(at + at % 2 * 100_000))
    });
    add("900 KB, hunks as large as are judged", {
        let line = |word: &str, at: usize| format!("    {word} = call(w{});", at * at % 997);
        let kept = |at: usize| at % 1_900 < 4;
        let old = |at: usize| if kept(at) { format!("fn part_{at}() {{") } else { line("value", at) };
        let new = |at: usize| if kept(at) { format!("fn part_{at}() {{") } else { line("other", at * 3) };
        sized(TOO_LARGE, old, new)
    });
    add("900 KB, no line in common", {
        let line = |word: &str, at: usize| format!("    {word} = compute(source, {at});");
        sized(TOO_LARGE, |at| line("value", at), |at| line("other", at))
    });
    add("no line in common", {
        let mut dice = Random::new(5);
        let old = text(&code(&mut dice, 9_000));
        let new = text(&code(&mut dice, 9_000)).replace("let ", "let mut ");
        (old, new)
    });
    inputs
}

fn one_anchor(name: &str, old: &str, new: &str) -> BenchResult<BenchRow> {
    let files = |text: &str| WrittenFiles::from([("a.rs".to_owned(), text.to_owned())]);
    let stage = BareRepository::new(&[files(old), files(new)])?;
    let commits = stage.commits()?;
    let count = old.lines().count() as u32;
    let blob = blob(old.as_bytes())?;
    let with = stage.head(commits[1])?;
    let without = Head { commit: None, ..with };
    let mut worst = (Timing::default(), String::new());
    let middle = count.div_ceil(2).max(1);
    for (kind, lines) in [
        ("a line", (middle, middle)),
        ("the last line", (count, count)),
        ("twenty lines", (middle, (middle + 19).min(count))),
        ("a thousand lines", (1.max(middle.saturating_sub(500)), (middle + 499).min(count))),
    ] {
        let Ok(anchor) = anchor(commits[0], "a.rs", old.as_bytes(), blob, lines) else { continue };
        for (mode, head) in [("history", with), ("no history", without)] {
            let timing = (0..ROUNDS)
                .map(|_| time(&stage, std::slice::from_ref(&anchor), head))
                .collect::<BenchResult<Vec<_>>>()?;
            let timing = timing.into_iter().min_by_key(|timing| timing.cpu).unwrap_or_default();
            if timing.cpu > worst.0.cpu {
                worst = (timing, format!("{kind}, {mode}"));
            }
        }
    }
    let milliseconds = worst.0.cpu.as_secs_f64() * 1e3;
    Ok(BenchRow::ratio(format!("{name} ({})", worst.1), worst.0, milliseconds, "ms").aim(Goal::AtMost(BOUND)))
}

/// 10,000 comments in one file that changed all over.
fn many_anchors() -> BenchResult<BenchRow> {
    let mut dice = Random::new(6);
    let old = code(&mut dice, 10_000);
    let mut new = old.clone();
    for _ in 0..400 {
        change(&mut dice, &mut new);
    }
    let files = |lines: &[String]| WrittenFiles::from([("a.rs".to_owned(), text(lines))]);
    let stage = BareRepository::new(&[files(&old), files(&new)])?;
    let commits = stage.commits()?;
    let content = text(&old);
    let blob = blob(content.as_bytes())?;
    let anchors: Vec<Anchor> = (1..=10_000)
        .map(|line| anchor(commits[0], "a.rs", content.as_bytes(), blob, (line, line)))
        .collect::<Result<_, _>>()?;
    let timing = time(&stage, &anchors, stage.head(commits[1])?)?;
    let each = timing.cpu.as_secs_f64() * 1e3 / anchors.len() as f64;
    Ok(BenchRow::ratio("10,000 comments in one file, each", timing, each, "ms").aim(Goal::AtMost(0.5)))
}

fn time(stage: &BareRepository, anchors: &[Anchor], head: Head) -> BenchResult<Timing> {
    let repo = stage.open()?;
    let (positions, timing) = timed(|| Ok(locate(&repo, anchors, head, NonZeroUsize::MIN)))?;
    for position in positions {
        position?;
    }
    Ok(timing)
}
