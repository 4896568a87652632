//! A comment on a commit's message that was exported: its anchor, as it was.

use postil_core::anchoring::{anchor_at_message, locate_messages};
use postil_core::git::CommitId;
use postil_core::record::{CONTEXT_LINES, Line, MessageAnchor, PositionState};
use postil_protocol::{ByteText, Fault, FaultCode, MessageView, Span};

use crate::pointing::message::message_of;
use crate::pointing::point::range;
use crate::request::Request;

/// Makes the anchor that was exported; the commit need not be here.
///
/// Fails for an anchor whose lines are stored as hashes only, which an export does not have.
pub(crate) fn exported_message(on: &MessageView) -> Result<MessageAnchor, Fault> {
    let bad = |message: &str| Fault::new(FaultCode::NoSuchPlace, message);
    let digits = on.commit.as_str();
    let commit = gix::ObjectId::from_hex(digits.as_bytes()).map(CommitId::from);
    let commit = commit.map_err(|_| bad("its commit is not an id"))?;
    let lines = |lines: &[Option<ByteText>]| {
        let line = |line: &Option<ByteText>| line.as_ref().map(|line| Line::new(line.as_bytes()));
        lines.iter().map(line).collect::<Option<Vec<Line>>>()
    };
    let range = match (on.range, on.start, on.end) {
        (Some(given), ..) => Some(range(Span {
            start: given.start.line,
            end: given.end.line,
            start_column: given.start.column,
            end_column: given.end.column,
        })?),
        (None, Some(start), Some(end)) => Some(range(Span::lines(start, end))?),
        _ => None,
    };
    let said = lines(&on.lines).ok_or_else(|| bad("a line of the message is too long to import"))?;
    if range.map_or(0, |range| range.span().count() as usize) != said.len() {
        return Err(bad("its lines are not those of its range"));
    }
    let mut before = lines(&on.before).unwrap_or_default();
    before.drain(..before.len().saturating_sub(CONTEXT_LINES));
    let mut after = lines(&on.after).unwrap_or_default();
    after.truncate(CONTEXT_LINES);
    Ok(MessageAnchor { commit, range, lines: said, before, after })
}

/// The anchor, and whether it is on another commit: one that is not here is replaced by the commit of the head's history
/// that has its words, so that the thread is seen here.
pub(crate) fn placed_message(
    request: &Request,
    anchor: MessageAnchor,
) -> Result<(MessageAnchor, bool), Fault> {
    let is_here = request.handle.has_object(anchor.commit.raw());
    let Some(head) = request.head.filter(|_| !is_here) else { return Ok((anchor, false)) };
    let found = locate_messages(&request.handle, &[&anchor], head, &request.stop).remove(0);
    let Some(found) = found.ok().filter(|found| found.state != PositionState::Orphaned) else {
        return Ok((anchor, false));
    };
    let message = message_of(request, found.site.commit)?;
    let there = anchor_at_message(found.site.commit, &message, found.range);
    Ok(there.map_or((anchor, false), |there| (there, true)))
}
