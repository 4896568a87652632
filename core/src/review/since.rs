//! What changed in a review since somebody judged it.
//!
//! Compares what the branch did then with what it does now, file by file; what came from upstream in between is not
//! told. A file is the same one under another name, whoever renamed it.

use super::ReviewError;
use super::following::Following;
use super::group::ReviewGroup;
use super::interdiff::{Patched, Row, interdiff};
use super::patches::{Lines, Patches};
use super::worked::{Pair, Worked};
use crate::edit::Text;
use crate::git::tree::Entry;
use crate::git::{CommitId, RepoPath, history};

/// What changed between two heads of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    /// The head that was judged, and what it is compared with.
    pub old: Stretch,
    /// The head now, and what it is compared with.
    pub new: Stretch,
    /// The files in which the work differs, in the order of their paths.
    pub files: Vec<FileSince>,
}

/// The work of a branch: what leads from `base` to `head`.
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
    /// The file, as it is called now.
    pub path: RepoPath,
    /// What the head that was judged called it, where that is another name.
    pub was: Option<RepoPath>,
    /// How.
    pub what: SinceWhat,
}

/// How the work on a file differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SinceWhat {
    /// In these lines.
    Lines(Vec<Row>),
    /// In its name, its mode or its line ends, or it has no lines to compare.
    Whole,
}

impl Following<'_> {
    /// Says what changed since a person's last verdict; `None` if they have not judged, or the branch is not here.
    ///
    /// A comment counts only for who has never judged otherwise. People are told apart by their email. Fails if the head that was judged is not here any more.
    pub fn since_verdict(&self, group: ReviewGroup<'_>, email: &str) -> Result<Option<Since>, ReviewError> {
        let verdicts = group.judgements();
        let Some(verdict) = verdicts.iter().find(|verdict| verdict.said.author.email == email) else {
            return Ok(None);
        };
        let (_, Some(lead)) = self.work(group, &[])? else { return Ok(None) };
        self.since(group, verdict.said.head, lead.head).map(Some)
    }

    /// Says what changed between two heads of a review.
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

    /// What a head of a review is compared with: the commit at which it left its base.
    ///
    /// A head that the base has by now is compared with where the review began, if it came from there.
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

    /// Compares what two stretches of work do.
    pub(super) fn compare(&self, old: Stretch, new: Stretch) -> Result<Vec<FileSince>, ReviewError> {
        let mut files = Vec::new();
        for Pair { old, new } in self.patches.pair(old, new)? {
            let Some(what) = self.patches.compare_file(old.as_ref(), new.as_ref())? else { continue };
            let was = old.as_ref().and_then(Worked::path);
            let Some(path) = new.as_ref().and_then(Worked::path).or(was).cloned() else { continue };
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
        old: Option<&Worked>,
        new: Option<&Worked>,
    ) -> Result<Option<SinceWhat>, ReviewError> {
        let sides = |file: Option<&Worked>| {
            let entry = |at: &Option<(RepoPath, Entry)>| at.as_ref().map(|(_, entry)| *entry);
            file.map_or((None, None), |file| (entry(&file.before), entry(&file.after)))
        };
        let ((old_base, old_head), (new_base, new_head)) = (sides(old), sides(new));
        // Where upstream renamed the file, and the work did not, nothing of the work changed.
        let renames = old.and_then(Worked::renamed_to) != new.and_then(Worked::renamed_to);
        let renames = renames && old.is_some() && new.is_some();
        if (old_base, old_head) == (new_base, new_head) {
            return Ok(renames.then_some(SinceWhat::Whole));
        }
        // A file that one of the two did not touch is, for that one, as good as empty on both sides.
        let same_end = old.is_some() && new.is_some() && old_head == new_head;
        let texts = [old_base, old_head, new_base, new_head].map(|entry| self.text(entry));
        let [old_base_text, old_head_text, new_base_text, new_head_text] = texts;
        let texts = [old_base_text?, old_head_text?, new_base_text?, new_head_text?];
        if texts.iter().any(|text| matches!(text, Lines::Opaque)) {
            return Ok((renames || !same_end).then_some(SinceWhat::Whole));
        }
        let [old_base_text, old_head_text, new_base_text, new_head_text] = texts.map(|text| match text {
            Lines::Text(text) => text,
            Lines::Absent | Lines::Opaque => Text::new(""),
        });
        let rows = interdiff(
            Patched { base: &old_base_text, head: &old_head_text },
            Patched { base: &new_base_text, head: &new_head_text },
        );
        if !rows.is_empty() {
            return Ok(Some(SinceWhat::Lines(rows)));
        }
        let differs = modes(old_base, old_head) != modes(new_base, new_head)
            || LineEnds::changed(&old_base_text, &old_head_text)
                != LineEnds::changed(&new_base_text, &new_head_text);
        Ok((renames || differs && !same_end).then_some(SinceWhat::Whole))
    }
}

/// What the line map is blind to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LineEnds {
    carriage_returns: bool,
    last_newline: bool,
}

impl LineEnds {
    /// What a patch makes of them; `None` if it leaves them as they are.
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

fn modes(base: Option<Entry>, head: Option<Entry>) -> (Option<u16>, Option<u16>) {
    let mode = |entry: Option<Entry>| entry.map(|entry| entry.mode.value());
    (mode(base), mode(head))
}
