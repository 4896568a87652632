//! The log of a comment on a commit's message: each commit that it was in, oldest first.

use std::collections::BTreeSet;

use postil_core::anchoring::locate_messages;
use postil_core::git::{CommitId, history};
use postil_core::record::{MessageAnchor, PositionEntry, PositionState};
use postil_core::review::{Membership, Thread};
use postil_protocol::{Fault, LogStep};

use crate::notes::comment_commits::is_alive;
use crate::positions::messages::{message_entry, where_message_was_put};
use crate::request::Request;
use crate::view::hex;
use crate::view::thread::message_position;

/// Of the former heads, this many are examined, newest first.
const MAX_FORMER_HEADS: usize = 32;

/// Where a comment on a message was: in the commit that it was put on, in what that became for each former head of its
/// review that is known, and for the head.
pub(crate) fn message_log(
    request: &Request,
    thread: Thread<'_>,
    on: &MessageAnchor,
) -> Result<Vec<LogStep>, Fault> {
    let put = where_message_was_put(thread.id(), on, Vec::new());
    let mut steps = vec![step(request, &put, on.commit)?];
    for head in heads(request, thread) {
        let position = locate_messages(&request.handle, &[on], head, &request.stop).remove(0);
        let entry = message_entry(thread.id(), on.commit, position, true);
        let commit = entry.message.as_ref().map_or(on.commit, |site| site.commit);
        let is_head = request.head == Some(head);
        // At another branch it may never have been.
        if entry.state == PositionState::Orphaned && !is_head {
            continue;
        }
        let step = step(request, &entry, commit)?;
        let is_told = |last: &LogStep| {
            last.commit == step.commit
                && last.position.state == step.position.state
                && last.position.range == step.position.range
        };
        if !steps.last().is_some_and(is_told) {
            steps.push(step);
        }
    }
    Ok(steps)
}

/// Former heads that the review of a thread names or positions were stored for, oldest first, and what is checked out.
fn heads(request: &Request, thread: Thread<'_>) -> Vec<CommitId> {
    let mut named: BTreeSet<CommitId> = request.notes.stored_heads().collect();
    if let Membership::Review(review) = thread.review()
        && let Some(group) = request.notes.threads.group_of(review.id())
    {
        for review in group.reviews() {
            named.insert(review.said().head);
            named.extend(review.verdicts().iter().map(|verdict| verdict.said.head));
        }
    }
    let mut found: Vec<(i64, CommitId)> = named
        .into_iter()
        .filter(|head| Some(*head) != request.head)
        .filter_map(|head| Some((history::commit(&request.handle, head).ok()?.time, head)))
        .collect();
    found.sort_unstable();
    let spared = found.len().saturating_sub(MAX_FORMER_HEADS);
    found.split_off(spared).into_iter().map(|(_, head)| head).chain(request.head).collect()
}

fn step(request: &Request, entry: &PositionEntry, commit: CommitId) -> Result<LogStep, Fault> {
    let info = history::commit(&request.handle, commit).ok();
    let subject = request.handle.find_commit(commit.raw()).ok();
    let subject = subject.and_then(|commit| Some(commit.message().ok()?.summary().to_string()));
    Ok(LogStep {
        commit: Some(hex(commit)),
        subject: subject.unwrap_or_default(),
        time: info.map_or(0, |info| info.time),
        position: message_position(entry),
        by: None,
        anchor: None,
        message: None,
        rewritten: !is_alive(request, commit)?,
    })
}
