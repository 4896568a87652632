//! Lists threads.

use crate::lists::filter::Wanted;
use crate::lists::kept::Ground;
use crate::lists::order::Rank;
use crate::lists::visible::VisibleThreads;
use crate::lists::visible::threads_elsewhere;
use crate::positions::positions_at::Entries;
use crate::request::{Request, positions_of, seen_from};
use crate::suggestions::status::{fates_of, tell_fates};
use crate::view::passages::tell_passages;
use crate::view::signatures::{tell_signatures, tell_signatures_of_lines};
use crate::view::{self, hex};
use postil_core::record::Entry;
use postil_core::review::Thread;
use postil_protocol::{Detail, Fault, List, ListReply, MAX_LIST, Scope, ThreadLine, ThreadView};
use std::sync::Arc;

/// A thread of a list, with its place in the order and where it is.
pub(crate) struct Ranked<'a> {
    rank: Rank<'a>,
    /// The thread.
    pub thread: Thread<'a>,
    /// Where it is.
    pub entry: Option<&'a Arc<Entry>>,
}

/// The threads of a list, in order.
pub(crate) struct Chosen<'a> {
    /// The threads.
    pub threads: Vec<Ranked<'a>>,
    /// Where they are.
    pub entries: &'a Entries,
    /// What is seen from there.
    pub seen: &'a VisibleThreads,
}

/// Whether one of these threads suggests something.
pub(crate) fn suggests(views: &[ThreadView]) -> bool {
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
        request.notes.threads.iter().filter(in_scope).filter(|thread| wanted.may_be(*thread)).collect();
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
        notes: request.notes.version.notes.map(hex),
        elsewhere: threads_elsewhere(request, seen.threads.len()),
    };
    // What becomes of a suggestion rests on files that no comment is in, and a signature on whom one believes.
    let ground = match looked.ground {
        Ground::Committed(_) if suggests => Ground::Unsettled,
        _ if !request.notes.vouched.is_empty() => Ground::Unsettled,
        ground => ground,
    };
    Ok((reply, ground))
}

/// What fits into a line of each thread.
pub(crate) fn thread_lines(
    request: &Request,
    list: &List,
    chosen: &Chosen<'_>,
) -> Result<Vec<ThreadLine>, Fault> {
    let line = |one: &Ranked<'_>| view::line(&request.notes, one.thread, one.entry.map(AsRef::as_ref));
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
        view::thread(&request.notes, one.thread, one.entry.map(AsRef::as_ref), why, list.detail)
    };
    let mut threads = threads.map(view).collect::<Vec<ThreadView>>();
    tell_fates(request, &mut threads, chosen.entries, &list.head, list.detail)?;
    tell_signatures(request, &request.notes, &mut threads);
    tell_passages(request, &mut threads, chosen.entries, &list.head)?;
    Ok(threads)
}
