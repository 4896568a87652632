//! What happened in a thread, as clients see it.

use std::collections::BTreeSet;

use postil_core::record::RecordId;
use postil_core::review::{Thread, TimelineEntry, TimelineKind};
use postil_protocol::{ChangeKind, Detail, TimelineView};

use crate::request::Request;
use crate::view::signatures::signatures_of_records;
use crate::view::{self, hex, person};

/// Everything that happened in a thread, oldest first.
pub(crate) fn timeline(request: &Request, thread: Thread<'_>) -> Vec<TimelineView> {
    let entries = thread.timeline();
    let ids: BTreeSet<RecordId> = entries.iter().map(|entry| entry.record).collect();
    let mut signatures = signatures_of_records(request, &ids);
    let view = |entry: TimelineEntry<'_>| TimelineView {
        what: what(request, &entry),
        record: hex(entry.record),
        of: hex(entry.of),
        author: person(entry.author, entry.via),
        at: entry.at.0,
        text: entry.text.map(str::to_owned),
        anchor: match entry.kind {
            TimelineKind::Moved(on) | TimelineKind::ProposedFor(Some(on)) => {
                on.file().map(|on| Box::new(view::anchor(on, Detail::Brief)))
            }
            _ => None,
        },
        commit: entry.commit.map(hex),
        draft: request.notes.drafts.contains(&entry.record),
        signature: signatures.remove(&entry.record),
    };
    entries.into_iter().map(view).collect()
}

/// What somebody did, as a word.
pub(crate) fn what(request: &Request, entry: &TimelineEntry<'_>) -> ChangeKind {
    let suggests = || {
        let comment = request.notes.threads.comment(entry.record);
        comment.is_some_and(|comment| !comment.said().suggestion.is_empty())
    };
    match entry.kind {
        TimelineKind::Commented | TimelineKind::Replied if suggests() => ChangeKind::Suggested,
        TimelineKind::Commented => ChangeKind::Commented,
        TimelineKind::Replied => ChangeKind::Replied,
        TimelineKind::Edited => ChangeKind::Edited,
        TimelineKind::Proposed | TimelineKind::ProposedFor(_) => ChangeKind::Proposed,
        TimelineKind::Resolved => ChangeKind::Resolved,
        TimelineKind::Reopened => ChangeKind::Reopened,
        TimelineKind::Withdrawn => ChangeKind::Withdrawn,
        TimelineKind::Moved(_) => ChangeKind::Moved,
        TimelineKind::Declined => ChangeKind::Declined,
    }
}
