//! Framing: one JSON text per line, of limited length.
//!
//! JSON that is written without layout contains no newline, so a line is a message.

use std::io::{self, BufRead, Write};

/// A longer line is refused with [`FaultCode::TooLarge`](crate::FaultCode::TooLarge), and its connection is closed.
pub const MAX_FRAME_BYTES: usize = 16 << 20;

/// Why a message could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The line is over [`MAX_FRAME_BYTES`].
    #[error("the message is too long; the limit is {MAX_FRAME_BYTES} bytes")]
    TooLarge,
    /// The stream ended in the middle of a line.
    #[error("the connection ended in the middle of a message")]
    Cut,
    /// The stream failed.
    #[error("the connection failed")]
    Stream(#[from] io::Error),
}

/// The lines of a stream.
#[derive(Debug)]
pub struct Frames<R> {
    from: R,
    line: Vec<u8>,
}

impl<R: BufRead> Frames<R> {
    /// Reads lines from a stream.
    pub fn new(from: R) -> Self {
        Self { from, line: Vec::new() }
    }

    /// The stream.
    pub fn get_ref(&self) -> &R {
        &self.from
    }

    /// The line that was read last, without its end.
    pub fn last(&self) -> &[u8] {
        self.line.trim_ascii()
    }

    /// The next line that is not blank, without its end; `None` if the stream ends between two lines.
    ///
    /// If the stream times out, what was read so far is kept, and the next call continues with it. Never
    /// keeps more than [`MAX_FRAME_BYTES`].
    pub fn read(&mut self) -> Result<Option<&[u8]>, FrameError> {
        if self.line.last() == Some(&b'\n') {
            self.line.clear();
        }
        loop {
            let (used, ended) = {
                let available = match self.from.fill_buf() {
                    Ok(available) => available,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error.into()),
                };
                if available.is_empty() {
                    return if self.line.is_empty() { Ok(None) } else { Err(FrameError::Cut) };
                }
                let end = memchr::memchr(b'\n', available);
                let used = end.map_or(available.len(), |at| at + 1);
                if self.line.len() + used > MAX_FRAME_BYTES {
                    return Err(FrameError::TooLarge);
                }
                self.line.extend_from_slice(&available[..used]);
                (used, end.is_some())
            };
            self.from.consume(used);
            if !ended {
                continue;
            }
            if self.line.iter().all(u8::is_ascii_whitespace) {
                self.line.clear();
                continue;
            }
            return Ok(Some(self.line.trim_ascii()));
        }
    }
}

/// Writes one message as a line, in one call.
///
/// A message that is too long for the reader is refused before anything is written.
pub fn write_frame(to: &mut impl Write, message: &impl serde::Serialize) -> Result<(), FrameError> {
    let mut line = serde_json::to_vec(message).map_err(io::Error::from)?;
    line.push(b'\n');
    if line.len() > MAX_FRAME_BYTES {
        return Err(FrameError::TooLarge);
    }
    to.write_all(&line)?;
    to.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn lines_are_messages_and_blank_ones_are_none() {
        let mut frames = Frames::new(BufReader::with_capacity(3, &b"\n{\"a\":1}\r\n  \n[2]\n"[..]));
        assert_eq!(frames.read().unwrap(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(frames.read().unwrap(), Some(&b"[2]"[..]));
        assert_eq!(frames.read().unwrap(), None);
    }

    #[test]
    fn a_cut_line_and_an_endless_one_are_refused() {
        let mut cut = Frames::new(&b"{\"a\""[..]);
        assert!(matches!(cut.read(), Err(FrameError::Cut)));
        let endless = vec![b'x'; MAX_FRAME_BYTES + 1];
        assert!(matches!(Frames::new(&endless[..]).read(), Err(FrameError::TooLarge)));
        assert!(matches!(
            write_frame(&mut Vec::new(), &"x".repeat(MAX_FRAME_BYTES)),
            Err(FrameError::TooLarge)
        ));
    }

    #[test]
    fn a_message_is_one_line() {
        let mut line = Vec::new();
        write_frame(&mut line, &serde_json::json!({ "text": "two\nlines" })).unwrap();
        assert_eq!(line, b"{\"text\":\"two\\nlines\"}\n");
    }
}
