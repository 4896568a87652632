//! Reads what another program prints while something else is still done, so that the program does not wait.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// At most so much is read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// So many chunks are kept. If they are full, the program waits.
const MAX_CHUNKS: usize = 256;

/// What was read ahead.
#[derive(Debug)]
pub struct ReadAhead {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    taken: usize,
}

impl ReadAhead {
    /// Begins to read; ends when everything was read, or when this is dropped.
    pub fn new(mut from: impl Read + Send + 'static) -> Self {
        let (send, chunks) = sync_channel(MAX_CHUNKS);
        thread::spawn(move || {
            let mut buffer = vec![0; CHUNK_BYTES];
            loop {
                let read = match from.read(&mut buffer) {
                    Ok(0) => return,
                    // git writes much smaller pieces than there is room for.
                    Ok(count) => Ok(buffer[..count].to_vec()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let is_over = read.is_err();
                // Nobody wants the rest if it cannot be sent.
                if send.send(read).is_err() || is_over {
                    return;
                }
            }
        });
        Self { chunks, chunk: Vec::new(), taken: 0 }
    }
}

impl BufRead for ReadAhead {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.chunk.len() {
            // At the end nothing more is sent.
            self.chunk = self.chunks.recv().unwrap_or_else(|_| Ok(Vec::new()))?;
            self.taken = 0;
        }
        Ok(&self.chunk[self.taken..])
    }

    fn consume(&mut self, count: usize) {
        self.taken = (self.taken + count).min(self.chunk.len());
    }
}

impl Read for ReadAhead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives_in_order_and_the_end_stays_the_end() {
        let bytes: Vec<u8> = (0..20 * CHUNK_BYTES).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let mut ahead = ReadAhead::new(io::Cursor::new(bytes.clone()));
        let mut line = Vec::new();
        let mut read = Vec::new();
        while ahead.read_until(b'\n', &mut line).unwrap() > 0 {
            read.append(&mut line);
        }
        assert!(read == bytes);
        assert_eq!(ahead.read(&mut [0; 8]).unwrap(), 0);
        assert_eq!(ahead.read(&mut [0; 8]).unwrap(), 0);
    }

    #[test]
    fn a_failure_is_told_after_what_was_read() {
        struct Broken(bool);
        impl Read for Broken {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(io::Error::other("broken"));
                }
                into[0] = b'x';
                Ok(1)
            }
        }
        let mut ahead = ReadAhead::new(Broken(false));
        let mut read = Vec::new();
        assert_eq!(ahead.read_to_end(&mut read).unwrap_err().to_string(), "broken");
        assert_eq!(read, b"x");
    }
}
