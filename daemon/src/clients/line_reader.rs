//! Lines of bounded length from a stream that may send anything, at any pace.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use postil_protocol::MAX_FRAME_BYTES;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How much is read at once.
const CHUNK: usize = 16 << 10;

/// Every connection may hold so much of an unfinished message, however much others hold. A buffer that grew beyond
/// this for one long message is given back.
const SHORT: usize = 64 << 10;

/// What the unfinished messages of all connections may hold together beyond that: four of the longest.
const MAX_UNFINISHED_BYTES: usize = 4 * MAX_FRAME_BYTES;

/// A request that is not longer than this may always wait for its turn.
const FREE: usize = 4 << 10;

/// What the longer requests of all connections may hold together while they wait to be answered.
const MAX_WAITING_BYTES: usize = 4 * MAX_FRAME_BYTES;

/// How long a message waits for others to be finished. Those of clients that are well take far less.
const ROOM_WITHIN: Duration = Duration::from_secs(10);

/// A client that sends nothing for so long in the middle of a long message is cut off: others may wait for its room.
const STALLED: Duration = Duration::from_secs(30);

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadLine {
    /// A message, without its line end.
    Message(Vec<u8>),
    /// More than [`MAX_FRAME_BYTES`] without a line end.
    TooLong,
    /// A long message, while those of others take all the room.
    NoRoom,
    /// The stream has ended.
    End,
}

/// The room for long messages that are not finished, and for those that wait to be answered, shared by all connections.
#[derive(Clone, Debug)]
pub(crate) struct MessageRoom {
    bytes: Arc<Semaphore>,
    within: Duration,
    waiting: Arc<Semaphore>,
}

/// The room of a message that waits to be answered; free again when this is dropped.
#[derive(Debug)]
pub(crate) struct WaitingRoom {
    _bytes: OwnedSemaphorePermit,
}

impl MessageRoom {
    /// Room for so many bytes, for which a message waits no longer than this.
    fn new(bytes: usize, within: Duration, waiting: usize) -> Self {
        Self { bytes: Arc::new(Semaphore::new(bytes)), within, waiting: Arc::new(Semaphore::new(waiting)) }
    }

    /// Takes so many bytes, if they are free in time.
    async fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let bytes = u32::try_from(bytes).ok()?;
        timeout(self.within, Arc::clone(&self.bytes).acquire_many_owned(bytes)).await.ok()?.ok()
    }

    /// Waits until a message of so many bytes may wait to be answered.
    ///
    /// There is no end to that: every request that has room is answered, or its client is cut off.
    async fn wait(&self, bytes: usize) -> Option<WaitingRoom> {
        let bytes = u32::try_from(bytes).ok()?;
        let bytes = Arc::clone(&self.waiting).acquire_many_owned(bytes).await.ok()?;
        Some(WaitingRoom { _bytes: bytes })
    }
}

impl Default for MessageRoom {
    fn default() -> Self {
        Self::new(MAX_UNFINISHED_BYTES, ROOM_WITHIN, MAX_WAITING_BYTES)
    }
}

