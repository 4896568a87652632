//! One writer at work: holds the lock, checks the tip, makes commits, moves refs.

use std::num::NonZeroUsize;
use std::time::{Duration, UNIX_EPOCH};

use gix::objs::tree::Editor;

use super::addition::Addition;
use super::contents::{Contents, edit_tree};
use super::heal::Brought;
use super::refs;
use super::store::Options;
use super::{Committer, NotesError};
use crate::git::{
    CommitId, Durability, LogEntry, ObjectId, RefError, RefUpdate, Repository, Settled, TreeId, WriterLock,
    history,
};

/// A lost race is tried again on the new tip this often; each try makes the window smaller.
const ATTEMPTS: usize = 32;

/// What a check of the notes ref found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Where the ref is now.
    pub tip: Option<CommitId>,
    /// How many records came back.
    pub records: usize,
    /// How many pins came back.
    pub pins: usize,
    /// Whether the ref itself was gone and is there again.
    pub restored: bool,
}

impl Checked {
    /// Whether anything had been lost.
    pub fn healed(&self) -> bool {
        self.records > 0 || self.pins > 0 || self.restored
    }
}

/// One writer at work.
pub(super) struct Session<'repo> {
    pub repo: gix::Repository,
    lock: WriterLock<'repo>,
    options: Options,
    by: Committer,
}

impl<'repo> Session<'repo> {
    pub fn begin(repo: &'repo Repository, options: Options, by: &Committer) -> Result<Self, NotesError> {
        let lock = WriterLock::acquire(repo, options.patience)?;
        Ok(Self { repo: repo.handle().with_object_memory(), lock, options, by: by.clone() })
    }

