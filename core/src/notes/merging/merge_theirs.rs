//! Merges the notes of a remote into ours.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use super::heal::Brought;
use super::leave_out::Cleaned;
use super::unite::unite;
use crate::git::{CommitId, RepoPath, TreeId, history};
use crate::notes::reading::contents::Contents;
use crate::notes::reading::page_scan::{PageScan, PageScanner};
use crate::notes::writing::write_session::{Checked, WriteSession};
use crate::notes::{Committer, NotesError, Store};
use crate::record::RecordId;

/// The subject of a merge.
const MESSAGE: &str = "Merge reviews";

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedNotes {
    /// Where the notes ref is now.
    pub tip: CommitId,
    /// How they were merged.
    pub how: MergeKind,
    /// The records that purges from there removed; they are kept for a while.
    pub purged: BTreeSet<RecordId>,
    /// Entries of theirs that git refuses: they are left out, and kept under [`refs::REFUSED`](crate::notes::refs::REFUSED).
    pub refused: Vec<RepoPath>,
    /// What the check of our own notes found.
    pub checked: Checked,
}

/// How two histories of notes were merged.
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
    /// The commits in between are checked as in [`Store::check`], so that what they lost on the way comes along.
    /// `theirs` must be in this repository already.
    pub fn merge(&self, theirs: CommitId, by: &Committer) -> Result<MergedNotes, NotesError> {
        self.session(by)?.retry(|session, checked| session.merge_theirs(theirs, &checked))
    }
}

impl WriteSession<'_> {
    fn merge_theirs(&mut self, theirs: CommitId, checked: &Checked) -> Result<MergedNotes, NotesError> {
        let ours = checked.tip;
        let base = match ours {
            Some(ours) => history::merge_base(&self.repo, ours, theirs)?,
            None => None,
        };
        let done = |tip, how, purged, refused| {
            Ok(MergedNotes { tip, how, purged, refused, checked: checked.clone() })
        };
        if let Some(ours) = ours.filter(|_| base == Some(theirs)) {
            return done(ours, MergeKind::UpToDate, BTreeSet::new(), Vec::new());
        }
        let apart = ours.filter(|_| base != ours);
        let our_tree = self.tree_of(apart)?;
        let (repo, reader) = (self.repo.clone(), self.reader());
        std::thread::scope(|scope| {
            // Their history is a chain of trees to go through one after the other; our notes can be read meanwhile.
            let ahead = our_tree
                .filter(|_| reader.threads.get() > 1)
                .map(|tree| scope.spawn(move || read_and_scan(&repo, reader, tree)));
            let brought = Brought::on_the_way(&self.repo, ours, theirs)?;
            self.believe_lost(brought.missed.iter().copied())?;
            let purged = self.back_up_purged(ours, &brought)?;
            let their_tree = history::commit(&self.repo, theirs)?.tree;
            let Cleaned { tree: clean, held, refused } = self.clean(theirs, their_tree)?;
            let (complete, held) = self.complete(clean, held, &brought)?;
            // Of a store with very many notes it is as large as what is read next.
            drop(brought);
            // They have all of ours, so what they did to somebody's words is meant.
            if base == ours && complete == their_tree {
                self.fast_forward(ours, theirs)?;
                return done(theirs, MergeKind::FastForward, purged, refused);
            }
            let mut parents = vec![theirs];
            let mut tree = complete;
            if let Some(ours) = apart {
                parents.insert(0, ours);
                let ours_held = match ahead {
                    Some(ahead) => ahead.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                    None => self.contents(our_tree)?,
                };
                let union = unite(&self.repo, self.reader(), [ours_held, held])?;
                self.believe_lost(union.missed)?;
                tree = union.contents.write(&self.repo)?;
            }
            let tip = self.commit(tree, &parents, ours, MESSAGE)?;
            done(tip, MergeKind::Commit, purged, refused)
        })
    }

    /// Their tree and its contents, with what their own commits had and lost.
    fn complete(
        &self,
        tree: TreeId,
        held: Contents,
        brought: &Brought,
    ) -> Result<(TreeId, Contents), NotesError> {
        let lacking = brought.lacking_in(&self.repo, self.reader(), &held)?;
        self.believe_lost(lacking.missed.iter().copied())?;
        let lacking = lacking.what;
        if lacking.is_empty() {
            return Ok((tree, held));
        }
        let (records, pins) = (lacking.record_count(), lacking.pins.len());
        tracing::warn!(records, pins, "restored what was missing from their notes");
        let complete = lacking.apply_with_purges(&self.repo, self.reader(), Some(tree))?;
        Ok((complete, self.contents(Some(complete))?))
    }
}

/// Reads a tree, and finds the notes that a merge need not read.
fn read_and_scan(
    repo: &gix::Repository,
    reader: PageScanner<'_>,
    tree: TreeId,
) -> Result<Contents, NotesError> {
    let contents = Contents::read(repo, tree)?;
    PageScan::gather(repo, PageScanner { threads: NonZeroUsize::MIN, ..reader }, &contents.notes);
    Ok(contents)
}
