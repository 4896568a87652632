//! The store of one repository: reading it, and beginning to write.

use std::num::NonZeroUsize;

use super::session::{Checked, Session};
use super::snapshot::Snapshot;
use super::upkeep::Plain;
use super::{Batch, Committer, NotesError, refs};
use crate::git::{CommitId, ObjectId, Patience, Repository, history};

/// So often the notes are read, at most, while something in them is out of sight.
const LOOKS: usize = 4;

/// How a store does its work.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long to wait for other writers.
    pub patience: Patience,
    /// How many threads read notes.
    pub threads: NonZeroUsize,
}

/// The review notes of one repository.
#[derive(Debug)]
pub struct Store {
    repo: Repository,
    options: Options,
    plain: Plain,
}

impl Store {
    /// Opens the store without looking at it; [`Store::check`] makes sure that nothing was lost.
    pub fn new(repo: Repository, options: Options) -> Self {
        Self { repo, options, plain: Plain::default() }
    }

    /// Opens the store and brings back what others have lost.
    pub fn open(repo: Repository, options: Options, by: &Committer) -> Result<(Self, Checked), NotesError> {
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

    /// The notes that a reader sees: where their ref is gone, those that were there when it was last checked.
    ///
    /// [`Store::check`] brings the ref back, where it may write.
    pub fn tip_to_read(&self) -> Result<Option<CommitId>, NotesError> {
        self.tip()?.map_or_else(|| self.recall(refs::KNOWN), |tip| Ok(Some(tip)))
    }

    /// Reads every record.
    ///
    /// Writes nothing and takes no lock. Costs one read of each note, spread over threads.
    pub fn read(&self) -> Result<Snapshot, NotesError> {
        let mut looks = 1;
        let mut snapshot = self.read_through(&self.repo.handle());
        // A `git gc` that moves objects meanwhile hides them from whoever looks, and not for long.
        while looks < LOOKS && self.is_doubtful(&snapshot)? {
            looks += 1;
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

    /// Brings back what the notes ref has lost since it was last checked.
    ///
    /// A ref that did not move costs two reads of refs and takes no lock.
    pub fn check(&self, by: &Committer) -> Result<Checked, NotesError> {
        self.check_within(self.options.patience, by)
    }

    /// As [`Store::check`], with another patience: whoever only reads does not wait long for somebody who writes.
    pub fn check_within(&self, patience: Patience, by: &Committer) -> Result<Checked, NotesError> {
        // One that cannot be read is as good as none: then everything is checked.
        let known = self.repo.read_ref(&refs::name(refs::KNOWN)).unwrap_or_default();
        if let Ok(tip) = self.tip() {
            // Where neither is, both may have been deleted.
            let is_known = known.map(|id| id.raw().into()) == tip;
            if is_known && (tip.is_some() || self.recall(refs::KNOWN)?.is_none()) {
                return Ok(Checked { tip, ..Checked::default() });
            }
        }
        let options = Options { patience, ..self.options };
        let mut session = Session::begin(&self.repo, &self.plain, options, by)?;
        session.retry(|_, checked| Ok(checked))
    }

    /// As [`Store::check`], for all of the history, whether it was checked before or not.
    ///
    /// For who has just got parts of it that were missing. Costs one tree diff for each commit of the notes.
    pub fn check_all(&self, by: &Committer) -> Result<Checked, NotesError> {
        self.session(by)?.retry(Session::check_all)
    }

    /// Whether a shallow fetch has cut off the history of the notes.
    pub fn is_cut_off(&self) -> Result<bool, NotesError> {
        let tip = self.tip()?;
        Ok(tip.map(|tip| history::is_cut_off(&self.repo.handle(), tip)).transpose()?.unwrap_or(false))
    }

    /// Begins a group of records that are written together.
    pub fn batch(&self) -> Batch<'_> {
        Batch::new(self)
    }

    pub(super) fn options(&self) -> Options {
        self.options
    }

    pub(super) fn session(&self, by: &Committer) -> Result<Session<'_>, NotesError> {
        Session::begin(&self.repo, &self.plain, self.options, by)
    }
}
