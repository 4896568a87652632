//! Reports the status of the review of a working tree.

use super::comments::publish::drafts_elsewhere;
use crate::convert::fault::OrFault as _;
use crate::files::HeadFiles;
use crate::lists::unread::ReadState;
use crate::lists::visible::{VisibleThreads, threads_elsewhere};
use crate::methods::doctor;
use crate::notes::names::{current_review, is_open};
use crate::positions::in_head::{positions_of, unsearched_files};
use crate::request::{Request, current_branch, seen_from};
use crate::reviews::follow_up::{known_of, unsearched_reviews};
use crate::reviews::ready::{RuleSource, readiness};
use crate::reviews::to_judge::to_judge;
use crate::sharing;
use crate::view::signatures::signed_review;
use crate::view::{self, hex};
use crate::writing::records::open_merge_warning;
use postil_core::git::Repository;
use postil_core::record::Severity;
use postil_core::review::{Comment, Thread, ThreadState};
use postil_protocol::{
    Advice, ByteText, Fault, HeadName, HeadView, Mark, RequestView, Status, StatusReply, WarningView,
};

/// Reports the state of the reviews.
pub fn status(request: &Request, status: &Status) -> Result<StatusReply, Fault> {
    let head = HeadName::WorkTree;
    let seen = seen_from(request, &head)?;
    let threads: Vec<Thread<'_>> =
        request.notes.threads.iter().filter(|thread| seen.threads.contains_key(&thread.id())).collect();
    if status.counts_only {
        return counted(request, &seen, &threads);
    }
    let (blockers, unread) = (blockers(&threads), unread_threads(request, &threads));
    let open = threads.iter().filter(|thread| thread.state() == ThreadState::Open);
    let files = HeadFiles::of(request, &head)?;
    let looked = positions_of(request, &files, status.freshness, open.copied())?;
    let counts = view::counts(threads.iter().copied(), Some(&looked.entries));
    let not_read = request.notes.unread();
    let incomplete = !(not_read.is_empty() && seen.is_whole());
    let mut damage = request.notes.damage.clone();
    damage.extend(not_read.into_iter().filter(|unread| !request.notes.damage.contains(unread)));
    // Reopened, because a long-lived handle does not see edits of the settings.
    let repo = request.work_tree.repository().reopen().or_fault()?;
    let notes = request.notes.version.notes;
    Ok(StatusReply {
        mark: Mark::default(),
        head: looked.head,
        review: current_review(request)
            .map(|group| signed_review(request, group, known_of(request, group), Some(&looked.entries))),
        threads: counts,
        blockers,
        unread,
        to_judge: still_to_judge(request),
        ready: current_review(request)
            .filter(|group| is_open(*group))
            .map(|group| readiness(request, group, RuleSource::Base))
            .transpose()?,
        remotes: request.repository.compared.of_remotes(&request.repository.store, notes),
        elsewhere: threads_elsewhere(request, seen.threads.len()),
        drafts: u32::try_from(request.notes.drafts.len()).unwrap_or(u32::MAX),
        drafts_elsewhere: drafts_elsewhere(request)?,
        notes: notes.map(hex),
        resolving: looked.resolving,
        damage,
        incomplete,
        sync_trouble: sync_trouble(&repo),
        warnings: warnings(request, &repo)?
            .into_iter()
            .chain(seen.warnings())
            .chain(unsearched_files(&files, &looked.entries))
            .collect(),
    })
}

/// The numbers alone.
fn counted(request: &Request, seen: &VisibleThreads, threads: &[Thread<'_>]) -> Result<StatusReply, Fault> {
    let notes = request.notes.version.notes;
    Ok(StatusReply {
        mark: Mark::default(),
        head: HeadView {
            commit: request.head.map(hex),
            branch: current_branch(request).map(|name| ByteText::new(name.as_bytes())),
            ..HeadView::default()
        },
        review: None,
        threads: view::counts(threads.iter().copied(), None),
        blockers: blockers(threads),
        unread: unread_threads(request, threads),
        to_judge: still_to_judge(request),
        ready: None,
        remotes: request.repository.compared.of_remotes(&request.repository.store, notes),
        elsewhere: threads_elsewhere(request, seen.threads.len()),
        drafts: u32::try_from(request.notes.drafts.len()).unwrap_or(u32::MAX),
        drafts_elsewhere: drafts_elsewhere(request)?,
        notes: notes.map(hex),
        resolving: false,
        damage: Vec::new(),
        incomplete: !(request.notes.unread().is_empty() && seen.is_whole()),
        sync_trouble: Vec::new(),
        warnings: Vec::new(),
    })
}

/// How many of these are open blockers.
fn blockers(threads: &[Thread<'_>]) -> u32 {
    let is_blocker = |thread: &&Thread<'_>| {
        let root = thread.root_comment().map(Comment::said);
        thread.state() == ThreadState::Open
            && root.and_then(|root| root.severity.as_ref()) == Some(&Severity::Blocker)
    };
    u32::try_from(threads.iter().filter(is_blocker).count()).unwrap_or(u32::MAX)
}

/// In how many of these something is new to who asks.
fn unread_threads(request: &Request, threads: &[Thread<'_>]) -> u32 {
    let state = ReadState::of(request);
    u32::try_from(threads.iter().filter(|thread| state.is_unread(**thread)).count()).unwrap_or(u32::MAX)
}

fn still_to_judge(request: &Request) -> Vec<RequestView> {
    let group = current_review(request);
    group.map(|group| to_judge(request, group).into_iter().map(view::asked).collect()).unwrap_or_default()
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
