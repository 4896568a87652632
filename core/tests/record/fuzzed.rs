//! The fuzz targets as ordinary tests: their corpus, and tens of thousands of mutations of it.
//!
//! Deterministic: the same inputs on every machine, so that a failure can be repeated.

use std::path::Path;

use crate::note_page::note_page;
use crate::record::record;

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
    let corpus = corpus(target);
    assert!(corpus.len() >= 10, "the corpus of {target} is there");
    for input in &corpus {
        body(input);
    }
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..INPUTS {
        let mut input = dice.pick(&corpus).clone();
        for _ in 0..=dice.below(4) {
            mutate(&mut input, &corpus, &mut dice);
        }
        input.truncate(MAX_INPUT_BYTES);
        body(&input);
    }
}

/// The inputs in the order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn mutate(input: &mut Vec<u8>, corpus: &[Vec<u8>], dice: &mut Dice) {
    let at = dice.below(input.len() + 1);
    let until = (at + dice.below(40)).min(input.len());
    match dice.below(9) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << dice.below(8);
            }
        }
        1 => {
            if let Some(byte) = input.get_mut(at) {
                *byte = byte.wrapping_add(*dice.pick(b"\x01\x10\x20\xff"));
            }
        }
        2 => drop(input.drain(at..until)),
        3 => {
            let copy = input[at..until].to_vec();
            let to = dice.below(input.len() + 1);
            input.splice(to..to, copy);
        }
        4 => input.truncate(at),
        5 => {
            let other = dice.pick(corpus).clone();
            input.splice(at..at, other);
        }
        6 => {
            let other = dice.pick(corpus);
            input.truncate(at);
            input.extend_from_slice(&other[dice.below(other.len() + 1)..]);
        }
        _ => {
            let piece = *dice.pick(&PIECES);
            input.splice(at..until.min(at + dice.below(4)), piece.iter().copied());
        }
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
        number as usize % bound
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
