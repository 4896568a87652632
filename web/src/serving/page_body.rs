//! What is sent: a whole text, or pieces one after the other.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::mpsc;

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum PageBody {
    /// A whole text; `None` once it was sent.
    Whole(Option<Bytes>),
    /// Pieces of a page, or events, until the sender is gone.
    Pieces(mpsc::Receiver<Bytes>),
}

impl PageBody {
    /// A whole text.
    pub(crate) fn of(text: impl Into<Bytes>) -> Self {
        Self::Whole(Some(text.into()))
    }
}

impl Body for PageBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Self::Pieces(pieces) => {
                pieces.poll_recv(context).map(|piece| piece.map(|text| Ok(Frame::data(text))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(text) => text.as_ref().is_none_or(Bytes::is_empty),
            Self::Pieces(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(text) => SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64)),
            Self::Pieces(_) => SizeHint::default(),
        }
    }
}
