//! Which threads a head sees, kept for as long as nothing that decides it has changed.
//!
//! What is said later changes it for few threads: only those are looked at again. What it was before is known for a
//! while, for who asks what changed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use postil_core::notes::KeptHeads;
use postil_core::record::RecordId;
use postil_core::review::{
    Branches, Following, MAX_SEARCHED_REVIEWS, ShowThreads, ThreadVisibility, Viewpoint, WhyVisible,
};
use postil_protocol::{Advice, Fault, WarningView};

use crate::convert::fault::OrFault as _;
use crate::notes::index::{NotesIndex, NotesVersion};
use crate::notes::subject::threads_of_review;
use crate::repository::hash_of::hash_of;
use crate::repository::state::{RepositoryState, lock};
use crate::request::Request;

/// What is seen is kept for so many heads; the one that was not asked for the longest goes first.
const MAX_SIGHTS: usize = 8;

/// So many missing commits are named.
const MAX_MISSING: usize = 3;

/// Number of earlier states that are kept for each; a client that knows an older one lists everything again.
const MAX_EARLIER: usize = 256;

/// The threads that are seen from somewhere.
#[derive(Clone, Debug)]
pub(crate) struct VisibleThreads {
    version: NotesVersion,
    /// The heads that were kept of reviews: they count for the threads of those alone.
    kept: KeptHeads,
    /// What else decides it.
    pub sight: u64,
    /// Each thread, and why it is seen.
    pub threads: BTreeMap<RecordId, WhyVisible>,
    /// Why more threads may be seen than these, in words: reviews and history that could not be looked at.
    pub unknown: Vec<String>,
    /// How many open reviews were not searched for, because there are too many: their threads may be seen too.
    pub unsearched: usize,
    /// The same of merged reviews.
    pub unsearched_merged: usize,
    /// What was otherwise at earlier versions, the oldest first.
    earlier: VecDeque<EarlierVersion>,
}

#[derive(Clone, Debug)]
struct EarlierVersion {
    version: NotesVersion,
    was: Vec<(RecordId, Option<WhyVisible>)>,
}

impl VisibleThreads {
    /// What was different when the notes were at this version; `None` if that is not known.
    pub fn differences_at(&self, version: NotesVersion) -> Option<BTreeMap<RecordId, Option<WhyVisible>>> {
        let Some(from) = self.earlier.iter().position(|earlier| earlier.version == version) else {
            return (version == self.version).then(BTreeMap::new);
        };
        let later = self.earlier.iter().skip(from).rev();
        Some(later.flat_map(|earlier| earlier.was.iter().copied()).collect())
    }

    /// All that were visible when the notes were at this version; `None` if that is not known.
    pub fn all_at(&self, version: NotesVersion) -> Option<BTreeMap<RecordId, WhyVisible>> {
        let differences = self.differences_at(version)?;
        let mut all = self.threads.clone();
        for (thread, was) in differences {
            match was {
                Some(why) => all.insert(thread, why),
                None => all.remove(&thread),
            };
        }
        Some(all)
    }

    /// Whether everything was decided that can be: what could not be read may be readable by now.
    fn is_decided(&self) -> bool {
        self.unknown.is_empty()
    }

    /// Whether there can be no more. If reviews are too many, each new one may take the place of another.
    pub fn is_whole(&self) -> bool {
        self.is_decided() && self.unsearched == 0 && self.unsearched_merged == 0
    }

    /// Why there may be more, each with what to do.
    pub fn warnings(&self) -> impl Iterator<Item = WarningView> {
        let unknown = self.unknown.iter().cloned();
        let unknown = unknown.map(|what| WarningView { what, advice: Some(Advice::CheckRepository) });
        let unsearched = (self.unsearched > 0).then(|| WarningView {
            what: format!(
                "threads of {} open reviews may be missing: at most {MAX_SEARCHED_REVIEWS} reviews whose branches are \
                 gone are searched for",
                self.unsearched
            ),
            advice: Some(Advice::CloseReviews),
        });
        let merged = (self.unsearched_merged > 0).then(|| WarningView {
            what: format!(
                "threads of {} merged reviews may be missing: it is not recorded how they came here, and at most \
                 {MAX_SEARCHED_REVIEWS} are searched for",
                self.unsearched_merged
            ),
            advice: Some(Advice::ListThreads),
        });
        unknown.chain(unsearched).chain(merged)
    }

    fn is_of(&self, notes: &NotesIndex, branches: &Branches) -> bool {
        self.version == notes.version && self.kept == *branches.kept()
    }

