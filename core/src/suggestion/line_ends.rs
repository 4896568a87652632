//! How the lines of a text end, and texts with their line ends changed.

/// How lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// With a newline.
    Lf,
    /// With a carriage return and a newline.
    CrLf,
}

impl LineEnds {
    /// How most lines of a text end; `None` for a text without newlines.
    pub fn of(text: &[u8]) -> Option<Self> {
        let all = memchr::memchr_iter(b'\n', text).count();
        let with_return = memchr::memmem::find_iter(text, b"\r\n").count();
        (all > 0).then_some(if 2 * with_return > all { Self::CrLf } else { Self::Lf })
    }

    /// The text with all its lines ending like this.
    pub fn put(self, text: &[u8]) -> Vec<u8> {
        let mut result = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(line) => {
                    result.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
                    result.extend_from_slice(match self {
                        Self::Lf => b"\n",
                        Self::CrLf => b"\r\n",
                    });
                }
                None => result.extend_from_slice(line),
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_most_lines_count() {
        assert_eq!(LineEnds::of(b"a"), None);
        assert_eq!(LineEnds::of(b"a\r\nb\r\nc\n"), Some(LineEnds::CrLf));
        assert_eq!(LineEnds::of(b"a\nb\r\n"), Some(LineEnds::Lf));
        assert_eq!(LineEnds::CrLf.put(b"a\nb\r\nc"), b"a\r\nb\r\nc");
        assert_eq!(LineEnds::Lf.put(b"a\r\nb\rc\n"), b"a\nb\rc\n");
    }
}
