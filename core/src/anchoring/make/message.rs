//! Makes an anchor out of lines of a commit's message that a person points at.

use crate::anchoring::lines::region::LineRegion;
use crate::edit::Text;
use crate::git::CommitId;
use crate::record::{CONTEXT_LINES, Line, MAX_ANCHOR_LINES, MessageAnchor, Range};

/// Why a message cannot be commented on.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum MessageAnchorError {
    /// The range names lines or columns that do not exist.
    #[error("no such lines in the message of {commit}: its last line is {lines}")]
    OutOfMessage {
        /// The commit.
        commit: CommitId,
        /// How many lines its message has.
        lines: u32,
    },
    /// More than [`MAX_ANCHOR_LINES`] lines.
    #[error("cannot comment on {count} lines at once")]
    TooManyOfMessage {
        /// How many were pointed at.
        count: u32,
    },
}

/// Makes the anchor of lines of a commit's message; without a range, of the whole message.
///
/// The anchor on a whole message has its first lines as those after it, to recognize it where the commit is missing.
pub fn anchor_at_message(
    commit: CommitId,
    message: &[u8],
    range: Option<Range>,
) -> Result<MessageAnchor, MessageAnchorError> {
    let text = Text::new(message);
    let lines = |lines: std::ops::Range<u32>| lines.map(|line| Line::new(text.line(line))).collect();
    let context = CONTEXT_LINES as u32;
    let Some(range) = range else {
        let after = lines(0..text.len().min(context));
        return Ok(MessageAnchor { commit, range: None, lines: Vec::new(), before: Vec::new(), after });
    };
    let region = LineRegion::from_range(range);
    if !region.fits(&text) {
        return Err(MessageAnchorError::OutOfMessage { commit, lines: text.len() });
    }
    if region.count() as usize > MAX_ANCHOR_LINES {
        return Err(MessageAnchorError::TooManyOfMessage { count: region.count() });
    }
    Ok(MessageAnchor {
        commit,
        range: Some(range),
        lines: lines(region.first..region.last + 1),
        before: lines(region.first.saturating_sub(context)..region.first),
        after: lines(region.last + 1..text.len().min(region.last + 1 + context)),
    })
}
