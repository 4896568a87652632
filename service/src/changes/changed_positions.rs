//! Which threads have other positions than at a mark: because of another head, other files on disk, or other
//! visible threads.
//!
//! What was reported at the mark is looked up, not computed again. If it is no longer known, the thread is
//! reported again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use postil_core::git::{CommitId, RepoPath};
use postil_core::record::{PositionEntry, RecordId};
use postil_core::review::{Branches, Thread, WhyVisible};
use postil_protocol::{
    ByteText, Detail, Fault, Freshness, HeadName, MAX_LIST, PlacedAs, PlacedView, ThreadView,
};

use super::records_since::SaidSince;
use super::visible_before::SeenThen;
use crate::changes::earlier_positions::{EarlierPositions, is_on_deleted_lines};
use crate::changes::mark::{MarkParts, PlacesMark};
use crate::files::HeadFiles;
use crate::lists::visible::VisibleThreads;
use crate::positions::applied::suggestions_of;
use crate::positions::in_head::{FilesMark, Looked, positions_of};
use crate::positions::positions_at::PositionsByThread;
use crate::repository::hash_of::hash_of;
use crate::request::{Request, seen_from};
use crate::suggestions::status::add_fates;
use crate::view::passages::add_passages;
use crate::view::signatures::add_signatures;
use crate::view::{self, hex};

/// Where comments are now, from one viewpoint.
pub(crate) struct PlacesNow<'a> {
    request: &'a Request,
    head: HeadFiles<'a>,
    seen: &'a VisibleThreads,
    commit: Option<CommitId>,
    /// All that are seen, where all had to be looked for.
    looked: Option<Looked>,
    /// What has become of suggestions, in files on disk.
    suggestions: BTreeMap<RecordId, u64>,
    /// How the files on disk differ from the commit.
    files: FilesMark,
}

/// What was visible at a mark.
pub(crate) enum SeenBefore {
    /// The same, but for these.
    But(BTreeMap<RecordId, Option<WhyVisible>>),
    /// These threads.
    All(BTreeMap<RecordId, WhyVisible>),
    /// What was worked out.
    Then(SeenThen),
    /// The same, but perhaps for those of which something was said.
    Perhaps,
    /// This process does not know.
    Unknown,
}

impl SeenBefore {
    /// Finds out what was seen at a mark, since which this was said.
    pub fn find(
        request: &Request,
        head: &HeadName,
        seen: &VisibleThreads,
        since: &MarkParts,
        said: &SaidSince,
    ) -> Self {
        let Some(places) = &since.places else { return Self::Perhaps };
        if places.sight == seen.sight {
            return seen.differences_at(since.version).map_or(Self::Perhaps, Self::But);
        }
        let before = request.repository.seen_before(places.sight);
        match before.and_then(|before| before.all_at(since.version)) {
            Some(all) => Self::All(all),
            None => SeenThen::work_out(request, head, places, said).map_or(Self::Unknown, Self::Then),
        }
    }

    /// Where the branches were, if that had to be worked out.
    pub fn branches(&self) -> Option<&Branches> {
        match self {
            Self::Then(then) => Some(&then.branches),
            Self::But(_) | Self::All(_) | Self::Perhaps | Self::Unknown => None,
        }
    }

    /// Whether a thread was seen that is seen now for this reason, if it is.
    pub fn of(&self, thread: RecordId, now: Option<WhyVisible>) -> WasSeen {
        let was = match self {
            Self::But(others) => others.get(&thread).copied().unwrap_or(now),
            Self::All(all) => all.get(&thread).copied(),
            Self::Then(then) if then.doubtful.contains(&thread) => return WasSeen::Unknown,
            Self::Then(then) => then.all.get(&thread).copied(),
            Self::Perhaps | Self::Unknown => return WasSeen::Unknown,
        };
        was.map_or(WasSeen::No, WasSeen::Because)
    }
}

/// Whether a thread was visible at a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WasSeen {
    /// It was, and why.
    Because(WhyVisible),
    /// It was not.
    No,
    /// This process does not know.
    Unknown,
}

impl<'a> PlacesNow<'a> {
    /// Looks around; at all threads only where files on disk count.
    pub fn find(request: &'a Request, head: &HeadName, seen: &'a VisibleThreads) -> Result<Self, Fault> {
        let head = HeadFiles::of(request, head)?;
        let commit = head.commit();
        let (looked, suggestions, files) = (None, BTreeMap::new(), FilesMark::Committed);
        let mut now = Self { request, head, seen, commit, looked, suggestions, files };
        if now.is_work_tree() {
            now.find_all()?;
            now.note_files()?;
        }
        Ok(now)
    }

