//! Which threads a head sees, kept for as long as nothing that decides it has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use postil_core::record::RecordId;
use postil_core::review::{Branches, Following, Show, Viewpoint, Why};
use postil_protocol::Fault;

use super::book::{Book, Edition};
use super::desk::{Desk, lock};
use super::seat::Seat;
use super::trouble::OrFault as _;

/// The threads that are seen from somewhere, and what that was decided by.
#[derive(Debug)]
pub(super) struct Sighted {
    edition: Edition,
    branches: Branches,
    from: Viewpoint,
    /// Each thread, and why it is seen.
    pub threads: BTreeMap<RecordId, Why>,
    /// Reviews of which that could not be found out, in words.
    pub unknown: Vec<String>,
}

impl Desk {
    /// The threads that are seen from here.
    pub fn seen(
        &self,
        seat: &Seat,
        book: &Book,
        branches: &Branches,
        from: &Viewpoint,
    ) -> Result<Arc<Sighted>, Fault> {
        let fits = |sighted: &&Arc<Sighted>| {
            sighted.edition == book.edition && sighted.from == *from && sighted.branches == *branches
        };
        if let Some(sighted) = lock(&self.sighted).as_ref().filter(fits) {
            return Ok(sighted.clone());
        }
        let handle = seat.repository().handle();
        let sight =
            Following::new(&handle, branches).seen_from(&book.threads, from, Show::Seen).or_fault()?;
        let unknown = sight.unknown.iter().map(|(review, error)| {
            format!("whether review {} is seen here: {error}", book.prefixes.shorten(*review))
        });
        let sighted = Arc::new(Sighted {
            edition: book.edition,
            branches: branches.clone(),
            from: from.clone(),
            unknown: unknown.collect(),
            threads: sight.threads,
        });
        *lock(&self.sighted) = Some(sighted.clone());
        Ok(sighted)
    }
}
