//! One thread as it is now, in the files on disk.

use crate::request::{Request, positions_of, seen_from};
use crate::suggestions::status::tell_fates;
use crate::view::passages::tell_passages;
use crate::view::signatures::tell_signatures;
use crate::view::{self};
use postil_core::review::{Thread, Why};
use postil_protocol::{Detail, Fault, HeadName, ThreadView};

/// A thread as it is now, with its position in the files on disk.
pub fn thread_view(request: &Request, thread: Thread<'_>, detail: Detail) -> Result<ThreadView, Fault> {
    let head = HeadName::WorkTree;
    let looked = positions_of(request, &head, postil_protocol::Freshness::Wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
    let why: Option<Why> = seen_from(request, &head)?.threads.get(&thread.id()).copied();
    let mut shown = view::thread(&request.notes, thread, entry, why, detail);
    tell_fates(request, std::slice::from_mut(&mut shown), &looked.entries, &head, detail)?;
    tell_signatures(request, &request.notes, std::slice::from_mut(&mut shown));
    tell_passages(request, std::slice::from_mut(&mut shown), &looked.entries, &head)?;
    Ok(shown)
}
