//! What happened in a thread, as clients see it.

use std::collections::BTreeSet;

use postil_core::git::CommitId;
use postil_core::record::RecordId;
use postil_core::review::{Thread, TimelineEntry, TimelineKind};
use postil_protocol::{ChangeKind, Detail, TimelineView};

use crate::request::Request;
use crate::suggestions::applied_commits::{AppliedCommit, applied_commits};
use crate::view::signatures::signatures_of_records;
use crate::view::{self, hex, person};

/// Everything that happened in a thread, oldest first, with the commits on the way to a head that applied its suggestions.
pub(crate) fn timeline(request: &Request, thread: Thread<'_>, head: Option<CommitId>) -> Vec<TimelineView> {
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
        message: match entry.kind {
            TimelineKind::Moved(on) | TimelineKind::ProposedFor(Some(on)) => {
                on.message().map(|on| Box::new(view::message(on, Detail::Brief)))
            }
            _ => None,
        },
        commit: entry.commit.map(hex),
        source: entry.source.map(str::to_owned),
        draft: request.notes.drafts.contains(&entry.record),
        signature: signatures.remove(&entry.record),
    };
    let mut timeline: Vec<TimelineView> = entries.into_iter().map(view).collect();
    for applied in head.map(|head| applied_commits(request, thread, head)).unwrap_or_default() {
        insert(&mut timeline, applied_view(applied));
    }
    timeline
}

/// That a suggestion was applied.
fn applied_view(applied: AppliedCommit) -> TimelineView {
    TimelineView {
        what: ChangeKind::Applied,
        record: hex(applied.comment),
        of: hex(applied.comment),
        author: applied.author,
        at: applied.at,
        text: None,
        commit: Some(hex(applied.commit)),
        anchor: None,
        message: None,
        source: None,
        draft: false,
        signature: None,
    }
}

/// Puts it where it belongs by its time, and after what it applies whatever the clocks say.
fn insert(timeline: &mut Vec<TimelineView>, applied: TimelineView) {
    let suggested = timeline.iter().position(|entry| entry.record == applied.record);
    let first = suggested.map_or(0, |at| at + 1);
    let later = timeline[first..].iter().position(|entry| entry.at > applied.at);
    timeline.insert(later.map_or(timeline.len(), |later| first + later), applied);
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
        TimelineKind::Retired => ChangeKind::Retired,
        TimelineKind::Reopened => ChangeKind::Reopened,
        TimelineKind::Withdrawn => ChangeKind::Withdrawn,
        TimelineKind::Moved(_) => ChangeKind::Moved,
        TimelineKind::Declined => ChangeKind::Declined,
    }
}
