//! The text of one line of code as HTML: the colours of its language, changed words, and what a reader could not see.

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use postil_protocol::{ByteExtent, SyntaxView, SyntaxWord};

use crate::escape::push_text;

/// Of a longer line only the beginning is shown.
const MAX_SHOWN_BYTES: usize = 8_000;

/// A line in as many pieces is plain: only what programs wrote has more.
const MAX_PIECES: usize = 400;

/// Adds a line without colours, with its changed parts marked.
pub(super) fn push_line(html: &mut String, text: &[u8], words: &[ByteExtent]) {
    push_code(html, text, words, &[]);
}

/// Adds a line, with its syntax in colours and its changed parts marked.
pub(super) fn push_code(html: &mut String, text: &[u8], words: &[ByteExtent], syntax: &[SyntaxView]) {
    let shown = &text[..shown_length(text)];
    let syntax = if syntax.len() > MAX_PIECES { &[] } else { syntax };
    let mut spans = syntax.iter().peekable();
    let mut from = 0;
    for word in words.iter().take(MAX_PIECES) {
        let (start, end) = (word.start as usize, (word.end as usize).min(shown.len()));
        if start < from || start >= end {
            break;
        }
        coloured(html, shown, from..start, &mut spans);
        html.push_str("<b>");
        coloured(html, shown, start..end, &mut spans);
        html.push_str("</b>");
        from = end;
    }
    coloured(html, shown, from.min(shown.len())..shown.len(), &mut spans);
    if shown.len() < text.len() {
        html.push_str("<em>\u{2026} ");
        html.push_str(&(text.len() - shown.len()).to_string());
        html.push_str(" more bytes</em>");
    }
}

/// Adds a part of a line in its colours; a span that goes on behind the part stays the next one.
fn coloured(html: &mut String, line: &[u8], part: Range<usize>, spans: &mut Peekable<Iter<'_, SyntaxView>>) {
    let mut from = part.start;
    while let Some(span) = spans.peek() {
        let (start, end) = (span.start as usize, span.end as usize);
        if start >= part.end {
            break;
        }
        let (start, cut) = (start.max(from), end.min(part.end));
        if start < cut {
            plain(html, &line[from..start]);
            match class(span.class) {
                Some(class) => {
                    html.push_str("<i class=");
                    html.push(class);
                    html.push('>');
                    plain(html, &line[start..cut]);
                    html.push_str("</i>");
                }
                None => plain(html, &line[start..cut]),
            }
            from = cut;
        }
        if end > part.end {
            break;
        }
        spans.next();
    }
    plain(html, &line[from..part.end]);
}

/// The letter by which the style knows a class.
fn class(word: SyntaxWord) -> Option<char> {
    Some(match word {
        SyntaxWord::Comment => 'c',
        SyntaxWord::String => 's',
        SyntaxWord::Number => 'n',
        SyntaxWord::Keyword => 'k',
        SyntaxWord::Call => 'f',
        SyntaxWord::Type => 't',
        SyntaxWord::Added => 'p',
        SyntaxWord::Deleted => 'm',
        SyntaxWord::Other => return None,
    })
}

/// How much of a line is shown; no character is cut in two.
fn shown_length(text: &[u8]) -> usize {
    if text.len() <= MAX_SHOWN_BYTES {
        return text.len();
    }
    let is_inside = |at: usize| text[at] & 0xc0 == 0x80;
    (MAX_SHOWN_BYTES - 4..=MAX_SHOWN_BYTES).rev().find(|at| !is_inside(*at)).unwrap_or(MAX_SHOWN_BYTES)
}

/// Adds text in which everything can be seen: controls and what turns the direction of writing are named.
fn plain(html: &mut String, text: &[u8]) {
    if text.is_ascii() && !text.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
        if let Ok(text) = std::str::from_utf8(text) {
            push_text(html, text);
        }
        return;
    }
    let text = String::from_utf8_lossy(text);
    let mut from = 0;
    for (at, found) in text.char_indices().filter(|(_, found)| is_unseen(*found)) {
        push_text(html, &text[from..at]);
        let number = format!("{:04X}", u32::from(found));
        if found == '\r' && at + 1 == text.len() {
            html.push_str("<u>\\r</u>");
        } else {
            html.push_str("<u>U+");
            html.push_str(&number);
            html.push_str("</u>");
        }
        from = at + found.len_utf8();
    }
    push_text(html, &text[from..]);
}

/// Whether a character shows nothing, or changes how others are shown.
fn is_unseen(found: char) -> bool {
    let is_hidden = matches!(
        found,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    );
    is_hidden || (found.is_control() && found != '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &[u8], words: &[(u64, u64)]) -> String {
        let words: Vec<ByteExtent> =
            words.iter().map(|(start, end)| ByteExtent { start: *start, end: *end }).collect();
        let mut html = String::new();
        push_line(&mut html, text, &words);
        html
    }

    #[test]
    fn colours_and_changed_words_are_cut_at_each_other() {
        let span = |start, end, class| SyntaxView { start, end, class };
        let check = |words: &[(u64, u64)], spans: &[SyntaxView], expected: &str| {
            let words: Vec<ByteExtent> =
                words.iter().map(|(start, end)| ByteExtent { start: *start, end: *end }).collect();
            let mut html = String::new();
            push_code(&mut html, b"let a = 1;", &words, spans);
            assert_eq!(html, expected);
        };
        let (keyword, number) = (span(0, 3, SyntaxWord::Keyword), span(8, 9, SyntaxWord::Number));
        check(&[], &[keyword, number], "<i class=k>let</i> a = <i class=n>1</i>;");
        check(&[(4, 9)], &[keyword, number], "<i class=k>let</i> <b>a = <i class=n>1</i></b>;");
        check(&[(1, 2)], &[keyword], "<i class=k>l</i><b><i class=k>e</i></b><i class=k>t</i> a = 1;");
        check(&[], &[span(4, 99, SyntaxWord::Other), span(12, 20, SyntaxWord::Call)], "let a = 1;");
    }

    #[test]
    fn changed_words_are_marked_and_nothing_is_markup() {
        assert_eq!(line(b"a <b> c", &[(2, 5)]), "a <b>&lt;b&gt;</b> c");
        assert_eq!(line(b"abc", &[(0, 1), (2, 3)]), "<b>a</b>b<b>c</b>");
        assert_eq!(line(b"abc", &[(2, 99)]), "ab<b>c</b>");
        assert_eq!(line(b"abc", &[(9, 12)]), "abc");
    }

    #[test]
    fn what_cannot_be_seen_is_named() {
        assert_eq!(line("a\u{202e}b".as_bytes(), &[]), "a<u>U+202E</u>b");
        assert_eq!(line(b"a\x1b[31m", &[]), "a<u>U+001B</u>[31m");
        assert_eq!(line(b"a\r", &[]), "a<u>\\r</u>");
        assert_eq!(line(b"\tcaf\xe9", &[]), "\tcaf\u{fffd}");
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_between_characters() {
        let long = "\u{e9}".repeat(1 << 19);
        let html = line(long.as_bytes(), &[]);
        assert!(html.len() < MAX_SHOWN_BYTES + 100 && html.ends_with("more bytes</em>"), "{}", html.len());
        assert!(!html.contains('\u{fffd}'));
    }
}
