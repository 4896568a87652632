//! What was visible at a mark that this process did not make, computed from where the branches were at that
//! time.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::record::RecordId;
use postil_core::review::{Branches, Current, Following, ShowThreads, Viewpoint, WhyVisible};
use postil_protocol::HeadName;

use super::records_since::SaidSince;
use crate::changes::mark::PlacesMark;
use crate::lists::visible::sight_of;
use crate::request::{Request, viewpoint_of};

/// What was seen at a mark, and from where.
#[derive(Debug)]
pub(crate) struct SeenThen {
    /// Where the branches were.
    pub branches: Branches,
    /// The threads, and why each was seen.
    pub all: BTreeMap<RecordId, WhyVisible>,
    /// The threads of which that is not sure, because of what was said since.
    pub doubtful: BTreeSet<RecordId>,
}

impl SeenThen {
    /// Computes it; `None` if a commit of the mark is gone, or if it is not known where the branches were.
    pub fn work_out(
        request: &Request,
        head: &HeadName,
        places: &PlacesMark,
        said: &SaidSince,
    ) -> Option<Self> {
        let now = viewpoint_of(request, head).ok()?;
        let viewpoints = |branches: &Branches| -> Vec<Viewpoint> {
            let from = |branch| Viewpoint { branch, commit: places.head };
            match (head, branches.current()) {
                (HeadName::Rev(_), _) => vec![from(now.branch.clone())],
                (_, Current::Branch(name)) => vec![from(Some(name.clone()))],
                // In the middle of a rebase, the branch counts that it is of.
                (_, Current::Detached) => vec![from(None), from(now.branch.clone())],
            }
        };
        let mut found = None;
        let branches = request.branches.earlier(&request.handle, places.head, |branches| {
            found = viewpoints(branches).into_iter().find(|from| sight_of(from, branches) == places.sight);
            found.is_some()
        })?;
        let following = Following::new(&request.handle, &branches);
        let seen = following.visible_from(&request.notes.threads, &found?, ShowThreads::Seen).ok()?;
        let is_whole =
            seen.unknown.is_empty() && seen.unsearched.is_empty() && seen.unsearched_merged.is_empty();
        if !is_whole {
            return None;
        }
        let mut all = seen.threads;
        all.retain(|thread, _| !said.begun.contains(thread));
        drop(following);
        Some(Self { branches, all, doubtful: said.turned.clone() })
    }
}
