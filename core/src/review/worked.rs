//! The files that a stretch of work is on, each under the names it has before and behind it.
//!
//! Also which files of two stretches are the same one, whoever renamed it in between. What the work on a file is, is
//! `since`'s to compare.

use std::collections::BTreeMap;

use super::ReviewError;
use super::patches::Patches;
use super::since::Stretch;
use crate::anchoring::counterparts;
use crate::git::tree::{Change, Entry};
use crate::git::{CommitId, RepoPath, history};

/// More files that went are not looked for under other names: each is compared with what came.
const MAX_RENAMED: usize = 200;

/// A file that a stretch of work is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Worked {
    /// Where and what it is before; `None` if it is added.
    pub before: Option<(RepoPath, Entry)>,
    /// Where and what it is behind; `None` if it is removed.
    pub after: Option<(RepoPath, Entry)>,
}

impl From<&Change> for Worked {
    /// As if nothing were renamed.
    fn from(change: &Change) -> Self {
        let at = |entry: Option<Entry>| entry.map(|entry| (change.path().clone(), entry));
        Self { before: at(change.before()), after: at(change.after()) }
    }
}

impl Worked {
    /// The name to show: the last one it has.
    pub fn path(&self) -> Option<&RepoPath> {
        self.after.as_ref().or(self.before.as_ref()).map(|(path, _)| path)
    }

    /// Where the work moves the file to, if it does.
    pub fn renamed_to(&self) -> Option<&RepoPath> {
        match (&self.before, &self.after) {
            (Some((from, _)), Some((to, _))) if from != to => Some(to),
            _ => None,
        }
    }

    fn before_path(&self) -> Option<&RepoPath> {
        self.before.as_ref().map(|(path, _)| path)
    }

    fn after_path(&self) -> Option<&RepoPath> {
        self.after.as_ref().map(|(path, _)| path)
    }
}

impl Patches {
    /// The files that a stretch is on, with those together that it renamed.
    fn worked(&self, stretch: Stretch) -> Result<Vec<Worked>, ReviewError> {
        let patch = self.between(stretch.base, stretch.head)?;
        let (mut files, mut gone, mut come) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for change in &patch.changes {
            match change {
                Change::Removed { path, entry } => drop(gone.insert(path.clone(), *entry)),
                Change::Added { path, entry } => drop(come.insert(path.clone(), *entry)),
                Change::Modified { .. } => files.push(Worked::from(change)),
            }
        }
        if !come.is_empty() {
            let paths: Vec<RepoPath> = gone.keys().cloned().collect();
            for (from, to) in self.names(stretch.base, stretch.head, paths)? {
                if let (Some(before), Some(after)) = (gone.get(&from).copied(), come.remove(&to)) {
                    gone.remove(&from);
                    files.push(Worked { before: Some((from, before)), after: Some((to, after)) });
                }
            }
        }
        files.extend(gone.into_iter().map(|before| Worked { before: Some(before), after: None }));
        files.extend(come.into_iter().map(|after| Worked { before: None, after: Some(after) }));
        Ok(files)
    }

    /// Puts together the files of two stretches that are the same one.
    ///
    /// The same names count first, then the name behind, then the name before; and then what upstream made of the
    /// name before, or, for files that the work itself added, what the new version of the work calls them.
    pub fn pair(&self, old: Stretch, new: Stretch) -> Result<Vec<Pair>, ReviewError> {
        let mut pairing = Pairing { old: self.worked(old)?, new: self.worked(new)?, pairs: Vec::new() };
        let both = |file: &Worked| Some((file.before_path().cloned(), file.after_path().cloned()));
        pairing.take(both, both);
        let after = |file: &Worked| file.after_path().cloned();
        pairing.take(after, after);
        let before = |file: &Worked| file.before_path().cloned();
        pairing.take(before, before);
        if !pairing.old.is_empty() && !pairing.new.is_empty() {
            let bases = self.names(old.base, new.base, pairing.old.iter().filter_map(before).collect())?;
            let added = pairing.old.iter().filter(|file| file.before.is_none()).filter_map(after);
            let heads = self.names(old.head, new.head, added.collect())?;
            pairing.take(
                |file| match file.before_path() {
                    Some(path) => bases.get(path).map(|name| (Origin::Base, name.clone())),
                    None => heads.get(file.after_path()?).map(|name| (Origin::Work, name.clone())),
                },
                |file| match file.before_path() {
                    Some(path) => Some((Origin::Base, path.clone())),
                    None => file.after_path().map(|path| (Origin::Work, path.clone())),
                },
            );
        }
        let Pairing { old, new, mut pairs } = pairing;
        pairs.extend(old.into_iter().map(|old| Pair { old: Some(old), new: None }));
        pairs.extend(new.into_iter().map(|new| Pair { old: None, new: Some(new) }));
        Ok(pairs)
    }

    /// What files of one commit are called in another, as far as they are called otherwise.
    fn names(
        &self,
        from: CommitId,
        to: CommitId,
        mut paths: Vec<RepoPath>,
    ) -> Result<BTreeMap<RepoPath, RepoPath>, ReviewError> {
        paths.truncate(MAX_RENAMED);
        let tree = |commit| history::commit(self.handle(), commit).map(|info| info.tree);
        // As in a partial clone, files may not be here. Without a new name they count as gone and come.
        let found = counterparts(self.handle(), tree(from)?, tree(to)?, &paths).unwrap_or_default();
        let named = paths.into_iter().zip(found).filter_map(|(path, found)| Some((path, found?.path)));
        Ok(named.filter(|(from, to)| from != to).collect())
    }
}

/// One file, as two stretches of work have it; `None` where one does not touch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub old: Option<Worked>,
    pub new: Option<Worked>,
}

/// Where a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Base,
    Work,
}

/// Files that have found each other, and those that have not yet.
struct Pairing {
    old: Vec<Worked>,
    new: Vec<Worked>,
    pairs: Vec<Pair>,
}

impl Pairing {
    /// Puts together what has the same key; what has none stays.
    fn take<K: Ord>(
        &mut self,
        old_key: impl Fn(&Worked) -> Option<K>,
        new_key: impl Fn(&Worked) -> Option<K>,
    ) {
        let (mut keyed, mut rest) = (BTreeMap::new(), Vec::new());
        for file in std::mem::take(&mut self.new) {
            match new_key(&file) {
                Some(key) if !keyed.contains_key(&key) => drop(keyed.insert(key, file)),
                _ => rest.push(file),
            }
        }
        for file in std::mem::take(&mut self.old) {
            match old_key(&file).and_then(|key| keyed.remove(&key)) {
                Some(new) => self.pairs.push(Pair { old: Some(file), new: Some(new) }),
                None => self.old.push(file),
            }
        }
        self.new = keyed.into_values().chain(rest).collect();
    }
}
