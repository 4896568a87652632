//! The text of one line of code as HTML: the colours of its language, changed words, and what a reader could not see.

use std::fmt::Write as _;
use std::ops::Range;

use postil_protocol::{ByteExtent, SyntaxView, SyntaxWord};

use crate::escape::{push_seen, push_text};

/// Of a longer line only the beginning is shown.
pub(crate) const MAX_SHOWN_BYTES: usize = 8_000;

/// A line in as many pieces is plain: only what programs wrote has more.
const MAX_PIECES: usize = 400;

/// What is known of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CodeText<'a> {
    /// Its text, or the beginning of it.
    pub text: &'a [u8],
    /// How many bytes are not in it.
    pub cut: u64,
    /// What changed.
    pub words: &'a [ByteExtent],
    /// What its pieces are.
    pub syntax: &'a [SyntaxView],
}

/// Adds a line without colours.
pub(super) fn push_line(html: &mut String, text: &[u8]) {
    push_code(html, &CodeText { text, ..CodeText::default() });
}

/// Adds a line, with its syntax in colours and its changed parts marked.
///
/// As few elements as can say it: pieces of one class with nothing but space between them are one, and of a changed part
/// and a piece, one is put into the other; if they are the same, they are one element.
pub(super) fn push_code(html: &mut String, line: &CodeText<'_>) {
    let CodeText { text, cut, words, syntax } = *line;
    let shown = &text[..shown_length(text)];
    let pieces = if syntax.len() > MAX_PIECES { Vec::new() } else { pieces(shown, syntax) };
    let mut changed: Vec<Range<usize>> = Vec::with_capacity(words.len().min(MAX_PIECES));
    for word in words.iter().take(MAX_PIECES) {
        let (start, end) = (word.start as usize, (word.end as usize).min(shown.len()));
        if start < changed.last().map_or(0, |before| before.end) || start >= end {
            break;
        }
        changed.push(start..end);
    }
    marked(html, shown, 0..shown.len(), &changed, &pieces);
    let cut = cut + (text.len() - shown.len()) as u64;
    if cut > 0 {
        html.push_str("<em>\u{2026} ");
        html.push_str(&cut.to_string());
        html.push_str(" more bytes</em>");
    }
}

/// The colours of a line as a short text, for a script that paints them when the line comes near: for each piece its class, and
/// where it begins and ends in the text as a browser counts it.
pub(super) fn colours_of(line: &CodeText<'_>) -> String {
    let shown = &line.text[..shown_length(line.text)];
    if line.syntax.len() > MAX_PIECES {
        return String::new();
    }
    let mut colours = String::new();
    let (mut at, mut units) = (0, 0);
    let mut count = |to: usize| {
        units += units_of(&shown[at..to]);
        at = to;
        units
    };
    for (piece, class) in pieces(shown, line.syntax) {
        let (start, end) = (count(piece.start), count(piece.end));
        let _ = write!(colours, "{class}{start},{end}");
    }
    colours
}

