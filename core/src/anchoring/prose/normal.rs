//! Text without what typesetting changes, and the way back to its bytes.
//!
//! White space of any length is one space, quote marks and dashes of any kind are one kind, what
//! cannot be seen is gone. Case is kept beside a folded form, since a changed case is a changed word.

use std::ops::Range;

/// A normalised text; it neither begins nor ends with a space.
#[derive(Debug, Default)]
pub(super) struct Normal {
    chars: Vec<char>,
    folded: Vec<char>,
    /// Where each character begins and ends in the text it was made of.
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Normal {
    pub(super) fn new(text: &str) -> Self {
        let mut normal = Self::default();
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            match class(c) {
                Class::Unseen => {}
                Class::Space if normal.chars.is_empty() => {}
                Class::Space => normal.run(' ', at..end),
                Class::Dash => normal.run('-', at..end),
                Class::Quote => normal.push('"', at..end),
                Class::Ellipsis => (0..3).for_each(|_| normal.push('.', at..end)),
                Class::Word => normal.push(c, at..end),
            }
        }
        if normal.chars.last() == Some(&' ') {
            normal.chars.pop();
            normal.folded.pop();
            normal.starts.pop();
            normal.ends.pop();
        }
        normal
    }

    /// The characters, in their case.
    pub(super) fn chars(&self) -> &[char] {
        &self.chars
    }

    /// The characters, in small letters.
    pub(super) fn folded(&self) -> &[char] {
        &self.folded
    }

    /// The bytes that a range of characters was made of.
    pub(super) fn bytes_of(&self, range: &Range<usize>) -> Option<Range<usize>> {
        (!range.is_empty()).then_some(())?;
        Some(*self.starts.get(range.start)?..*self.ends.get(range.end - 1)?)
    }

    /// The characters that a range of bytes became.
    pub(super) fn range_of(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.index_at(bytes.start);
        let end = self.starts.partition_point(|start| *start < bytes.end);
        start..end.max(start)
    }

    /// The first character that ends after a byte.
    pub(super) fn index_at(&self, byte: usize) -> usize {
        self.ends.partition_point(|end| *end <= byte)
    }

    fn run(&mut self, c: char, bytes: Range<usize>) {
        match (self.chars.last(), self.ends.last_mut()) {
            (Some(last), Some(end)) if *last == c => *end = bytes.end,
            _ => self.push(c, bytes),
        }
    }

    fn push(&mut self, c: char, bytes: Range<usize>) {
        self.chars.push(c);
        self.folded.push(c.to_lowercase().next().unwrap_or(c));
        self.starts.push(bytes.start);
        self.ends.push(bytes.end);
    }
}

/// Whether nothing of a text can be seen.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| matches!(class(c), Class::Space | Class::Unseen))
}

enum Class {
    Word,
    Space,
    Dash,
    Quote,
    Ellipsis,
    Unseen,
}

fn class(c: char) -> Class {
    match c {
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => Class::Unseen,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' => Class::Dash,
        '"'
        | '\''
        | '`'
        | '\u{ab}'
        | '\u{b4}'
        | '\u{bb}'
        | '\u{2018}'..='\u{201f}'
        | '\u{2032}'
        | '\u{2033}'
        | '\u{2039}'
        | '\u{203a}' => Class::Quote,
        '\u{2026}' => Class::Ellipsis,
        c if c.is_whitespace() => Class::Space,
        _ => Class::Word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typesetting_does_not_count() {
        let check = |text: &str, normal: &str| {
            assert_eq!(Normal::new(text).chars().iter().collect::<String>(), normal, "{text:?}");
        };
        check(" a \n\t b\u{a0}", "a b");
        check("“it’s” — a -- b…", "\"it\"s\" - a - b...");
        check("soft\u{ad}ly\u{200b}", "softly");
        check("Aä", "Aä");
        check(" \n", "");
    }

    #[test]
    fn every_character_knows_its_bytes() {
        let text = " Ä  --b";
        let normal = Normal::new(text);
        assert_eq!(normal.folded(), ['ä', ' ', '-', 'b']);
        assert_eq!(normal.bytes_of(&(0..1)), Some(1..3));
        assert_eq!(normal.bytes_of(&(1..3)), Some(3..7));
        assert_eq!(normal.range_of(&(6..8)), 2..4);
        assert_eq!(normal.bytes_of(&(2..2)), None);
        assert_eq!(normal.bytes_of(&(3..5)), None);
    }
}
