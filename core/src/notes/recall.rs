//! Where our local refs led, told outside of the refs too.
//!
//! A `git fetch --prune` from a mirror (`+refs/*:refs/*`) deletes every ref that the mirror does not have: drafts, kept
//! blobs, and where the notes were, perhaps with the notes. All of it is still in the repository then, for as long as
//! `git gc` waits, and nobody else may have it. So a file, `postil/refs` in the git directory, has lines for each ref, of
//! which the last one counts, and a ref that is gone without us comes back.

use std::collections::BTreeMap;

use super::session::Session;
use super::{NotesError, Store, refs};
use crate::git::{CommitId, Durability, RefName, Repository, history};

/// The file.
const FILE: &str = "refs";

/// A file that has grown to this is written anew, with one line for each ref.
const MAX_BYTES: usize = 4 << 10;

/// The refs that come back.
const LASTING: [&str; 4] = [refs::KNOWN, refs::LOCAL_PINS, refs::DRAFTS, refs::PURGED];

/// Where each of these refs was when we last moved it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Recalled(BTreeMap<&'static str, CommitId>);

impl Recalled {
    /// What is told in a repository; a file that is damaged tells what can be read of it.
    pub fn of(repo: &Repository) -> Self {
        Self::parse(&repo.beside(FILE).unwrap_or_default())
    }

    /// Where this ref was.
    pub fn get(&self, name: &str) -> Option<CommitId> {
        self.0.get(name).copied()
    }

    fn parse(bytes: &[u8]) -> Self {
        let line = |line: &[u8]| {
            let (id, name) =
                (line.split(|byte| *byte == b' ').next()?, line.splitn(2, |byte| *byte == b' ').nth(1)?);
            let name = LASTING.into_iter().find(|lasting| lasting.as_bytes() == name)?;
            Some((name, CommitId::from_hex(id)?))
        };
        Self(bytes.split(|byte| *byte == b'\n').filter_map(line).collect())
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|(name, id)| line(name, *id)).collect::<String>().into_bytes()
    }
}

fn line(name: &str, id: CommitId) -> String {
    format!("{id} {name}\n")
}

/// What somebody did to the notes since they were last checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwritten {
    /// Their ref was deleted.
    Gone,
    /// They do not lead any more to where they were.
    Replaced,
}

impl Store {
    /// Whether the notes lack what they held when they were last checked, as far as their history tells.
    ///
    /// Writes nothing: [`Store::check`] brings it back. Costs two reads of refs where nothing moved.
    pub fn overwritten(&self) -> Result<Option<Overwritten>, NotesError> {
        let Some(known) = self.recall(refs::KNOWN)? else { return Ok(None) };
        Ok(match self.tip()? {
            None => Some(Overwritten::Gone),
            Some(tip) if history::is_ancestor(&self.repository().handle(), known, tip)? => None,
            Some(_) => Some(Overwritten::Replaced),
        })
    }

    /// Where one of our local refs leads, or led before somebody deleted it.
    pub(super) fn recall(&self, name: &str) -> Result<Option<CommitId>, NotesError> {
        if let Some(found) = self.repository().read_ref(&refs::name(name))? {
            return Ok(Some(found.raw().into()));
        }
        let recalled = Recalled::of(self.repository()).get(name);
        Ok(recalled.filter(|led| history::commit(&self.repository().handle(), *led).is_ok()))
    }
}

impl Session<'_> {
    /// Brings back those of our local refs that somebody deleted, as far as `git gc` has left what they led to.
    pub fn bring_back_refs(&mut self) -> Result<(), NotesError> {
        for (name, led) in Recalled::of(self.repository()).0 {
            let gone = self.repository().read_ref(&refs::name(name)).is_ok_and(|found| found.is_none());
            if gone && history::commit(&self.repo, led).is_ok() {
                tracing::warn!(name, %led, "brought back a ref that was deleted");
                self.swap(name, None, Some(led), "postil: bring back the deleted ref", Durability::Relaxed)?;
            }
        }
        Ok(())
    }

    /// Tells where a ref is about to lead, or to lead no more.
    ///
    /// A file that cannot be written protects nothing, and is no reason to refuse what somebody wants to say.
    pub(super) fn tell_where(&self, name: &RefName, to: Option<CommitId>) {
        let Some(name) = LASTING.into_iter().find(|lasting| lasting.as_bytes() == name.as_bytes()) else {
            return;
        };
        let told = self.repository().beside(FILE).unwrap_or_default();
        let mut recalled = Recalled::parse(&told);
        let before = match to {
            Some(to) => recalled.0.insert(name, to),
            None => recalled.0.remove(name),
        };
        if before == to {
            return;
        }
        let written = match to {
            // Making a file and moving it over another one costs ten times as much as a line more.
            Some(to) if told.ends_with(b"\n") && told.len() < MAX_BYTES => {
                self.lock.append_beside(FILE, line(name, to).as_bytes())
            }
            _ => self.lock.write_beside(FILE, &recalled.to_bytes()),
        };
        if let Err(error) = written {
            tracing::warn!(name, %error, "could not write down where a ref leads");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_read_again_and_damage_costs_its_own_line_alone() {
        let id = CommitId::from_bytes(&[7; 20]).expect("an id is 20 bytes");
        let told = Recalled([(refs::DRAFTS, id), (refs::KNOWN, id)].into());
        assert_eq!(Recalled::parse(&told.to_bytes()), told);
        let other = format!("{id} refs/heads/main\n{id}\n\n12 refs/postil/known\n{id} refs/postil/drafts\n");
        assert_eq!(Recalled::parse(other.as_bytes()).0, [(refs::DRAFTS, id)].into());
        let later = CommitId::from_bytes(&[8; 20]).expect("an id is 20 bytes");
        let twice = [told.to_bytes(), line(refs::KNOWN, later).into_bytes()].concat();
        assert_eq!(Recalled::parse(&twice).0, [(refs::DRAFTS, id), (refs::KNOWN, later)].into());
    }
}
