//! Locates many anchors in a head at once.
//!
//! How one anchor is located is `resolve`'s work, for deleted lines `deleted`'s and for quotes `quoted`'s;
//! here they are spread over threads.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::git::{CommitId, RepoPath, TreeId};
use crate::record::{Anchor, AnchorSide};

use super::cache::{MapCache, PositionKey};
use super::deleted::{Base, locate_deleted};
use super::partial_tree::PartialTree;
use super::position::Position;
use super::quoted::{Documents, locate_quoted};
use super::repository::objects::{ObjectError, Objects, PathEntry};
use super::resolve::{resolve_changed, unchanged};
use super::stop::Stop;

/// The version of the engine; stored with its results, raised whenever an answer can change.
pub const ENGINE_VERSION: u32 = 10;

/// Fewer anchors than this for each thread are not worth starting one.
const ANCHORS_A_THREAD: usize = 64;

/// Fewer anchors than this for each thread are looked up in the tree by one of them.
const LOOKED_UP_A_THREAD: usize = 8_192;

/// How many anchors of one file are located by one thread; more of them are worth comparing it again.
const MAX_SHARE: usize = 1_024;

/// What positions are computed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its files.
    pub tree: TreeId,
    /// The commit whose tree it is, or upon which it is being made; `None` without history.
    pub commit: Option<CommitId>,
}

/// What a batch may use; none of it changes a position.
#[derive(Clone, Debug)]
pub struct LocateOptions {
    /// How many threads work.
    pub threads: NonZeroUsize,
    /// Line maps and positions of earlier runs.
    pub maps: Option<Arc<MapCache>>,
    /// Set when the rest is not wanted any more.
    pub stop: Stop,
    /// Notes whether more of the head was looked at than the files that are known.
    pub partial: Option<Arc<PartialTree>>,
}

impl From<NonZeroUsize> for LocateOptions {
    /// This many threads, and nothing that outlives the batch.
    fn from(threads: NonZeroUsize) -> Self {
        Self { threads, maps: None, stop: Stop::default(), partial: None }
    }
}

/// Why one anchor could not be located; others are not affected.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LocateError {
    /// The head or what leads to it could not be read.
    #[error("could not read HEAD")]
    Read {
        /// What was missing.
        #[from]
        source: ObjectError,
    },
    /// The batch was stopped.
    #[error("the request was cancelled")]
    Stopped,
}

/// Locates anchors of any kind in a head, each on its own; results are in the order of the anchors.
///
/// Quoted words are looked for on the page. Deleted lines are looked for in the base that they were deleted from. The options
/// change nothing but the time it takes. Objects that only `repo`'s handle has in memory are seen
/// with one thread only.
pub fn locate(
    repo: &gix::Repository,
    anchors: &[impl Borrow<Anchor>],
    head: Head,
    options: impl Into<LocateOptions>,
) -> Vec<Result<Position, LocateError>> {
    locate_all(repo, &borrowed(anchors), None, head, &options.into())
}

/// Locates anchors as [`locate`] does, for a head that is compared with a base of its own.
///
/// Deleted lines are looked for there: their positions count lines of `base`.
pub fn locate_change(
    repo: &gix::Repository,
    anchors: &[impl Borrow<Anchor>],
    base: Base,
    head: Head,
    options: impl Into<LocateOptions>,
) -> Vec<Result<Position, LocateError>> {
    locate_all(repo, &borrowed(anchors), Some(base), head, &options.into())
}

fn borrowed(anchors: &[impl Borrow<Anchor>]) -> Vec<&Anchor> {
    anchors.iter().map(Borrow::borrow).collect()
}

/// An anchor whose file is not the same in the tree, and what is at its path in the head.
struct UnresolvedAnchor {
    index: usize,
    here: Option<PathEntry>,
}

fn locate_all(
    repo: &gix::Repository,
    anchors: &[&Anchor],
    base: Option<Base>,
    head: Head,
    options: &LocateOptions,
) -> Vec<Result<Position, LocateError>> {
    let objects = Objects::noting(repo, options.maps.clone(), options.partial.clone());
    let (mut results, left) = look_up_all(repo, &objects, anchors, head.tree, options);
    let shares = shares(anchors, left);
    let count: usize = shares.iter().map(Vec::len).sum();
    let threads = options.threads.get().min(count.div_ceil(ANCHORS_A_THREAD)).min(shares.len());
    if threads <= 1 {
        let documents = Documents::default();
        for UnresolvedAnchor { index, here } in shares.into_iter().flatten() {
            let located = || locate_cached(&objects, &documents, anchors[index], here, base, head);
            results[index] = options.stop.unless(located);
        }
    } else {
        let (shared, objects) = (repo.clone().into_sync(), objects.shares());
        let next = AtomicUsize::new(0);
        let work = || {
            let objects = objects(shared.to_thread_local());
            let documents = Documents::default();
            let mut done = Vec::new();
            while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
                let located = |left: &UnresolvedAnchor| {
                    locate_cached(&objects, &documents, anchors[left.index], left.here, base, head)
                };
                done.extend(share.iter().map(|left| (left.index, options.stop.unless(|| located(left)))));
            }
            done
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            for worker in workers {
                let done = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                for (index, result) in done {
                    results[index] = result;
                }
            }
        });
    }
    results
}

