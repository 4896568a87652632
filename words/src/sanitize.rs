//! Text that others wrote, made harmless: nothing in it can move the cursor, change colours, ring a bell, turn the
//! direction of text around or hide.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use crate::unseen::Unseen;

/// A longer line is cut: it may be from a minified file, or meant to flood the terminal.
pub const MAX_LINE_CHARS: usize = 4000;

/// One line of text or of a file; what ends a line in it is shown as well.
pub fn line(bytes: &[u8]) -> String {
    let mut shown = String::new();
    push_line(&mut shown, bytes);
    shown
}

/// Adds such a line to what is shown.
pub fn push_line(shown: &mut String, bytes: &[u8]) {
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if let Some(plain) = plain(bytes) {
        return shown.push_str(plain);
    }
    let (mut count, mut unseen) = (0, Unseen::default());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if count == MAX_LINE_CHARS {
                let _ = write!(shown, "… ({} bytes in all)", bytes.len());
                return;
            }
            count += 1;
            push(shown, c, &mut unseen);
        }
        for byte in chunk.invalid() {
            if count == MAX_LINE_CHARS {
                break;
            }
            count += 1;
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
}

/// A part of a line: a carriage return at its end is shown, since more of the line may follow.
pub fn part(bytes: &[u8]) -> String {
    let (mut shown, mut unseen) = (String::with_capacity(bytes.len()), Unseen::default());
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut shown, c, &mut unseen));
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

/// Adds a part of a line of a diff: tabs stay, since columns depend on them.
pub fn push_diff_text(shown: &mut String, bytes: &[u8]) {
    let mut unseen = Unseen::default();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\t' { shown.push(c) } else { push(shown, c, &mut unseen) }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
}

/// A line of nothing but letters, digits and signs of ASCII, as most are: there is nothing to be done about it.
fn plain(bytes: &[u8]) -> Option<&str> {
    let is_plain = bytes.len() <= MAX_LINE_CHARS && bytes.iter().all(|byte| (b' '..0x7f).contains(byte));
    if is_plain { str::from_utf8(bytes).ok() } else { None }
}

/// Text of several lines; each is bounded, and they stay lines.
pub fn paragraph(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(|one| line(one.as_bytes()))
}

fn push(shown: &mut String, c: char, unseen: &mut Unseen) {
    let is_hidden = unseen.hides(c);
    match c {
        '\t' => shown.push_str("    "),
        '\u{7f}' => shown.push_str("^?"),
        c if c < ' ' => {
            shown.push('^');
            shown.push(char::from(c as u8 + b'@'));
        }
        c if is_hidden => {
            let _ = write!(shown, "<U+{:04X}>", u32::from(c));
        }
        c => shown.push(c),
    }
}

/// Escapes invisible and bidirectional characters in JSON; a program reads the same text.
pub fn json(text: String) -> String {
    if text.is_ascii() && !text.contains('\u{7f}') {
        return text;
    }
    let mut unseen = Unseen::default();
    let mut is_told = |c: char| unseen.hides(c) || c == '\u{7f}';
    let mut told = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_told(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(told, "\\u{unit:04x}");
            }
        } else {
            told.push(c);
        }
    }
    told
}

/// How many columns a line takes on a terminal.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// The beginning of a line that fits into so many columns, with a mark where something was cut.
pub fn fit(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    // What is joined to the character before it may make that narrower: each beginning is measured as a whole.
    let ends = text.char_indices().map(|(at, _)| at).take_while(|end| *end <= room.saturating_mul(16));
    let near = ends.map(|end| (end, width(&text[..end]))).take_while(|(_, width)| *width < room + 8);
    let fitting = near.filter(|(_, width)| *width < room).last().map(|(end, _)| end);
    format!("{}…", &text[..fitting.unwrap_or(0)])
}

/// The end of a line that fits into so many columns, with a mark where something was cut: of a path, the file.
pub fn fit_end(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let fits = |at: &usize| width(&text[*at..]) < room;
    let starts = text.char_indices().map(|(at, _)| at);
    // So far before the end nothing fits, however narrow its characters are.
    let near = starts.skip_while(|at| text.len() - at > room.saturating_mul(16));
    let start = near.into_iter().find(fits).unwrap_or(text.len());
    format!("…{}", &text[start..])
}

/// A line with blanks behind it, up to so many columns.
pub fn pad(text: &str, columns: usize) -> String {
    let mut padded = text.to_owned();
    padded.extend(std::iter::repeat_n(' ', columns.saturating_sub(width(text))));
    padded
}

