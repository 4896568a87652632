//! A thread as the service reports it for one document.

use std::sync::Arc;

use postil_live::{LiveRange, Verified};
use postil_protocol::{ByteText, PlaceState, Side, ThreadStatus, ThreadView};

/// A thread of a document.
#[derive(Clone, Debug)]
pub(crate) struct ThreadAt {
    /// What the service says.
    pub(crate) view: Arc<ThreadView>,
}

impl ThreadAt {
    /// Whether it waits for somebody.
    pub(crate) fn is_open(&self) -> bool {
        self.view.status == ThreadStatus::Open
    }

    /// How certain its position is; a thread on a whole file is always anchored.
    pub(crate) fn state(&self) -> PlaceState {
        self.view.position.as_ref().map_or(PlaceState::Anchored, |position| position.state)
    }

    /// The file to show it in: where it is, else where it most likely was, which is another name if the file was renamed,
    /// else where it was put.
    pub(crate) fn path(&self) -> Option<&[u8]> {
        let position = self.view.position.as_ref();
        let now = position.and_then(|position| position.path.as_ref());
        let perhaps =
            position.and_then(|position| position.candidates.first()).map(|candidate| &candidate.path);
        let then = self.view.anchor.as_ref().map(|anchor| &anchor.path);
        now.or(perhaps).or(then).map(ByteText::as_bytes)
    }
}

impl Verified for ThreadAt {
    fn id(&self) -> &str {
        self.view.id.as_str()
    }

    fn range(&self) -> Option<LiveRange> {
        let position = self.view.position.as_ref().filter(|position| position.side == Side::New)?;
        let range = position.path.as_ref().and(position.range)?;
        let lines = range.start.line.checked_sub(1)?..range.end.line.max(range.start.line);
        let columns = range.start.column.zip(range.end.column);
        Some(LiveRange { lines, columns: columns.map(|(start, end)| (start.saturating_sub(1), end)) })
    }

    fn is_orphaned(&self) -> bool {
        self.state() == PlaceState::Orphaned
    }
}
