//! One repository that the service works on: its store, what its notes say, and where its comments are.
//!
//! Every computed value is kept together with what it was computed from, so reading two refs is enough to see
//! whether it is still valid. Locks are held for lookups, but never while something is computed for another
//! request.

use std::collections::{BTreeSet, VecDeque};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use postil_core::anchoring::MapCache;
use postil_core::git::{CommitId, ConfigScope, Patience, Repository};
use postil_core::notes::{Checked, NotesError, Store, StoreOptions};
use postil_core::record::Timestamp;
use postil_protocol::Fault;

use super::cache_sweep::Sweeping;
use super::id_list::IdList;
use super::looked_heads::LookedHeads;
use super::person::committer;
use crate::changes::reported_positions::KnownPlaces;
use crate::convert::fault::OrFault as _;
use crate::lists::list_cache::ListCache;
use crate::lists::visible::VisibleThreads;
use crate::methods::diff::KnownComparisons;
use crate::notes::delta::NotesDelta;
use crate::notes::index::{NotesIndex, NotesVersion};
use crate::positions::applied::KnownWritten;
use crate::positions::positions_at::PositionsAt;
use crate::reviews::follow_up::FollowUp;
use crate::sharing::ComparedNotes;
use crate::suggestions::status::KnownFates;
use crate::trust::Checker;
use crate::writing::sign::Signer;

/// Positions are kept for so many heads; the one that was not asked for the longest goes first.
const MAX_HEADS: usize = 8;

/// How long a reader waits for a writer before it reads what is there.
const TENDING: Duration = Duration::from_millis(250);

/// How a service does its work.
#[derive(Clone, Copy, Debug)]
pub struct ServiceOptions {
    /// How long to wait for other writers.
    pub patience: Patience,
    /// How many threads one request may use.
    pub threads: NonZeroUsize,
    /// Which configuration counts besides the repository's own.
    pub settings: ConfigScope,
}

/// Notes that have all that was ever said in them.
#[derive(Debug)]
pub struct Healed {
    /// Where they are now.
    pub tip: Option<CommitId>,
    /// What was looked at and brought back; `None` if they are as they were left.
    pub checked: Option<Checked>,
}

/// Where the notes were when they were last looked after, if they were anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tended(Option<CommitId>);

/// One repository that the service works on, with all its work trees.
#[derive(Debug)]
pub(crate) struct RepositoryState {
    /// The notes.
    pub store: Store,
    /// How much of the machine may be used.
    pub options: ServiceOptions,
    /// Signs new records; `None` in the daemon.
    pub signer: Option<Arc<dyn Signer>>,
    /// What knows whether signatures hold.
    pub checker: Checker,
    /// What was written here.
    pub here: IdList,
    /// What its person has read of others.
    pub read: IdList,
    /// The versions of reviews that the person of this repository has looked at.
    pub looked: LookedHeads,
    /// Line maps of earlier runs.
    pub maps: Arc<MapCache>,
    tended: Mutex<Option<Tended>>,
    notes: Mutex<Option<Arc<NotesIndex>>>,
    reading: Mutex<()>,
    placings: Mutex<VecDeque<Arc<PositionsAt>>>,
    /// How the notes differ from those of remotes, as far as that was computed.
    pub compared: ComparedNotes,
    /// What changed between two contents of files, as far as that was computed.
    pub comparisons: KnownComparisons,
    /// What has become of suggestions, as far as that was computed.
    pub fates: KnownFates,
    /// What suggestions wrote, as far as that was computed.
    pub written: KnownWritten,
    /// Lists that were asked for already.
    pub lists: ListCache,
    /// The visible threads, for the viewpoints that were used last.
    pub sights: Mutex<VecDeque<Arc<VisibleThreads>>>,
    /// Positions in files on disk, as they were reported.
    pub places_seen: KnownPlaces,
    /// When the cache was swept, and whether that is due.
    pub sweeping: Mutex<Sweeping>,
    /// Tips of branches under review whose positions were written.
    pub settled: Mutex<BTreeSet<CommitId>>,
    /// What was last found out about open reviews.
    pub follow_up: Mutex<Option<Arc<FollowUp>>>,
}

impl RepositoryState {
    /// Opens the store of a repository that was opened by its common directory.
    pub fn new(repo: Repository, options: ServiceOptions, signer: Option<Arc<dyn Signer>>) -> Self {
        let maps = Arc::new(MapCache::open(repo.common_dir()));
        let checker = Checker::new(repo.common_dir(), options.threads);
        let here = IdList::written_here(repo.common_dir());
        let read = IdList::read_here(repo.common_dir());
        let looked = LookedHeads::of(repo.common_dir());
        let store = Store::new(repo, StoreOptions { patience: options.patience, threads: options.threads });
        Self {
            store,
            options,
            signer,
            checker,
            here,
            read,
            looked,
            maps,
            tended: Mutex::default(),
            notes: Mutex::default(),
            reading: Mutex::default(),
            placings: Mutex::default(),
            compared: ComparedNotes::default(),
            comparisons: KnownComparisons::default(),
            fates: KnownFates::default(),
            written: KnownWritten::default(),
            lists: ListCache::default(),
            sights: Mutex::default(),
            places_seen: KnownPlaces::default(),
            sweeping: Mutex::default(),
            settled: Mutex::default(),
            follow_up: Mutex::default(),
        }
    }

