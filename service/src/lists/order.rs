//! The order in which threads are listed, and cursors into it.
//!
//! By file: comments on the whole review come first, then those on messages of commits, oldest commit first, then
//! the files in order, then lines. An orphan is at the top of
//! its file, or of the review if the file is gone. A cursor is the place of the last thread in this order, so
//! it stays valid when comments are added.

use std::borrow::Cow;

use postil_core::record::{PositionEntry, PositionState, RecordId};
use postil_core::review::Thread;
use postil_protocol::{Advice, Fault, FaultCode, ListOrder, SeverityView};

use crate::convert::severity;
use crate::view;
use crate::view::thread::file;

/// The reason of an orphan whose file is gone.
const FILE_GONE: &str = "file-deleted";

/// The place of a thread in the order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank<'a> {
    /// What the order is by, where it is not by file.
    first: u64,
    part: u8,
    path: Cow<'a, [u8]>,
    line: u32,
    column: u32,
    at: u64,
    id: [u8; RecordId::LEN],
}

impl<'a> Rank<'a> {
    /// The place of a thread that is there.
    pub fn of(thread: Thread<'a>, entry: Option<&'a PositionEntry>) -> Self {
        let anchor = thread.anchor();
        let message = thread.message().map(|on| {
            let site = entry.and_then(|entry| entry.message.as_ref());
            let (time, commit) = site.map_or((0, on.commit), |site| (site.time, site.commit));
            // In the order in which they were committed; the sign must not come before the number.
            [&time.wrapping_add(i64::MIN).to_be_bytes()[..], commit.as_bytes()].concat()
        });
        let (part, path): (u8, Cow<'a, [u8]>) = match (anchor, entry) {
            (None, _) if message.is_some() => (1, message.unwrap_or_default().into()),
            (None, _) => (0, b""[..].into()),
            (Some(anchor), Some(entry))
                if entry.state == PositionState::Orphaned && entry.reason == FILE_GONE =>
            {
                (2, anchor.path.as_bytes().into())
            }
            (Some(anchor), entry) => (3, file(anchor, entry).as_bytes().into()),
        };
        let range = entry.and_then(|entry| entry.range);
        // A thread without a current line is sorted by its old one.
        let put_on = anchor.and_then(|anchor| anchor.range).or(thread.message().and_then(|on| on.range));
        let before = put_on.map_or(0, |range| range.span().first());
        Self {
            first: 0,
            part,
            path,
            // Whole files and orphans come before the first line.
            line: range.map_or(0, |range| range.span().first()),
            column: match range {
                Some(range) => range.columns().map_or(0, |columns| columns.start.get()),
                None => before,
            },
            at: thread.root_comment().map_or(0, |root| root.said().at.0),
            id: *thread.id().as_bytes(),
        }
    }

    /// The place of a thread in another order; in the order of files, that of [`Rank::of`].
    pub fn in_order(order: ListOrder, thread: Thread<'a>, entry: Option<&'a PositionEntry>) -> Self {
        let first = match order {
            ListOrder::File => 0,
            ListOrder::Age => u64::MAX - view::updated(thread),
            ListOrder::Severity => weight(thread),
        };
        Self { first, ..Self::of(thread, entry) }
    }

    /// The cursor of the page that starts after this thread.
    pub fn cursor(&self) -> String {
        let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let Self { first, part, path, line, column, at, id } = self;
        format!("{first:x}.{part}.{}.{line}.{column}.{at}.{}", digits(path), digits(id))
    }

    /// Reads a cursor.
    pub fn from_cursor(cursor: &str) -> Result<Self, Fault> {
        Self::parse(cursor).ok_or_else(|| {
            Fault::new(FaultCode::StaleCursor, format!("invalid cursor: {cursor:?}"))
                .advise(Advice::ListAgain)
        })
    }

    fn parse(cursor: &str) -> Option<Self> {
        let [first, part, path, line, column, at, id] =
            <[&str; 7]>::try_from(cursor.split('.').collect::<Vec<_>>()).ok()?;
        Some(Self {
            first: u64::from_str_radix(first, 16).ok()?,
            part: part.parse().ok()?,
            path: bytes(path)?.into(),
            line: line.parse().ok()?,
            column: column.parse().ok()?,
            at: at.parse().ok()?,
            id: *RecordId::from_hex(id)?.as_bytes(),
        })
    }
}

/// How important a thread is, the most important first.
fn weight(thread: Thread<'_>) -> u64 {
    let severity = thread.root_comment().and_then(|root| root.said().severity.as_ref()).map(severity::shown);
    match severity {
        Some(SeverityView::Blocker) => 0,
        Some(SeverityView::Issue) => 1,
        Some(SeverityView::Question) => 2,
        // What is not known may be important.
        Some(SeverityView::Other(_)) => 3,
        None | Some(SeverityView::Note) => 4,
        Some(SeverityView::Nit) => 5,
        Some(SeverityView::Praise) => 6,
    }
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_to_its_place() {
        let rank = Rank {
            first: 9,
            part: 2,
            path: b"caf\xe9.rs"[..].into(),
            line: 7,
            column: 0,
            at: 123,
            id: [0xab; 16],
        };
        assert_eq!(Rank::from_cursor(&rank.cursor()).unwrap(), rank);
        for bad in ["", "1", "0.2.zz.1.0.0.00", "é", "0.2..1.0.0", "2.61.1.0.0.00"] {
            assert_eq!(Rank::from_cursor(bad).unwrap_err().code, FaultCode::StaleCursor, "{bad}");
        }
    }
}