    /// The threads that may be seen otherwise now; `None` if that may be any.
    fn touched_by(&self, notes: &NotesIndex, branches: &Branches) -> Option<BTreeSet<RecordId>> {
        let mut touched = notes.touched_since(self.version)?;
        let (before, after) = (&self.kept.0, &branches.kept().0);
        let reviews: BTreeSet<&RecordId> = before.keys().chain(after.keys()).collect();
        for review in reviews.into_iter().filter(|review| before.get(review) != after.get(review)) {
            touched.extend(threads_of_review(&notes.threads, *review));
        }
        Some(touched)
    }

    /// Takes in what is seen of some threads now.
    fn advance(&mut self, touched: &BTreeSet<RecordId>, now: &ThreadVisibility, version: NotesVersion) {
        let mut was = Vec::new();
        for thread in touched {
            let after = now.threads.get(thread).copied();
            let before = match after {
                Some(why) => self.threads.insert(*thread, why),
                None => self.threads.remove(thread),
            };
            if before != after {
                was.push((*thread, before));
            }
        }
        if self.earlier.len() >= MAX_EARLIER {
            self.earlier.pop_front();
        }
        self.earlier.push_back(EarlierVersion { version: self.version, was });
        self.version = version;
    }
}

/// What decides which threads are seen from somewhere, but for what is kept of single reviews, as a number.
pub(crate) fn sight_of(from: &Viewpoint, branches: &Branches) -> u64 {
    hash_of(&(&from.branch, from.commit, branches.besides_kept()))
}

impl RepositoryState {
    /// The threads that are seen from here.
    pub fn seen(&self, request: &Request, from: &Viewpoint) -> Result<Arc<VisibleThreads>, Fault> {
        let (notes, branches) = (&*request.notes, &request.branches);
        let sight = sight_of(from, branches);
        let known = {
            let mut sights = lock(&self.sights);
            let known = sights.iter().position(|known| known.sight == sight).and_then(|at| sights.remove(at));
            let is_current =
                |known: &&Arc<VisibleThreads>| known.is_decided() && known.is_of(notes, branches);
            if let Some(known) = known.as_ref().filter(is_current) {
                sights.push_back(known.clone());
                return Ok(known.clone());
            }
            known
        };
        let following = Following::new(&request.handle, branches);
        let touched = known.as_ref().and_then(|known| known.touched_by(notes, branches));
        let now = match (known, touched) {
            // A review that could not be looked at may be one that can be now.
            (Some(mut known), Some(touched)) if known.is_whole() => {
                let among = touched.iter().filter_map(|id| notes.threads.thread(*id));
                let sight = following.visible_among(&notes.threads, among, from).or_fault()?;
                let changed = Arc::make_mut(&mut known);
                changed.advance(&touched, &sight, notes.version);
                changed.kept.clone_from(branches.kept());
                changed.unknown = in_words(notes, &sight);
                changed.unsearched = sight.unsearched.len();
                changed.unsearched_merged = sight.unsearched_merged.len();
                known
            }
            _ => {
                let seen = following.visible_from(&notes.threads, from, ShowThreads::Seen).or_fault()?;
                Arc::new(VisibleThreads {
                    version: notes.version,
                    kept: branches.kept().clone(),
                    sight,
                    unknown: in_words(notes, &seen),
                    unsearched: seen.unsearched.len(),
                    unsearched_merged: seen.unsearched_merged.len(),
                    threads: seen.threads,
                    earlier: VecDeque::new(),
                })
            }
        };
        let mut sights = lock(&self.sights);
        sights.retain(|known| known.sight != sight);
        if sights.len() >= MAX_SIGHTS {
            sights.pop_front();
        }
        sights.push_back(now.clone());
        Ok(now)
    }

    /// What was seen where this decided it, if that is known.
    pub fn seen_before(&self, sight: u64) -> Option<Arc<VisibleThreads>> {
        lock(&self.sights).iter().find(|known| known.sight == sight).cloned()
    }
}

fn in_words(notes: &NotesIndex, sight: &ThreadVisibility) -> Vec<String> {
    let missing = (!sight.missing.is_empty()).then(|| {
        let ids: Vec<String> = sight.missing.iter().take(MAX_MISSING).map(ToString::to_string).collect();
        format!("commits of the history are missing: {}", ids.join(", "))
    });
    let unknown = sight.unknown.iter();
    let unknown = unknown.map(|(review, error)| {
        format!("could not check whether review {} is visible here: {error}", notes.prefixes.shorten(*review))
    });
    unknown.chain(missing).collect()
}

/// Counts the threads that the head does not see, if it sees so many.
pub(crate) fn threads_elsewhere(request: &Request, seen: usize) -> u32 {
    u32::try_from(request.notes.threads.iter().len().saturating_sub(seen)).unwrap_or(u32::MAX)
}
