//! Locates many anchors in a head at once.
//!
//! How one anchor is located is `resolve`'s work, or for deleted lines `deleted`'s; here they are spread over threads.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::git::{CommitId, TreeId};
use crate::record::{Anchor, Side};

use super::cache::MapCache;
use super::deleted::{Base, locate_deleted};
use super::objects::{ObjectError, Objects};
use super::position::Position;
use super::resolve::resolve;

/// The version of the engine; stored with its results, raised whenever an answer can change.
pub const ENGINE_VERSION: u32 = 2;

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

/// What a batch may use; none of it changes an answer.
#[derive(Clone, Debug)]
pub struct Means {
    /// How many threads work.
    pub threads: NonZeroUsize,
    /// Line maps of earlier runs.
    pub maps: Option<Arc<MapCache>>,
}

impl From<NonZeroUsize> for Means {
    /// So many threads, and nothing that outlives the batch.
    fn from(threads: NonZeroUsize) -> Self {
        Self { threads, maps: None }
    }
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
}

/// Locates anchors in a head, each on its own; results stand in the order of the anchors.
///
/// Deleted lines are looked for in the base that they were deleted from. The means
/// change nothing but the time it takes. Objects that only `repo`'s handle has in memory are seen
/// with one thread alone.
pub fn locate(
    repo: &gix::Repository,
    anchors: &[Anchor],
    head: Head,
    means: impl Into<Means>,
) -> Vec<Result<Position, LocateError>> {
    spread(repo, anchors, None, head, &means.into())
}

/// Locates anchors as [`locate`] does, where the head is compared with a base of its own.
///
/// Deleted lines are looked for there: their positions count lines of `base`.
pub fn locate_change(
    repo: &gix::Repository,
    anchors: &[Anchor],
    base: Base,
    head: Head,
    means: impl Into<Means>,
) -> Vec<Result<Position, LocateError>> {
    spread(repo, anchors, Some(base), head, &means.into())
}

fn spread(
    repo: &gix::Repository,
    anchors: &[Anchor],
    base: Option<Base>,
    head: Head,
    means: &Means,
) -> Vec<Result<Position, LocateError>> {
    let mut order: Vec<usize> = (0..anchors.len()).collect();
    // Anchors of one file stay together, so that it is compared once.
    order.sort_by(|a, b| (&anchors[*a].path, a).cmp(&(&anchors[*b].path, b)));
    let threads = means.threads.get().min(anchors.len().div_ceil(ANCHORS_A_THREAD)).max(1);
    let mut results: Vec<(usize, Result<Position, LocateError>)> = if threads == 1 {
        some(repo, anchors, &order, base, head, means)
    } else {
        let shared = repo.clone().into_sync();
        let share = order.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let shared = &shared;
            let workers: Vec<_> = order
                .chunks(share)
                .map(|part| {
                    scope.spawn(move || some(&shared.to_thread_local(), anchors, part, base, head, means))
                })
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
    base: Option<Base>,
    head: Head,
    means: &Means,
) -> Vec<(usize, Result<Position, LocateError>)> {
    let objects = Objects::new(repo, means.maps.clone());
    let one = |anchor: &Anchor| match &anchor.side {
        Side::New => resolve(&objects, anchor, head),
        Side::Old(old) => locate_deleted(&objects, anchor, old, base, head),
    };
    part.iter().map(|index| (*index, one(&anchors[*index]))).collect()
}
