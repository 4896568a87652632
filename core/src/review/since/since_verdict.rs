//! What changed in a review since somebody's verdict.
//!
//! Compares the patch of the branch then with its patch now, file by file; changes from upstream in between are left
//! out. Renamed files are recognised, whoever renamed them.

use super::interdiff::{Patched, Row, interdiff};
use super::patches::{ComparableText, Patches};
use super::since_hunks::{SinceHunk, since_hunks};
use super::work_files::{ComparedFile, WorkFile};
use crate::edit::Text;
use crate::git::tree::TreeEntry;
use crate::git::{CommitId, RepoPath, history};
use crate::review::ReviewError;
use crate::review::folding::review_group::ReviewGroup;
use crate::review::following::follow::Following;

/// What changed between two heads of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    /// The head of the verdict, and its base.
    pub old: Stretch,
    /// The head now, and its base.
    pub new: Stretch,
    /// The files in which the work differs, in the order of their paths.
    pub files: Vec<FileSince>,
}

/// The work of a branch: `base..head`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Where it begins.
    pub base: CommitId,
    /// Where it ends.
    pub head: CommitId,
}

/// A file in which the work differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSince {
    /// The file, under its current name.
    pub path: RepoPath,
    /// Its name at the head of the verdict, if that was another one.
    pub was: Option<RepoPath>,
    /// How.
    pub what: SinceWhat,
}

/// How the work on a file differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SinceWhat {
    /// In these lines.
    Lines {
        /// Those that only one of the patches removes or adds, or both in the same hunk.
        rows: Vec<Row>,
        /// The same, with the lines around them.
        hunks: Vec<SinceHunk>,
    },
    /// In its name, its mode or its line ends, or it has no lines to compare.
    Whole,
}

impl Following<'_> {
    /// Returns what changed since a person's last verdict; `None` if there is no verdict, or the branch is not here.
    ///
    /// A comment counts only if the person gave no other verdict. People are identified by their email. Fails if the
    /// head of the verdict is not here any more.
    pub fn since_verdict(&self, group: ReviewGroup<'_>, email: &str) -> Result<Option<Since>, ReviewError> {
        let verdicts = group.judgements();
        let Some(verdict) = verdicts.iter().find(|verdict| verdict.said.author.email == email) else {
            return Ok(None);
        };
        let (_, Some(lead)) = self.work(group, &[])? else { return Ok(None) };
        self.since(group, verdict.said.head, lead.head).map(Some)
    }

    /// Returns what changed between two heads of a review.
    pub fn since(
        &self,
        group: ReviewGroup<'_>,
        judged: CommitId,
        now: CommitId,
    ) -> Result<Since, ReviewError> {
        let old = Stretch { base: self.fork(group, judged)?, head: judged };
        let new = Stretch { base: self.fork(group, now)?, head: now };
        Ok(Since { old, new, files: self.compare(old, new)? })
    }

    /// Returns the base commit of a head of a review: its fork point.
    ///
    /// If the base contains the head by now, that is where the review began, if the head came from there.
    pub fn fork(&self, group: ReviewGroup<'_>, head: CommitId) -> Result<CommitId, ReviewError> {
        let handle = self.patches.handle();
        let tips = self.base_tips(group);
        let fork = history::merge_base_of_any(handle, head, &tips)?;
        if let Some(fork) = fork.filter(|fork| *fork != head) {
            return Ok(fork);
        }
        for review in group.reviews() {
            let began = review.said().base_commit;
            if self.has(began) && history::is_ancestor(handle, began, head)? {
                return Ok(began);
            }
        }
        fork.ok_or_else(|| ReviewError::Unrelated {
            branch: String::from_utf8_lossy(group.lead().branch()).into_owned(),
            base: String::from_utf8_lossy(group.lead().base()).into_owned(),
        })
    }

    /// Compares the patches of two stretches of work.
    pub(super) fn compare(&self, old: Stretch, new: Stretch) -> Result<Vec<FileSince>, ReviewError> {
        let mut files = Vec::new();
        for ComparedFile { old, new } in self.patches.pair(old, new)? {
            let Some(what) = self.patches.compare_file(old.as_ref(), new.as_ref())? else { continue };
            let was = old.as_ref().and_then(WorkFile::path);
            let Some(path) = new.as_ref().and_then(WorkFile::path).or(was).cloned() else { continue };
            let was = was.filter(|was| **was != path).cloned();
            files.push(FileSince { path, was, what });
        }
        files.sort_by(|one, other| (&one.path, &one.was).cmp(&(&other.path, &other.was)));
        Ok(files)
    }
}