/// How many units of UTF-16 a part of a line has as it is shown.
fn units_of(text: &[u8]) -> usize {
    if is_plain(text) {
        return text.len();
    }
    let mut html = String::new();
    plain(&mut html, text);
    // Names of what cannot be seen are text as well; their marks are not, nor how five signs are written.
    for (written, sign) in [
        ("<u>", ""),
        ("</u>", ""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ] {
        html = html.replace(written, sign);
    }
    html.encode_utf16().count()
}

/// A part of a line, and its class.
type Piece = (Range<usize>, char);

/// The pieces that have a colour.
fn pieces(shown: &[u8], syntax: &[SyntaxView]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::with_capacity(syntax.len());
    for span in syntax {
        let (start, end) = (span.start as usize, (span.end as usize).min(shown.len()));
        let from = pieces.last().map_or(0, |(before, _)| before.end);
        let Some(class) = class(span.class).filter(|_| from <= start && start < end) else { continue };
        match pieces.last_mut() {
            Some((before, known)) if *known == class && shown[from..start].trim_ascii().is_empty() => {
                before.end = end;
            }
            _ => pieces.push((start..end, class)),
        }
    }
    pieces
}

/// Adds a part of a line: changed words and pieces, the one that begins first or is longer around the other.
fn marked(html: &mut String, line: &[u8], part: Range<usize>, words: &[Range<usize>], pieces: &[Piece]) {
    let (mut words, mut pieces) = (words, pieces);
    let mut at = part.start;
    let within = |range: &Range<usize>, at: usize| {
        Some(range.start.max(at)..range.end.min(part.end)).filter(|range| range.start < range.end)
    };
    while at < part.end {
        words = &words[words.iter().take_while(|word| word.end <= at).count()..];
        pieces = &pieces[pieces.iter().take_while(|(piece, _)| piece.end <= at).count()..];
        let word = words.first().and_then(|word| within(word, at));
        let piece = pieces.first().and_then(|(piece, class)| Some((within(piece, at)?, *class)));
        let order = |range: &Range<usize>| (range.start, std::cmp::Reverse(range.end));
        match (word, piece) {
            (Some(word), piece) if piece.as_ref().is_none_or(|(piece, _)| order(&word) <= order(piece)) => {
                plain(html, &line[at..word.start]);
                let end = word.end;
                if let Some((_, class)) = piece.filter(|(piece, _)| *piece == word) {
                    open(html, "b", Some(class));
                    plain(html, &line[word]);
                } else {
                    open(html, "b", None);
                    marked(html, line, word, &[], pieces);
                }
                html.push_str("</b>");
                at = end;
            }
            (_, Some((piece, class))) => {
                // A word that goes on behind the piece is around what follows.
                let is_across = |word: &&Range<usize>| word.start > piece.start && word.end > piece.end;
                let across = words.iter().take_while(|word| word.start < piece.end).find(is_across);
                let end = across.map_or(piece.end, |word| word.start);
                plain(html, &line[at..piece.start]);
                open(html, "i", Some(class));
                marked(html, line, piece.start..end, words, &[]);
                html.push_str("</i>");
                at = end;
            }
            _ => {
                plain(html, &line[at..part.end]);
                return;
            }
        }
    }
}

fn open(html: &mut String, element: &str, class: Option<char>) {
    html.push('<');
    html.push_str(element);
    if let Some(class) = class {
        html.push_str(" class=");
        html.push(class);
    }
    html.push('>');
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
    if is_plain(text) {
        if let Ok(text) = std::str::from_utf8(text) {
            push_text(html, text);
        }
        return;
    }
    push_seen(html, &String::from_utf8_lossy(text));
}

/// Whether everything in a text is shown as it is.
fn is_plain(text: &[u8]) -> bool {
    text.is_ascii() && !text.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &[u8], words: &[(u64, u64)]) -> String {
        let words: Vec<ByteExtent> =
            words.iter().map(|(start, end)| ByteExtent { start: *start, end: *end }).collect();
        let mut html = String::new();
        push_code(&mut html, &CodeText { text, words: &words, ..CodeText::default() });
        html
    }

    #[test]
    fn colours_and_changed_words_are_cut_at_each_other() {
        let span = |start, end, class| SyntaxView { start, end, class };
        let check = |words: &[(u64, u64)], spans: &[SyntaxView], expected: &str| {
            let words: Vec<ByteExtent> =
                words.iter().map(|(start, end)| ByteExtent { start: *start, end: *end }).collect();
            let mut html = String::new();
            push_code(&mut html, &CodeText { text: b"let a = 1;", cut: 0, words: &words, syntax: spans });
            assert_eq!(html, expected);
        };
        let (keyword, number) = (span(0, 3, SyntaxWord::Keyword), span(8, 9, SyntaxWord::Number));
        check(&[], &[keyword, number], "<i class=k>let</i> a = <i class=n>1</i>;");
        check(&[(4, 9)], &[keyword, number], "<i class=k>let</i> <b>a = <i class=n>1</i></b>;");
        check(&[(1, 2)], &[keyword], "<i class=k>l<b>e</b>t</i> a = 1;");
        check(&[(0, 3)], &[keyword], "<b class=k>let</b> a = 1;");
        check(&[(0, 5)], &[keyword], "<b><i class=k>let</i> a</b> = 1;");
        check(&[(2, 5)], &[keyword], "<i class=k>le</i><b><i class=k>t</i> a</b> = 1;");
        check(&[(0, 1), (2, 3)], &[keyword], "<i class=k><b>l</b>e<b>t</b></i> a = 1;");
        check(
            &[(6, 9)],
            &[span(0, 7, SyntaxWord::String), number],
            "<i class=s>let a </i><b><i class=s>=</i> <i class=n>1</i></b>;",
        );
        check(&[], &[span(4, 99, SyntaxWord::Other), span(12, 20, SyntaxWord::Call)], "let a = 1;");
    }

    #[test]
    fn pieces_of_one_class_with_space_between_them_are_one() {
        let span = |start, end, class| SyntaxView { start, end, class };
        let mut html = String::new();
        let keywords = [(0, 3), (4, 6)].map(|(start, end)| span(start, end, SyntaxWord::Keyword));
        let line = |text, syntax| CodeText { text, syntax, ..CodeText::default() };
        push_code(&mut html, &line(b"pub fn a", &keywords));
        assert_eq!(html, "<i class=k>pub fn</i> a");
        html.clear();
        let types = [(0, 1), (2, 3)].map(|(start, end)| span(start, end, SyntaxWord::Type));
        push_code(&mut html, &line(b"a+b", &types));
        assert_eq!(html, "<i class=t>a</i>+<i class=t>b</i>");
    }

    #[test]
    fn changed_words_are_marked_and_nothing_is_markup() {
        assert_eq!(line(b"a <b> c", &[(2, 5)]), "a <b>&lt;b&gt;</b> c");
        assert_eq!(line(b"abc", &[(0, 1), (2, 3)]), "<b>a</b>b<b>c</b>");
        assert_eq!(line(b"abc", &[(2, 99)]), "ab<b>c</b>");
        assert_eq!(line(b"abc", &[(9, 12)]), "abc");
    }

    #[test]
    fn colours_are_told_in_the_units_of_a_browser() {
        let span = |start, end, class| SyntaxView { start, end, class };
        let text = "let \u{e9} = \"\u{1f600}&<\u{202e}\";".as_bytes();
        let syntax = [span(0, 3, SyntaxWord::Keyword), span(9, 21, SyntaxWord::String)];
        let line = CodeText { text, syntax: &syntax, ..CodeText::default() };
        // A quote, two units of a face, two signs, the name of what cannot be seen, a quote.
        assert_eq!(colours_of(&line), "k0,3s8,21");
        assert_eq!(
            colours_of(&CodeText { text: b"let", syntax: &syntax[..1], ..CodeText::default() }),
            "k0,3"
        );
        assert_eq!(colours_of(&CodeText { text: b"let", ..CodeText::default() }), "");
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
