//! Answers a case from a repository: the anchor is made and located as every client does it.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Instant;

use postil_core::anchoring::{Head, Pointed, Position, anchor_at, locate};
use postil_core::edit::Text;
use postil_core::git::{BlobId, CommitId, RepoPath, TreeId};
use postil_core::record::{Anchor, Columns, LineSpan, Range};

use crate::case::{AnsweredCandidate, CaseAnswer, Stored};
use crate::columns::{to_byte, to_point};

pub type LabError = Box<dyn std::error::Error + Send + Sync>;

/// Makes the anchor of a case and locates it.
pub fn answer(repo: &gix::Repository, id: serde_json::Value, case: &Stored) -> Result<CaseAnswer, LabError> {
    let old = commit(&case.old_commit)?;
    let new = commit(&case.new_commit)?;
    let path = RepoPath::new(case.old_path.as_bytes()).ok_or("the path is none")?;
    let mut anchor = anchor(repo, old, &path, |text| match (case.old, case.old_start, case.old_end) {
        (Some(corners), ..) => corners_to_range(text, corners),
        (None, Some(first), Some(last)) => LineSpan::from_numbers(first, last).map(Range::lines),
        _ => None,
    })?;
    if case.pruned {
        anchor.commit = Some(absent(repo, old)?);
    }
    locate_anchor(repo, id, anchor, head(repo, new)?)
}

/// A commit that the repository does not have, in place of one that it has.
///
/// To the engine it is what a commit is that was rewritten and collected: a name that leads nowhere.
fn absent(repo: &gix::Repository, commit: CommitId) -> Result<CommitId, LabError> {
    let mut bytes = commit.as_bytes().to_vec();
    bytes.reverse();
    let id = CommitId::from_bytes(&bytes).ok_or("the commit has no name")?;
    if repo.has_object(id.raw()) { Err("the name of an absent commit is taken".into()) } else { Ok(id) }
}

/// Makes an anchor in a file of a commit, as a comment does.
pub fn anchor(
    repo: &gix::Repository,
    commit: CommitId,
    path: &RepoPath,
    range: impl FnOnce(&Text) -> Option<Range>,
) -> Result<Anchor, LabError> {
    let tree = repo.find_commit(commit.raw())?.tree()?;
    let entry = tree
        .lookup_entry(path.as_bytes().split(|byte| *byte == b'/'))?
        .ok_or("there is no such file at the old commit")?;
    let blob = entry.object_id();
    let content = repo.find_blob(blob)?.detach().data;
    let range = range(&Text::new(content.clone())).ok_or("the range is none")?;
    let pointed =
        Pointed { commit: Some(commit), path, blob: blob.into(), content: &content, range: Some(range) };
    Ok(anchor_at(&pointed)?)
}

/// A commit to locate anchors in.
pub fn head(repo: &gix::Repository, commit: CommitId) -> Result<Head, LabError> {
    let tree = repo.find_commit(commit.raw())?.tree_id()?.detach().into();
    Ok(Head { tree, commit: Some(commit) })
}

/// Locates one anchor and writes down where it is.
pub fn locate_anchor(
    repo: &gix::Repository,
    id: serde_json::Value,
    anchor: Anchor,
    head: Head,
) -> Result<CaseAnswer, LabError> {
    let anchors = [anchor];
    let begun = Instant::now();
    let position = locate(repo, &anchors, head, NonZeroUsize::MIN).remove(0)?;
    let micros = begun.elapsed().as_micros() as u64;
    written(repo, id, &position, head.tree, micros)
}