/// The lines of a stream.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    from: R,
    buffer: Vec<u8>,
    /// How much of the buffer is known to hold no line end.
    searched: usize,
    room: MessageRoom,
    /// What is taken of the room, for all of the buffer but [`SHORT`].
    taken: Option<OwnedSemaphorePermit>,
    /// The room of the message that was read last, to be held until it is answered.
    pub(crate) waiting: Option<WaitingRoom>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads from a stream.
    pub(crate) fn new(from: R, room: MessageRoom) -> Self {
        Self { from, buffer: Vec::new(), searched: 0, room, taken: None, waiting: None }
    }

    /// Waits for the next line that is not blank; what came so far stays when the wait is given up.
    pub(crate) async fn next(&mut self) -> io::Result<ReadLine> {
        loop {
            while let Some(end) = self.line_end() {
                // Until there is room for it, it holds that of an unfinished one, and no more is read.
                if end > FREE && self.waiting.is_none() {
                    self.waiting = self.room.wait(end).await;
                }
                let line = self.take(end);
                if !line.is_empty() {
                    return Ok(ReadLine::Message(line));
                }
            }
            if self.buffer.len() > MAX_FRAME_BYTES {
                return Ok(ReadLine::TooLong);
            }
            if self.free() == 0 && !self.take_room().await {
                return Ok(ReadLine::NoRoom);
            }
            if self.read().await? == 0 {
                return Ok(ReadLine::End);
            }
        }
    }

    /// How much may be read into the buffer.
    fn free(&self) -> usize {
        let taken = self.taken.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        (SHORT + taken).saturating_sub(self.buffer.len())
    }

    /// Makes room for as much again as a short message has; whether that was possible in time.
    async fn take_room(&mut self) -> bool {
        let Some(more) = self.room.take(SHORT).await else { return false };
        match &mut self.taken {
            Some(taken) => taken.merge(more),
            none => *none = Some(more),
        }
        true
    }

    async fn read(&mut self) -> io::Result<usize> {
        let free = self.free();
        self.buffer.reserve(CHUNK.min(free));
        let mut from = (&mut self.from).take(free as u64);
        let read = from.read_buf(&mut self.buffer);
        if self.taken.is_none() {
            return read.await;
        }
        timeout(STALLED, read).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Where the first line in the buffer ends.
    fn line_end(&mut self) -> Option<usize> {
        let end = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        let end = end.map(|end| self.searched + end);
        self.searched = end.unwrap_or(self.buffer.len());
        end
    }

    fn take(&mut self, end: usize) -> Vec<u8> {
        let line = self.buffer[..end].trim_ascii().to_vec();
        self.buffer.drain(..=end);
        if self.buffer.len() <= SHORT && self.taken.take().is_some() {
            self.buffer.shrink_to_fit();
        }
        self.searched = 0;
        line
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;
    use crate::fixture::run;

    async fn all<R: AsyncRead + Unpin>(mut lines: LineReader<R>) -> Vec<ReadLine> {
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
    }

    fn lines(bytes: &[u8]) -> Vec<ReadLine> {
        run(all(LineReader::new(bytes, MessageRoom::default())))
    }

    fn message(text: &str) -> ReadLine {
        ReadLine::Message(text.into())
    }

    #[test]
    fn blank_lines_are_passed_over_and_a_cut_one_is_none() {
        assert_eq!(lines(b"a\r\n\n  \nb c\ncut"), [message("a"), message("b c"), ReadLine::End]);
    }

    #[test]
    fn a_line_without_an_end_is_given_up_in_time() {
        let long = vec![b'x'; MAX_FRAME_BYTES + CHUNK + 1];
        assert_eq!(lines(&long), [ReadLine::TooLong]);
    }

    #[test]
    fn a_long_line_is_read_whole() {
        let long = "x".repeat(3 * SHORT + 1);
        let text = format!("{long}\nshort\n");
        assert_eq!(lines(text.as_bytes()), [message(&long), message("short"), ReadLine::End]);
    }

    #[test]
    fn long_unfinished_lines_share_their_room_and_short_ones_need_none() {
        run(async {
            let room = MessageRoom::new(2 * SHORT, Duration::ZERO, MAX_WAITING_BYTES);
            let (long, short) = (vec![b'x'; 3 * SHORT - 1], [vec![b'y'; SHORT - 1], b"\n".to_vec()].concat());
            let (mut sender, receiver) = tokio::io::duplex(4 * SHORT);
            let mut hog = LineReader::new(receiver, room.clone());
            sender.write_all(&long).await.unwrap();
            assert!(timeout(Duration::ZERO, hog.next()).await.is_err(), "the line has no end yet");
            assert_eq!((hog.buffer.len(), room.bytes.available_permits()), (long.len(), 0));
            // Nobody else has a long message read meanwhile, and short ones are read as ever.
            assert_eq!(all(LineReader::new(&*long, room.clone())).await, [ReadLine::NoRoom]);
            let read = all(LineReader::new(&*short, room.clone())).await;
            assert!(matches!(&read[..], [ReadLine::Message(_), ReadLine::End]));
            // Once it is whole, all of its room is there for others, and its buffer is not kept.
            sender.write_all(b"\n").await.unwrap();
            assert!(matches!(hog.next().await, Ok(ReadLine::Message(line)) if line == long));
            assert_eq!((hog.buffer.capacity(), room.bytes.available_permits()), (0, 2 * SHORT));
            assert_eq!(all(LineReader::new(&*long, room.clone())).await, [ReadLine::End]);
            // So it is where a client goes in the middle of a line.
            assert_eq!(room.bytes.available_permits(), 2 * SHORT);
        });
    }

    #[test]
    fn finished_lines_that_wait_to_be_answered_share_their_room_and_short_ones_need_none() {
        run(async {
            let room = MessageRoom::new(0, Duration::ZERO, 2 * FREE);
            let long = [vec![b'x'; 2 * FREE], b"\n".to_vec()].concat();
            let mut first = LineReader::new(&*long, room.clone());
            assert!(matches!(first.next().await, Ok(ReadLine::Message(_))));
            let held = first.waiting.take();
            assert!(held.is_some());
            let mut second = LineReader::new(&*long, room.clone());
            for _ in 0..2 {
                assert!(timeout(Duration::ZERO, second.next()).await.is_err(), "there is no room");
            }
            let short = b"short\n";
            assert_eq!(
                all(LineReader::new(&short[..], room.clone())).await,
                [message("short"), ReadLine::End]
            );
            drop(held);
            assert!(matches!(second.next().await, Ok(ReadLine::Message(line)) if line.len() == 2 * FREE));
        });
    }
}
