//! Marks as read what others did.

use std::collections::BTreeSet;

use postil_core::git::CommitId;
use postil_core::record::RecordId;
use postil_core::review::ReviewGroup;
use postil_protocol::{Fault, FaultCode, LookedHead, Mark, MarkRead, MarkReadReply};

use crate::changes::mark::MarkParts;
use crate::changes::records_since::SaidSince;
use crate::lists::unread::ReadState;
use crate::notes::names::review_named;
use crate::request::Request;

/// Marks as read; what came after the mark stays unread.
pub fn mark_read(request: &Request, asked: &MarkRead) -> Result<MarkReadReply, Fault> {
    let state = ReadState::of(request);
    let mut new: BTreeSet<RecordId> = BTreeSet::new();
    let verdicts = |group: ReviewGroup<'_>| {
        let verdicts = group.verdicts().into_iter();
        let new = verdicts.filter(|verdict| state.is_new(&verdict.said.author, verdict.id));
        new.map(|verdict| verdict.id).collect::<Vec<_>>()
    };
    if asked.all {
        new.extend(request.notes.threads.iter().flat_map(|thread| state.new_in(thread)));
        new.extend(request.notes.threads.groups().flat_map(verdicts));
    }
    for name in &asked.threads {
        new.extend(state.new_in(request.notes.thread_named(name)?));
    }
    for name in &asked.reviews {
        new.extend(verdicts(review_named(request, Some(name))?));
    }
    if let Some(mark) = &asked.shown {
        let shown = MarkParts::read(mark)
            .map_err(|_| Fault::new(FaultCode::InvalidParams, format!("invalid mark: {mark}")))?;
        // If nobody knows what came since, it was too much to have been seen.
        let since = SaidSince::find(request, shown.version).ok_or_else(|| {
            Fault::new(
                FaultCode::Conflict,
                "too much happened since it was shown; nothing was marked as read",
            )
        })?;
        for record in since.records() {
            new.remove(&record);
        }
    }
    for LookedHead { review, head } in &asked.looked {
        let group = review_named(request, Some(review))?;
        let head = gix::ObjectId::from_hex(head.as_str().as_bytes()).map(CommitId::from);
        let head = head.map_err(|_| Fault::new(FaultCode::InvalidParams, "not the id of a commit"))?;
        request.repository.looked.add(group.id(), head);
    }
    let new: Vec<RecordId> = new.into_iter().collect();
    request.repository.read.append(&new).map_err(|error| {
        Fault::new(FaultCode::WriteFailed, "could not save what was read").because(&error)
    })?;
    Ok(MarkReadReply {
        marked: u32::try_from(new.len()).unwrap_or(u32::MAX),
        mark: Mark::default(),
        warnings: Vec::new(),
    })
}