/// A line as several that fit into so many columns, each with the blanks that the first begins with.
///
/// Breaks between words; a word that is too long stays whole, so that it can be copied.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let start = text.len() - text.trim_start().len();
    let indent = &text[..start];
    if width(text) <= room || indent.len() * 2 > room {
        return vec![text.to_owned()];
    }
    let mut lines = Vec::new();
    let mut line = String::from(indent);
    let mut is_empty = true;
    for word in text[start..].split(' ') {
        if !is_empty && width(&line) + 1 + width(word) > room {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_where_they_end_and_long_ones_stay_whole() {
        let check =
            |text: &str, room: usize, expected: &[&str]| assert_eq!(wrap(text, room), expected, "{text}");
        check("short", 10, &["short"]);
        check("one two three", 7, &["one two", "three"]);
        check("one two three", 1000, &["one two three"]);
        check("  one two three", 9, &["  one two", "  three"]);
        check("see https://example.com/long now", 10, &["see", "https://example.com/long", "now"]);
        check("漢字 漢字 漢字", 9, &["漢字 漢字", "漢字"]);
        check("", 4, &[""]);
    }

    #[test]
    fn no_byte_reaches_a_terminal_that_would_do_something() {
        assert_eq!(line(b"\x1b[31mred\x1b[0m\x07\x08"), "^[[31mred^[[0m^G^H");
        assert_eq!(line("a\u{9b}31m".as_bytes()), "a<U+009B>31m");
        assert_eq!(line("user\u{202e}txt.exe".as_bytes()), "user<U+202E>txt.exe");
        assert_eq!(line("zero\u{200b}width".as_bytes()), "zero<U+200B>width");
        assert_eq!(line(b"caf\xe9 \xff"), "caf\\xe9 \\xff");
        assert_eq!(line("plain é 漢 👍 👩‍👩‍👧 ❤️".as_bytes()), "plain é 漢 👍 👩‍👩‍👧 ❤️");
        assert_eq!(line("ig\u{200d}nore\u{fe01}".as_bytes()), "ig<U+200D>nore<U+FE01>");
        assert_eq!(line(b"\tindented\r"), "    indented");
        assert_eq!(line(b"one\rtwo"), "one^Mtwo");
    }

    #[test]
    fn json_says_the_same_without_what_would_do_something() {
        let check = |text: &str, told: &str| {
            let written = json(serde_json::to_string(text).unwrap());
            assert_eq!(written, told);
            assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        };
        check("plain é 漢 👍", "\"plain é 漢 👍\"");
        check("\u{1b}\u{9b}\u{7f}", r#""\u001b\u009b\u007f""#);
        check("ig\u{200d}nore 👩‍👩‍👧", "\"ig\\u200dnore 👩‍👩‍👧\"");
        check("user\u{202e}txt \u{e0041}", r#""user\u202etxt \udb40\udc41""#);
    }

    #[test]
    fn an_endless_line_ends() {
        let shown = line(&vec![b'x'; 10 << 20]);
        assert!(shown.len() < 5000 && shown.ends_with("(10485760 bytes in all)"), "{}", shown.len());
        assert!(line(&vec![0xff; 10 << 20]).len() < 20_000);
    }

    #[test]
    fn marks_and_joined_emoji_take_the_columns_that_a_terminal_gives_them() {
        for (text, columns) in [("กำ", 2), ("שָׁ", 1), ("नि", 2), ("👩‍👩‍👧", 2), ("漢字", 4), ("e\u{301}", 1)]
        {
            assert_eq!(width(text), columns, "{text}");
        }
        assert_eq!(fit("👩‍👩‍👧👩‍👩‍👧", 3), "👩‍👩‍👧…");
    }

    #[test]
    fn the_end_of_a_path_is_kept_and_wide_characters_are_counted() {
        assert_eq!(fit_end("src/lib.rs", 10), "src/lib.rs");
        assert_eq!(fit_end("a/long/way/lib.rs", 8), "…/lib.rs");
        assert_eq!(fit_end("漢字/漢字.rs", 8), "…漢字.rs");
        assert_eq!(pad("漢", 4), "漢  ");
        assert_eq!(pad("long", 2), "long");
    }

    #[test]
    fn what_is_cut_to_fit_says_so() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("漢字漢字", 5), "漢字…");
        assert_eq!(width("e\u{301}"), 1);
    }
}