    /// Locates all threads, so that later moves can be reported relative to this state.
    pub fn prepare(&mut self) -> Result<(), Fault> {
        self.find_all()
    }

    /// What a mark says of this.
    pub fn mark(&self) -> PlacesMark {
        PlacesMark { head: self.commit, sight: self.seen.sight, files: self.files }
    }

    /// The head that places are for.
    pub fn head_view(&self) -> Result<postil_protocol::HeadView, Fault> {
        match &self.looked {
            Some(looked) => Ok(looked.head.clone()),
            None => Ok(positions_of(self.request, &self.head, Freshness::Wait, std::iter::empty())?.head),
        }
    }

    /// Whole threads, as they are now.
    pub fn views(&self, threads: &[Thread<'_>]) -> Result<Vec<ThreadView>, Fault> {
        match &self.looked {
            Some(looked) => self.thread_views(threads, &looked.entries, &self.head),
            None => {
                let looked =
                    positions_of(self.request, &self.head, Freshness::Wait, threads.iter().copied())?;
                self.thread_views(threads, &looked.entries, &self.head)
            }
        }
    }

    /// The threads with other positions than at `then`, by id; without those that are reported as a whole.
    ///
    /// `turned` are those that may have come into view by what was said.
    pub fn since(
        &mut self,
        then: Option<&PlacesMark>,
        before: &SeenBefore,
        earlier: &EarlierPositions,
        told: &BTreeSet<RecordId>,
        turned: &BTreeSet<RecordId>,
    ) -> Result<Vec<PlacedView>, Fault> {
        let mut placed = self.turned(before, earlier, told, turned)?;
        let is_moved = then.is_none_or(|then| then.head != self.commit || self.differs(then.files));
        let is_turned = then.is_some_and(|then| then.sight != self.seen.sight);
        if is_moved {
            self.find_all()?;
        }
        let came: BTreeSet<RecordId> =
            placed.iter().filter_map(|placed| RecordId::from_hex(placed.thread.as_str())).collect();
        let candidates: Vec<Thread<'_>> = self
            .threads_seen()
            .filter(|thread| !told.contains(&thread.id()) && !came.contains(&thread.id()))
            .filter(|thread| is_moved || (is_turned && is_on_deleted_lines(*thread)))
            .collect();
        if is_moved {
            earlier.work_out(self.request, &candidates, before.branches())?;
        }
        let looked = if is_moved {
            None
        } else {
            Some(positions_of(self.request, &self.head, Freshness::Wait, candidates.iter().copied())?)
        };
        let entries = looked.as_ref().or(self.looked.as_ref()).map(|looked| &looked.entries);
        let mut whole: Vec<Thread<'_>> = Vec::new();
        for thread in candidates {
            let entry = entries.and_then(|entries| entries.get(&thread.id()));
            let why = self.seen.threads.get(&thread.id()).copied();
            let same_view = match before.of(thread.id(), why) {
                WasSeen::Because(was) => why == Some(was),
                WasSeen::No => why.is_none(),
                WasSeen::Unknown => true,
            };
            let was = earlier.place(thread);
            let same_place = match (&was, entry) {
                (_, None) => true,
                (Some(was), Some(entry)) => same_position(was, entry),
                (None, Some(_)) => false,
            };
            // What deleted lines were compared with may have been something else.
            let is_sure = !earlier.is_rebased(thread);
            if suggestions_of(thread).next().is_some() {
                if !same_place || !same_view || !self.fares_as(thread, then, earlier)? {
                    whole.push(thread);
                }
            } else if !same_place || !same_view || !is_sure {
                placed.push(self.moved(thread, was.as_deref(), entry.map(AsRef::as_ref)));
            }
        }
        for (thread, view) in whole.iter().zip(self.views(&whole)?) {
            let from = earlier.place(*thread).and_then(|was| view::position_of(*thread, &was));
            let what = if from.is_some() && from == view.position.clone().map(without_page) {
                PlacedAs::Suggestion
            } else {
                PlacedAs::Moved
            };
            placed.push(whole_view(what, from, view));
        }
        placed.sort_by(|one, other| one.thread.cmp(&other.thread));
        Ok(placed)
    }

    /// The threads that became visible or invisible; without those that are reported as a whole.
    fn turned(
        &self,
        before: &SeenBefore,
        earlier: &EarlierPositions,
        told: &BTreeSet<RecordId>,
        turned: &BTreeSet<RecordId>,
    ) -> Result<Vec<PlacedView>, Fault> {
        let now = &self.seen.threads;
        let (mut came, mut left): (BTreeSet<RecordId>, BTreeSet<RecordId>) = Default::default();
        match before {
            SeenBefore::But(others) => {
                for (thread, was) in others {
                    match (was, now.get(thread)) {
                        (None, Some(_)) => _ = came.insert(*thread),
                        (Some(_), None) => _ = left.insert(*thread),
                        _ => {}
                    }
                }
            }
            SeenBefore::All(all) => {
                came.extend(now.keys().filter(|thread| !all.contains_key(thread)));
                left.extend(all.keys().filter(|thread| !now.contains_key(thread)));
            }
            SeenBefore::Then(then) => {
                came.extend(now.keys().filter(|thread| !then.all.contains_key(thread)));
                left.extend(then.all.keys().filter(|thread| !now.contains_key(thread)));
            }
            SeenBefore::Perhaps | SeenBefore::Unknown => {}
        }
        if matches!(before, SeenBefore::Then(_) | SeenBefore::Perhaps) {
            came.extend(turned.iter().filter(|thread| now.contains_key(thread)));
            left.extend(turned.iter().filter(|thread| !now.contains_key(thread)));
        }
        let threads: Vec<Thread<'_>> = came
            .difference(told)
            .filter_map(|thread| self.request.notes.threads.thread(*thread))
            .take(MAX_LIST as usize + 1)
            .collect();
        let views = self.views(&threads)?;
        let mut placed: Vec<PlacedView> =
            views.into_iter().map(|view| whole_view(PlacedAs::Came, None, view)).collect();
        let left = left.difference(told);
        let left: Vec<Thread<'_>> =
            left.filter_map(|thread| self.request.notes.threads.thread(*thread)).collect();
        earlier.work_out(self.request, &left, before.branches())?;
        placed.extend(left.into_iter().map(|thread| PlacedView {
            thread: hex(thread.id()),
            what: PlacedAs::Left,
            from: earlier.place(thread).and_then(|was| view::position_of(thread, &was)),
            to: None,
            seen: None,
            suggestion: None,
            view: None,
        }));
        Ok(placed)
    }

    /// Whether files count that are not committed.
    fn is_work_tree(&self) -> bool {
        *self.head.name() == HeadName::WorkTree
    }

    fn threads_seen(&self) -> impl Iterator<Item = Thread<'a>> {
        let threads = &self.request.notes.threads;
        self.seen.threads.keys().filter_map(|id| threads.thread(*id))
    }

