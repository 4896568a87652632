//! How often each finding was absent from the report of its source, at how many commits: a local count, never shared.
//!
//! One file in the git directory, a line for each thread: its id, the count, and the commit that was counted last. What
//! cannot be read or written counts from the beginning: a thread then stays open for longer.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use postil_core::git::CommitId;
use postil_core::record::RecordId;

/// More threads than this are not counted.
const MAX_COUNTED: usize = 65_536;

/// The counts of a repository.
#[derive(Debug)]
pub(crate) struct AbsentCounts {
    file: PathBuf,
    counts: BTreeMap<RecordId, (u32, String)>,
    has_changed: bool,
}

impl AbsentCounts {
    /// Reads the counts of a repository.
    pub fn read(common_dir: &Path) -> Self {
        let file = common_dir.join("postil").join("absent");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let line = |line: &str| {
            let mut words = line.split(' ');
            let id = RecordId::from_hex(words.next()?)?;
            Some((id, (words.next()?.parse().ok()?, words.next()?.to_owned())))
        };
        let counts = text.lines().filter_map(line).take(MAX_COUNTED).collect();
        Self { file, counts, has_changed: false }
    }

    /// Counts one more absence, unless it was counted at this commit; returns how many there were.
    pub fn count(&mut self, thread: RecordId, head: Option<&CommitId>) -> u32 {
        let head = head.map_or_else(|| "-".to_owned(), ToString::to_string);
        let (count, last) = self.counts.entry(thread).or_default();
        if *last != head {
            *count = count.saturating_add(1);
            *last = head;
            self.has_changed = true;
        }
        *count
    }

    /// Begins from the beginning: it is reported again, or retired.
    pub fn forget(&mut self, thread: RecordId) {
        self.has_changed |= self.counts.remove(&thread).is_some();
    }

    /// Writes the counts, if they changed.
    pub fn write(&self) {
        if !self.has_changed {
            return;
        }
        let mut text = String::new();
        for (id, (count, head)) in &self.counts {
            let _ = writeln!(text, "{id} {count} {head}");
        }
        let new = self.file.with_extension("new");
        let written = self
            .file
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&new, text))
            .and_then(|()| fs::rename(&new, &self.file));
        if let Err(error) = written {
            tracing::debug!(%error, file = %self.file.display(), "could not count what is absent");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absence_counts_once_for_each_commit_until_it_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (RecordId::from_array([1; 16]), RecordId::from_array([2; 16]));
        let commit = |number: u8| CommitId::from_bytes(&[number; 20]).unwrap();
        let mut counts = AbsentCounts::read(dir.path());
        assert_eq!(counts.count(one, Some(&commit(1))), 1);
        assert_eq!(counts.count(one, Some(&commit(1))), 1);
        counts.count(two, None);
        counts.write();
        let mut counts = AbsentCounts::read(dir.path());
        assert_eq!(counts.count(one, Some(&commit(2))), 2);
        counts.forget(two);
        counts.write();
        let mut counts = AbsentCounts::read(dir.path());
        assert_eq!((counts.count(one, Some(&commit(2))), counts.count(two, None)), (2, 1));
        fs::write(dir.path().join("postil/absent"), "nonsense\n\u{1}").unwrap();
        assert_eq!(AbsentCounts::read(dir.path()).count(one, None), 1);
    }
}
