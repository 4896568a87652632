//! Locates many anchors in a head at once.
//!
//! How one anchor is located is `resolve`'s work; here they are spread over threads.

use std::num::NonZeroUsize;

use crate::git::{CommitId, TreeId};
use crate::record::Anchor;

use super::objects::{ObjectError, Objects};
use super::position::Position;
use super::resolve::resolve;

/// The version of the engine; stored with its results, raised whenever an answer can change.
pub const ENGINE_VERSION: u32 = 1;

/// Fewer anchors than this for each thread are not worth starting one.
const ANCHORS_A_THREAD: usize = 64;

/// What positions are computed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its files.
    pub tree: TreeId,
    /// The commit whose tree it is, or upon which it is being made; `None` without history.
    pub commit: Option<CommitId>,
}

/// Why one anchor could not be located; others are not affected.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LocateError {
    /// The head or what leads to it could not be read.
    #[error("the head could not be read")]
    Read {
        /// What was missing.
        #[from]
        source: ObjectError,
    },
    /// Comments on deleted lines are located through their base.
    #[error("the anchor is on a deleted line")]
    OldSide,
}

/// Locates anchors in a head, each on its own; results stand in the order of the anchors.
///
/// The number of threads changes nothing but the time it takes. Objects that only `repo`'s handle
/// has in memory are seen with one thread alone.
pub fn locate(
    repo: &gix::Repository,
    anchors: &[Anchor],
    head: Head,
    threads: NonZeroUsize,
) -> Vec<Result<Position, LocateError>> {
    let mut order: Vec<usize> = (0..anchors.len()).collect();
    // Anchors of one file stay together, so that it is compared once.
    order.sort_by(|a, b| (&anchors[*a].path, a).cmp(&(&anchors[*b].path, b)));
    let threads = threads.get().min(anchors.len().div_ceil(ANCHORS_A_THREAD)).max(1);
    let mut results: Vec<(usize, Result<Position, LocateError>)> = if threads == 1 {
        some(repo, anchors, &order, head)
    } else {
        let shared = repo.clone().into_sync();
        let share = order.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let shared = &shared;
            let workers: Vec<_> = order
                .chunks(share)
                .map(|part| scope.spawn(move || some(&shared.to_thread_local(), anchors, part, head)))
                .collect();
            workers
                .into_iter()
                .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn some(
    repo: &gix::Repository,
    anchors: &[Anchor],
    part: &[usize],
    head: Head,
) -> Vec<(usize, Result<Position, LocateError>)> {
    let objects = Objects::new(repo);
    part.iter().map(|index| (*index, resolve(&objects, &anchors[*index], head))).collect()
}