    fn find_all(&mut self) -> Result<(), Fault> {
        if self.looked.is_none() {
            let looked = positions_of(self.request, &self.head, Freshness::Wait, self.threads_seen())?;
            self.looked = Some(looked);
        }
        Ok(())
    }

    /// Finds out how files differ from the commit in what places and suggestions depend on, and keeps that in mind.
    fn note_files(&mut self) -> Result<(), Fault> {
        let Some(looked) = &self.looked else { return Ok(()) };
        let (mut files, moved) = (looked.files, looked.moved.clone());
        self.suggestions = self.fates(&looked.entries)?;
        if !self.suggestions.is_empty() {
            files = FilesMark::Differing(hash_of(&(files_number(files), &self.suggestions)));
        }
        if let FilesMark::Differing(hash) = files {
            let suggestions = self.suggestions.clone();
            self.request.repository.places_seen.keep(self.commit, hash, moved, suggestions);
        }
        self.files = files;
        Ok(())
    }

    /// Whether the files differ from those at the mark.
    fn differs(&self, then: FilesMark) -> bool {
        match then {
            FilesMark::Unseen => self.is_work_tree(),
            then => then != self.files,
        }
    }

    /// What has become of the suggestions of all threads that are seen: a number for each thread that has any.
    fn fates(&self, entries: &PositionsByThread) -> Result<BTreeMap<RecordId, u64>, Fault> {
        let suggesting: Vec<Thread<'_>> =
            self.threads_seen().filter(|thread| suggestions_of(*thread).next().is_some()).collect();
        let views = self.thread_views(&suggesting, entries, &self.head)?;
        Ok(suggesting.iter().map(|thread| thread.id()).zip(views.iter().map(fate_number)).collect())
    }

    /// Whether what a thread suggests fares as it did.
    fn fares_as(
        &self,
        thread: Thread<'_>,
        then: Option<&PlacesMark>,
        earlier: &EarlierPositions,
    ) -> Result<bool, Fault> {
        let Some(then) = then else { return Ok(false) };
        let now = match self.suggestions.get(&thread.id()) {
            Some(now) => *now,
            None => fate_number(&self.views(&[thread])?[0]),
        };
        if let Some(seen) = &earlier.seen {
            return Ok(seen.suggestions.get(&thread.id()) == Some(&now));
        }
        if self.is_work_tree() {
            return Ok(false);
        }
        let (Some(head), Some(was)) = (then.head, earlier.place(thread)) else { return Ok(false) };
        let entries = PositionsByThread::from([(thread.id(), was)]);
        let before = HeadFiles::of(self.request, &HeadName::Rev(head.to_string()))
            .and_then(|files| self.thread_views(&[thread], &entries, &files));
        Ok(before.is_ok_and(|views| views.first().map(fate_number) == Some(now)))
    }

