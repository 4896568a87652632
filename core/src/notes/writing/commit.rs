//! Makes notes commits, and moves refs to them: objects on disk first, then the notes ref, then the ref of the last
//! checked tip.
//!
//! What goes into a commit is decided elsewhere.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gix::objs::Write as _;

use super::addition::Addition;
use super::write_session::WriteSession;
use crate::git::{
    CommitId, Durability, LogEntry, Moved, ObjectId, RefUpdate, StoredObjects, TreeId, WriteError, history,
};
use crate::notes::refs;
use crate::notes::{NotesError, Store};

/// How long a writer waits for the ref of the last checked tip, which only stock git can hold: not for long, since
/// a tip that is not remembered is only checked again.
const PATIENCE_TO_REMEMBER: Duration = Duration::from_millis(100);

/// How often objects are stored again that were removed while they were written.
const STORES: usize = 8;

impl WriteSession<'_> {
    /// Commits `addition` on top of `tree`; `None` if nothing of it is new.
    pub fn add(
        &mut self,
        addition: &Addition,
        tree: Option<TreeId>,
        parents: &[CommitId],
        message: &str,
    ) -> Result<Option<CommitId>, NotesError> {
        if addition.is_empty() {
            return Ok(None);
        }
        let new = addition.apply_with_purges(&self.repo, self.reader(), tree)?;
        if Some(new) == tree {
            return Ok(None);
        }
        self.commit(new, parents, parents.first().copied(), message).map(Some)
    }

    /// Makes a commit of `tree` and moves the notes ref from `from` to it.
    pub fn commit(
        &mut self,
        tree: TreeId,
        parents: &[CommitId],
        from: Option<CommitId>,
        message: &str,
    ) -> Result<CommitId, NotesError> {
        let commit = self.new_commit(tree, parents, message)?;
        let subject = message.lines().next().unwrap_or_default();
        self.advance(from, commit, subject)?;
        Ok(commit)
    }

    /// Moves the notes ref to a commit of somebody else.
    pub fn fast_forward(&mut self, from: Option<CommitId>, to: CommitId) -> Result<(), NotesError> {
        self.advance(from, to, "postil: fast-forward")
    }

    /// Remembers a tip that has lost nothing as checked.
    pub fn approve(&mut self, tip: CommitId) -> Result<(), NotesError> {
        let commits = self.maybe_unsynced(tip)?;
        self.store(&commits)?.release(&mut self.lock)?;
        self.remember(tip);
        Ok(())
    }

    /// Moves one of the local refs to a new commit of `tree`.
    pub fn move_local_ref(
        &mut self,
        name: &str,
        from: Option<CommitId>,
        tree: TreeId,
        parents: &[CommitId],
        message: &str,
    ) -> Result<(), NotesError> {
        let commit = self.new_commit(tree, parents, message)?;
        self.store_and_move(&[commit], (name, commit), |session| {
            session.begin_swap(name, from, Some(commit), message, Durability::Synced)
        })
    }

    fn new_commit(&self, tree: TreeId, parents: &[CommitId], message: &str) -> Result<CommitId, NotesError> {
        let by = gix::actor::Signature::from(self.by.signature());
        // A NUL ends a message for git, and git ends every message with a newline.
        let message = format!("{}\n", message.replace('\0', "").trim_end());
        let commit = gix::objs::Commit {
            message: message.into(),
            tree: tree.raw(),
            author: by.clone(),
            committer: by,
            encoding: None,
            parents: parents.iter().map(|parent| parent.raw()).collect(),
            extra_headers: Vec::new(),
        };
        self.repo.objects.write(&commit).map(CommitId::from).map_err(NotesError::write_tree)
    }

    /// Puts the new commits up to `to` on disk, then moves the notes ref there.
    fn advance(&mut self, from: Option<CommitId>, to: CommitId, log: &str) -> Result<(), NotesError> {
        Store::refuse_open_merge(self.repository())?;
        let commits = self.maybe_unsynced(to)?;
        self.store_and_move(&commits, (refs::NOTES, to), |session| {
            session.begin_move_notes(from, Some(to), log)
        })
    }

    /// The ancestors of `tip` that may not be on disk yet: stock git does not wait for the disk.
    fn maybe_unsynced(&mut self, tip: CommitId) -> Result<Vec<CommitId>, NotesError> {
        let known = self.known_here()?;
        let parents = history::commit(&self.repo, tip)?.parents;
        if known.is_some() && parents.iter().all(|parent| Some(*parent) == known) {
            return Ok(vec![tip]);
        }
        Ok(history::between(&self.repo, known, tip)?.commits)
    }

    /// Puts the objects of these commits on disk, then moves a ref, and keeps the objects from `git gc` until then.
    fn store_and_move(
        &mut self,
        commits: &[CommitId],
        (name, to): (&str, CommitId),
        move_ref: impl FnOnce(&mut Self) -> Result<Moved, NotesError>,
    ) -> Result<(), NotesError> {
        self.lock.prepare(&refs::name(name), to.into())?;
        let stored = self.store(commits);
        let moved = stored.map(|stored| (move_ref(self), stored));
        // Where there was something in the way.
        self.lock.give_up();
        let (moved, stored) = moved?;
        let moved = match moved {
            Ok(moved) => moved,
            Err(error) => {
                stored.release(&mut self.lock)?;
                return Err(error);
            }
        };
        // From here on, it is written: who is told of an error would write it a second time.
        let stored = self.keep_from_gc(commits, stored)?;
        let released = stored.release(&mut self.lock);
        self.after_write(released, "let `git gc` have a pack");
        self.after_write(moved.finish(), "confirm that it survives a power failure");
        Ok(())
    }

    /// Makes sure that no `git gc` that began before the ref moved removes what the ref reaches now.
    fn keep_from_gc(
        &mut self,
        commits: &[CommitId],
        mut stored: StoredObjects,
    ) -> Result<StoredObjects, NotesError> {
        let mut attempts = 0;
        loop {
            // In this order: one that ends in between has removed what it was going to remove.
            let is_safe = stored.is_safe || !self.repository().is_collecting(self.now());
            let gone = self.repository().vanished(&stored.objects);
            let gone = self.after_write(gone, "check for a `git gc`").unwrap_or_default();
            match gone.into_iter().find(|id| !stored.absent.contains(id)) {
                None if is_safe || attempts == STORES => return Ok(stored),
                Some(id) if attempts == STORES => return Err(WriteError::Collected { id }.into()),
                _ => {}
            }
            attempts += 1;
            // Without these objects, nothing was written.
            let again = self.store(commits)?;
            let released = std::mem::replace(&mut stored, again).release(&mut self.lock);
            self.after_write(released, "let `git gc` have a pack");
        }
    }

    fn store(&mut self, commits: &[CommitId]) -> Result<StoredObjects, NotesError> {
        let now = self.now();
        Ok(self.lock.store_objects(&self.repo, commits, now)?)
    }

    pub(super) fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(u64::try_from(self.by.seconds()).unwrap_or(0))
    }

    /// Takes the outcome of a step after a ref has moved: an error is a warning then.
    pub(in crate::notes) fn after_write<T, E: std::error::Error>(
        &mut self,
        outcome: Result<T, E>,
        step: &str,
    ) -> Option<T> {
        match outcome {
            Ok(done) => Some(done),
            Err(error) => {
                let causes = std::iter::successors(error.source(), |cause| cause.source());
                let why = causes.fold(error.to_string(), |told, cause| format!("{told}: {cause}"));
                tracing::warn!(step, why, "could not finish a write");
                let warning = format!("could not {step}: {why}");
                if !self.warnings.contains(&warning) {
                    self.warnings.push(warning);
                }
                None
            }
        }
    }

    /// Moves the notes ref, then the ref of the last checked tip.
    pub(super) fn move_notes(
        &mut self,
        from: Option<CommitId>,
        to: Option<CommitId>,
        log: &str,
    ) -> Result<(), NotesError> {
        Ok(self.begin_move_notes(from, to, log)?.finish()?)
    }

    fn begin_move_notes(
        &mut self,
        from: Option<CommitId>,
        to: Option<CommitId>,
        log: &str,
    ) -> Result<Moved, NotesError> {
        let moved = self.begin_swap(refs::NOTES, from, to, log, Durability::Synced)?;
        // While the disk is busy: a power loss that leaves only this one behind leads back to what the notes had.
        if let Some(to) = to {
            self.remember(to);
        }
        Ok(moved)
    }

    /// Remembers a tip as checked; if that fails or is lost, it is checked again.
    fn remember(&mut self, tip: CommitId) {
        let patience = self.options.patience;
        self.options.patience = patience.at_most(PATIENCE_TO_REMEMBER);
        let remembered = self.known().and_then(|known| {
            self.swap(refs::KNOWN, known, Some(tip), "postil: checked", Durability::Relaxed)
        });
        self.options.patience = patience;
        self.after_write(remembered, "remember that the notes were checked");
    }

    /// Moves one of the store's refs.
    pub fn swap(
        &mut self,
        name: &str,
        from: Option<CommitId>,
        to: Option<CommitId>,
        log: &str,
        durability: Durability,
    ) -> Result<(), NotesError> {
        Ok(self.begin_swap(name, from, to, log, durability)?.finish()?)
    }

    fn begin_swap(
        &mut self,
        name: &str,
        from: Option<CommitId>,
        to: Option<CommitId>,
        log: &str,
        durability: Durability,
    ) -> Result<Moved, NotesError> {
        if name == refs::NOTES {
            Store::refuse_open_merge(self.repository())?;
        }
        let name = refs::name(name);
        if to.is_none() {
            // Before the ref goes: one that went because of us must not come back.
            self.back_up_ref(&name, None);
        }
        let update = RefUpdate {
            name: &name,
            expected: from.map(ObjectId::from),
            new: to.map(ObjectId::from),
            log: LogEntry { committer: self.by.signature(), message: log },
            durability,
            patience: self.options.patience,
        };
        let moved = self.lock.begin_swap(&update)?;
        self.back_up_ref(&name, to);
        Ok(moved)
    }
}
