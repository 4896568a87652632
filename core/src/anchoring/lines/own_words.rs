//! Whether a line says something of its own: what a diff pairs by accident, it pairs in lines that do not.
//!
//! The same for every language, and by the line alone. How much a line says among others is `Vocabulary::weight`'s work.

use crate::edit::{TokenKind, tokens};

use super::statement::is_keyword;

/// A shorter word or number (`i`, `0`) is in every text.
const MIN_TOKEN_BYTES: usize = 2;

/// Words that only hold a text together, besides those that begin a statement.
const CONNECTING: &[&[u8]] = &[
    b"False", b"None", b"Ok", b"True", b"begin", b"done", b"else", b"end", b"endif", b"esac", b"false",
    b"fi", b"nil", b"null", b"pass", b"self", b"then", b"this", b"true", b"void",
];

/// Whether a line has a word that is not the same everywhere: `}`, `else {`, `return` and `return true;` have none.
pub(crate) fn has_own_words(line: &[u8]) -> bool {
    tokens(line).filter(|token| token.kind != TokenKind::Mark).map(|token| &line[token.range()]).any(|word| {
        word.len() >= MIN_TOKEN_BYTES && !is_keyword(word) && CONNECTING.binary_search(&word).is_err()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_words_that_every_text_has_say_nothing() {
        let nothing = [
            "",
            "  \t",
            "}",
            "});",
            "} else {",
            "return",
            "return true;",
            "return 0;",
            "i += 1;",
            "fi",
            "try {",
            "});\r",
            "-- ",
            "break;",
            "pass",
            "default:",
        ];
        for line in nothing {
            assert!(!has_own_words(line.as_bytes()), "{line}");
        }
        for line in ["return total;", "if count > 0 {", "kilo();", "404,", "Ende.", "日", "} else if ready {"]
        {
            assert!(has_own_words(line.as_bytes()), "{line}");
        }
        assert!(CONNECTING.is_sorted());
    }
}
