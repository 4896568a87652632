//! Which threads a head sees, kept for as long as nothing that decides it has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use postil_core::record::RecordId;
use postil_core::review::{Following, Show, Viewpoint, Why};
use postil_protocol::Fault;

use crate::basis::RefsBasis;
use crate::fault::OrFault as _;
use crate::repository::{RepositoryState, lock};
use crate::request::Request;

/// The threads that are seen from somewhere, and what that was decided by.
#[derive(Debug)]
pub(crate) struct VisibleThreads {
    refs: RefsBasis,
    from: Viewpoint,
    /// Each thread, and why it is seen.
    pub threads: BTreeMap<RecordId, Why>,
    /// Reviews of which that could not be found out, in words.
    pub unknown: Vec<String>,
}

impl RepositoryState {
    /// The threads that are seen from here.
    pub fn seen(&self, request: &Request, from: &Viewpoint) -> Result<Arc<VisibleThreads>, Fault> {
        let fits = |known: &&Arc<VisibleThreads>| known.from == *from && known.refs.is_of(request);
        if let Some(sighted) = lock(&self.sighted).as_ref().filter(fits) {
            return Ok(sighted.clone());
        }
        let (notes, following) = (&request.notes, Following::new(&request.handle, &request.branches));
        let sight = following.seen_from(&notes.threads, from, Show::Seen).or_fault()?;
        let unknown = sight.unknown.iter().map(|(review, error)| {
            format!("whether review {} is seen here: {error}", notes.prefixes.shorten(*review))
        });
        let sighted = Arc::new(VisibleThreads {
            refs: RefsBasis::of(request),
            from: from.clone(),
            unknown: unknown.collect(),
            threads: sight.threads,
        });
        *lock(&self.sighted) = Some(sighted.clone());
        Ok(sighted)
    }
}

/// Counts the threads that the head does not see, if it sees so many.
pub(crate) fn threads_elsewhere(request: &Request, seen: usize) -> u32 {
    u32::try_from(request.notes.threads.iter().len().saturating_sub(seen)).unwrap_or(u32::MAX)
}
