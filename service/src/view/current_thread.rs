//! One thread as it is now, in the files on disk.

use crate::files::HeadFiles;
use crate::positions::in_head::positions_of;
use crate::request::{Request, seen_from};
use crate::suggestions::status::add_fates;
use crate::view;
use crate::view::passages::add_passages;
use crate::view::signatures::add_signatures;
use postil_core::review::{Thread, WhyVisible};
use postil_protocol::{Detail, Fault, Freshness, HeadName, ThreadView};

/// A thread as it is now, with its position in the files on disk.
pub fn thread_view(request: &Request, thread: Thread<'_>, detail: Detail) -> Result<ThreadView, Fault> {
    let head = HeadName::WorkTree;
    let files = HeadFiles::of(request, &head)?;
    let looked = positions_of(request, &files, Freshness::Wait, [thread].into_iter())?;
    let entry = looked.entries.get(&thread.id()).map(AsRef::as_ref);
    let why: Option<WhyVisible> = seen_from(request, &head)?.threads.get(&thread.id()).copied();
    let mut shown = view::thread(&request.notes, thread, entry, why, detail);
    add_fates(request, &files, std::slice::from_mut(&mut shown), &looked.entries, detail)?;
    add_signatures(request, &request.notes, std::slice::from_mut(&mut shown));
    add_passages(&files, std::slice::from_mut(&mut shown), &looked.entries)?;
    Ok(shown)
}

/// The same after something was written in the thread, which stays so where its place cannot be computed.
pub fn written_thread_view(request: &Request, thread: Thread<'_>) -> ThreadView {
    let shown = thread_view(request, thread, Detail::Full);
    let shown = request.warnings.after_write(shown);
    shown.unwrap_or_else(|| view::thread(&request.notes, thread, None, None, Detail::Full))
}
