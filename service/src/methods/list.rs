//! Lists threads.

use crate::changes::mark::{MarkParts, PlacesMark};
use crate::files::HeadFiles;
use crate::lists::answer_size::{MAX_PAGE_BYTES, fitting, most_threads};
use crate::lists::listed_threads::{Chosen, ListChoice, Ranked, thread_line};
use crate::lists::order::Rank;
use crate::lists::unread::ReadState;
use crate::lists::visible::{VisibleThreads, threads_elsewhere};
use crate::positions::in_head::{FilesMark, Looked, positions_of, unsearched_files};
use crate::request::{Request, commit_of, seen_from};
use crate::reviews::follow_up::unsearched_reviews;
use crate::suggestions::status::{add_fates, suggests};
use crate::view::current_lines::{CodeRoom, add_code};
use crate::view::passages::add_passages;
use crate::view::signatures::{add_signatures, add_signatures_to_lines};
use crate::view::{self, hex};
use postil_core::sync::Remote;
use postil_protocol::{
    Advice, Detail, Fault, Filter, HeadName, List, ListReply, Mark, Scope, ThreadLine, ThreadRow, ThreadView,
    WarningView,
};
use std::collections::BTreeMap;

/// Lists threads.
pub fn list(request: &Request, list: &List) -> Result<ListReply, Fault> {
    let files = HeadFiles::of(request, &list.head)?;
    list_in(request, &files, list)
}

/// Lists threads of a head with these files.
pub fn list_in(request: &Request, files: &HeadFiles<'_>, list: &List) -> Result<ListReply, Fault> {
    let (reply, lines) =
        list_with(request, files, list, |chosen| thread_lines(request, files, list.detail, chosen))?;
    Ok(ListReply { lines: lines.unwrap_or_default(), ..reply })
}

