//! Where one remark is in one later patch set: by postil, and by git's diff.

use std::num::NonZeroUsize;
use std::path::Path;

use postil_core::anchoring::locate;
use postil_core::edit::Text;
use postil_core::git::{BlobId, CommitId, RepoPath};
use postil_core::record::{Anchor, LineSpan, Range};
use serde::Serialize;

use super::git_diff::{ALGORITHMS, GitDiff, beside, kept};
use super::notedb::Remark;
use super::options::SpanChoice;
use crate::case::CaseAnswer;
use crate::stored::{LabError, anchor, corners_to_range, head, written};

/// Which later patch set is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Later {
    /// The one right after, and there are more.
    Next,
    /// The last one, and there are others between.
    Last,
    /// The one right after, which is the last one.
    Only,
}

/// A remark, and the patch set in which it is looked for.
pub struct RemarkQuestion {
    pub change: u32,
    pub remark: Remark,
    pub old: CommitId,
    pub new: CommitId,
    pub new_patch_set: u32,
    pub later: Later,
}

/// A place by git.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GitPlace {
    pub path: String,
    pub start: u32,
}

/// What was found; with the names that cases have, so that it can be asked again.
#[derive(Serialize)]
pub struct FoundRemark {
    pub repo: String,
    pub change: u32,
    pub patch_set: u32,
    pub new_patch_set: u32,
    pub later: Later,
    pub old_commit: String,
    pub new_commit: String,
    pub old_path: String,
    pub old_start: u32,
    pub old_end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<[u32; 4]>,
    /// The old lines as they were, for people.
    pub text: String,
    /// Where plain `git diff -M` keeps the lines.
    pub myers: Option<GitPlace>,
    /// Where `git diff -M --histogram` keeps them.
    pub histogram: Option<GitPlace>,
    /// Whether the lines stand exactly once in both versions of the file.
    pub once: bool,
    /// Whether the file is the same.
    pub same_file: bool,
    /// Near which line of the file they would be.
    pub beside: Option<GitPlace>,
    #[serde(flatten)]
    pub answer: CaseAnswer,
}

impl FoundRemark {
    /// Where git keeps lines of which there is no second one: nobody can mean another place.
    pub fn undisputed(&self) -> Option<&GitPlace> {
        self.myers.as_ref().or(self.histogram.as_ref()).filter(|_| self.once)
    }

    /// What is wrong with the answer, where git's is beyond doubt.
    pub fn disagreement(&self) -> Option<&'static str> {
        let git = self.undisputed()?;
        match (&self.answer.path, self.answer.start) {
            (Some(path), Some(start)) if *path == git.path && start == git.start => {
                (!self.is_sure()).then_some("unsure")
            }
            (Some(_), _) => Some("elsewhere"),
            _ => Some("lost"),
        }
    }

    /// Whether it is called the same text.
    pub fn is_sure(&self) -> bool {
        matches!(self.answer.state.as_str(), "anchored" | "shifted")
    }

    /// Whether something else is said to stand there.
    pub fn is_replaced(&self) -> bool {
        self.answer.reason == "replaced"
    }
}

/// Answers questions that all go from one commit to another.
pub fn answer(
    repo: &gix::Repository,
    mirror: &Path,
    name: &str,
    span: SpanChoice,
    questions: &[RemarkQuestion],
) -> Vec<Result<FoundRemark, LabError>> {
    let anchors: Vec<_> = questions.iter().map(|question| make(repo, span, question)).collect();
    let made: Vec<&Anchor> = anchors.iter().filter_map(|anchor| anchor.as_ref().ok()).collect();
    let Some(first) = questions.first() else { return Vec::new() };
    let mut diff = GitDiff::new(mirror, first.old, first.new);
    let head = match head(repo, first.new) {
        Ok(head) => head,
        Err(error) => return questions.iter().map(|_| Err(error.to_string().into())).collect(),
    };
    let mut positions = locate(repo, &made, head, NonZeroUsize::MIN).into_iter();
    let mut found = Vec::with_capacity(questions.len());
    for (question, anchor) in questions.iter().zip(anchors) {
        found.push(anchor.and_then(|anchor| {
            let position = positions.next().ok_or("there is no position")??;
            let id = format!("{}:{}:{}", question.change, question.new_patch_set, question.remark.uuid);
            let answer = written(repo, id.into(), &position, head.tree, 0)?;
            compare(repo, name, &mut diff, question, &anchor, answer)
        }));
    }
    found
}

