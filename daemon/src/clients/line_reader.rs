//! Lines of bounded length from a stream that may send anything, at any pace.

use std::io;

use postil_protocol::MAX_FRAME_BYTES;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How much is read at once.
const CHUNK: usize = 16 << 10;

/// A buffer that grew beyond this for one long message is given back.
const KEPT: usize = 64 << 10;

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadLine {
    /// A message, without its line end.
    Message(Vec<u8>),
    /// More than [`MAX_FRAME_BYTES`] without a line end.
    TooLong,
    /// The stream has ended.
    End,
}

/// The lines of a stream.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    from: R,
    buffer: Vec<u8>,
    /// How much of the buffer is known to hold no line end.
    searched: usize,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads from a stream.
    pub(crate) fn new(from: R) -> Self {
        Self { from, buffer: Vec::new(), searched: 0 }
    }

    /// Waits for the next line that is not blank; what came so far stays when the wait is given up.
    pub(crate) async fn next(&mut self) -> io::Result<ReadLine> {
        loop {
            while let Some(line) = self.take() {
                if !line.is_empty() {
                    return Ok(ReadLine::Message(line));
                }
            }
            if self.buffer.len() > MAX_FRAME_BYTES {
                return Ok(ReadLine::TooLong);
            }
            self.buffer.reserve(CHUNK);
            if self.from.read_buf(&mut self.buffer).await? == 0 {
                return Ok(ReadLine::End);
            }
        }
    }

    fn take(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = self.searched + end;
        let line = self.buffer[..end].trim_ascii().to_vec();
        self.buffer.drain(..=end);
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT {
            self.buffer = Vec::new();
        }
        self.searched = 0;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<ReadLine> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut lines = LineReader::new(bytes);
            let mut found = Vec::new();
            loop {
                match lines.next().await.unwrap() {
                    ReadLine::Message(line) => found.push(ReadLine::Message(line)),
                    end => {
                        found.push(end);
                        return found;
                    }
                }
            }
        })
    }

    #[test]
    fn blank_lines_are_passed_over_and_a_cut_one_is_none() {
        let message = |text: &str| ReadLine::Message(text.into());
        assert_eq!(lines(b"a\r\n\n  \nb c\ncut"), [message("a"), message("b c"), ReadLine::End]);
    }

    #[test]
    fn a_line_without_an_end_is_given_up_in_time() {
        let long = vec![b'x'; MAX_FRAME_BYTES + CHUNK + 1];
        assert_eq!(lines(&long), [ReadLine::TooLong]);
    }
}
