//! The files that a stretch of work changes, each with its names before and after.
//!
//! Also finds which files of two stretches are the same, whoever renamed them in between. Comparing the work on a
//! file is `since_verdict`.

use std::collections::BTreeMap;

use super::patches::Patches;
use super::since_verdict::Stretch;
use crate::anchoring::counterparts;
use crate::git::tree::{TreeChange, TreeEntry};
use crate::git::{CommitId, RepoPath, history};
use crate::review::ReviewError;

/// For more removed files than this, renames are not searched: each is compared with all added ones.
const MAX_RENAMED: usize = 200;

/// A file that a stretch of work changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::review) struct WorkFile {
    /// Where and what it is before; `None` if it is added.
    pub before: Option<(RepoPath, TreeEntry)>,
    /// Where and what it is after; `None` if it is removed.
    pub after: Option<(RepoPath, TreeEntry)>,
}

impl From<&TreeChange> for WorkFile {
    /// As if nothing were renamed.
    fn from(change: &TreeChange) -> Self {
        let at = |entry: Option<TreeEntry>| entry.map(|entry| (change.path().clone(), entry));
        Self { before: at(change.before()), after: at(change.after()) }
    }
}

impl WorkFile {
    /// The name to show: the last one it has.
    pub fn path(&self) -> Option<&RepoPath> {
        self.after.as_ref().or(self.before.as_ref()).map(|(path, _)| path)
    }

    /// The new name, if the work renames the file.
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
    /// The files that a stretch changes; a renamed file is one file.
    fn worked(&self, stretch: Stretch) -> Result<Vec<WorkFile>, ReviewError> {
        let patch = self.between(stretch.base, stretch.head)?;
        let (mut files, mut gone, mut come) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        for change in &patch.changes {
            match change {
                TreeChange::Removed { path, entry } => drop(gone.insert(path.clone(), *entry)),
                TreeChange::Added { path, entry } => drop(come.insert(path.clone(), *entry)),
                TreeChange::Modified { .. } => files.push(WorkFile::from(change)),
            }
        }
        if !come.is_empty() {
            let paths: Vec<RepoPath> = gone.keys().cloned().collect();
            for (from, to) in self.names(stretch.base, stretch.head, paths)? {
                if let (Some(before), Some(after)) = (gone.get(&from).copied(), come.remove(&to)) {
                    gone.remove(&from);
                    files.push(WorkFile { before: Some((from, before)), after: Some((to, after)) });
                }
            }
        }
        files.extend(gone.into_iter().map(|before| WorkFile { before: Some(before), after: None }));
        files.extend(come.into_iter().map(|after| WorkFile { before: None, after: Some(after) }));
        Ok(files)
    }

    /// Pairs the files of two stretches that are the same.
    ///
    /// Equal names count first, then the name after, then the name before; then the name that upstream gave to the
    /// old file, or, for files that the work itself added, the name in the new version of the work.
    pub fn pair(&self, old: Stretch, new: Stretch) -> Result<Vec<ComparedFile>, ReviewError> {
        let mut pairing = Pairing { old: self.worked(old)?, new: self.worked(new)?, pairs: Vec::new() };
        let both = |file: &WorkFile| Some((file.before_path().cloned(), file.after_path().cloned()));
        pairing.take(both, both);
        let after = |file: &WorkFile| file.after_path().cloned();
        pairing.take(after, after);
        let before = |file: &WorkFile| file.before_path().cloned();
        pairing.take(before, before);
        if !pairing.old.is_empty() && !pairing.new.is_empty() {
            let bases = self.names(old.base, new.base, pairing.old.iter().filter_map(before).collect())?;
            let added = pairing.old.iter().filter(|file| file.before.is_none()).filter_map(after);
            let heads = self.names(old.head, new.head, added.collect())?;
            pairing.take(
                |file| match file.before_path() {
                    Some(path) => bases.get(path).map(|name| (FileOrigin::Base, name.clone())),
                    None => heads.get(file.after_path()?).map(|name| (FileOrigin::Work, name.clone())),
                },
                |file| match file.before_path() {
                    Some(path) => Some((FileOrigin::Base, path.clone())),
                    None => file.after_path().map(|path| (FileOrigin::Work, path.clone())),
                },
            );
        }
        let Pairing { old, new, mut pairs } = pairing;
        pairs.extend(old.into_iter().map(|old| ComparedFile { old: Some(old), new: None }));
        pairs.extend(new.into_iter().map(|new| ComparedFile { old: None, new: Some(new) }));
        Ok(pairs)
    }

    /// The names of files of one commit in another, if they were renamed.
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

/// One file in two stretches of work; `None` if one does not change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::review) struct ComparedFile {
    pub old: Option<WorkFile>,
    pub new: Option<WorkFile>,
}

/// Who added a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FileOrigin {
    Base,
    Work,
}

/// Files that are paired, and those that are not yet.
struct Pairing {
    old: Vec<WorkFile>,
    new: Vec<WorkFile>,
    pairs: Vec<ComparedFile>,
}

impl Pairing {
    /// Pairs files with the same key; those without a key stay.
    fn take<K: Ord>(
        &mut self,
        old_key: impl Fn(&WorkFile) -> Option<K>,
        new_key: impl Fn(&WorkFile) -> Option<K>,
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
                Some(new) => self.pairs.push(ComparedFile { old: Some(file), new: Some(new) }),
                None => self.old.push(file),
            }
        }
        self.new = keyed.into_values().chain(rest).collect();
    }
}
