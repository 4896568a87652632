//! No file of another tool breaks the laws of reports.

use super::dice::Dice;
use super::{report, thrown};

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
    thrown::run("report", INPUTS, |input, _, dice| mutate(input, dice), report::report);
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