impl Patches {
    /// How the work on one file differs; `None` if it does the same.
    pub(super) fn compare_file(
        &self,
        old: Option<&WorkFile>,
        new: Option<&WorkFile>,
    ) -> Result<Option<SinceWhat>, ReviewError> {
        let sides = |file: Option<&WorkFile>| {
            let entry = |at: &Option<(RepoPath, TreeEntry)>| at.as_ref().map(|(_, entry)| *entry);
            file.map_or((None, None), |file| (entry(&file.before), entry(&file.after)))
        };
        let ((old_base, old_head), (new_base, new_head)) = (sides(old), sides(new));
        // Where upstream renamed the file, and the work did not, nothing of the work changed.
        let renames = old.and_then(WorkFile::renamed_to) != new.and_then(WorkFile::renamed_to);
        let renames = renames && old.is_some() && new.is_some();
        if (old_base, old_head) == (new_base, new_head) {
            return Ok(renames.then_some(SinceWhat::Whole));
        }
        // A file that one of the two did not touch is, for that one, as good as empty on both sides.
        let same_end = old.is_some() && new.is_some() && old_head == new_head;
        let texts = [old_base, old_head, new_base, new_head].map(|entry| self.text(entry));
        let [old_base_text, old_head_text, new_base_text, new_head_text] = texts;
        let texts = [old_base_text?, old_head_text?, new_base_text?, new_head_text?];
        if texts.iter().any(|text| matches!(text, ComparableText::Opaque)) {
            return Ok((renames || !same_end).then_some(SinceWhat::Whole));
        }
        let [old_base_text, old_head_text, new_base_text, new_head_text] = texts.map(|text| match text {
            ComparableText::Text(text) => text,
            ComparableText::Absent | ComparableText::Opaque => Text::new(""),
        });
        let old_patch = Patched { base: &old_base_text, head: &old_head_text };
        let new_patch = Patched { base: &new_base_text, head: &new_head_text };
        let rows = interdiff(old_patch, new_patch);
        if !rows.is_empty() {
            let hunks = since_hunks(&rows, old_patch, new_patch);
            return Ok(Some(SinceWhat::Lines { rows, hunks }));
        }
        let differs = modes(old_base, old_head) != modes(new_base, new_head)
            || LineEndStyle::changed(&old_base_text, &old_head_text)
                != LineEndStyle::changed(&new_base_text, &new_head_text);
        Ok((renames || differs && !same_end).then_some(SinceWhat::Whole))
    }
}

/// Line ends, which a line map does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LineEndStyle {
    carriage_returns: bool,
    last_newline: bool,
}

impl LineEndStyle {
    /// The new ones; `None` if a patch does not change them.
    fn changed(base: &Text, head: &Text) -> Option<Self> {
        (Self::of(base) != Self::of(head)).then(|| Self::of(head))
    }

    fn of(text: &Text) -> Self {
        Self {
            carriage_returns: memchr::memmem::find(text.bytes(), b"\r\n").is_some(),
            last_newline: text.bytes().last() == Some(&b'\n'),
        }
    }
}

fn modes(base: Option<TreeEntry>, head: Option<TreeEntry>) -> (Option<u16>, Option<u16>) {
    let mode = |entry: Option<TreeEntry>| entry.map(|entry| entry.mode.value());
    (mode(base), mode(head))
}
