//! A copy of where our local refs point, kept in a file.
//!
//! A `git fetch --prune` from a mirror (`+refs/*:refs/*`) deletes every ref that the mirror does not have: drafts,
//! kept blobs, the last checked tip, and perhaps the notes. The objects are still in the repository until `git gc`
//! removes them, and nobody else may have them. So a file, `postil/refs` in the git directory, has lines for each
//! ref, of which the last one counts. A ref that was deleted by somebody else is restored from it.

use std::collections::BTreeMap;

use super::write_session::WriteSession;
use crate::git::{CommitId, Durability, RefName, Repository, history};
use crate::notes::refs;
use crate::notes::{NotesError, Store};

/// The file.
const FILE: &str = "refs";

/// A file of this size is written again, with one line for each ref.
const MAX_BYTES: usize = 4 << 10;

/// The refs that are restored.
const LASTING: [&str; 5] = [refs::KNOWN, refs::LOCAL_PINS, refs::DRAFTS, refs::PURGED, refs::REFUSED];

/// Where each of these refs was when postil last moved it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::notes) struct RefBackup(BTreeMap<&'static str, CommitId>);

impl RefBackup {
    /// Reads the file of a repository; damaged lines are skipped.
    pub fn of(repo: &Repository) -> Self {
        Self::parse(&repo.state_file(FILE).unwrap_or_default())
    }

    /// Where this ref was.
    pub fn get(&self, name: &str) -> Option<CommitId> {
        self.0.get(name).copied()
    }

    /// Where this ref has been, the last one first, as far back as the file goes.
    pub fn before(repo: &Repository, name: &str) -> Vec<CommitId> {
        let told = repo.state_file(FILE).unwrap_or_default();
        let mut before: Vec<CommitId> =
            lines(&told).filter(|(lasting, _)| *lasting == name).map(|(_, id)| id).collect();
        before.reverse();
        before
    }

    fn parse(bytes: &[u8]) -> Self {
        Self(lines(bytes).collect())
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|(name, id)| line(name, *id)).collect::<String>().into_bytes()
    }
}

/// The lines of the file; those that are damaged are left out.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (&'static str, CommitId)> {
    let line = |line: &[u8]| {
        let (id, name) =
            (line.split(|byte| *byte == b' ').next()?, line.splitn(2, |byte| *byte == b' ').nth(1)?);
        let name = LASTING.into_iter().find(|lasting| lasting.as_bytes() == name)?;
        Some((name, CommitId::from_hex(id)?))
    };
    bytes.split(|byte| *byte == b'\n').filter_map(line)
}

fn line(name: &str, id: CommitId) -> String {
    format!("{id} {name}\n")
}

/// What happened to the notes since they were last checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwritten {
    /// Their ref was deleted.
    Gone,
    /// Their history does not contain the last checked tip any more.
    Replaced,
}

impl Store {
    /// Returns whether the notes were deleted or replaced since they were last checked, by their history alone.
    ///
    /// Writes nothing: [`Store::check`] restores them. Costs two reads of refs if nothing moved.
    pub fn overwritten(&self) -> Result<Option<Overwritten>, NotesError> {
        let Some(known) = self.read_ref_or_backup(refs::KNOWN)? else { return Ok(None) };
        Ok(match self.tip()? {
            None => Some(Overwritten::Gone),
            // Nobody can say what its history was.
            Some(tip) if tip == known || self.notes_to_read()?.unreadable.is_some() => None,
            Some(tip) if history::is_ancestor(&self.repository().handle(), known, tip)? => None,
            Some(_) => Some(Overwritten::Replaced),
        })
    }

    /// Returns where one of our local refs points, or pointed before somebody deleted it.
    pub(in crate::notes) fn read_ref_or_backup(&self, name: &str) -> Result<Option<CommitId>, NotesError> {
        if let Some(found) = self.repository().read_ref(&refs::name(name))? {
            return Ok(Some(found.raw().into()));
        }
        let backup = RefBackup::of(self.repository()).get(name);
        Ok(backup.filter(|led| history::commit(&self.repository().handle(), *led).is_ok()))
    }
}

impl WriteSession<'_> {
    /// Restores those of our local refs that somebody deleted, if `git gc` has not removed their commits.
    pub fn restore_refs(&mut self) -> Result<(), NotesError> {
        for (name, led) in RefBackup::of(self.repository()).0 {
            let gone = self.repository().read_ref(&refs::name(name)).is_ok_and(|found| found.is_none());
            if gone && history::commit(&self.repo, led).is_ok() {
                tracing::warn!(name, %led, "restored a deleted ref");
                self.swap(name, None, Some(led), "postil: restore the deleted ref", Durability::Relaxed)?;
            }
        }
        Ok(())
    }

    /// Writes to the file where a ref is about to point; `None` if it is deleted.
    ///
    /// If the file cannot be written, there is no backup; that is not a reason to refuse a comment.
    pub(super) fn back_up_ref(&self, name: &RefName, to: Option<CommitId>) {
        let Some(name) = LASTING.into_iter().find(|lasting| lasting.as_bytes() == name.as_bytes()) else {
            return;
        };
        let told = self.repository().state_file(FILE).unwrap_or_default();
        let mut backup = RefBackup::parse(&told);
        let before = match to {
            Some(to) => backup.0.insert(name, to),
            None => backup.0.remove(name),
        };
        if before == to {
            return;
        }
        let written = match to {
            // Making a file and moving it over another one costs ten times as much as a line more.
            Some(to) if told.ends_with(b"\n") && told.len() < MAX_BYTES => {
                self.lock.append_state_file(FILE, line(name, to).as_bytes())
            }
            // What it was before stays: the new one may turn out to be unreadable.
            _ => {
                let old =
                    before.filter(|_| to.is_some()).map(|before| line(name, before)).unwrap_or_default();
                self.lock.write_state_file(FILE, &[old.into_bytes(), backup.to_bytes()].concat())
            }
        };
        if let Err(error) = written {
            tracing::warn!(name, %error, "could not save the target of a ref");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_read_again_and_damage_costs_its_own_line_alone() {
        let id = CommitId::from_bytes(&[7; 20]).expect("an id is 20 bytes");
        let told = RefBackup([(refs::DRAFTS, id), (refs::KNOWN, id)].into());
        assert_eq!(RefBackup::parse(&told.to_bytes()), told);
        let other = format!("{id} refs/heads/main\n{id}\n\n12 refs/postil/known\n{id} refs/postil/drafts\n");
        assert_eq!(RefBackup::parse(other.as_bytes()).0, [(refs::DRAFTS, id)].into());
        let later = CommitId::from_bytes(&[8; 20]).expect("an id is 20 bytes");
        let twice = [told.to_bytes(), line(refs::KNOWN, later).into_bytes()].concat();
        assert_eq!(RefBackup::parse(&twice).0, [(refs::DRAFTS, id), (refs::KNOWN, later)].into());
    }
}
