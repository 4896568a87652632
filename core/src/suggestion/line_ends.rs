//! How the lines of a text end, and texts with their lines ended as those of another.
//!
//! Invariant: nothing but carriage returns before newlines changes here.

use crate::edit::{Algorithm, LineMap, Text};

/// How lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnding {
    /// With a newline.
    Lf,
    /// With a carriage return and a newline.
    CrLf,
}

impl LineEnding {
    /// How most lines of a text end; `None` for a text without newlines.
    pub fn of(text: &[u8]) -> Option<Self> {
        let all = memchr::memchr_iter(b'\n', text).count();
        let with_return = memchr::memmem::find_iter(text, b"\r\n").count();
        (all > 0).then_some(if 2 * with_return > all { Self::CrLf } else { Self::Lf })
    }

    /// How one line ends, newline included; `None` for the last one of a text that ends without.
    pub fn of_line(line: &[u8]) -> Option<Self> {
        let before = line.strip_suffix(b"\n")?;
        Some(if before.ends_with(b"\r") { Self::CrLf } else { Self::Lf })
    }

    /// What ends a line.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
        }
    }
}

/// The text with each line ended as its counterpart in `model`, and a line that has none as the one before it.
///
/// `beside` is how lines end where `model` does not say.
pub(super) fn ended_like(model: &Text, text: &[u8], beside: Option<LineEnding>) -> Vec<u8> {
    let text = Text::new(text);
    let line_of = |text: &Text, line: u32| text.bytes()[text.offset(line)..text.offset(line + 1)].to_vec();
    let back = LineMap::between(model, &text, Algorithm::Histogram).invert();
    let mut hunks = back.hunks().iter().peekable();
    let mut result = Vec::with_capacity(text.bytes().len());
    let mut last = None;
    for line in 0..text.len() {
        let own = line_of(&text, line);
        let Some(written) = LineEnding::of_line(&own) else {
            result.extend(own);
            continue;
        };
        while hunks.next_if(|hunk| hunk.before.end <= line).is_some() {}
        let counterpart = back.kept(line).or_else(|| {
            let hunk = hunks.peek().filter(|hunk| hunk.before.contains(&line))?;
            Some(hunk.after.start + (line - hunk.before.start)).filter(|other| *other < hunk.after.end)
        });
        let ends = counterpart.and_then(|other| LineEnding::of_line(&line_of(model, other)));
        let first = || (!model.is_empty()).then(|| LineEnding::of_line(&line_of(model, 0))).flatten();
        let ends = ends.or(last).or_else(first).or(beside).unwrap_or(written);
        last = Some(ends);
        result.extend_from_slice(text.bare(line));
        result.extend_from_slice(ends.bytes());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_most_lines_count() {
        assert_eq!(LineEnding::of(b"a"), None);
        assert_eq!(LineEnding::of(b"a\r\nb\r\nc\n"), Some(LineEnding::CrLf));
        assert_eq!(LineEnding::of(b"a\nb\r\n"), Some(LineEnding::Lf));
    }

    #[test]
    fn each_line_ends_as_its_counterpart_and_new_ones_as_their_neighbours() {
        let check = |model: &str, text: &str, result: &str| {
            let ended = ended_like(&Text::new(model), text.as_bytes(), None);
            assert_eq!(String::from_utf8(ended).unwrap(), result, "{text:?} like {model:?}");
        };
        check("a\r\nb\nc\r\n", "a\nb\nc\n", "a\r\nb\nc\r\n");
        check("a\r\nb\nc\r\n", "A\nB\nC\n", "A\r\nB\nC\r\n");
        check("a\r\nb\n", "a\nmore\nb\nlast\n", "a\r\nmore\r\nb\nlast\n");
        check("a\nb\r\n", "new\na\nb\n", "new\na\nb\r\n");
        check("a\nb\nc", "a\r\nb\rc\r\nd", "a\nb\rc\nd");
        check("", "a\r\nb\n", "a\r\nb\r\n");
    }
}
