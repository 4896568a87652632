//! Reports the status of the review of a working tree.

use super::comments::publish::drafts_elsewhere;
use crate::convert::fault::OrFault as _;
use crate::files::HeadFiles;
use crate::lists::visible::threads_elsewhere;
use crate::methods::doctor;
use crate::notes::names::current_review;
use crate::positions::in_head::{positions_of, unsearched_files};
use crate::request::{Request, seen_from};
use crate::reviews::follow_up::{known_of, unsearched_reviews};
use crate::sharing;
use crate::view::signatures::signed_review;
use crate::view::{self, hex};
use crate::writing::records::open_merge_warning;
use postil_core::git::Repository;
use postil_core::review::{Thread, ThreadState};
use postil_protocol::{Advice, Fault, HeadName, Mark, Status, StatusReply, WarningView};

/// Reports the state of the reviews.
pub fn status(request: &Request, status: &Status) -> Result<StatusReply, Fault> {
    let head = HeadName::WorkTree;
    let seen = seen_from(request, &head)?;
    let threads: Vec<Thread<'_>> =
        request.notes.threads.iter().filter(|thread| seen.threads.contains_key(&thread.id())).collect();
    let open = threads.iter().filter(|thread| thread.state() == ThreadState::Open);
    let files = HeadFiles::of(request, &head)?;
    let looked = positions_of(request, &files, status.freshness, open.copied())?;
    let counts = view::counts(threads.iter().copied(), Some(&looked.entries));
    let unread = request.notes.unread();
    let incomplete = !(unread.is_empty() && seen.unknown.is_empty());
    let mut damage = request.notes.damage.clone();
    damage.extend(unread.into_iter().filter(|unread| !request.notes.damage.contains(unread)));
    let unseen = seen.unknown.iter().cloned();
    let unseen = unseen.map(|what| WarningView { what, advice: Some(Advice::CheckRepository) });
    // Reopened, because a long-lived handle does not see edits of the settings.
    let repo = request.work_tree.repository().reopen().or_fault()?;
    Ok(StatusReply {
        mark: Mark::default(),
        head: looked.head,
        review: current_review(request)
            .map(|group| signed_review(request, group, known_of(request, group), Some(&looked.entries))),
        threads: counts,
        elsewhere: threads_elsewhere(request, seen.threads.len()),
        drafts: u32::try_from(request.notes.drafts.len()).unwrap_or(u32::MAX),
        drafts_elsewhere: drafts_elsewhere(request)?,
        notes: request.notes.version.notes.map(hex),
        resolving: looked.resolving,
        damage,
        incomplete,
        sync_trouble: sync_trouble(&repo),
        warnings: warnings(request, &repo)?
            .into_iter()
            .chain(unseen)
            .chain(unsearched_files(&files, &looked.entries))
            .collect(),
    })
}

/// What a person should know of the notes and of git's settings.
pub(crate) fn warnings(request: &Request, repo: &Repository) -> Result<Vec<WarningView>, Fault> {
    let overwritten = request
        .repository
        .store
        .overwritten()
        .or_fault()?
        .map(|what| WarningView { what: doctor::overwritten(what), advice: Some(Advice::ReadNotes) });
    let merge = open_merge_warning(request);
    let found = overwritten.into_iter().chain(merge).chain(sharing::at_risk(repo));
    Ok(found.chain(unsearched_reviews(request)).collect())
}

/// What went wrong in the background, where something still goes on there.
pub(crate) fn sync_trouble(repo: &Repository) -> Vec<WarningView> {
    if sharing::Policy::of(repo) == sharing::Policy::Off {
        return Vec::new();
    }
    let trouble = sharing::last_failures(repo.common_dir()).into_iter();
    let view = |(remote, trouble): (String, sharing::SyncFailure)| WarningView {
        what: trouble.said,
        advice: trouble.is_unsent.then_some(Advice::SendFiles { remote }),
    };
    trouble.map(view).collect()
}
