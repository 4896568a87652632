//! A text cut into lines, over bytes.
//!
//! No decoding happens here: a line is whatever is between two newlines, in any encoding that
//! has ASCII newlines. What a column means to a person is the caller's work.

/// A text and where its lines begin.
///
/// A newline ends a line, so `"a\n"` and `"a"` both have one line and `""` has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    bytes: Vec<u8>,
    /// The offset of every line, and one more after the last line.
    starts: Vec<u32>,
}

impl Default for Text {
    /// The empty text.
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Text {
    /// Cuts `bytes` into lines; costs one scan.
    ///
    /// Bytes after the first 4 GiB are not looked at: offsets are 32 bits wide.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let mut bytes = bytes.into();
        bytes.truncate(u32::MAX as usize - 1);
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', &bytes).map(|at| at as u32 + 1));
        let end = bytes.len() as u32;
        if starts.last() != Some(&end) {
            // The last line has no newline; its end is counted as if it had one.
            starts.push(end + 1);
        }
        Self { bytes, starts }
    }

    /// The text with a part of it replaced; costs a copy, and a scan of what is new.
    ///
    /// `part` is cut to the text.
    #[must_use]
    pub fn replaced(&self, part: std::ops::Range<usize>, with: &[u8]) -> Self {
        let end = part.end.min(self.bytes.len());
        let start = part.start.min(end);
        let mut bytes = Vec::with_capacity(start + with.len() + self.bytes.len() - end);
        bytes.extend_from_slice(&self.bytes[..start]);
        bytes.extend_from_slice(with);
        bytes.extend_from_slice(&self.bytes[end..]);
        // A line that ends before the part, or begins behind it, has the same end.
        let head = self.starts.partition_point(|line| *line as usize <= start);
        let tail = self.starts.partition_point(|line| *line as usize <= end);
        let is_short = bytes.len() < u32::MAX as usize - 1 && self.bytes.ends_with(b"\n");
        if !is_short || end == self.bytes.len() {
            return Self::new(bytes);
        }
        let mut starts = Vec::with_capacity(self.starts.len() + 1);
        starts.extend_from_slice(&self.starts[..head]);
        starts.extend(memchr::memchr_iter(b'\n', with).map(|at| (start + at) as u32 + 1));
        let moved = (with.len() as u32).wrapping_sub((end - start) as u32);
        starts.extend(self.starts[tail..].iter().map(|line| line.wrapping_add(moved)));
        Self { bytes, starts }
    }

    /// All bytes, as they were given.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many lines there are.
    pub fn len(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Whether there is no line at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The line without its newline; empty after the end of the text.
    pub fn line(&self, line: u32) -> &[u8] {
        let line = line as usize;
        match (self.starts.get(line), self.starts.get(line + 1)) {
            (Some(&start), Some(&next)) => &self.bytes[start as usize..next as usize - 1],
            _ => &[],
        }
    }

    /// Where the line begins; the end of the text for a line after it.
    pub fn offset(&self, line: u32) -> usize {
        self.starts.get(line as usize).map_or(self.bytes.len(), |start| *start as usize).min(self.bytes.len())
    }

    /// The line that a byte is in, its newline included; the last line for what is after the text.
    pub fn line_at(&self, offset: usize) -> u32 {
        let begun = self.starts.partition_point(|start| *start as usize <= offset) as u32;
        begun.min(self.len()).saturating_sub(1)
    }

    /// The line without its newline and without a carriage return before it.
    pub fn bare(&self, line: u32) -> &[u8] {
        let line = self.line(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// All lines, bare, in order.
    pub fn bare_lines(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        (0..self.len()).map(|line| self.bare(line))
    }

    /// How far the line is indented, a tab counting to the next multiple of eight; `None` if blank.
    pub fn indent(&self, line: u32) -> Option<u32> {
        let mut width = 0;
        for byte in self.bare(line) {
            match byte {
                b' ' => width += 1,
                b'\t' => width += 8 - width % 8,
                b'\r' | 0x0b | 0x0c => {}
                _ => return Some(width),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, lines: &[&str]) {
        let text = Text::new(text);
        let found: Vec<_> = text.bare_lines().map(|l| String::from_utf8_lossy(l).into_owned()).collect();
        assert_eq!(found, lines);
        assert_eq!(text.len() as usize, lines.len());
        assert_eq!(text.is_empty(), lines.is_empty());
    }

    #[test]
    fn the_default_is_the_empty_text() {
        assert_eq!(Text::default(), Text::new(""));
        assert_eq!(Text::default().len(), 0);
    }

    #[test]
    fn a_newline_ends_a_line_and_begins_none() {
        check("", &[]);
        check("\n", &[""]);
        check("a", &["a"]);
        check("a\n", &["a"]);
        check("a\n\nb", &["a", "", "b"]);
        check("a\r\nb\r\n", &["a", "b"]);
        check("a\rb", &["a\rb"]);
    }

    #[test]
    fn a_part_that_is_replaced_gives_the_text_that_is_cut_anew() {
        for text in ["", "a", "a\n", "one\ntwo\n\nthree\n", "one\ntwo", "\n\n"] {
            for with in ["", "x", "\n", "x\ny", "\nx\n"] {
                for start in 0..=text.len() {
                    for end in start..=text.len() + 1 {
                        let mut expected = text.to_owned();
                        expected.replace_range(start..end.min(text.len()), with);
                        let found = Text::new(text).replaced(start..end, with.as_bytes());
                        assert_eq!(found, Text::new(expected), "{text:?} {start}..{end} {with:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_keeps_its_carriage_return_unless_asked_for_bare() {
        let text = Text::new("a\r\nb");
        assert_eq!(text.line(0), b"a\r");
        assert_eq!(text.line(1), b"b");
        assert_eq!(text.line(7), b"");
    }

    #[test]
    fn a_tab_counts_to_the_next_multiple_of_eight() {
        let text = Text::new("  a\n\tb\n  \tc\n   \n");
        let indents: Vec<_> = (0..4).map(|line| text.indent(line)).collect();
        assert_eq!(indents, [Some(2), Some(8), Some(8), None]);
    }
}
