//! Proposals that a later change took back: the commented lines are not those of the commit that is said to be done, or
//! those that were seen in uncommitted files on top of it.
//!
//! No record says that. What a head lacks of that commit says nothing: then the proposal stands.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use postil_core::edit::Text;
use postil_core::git::{CommitId, history};
use postil_core::record::{AnchorSide, LinesHash, PositionEntry, RecordId};
use postil_core::review::{Proposal, ProposalState, Thread};
use postil_protocol::{Fault, Freshness, HeadName, ProposalStatus, ThreadView};

use crate::convert::hex::hex;
use crate::files::HeadFiles;
use crate::positions::in_head::positions_of;
use crate::positions::positions_at::PositionsByThread;
use crate::request::Request;

/// So many proposals are looked at for one answer; everybody who can push can propose something.
const MAX_LOOKS: usize = 64;

/// Whether something is proposed for a thread that nobody answered; it may stand or not.
pub(crate) fn is_proposed_for(thread: Thread<'_>) -> bool {
    thread.proposals().iter().any(|one| one.state == ProposalState::Pending)
}

/// The proposals of a thread that nobody answered and no later change took back, oldest first.
pub(crate) fn standing_proposals<'t>(
    request: &Request,
    files: &HeadFiles<'_>,
    thread: Thread<'t>,
    entry: Option<&PositionEntry>,
) -> Vec<Proposal<'t>> {
    let pending = thread.proposals().into_iter().filter(|one| one.state == ProposalState::Pending);
    let stands = |one: &Proposal<'t>| {
        let said = &one.fact.said;
        !said.done.is_some_and(|done| {
            is_overtaken(request, files, thread, entry, done, said.lines).unwrap_or(false)
        })
    };
    pending.filter(stands).collect()
}

/// Marks in the views of threads the proposals that a later change took back.
pub(crate) fn mark_overtaken(
    request: &Request,
    files: &HeadFiles<'_>,
    thread: Thread<'_>,
    entries: &PositionsByThread,
    view: &mut ThreadView,
) {
    if view.proposals.iter().all(|proposal| proposal.state != ProposalStatus::Pending) {
        return;
    }
    let entry = entries.get(&thread.id()).map(AsRef::as_ref);
    let standing = standing_proposals(request, files, thread, entry);
    for proposal in view.proposals.iter_mut().filter(|one| one.state == ProposalStatus::Pending) {
        if standing.iter().all(|one| hex(one.fact.id) != proposal.id) {
            proposal.state = ProposalStatus::Overtaken;
        }
    }
}

/// What the commented lines of each of these threads are in the files as they are, where a commit has others, or none.
pub(crate) fn uncommitted_lines(
    request: &Request,
    threads: &[Thread<'_>],
    commit: CommitId,
) -> Result<BTreeMap<RecordId, LinesHash>, Fault> {
    let commented = || threads.iter().copied().filter(|thread| is_on_new_lines(*thread));
    let files = HeadFiles::of(request, &HeadName::WorkTree)?;
    let now = positions_of(request, &files, Freshness::Wait, commented())?;
    let committed = HeadFiles::of(request, &HeadName::Rev(commit.to_string()))?;
    let then = positions_of(request, &committed, Freshness::Wait, commented())?;
    let lines = |thread: Thread<'_>| {
        let lines = lines_at(&files, now.entries.get(&thread.id())?);
        (lines != lines_at(&committed, then.entries.get(&thread.id())?))
            .then(|| (thread.id(), LinesHash::of(&lines.unwrap_or_default())))
    };
    Ok(commented().filter_map(lines).collect())
}

fn is_on_new_lines(thread: Thread<'_>) -> bool {
    thread.anchor().is_some_and(|anchor| anchor.side == AnchorSide::New)
}

/// Whether the commented lines changed after a commit, or after these uncommitted `lines` on top of it were seen; `None` if
/// that cannot be said.
fn is_overtaken(
    request: &Request,
    files: &HeadFiles<'_>,
    thread: Thread<'_>,
    entry: Option<&PositionEntry>,
    done: CommitId,
    lines: Option<LinesHash>,
) -> Option<bool> {
    if !is_on_new_lines(thread) {
        return None;
    }
    let head = files.commit()?;
    if request.proposals_looked_at.fetch_add(1, Ordering::Relaxed) >= MAX_LOOKS
        || !history::is_ancestor(&request.handle, done, head).ok()?
    {
        return None;
    }
    if let Some(lines) = lines {
        return Some(LinesHash::of(&lines_at(files, entry?).unwrap_or_default()) != lines);
    }
    let then = HeadFiles::of(request, &HeadName::Rev(done.to_string())).ok()?;
    let looked = positions_of(request, &then, Freshness::Wait, [thread].into_iter()).ok()?;
    let before = looked.entries.get(&thread.id())?;
    Some(lines_at(&then, before) != lines_at(files, entry?))
}

/// The lines where a comment is; `None` if it is nowhere.
fn lines_at(files: &HeadFiles<'_>, entry: &PositionEntry) -> Option<Vec<u8>> {
    let content = files.read(entry.path.as_ref()?).ok()??;
    let Some(range) = entry.range else { return Some(content) };
    let text = Text::new(content);
    let lines = range.span().first()..=range.span().last().min(text.len());
    Some(lines.flat_map(|line| text.line(line - 1).iter().copied().chain([b'\n'])).collect())
}
