//! Answers a case whose texts stand in the case itself: two trees without history, or four for deleted lines.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Instant;

use postil_core::anchoring::{
    Base, Head, Pointed, PointedBase, anchor_at, anchor_at_base, counterpart, locate_change,
};
use postil_core::edit::Text;
use postil_core::git::{BlobId, CommitId, RepoPath, TreeId};
use postil_core::record::{Columns, LineSpan, Range};

use crate::case::{CaseAnswer, InlineCase};
use crate::columns::to_byte;
use crate::stored::{LabError, locate_anchor, written};

/// Makes two trees of the case's texts, in memory, and locates the anchor in the second.
///
/// `repo` is an empty repository; nothing is written to it.
pub fn answer(
    repo: &gix::Repository,
    id: serde_json::Value,
    case: &InlineCase,
) -> Result<CaseAnswer, LabError> {
    let repo = repo.clone().with_object_memory();
    if case.side.as_deref() == Some("old") {
        return answer_deleted(&repo, id, case);
    }
    let path = RepoPath::new(case.old_path.as_bytes()).ok_or("the path is none")?;
    let old_files = files(&case.extra_old, Some(&case.old_path), case.old.as_deref());
    let new_files = files(&case.extra_new, case.new_path.as_deref(), case.new.as_deref());
    let (old_tree, new_tree) = (write(&repo, &old_files)?, write(&repo, &new_files)?);
    let content = case.old.clone().unwrap_or_default();
    let blob = BlobId::from(repo.write_blob(content.as_bytes())?.detach());
    let commit = Some(root(&repo, old_tree)?);
    let Ok(range) = range(case, &Text::new(content.as_bytes())) else { return Ok(impossible(id)) };
    let pointed = Pointed { commit, path: &path, blob, content: content.as_bytes(), range };
    let head = Head { tree: new_tree, commit: None };
    match anchor_at(&pointed) {
        Ok(anchor) => locate_anchor(&repo, id, anchor, head),
        Err(_) => Ok(impossible(id)),
    }
}

/// Makes the trees of two bases and two heads; lines of the old base are located in the new one.
///
/// Other files are the same on both sides of a change.
fn answer_deleted(
    repo: &gix::Repository,
    id: serde_json::Value,
    case: &InlineCase,
) -> Result<CaseAnswer, LabError> {
    let path = RepoPath::new(case.old_path.as_bytes()).ok_or("the path is none")?;
    let old_path = Some(case.old_path.as_str());
    let tree = |extra, path, text: &Option<String>| write(repo, &files(extra, path, text.as_deref()));
    let old_base = tree(&case.extra_old, old_path, &case.base_old)?;
    let old_head = tree(&case.extra_old, old_path, &case.old)?;
    let new_base = tree(&case.extra_new, case.base_new_path.as_deref().or(old_path), &case.base_new)?;
    let new_head = tree(&case.extra_new, case.new_path.as_deref().or(old_path), &case.new)?;
    let Some(content) = &case.base_old else { return Ok(impossible(id)) };
    let Ok(range) = range(case, &Text::new(content.as_bytes())) else { return Ok(impossible(id)) };
    let pointed = PointedBase {
        base: root(repo, old_base)?,
        path: &path,
        blob: BlobId::from(repo.write_blob(content.as_bytes())?.detach()),
        content: content.as_bytes(),
        range,
        head: Some(root(repo, old_head)?),
        counterpart: counterpart(repo, old_base, old_head, &path)?,
    };
    let Ok(anchor) = anchor_at_base(&pointed) else { return Ok(impossible(id)) };
    let base = Base { tree: new_base, commit: None };
    let head = Head { tree: new_head, commit: None };
    let begun = Instant::now();
    let position = locate_change(repo, &[anchor], base, head, NonZeroUsize::MIN).remove(0)?;
    let micros = begun.elapsed().as_micros() as u64;
    written(repo, id, &position, new_base, micros)
}

fn impossible(id: serde_json::Value) -> CaseAnswer {
    CaseAnswer {
        id,
        state: "orphaned".to_owned(),
        path: None,
        start: None,
        end: None,
        range: None,
        confidence: 0,
        reason: "impossible".to_owned(),
        candidates: Vec::new(),
        micros: 0,
    }
}

fn range(case: &InlineCase, text: &Text) -> Result<Option<Range>, LabError> {
    let (Some(start), Some(end)) = (case.start, case.end) else { return Ok(None) };
    let span = LineSpan::from_numbers(start, end).ok_or("the lines run backwards")?;
    let (Some(from), Some(to)) = (case.start_col, case.end_col) else { return Ok(Some(Range::lines(span))) };
    let columns = Columns {
        start: NonZeroU32::new(to_byte(text.line(start - 1), from) + 1).ok_or("no column")?,
        end: NonZeroU32::new(to_byte(text.line(end - 1), to)).ok_or("an empty range")?,
    };
    Ok(Some(Range::with_columns(span, columns).ok_or("the columns run backwards")?))
}

fn files<'a>(
    extra: &'a BTreeMap<String, String>,
    path: Option<&'a str>,
    text: Option<&'a str>,
) -> BTreeMap<&'a str, &'a str> {
    let extra = extra.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    extra.chain(path.zip(text)).collect()
}

/// Writes a tree of files, one level at a time.
pub fn write(repo: &gix::Repository, files: &BTreeMap<&str, &str>) -> Result<TreeId, LabError> {
    use gix::objs::tree::{Entry, EntryKind};
    let mut entries = Vec::new();
    let mut folders: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (path, text) in files {
        match path.split_once('/') {
            Some((folder, rest)) => {
                folders.entry(folder).or_default().insert(rest, text);
            }
            None => entries.push(Entry {
                mode: EntryKind::Blob.into(),
                filename: (*path).into(),
                oid: repo.write_blob(text.as_bytes())?.detach(),
            }),
        }
    }
    for (folder, files) in folders {
        let oid = write(repo, &files)?.raw();
        entries.push(Entry { mode: EntryKind::Tree.into(), filename: folder.into(), oid });
    }
    entries.sort();
    Ok(repo.write_object(gix::objs::Tree { entries })?.detach().into())
}

fn root(repo: &gix::Repository, tree: TreeId) -> Result<CommitId, LabError> {
    let nobody =
        gix::actor::SignatureRef { name: "lab".into(), email: "lab@example.org".into(), time: "0 +0000" };
    let none: [gix::ObjectId; 0] = [];
    Ok(repo.new_commit_as(nobody, nobody, "old", tree.raw(), none)?.id.into())
}
