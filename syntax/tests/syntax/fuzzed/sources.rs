//! No source breaks the laws of the lexer.

use super::{mutated, syntax, thrown};

/// How many mutated inputs there are.
const INPUTS: usize = 20_000;

/// The longest input.
const LONGEST: usize = 4000;

/// What lexers trip over, if over anything.
const PIECES: [&[u8]; 24] = [
    b"\"", b"'", b"`", b"\\", b"\n", b"\r\n", b"/*", b"*/", b"<!--", b"-->", b"${", b"#{", b"}", b"<<A",
    b"\nA\n", b"r##\"", b"\"##", b"[=[", b"]=]", b"```", b"\xff", b"\xc3", b"\0", b"R\"x(",
];

#[test]
fn no_source_breaks_the_laws_of_the_lexer() {
    let mutate = |input: &mut Vec<u8>, corpus: &[Vec<u8>], dice: &mut super::dice::Dice| {
        mutated::mutate(input, corpus, dice, &PIECES, LONGEST);
    };
    thrown::run("syntax", INPUTS, mutate, syntax::syntax);
}
