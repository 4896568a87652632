//! The heads of reviews that are kept from `git gc`, each by a ref of its own.
//!
//! After a branch was merged and deleted, its commits are needed to recognise its work elsewhere, and so is a head
//! that got a verdict and was then rewritten. So these commits are kept as long as their review is open. Nothing of
//! this is shared. `review` decides which heads are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::refs;
use super::{Committer, NotesError, Store};
use crate::git::{
    CommitId, Durability, LogEntry, ObjectId, RefError, RefName, RefUpdate, Repository, WriterLock,
};
use crate::record::RecordId;

/// The message for the reflog.
const KEEPING: &str = "postil: keep the heads of open reviews";

/// The heads that are kept, by review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KeptHeads(pub BTreeMap<RecordId, BTreeSet<CommitId>>);

impl KeptHeads {
    /// Reads what is kept now.
    pub fn read(repo: &Repository) -> Result<Self, RefError> {
        let mut kept: BTreeMap<RecordId, BTreeSet<CommitId>> = BTreeMap::new();
        for (name, id) in repo.list_refs(refs::HEADS)?.refs {
            if let Some(review) = review_in(&name) {
                kept.entry(review).or_default().insert(id.raw().into());
            }
        }
        Ok(Self(kept))
    }

    /// The heads of one review.
    pub fn of(&self, review: RecordId) -> impl Iterator<Item = CommitId> {
        self.0.get(&review).into_iter().flatten().copied()
    }
}

impl Store {
    /// Makes `wanted` the kept heads of the reviews that it names; those of other reviews stay.
    ///
    /// Only the tips of branches can be added; a kept head stays if the branch has moved on. A review without a head
    /// in `wanted` keeps none. Returns whether anything changed. Does not wait for the disk: what a power loss takes
    /// is found again the next time.
    pub fn keep_heads(
        &self,
        kept: &KeptHeads,
        wanted: &KeptHeads,
        by: &Committer,
    ) -> Result<bool, NotesError> {
        let nothing = BTreeSet::new();
        let changes = wanted.0.iter().flat_map(|(review, wanted)| {
            let kept = kept.0.get(review).unwrap_or(&nothing);
            let added = wanted.difference(kept).map(move |head| (*review, *head, None, Some(*head)));
            // The new one first: what both lead to is never without a ref.
            added.chain(kept.difference(wanted).map(move |head| (*review, *head, Some(*head), None)))
        });
        let mut changes = changes.peekable();
        if changes.peek().is_none() {
            return Ok(false);
        }
        let mut lock = WriterLock::acquire(self.repository(), self.options().patience)?;
        let mut added = Vec::new();
        for (review, head, expected, new) in changes {
            if self.move_head(&mut lock, (review, head), expected, new, by)? && new.is_some() {
                added.push((review, head));
            }
        }
        if added.is_empty() {
            return Ok(true);
        }
        // A `git gc` that began before may take what no branch leads to any more, and would leave our ref broken.
        let tips = self.tips()?;
        for (review, head) in added.into_iter().filter(|(_, head)| !tips.contains(head)) {
            self.move_head(&mut lock, (review, head), Some(head), None, by)?;
        }
        Ok(true)
    }

    /// Where branches are, here and on remotes.
    fn tips(&self) -> Result<BTreeSet<CommitId>, RefError> {
        let mut tips = BTreeSet::new();
        for prefix in ["refs/heads/", "refs/remotes/"] {
            let found = self.repository().list_refs(prefix)?.refs;
            tips.extend(found.into_iter().map(|(_, id)| CommitId::from(id.raw())));
        }
        Ok(tips)
    }

    /// Creates or deletes the ref of a head; `false` if another process was faster.
    fn move_head(
        &self,
        lock: &mut WriterLock<'_>,
        (review, head): (RecordId, CommitId),
        expected: Option<CommitId>,
        new: Option<CommitId>,
        by: &Committer,
    ) -> Result<bool, RefError> {
        let name =
            RefName::new(&format!("{}{review}/{head}", refs::HEADS)).expect("hexadecimal digits make a name");
        let moved = lock.swap(&RefUpdate {
            name: &name,
            expected: expected.map(ObjectId::from),
            new: new.map(ObjectId::from),
            log: LogEntry { committer: by.signature(), message: KEEPING },
            durability: Durability::Relaxed,
            patience: self.options().patience,
        });
        match moved {
            Ok(()) => Ok(true),
            Err(RefError::Raced { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn review_in(name: &RefName) -> Option<RecordId> {
    let rest = name.as_bytes().strip_prefix(refs::HEADS.as_bytes())?;
    let digits = rest.split(|byte| *byte == b'/').next()?;
    RecordId::from_hex(std::str::from_utf8(digits).ok()?)
}
