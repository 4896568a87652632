//! Takes in the notes of somebody else.

use super::heal::Brought;
use super::merge::unite;
use super::session::{Checked, Session};
use super::upkeep::Upkeep;
use super::{Committer, NotesError, Store};
use crate::git::{CommitId, ObjectId, TreeId, history};
use crate::record::Record;

/// The subject of a merge.
const MESSAGE: &str = "Merge the reviews of somebody else";

/// What taking in somebody else's notes did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Where the notes ref is now.
    pub tip: CommitId,
    /// How it got there.
    pub how: MergeKind,
    /// How many records a purge from there took away; they are kept aside for a while.
    pub purged: usize,
    /// What the check of our own notes found.
    pub checked: Checked,
}

/// How two notes histories came together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeKind {
    /// We had all of it.
    UpToDate,
    /// They had all of ours.
    FastForward,
    /// A commit of both.
    Commit,
}

impl Store {
    /// Merges the notes commit `theirs` into ours: the union of both, minus what is purged.
    ///
    /// Commits between are looked through as [`Store::check`] does, so that what they lost on the
    /// way comes along. `theirs` must be in this repository already.
    pub fn merge(&self, theirs: CommitId, by: &Committer) -> Result<Merged, NotesError> {
        self.session(by)?.retry(|session, checked| session.absorb(theirs, &checked))
    }
}

impl Session<'_> {
    fn absorb(&mut self, theirs: CommitId, checked: &Checked) -> Result<Merged, NotesError> {
        let done = |tip, how, purged| Ok(Merged { tip, how, purged, checked: checked.clone() });
        let Some(ours) = checked.tip else {
            let tree = self.complete(None, theirs)?;
            if Some(tree) == self.tree_of(Some(theirs))? {
                self.fast_forward(None, theirs)?;
                return done(theirs, MergeKind::FastForward, 0);
            }
            let tip = self.commit(tree, &[theirs], None, MESSAGE)?;
            return done(tip, MergeKind::Commit, 0);
        };
        let base = history::merge_base(&self.repo, ours, theirs)?;
        if base == Some(theirs) {
            return done(ours, MergeKind::UpToDate, 0);
        }
        let complete = self.complete(Some(ours), theirs)?;
        let our_tree = self.tree_of(Some(ours))?;
        let our_contents = self.contents(our_tree)?;
        let our_notes = our_contents.notes.clone();
        let union = unite(&self.repo, self.threads(), [our_contents, self.contents(Some(complete))?])?;
        let mut foreign_purges: Vec<(ObjectId, Record)> = union.dropped;
        if !foreign_purges.is_empty() {
            let own = Upkeep::gather(&self.repo, self.threads(), &our_notes).purged;
            foreign_purges.retain(|(_, record)| !own.hides(record));
        }
        self.keep_aside(&foreign_purges)?;
        let tree = union.contents.write(&self.repo)?;
        if base == Some(ours) && Some(tree) == self.tree_of(Some(theirs))? {
            self.fast_forward(Some(ours), theirs)?;
            return done(theirs, MergeKind::FastForward, foreign_purges.len());
        }
        let tip = self.commit(tree, &[ours, theirs], Some(ours), MESSAGE)?;
        done(tip, MergeKind::Commit, foreign_purges.len())
    }

    /// Their tree, with what their own commits since ours had and lost.
    fn complete(&mut self, ours: Option<CommitId>, theirs: CommitId) -> Result<TreeId, NotesError> {
        let tree = history::commit(&self.repo, theirs)?.tree;
        let brought = Brought::on_the_way(&self.repo, ours, theirs)?;
        let lacking = brought.lacking_in(&self.repo, self.threads(), &self.contents(Some(tree))?)?.what;
        if lacking.is_empty() {
            return Ok(tree);
        }
        tracing::warn!(records = lacking.record_count(), %theirs, "their notes had lost records");
        lacking.apply(&self.repo, self.threads(), Some(tree))
    }
}
