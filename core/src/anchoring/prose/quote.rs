//! Makes a quote of a selection.

use std::ops::Range;

use super::normal;
use crate::record::Quote;

/// How many characters a quote keeps of what is on each side of it.
pub const CONTEXT_CHARS: usize = 32;

/// A longer selection is refused: it would fill a record, and a section or file can be commented on instead.
pub const MAX_QUOTE_BYTES: usize = 64 << 10;

/// Why a selection cannot be quoted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuoteError {
    /// The text has no such range, or a character would be cut.
    #[error("bytes {start} to {end} are not a range of characters in the text")]
    Outside {
        /// Where the selection begins.
        start: usize,
        /// Where it ends.
        end: usize,
    },
    /// Nothing is selected that can be seen.
    #[error("the selection has no text")]
    Blank,
    /// More than [`MAX_QUOTE_BYTES`] are selected.
    #[error("the selection is too long to quote: {bytes} bytes")]
    TooLong {
        /// Its size.
        bytes: usize,
    },
}

/// Quotes `selection`, counted in bytes of `text`.
pub fn quote(text: &str, selection: Range<usize>) -> Result<Quote, QuoteError> {
    let outside = QuoteError::Outside { start: selection.start, end: selection.end };
    let exact = text.get(selection.clone()).ok_or(outside)?;
    if normal::is_blank(exact) {
        return Err(QuoteError::Blank);
    }
    if exact.len() > MAX_QUOTE_BYTES {
        return Err(QuoteError::TooLong { bytes: exact.len() });
    }
    let (before, after) = (&text[..selection.start], &text[selection.end..]);
    let first = before.char_indices().rev().take(CONTEXT_CHARS).last().map_or(before.len(), |(at, _)| at);
    Ok(Quote {
        exact: exact.to_owned(),
        prefix: before[first..].to_owned(),
        suffix: after.chars().take(CONTEXT_CHARS).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_keeps_what_stands_around_it() {
        let text = format!("{}ä word, {}", "x".repeat(40), "y".repeat(40));
        let start = text.find("word").expect("the word is there");
        let made = quote(&text, start..start + 4).expect("the selection is inside");
        assert_eq!(made.exact, "word");
        assert_eq!(made.prefix, format!("{}ä ", "x".repeat(30)));
        assert_eq!(made.suffix, format!(", {}", "y".repeat(30)));
    }

    #[test]
    fn what_cannot_be_quoted_is_named() {
        assert_eq!(quote("a  b", 1..3), Err(QuoteError::Blank));
        assert_eq!(quote("a\u{200b} b", 1..5), Err(QuoteError::Blank));
        assert_eq!(quote("a", 0..2), Err(QuoteError::Outside { start: 0, end: 2 }));
        assert_eq!(quote("ä", 0..1), Err(QuoteError::Outside { start: 0, end: 1 }));
        let long = "x".repeat(MAX_QUOTE_BYTES + 1);
        assert_eq!(quote(&long, 0..long.len()), Err(QuoteError::TooLong { bytes: long.len() }));
    }
}
