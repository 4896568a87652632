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
use crate::record::{Anchor, Side};

use super::cache::{MapCache, PositionKey};
use super::deleted::{Base, locate_deleted};
use super::objects::{Entry, ObjectError, Objects};
use super::partial::PartialTree;
use super::position::Position;
use super::quoted::{Documents, locate_quoted};
use super::resolve::{resolve_changed, unchanged};
use super::stop::Stop;

/// The version of the engine; stored with its results, raised whenever an answer can change.
pub const ENGINE_VERSION: u32 = 9;

/// Fewer anchors than this for each thread are not worth starting one.
const ANCHORS_A_THREAD: usize = 64;

/// Fewer anchors than this for each thread are looked up in the tree by one of them.
const SETTLED_A_THREAD: usize = 8_192;

/// So many anchors of one file are located by one thread; more of them are worth comparing it again.
const MAX_SHARE: usize = 1_024;

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
    /// Line maps and positions of earlier runs.
    pub maps: Option<Arc<MapCache>>,
    /// Says when nobody waits for the rest any more.
    pub stop: Stop,
    /// Where to note whether more of the head was looked at than the files that are known.
    pub partial: Option<Arc<PartialTree>>,
}

impl From<NonZeroUsize> for Means {
    /// So many threads, and nothing that outlives the batch.
    fn from(threads: NonZeroUsize) -> Self {
        Self { threads, maps: None, stop: Stop::default(), partial: None }
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
    /// Nobody waits for it any more.
    #[error("nobody waits for it any more")]
    Stopped,
}

/// Locates anchors of any kind in a head, each on its own; results stand in the order of the anchors.
///
/// Quoted words are looked for on the page. Deleted lines are looked for in the base that they were deleted from. The means
/// change nothing but the time it takes. Objects that only `repo`'s handle has in memory are seen
/// with one thread alone.
pub fn locate(
    repo: &gix::Repository,
    anchors: &[impl Borrow<Anchor>],
    head: Head,
    means: impl Into<Means>,
) -> Vec<Result<Position, LocateError>> {
    spread(repo, &borrowed(anchors), None, head, &means.into())
}

/// Locates anchors as [`locate`] does, where the head is compared with a base of its own.
///
/// Deleted lines are looked for there: their positions count lines of `base`.
pub fn locate_change(
    repo: &gix::Repository,
    anchors: &[impl Borrow<Anchor>],
    base: Base,
    head: Head,
    means: impl Into<Means>,
) -> Vec<Result<Position, LocateError>> {
    spread(repo, &borrowed(anchors), Some(base), head, &means.into())
}

fn borrowed(anchors: &[impl Borrow<Anchor>]) -> Vec<&Anchor> {
    anchors.iter().map(Borrow::borrow).collect()
}

/// An anchor that is not settled by a look into the tree, and what stands at its path in the head.
struct Left {
    index: usize,
    here: Option<Entry>,
}

fn spread(
    repo: &gix::Repository,
    anchors: &[&Anchor],
    base: Option<Base>,
    head: Head,
    means: &Means,
) -> Vec<Result<Position, LocateError>> {
    let objects = Objects::noting(repo, means.maps.clone(), means.partial.clone());
    let (mut results, left) = settle_all(repo, &objects, anchors, head.tree, means);
    let shares = shares(anchors, left);
    let count: usize = shares.iter().map(Vec::len).sum();
    let threads = means.threads.get().min(count.div_ceil(ANCHORS_A_THREAD)).min(shares.len());
    if threads <= 1 {
        let documents = Documents::default();
        for Left { index, here } in shares.into_iter().flatten() {
            let located = || once(&objects, &documents, anchors[index], here, base, head);
            results[index] = means.stop.unless(located);
        }
    } else {
        let (shared, objects) = (repo.clone().into_sync(), objects.shares());
        let next = AtomicUsize::new(0);
        let work = || {
            let objects = objects(shared.to_thread_local());
            let documents = Documents::default();
            let mut done = Vec::new();
            while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
                let located =
                    |left: &Left| once(&objects, &documents, anchors[left.index], left.here, base, head);
                done.extend(share.iter().map(|left| (left.index, means.stop.unless(|| located(left)))));
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

/// What became of some anchors, and those of them that are not settled yet; until they are, they count as stopped.
type Settled = (Vec<Result<Position, LocateError>>, Vec<Left>);

/// Settles the anchors in files that did not change, before anything is shared out.
fn settle_all(
    repo: &gix::Repository,
    objects: &Objects,
    anchors: &[&Anchor],
    tree: TreeId,
    means: &Means,
) -> Settled {
    let threads = means.threads.get().min(anchors.len() / SETTLED_A_THREAD);
    if threads <= 1 {
        return settle(objects, anchors, tree, anchors.len());
    }
    let (ours, others) = anchors.split_at(anchors.len().div_ceil(threads));
    let (shared, handle) = (repo.clone().into_sync(), objects.shares());
    std::thread::scope(|scope| {
        let work = |chunk: &[&Anchor]| settle(&handle(shared.to_thread_local()), chunk, tree, chunk.len());
        let workers: Vec<_> =
            others.chunks(ours.len()).map(|chunk| scope.spawn(move || work(chunk))).collect();
        let (mut results, mut left) = settle(objects, ours, tree, anchors.len());
        for worker in workers {
            let more = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let before = results.len();
            left.extend(more.1.into_iter().map(|left| Left { index: before + left.index, ..left }));
            results.extend(more.0);
        }
        (results, left)
    })
}

/// Settles what a look into the tree settles. Comments of one file that stand together cost one look.
///
/// Leaves room for as many results as `room` says.
fn settle(objects: &Objects, anchors: &[&Anchor], tree: TreeId, room: usize) -> Settled {
    let mut seen: HashMap<&RepoPath, Result<Option<Entry>, ObjectError>> = HashMap::new();
    let mut results = Vec::with_capacity(room);
    let mut left = Vec::new();
    for run in anchors.chunk_by(|one, next| one.path == next.path) {
        let path = &run[0].path;
        let look = || objects.entry_once(tree, path.as_bytes());
        match seen.entry(path).or_insert_with(look) {
            Ok(here) => results.extend((results.len()..).zip(run).map(|(index, anchor)| {
                // Quoted words are looked for on their page all the same: their place there is a part of the answer.
                let settled = unchanged(anchor, path, *here).filter(|_| anchor.quote.is_none());
                settled.ok_or_else(|| {
                    left.push(Left { index, here: *here });
                    LocateError::Stopped
                })
            })),
            Err(error) => results.extend(run.iter().map(|_| Err(error.clone().into()))),
        }
    }
    (results, left)
}

/// Cuts anchors into shares; those of one file stay together, so that it is compared once.
fn shares(anchors: &[&Anchor], left: Vec<Left>) -> Vec<Vec<Left>> {
    let mut by_path: HashMap<&RepoPath, usize> = HashMap::new();
    let mut shares: Vec<Vec<Left>> = Vec::new();
    let mut last: Option<(&RepoPath, usize)> = None;
    for left in left {
        let path = &anchors[left.index].path;
        // Comments of one file mostly stand together, and are looked up once.
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

/// Locates one anchor, unless that was done before for this very head.
fn once(
    objects: &Objects,
    documents: &Documents,
    anchor: &Anchor,
    here: Option<Entry>,
    base: Option<Base>,
    head: Head,
) -> Result<Position, LocateError> {
    let locate = || one(objects, documents, anchor, here, base, head);
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

fn one(
    objects: &Objects,
    documents: &Documents,
    anchor: &Anchor,
    here: Option<Entry>,
    base: Option<Base>,
    head: Head,
) -> Result<Position, LocateError> {
    match (&anchor.side, &anchor.quote) {
        (Side::New, None) => resolve_changed(objects, anchor, head, here),
        (Side::New, Some(quote)) => locate_quoted(objects, documents, anchor, quote, head),
        (Side::Old(old), _) => locate_deleted(objects, anchor, old, base, head),
    }
}
