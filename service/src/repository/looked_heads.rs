//! Which versions of a review the person of this repository looked at: a local list, never shared.
//!
//! One line of text for each look: the review and its head, the newest last. Writers take turns by an OS lock on the file.
//! It is not synced: a crash costs the last lines, and a line that cannot be read is passed over.

use std::fs::{self, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use postil_core::git::CommitId;
use postil_core::record::RecordId;

/// A longer file loses its older half: those looks are then unknown.
const MAX_BYTES: u64 = 256 * 1024;

/// The versions of reviews that were looked at.
#[derive(Debug)]
pub(crate) struct LookedHeads(PathBuf);

impl LookedHeads {
    /// Those of a repository.
    pub fn of(common_dir: &Path) -> Self {
        Self(common_dir.join("postil").join("looked-heads"))
    }

    /// Writes down that a head of a review was looked at; whether that works changes nothing else.
    pub fn add(&self, review: RecordId, head: CommitId) {
        if self.heads(review).last() == Some(&head) {
            return;
        }
        if let Err(error) = self.append(&format!("{review} {head}\n")) {
            tracing::debug!(%error, file = %self.0.display(), "could not save which version was looked at");
        }
    }

    /// Whether a review was looked at, but not with this head.
    pub fn has_moved(&self, review: RecordId, head: CommitId) -> bool {
        let heads = self.heads(review);
        !heads.is_empty() && !heads.contains(&head)
    }

    /// The version that was looked at last, before the one that is there now; that one, if no other was looked at.
    pub fn last_before(&self, review: RecordId, now: CommitId) -> Option<CommitId> {
        let heads = self.heads(review);
        heads.iter().rev().find(|head| **head != now).or(heads.last()).copied()
    }

    /// The heads of a review that were looked at, the newest last; none of a file that cannot be read.
    fn heads(&self, review: RecordId) -> Vec<CommitId> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        let review = review.to_string();
        text.lines()
            .filter_map(|line| line.split_once(' ').filter(|(of, _)| *of == review))
            .filter_map(|(_, head)| gix::ObjectId::from_hex(head.as_bytes()).ok().map(CommitId::from))
            .collect()
    }

    fn append(&self, line: &str) -> io::Result<()> {
        if let Some(folder) = self.0.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.0)?;
        file.lock()?;
        if file.seek(SeekFrom::End(0))? > MAX_BYTES {
            let text = fs::read_to_string(&self.0).unwrap_or_default();
            let newer = text.split_inclusive('\n').skip(text.lines().count() / 2).collect::<String>();
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(newer.as_bytes())?;
        }
        file.write_all(line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REVIEW: RecordId = RecordId::from_array([7; 16]);
    const OTHER: RecordId = RecordId::from_array([8; 16]);

    fn head(number: u32) -> CommitId {
        CommitId::from(gix::ObjectId::from_hex(format!("{number:040x}").as_bytes()).unwrap())
    }

    #[test]
    fn the_version_before_the_present_one_counts_however_often_that_is_shown() {
        let dir = tempfile::tempdir().unwrap();
        let looked = LookedHeads::of(dir.path());
        assert_eq!(looked.last_before(REVIEW, head(1)), None);
        looked.add(REVIEW, head(1));
        looked.add(OTHER, head(9));
        assert_eq!(looked.last_before(REVIEW, head(1)), Some(head(1)));
        assert_eq!(looked.last_before(REVIEW, head(2)), Some(head(1)));
        assert!(looked.has_moved(REVIEW, head(2)));
        looked.add(REVIEW, head(2));
        looked.add(REVIEW, head(2));
        assert_eq!(looked.last_before(REVIEW, head(2)), Some(head(1)));
        assert!(!looked.has_moved(REVIEW, head(2)) && !looked.has_moved(REVIEW, head(1)));
        assert_eq!(LookedHeads::of(dir.path()).heads(REVIEW), [head(1), head(2)]);
    }

    #[test]
    fn the_file_does_not_grow_for_ever_and_damage_costs_its_line_alone() {
        let dir = tempfile::tempdir().unwrap();
        let looked = LookedHeads::of(dir.path());
        looked.append("no such line\n").unwrap();
        let line = format!("{REVIEW} {}\n", head(1));
        let many = usize::try_from(MAX_BYTES).unwrap() / line.len() + 2;
        looked.append(&line.repeat(many)).unwrap();
        looked.add(REVIEW, head(2));
        let heads = looked.heads(REVIEW);
        assert!(heads.len() < many && heads.last() == Some(&head(2)), "{}", heads.len());
    }
}