fn make(repo: &gix::Repository, span: SpanChoice, question: &RemarkQuestion) -> Result<Anchor, LabError> {
    let remark = &question.remark;
    let path = RepoPath::new(remark.path.as_bytes()).ok_or("the path is none")?;
    anchor(repo, question.old, &path, |text| {
        let selection = remark.selection.filter(|_| span == SpanChoice::Selection);
        selection.and_then(|corners| corners_to_range(text, corners)).or_else(|| {
            let span = LineSpan::from_numbers(remark.line, remark.line)?;
            Some(Range::lines(span))
        })
    })
}

fn compare(
    repo: &gix::Repository,
    name: &str,
    diff: &mut GitDiff,
    question: &RemarkQuestion,
    anchor: &Anchor,
    answer: CaseAnswer,
) -> Result<FoundRemark, LabError> {
    let remark = &question.remark;
    let span = anchor.range.ok_or("the anchor has no lines")?.span();
    let (first, last) = (span.first(), span.last());
    let (old_blob, old_text) = file(repo, question.old, &remark.path)?.ok_or("the old file is gone")?;
    let mut new_path = Some(remark.path.clone());
    let mut new = file(repo, question.new, &remark.path)?;
    if new.is_none() {
        new_path = diff.renamed(&remark.path)?;
        new = match &new_path {
            Some(path) => file(repo, question.new, path)?,
            None => None,
        };
    }
    let lines = |text: &Text, at: u32| -> Vec<Vec<u8>> {
        (at..=at + (last - first)).map(|line| text.line(line - 1).to_vec()).collect()
    };
    let wanted = lines(&old_text, first);
    let count = |text: &Text| {
        let starts = 1..(text.len() + 2).saturating_sub(wanted.len() as u32);
        starts.filter(|at| lines(text, *at) == wanted).count()
    };
    let mut found = FoundRemark {
        repo: name.to_owned(),
        change: question.change,
        patch_set: remark.patch_set,
        new_patch_set: question.new_patch_set,
        later: question.later,
        old_commit: question.old.to_string(),
        new_commit: question.new.to_string(),
        old_path: remark.path.clone(),
        old_start: first,
        old_end: last,
        old: remark.selection.filter(|_| anchor.range.is_some_and(|range| range.columns().is_some())),
        text: String::from_utf8_lossy(&wanted.join(&b'\n')).into_owned(),
        myers: None,
        histogram: None,
        once: false,
        same_file: false,
        beside: None,
        answer,
    };
    if let (Some((new_blob, new_text)), Some(path)) = (new, new_path) {
        let [myers, histogram] = ALGORITHMS;
        let mut place = |algorithm| -> Result<Option<GitPlace>, LabError> {
            let start = kept(diff.hunks(old_blob, new_blob, algorithm)?, first, last);
            Ok(start.map(|start| GitPlace { path: path.clone(), start }))
        };
        found.myers = place(myers)?;
        found.histogram = place(histogram)?;
        found.once = count(&old_text) == 1 && count(&new_text) == 1;
        found.same_file = old_blob == new_blob;
        let start = beside(diff.hunks(old_blob, new_blob, histogram)?, first);
        found.beside = Some(GitPlace { path, start });
    }
    Ok(found)
}

/// A file of a commit, if it is there.
fn file(repo: &gix::Repository, commit: CommitId, path: &str) -> Result<Option<(BlobId, Text)>, LabError> {
    let tree = repo.find_commit(commit.raw())?.tree()?;
    let Some(entry) = tree.lookup_entry(path.split('/'))? else { return Ok(None) };
    if !entry.mode().is_blob() {
        return Ok(None);
    }
    let blob = entry.object_id();
    Ok(Some((blob.into(), Text::new(repo.find_blob(blob)?.detach().data))))
}