    /// Brings back what other programs took out of the notes, if they moved since that was last done.
    ///
    /// A daemon does this on its own a moment later, but a request in between must not miss anything.
    pub fn heal_if_moved(&self, now: Timestamp) {
        // It is read as it is, and tried again; `status` and `doctor` say what is missing.
        if let Err(error) = self.heal(now, TENDING) {
            tracing::debug!(%error, "could not check the notes");
        }
    }

    /// The same, for a caller that wants to know; waits for other writers no longer than this.
    pub fn heal(&self, now: Timestamp, patience: Duration) -> Result<Healed, NotesError> {
        let by = committer(self.store.repository(), now);
        if self.store.open_merge().is_some() {
            // Nothing is moved meanwhile, and it is looked after when that is over.
            *lock(&self.tended) = None;
            return Ok(Healed { tip: self.store.tip()?, checked: None });
        }
        self.store.publish_waiting(&by)?;
        if let Ok(tip) = self.store.tip()
            && *lock(&self.tended) == Some(Tended(tip))
        {
            return Ok(Healed { tip, checked: None });
        }
        let patience = Patience::new(patience, thread::sleep);
        let checked = self.store.check_within(patience, &by)?;
        *lock(&self.tended) = Some(Tended(checked.tip));
        Ok(Healed { tip: checked.tip, checked: Some(checked) })
    }

    /// Where the notes and the drafts are now; whether all of them is here is not looked at.
    pub fn version(&self) -> Result<NotesVersion, Fault> {
        let notes = self.store.tip_to_read().or_fault()?;
        Ok(NotesVersion { notes, drafts: self.store.drafts_tip().or_fault()?, lacking: 0 })
    }

    /// What the notes say now; where they moved, what is new is read.
    pub fn notes(&self) -> Result<Arc<NotesIndex>, Fault> {
        let version = self.version()?;
        if let Some(notes) = self.last_book().filter(|notes| self.is_current(notes, version)) {
            return Ok(notes);
        }
        // Of several that find it old, one reads and the others take what it read.
        let _reading = lock(&self.reading);
        let version = self.version()?;
        if let Some(notes) = self.last_book().filter(|notes| self.is_current(notes, version)) {
            return Ok(notes);
        }
        if let Some(notes) = self.supplemented(version) {
            return Ok(notes);
        }
        let notes = Arc::new(NotesIndex::read(&self.store, version, self.options.threads)?);
        *lock(&self.notes) = Some(notes.clone());
        Ok(notes)
    }

    fn is_current(&self, notes: &NotesIndex, version: NotesVersion) -> bool {
        notes.version.is_at_refs_of(&version) && notes.lacks_the_same(&self.store)
    }

    /// The kept index, with the new records of this version added; the caller holds the lock for reading.
    fn supplemented(&self, version: NotesVersion) -> Option<Arc<NotesIndex>> {
        let supplement = NotesDelta::find(&*self.last_book()?, &self.store, version)?;
        // Only this function replaces it; it may have been dropped meanwhile.
        let mut notes = lock(&self.notes);
        let notes = notes.as_mut()?;
        // It is copied if a request still uses it, which is cheap, because comments are shared.
        Arc::make_mut(notes).take_in(&supplement);
        Some(notes.clone())
    }

    /// What the notes said when they were last read; `None` before that.
    pub fn last_book(&self) -> Option<Arc<NotesIndex>> {
        lock(&self.notes).clone()
    }

    /// Where comments are at a commit, as far as that was computed.
    pub fn placing(&self, head: CommitId) -> Arc<PositionsAt> {
        let mut placings = lock(&self.placings);
        if let Some(at) = placings.iter().position(|placing| placing.head() == head) {
            let placing = placings.remove(at).expect("the place was found just now");
            placings.push_back(placing.clone());
            return placing;
        }
        if placings.len() >= MAX_HEADS {
            placings.pop_front();
        }
        let placing = Arc::new(PositionsAt::new(head));
        placings.push_back(placing.clone());
        placing
    }

    /// The positions that were last worked on at another head, to be shown while new ones are computed.
    pub fn placing_before(&self, head: CommitId) -> Option<Arc<PositionsAt>> {
        lock(&self.placings)
            .iter()
            .rev()
            .find(|placing| placing.head() != head && !placing.is_empty())
            .cloned()
    }

    /// Writes down what was computed and is kept on disk, without what no comment needs any more.
    pub fn save(&self) {
        self.sweep_if_due();
        self.maps.flush();
    }

    /// Gives memory back: everything that can be computed again.
    pub fn forget(&self) {
        *lock(&self.notes) = None;
        lock(&self.placings).clear();
        self.comparisons.forget();
        self.fates.forget();
        self.written.forget();
        self.lists.forget();
        lock(&self.sights).clear();
        self.places_seen.forget();
        *lock(&self.follow_up) = None;
        lock(&self.settled).clear();
        self.maps.flush();
    }
}

/// Takes a lock. After a panic in another thread the value is still whole, because values are only ever
/// replaced.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