/// Lists threads of a head with these files; what fits into a line each is made by `lines`, if no more was asked for.
pub(crate) fn list_with<L>(
    request: &Request,
    files: &HeadFiles<'_>,
    list: &List,
    lines: impl FnOnce(&Chosen<'_>) -> Result<L, Fault>,
) -> Result<(ListReply, Option<L>), Fault> {
    let seen = seen_from(request, &list.head)?;
    let choice = ListChoice::new(request, list, &seen)?;
    let threads = choice.candidates(request.notes.threads.iter());
    let looked = positions_of(request, files, list.freshness, threads.iter().copied())?;
    let mut ranked = choice.in_order(threads, &looked.entries);
    let total = ranked.len();
    if let Some(cursor) = &list.cursor {
        let last = Rank::from_cursor(cursor)?;
        ranked.drain(..ranked.partition_point(|one| one.rank <= last));
    }
    let limit = most_threads(list);
    let limit = limit.min(fitting(ranked.iter().take(limit).map(|one| one.thread), list.detail));
    // An empty page has no last thread to continue from.
    let last = limit.checked_sub(1).filter(|_| ranked.len() > limit);
    let next = last.map(|last| ranked[last].rank.cursor());
    ranked.truncate(limit);
    let chosen = Chosen { threads: ranked, entries: &looked.entries, seen: &seen };
    let (mut threads, mut in_lines) = (Vec::new(), None);
    if matches!(list.detail, Detail::Line | Detail::Row) {
        in_lines = Some(lines(&chosen)?);
    } else {
        threads = thread_views(request, files, list, &chosen)?;
    }
    let suggests = chosen.threads.iter().any(|one| suggests(one.thread));
    let reply = reply_without_threads(request, files, list, looked, &seen, suggests);
    Ok((ListReply { threads, total: u32::try_from(total).unwrap_or(u32::MAX), next, ..reply }, in_lines))
}

/// What is said in a list beside its threads and how many there are.
pub(crate) fn reply_without_threads(
    request: &Request,
    files: &HeadFiles<'_>,
    list: &List,
    looked: Looked,
    seen: &VisibleThreads,
    suggests: bool,
) -> ListReply {
    let unsearched = unsearched_files(files, &looked.entries);
    let unread = unread(request, list.scope, seen);
    ListReply {
        mark: list_mark(request, list, &looked, seen.sight, suggests),
        resolving: looked.resolving,
        head: looked.head,
        notes: request.notes.version.notes.map(hex),
        elsewhere: threads_elsewhere(request, seen.threads.len()),
        incomplete: !unread.is_empty(),
        advice: unfetched(request),
        warnings: unread.into_iter().chain(unsearched).chain(unsearched_reviews(request)).collect(),
        ..ListReply::default()
    }
}

/// Where reviews can be fetched from if none were ever here, and none were ever asked for.
fn unfetched(request: &Request) -> Option<Advice> {
    if request.notes.version.notes.is_some() {
        return None;
    }
    let remote = Remote::usual_configured(request.work_tree.repository()).ok()?;
    let is_known = request.repository.store.tracked(remote.tracking()).ok()?.is_some();
    (!is_known).then(|| Advice::FetchReviews { remote: remote.shown().to_owned() })
}

/// Why threads may be missing from a list: notes that could not be read, as in a partial clone, and what decides
/// whether the head sees a thread.
fn unread(request: &Request, scope: Scope, seen: &VisibleThreads) -> Vec<WarningView> {
    let mut warnings = Vec::new();
    let unread = request.notes.unread();
    if !unread.is_empty() {
        let may_come = !(request.notes.missing.is_empty() && request.notes.lost.is_empty());
        let advice = may_come.then_some(Advice::SyncMissing);
        let what = format!("some comments could not be read: {}", unread.join(", "));
        warnings.push(WarningView { what, advice });
    }
    if scope == Scope::Seen {
        warnings.extend(seen.warnings());
    }
    warnings
}

/// What is known with a list.
fn list_mark(request: &Request, list: &List, looked: &Looked, sight: u64, suggests: bool) -> Mark {
    let head = commit_of(request, &list.head).ok().flatten();
    let is_whole = list.filter == Filter::default() && list.limit.is_none() && list.cursor.is_none();
    let files = match (&list.head, looked.files) {
        // What becomes of suggestions depends on files that no comment is in.
        (HeadName::WorkTree, _) if suggests || !is_whole => FilesMark::Unseen,
        (HeadName::WorkTree, FilesMark::Differing(files)) => {
            request.repository.places_seen.keep(head, files, looked.moved.clone(), BTreeMap::new());
            looked.files
        }
        _ => looked.files,
    };
    let places = (!looked.resolving).then_some(PlacesMark { head, sight, files });
    MarkParts { version: request.notes.version, places }.write()
}

/// What fits into a line of each thread.
fn thread_lines(
    request: &Request,
    files: &HeadFiles<'_>,
    detail: Detail,
    chosen: &Chosen<'_>,
) -> Result<Vec<ThreadLine>, Fault> {
    let mut lines = Vec::with_capacity(chosen.threads.len());
    for one in &chosen.threads {
        lines.push(thread_line(request, files, one)?);
    }
    if detail == Detail::Row {
        let read = ReadState::of(request);
        for (line, one) in lines.iter_mut().zip(&chosen.threads) {
            let at = one.thread.root_comment().map_or(0, |root| root.said().at.0);
            let (updated, unread) = (view::updated(one.thread), read.is_unread(one.thread));
            line.row = Some(Box::new(ThreadRow { at, updated, unread }));
        }
    }
    let roots = chosen.threads.iter().map(|one| one.thread.root_comment());
    add_signatures_to_lines(request, roots, &mut lines);
    Ok(lines)
}

/// The chosen threads as clients see them.
fn thread_views(
    request: &Request,
    files: &HeadFiles<'_>,
    list: &List,
    chosen: &Chosen<'_>,
) -> Result<Vec<ThreadView>, Fault> {
    let view = |one: &Ranked<'_>| {
        let why = chosen.seen.threads.get(&one.thread.id()).copied();
        view::thread(&request.notes, one.thread, one.entry.map(AsRef::as_ref), why, list.detail)
    };
    let mut threads = chosen.threads.iter().map(view).collect::<Vec<ThreadView>>();
    add_fates(request, files, &mut threads, chosen.entries, list.detail)?;
    add_signatures(request, &request.notes, &mut threads);
    add_passages(files, &mut threads, chosen.entries)?;
    if list.code > 0 {
        let located = chosen.threads.iter().map(|one| (one.thread, one.entry.map(AsRef::as_ref)));
        let room = CodeRoom { lines: list.code, bytes: MAX_PAGE_BYTES / 2 };
        add_code(request, files, located, &mut threads, room)?;
    }
    Ok(threads)
}
