//! The threads of a list, in order, and what fits into a line of each.

use std::sync::Arc;

use postil_core::record::PositionEntry;
use postil_core::review::Thread;
use postil_protocol::{Fault, List, ListOrder, Scope, ThreadLine};

use crate::files::HeadFiles;
use crate::lists::filter::ParsedFilter;
use crate::lists::order::Rank;
use crate::lists::visible::VisibleThreads;
use crate::positions::overtaken::standing_proposals;
use crate::positions::positions_at::PositionsByThread;
use crate::request::Request;
use crate::suggestions::status::fate_in_line;
use crate::view;
use crate::view::signatures::trust_unsigned;

/// A thread of a list, with its place in the order and where it is.
pub(crate) struct Ranked<'a> {
    /// Its place in the order.
    pub rank: Rank<'a>,
    /// The thread.
    pub thread: Thread<'a>,
    /// Where it is.
    pub entry: Option<&'a Arc<PositionEntry>>,
}

/// The threads of a list, in order.
pub(crate) struct Chosen<'a> {
    /// The threads.
    pub threads: Vec<Ranked<'a>>,
    /// Where all of them are.
    pub entries: &'a PositionsByThread,
    /// Which of them are seen, and why.
    pub seen: &'a VisibleThreads,
}

/// What a list asks for.
pub(crate) struct ListChoice<'a> {
    scope: Scope,
    order: ListOrder,
    filter: ParsedFilter<'a>,
    seen: &'a VisibleThreads,
}

impl<'a> ListChoice<'a> {
    /// Understands what is asked for; fails for a review that is not there, and for an invalid pathspec.
    pub fn new(request: &Request, list: &'a List, seen: &'a VisibleThreads) -> Result<Self, Fault> {
        Ok(Self {
            scope: list.scope,
            order: list.order,
            filter: ParsedFilter::new(request, &list.filter)?,
            seen,
        })
    }

    /// Those that may be wanted, by what is known without their positions.
    pub fn candidates<'t>(&self, among: impl Iterator<Item = Thread<'t>>) -> Vec<Thread<'t>> {
        let in_scope =
            |thread: &Thread<'_>| self.scope == Scope::All || self.seen.threads.contains_key(&thread.id());
        among.filter(in_scope).filter(|thread| self.filter.may_be(*thread)).collect()
    }

    /// Those of the candidates that are wanted, given where they are, in the order of a list.
    pub fn in_order<'t>(
        &self,
        candidates: Vec<Thread<'t>>,
        entries: &'t PositionsByThread,
    ) -> Vec<Ranked<'t>> {
        let mut ranked: Vec<Ranked<'t>> = candidates
            .into_iter()
            .map(|thread| (thread, entries.get(&thread.id())))
            .filter(|(thread, entry)| self.filter.is(*thread, entry.map(AsRef::as_ref)))
            .map(|(thread, entry)| Ranked {
                rank: Rank::in_order(self.order, thread, entry.map(AsRef::as_ref)),
                thread,
                entry,
            })
            .collect();
        ranked.sort_unstable_by(|one, other| one.rank.cmp(&other.rank));
        ranked
    }
}

/// What fits into a line of a thread, but for who signed it.
pub(crate) fn thread_line(
    request: &Request,
    files: &HeadFiles<'_>,
    one: &Ranked<'_>,
) -> Result<ThreadLine, Fault> {
    let entry = one.entry.map(AsRef::as_ref);
    let suggestion = fate_in_line(request, files, one.thread, entry)?;
    let trust = trust_unsigned(request, one.thread.root_comment());
    let mut line = view::line(&request.notes, one.thread, entry);
    if line.pending > 0 {
        let standing = standing_proposals(request, files, one.thread, entry);
        line.pending = u32::try_from(standing.len()).unwrap_or(u32::MAX);
    }
    Ok(ThreadLine { suggestion, trust, ..line })
}
