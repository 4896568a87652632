//! The fuzz target of foreign reports as an ordinary test: its corpus, and thousands of mutations of it.
//!
//! Deterministic: the same inputs on every machine, so that a failure can be repeated.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in the functions it calls")]

use std::path::Path;

#[path = "../../fuzz/src/report.rs"]
mod report;

/// How many mutated inputs there are.
const INPUTS: usize = 4_000;

/// What readers of reports trip over, if over anything; each can stand where a value of JSON stands.
const VALUES: [&str; 16] = [
    "null",
    "0",
    "-1",
    "1e99",
    "4294967295",
    "99999999999999999999",
    "[]",
    "{}",
    "\"\"",
    "\"../../etc/passwd\"",
    "\".git/hooks/x\"",
    "\"%2e%2e/x\"",
    "\"file:///etc/passwd\"",
    "\"HEAD@{1}\"",
    "\"\\u0000\\u001b[2J\"",
    "true",
];

#[test]
fn no_report_breaks_the_laws_of_reports() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/report");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let corpus: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(corpus.len() >= 10, "the corpus is there");
    for input in &corpus {
        report::report(input);
    }
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..INPUTS {
        let mut input = corpus[dice.below(corpus.len())].clone();
        for _ in 0..=dice.below(3) {
            mutate(&mut input, &mut dice);
        }
        report::report(&input);
    }
}

/// Mostly puts another value in the place of one, so that the rest is still read.
fn mutate(input: &mut Vec<u8>, dice: &mut Dice) {
    let colons: Vec<usize> = (0..input.len()).filter(|at| input[*at] == b':').collect();
    if dice.below(8) == 0 || colons.is_empty() {
        let at = dice.below(input.len() + 1);
        let until = (at + dice.below(20)).min(input.len());
        input.splice(at..until, [b"{}[]\",:\n\0\xff"[dice.below(10)]]);
        return;
    }
    let start = colons[dice.below(colons.len())] + 1;
    let end = end_of_value(&input[start..]) + start;
    input.splice(start..end, VALUES[dice.below(VALUES.len())].bytes());
}

/// Where a value ends that is no list and no object; those are kept.
fn end_of_value(rest: &[u8]) -> usize {
    match rest.first() {
        Some(b'"') => rest.iter().skip(1).position(|byte| *byte == b'"').map_or(0, |at| at + 2),
        Some(b'[' | b'{') => 0,
        _ => rest.iter().position(|byte| b",]}\n".contains(byte)).unwrap_or(0),
    }
}

/// Numbers that look thrown and are the same in every run (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        usize::try_from(number).expect("32 bits fit") % bound
    }
}
