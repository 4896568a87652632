//! Tips of the notes that could not be read and were skipped.
//!
//! A ref to such a commit would make `git gc` and `git fsck` fail, so a file, `postil/lost-tips` in the git directory,
//! has a line for each: its id, when it was skipped, whether somebody knows, and what it was about. If its objects
//! come back, by a fetch or from a backup, it is merged.

use super::write_session::WriteSession;
use crate::git::{CommitId, Durability, Repository, history, last_message};
use crate::notes::reading::readable_tip::{ReadableExtent, newest_readable, readable_tree, unreadable_parts};
use crate::notes::{Committer, NotesError, Store, refs};

/// The file.
const FILE: &str = "lost-tips";

/// More than this are not kept; the oldest go first.
const MAX_TIPS: usize = 64;

/// A tip of the notes that could not be read and was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostTip {
    /// The commit.
    pub commit: CommitId,
    /// When it was skipped, in seconds since 1970.
    pub since: i64,
    /// Whether somebody was told, see [`Store::acknowledge_lost_tips`].
    pub is_acknowledged: bool,
    /// The subject of the commit, if it is known.
    pub subject: String,
}

impl LostTip {
    fn to_line(&self) -> String {
        let word = if self.is_acknowledged { "known" } else { "new" };
        format!("{} {} {word} {}\n", self.commit, self.since, self.subject)
    }

    fn from_line(line: &str) -> Option<Self> {
        let mut words = line.splitn(4, ' ');
        let commit = CommitId::from_hex(words.next()?.as_bytes())?;
        let since = words.next()?.parse().ok()?;
        let is_acknowledged = words.next()? == "known";
        Some(Self { commit, since, is_acknowledged, subject: words.next().unwrap_or_default().to_owned() })
    }
}

impl Store {
    /// Returns the tips that could not be read and were skipped, the oldest first.
    pub fn lost_tips(&self) -> Vec<LostTip> {
        read(self.repository())
    }

    /// Merges those lost tips whose objects are here again, and returns how many.
    pub fn recover_lost_tips(&self, by: &Committer) -> Result<usize, NotesError> {
        let lost = self.lost_tips();
        if lost.is_empty() {
            return Ok(0);
        }
        let handle = self.repository().stage()?;
        let tip = self.tip()?;
        let has_history = |lost: CommitId| {
            history::between(&handle, tip, lost).is_ok_and(|between| between.missing.is_empty())
        };
        let is_back = |lost: &LostTip| {
            unreadable_parts(&handle, lost.commit).is_empty()
                && has_history(lost.commit)
                && self.merge(lost.commit, by).is_ok()
        };
        let back: Vec<CommitId> = lost.iter().filter(|lost| is_back(lost)).map(|lost| lost.commit).collect();
        if !back.is_empty() {
            self.session(by)?.change_lost_tips(|tips| tips.retain(|lost| !back.contains(&lost.commit)));
        }
        Ok(back.len())
    }

    /// Remembers that somebody was told about the lost tips that there are.
    pub fn acknowledge_lost_tips(&self, by: &Committer) -> Result<(), NotesError> {
        if self.lost_tips().iter().any(|lost| !lost.is_acknowledged) {
            let acknowledge = |lost: &mut LostTip| lost.is_acknowledged = true;
            self.session(by)?.change_lost_tips(|tips| tips.iter_mut().for_each(acknowledge));
        }
        Ok(())
    }

    /// Moves files of lost tips away that are there and cannot be read: git would not fetch their objects again.
    pub fn set_damaged_aside(&self, by: &Committer) -> Result<(), NotesError> {
        let session = self.session(by)?;
        for lost in self.lost_tips() {
            for object in unreadable_parts(&session.repo, lost.commit) {
                if let Err(error) = session.lock.set_damaged_aside(object) {
                    tracing::warn!(%object, %error, "could not move a damaged object");
                }
            }
        }
        Ok(())
    }
}

impl WriteSession<'_> {
    /// Moves the notes ref to the newest notes that can be read, if those at `tip` cannot; returns where it is then.
    pub(super) fn skip_unreadable(&mut self, tip: CommitId) -> Result<Option<CommitId>, NotesError> {
        let Err(object) = readable_tree(&self.repo, tip) else { return Ok(Some(tip)) };
        let found = self.repo.find_header(tip.raw());
        let is_other = found.is_ok_and(|found| found.kind() != gix::object::Kind::Commit);
        if !is_other {
            self.believe_lost([object])?;
        }
        let readable = newest_readable(self.repository(), &self.repo, tip, ReadableExtent::Top);
        tracing::warn!(%tip, %object, ?readable, "the notes at their tip could not be read");
        // Before the ref moves: its reflog goes with the ref, if there is nothing to move it to.
        if !is_other {
            self.note_lost_tip(tip);
        }
        let log = "postil: skip an unreadable commit";
        self.swap(refs::NOTES, Some(tip), readable, log, Durability::Synced)?;
        Ok(readable)
    }

    pub(super) fn note_lost_tip(&self, commit: CommitId) {
        let said = last_message(self.repository().common_dir(), &refs::name(refs::NOTES), commit);
        let subject = said.or_else(|| self.subject_of(commit)).unwrap_or_default();
        self.change_lost_tips(|tips| {
            tips.retain(|lost| lost.commit != commit);
            tips.push(LostTip { commit, since: self.seconds(), is_acknowledged: false, subject });
            tips.drain(..tips.len().saturating_sub(MAX_TIPS));
        });
    }

    fn subject_of(&self, commit: CommitId) -> Option<String> {
        let found = self.repo.find_commit(commit.raw()).ok()?;
        let message = String::from_utf8_lossy(found.message_raw_sloppy()).into_owned();
        message.lines().next().map(str::to_owned)
    }

    /// If the file cannot be written, the reflog still has the id.
    fn change_lost_tips(&self, change: impl FnOnce(&mut Vec<LostTip>)) {
        let mut tips = read(self.repository());
        change(&mut tips);
        let lines: String = tips.iter().map(LostTip::to_line).collect();
        if let Err(error) = self.lock.write_state_file(FILE, lines.as_bytes()) {
            tracing::warn!(%error, "could not save which commits of the notes were skipped");
        }
    }
}

fn read(repo: &Repository) -> Vec<LostTip> {
    let told = repo.state_file(FILE).unwrap_or_default();
    String::from_utf8_lossy(&told).lines().filter_map(LostTip::from_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_tip_survives_its_line() {
        let commit = CommitId::from_bytes(&[7; 20]).expect("an id is 20 bytes");
        for (is_acknowledged, subject) in [(false, ""), (true, "Comment on a file: b c")] {
            let lost = LostTip { commit, since: 12, is_acknowledged, subject: subject.to_owned() };
            assert_eq!(LostTip::from_line(lost.to_line().trim_end_matches('\n')), Some(lost));
        }
        assert_eq!(LostTip::from_line("12 34 new x"), None);
    }
}
