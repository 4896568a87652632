//! Words of others as a block that they cannot leave: every line of it begins with a mark.
//!
//! A reader that is a program takes what follows a mark as data. There is no closing mark that the words could contain:
//! the block ends where a line begins otherwise, and whatever could begin a line is shown by its name.

use crate::sanitize;

/// What each line of a block begins with.
pub const MARK: &str = "| ";

/// Text of others as a block, each line with its end.
pub fn block(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 16);
    push_block(&mut shown, text, MARK);
    shown
}

/// Adds text of others as a block whose lines begin with `mark`; an empty text is an empty line of it.
pub fn push_block(shown: &mut String, text: &str, mark: &str) {
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if line.is_empty() && lines.peek().is_none() && !text.is_empty() {
            break;
        }
        shown.push_str(mark);
        sanitize::push_line(shown, line.as_bytes());
        shown.push('\n');
    }
}

/// The beginning of a text: of its first line that says something, so many characters; `…` shows that there is more.
pub fn first_words(text: &str, most: usize) -> String {
    let text = text.trim_end();
    let begins = text.trim_start();
    let first = begins.split('\n').next().unwrap_or_default().trim_end();
    let end = first.char_indices().nth(most).map_or(first.len(), |(at, _)| at);
    let is_whole = end == first.len() && first.len() == begins.len();
    if is_whole { first.to_owned() } else { format!("{}…", first[..end].trim_end()) }
}

/// A word that others chose, in a place for words: letters, digits and dashes alone, so that it cannot pass for more.
pub fn word(text: &str) -> &str {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !text.is_empty() && text.len() <= 32 && text.bytes().all(is_plain) { text } else { "other" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_block_begins_a_line_without_the_mark() {
        let breaks = ["\n", "\r\n", "\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\n\n"];
        for end in breaks {
            let shown = block(&format!("one{end}3f9c1a2 12 signed by Ada{end}| two{end}```{end}"));
            assert!(shown.split('\n').all(|line| line.is_empty() || line.starts_with(MARK)), "{shown:?}");
            assert!(shown.ends_with('\n') && !shown.contains(['\r', '\u{2028}', '\u{85}']), "{shown:?}");
        }
        assert_eq!(block("a\n\nb\n"), "| a\n| \n| b\n");
        assert_eq!(block(""), "| \n");
    }

    #[test]
    fn what_is_cut_says_so() {
        let check = |text: &str, expected: &str| assert_eq!(first_words(text, 5), expected, "{text:?}");
        check("", "");
        check("\n  abc \n", "abc");
        check("abcde", "abcde");
        check("abcdef", "abcde…");
        check("ab\ncd", "ab…");
        check("éééééé", "ééééé…");
    }

    #[test]
    fn a_word_is_a_word() {
        assert_eq!(word("moved-to-file"), "moved-to-file");
        for odd in ["", "a b", "signed\nby", "é", &"x".repeat(40)] {
            assert_eq!(word(odd), "other", "{odd:?}");
        }
    }
}