/// Writes a position as an answer.
pub fn written(
    repo: &gix::Repository,
    id: serde_json::Value,
    position: &Position,
    head: TreeId,
    micros: u64,
) -> Result<CaseAnswer, LabError> {
    let site = position.site();
    let range = site.and_then(|site| site.range);
    let corners = match (site, range) {
        (Some(site), Some(range)) => Some(range_to_corners(&text_at(repo, head, &site.path)?, range)),
        _ => None,
    };
    Ok(CaseAnswer {
        id,
        state: position.state().to_owned(),
        path: site.map(|site| site.path.to_string()),
        start: range.map(|range| range.span().first()),
        end: range.map(|range| range.span().last()),
        range: corners,
        confidence: position.confidence().per_mille(),
        reason: position.reason().to_owned(),
        candidates: position
            .candidates()
            .iter()
            .map(|candidate| AnsweredCandidate {
                path: candidate.site.path.to_string(),
                start: candidate.site.range.map(|range| range.span().first()),
                end: candidate.site.range.map(|range| range.span().last()),
                confidence: candidate.confidence.per_mille(),
            })
            .collect(),
        micros,
    })
}

/// A range with columns in code points, as a range with columns in bytes.
pub fn corners_to_range(text: &Text, [first, from, last, to]: [u32; 4]) -> Option<Range> {
    let span = LineSpan::from_numbers(first, last)?;
    let start = to_byte(text.line(first - 1), from.checked_sub(1)?) + 1;
    let end = to_byte(text.line(last - 1), to);
    Range::with_columns(span, Columns { start: NonZeroU32::new(start)?, end: NonZeroU32::new(end.max(1))? })
}

fn range_to_corners(text: &Text, range: Range) -> [u32; 4] {
    let (first, last) = (range.span().first(), range.span().last());
    let (first_line, last_line) = (text.line(first - 1), text.bare(last - 1));
    match range.columns() {
        Some(columns) => [
            first,
            to_point(first_line, columns.start.get() - 1) + 1,
            last,
            to_point(text.line(last - 1), columns.end.get()).max(1),
        ],
        None => [first, 1, last, to_point(last_line, last_line.len() as u32).max(1)],
    }
}

/// The text of a file in a tree.
pub fn text_at(repo: &gix::Repository, tree: TreeId, path: &RepoPath) -> Result<Text, LabError> {
    let tree = repo.find_tree(tree.raw())?;
    let entry = tree
        .lookup_entry(path.as_bytes().split(|byte| *byte == b'/'))?
        .ok_or("the engine named a file that is not there")?;
    let blob = BlobId::from(entry.object_id());
    Ok(Text::new(repo.find_blob(blob.raw())?.detach().data))
}

/// Reads the name of a commit.
pub fn commit(hex: &str) -> Result<CommitId, LabError> {
    CommitId::from_hex(hex.as_bytes()).ok_or_else(|| format!("{hex} is no commit").into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;
    use crate::inline::write;

    #[test]
    fn a_commit_that_was_pruned_leads_nowhere_and_its_blob_is_still_there() {
        let folder = tempfile::tempdir().unwrap();
        gix::init_bare(folder.path()).unwrap();
        let repo = gix::open_opts(folder.path(), gix::open::Options::isolated()).unwrap();
        let who = gix::actor::SignatureRef { name: "a".into(), email: "a@b".into(), time: "1 +0000" };
        let commit = |path: &str, text: &str, parents: &[gix::ObjectId]| {
            let tree = write(&repo, &BTreeMap::from([(path, text)])).unwrap();
            repo.new_commit_as(who, who, "c", tree.raw(), parents.to_vec()).unwrap().id
        };
        let text =
            |word: &str| format!("{word} one\n{word} two\nread the journal\n{word} three\n{word} four\n");
        let base = commit("z.txt", "nothing of it\n", &[]);
        let old = commit("a.txt", &text("first"), &[base]);
        // Amended: under another name, and longer.
        let new = commit("b.txt", &format!("{}and more\n", text("first")), &[base]);
        let answer = |pruned: bool| {
            let case = json!({
                "repo": "", "old_commit": old.to_string(), "old_path": "a.txt", "old_start": 3, "old_end": 3,
                "new_commit": new.to_string(), "pruned": pruned,
            });
            let answer = answer(&repo, json!(1), &serde_json::from_value(case).unwrap()).unwrap();
            format!("{} {}", answer.state, answer.reason)
        };
        // That the file has another name is told by the files of the commit.
        assert_eq!(answer(false), "anchored renamed");
        assert_eq!(answer(true), "orphaned file-deleted");
    }
}