    /// Runs `attempt` until no race is lost; each time on a checked tip.
    pub fn retry<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Self, Checked) -> Result<T, NotesError>,
    ) -> Result<T, NotesError> {
        let mut lost = 0;
        loop {
            let outcome = self.check().and_then(|checked| attempt(self, checked));
            match outcome {
                Err(NotesError::Ref(RefError::Raced { name, .. })) if lost < ATTEMPTS => {
                    lost += 1;
                    tracing::debug!(%name, lost, "lost a race, trying again");
                }
                outcome => return outcome,
            }
        }
    }

    /// Where the notes ref is.
    pub fn tip(&self) -> Result<Option<CommitId>, NotesError> {
        self.read_ref(refs::NOTES)
    }

    /// The repository that is written to.
    pub fn repository(&self) -> &'repo Repository {
        self.lock.repository()
    }

    /// How many threads read notes.
    pub fn threads(&self) -> NonZeroUsize {
        self.options.threads
    }

    /// The moment of this session, in seconds since 1970.
    pub fn seconds(&self) -> i64 {
        self.by.seconds()
    }

    /// Where one of the store's refs is.
    pub fn read_ref(&self, name: &str) -> Result<Option<CommitId>, NotesError> {
        let found = self.lock.repository().read_ref(&refs::name(name))?;
        Ok(found.map(|id| id.raw().into()))
    }

    /// The tree of a notes commit.
    pub fn tree_of(&self, commit: Option<CommitId>) -> Result<Option<TreeId>, NotesError> {
        commit.map(|commit| Ok(history::commit(&self.repo, commit)?.tree)).transpose()
    }

    /// Makes sure that the tip holds everything it ever held, and remembers it as checked.
    pub fn check(&mut self) -> Result<Checked, NotesError> {
        let tip = self.tip()?;
        let known = self.read_ref(refs::KNOWN)?.filter(|known| history::commit(&self.repo, *known).is_ok());
        if tip == known {
            return Ok(Checked { tip, ..Checked::default() });
        }
        let Some(tip) = tip else {
            self.move_notes(None, known, "postil: bring back the deleted ref")?;
            return Ok(Checked { tip: known, restored: true, ..Checked::default() });
        };
        let brought = Brought::since(&self.repo, known, tip)?;
        let tree = self.tree_of(Some(tip))?;
        let lacking = brought.lacking_in(&self.repo, self.options.threads, &self.contents(tree)?)?;
        if lacking.is_empty() {
            self.settle_since(known, tip)?;
            self.remember(known, tip)?;
            return Ok(Checked { tip: Some(tip), ..Checked::default() });
        }
        let records = lacking.records.values().map(Vec::len).sum();
        let pins = lacking.pins.len();
        let mut parents = vec![tip];
        if let Some(known) = known
            && !history::is_ancestor(&self.repo, known, tip)?
        {
            parents.push(known);
        }
        let message = healing_message(records, pins);
        let healed = self.add(&lacking, tree, &parents, &message)?.unwrap_or(tip);
        tracing::warn!(records, pins, %tip, %healed, "brought back what the notes had lost");
        Ok(Checked { tip: Some(healed), records, pins, restored: false })
    }

    /// Reads a whole notes tree.
    pub fn contents(&self, tree: Option<TreeId>) -> Result<Contents, NotesError> {
        tree.map_or_else(|| Ok(Contents::default()), |tree| Contents::read(&self.repo, tree))
    }

    /// Commits `addition` on top of `tree`; `None` if nothing of it is new.
    pub fn add(
        &mut self,
        addition: &Addition,
        tree: Option<TreeId>,
        parents: &[CommitId],
        message: &str,
    ) -> Result<Option<CommitId>, NotesError> {
        let new = addition.apply(&self.repo, self.options.threads, tree)?;
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
        let settled = self.settle(&[commit])?;
        let subject = message.lines().next().unwrap_or_default();
        self.move_notes(from, Some(commit), subject)?;
        // A `git gc` that began before the ref moved may have taken what was found lying around.
        if !self.lock.repository().gone(&settled.objects)?.is_empty() {
            self.settle(&[commit])?.release(&mut self.lock)?;
        }
        settled.release(&mut self.lock)?;
        Ok(commit)
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
        let settled = self.settle(&[commit])?;
        self.swap(name, from, Some(commit), message, Durability::Synced)?;
        Ok(settled.release(&mut self.lock)?)
    }

    fn new_commit(&self, tree: TreeId, parents: &[CommitId], message: &str) -> Result<CommitId, NotesError> {
        let by = self.by.signature();
        let parents: Vec<gix::ObjectId> = parents.iter().map(|parent| parent.raw()).collect();
        let commit = self.repo.new_commit_as(by, by, message, tree.raw(), parents);
        Ok(commit.map_err(NotesError::write_tree)?.id.into())
    }

    /// Begins to edit a tree; `None` is the empty one.
    pub fn tree_editor(&self, tree: Option<TreeId>) -> Result<Editor<'_>, NotesError> {
        edit_tree(&self.repo, tree)
    }

    /// Writes a tree that was edited.
    pub fn write_edited(&self, mut editor: Editor<'_>) -> Result<TreeId, NotesError> {
        let written = editor.write(|tree| self.repo.write_object(tree).map(gix::Id::detach));
        written.map(TreeId::from).map_err(NotesError::write_tree)
    }

    /// How large the note of `object` is; nothing if there is none.
    pub fn note_size(&self, tree: Option<TreeId>, object: ObjectId) -> Result<u64, NotesError> {
        let Some(tree) = tree else { return Ok(0) };
        let mut state =
            gix_note::State::new(tree.raw(), &self.repo.objects).map_err(NotesError::write_tree)?;
        let note = state.get(&object.raw(), &self.repo.objects).map_err(NotesError::write_tree)?;
        let header =
            note.map(|blob| self.repo.find_header(blob)).transpose().map_err(NotesError::write_tree)?;
        Ok(header.map_or(0, |header| header.size()))
    }

    /// Moves the notes ref to a commit that somebody else made.
    pub fn fast_forward(&mut self, from: Option<CommitId>, to: CommitId) -> Result<(), NotesError> {
        self.settle_since(from, to)?;
        self.move_notes(from, Some(to), "postil: fast-forward")
    }

    /// Puts on disk what the commits since `known` brought; stock git does not wait for the disk.
    fn settle_since(&mut self, known: Option<CommitId>, tip: CommitId) -> Result<(), NotesError> {
        let commits = history::between(&self.repo, known, tip)?.commits;
        Ok(self.settle(&commits)?.release(&mut self.lock)?)
    }

    /// Puts on disk what these commits brought.
    fn settle(&mut self, commits: &[CommitId]) -> Result<Settled, NotesError> {
        let seconds = u64::try_from(self.by.seconds()).unwrap_or(0);
        let now = UNIX_EPOCH + Duration::from_secs(seconds);
        Ok(self.lock.settle(&self.repo, commits, now)?)
    }

    /// Moves the notes ref, then what is known of it.
    fn move_notes(
        &mut self,
        from: Option<CommitId>,
        to: Option<CommitId>,
        log: &str,
    ) -> Result<(), NotesError> {
        self.swap(refs::NOTES, from, to, log, Durability::Synced)?;
        let known = self.read_ref(refs::KNOWN)?;
        match to {
            Some(to) => self.remember(known, to),
            None => Ok(()),
        }
    }

    /// Remembers a tip as checked; where that is lost, it is checked again.
    fn remember(&mut self, known: Option<CommitId>, tip: CommitId) -> Result<(), NotesError> {
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
        let update = RefUpdate {
            name: &refs::name(name),
            expected: from.map(ObjectId::from),
            new: to.map(ObjectId::from),
            log: LogEntry { committer: self.by.signature(), message: log },
            durability,
            patience: self.options.patience,
        };
        Ok(self.lock.swap(&update)?)
    }
}

fn healing_message(records: usize, pins: usize) -> String {
    let count = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
    let what = match (records, pins) {
        (_, 0) => count(records, "record"),
        (0, _) => count(pins, "pin"),
        _ => format!("{} and {}", count(records, "record"), count(pins, "pin")),
    };
    format!(
        "Bring back {what} that the notes had lost\n\n\
         Something rewrote {} and left them out. Nothing that was stored\n\
         is given up that way; to take a comment out for good, use `postil purge`.\n",
        refs::NOTES
    )
}
