//! Mutations of bytes: flipped, dropped, doubled, cut, mixed with other inputs and with what parsers trip over.

use super::dice::Dice;

/// Changes an input once; what is longer than `longest` then is cut, so that tests stay short.
pub fn mutate(input: &mut Vec<u8>, corpus: &[Vec<u8>], dice: &mut Dice, pieces: &[&[u8]], longest: usize) {
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
                *byte = byte.wrapping_add(*dice.pick(b"\x01\x10\x20\x80\xff"));
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
            let piece = *dice.pick(pieces);
            input.splice(at..until.min(at + dice.below(4)), piece.iter().copied());
        }
    }
    input.truncate(longest);
}
