//! Makes notes commits, and moves refs to them: objects on disk first, then the notes ref, then what is known of it.
//!
//! What goes into a commit is decided elsewhere.

use std::time::{Duration, UNIX_EPOCH};

use gix::objs::Write as _;

use super::addition::Addition;
use super::session::Session;
use super::{NotesError, refs};
use crate::git::{CommitId, Durability, LogEntry, Moved, ObjectId, RefUpdate, Settled, TreeId, history};

impl Session<'_> {
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

    /// Moves the notes ref to a commit that somebody else made.
    pub fn fast_forward(&mut self, from: Option<CommitId>, to: CommitId) -> Result<(), NotesError> {
        self.advance(from, to, "postil: fast-forward")
    }

    /// Remembers a tip that lacks nothing as checked.
    pub fn approve(&mut self, tip: CommitId) -> Result<(), NotesError> {
        let commits = self.unsettled(tip)?;
        self.settle(&commits)?.release(&mut self.lock)?;
        self.remember(tip)
    }

    /// Moves one of the local refs to a new commit of `tree`.
    pub fn move_aside(
        &mut self,
        name: &str,
        from: Option<CommitId>,
        tree: TreeId,
        parents: &[CommitId],
        message: &str,
    ) -> Result<(), NotesError> {
        let commit = self.new_commit(tree, parents, message)?;
        self.settle_around(&[commit], (name, commit), |session| {
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

    /// Puts on disk what leads to `to`, then moves the notes ref there.
    fn advance(&mut self, from: Option<CommitId>, to: CommitId, log: &str) -> Result<(), NotesError> {
        let commits = self.unsettled(to)?;
        self.settle_around(&commits, (refs::NOTES, to), |session| {
            session.begin_move_notes(from, Some(to), log)
        })
    }

    /// The commits below `tip` that may not be on disk yet: stock git does not wait for it.
    fn unsettled(&mut self, tip: CommitId) -> Result<Vec<CommitId>, NotesError> {
        let known = self.known_here()?;
        let parents = history::commit(&self.repo, tip)?.parents;
        if known.is_some() && parents.iter().all(|parent| Some(*parent) == known) {
            return Ok(vec![tip]);
        }
        Ok(history::between(&self.repo, known, tip)?.commits)
    }

    /// Puts on disk what these commits brought, then moves a ref to one of them, which they are safe from `git gc` for.
    fn settle_around(
        &mut self,
        commits: &[CommitId],
        (name, to): (&str, CommitId),
        move_ref: impl FnOnce(&mut Self) -> Result<Moved, NotesError>,
    ) -> Result<(), NotesError> {
        self.lock.prepare(&refs::name(name), to.into())?;
        let settled = self.settle(commits);
        let moved = settled.map(|settled| (move_ref(self), settled));
        // Where there was something in the way.
        self.lock.give_up();
        let (moved, settled) = moved?;
        // A `git gc` that began before the ref moved may have taken what was found lying around.
        let gone = if moved.is_ok() { self.repository().gone(&settled.objects)? } else { Vec::new() };
        let again = gone.iter().any(|id| !settled.absent.contains(id)).then(|| self.settle(commits));
        settled.release(&mut self.lock)?;
        if let Some(again) = again {
            again?.release(&mut self.lock)?;
        }
        Ok(moved?.finish()?)
    }

    fn settle(&mut self, commits: &[CommitId]) -> Result<Settled, NotesError> {
        let seconds = u64::try_from(self.by.seconds()).unwrap_or(0);
        let now = UNIX_EPOCH + Duration::from_secs(seconds);
        Ok(self.lock.settle(&self.repo, commits, now)?)
    }

    /// Moves the notes ref, then what is known of it.
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
        to.map_or(Ok(()), |to| self.remember(to))?;
        Ok(moved)
    }

    /// Remembers a tip as checked; where that is lost, it is checked again.
    fn remember(&mut self, tip: CommitId) -> Result<(), NotesError> {
        let known = self.known()?;
        self.swap(refs::KNOWN, known, Some(tip), "postil: checked", Durability::Relaxed)
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
        let name = refs::name(name);
        if to.is_none() {
            // Before the ref goes: one that went because of us must not come back.
            self.tell_where(&name, None);
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
        self.tell_where(&name, to);
        Ok(moved)
    }
}
