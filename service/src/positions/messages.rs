//! Where comments on messages of commits are, at one head.
//!
//! They depend on history alone, not on files. They are few, so one is computed while it is asked for, and is kept with
//! the positions of the others.

use std::sync::Arc;

use postil_core::anchoring::{ENGINE_VERSION, LocateError, MessagePosition, Stop, locate_messages};
use postil_core::git::CommitId;
use postil_core::record::{Basis, MessageAnchor, MessageSite, PositionEntry, PositionState, RecordId};
use postil_core::review::Thread;
use postil_protocol::{Fault, FaultCode};

use crate::positions::positions_at::{
    AnchorKey, KnownPosition, PositionsAt, PositionsByThread, UNREADABLE, moved,
};
use crate::repository::state::lock;

/// A thread on a message whose position is asked for.
#[derive(Clone, Copy)]
pub(crate) struct MessageToLocate<'a> {
    id: RecordId,
    anchor: &'a MessageAnchor,
    key: AnchorKey,
}

impl<'a> MessageToLocate<'a> {
    /// A thread, if it is on a message.
    pub fn of(thread: Thread<'a>) -> Option<Self> {
        let comment = thread.root_comment()?;
        let key = AnchorKey { moved: moved(comment), base: None, suggested: (0, None) };
        Some(Self { id: thread.id(), anchor: comment.message()?, key })
    }
}

impl PositionsAt {
    /// Where these are, computed if need be.
    pub fn place_messages(
        &self,
        handle: &gix::Repository,
        asked: &[MessageToLocate<'_>],
        stop: &Stop,
    ) -> Result<PositionsByThread, Fault> {
        let known = |asked: &MessageToLocate<'_>| {
            let entries = lock(&self.entries);
            entries.get(&asked.id).filter(|known| known.key == asked.key).map(|known| known.entry.clone())
        };
        let mut found = PositionsByThread::new();
        let mut missing = Vec::new();
        for asked in asked {
            match known(asked) {
                Some(entry) => _ = found.insert(asked.id, entry),
                None => missing.push(*asked),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        let anchors: Vec<&MessageAnchor> = missing.iter().map(|asked| asked.anchor).collect();
        let positions = locate_messages(handle, &anchors, self.head(), stop);
        if stop.is_asked() {
            return Err(Fault::new(FaultCode::Cancelled, "the request was cancelled"));
        }
        for (asked, position) in missing.iter().zip(positions) {
            let is_here = handle.has_object(asked.anchor.commit.raw());
            let entry = Arc::new(message_entry(asked.id, asked.anchor.commit, position, is_here));
            found.insert(asked.id, entry.clone());
            let known = KnownPosition { key: asked.key, entry, is_rebased: false };
            lock(&self.entries).insert(asked.id, known);
        }
        Ok(found)
    }
}

/// A position as it is kept.
pub(crate) fn message_entry(
    id: RecordId,
    commit: CommitId,
    position: Result<MessagePosition, LocateError>,
    is_here: bool,
) -> PositionEntry {
    let basis = if is_here { Basis::History } else { Basis::Text };
    let bare = PositionEntry { engine: ENGINE_VERSION, basis, ..PositionEntry::orphaned(id) };
    match position {
        Ok(MessagePosition { state, site, range, confidence, reason }) => PositionEntry {
            state,
            range,
            confidence: confidence.per_mille(),
            reason: reason.into(),
            message: Some(site),
            ..bare
        },
        Err(error) => {
            tracing::debug!(thread = %id, %error, "could not be located");
            let site = MessageSite { commit, subject: Vec::new(), time: 0 };
            PositionEntry { reason: UNREADABLE.into(), basis: Basis::Text, message: Some(site), ..bare }
        }
    }
}

/// The position of a comment in the very message that it was put on.
pub(crate) fn where_message_was_put(id: RecordId, anchor: &MessageAnchor, subject: Vec<u8>) -> PositionEntry {
    PositionEntry {
        engine: ENGINE_VERSION,
        basis: Basis::History,
        state: PositionState::Anchored,
        range: anchor.range,
        confidence: 1000,
        reason: "translated".into(),
        message: Some(MessageSite { commit: anchor.commit, subject, time: 0 }),
        ..PositionEntry::orphaned(id)
    }
}
