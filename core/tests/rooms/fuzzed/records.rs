//! No input breaks the laws of records and pages.

use postil_core::record::Record;

use super::dice::Dice;
use super::note_page::note_page;
use super::record::{KINDS, record};
use super::sealing::sealed;
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

#[test]
fn every_kind_has_a_seed_that_is_understood() {
    let corpus = thrown::corpus("record");
    let understood = |kind: &str| {
        corpus.iter().any(|seed| {
            let Some((choice, body)) = seed.split_first() else { return false };
            let (at, version) = (usize::from(*choice) % KINDS.len(), usize::from(*choice) / KINDS.len());
            let frame = sealed(KINDS[at], body, if version == 3 { 2 } else { 1 });
            KINDS[at] == kind && Record::from_bytes(&frame).is_ok_and(|record| record.body().is_ok())
        })
    };
    for kind in KINDS.into_iter().filter(|kind| *kind != "from-the-future") {
        assert!(understood(kind), "{kind}");
    }
}

fn run(target: &str, body: fn(&[u8])) {
    let mutate = |input: &mut Vec<u8>, corpus: &[Vec<u8>], dice: &mut Dice| {
        mutated::mutate(input, corpus, dice, &PIECES, MAX_INPUT_BYTES);
    };
    thrown::run(target, INPUTS, mutate, body);
}
