//! One replacement: a range of a text, and what is there afterwards.
//!
//! How several of them go together is `text_edit`'s business.

use std::ops::Range;

/// Replaces a range of bytes by other bytes; `data` says whose replacement it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Replacement<D = ()> {
    range: Range<usize>,
    text: Vec<u8>,
    data: D,
}

impl<D> Replacement<D> {
    /// Makes a replacement; a range that ends before it starts is taken to be empty.
    pub fn new(range: Range<usize>, text: impl Into<Vec<u8>>, data: D) -> Self {
        let range = range.start..range.end.max(range.start);
        Self { range, text: text.into(), data }
    }

    /// The bytes that go away.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The offset of the first byte that goes away, or where the text is inserted.
    pub fn start(&self) -> usize {
        self.range.start
    }

    /// The offset after the last byte that goes away.
    pub fn end(&self) -> usize {
        self.range.end
    }

    /// What is there afterwards.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// What was attached to it.
    pub fn data(&self) -> &D {
        &self.data
    }

    /// Whether no byte goes away.
    pub fn is_insertion(&self) -> bool {
        self.range.is_empty()
    }

    /// Whether no byte goes away and none comes.
    pub fn is_nothing(&self) -> bool {
        self.range.is_empty() && self.text.is_empty()
    }

    /// By how much the text after it moves.
    pub(super) fn growth(&self) -> isize {
        self.text.len().wrapping_sub(self.range.len()).cast_signed()
    }

    /// Takes it apart.
    pub fn into_parts(self) -> (Range<usize>, Vec<u8>, D) {
        (self.range, self.text, self.data)
    }

    /// Leaves away what is the same before and after, at the end first and then at the start.
    ///
    /// The range must lie in `content`; one that does not is returned as it is.
    pub(super) fn trimmed(mut self, content: &[u8]) -> Self {
        let Some(old) = content.get(self.range.clone()) else { return self };
        let suffix = common_suffix(old, &self.text);
        let prefix = common_prefix(&old[..old.len() - suffix], &self.text[..self.text.len() - suffix]);
        self.cut(prefix, suffix);
        self
    }

    /// As [`Self::trimmed`], but leaves away whole lines only, and the end of the last one that changes.
    ///
    /// Letters that two lines have in common at their start say nothing about whether one became the other.
    pub(crate) fn trimmed_by_lines(mut self, content: &[u8]) -> Self {
        let Some(old) = content.get(self.range.clone()) else { return self };
        let suffix = common_suffix(old, &self.text);
        let same = &old[old.len() - suffix..];
        let mut suffix = memchr::memchr(b'\n', same).map_or(0, |at| suffix - at);
        let has_return = |text: &[u8]| text[..text.len() - suffix].ends_with(b"\r");
        if suffix > 0 && has_return(old) && has_return(&self.text) {
            suffix += 1;
        }
        let (old, text) = (&old[..old.len() - suffix], &self.text[..self.text.len() - suffix]);
        let same = &old[..common_prefix(old, text)];
        let prefix = memchr::memrchr(b'\n', same).map_or(0, |at| at + 1);
        self.cut(prefix, suffix);
        self
    }

    /// Takes away what stays the same at both ends.
    fn cut(&mut self, prefix: usize, suffix: usize) {
        self.text.truncate(self.text.len() - suffix);
        self.text.drain(..prefix);
        self.range = self.range.start + prefix..self.range.end - suffix;
    }
}

/// Whether a byte is in the middle of a UTF-8 character.
pub(super) fn continues(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// How many characters there are, where every byte that begins none belongs to the one before.
pub(super) fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| !continues(**byte)).count()
}

/// The offset after the first `count` characters, or after the text where it has fewer.
pub(super) fn after_characters(text: &[u8], count: usize) -> usize {
    let mut starts = text.iter().enumerate().filter(|(_, byte)| !continues(**byte));
    starts.nth(count).map_or(text.len(), |(at, _)| at)
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let mut length = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    while length > 0 && continues(a[a.len() - length]) {
        length -= 1;
    }
    length
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let mut length = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let cuts = |text: &[u8], at: usize| text.get(at).is_some_and(|byte| continues(*byte));
    while length > 0 && (cuts(a, length) || cuts(b, length)) {
        length -= 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, range: Range<usize>, text: &str, trimmed: (Range<usize>, &str)) {
        let found = Replacement::new(range, text, ()).trimmed(content.as_bytes());
        assert_eq!((found.range(), found.text()), (trimmed.0, trimmed.1.as_bytes()));
    }

    #[test]
    fn what_stays_the_same_is_no_part_of_a_replacement() {
        check("class Point3 {", 0..14, "class Point3D {", (12..12, "D"));
        check("aa", 0..2, "aaa", (0..0, "a"));
        check("abc", 0..3, "abc", (0..0, ""));
        check("abc", 1..2, "x", (1..2, "x"));
    }

    #[test]
    fn trimming_never_cuts_a_character_in_two() {
        // Both are three bytes long and share the first and the last of them.
        check("“x”", 0..7, "”x”", (0..3, "”"));
        check("“", 0..3, "“x", (3..3, "x"));
        check("é", 0..2, "è", (0..2, "è"));
        check("xé", 0..3, "xè", (1..3, "è"));
    }

    #[test]
    fn lines_that_stay_and_the_end_of_a_line_are_no_part_of_what_changes_by_lines() {
        let check = |range: Range<usize>, text: &str, trimmed: (Range<usize>, &str)| {
            let content = b"one\ntwo\r\nthree\r\n";
            let found = Replacement::new(range, text, ()).trimmed_by_lines(content);
            assert_eq!((found.range(), found.text()), (trimmed.0, trimmed.1.as_bytes()));
        };
        check(0..4, "once\n", (0..3, "once"));
        check(0..9, "one\ntwice\r\n", (4..7, "twice"));
        check(0..16, "one\nTWO\r\nthree\r\n", (4..7, "TWO"));
        check(4..9, "two\n", (4..8, "two"));
        check(0..4, "one\nmore\n", (0..3, "one\nmore"));
        check(0..4, "one\n", (0..3, "one"));
        check(0..3, "once", (0..3, "once"));
        check(0..4, "", (0..4, ""));
    }

    #[test]
    fn a_range_outside_of_the_text_is_left_alone() {
        check("abc", 2..9, "c", (2..9, "c"));
    }
}
