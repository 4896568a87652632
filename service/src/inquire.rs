//! Answers that only tell: lists, single threads, how things are.

use std::sync::Arc;

use postil_core::git::{BlobId, CommitId, RepoPath, Repository, tree};
use postil_core::record::{Entry, Side};
use postil_core::review::{Membership, Thread, ThreadState, Why};
use postil_protocol::{
    ByteText, Detail, Fault, HeadName, List, ListReply, MAX_LIST, Scope, Show, ShowReply, Status,
    StatusReply, ThreadLine, ThreadView,
};

use super::contents::{Contents, read_blob};
use super::doctor;
use super::fates::{fates_of, tell_fates};
use super::filter::Wanted;
use super::kept::Ground;
use super::lookout::known_of;
use super::order::Rank;
use super::passages::tell_passages;
use super::placing::{Asked, Bases, Entries};
use super::request::{Request, commit_of, positions_of, seen_from};
use super::sighted::Sighted;
use super::target::current_review;
use super::trouble::OrFault as _;
use super::upkeep::drafts_elsewhere;
use super::view::{self, hex};
use super::vouch::{tell_signatures, tell_signatures_of_lines, told_review};
use crate::sharing;

/// How many lines are shown around where a comment is.
const LINES_AROUND: u32 = 3;

/// A thread of a list, with its place in the order and where it is.
pub(super) struct Ranked<'a> {
    rank: Rank<'a>,
    /// The thread.
    pub thread: Thread<'a>,
    /// Where it is.
    pub entry: Option<&'a Arc<Entry>>,
}

/// The threads of a list, in order.
pub(super) struct Chosen<'a> {
    /// The threads.
    pub threads: Vec<Ranked<'a>>,
    /// Where they are.
    pub entries: &'a Entries,
    /// What is seen from there.
    pub seen: &'a Sighted,
}

/// Whether one of these threads suggests something.
pub(super) fn suggests(views: &[ThreadView]) -> bool {
    views.iter().any(|thread| thread.suggestion.is_some())
}

/// Lists threads.
pub fn list(request: &Request, list: &List) -> Result<ListReply, Fault> {
    let (reply, _) = listed(request, list, |chosen| {
        let views = thread_views(request, list, chosen, chosen.threads.iter())?;
        let suggests = suggests(&views);
        Ok((views, suggests))
    })?;
    Ok(reply)
}

