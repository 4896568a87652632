//! How fast syntax colours are found: all files of a folder, each read whole, as lines a second and spans a line.
//!
//! The best of several runs, on whatever machine this is. Reading the files is not measured.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use postil_syntax::{Language, Lexer};

/// So many times everything is measured.
const RUNS: usize = 5;

/// Larger files are left out.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// What is to be reached, in lines a second.
const GOAL: f64 = 1e6;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let mut files = BTreeMap::new();
    collect(&folder, &mut files)?;
    println!("{:<14} {:>6} {:>10} {:>14} {:>8}", "language", "files", "lines", "lines/second", "spans");
    let mut all = Tally::default();
    for (name, (language, texts)) in &files {
        let tally = measure(language, texts);
        row(name, &tally);
        all = all.plus(&tally);
    }
    row("all", &all);
    let holds = if all.speed() >= GOAL { "holds" } else { "MISSES" };
    println!("goal: at least {GOAL:.0} lines a second: {holds}");
    Ok(())
}

type Sources = BTreeMap<&'static str, (&'static Language, Vec<Vec<u8>>)>;

/// The files below a folder whose language is known.
fn collect(folder: &Path, files: &mut Sources) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name();
        if kind.is_dir() && name != ".git" && name != "target" {
            collect(&path, files)?;
        } else if kind.is_file() && entry.metadata()?.len() <= MAX_FILE_BYTES {
            let text = std::fs::read(&path)?;
            if let Some(language) = Language::of_file(name.as_encoded_bytes(), &text) {
                files.entry(language.name()).or_insert_with(|| (language, Vec::new())).1.push(text);
            }
        }
    }
    Ok(())
}

#[derive(Default)]
struct Tally {
    files: usize,
    lines: usize,
    spans: usize,
    took: Duration,
}

impl Tally {
    fn plus(&self, other: &Self) -> Self {
        Self {
            files: self.files + other.files,
            lines: self.lines + other.lines,
            spans: self.spans + other.spans,
            took: self.took + other.took,
        }
    }

    fn speed(&self) -> f64 {
        self.lines as f64 / self.took.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

fn measure(language: &'static Language, texts: &[Vec<u8>]) -> Tally {
    let mut best: Option<Tally> = None;
    for _ in 0..RUNS {
        let began = Instant::now();
        let mut tally = Tally { files: texts.len(), ..Tally::default() };
        let mut spans = Vec::new();
        for text in texts {
            let mut lexer = Lexer::new(language, text);
            while let Some(line) = lexer.line(&mut spans) {
                black_box(line);
                tally.lines += 1;
                tally.spans += spans.len();
            }
        }
        tally.took = began.elapsed();
        if best.as_ref().is_none_or(|best| tally.took < best.took) {
            best = Some(tally);
        }
    }
    best.unwrap_or_default()
}

fn row(name: &str, tally: &Tally) {
    let spans = tally.spans as f64 / tally.lines.max(1) as f64;
    println!("{name:<14} {:>6} {:>10} {:>14.0} {spans:>8.2}", tally.files, tally.lines, tally.speed());
}
