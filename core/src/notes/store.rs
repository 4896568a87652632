//! The store of one repository: reads it, and starts writes.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use super::reading::page_scan::NotesWithoutPurges;
use super::reading::readable_tip::{ReadableExtent, TipToRead, newest_readable, readable_tree};
use super::reading::snapshot::Snapshot;
use super::refs;
use super::writing::write_session::{Checked, WriteSession};
use super::{Batch, Committer, NotesError};
use crate::git::{CommitId, ObjectId, Patience, Repository, history};

/// How often the notes are read, at most, while objects are out of sight.
const LOOKS: usize = 4;

/// The options of a store.
#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    /// How long to wait for other writers.
    pub patience: Patience,
    /// How many threads read notes.
    pub threads: NonZeroUsize,
}

/// The review notes of one repository.
#[derive(Debug)]
pub struct Store {
    repo: Repository,
    options: StoreOptions,
    plain: NotesWithoutPurges,
    /// The last tip that was found to be readable.
    readable: Mutex<Option<CommitId>>,
}

impl Store {
    /// Opens the store without a check; [`Store::check`] makes sure that nothing was lost.
    pub fn new(repo: Repository, options: StoreOptions) -> Self {
        Self { repo, options, plain: NotesWithoutPurges::default(), readable: Mutex::default() }
    }

    /// Opens the store and restores what others have lost.
    pub fn open(
        repo: Repository,
        options: StoreOptions,
        by: &Committer,
    ) -> Result<(Self, Checked), NotesError> {
        let store = Self::new(repo, options);
        let checked = store.check(by)?;
        Ok((store, checked))
    }

    /// The repository.
    pub fn repository(&self) -> &Repository {
        &self.repo
    }

    /// Where the notes ref is.
    pub fn tip(&self) -> Result<Option<CommitId>, NotesError> {
        let found = self.repo.read_ref(&refs::name(refs::NOTES))?;
        Ok(found.map(|id| id.raw().into()))
    }

    /// Returns the notes to read: the tip, the last checked tip if the ref is gone, or the newest notes that can be
    /// read if those at the tip cannot.
    ///
    /// [`Store::check`] moves the ref there, if it may write.
    pub fn notes_to_read(&self) -> Result<TipToRead, NotesError> {
        let Some(tip) = self.tip()? else {
            return Ok(TipToRead { commit: self.read_ref_or_backup(refs::KNOWN)?, unreadable: None });
        };
        if self.is_readable(tip)? {
            return Ok(TipToRead { commit: Some(tip), unreadable: None });
        }
        let commit = newest_readable(&self.repo, &self.repo.handle(), tip, ReadableExtent::Top);
        Ok(TipToRead { commit, unreadable: Some(tip) })
    }

    /// As [`Store::notes_to_read`], the commit alone.
    pub fn tip_to_read(&self) -> Result<Option<CommitId>, NotesError> {
        Ok(self.notes_to_read()?.commit)
    }

    /// Whether the commit and the tree of these notes can be read; costs nothing if it is the one of the last time.
    fn is_readable(&self, tip: CommitId) -> Result<bool, NotesError> {
        let mut last = self.readable.lock().unwrap_or_else(PoisonError::into_inner);
        if *last == Some(tip) {
            return Ok(true);
        }
        let mut looks = 1;
        let mut found = readable_tree(&self.repo.handle(), tip);
        // A `git gc` that moves objects hides them for a moment.
        while let Err(object) = found
            && looks < LOOKS
            && self.repo.lacking([object])?.is_empty()
        {
            looks += 1;
            found = readable_tree(&self.repo.stage()?, tip);
        }
        *last = found.is_ok().then_some(tip);
        Ok(found.is_ok())
    }

    /// Reads every record.
    ///
    /// Writes nothing and takes no lock. Costs one read of each note, on several threads.
    pub fn read(&self) -> Result<Snapshot, NotesError> {
        let mut looks = 1;
        let mut snapshot = self.read_through(&self.repo.handle());
        // A `git gc` that moves objects meanwhile hides them from whoever looks, and not for long.
        while looks < LOOKS && self.is_doubtful(&snapshot)? {
            looks += 1;
            // What was readable may not be any more, and what is gone may have been kept.
            self.repo.restore_kept(&[]);
            *self.readable.lock().unwrap_or_else(PoisonError::into_inner) = None;
            snapshot = self.read_through(&self.repo.stage()?);
        }
        snapshot
    }

    fn read_through(&self, handle: &gix::Repository) -> Result<Snapshot, NotesError> {
        let Some(tip) = self.tip_to_read()? else { return Ok(Snapshot::default()) };
        let tree = history::commit(handle, tip)?.tree;
        Snapshot::read(handle, self.options.threads, tip, tree)
    }

    /// Whether reading again may give more.
    fn is_doubtful(&self, snapshot: &Result<Snapshot, NotesError>) -> Result<bool, NotesError> {
        match snapshot {
            Err(error) => Ok(error.may_pass()),
            Ok(snapshot) => {
                let missed: Vec<ObjectId> = snapshot.damage().missed().collect();
                Ok(self.repo.lacking(missed.iter().copied())?.len() < missed.len())
            }
        }
    }

    /// Restores what the notes ref has lost since it was last checked.
    ///
    /// A ref that did not move costs two reads of refs and takes no lock.
    pub fn check(&self, by: &Committer) -> Result<Checked, NotesError> {
        self.check_within(self.options.patience, by)
    }

    /// As [`Store::check`], with another time limit: a reader does not wait long for a writer.
    pub fn check_within(&self, patience: Patience, by: &Committer) -> Result<Checked, NotesError> {
        self.repo.restore_recent();
        // One that cannot be read is as good as none: then everything is checked.
        let known = self.repo.read_ref(&refs::name(refs::KNOWN)).unwrap_or_default();
        if let Ok(tip) = self.tip() {
            // Where neither is, both may have been deleted.
            let is_known = known.map(|id| id.raw().into()) == tip;
            let is_whole = match tip {
                Some(tip) => is_known && self.is_readable(tip)?,
                None => is_known && self.read_ref_or_backup(refs::KNOWN)?.is_none(),
            };
            if is_whole {
                return Ok(Checked { tip, ..Checked::default() });
            }
        }
        let options = StoreOptions { patience, ..self.options };
        let mut session = WriteSession::begin(&self.repo, &self.plain, options, by)?;
        session.retry(|_, checked| Ok(checked))
    }

    /// As [`Store::check`], for all of the history, also what was checked before.
    ///
    /// For use after missing parts of it were fetched. Costs one tree diff for each commit of the notes.
    pub fn check_all(&self, by: &Committer) -> Result<Checked, NotesError> {
        self.repo.restore_kept(&[]);
        self.session(by)?.retry(WriteSession::check_all)
    }

    /// Whether a shallow fetch has cut off the history of the notes.
    pub fn is_cut_off(&self) -> Result<bool, NotesError> {
        let tip = self.tip_to_read()?;
        Ok(tip.map(|tip| history::is_cut_off(&self.repo.handle(), tip)).transpose()?.unwrap_or(false))
    }

    /// Starts a group of records that are written together.
    pub fn batch(&self) -> Batch<'_> {
        Batch::new(self)
    }

    pub(super) fn options(&self) -> StoreOptions {
        self.options
    }

    pub(super) fn session(&self, by: &Committer) -> Result<WriteSession<'_>, NotesError> {
        WriteSession::begin(&self.repo, &self.plain, self.options, by)
    }
}