/// Lists threads as `tell` tells of them; it says too whether any of them suggests something.
pub fn listed<T>(
    request: &Request,
    list: &List,
    tell: impl FnOnce(&Chosen<'_>) -> Result<(Vec<T>, bool), Fault>,
) -> Result<(ListReply<T>, Ground), Fault> {
    let seen = seen_from(request, &list.head)?;
    let wanted = Wanted::new(request, &list.filter)?;
    let in_scope = |thread: &Thread<'_>| list.scope == Scope::All || seen.threads.contains_key(&thread.id());
    let threads: Vec<Thread<'_>> =
        request.book.threads.iter().filter(in_scope).filter(|thread| wanted.may_be(*thread)).collect();
    let looked = positions_of(request, &list.head, list.freshness, threads.iter().copied())?;
    let mut ranked: Vec<Ranked<'_>> = threads
        .into_iter()
        .map(|thread| (thread, looked.entries.get(&thread.id())))
        .filter(|(thread, entry)| wanted.is(*thread, entry.map(AsRef::as_ref)))
        .map(|(thread, entry)| Ranked { rank: Rank::of(thread, entry.map(AsRef::as_ref)), thread, entry })
        .collect();
    ranked.sort_unstable_by(|one, other| one.rank.cmp(&other.rank));
    let total = ranked.len();
    if let Some(cursor) = &list.cursor {
        let last = Rank::from_cursor(cursor)?;
        ranked.drain(..ranked.partition_point(|one| one.rank <= last));
    }
    let limit = list.limit.unwrap_or(MAX_LIST).min(MAX_LIST) as usize;
    // Of none, nobody can go on behind the last.
    let last = limit.checked_sub(1).filter(|_| ranked.len() > limit);
    let next = last.map(|last| ranked[last].rank.cursor());
    ranked.truncate(limit);
    let chosen = Chosen { threads: ranked, entries: &looked.entries, seen: &seen };
    let (mut threads, mut lines, mut suggests) = (Vec::new(), Vec::new(), false);
    if list.detail == Detail::Line {
        lines = thread_lines(request, list, &chosen)?;
        suggests |= lines.iter().any(|line| line.suggestion.is_some());
    } else {
        (threads, suggests) = tell(&chosen)?;
    }
    let reply = ListReply {
        threads,
        lines,
        total: u32::try_from(total).unwrap_or(u32::MAX),
        next,
        resolving: looked.resolving,
        head: looked.head,
        notes: request.book.edition.notes.map(hex),
        elsewhere: threads_elsewhere(request, seen.threads.len()),
    };
    // What becomes of a suggestion rests on files that no comment is in, and a signature on whom one believes.
    let ground = match looked.ground {
        Ground::Committed(_) if suggests => Ground::Unsettled,
        _ if !request.book.vouched.is_empty() => Ground::Unsettled,
        ground => ground,
    };
    Ok((reply, ground))
}

/// What fits into a line of each thread.
fn thread_lines(request: &Request, list: &List, chosen: &Chosen<'_>) -> Result<Vec<ThreadLine>, Fault> {
    let line = |one: &Ranked<'_>| view::line(&request.book, one.thread, one.entry.map(AsRef::as_ref));
    let mut lines = chosen.threads.iter().map(line).collect::<Vec<ThreadLine>>();
    let threads = chosen.threads.iter().map(|one| one.thread);
    for (line, fate) in lines.iter_mut().zip(fates_of(request, threads, chosen.entries, &list.head)?) {
        line.suggestion = fate;
    }
    let roots = chosen.threads.iter().map(|one| one.thread.root_comment());
    tell_signatures_of_lines(request, roots, &mut lines);
    Ok(lines)
}

/// These of the chosen threads.
pub fn thread_views<'a>(
    request: &Request,
    list: &List,
    chosen: &Chosen<'_>,
    threads: impl Iterator<Item = &'a Ranked<'a>>,
) -> Result<Vec<ThreadView>, Fault> {
    let view = |one: &Ranked<'_>| {
        let why = chosen.seen.threads.get(&one.thread.id()).copied();
        view::thread(&request.book, one.thread, one.entry.map(AsRef::as_ref), why, list.detail)
    };
    let mut threads = threads.map(view).collect::<Vec<ThreadView>>();
    tell_fates(request, &mut threads, chosen.entries, &list.head, list.detail)?;
    tell_signatures(request, &request.book, &mut threads);
    tell_passages(request, &mut threads, chosen.entries, &list.head)?;
    Ok(threads)
}

