//! The messages that wait to be sent to one client. They are limited, so a client that does not read only
//! harms itself.

use std::io::{self, IoSlice};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use postil_protocol::{MessageId, around_result};
use serde::Serialize;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;

use postil_service::JsonText;

/// With this many bytes waiting, a client gets no more events: it is cut off. Its own requests are neither read nor begun
/// meanwhile.
pub(crate) const MAX_WAITING_BYTES: usize = 8 << 20;

/// A client that takes nothing for so long is cut off.
const STALLED: Duration = Duration::from_secs(30);

/// The end where messages are put in; copies are the same outbox.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    queue: mpsc::UnboundedSender<OutboxLine>,
    state: Arc<OutboxState>,
}

/// The end where they are sent from.
#[derive(Debug)]
pub(crate) struct Sending {
    queue: mpsc::UnboundedReceiver<OutboxLine>,
    state: Arc<OutboxState>,
}

/// One message, and the newline after it.
#[derive(Debug)]
enum OutboxLine {
    Whole(Vec<u8>),
    /// An answer that others may get as well: the frame around it is this client's, and it is not copied.
    Shared {
        before: String,
        answer: JsonText,
        behind: String,
    },
}

impl OutboxLine {
    fn parts(&self) -> [&[u8]; 3] {
        match self {
            Self::Whole(line) => [line, b"", b""],
            Self::Shared { before, answer, behind } => [before.as_bytes(), answer, behind.as_bytes()],
        }
    }

    fn len(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }

    /// Sends all parts, in one go where the client takes them.
    async fn send(&self, to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let mut parts = self.parts().map(IoSlice::new);
        let mut left = &mut parts[..];
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            match to.write_vectored(left).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                sent => IoSlice::advance_slices(&mut left, sent),
            }
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
struct OutboxState {
    waiting: AtomicUsize,
    /// Notifies all waiting tasks that something was sent.
    sent: Notify,
    /// Notifies that the client is cut off.
    cut: Notify,
}

/// Makes the two ends.
pub(crate) fn outbox() -> (Outbox, Sending) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let state = Arc::<OutboxState>::default();
    (Outbox { queue: sender, state: Arc::clone(&state) }, Sending { queue: receiver, state })
}

impl Outbox {
    /// Sends the answer to a request, whatever else waits: requests are bounded by [`Outbox::room`].
    pub(crate) fn answer<M: Serialize>(&self, message: &M) {
        self.put(message);
    }

    /// Sends an answer that is JSON text already, and perhaps not this client's alone.
    pub(crate) fn shared_answer(&self, id: &MessageId, answer: &JsonText) {
        match around_result(id) {
            Ok((before, behind)) => {
                let behind = format!("{behind}\n");
                self.send(OutboxLine::Shared { before, answer: Arc::clone(answer), behind });
            }
            Err(error) => tracing::error!(%error, "could not write a message as JSON"),
        }
    }

    /// Sends an event; a client that has too much waiting is cut off instead.
    pub(crate) fn event<M: Serialize>(&self, message: &M) {
        if self.is_full() {
            self.cut();
        } else {
            self.put(message);
        }
    }

    /// Waits until there is room for more answers.
    pub(crate) async fn room(&self) {
        loop {
            // Listened for before looking, so that nothing is sent in between unheard.
            let sent = self.state.sent.notified();
            if !self.is_full() {
                return;
            }
            sent.await;
        }
    }

    /// Ends the connection; what waits is not sent.
    pub(crate) fn cut(&self) {
        self.state.cut.notify_one();
    }

    /// Waits until the client is cut off.
    pub(crate) async fn is_cut(&self) {
        self.state.cut.notified().await;
        // For any other task that waits.
        self.state.cut.notify_one();
    }

    fn is_full(&self) -> bool {
        self.state.waiting.load(Ordering::SeqCst) > MAX_WAITING_BYTES
    }

    fn put<M: Serialize>(&self, message: &M) {
        match serde_json::to_vec(message) {
            Ok(mut line) => {
                line.push(b'\n');
                self.send(OutboxLine::Whole(line));
            }
            Err(error) => tracing::error!(%error, "could not write a message as JSON"),
        }
    }

    fn send(&self, line: OutboxLine) {
        self.state.waiting.fetch_add(line.len(), Ordering::SeqCst);
        // The other end is gone when the client is.
        let _ = self.queue.send(line);
    }
}

impl Sending {
    /// Sends all that is put in, until every outbox is dropped and empty, or the client does not take it.
    pub(crate) async fn run(mut self, mut to: impl AsyncWrite + Unpin) {
        while let Some(line) = self.queue.recv().await {
            match timeout(STALLED, line.send(&mut to)).await {
                Ok(Ok(())) => {}
                // It is gone, or as good as gone.
                Ok(Err(_)) | Err(_) => {
                    self.state.cut.notify_one();
                    break;
                }
            }
            self.state.waiting.fetch_sub(line.len(), Ordering::SeqCst);
            self.state.sent.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;

    use super::*;

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    #[test]
    fn messages_come_out_as_lines_in_order() {
        let sent = run(async {
            let (outbox, sending) = outbox();
            outbox.answer(&1);
            outbox.event(&"two");
            drop(outbox);
            let mut sent = Vec::new();
            sending.run(&mut sent).await;
            sent
        });
        assert_eq!(sent, b"1\n\"two\"\n");
    }

    #[test]
    fn a_shared_answer_comes_out_whole_however_little_of_it_is_taken_at_once() {
        let answer = format!("[{}]", "1,".repeat(99) + "1");
        let sent = run(async {
            let (outbox, sending) = outbox();
            outbox.shared_answer(&MessageId::Number(7), &Arc::new(answer.clone().into_bytes()));
            outbox.answer(&8);
            drop(outbox);
            let (near, mut far) = tokio::io::duplex(5);
            let sending = tokio::spawn(sending.run(near));
            let mut sent = String::new();
            tokio::io::AsyncReadExt::read_to_string(&mut far, &mut sent).await.unwrap();
            sending.await.unwrap();
            sent
        });
        assert_eq!(sent, format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{answer}}}\n8\n"));
    }

    #[test]
    fn a_client_that_reads_no_events_is_cut_off() {
        run(async {
            let (outbox, _sending) = outbox();
            let event = "x".repeat(1 << 20);
            for _ in 0..8 {
                outbox.event(&event);
            }
            assert!(timeout(Duration::ZERO, outbox.is_cut()).await.is_err());
            outbox.event(&event);
            outbox.is_cut().await;
            outbox.is_cut().await;
        });
    }

    #[test]
    fn requests_wait_until_answers_were_taken() {
        run(async {
            let (outbox, sending) = outbox();
            outbox.room().await;
            outbox.answer(&"x".repeat(MAX_WAITING_BYTES));
            assert!(timeout(Duration::ZERO, outbox.room()).await.is_err());
            let also = outbox.clone();
            let waits = tokio::spawn(async move { also.room().await });
            assert!(timeout(Duration::ZERO, outbox.room()).await.is_err(), "the other one waits too");
            let sent = tokio::spawn(sending.run(tokio::io::sink()));
            outbox.room().await;
            waits.await.unwrap();
            drop(outbox);
            sent.await.unwrap();
        });
    }
}
