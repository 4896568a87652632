//! The fuzz targets of edits and patches as ordinary tests: their corpus, and thousands of mutations of it.
//!
//! Deterministic: the same inputs on every machine, so that a failure can be repeated.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in the functions it calls")]

use std::path::Path;

#[path = "../../fuzz/src/patch.rs"]
mod patch;
#[path = "../../fuzz/src/rebase.rs"]
mod rebase;

/// How many mutated inputs each target gets.
const INPUTS: usize = 10_000;

/// Longer inputs are cut: what matters fits, and the test stays short.
const MAX_INPUT_BYTES: usize = 1024;

/// What readers of patches trip over, if over anything.
const PIECES: [&[u8]; 16] = [
    b"\0",
    b"\n",
    b"\r\n",
    b"@@ -1,99999999999999999999 +0,0 @@\n",
    b"@@\n",
    b"--- a/f\n+++ b/f\n",
    b"--- /dev/null\n",
    b"\\ No newline at end of file\n",
    b" ",
    b"-",
    b"+",
    b"\xff\x80",
    b"*** Update File: ../x\n",
    b"<<<<<<< SEARCH\n",
    b"=======\n",
    b">>>>>>> REPLACE\n",
];

#[test]
fn no_patch_breaks_the_laws_of_patches() {
    run("patch", patch::patch);
}

#[test]
fn no_edit_breaks_the_laws_of_rebasing() {
    run("rebase", rebase::rebase);
}

fn run(target: &str, body: fn(&[u8])) {
    let corpus = corpus(target);
    assert!(corpus.len() >= 10, "the corpus of {target} is there");
    for input in &corpus {
        body(input);
    }
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..INPUTS {
        let mut input = corpus[dice.below(corpus.len())].clone();
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
    match dice.below(6) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte = byte.wrapping_add([1, 0x10, 0x80, 0xff][dice.below(4)]);
            }
        }
        1 => drop(input.drain(at..until)),
        2 => {
            let copy = input[at..until].to_vec();
            let to = dice.below(input.len() + 1);
            input.splice(to..to, copy);
        }
        3 => {
            let other = &corpus[dice.below(corpus.len())];
            input.truncate(at);
            input.extend_from_slice(&other[dice.below(other.len() + 1)..]);
        }
        _ => {
            let piece = PIECES[dice.below(PIECES.len())];
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
        usize::try_from(number).expect("32 bits fit") % bound
    }
}
