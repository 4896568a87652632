//! What a child says on one stream, up to the moment at which it ends.
//!
//! A process that the child started, such as an ssh that keeps a connection open, may hold the stream open
//! for ever. When the child has ended, all that it wrote is in the pipe, so there is no need to wait for
//! more, and no timeout is needed.

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read};
use std::os::fd::AsFd;
use std::sync::mpsc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio};

/// What of a child's words is kept of each stream; a server may send any number of them.
pub const MAX_SAID: usize = 64 << 10;

/// More than this does not fit into a pipe: what comes after it was written by another process.
const MAX_IN_PIPE: usize = 1 << 20;

/// A stream that is read on its own thread, so that a full pipe blocks nothing.
#[derive(Debug)]
pub struct StreamReader {
    bell: PipeWriter,
    said: mpsc::Receiver<Vec<u8>>,
}

impl StreamReader {
    /// Begins to listen.
    pub fn of(stream: impl Read + AsFd + Send + 'static) -> io::Result<Self> {
        let (ended, bell) = io::pipe()?;
        let (tell, said) = mpsc::channel();
        std::thread::spawn(move || {
            let mut stream = stream;
            // What cannot be read was not said.
            let _ = tell.send(listen(&mut stream, &ended));
            // The stream is read to its end even if the receiver is gone, so that no writer fails.
            let _ = ioctl_fionbio(&stream, false);
            let _ = io::copy(&mut stream, &mut io::sink());
        });
        Ok(Self { bell, said })
    }

    /// All that was said, by a child that has ended.
    pub fn words(self) -> String {
        drop(self.bell);
        String::from_utf8_lossy(&self.said.recv().unwrap_or_default()).into_owned()
    }
}

/// Reads until the stream ends, or until the bell is dropped and nothing is left in the pipe.
fn listen(stream: &mut (impl Read + AsFd), ended: &PipeReader) -> Vec<u8> {
    let mut said = Vec::new();
    let mut buffer = [0; 8192];
    let mut last: Option<usize> = None;
    loop {
        if last.is_none() {
            match wait(stream, ended) {
                Ok(Rang::No) => {}
                Ok(Rang::Yes) if ioctl_fionbio(&*stream, true).is_ok() => last = Some(MAX_IN_PIPE),
                _ => return said,
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) => return said,
            Ok(read) => {
                let kept = read.min(MAX_SAID - said.len());
                said.extend_from_slice(&buffer[..kept]);
                if let Some(left) = &mut last {
                    match left.checked_sub(read) {
                        Some(rest) => *left = rest,
                        None => return said,
                    }
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return said,
        }
    }
}

/// Whether the child has ended.
enum Rang {
    No,
    Yes,
}

/// Waits until the stream can be read without waiting, or the child has ended.
fn wait(stream: &impl AsFd, ended: &PipeReader) -> Result<Rang, Errno> {
    loop {
        let mut both = [PollFd::new(stream, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
        match poll(&mut both, None) {
            Err(Errno::INTR) => continue,
            polled => _ = polled?,
        }
        if !both[1].revents().is_empty() {
            return Ok(Rang::Yes);
        }
        if !both[0].revents().is_empty() {
            return Ok(Rang::No);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_is_in_the_pipe_is_heard_though_somebody_holds_it_open() {
        let (stream, mut holder) = io::pipe().unwrap();
        holder.write_all(b"all of it").unwrap();
        assert_eq!(StreamReader::of(stream).unwrap().words(), "all of it");
        // A process that outlives the child can still write without an error.
        holder.write_all(&vec![b'x'; 4 * MAX_IN_PIPE]).unwrap();
    }

    #[test]
    fn much_is_read_and_little_of_it_kept() {
        let (stream, mut writer) = io::pipe().unwrap();
        let heard = StreamReader::of(stream).unwrap();
        writer.write_all(&vec![b'x'; 3 * MAX_IN_PIPE]).unwrap();
        drop(writer);
        assert_eq!(heard.words().len(), MAX_SAID);
    }
}