/// Shows one thread.
pub fn show(request: &Request, show: &Show) -> Result<ShowReply, Fault> {
    let thread = request.book.thread_named(&show.of)?;
    let why = seen_from(request, &show.head)?.threads.get(&thread.id()).copied();
    let looked = positions_of(request, &show.head, postil_protocol::Freshness::Wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
    let review = match thread.review() {
        Membership::Review(review) => request.book.threads.group_of(review.id()),
        Membership::None | Membership::Unknown(_) => None,
    };
    let mut shown = view::thread(&request.book, thread, entry, why, Detail::Full);
    tell_fates(request, std::slice::from_mut(&mut shown), &looked.entries, &show.head, Detail::Full)?;
    tell_signatures(request, &request.book, std::slice::from_mut(&mut shown));
    tell_passages(request, std::slice::from_mut(&mut shown), &looked.entries, &show.head)?;
    Ok(ShowReply {
        thread: shown,
        review: review.map(|group| told_review(request, group, known_of(request, group), None)),
        lines: match entry {
            Some(entry) => lines_around(request, thread, entry, &show.head)?,
            None => Vec::new(),
        },
        head: looked.head,
    })
}

/// Tells how things are.
pub fn status(request: &Request, status: &Status) -> Result<StatusReply, Fault> {
    let head = HeadName::WorkTree;
    let seen = seen_from(request, &head)?;
    let threads: Vec<Thread<'_>> =
        request.book.threads.iter().filter(|thread| seen.threads.contains_key(&thread.id())).collect();
    let open = threads.iter().filter(|thread| thread.state() == ThreadState::Open);
    let looked = positions_of(request, &head, status.freshness, open.copied())?;
    let counts = view::counts(threads.iter().copied(), Some(&looked.entries));
    let damage = request.book.damage.iter().chain(&seen.unknown).cloned().collect();
    // Read anew: a service that lives long does not see edits of the settings.
    let repo = request.seat.repository().reopen().or_fault()?;
    Ok(StatusReply {
        head: looked.head,
        review: current_review(request)
            .map(|group| told_review(request, group, known_of(request, group), Some(&looked.entries))),
        threads: counts,
        elsewhere: threads_elsewhere(request, seen.threads.len()),
        drafts: u32::try_from(request.book.drafts.len()).unwrap_or(u32::MAX),
        drafts_elsewhere: drafts_elsewhere(request)?,
        notes: request.book.edition.notes.map(hex),
        resolving: looked.resolving,
        damage,
        sync_trouble: sync_trouble(&repo),
        warnings: warnings(request, &repo)?,
    })
}

/// What a person should know of the notes and of git's settings.
fn warnings(request: &Request, repo: &Repository) -> Result<Vec<String>, Fault> {
    let overwritten = request.desk.store.overwritten().or_fault()?.map(|what| {
        format!("{}; `postil list`, as the next comment, brings back what it held", doctor::overwritten(what))
    });
    Ok(overwritten.into_iter().chain(sharing::at_risk(repo)).collect())
}

/// A thread as it is now, with its position in the files on disk.
pub fn thread_view(request: &Request, thread: Thread<'_>, detail: Detail) -> Result<ThreadView, Fault> {
    let head = HeadName::WorkTree;
    let looked = positions_of(request, &head, postil_protocol::Freshness::Wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
    let why: Option<Why> = seen_from(request, &head)?.threads.get(&thread.id()).copied();
    let mut shown = view::thread(&request.book, thread, entry, why, detail);
    tell_fates(request, std::slice::from_mut(&mut shown), &looked.entries, &head, detail)?;
    tell_signatures(request, &request.book, std::slice::from_mut(&mut shown));
    tell_passages(request, std::slice::from_mut(&mut shown), &looked.entries, &head)?;
    Ok(shown)
}

fn threads_elsewhere(request: &Request, seen: usize) -> u32 {
    u32::try_from(request.book.threads.iter().len().saturating_sub(seen)).unwrap_or(u32::MAX)
}

fn blob_in(request: &Request, commit: CommitId, path: &RepoPath) -> Result<Option<BlobId>, Fault> {
    let entry = tree::entry_at(&request.seat.repository().handle(), request.seat.tree_of(commit)?, path);
    let entry = entry.or_fault()?.filter(|entry| entry.mode.is_blob_or_symlink());
    Ok(entry.map(|entry| BlobId::from(entry.id.raw())))
}

/// The lines where a comment is, with those around them; of an orphan, those of the first place to consider.
fn lines_around(
    request: &Request,
    thread: Thread<'_>,
    entry: &Entry,
    head: &HeadName,
) -> Result<Vec<(u32, ByteText)>, Fault> {
    let place = match (&entry.path, entry.candidates.first()) {
        (Some(path), _) => entry.range.map(|range| (path, range)),
        (None, Some(stood)) => Some((&stood.path, stood.range)),
        (None, None) => None,
    };
    let (Some((path, range)), Some(anchor)) = (place, thread.anchor()) else { return Ok(Vec::new()) };
    let handle = request.seat.repository().handle();
    let content = match &anchor.side {
        // Deleted lines are those of the base that the review has now, else of the one that they were seen in.
        Side::Old(old) => {
            let bases = match commit_of(request, head)? {
                Some(commit) => Bases::find(&request.seat, &request.book, &request.branches, commit),
                None => Bases::default(),
            };
            let base = Asked::of(thread, &bases).and_then(|asked| asked.base());
            match base.and_then(|base| blob_in(request, base, path).transpose()).transpose()? {
                Some(blob) => Some(read_blob(&handle, blob)?),
                None => read_blob(&handle, old.blob).ok(),
            }
        }
        Side::New => Contents::of(request, &handle, head)?.read(path)?,
    };
    let Some(content) = content else { return Ok(Vec::new()) };
    let first = range.span().first().saturating_sub(LINES_AROUND).max(1);
    let last = range.span().last().saturating_add(LINES_AROUND);
    let text = postil_core::edit::Text::new(content);
    let numbers = first..=last.min(text.len());
    Ok(numbers.map(|number| (number, ByteText::new(text.line(number - 1)))).collect())
}

/// What went wrong in the background, where something still goes on there.
fn sync_trouble(repo: &Repository) -> Option<String> {
    let trouble = sharing::trouble(repo.common_dir())?;
    (sharing::Policy::of(repo) != sharing::Policy::Off).then_some(trouble)
}