    fn thread_views(
        &self,
        threads: &[Thread<'_>],
        entries: &PositionsByThread,
        files: &HeadFiles<'_>,
    ) -> Result<Vec<ThreadView>, Fault> {
        let notes = &self.request.notes;
        let view = |thread: &Thread<'_>| {
            let entry = entries.get(&thread.id()).map(AsRef::as_ref);
            let why = self.seen.threads.get(&thread.id()).copied();
            view::thread(notes, *thread, entry, why, Detail::Full)
        };
        let mut views: Vec<ThreadView> = threads.iter().map(view).collect();
        add_fates(self.request, files, &mut views, entries, Detail::Full)?;
        add_signatures(self.request, notes, &mut views);
        add_passages(files, &mut views, entries)?;
        Ok(views)
    }

    fn moved(
        &self,
        thread: Thread<'_>,
        was: Option<&PositionEntry>,
        entry: Option<&PositionEntry>,
    ) -> PlacedView {
        let place = |entry: Option<&PositionEntry>| view::position_of(thread, entry?);
        let why = self.seen.threads.get(&thread.id()).copied();
        PlacedView {
            thread: hex(thread.id()),
            what: PlacedAs::Moved,
            from: place(was),
            to: place(entry),
            seen: Some(view::why(why).to_owned()),
            suggestion: None,
            view: None,
        }
    }
}

/// The files on disk that decide where comments are, and what becomes of suggestions.
pub(crate) fn files_that_matter(request: &Request) -> Result<BTreeSet<ByteText>, Fault> {
    let head = HeadName::WorkTree;
    let seen = seen_from(request, &head)?;
    let now = PlacesNow::find(request, &head, &seen)?;
    let at_commit = now.commit.map(|commit| request.repository.placing(commit));
    let mut files = BTreeSet::new();
    let mut add = |path: Option<&RepoPath>| files.extend(path.map(|path| ByteText::new(path.as_bytes())));
    for thread in now.threads_seen() {
        add(thread.anchor().map(|anchor| &anchor.path));
        // Where it is in what is committed it will be again, once the files are what they were.
        let committed = at_commit.as_ref().and_then(|at| at.last_known(thread.id()));
        add(committed.as_ref().and_then(|entry| entry.path.as_ref()));
        let entry = now.looked.as_ref().and_then(|looked| looked.entries.get(&thread.id()));
        add(entry.and_then(|entry| entry.path.as_ref()));
    }
    let suggesting: Vec<Thread<'_>> =
        now.threads_seen().filter(|thread| suggestions_of(*thread).next().is_some()).collect();
    files.extend(now.views(&suggesting)?.into_iter().flat_map(|view| view.depends_on));
    Ok(files)
}

/// Whether a client sees no difference between the two.
fn same_position(one: &Arc<PositionEntry>, other: &Arc<PositionEntry>) -> bool {
    Arc::ptr_eq(one, other)
        || (one.state == other.state
            && one.path == other.path
            && one.range == other.range
            && one.confidence == other.confidence
            && one.reason == other.reason
            && one.source == other.source
            && one.candidates == other.candidates
            && one.message == other.message)
}

fn without_page(mut position: postil_protocol::PositionView) -> postil_protocol::PositionView {
    position.rendered = None;
    position
}

fn whole_view(what: PlacedAs, from: Option<postil_protocol::PositionView>, view: ThreadView) -> PlacedView {
    PlacedView {
        thread: view.id.clone(),
        what,
        from,
        to: view.position.clone(),
        seen: Some(view.seen.clone()),
        suggestion: view.suggestion,
        view: Some(Box::new(view)),
    }
}

fn files_number(files: FilesMark) -> Option<u64> {
    match files {
        FilesMark::Unseen | FilesMark::Committed => None,
        FilesMark::Differing(hash) => Some(hash),
    }
}

/// What has become of what a thread suggests, as a number.
fn fate_number(view: &ThreadView) -> u64 {
    let of_comments: Vec<_> = view.comments.iter().map(|comment| &comment.suggestion).collect();
    // Hashed as text, because a client compares what is shown, word by word.
    hash_of(&format!("{:?}", (view.suggestion, &view.depends_on, of_comments)))
}
