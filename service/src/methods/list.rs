//! Lists threads.

use crate::changes::mark::{FilesMark, MarkParts, PlacesMark};
use crate::files::HeadFiles;
use crate::lists::filter::Wanted;
use crate::lists::order::Rank;
use crate::lists::visible::VisibleThreads;
use crate::lists::visible::threads_elsewhere;
use crate::positions::in_head::{Looked, positions_of};
use crate::positions::positions_at::Entries;
use crate::request::{Request, commit_of, seen_from};
use crate::suggestions::status::{fates_of, tell_fates};
use crate::view::passages::tell_passages;
use crate::view::signatures::{tell_signatures, tell_signatures_of_lines};
use crate::view::{self, hex};
use postil_core::record::Entry;
use postil_core::review::Thread;
use postil_protocol::{
    Detail, Fault, Filter, HeadName, List, ListReply, MAX_LIST, Mark, Scope, ThreadLine, ThreadView,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A thread of a list, with its place in the order and where it is.
struct Ranked<'a> {
    rank: Rank<'a>,
    thread: Thread<'a>,
    entry: Option<&'a Arc<Entry>>,
}

/// The threads of a list, in order.
struct Chosen<'a> {
    threads: Vec<Ranked<'a>>,
    entries: &'a Entries,
    seen: &'a VisibleThreads,
}

/// Lists threads.
pub fn list(request: &Request, list: &List) -> Result<ListReply, Fault> {
    let files = HeadFiles::of(request, &list.head)?;
    list_in(request, &files, list)
}

/// Lists threads of a head with these files.
pub fn list_in(request: &Request, files: &HeadFiles<'_>, list: &List) -> Result<ListReply, Fault> {
    let seen = seen_from(request, &list.head)?;
    let wanted = Wanted::new(request, &list.filter)?;
    let in_scope = |thread: &Thread<'_>| list.scope == Scope::All || seen.threads.contains_key(&thread.id());
    let threads: Vec<Thread<'_>> =
        request.notes.threads.iter().filter(in_scope).filter(|thread| wanted.may_be(*thread)).collect();
    let looked = positions_of(request, files, list.freshness, threads.iter().copied())?;
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
    let (mut threads, mut lines) = (Vec::new(), Vec::new());
    if list.detail == Detail::Line {
        lines = thread_lines(request, files, &chosen)?;
    } else {
        threads = thread_views(request, files, list, &chosen)?;
    }
    let suggests = threads.iter().any(|thread| thread.suggestion.is_some())
        || lines.iter().any(|line| line.suggestion.is_some());
    Ok(ListReply {
        mark: list_mark(request, list, &looked, seen.sight, suggests),
        threads,
        lines,
        total: u32::try_from(total).unwrap_or(u32::MAX),
        next,
        resolving: looked.resolving,
        head: looked.head,
        notes: request.notes.version.notes.map(hex),
        elsewhere: threads_elsewhere(request, seen.threads.len()),
    })
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
    chosen: &Chosen<'_>,
) -> Result<Vec<ThreadLine>, Fault> {
    let line = |one: &Ranked<'_>| view::line(&request.notes, one.thread, one.entry.map(AsRef::as_ref));
    let mut lines = chosen.threads.iter().map(line).collect::<Vec<ThreadLine>>();
    let threads = chosen.threads.iter().map(|one| one.thread);
    for (line, fate) in lines.iter_mut().zip(fates_of(request, files, threads, chosen.entries)?) {
        line.suggestion = fate;
    }
    let roots = chosen.threads.iter().map(|one| one.thread.root_comment());
    tell_signatures_of_lines(request, roots, &mut lines);
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
    tell_fates(request, files, &mut threads, chosen.entries, list.detail)?;
    tell_signatures(request, &request.notes, &mut threads);
    tell_passages(files, &mut threads, chosen.entries)?;
    Ok(threads)
}
