//! Lines of a commit's message that a person points at, as an anchor.

use postil_core::anchoring::{MessageAnchorError, anchor_at_message};
use postil_core::git::CommitId;
use postil_core::notes::Home;
use postil_core::record::{MessageAnchor, Range};
use postil_protocol::{Advice, Fault, FaultCode, MessagePlace};

use crate::convert::fault::damaged;
use crate::pointing::point::range;
use crate::request::Request;

/// So many digits of a commit's id are in the message of a notes commit.
const SHORT_COMMIT: usize = 7;

/// An anchor on a message, with where a comment on it goes.
#[derive(Debug)]
pub(crate) struct PointedMessage {
    /// The anchor.
    pub anchor: MessageAnchor,
    /// The note that a comment on it goes into.
    pub home: Home,
    /// The first line of the message.
    pub subject: Vec<u8>,
}

impl PointedMessage {
    /// The place in words.
    pub fn name(&self) -> String {
        let commit: String = self.anchor.commit.to_string().chars().take(SHORT_COMMIT).collect();
        match self.anchor.range.map(Range::span) {
            None => format!("the message of {commit}"),
            Some(lines) if lines.count() == 1 => format!("the message of {commit}:{}", lines.first()),
            Some(lines) => format!("the message of {commit}:{}-{}", lines.first(), lines.last()),
        }
    }
}

/// Makes the anchor for lines of a message.
pub(crate) fn point_at_message(request: &Request, place: &MessagePlace) -> Result<PointedMessage, Fault> {
    let commit = request.work_tree.commit_named(&place.rev)?;
    let range = place.span.map(range).transpose()?;
    let message = message_of(request, commit)?;
    let anchor = anchor_at_message(commit, &message, range).map_err(|error| match error {
        MessageAnchorError::OutOfMessage { .. } => {
            let advice = Advice::ReadMessage { commit: commit.to_string() };
            Fault::new(FaultCode::NoSuchPlace, error.to_string()).advise(advice)
        }
        MessageAnchorError::TooManyOfMessage { .. } => {
            Fault::new(FaultCode::TooLarge, error.to_string()).advise(Advice::PointAtLess)
        }
    })?;
    let subject = message.split(|byte| *byte == b'\n').next().unwrap_or_default().to_vec();
    Ok(PointedMessage { anchor, home: Home::On(commit.into()), subject })
}

/// The message of a commit, as it is stored.
pub(crate) fn message_of(request: &Request, commit: CommitId) -> Result<Vec<u8>, Fault> {
    let failed = |error: gix::Error| damaged("could not read a commit", &error);
    let found = request.handle.find_commit(commit.raw()).map_err(failed)?;
    Ok(found.message_raw().map_err(failed)?.to_vec())
}
