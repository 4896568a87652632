//! Words, numbers and punctuation marks of a line, the same for every language.

use std::ops::Range;

/// A word, a number or one punctuation mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The offset of its first byte.
    pub start: u32,
    /// The offset after its last byte.
    pub end: u32,
    /// What it is made of.
    pub kind: TokenKind,
}

/// What a token is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenKind {
    /// Letters, digits, `_`, and every byte outside ASCII.
    Word,
    /// Digits first.
    Number,
    /// One byte that is not a letter, digit or white space.
    Mark,
}

impl Token {
    /// The bytes it stands for.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Cuts `bytes` into tokens; white space, newlines included, separates and is dropped.
pub fn tokens(bytes: &[u8]) -> impl Iterator<Item = Token> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at)?.is_ascii_whitespace() || bytes[at] == 0x0b {
            at += 1;
        }
        let start = at;
        let first = bytes[start];
        at += 1;
        let kind = if !is_word(first) {
            TokenKind::Mark
        } else {
            while bytes.get(at).is_some_and(|byte| is_word(*byte)) {
                at += 1;
            }
            if first.is_ascii_digit() { TokenKind::Number } else { TokenKind::Word }
        };
        Some(Token { start: start as u32, end: at as u32, kind })
    })
}

/// Whether a byte is of a word: a letter, a digit, `_`, or outside ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[&str]) {
        let found: Vec<_> = tokens(line.as_bytes()).map(|t| &line[t.range()]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_numbers_and_single_marks_are_tokens() {
        check("", &[]);
        check("  \t ", &[]);
        check("let x_1 = foo(42);", &["let", "x_1", "=", "foo", "(", "42", ")", ";"]);
        check("a->b!=ü", &["a", "-", ">", "b", "!", "=", "ü"]);
    }
}