/// The positions of some anchors, and the anchors without one yet; until they have one, they count as stopped.
type LookedUp = (Vec<Result<Position, LocateError>>, Vec<UnresolvedAnchor>);

/// Looks up the anchors in files that did not change, before work is divided among threads.
fn look_up_all(
    repo: &gix::Repository,
    objects: &Objects,
    anchors: &[&Anchor],
    tree: TreeId,
    options: &LocateOptions,
) -> LookedUp {
    let threads = options.threads.get().min(anchors.len() / LOOKED_UP_A_THREAD);
    if threads <= 1 {
        return look_up(objects, anchors, tree, anchors.len());
    }
    let (ours, others) = anchors.split_at(anchors.len().div_ceil(threads));
    let (shared, handle) = (repo.clone().into_sync(), objects.shares());
    std::thread::scope(|scope| {
        let work = |chunk: &[&Anchor]| look_up(&handle(shared.to_thread_local()), chunk, tree, chunk.len());
        let workers: Vec<_> =
            others.chunks(ours.len()).map(|chunk| scope.spawn(move || work(chunk))).collect();
        let (mut results, mut left) = look_up(objects, ours, tree, anchors.len());
        for worker in workers {
            let more = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let before = results.len();
            left.extend(
                more.1.into_iter().map(|left| UnresolvedAnchor { index: before + left.index, ..left }),
            );
            results.extend(more.0);
        }
        (results, left)
    })
}

/// Finds the anchors whose file is the same in the tree. Comments of one file that are together cost one look.
///
/// Leaves room for as many results as `room` says.
fn look_up(objects: &Objects, anchors: &[&Anchor], tree: TreeId, room: usize) -> LookedUp {
    let mut seen: HashMap<&RepoPath, Result<Option<PathEntry>, ObjectError>> = HashMap::new();
    let mut results = Vec::with_capacity(room);
    let mut left = Vec::new();
    for run in anchors.chunk_by(|one, next| one.path == next.path) {
        let path = &run[0].path;
        let look = || objects.entry_once(tree, path.as_bytes());
        match seen.entry(path).or_insert_with(look) {
            Ok(here) => results.extend((results.len()..).zip(run).map(|(index, anchor)| {
                // Quoted words are looked for on their page all the same: their place there is a part of the answer.
                let found = unchanged(anchor, path, *here).filter(|_| anchor.quote.is_none());
                found.ok_or_else(|| {
                    left.push(UnresolvedAnchor { index, here: *here });
                    LocateError::Stopped
                })
            })),
            Err(error) => results.extend(run.iter().map(|_| Err(error.clone().into()))),
        }
    }
    (results, left)
}

/// Cuts anchors into shares; those of one file stay together, so that it is compared once.
fn shares(anchors: &[&Anchor], left: Vec<UnresolvedAnchor>) -> Vec<Vec<UnresolvedAnchor>> {
    let mut by_path: HashMap<&RepoPath, usize> = HashMap::new();
    let mut shares: Vec<Vec<UnresolvedAnchor>> = Vec::new();
    let mut last: Option<(&RepoPath, usize)> = None;
    for left in left {
        let path = &anchors[left.index].path;
        // Comments of one file mostly are together, and are looked up once.
        let mut share = match last {
            Some((of, share)) if of == path => share,
            _ => *by_path.entry(path).or_insert(shares.len()),
        };
        if share == shares.len() || shares[share].len() >= MAX_SHARE {
            share = shares.len();
            shares.push(Vec::new());
            by_path.insert(path, share);
        }
        last = Some((path, share));
        shares[share].push(left);
    }
    shares
}

/// Locates one anchor, or takes its position for this head from the cache.
fn locate_cached(
    objects: &Objects,
    documents: &Documents,
    anchor: &Anchor,
    here: Option<PathEntry>,
    base: Option<Base>,
    head: Head,
) -> Result<Position, LocateError> {
    let locate = || locate_one(objects, documents, anchor, here, base, head);
    // What is kept has no room for a place on a page, and does not say what was looked at.
    let cached = objects.cached().filter(|_| anchor.quote.is_none() && !objects.is_partial());
    let known = cached.and_then(|cached| Some((cached, PositionKey::new(anchor, head)?)));
    let Some((cached, key)) = known else { return locate() };
    if let Some(known) = cached.position(&key) {
        return Ok(known);
    }
    let position = locate()?;
    // Where an object is missing, there may be more to go by tomorrow.
    let has_all = anchor.blob.is_some_and(|blob| objects.text(blob).is_ok())
        && anchor.commit.is_none_or(|commit| objects.commit(commit).is_ok());
    if has_all {
        cached.put_position(&key, &position);
    }
    Ok(position)
}

fn locate_one(
    objects: &Objects,
    documents: &Documents,
    anchor: &Anchor,
    here: Option<PathEntry>,
    base: Option<Base>,
    head: Head,
) -> Result<Position, LocateError> {
    match (&anchor.side, &anchor.quote) {
        (AnchorSide::New, None) => resolve_changed(objects, anchor, head, here),
        (AnchorSide::New, Some(quote)) => locate_quoted(objects, documents, anchor, quote, head),
        (AnchorSide::Old(old), _) => locate_deleted(objects, anchor, old, base, head),
    }
}
