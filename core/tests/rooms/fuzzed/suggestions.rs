//! No input breaks the laws of edits and patches.

use super::dice::Dice;
use super::{mutated, patch, rebase, thrown};

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
    let mutate = |input: &mut Vec<u8>, corpus: &[Vec<u8>], dice: &mut Dice| {
        mutated::mutate(input, corpus, dice, &PIECES, MAX_INPUT_BYTES);
    };
    thrown::run(target, INPUTS, mutate, body);
}
