//! The threads of a list, in order, and what fits into a line of each.

use std::sync::Arc;

use postil_core::record::PositionEntry;
use postil_core::review::Thread;
use postil_protocol::{Fault, ThreadLine};

use crate::files::HeadFiles;
use crate::lists::order::Rank;
use crate::lists::visible::VisibleThreads;
use crate::positions::positions_at::PositionsByThread;
use crate::request::Request;
use crate::suggestions::status::fate_in_line;
use crate::view;

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

/// What fits into a line of a thread, but for who vouches for it.
pub(crate) fn thread_line(
    request: &Request,
    files: &HeadFiles<'_>,
    one: &Ranked<'_>,
) -> Result<ThreadLine, Fault> {
    let entry = one.entry.map(AsRef::as_ref);
    let suggestion = fate_in_line(request, files, one.thread, entry)?;
    Ok(ThreadLine { suggestion, ..view::line(&request.notes, one.thread, entry) })
}
