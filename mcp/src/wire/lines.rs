//! Lines of a stream, each of which is one message; a line that is too long is passed over, not kept.

use std::io::{self, BufRead};

/// A longer line is answered with an error. A hundred comments, the most that a call takes, fit.
pub(crate) const MAX_LINE_BYTES: usize = 4 << 20;

/// A line of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StreamLine {
    /// What is between two ends of lines.
    Whole(Vec<u8>),
    /// More than [`MAX_LINE_BYTES`]; its bytes are gone.
    TooLong,
}

/// Reads the next line that is not blank; `None` at the end of the stream.
pub(crate) fn next_line(input: &mut impl BufRead) -> io::Result<Option<StreamLine>> {
    let (mut line, mut is_too_long) = (Vec::new(), false);
    loop {
        let read = match input.fill_buf() {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let has_ended = read.is_empty();
        let end = read.iter().position(|byte| *byte == b'\n');
        let part = &read[..end.unwrap_or(read.len())];
        if line.len() + part.len() > MAX_LINE_BYTES {
            is_too_long = true;
            line.clear();
        } else if !is_too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_none() && !has_ended {
            continue;
        }
        if is_too_long {
            return Ok(Some(StreamLine::TooLong));
        }
        if !line.trim_ascii().is_empty() {
            return Ok(Some(StreamLine::Whole(line)));
        }
        if has_ended {
            return Ok(None);
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn lines(text: &[u8], room: usize) -> Vec<StreamLine> {
        let mut input = BufReader::with_capacity(room, text);
        std::iter::from_fn(|| next_line(&mut input).unwrap()).collect()
    }

    #[test]
    fn lines_are_whole_however_they_arrive_and_blank_ones_are_passed_over() {
        let whole = |text: &str| StreamLine::Whole(text.as_bytes().to_vec());
        for room in [1, 2, 7, 4096] {
            assert_eq!(lines(b"one\n\n \r\ntwo\nthree", room), [whole("one"), whole("two"), whole("three")]);
            assert_eq!(lines(b"", room), []);
            assert_eq!(lines(b"\n\n", room), []);
        }
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory_and_the_next_one_is_read() {
        let mut text = vec![b'x'; MAX_LINE_BYTES + 1];
        text.extend_from_slice(b"\nnext\n");
        assert_eq!(lines(&text, 4096), [StreamLine::TooLong, StreamLine::Whole(b"next".to_vec())]);
        assert_eq!(lines(&vec![b'x'; MAX_LINE_BYTES + 1], 4096), [StreamLine::TooLong]);
    }
}
