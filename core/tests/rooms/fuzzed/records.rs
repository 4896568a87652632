//! No input breaks the laws of records and pages.

use super::dice::Dice;
use super::note_page::note_page;
use super::record::record;
use super::{mutated, thrown};

/// How many mutated inputs each target gets.
const INPUTS: usize = 30_000;

/// Longer inputs are cut: what matters fits, and the test stays short.
const MAX_INPUT_BYTES: usize = 4096;

/// What parsers of notes trip over, if over anything.
const PIECES: [&[u8]; 16] = [
    b"\xd9\xd9\xf7",
    b"\xd9\xd9\xf7\x84\x50",
    b"\xd9\xf7",
    b"\xf7",
    b"\n",
    b"\n\n",
    b"\0",
    b"\x01",
    b"\xf6",
    b"\x9f\xff",
    b"\xbf\xff",
    b"\x58\xd9",
    b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x9b\x7f\xff\xff\xff\xff\xff\xff\xff",
    b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x64text",
];

#[test]
fn no_note_breaks_the_laws_of_pages() {
    run("note_page", note_page);
}

#[test]
fn no_body_breaks_the_laws_of_records() {
    run("record", record);
}

fn run(target: &str, body: fn(&[u8])) {
    let mutate = |input: &mut Vec<u8>, corpus: &[Vec<u8>], dice: &mut Dice| {
        mutated::mutate(input, corpus, dice, &PIECES, MAX_INPUT_BYTES);
    };
    thrown::run(target, INPUTS, mutate, body);
}
