//! Reads what Gerrit stores of its changes: patch sets, and the comments on them.
//!
//! `refs/changes/NN/CHANGE/PATCHSET` are the commits. The tree of `refs/changes/NN/CHANGE/meta` has a note for each of
//! them, a JSON document named by the commit.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use gix::objs::tree::EntryKind;
use postil_core::git::CommitId;
use serde::Deserialize;

use crate::case::Corners;
use crate::stored::{LabError, commit};

/// A change, with all of its patch sets that are there.
pub struct GerritChange {
    pub number: u32,
    pub patch_sets: BTreeMap<u32, CommitId>,
    /// The commit that has the notes.
    meta: CommitId,
}

/// What somebody said about a line of a patch set, answers to it left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub uuid: String,
    pub patch_set: u32,
    pub path: String,
    /// The line beside which it is shown.
    pub line: u32,
    /// What was selected; `None` for all of the line.
    pub selection: Option<Corners>,
}

/// The changes of a repository, by number.
pub fn changes(mirror: &Path) -> Result<Vec<GerritChange>, LabError> {
    let format = "--format=%(objectname) %(refname)";
    let output = Command::new("git")
        .arg("--git-dir")
        .arg(mirror)
        .args(["for-each-ref", format, "refs/changes"])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let mut commits: BTreeMap<u32, BTreeMap<u32, CommitId>> = BTreeMap::new();
    let mut metas = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let Some((id, refname)) = line.split_once(' ') else { continue };
        let [_, _, _, number, what] = refname.split('/').collect::<Vec<_>>()[..] else { continue };
        let Ok(number) = number.parse() else { continue };
        match what.parse() {
            Ok(patch_set) => {
                commits.entry(number).or_default().insert(patch_set, commit(id)?);
            }
            Err(_) if what == "meta" => metas.push((number, commit(id)?)),
            Err(_) => {}
        }
    }
    let mut changes: Vec<GerritChange> = metas
        .into_iter()
        .map(|(number, meta)| {
            let patch_sets = commits.remove(&number).unwrap_or_default();
            GerritChange { number, patch_sets, meta }
        })
        .collect();
    changes.sort_by_key(|change| change.number);
    Ok(changes)
}

impl GerritChange {
    /// The remarks on lines of its patch sets, and how many notes could not be read.
    pub fn remarks(&self, repo: &gix::Repository) -> Result<(Vec<Remark>, usize), LabError> {
        let (mut remarks, mut unread) = (Vec::new(), 0);
        let mut folders = vec![repo.find_commit(self.meta.raw())?.tree_id()?.detach()];
        while let Some(folder) = folders.pop() {
            for entry in repo.find_tree(folder)?.iter() {
                let entry = entry?;
                match entry.mode().kind() {
                    EntryKind::Tree => folders.push(entry.object_id()),
                    EntryKind::Blob => match read(&repo.find_blob(entry.object_id())?.data) {
                        Ok(read) => remarks.extend(read),
                        Err(_) => unread += 1,
                    },
                    _ => {}
                }
            }
        }
        remarks.sort_by(|a, b| {
            (a.patch_set, &a.path, a.line, &a.uuid).cmp(&(b.patch_set, &b.path, b.line, &b.uuid))
        });
        Ok((remarks, unread))
    }

    /// The patch set after this one, and the last one; only one if they are the same.
    pub fn later(&self, patch_set: u32) -> Vec<(u32, CommitId)> {
        let mut later = self.patch_sets.range(patch_set + 1..).map(|(number, commit)| (*number, *commit));
        let next = later.next();
        next.into_iter().chain(later.next_back()).collect()
    }
}

#[derive(Deserialize)]
struct Note {
    #[serde(default)]
    comments: Vec<GerritComment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GerritComment {
    key: GerritKey,
    #[serde(default)]
    line_nbr: u32,
    range: Option<Selected>,
    side: i32,
    parent_uuid: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GerritKey {
    uuid: String,
    filename: String,
    patch_set_id: u32,
}

/// Lines count from one, characters from zero, and the last one is not selected.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Selected {
    start_line: u32,
    start_char: u32,
    end_line: u32,
    end_char: u32,
}

fn read(note: &[u8]) -> Result<Vec<Remark>, serde_json::Error> {
    let note: Note = serde_json::from_slice(note)?;
    // `/COMMIT_MSG` and its like are no files; a line 0 is a whole file, and side 1 the patch set itself.
    let is_remark = |comment: &GerritComment| {
        let is_on_line = comment.side == 1 && comment.line_nbr > 0;
        is_on_line && comment.parent_uuid.is_none() && !comment.key.filename.starts_with('/')
    };
    let remark = |comment: GerritComment| Remark {
        uuid: comment.key.uuid,
        patch_set: comment.key.patch_set_id,
        path: comment.key.filename,
        line: comment.line_nbr,
        selection: comment.range.as_ref().and_then(corners),
    };
    Ok(note.comments.into_iter().filter(is_remark).map(remark).collect())
}

/// What was selected, both ends included; `None` for nothing, or for what ends with a newline.
fn corners(selected: &Selected) -> Option<Corners> {
    let Selected { start_line, start_char, end_line, end_char } = *selected;
    let is_something = (start_line, start_char) < (end_line, end_char);
    (is_something && start_line > 0 && end_char > 0).then_some([
        start_line,
        start_char + 1,
        end_line,
        end_char,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_on_lines_of_the_patch_set_are_read_and_nothing_else() {
        let comment = |side: i32, file: &str, rest: &str| {
            format!(r#"{{"key":{{"uuid":"u","filename":"{file}","patchSetId":2}},"side":{side}{rest}}}"#)
        };
        let comments = [
            comment(
                1,
                "a/b.rs",
                r#","lineNbr":7,"range":{"startLine":6,"startChar":2,"endLine":7,"endChar":5}"#,
            ),
            comment(1, "a/b.rs", r#","lineNbr":7,"parentUuid":"x""#),
            comment(1, "a/b.rs", ""),
            comment(0, "a/b.rs", r#","lineNbr":7"#),
            comment(1, "/COMMIT_MSG", r#","lineNbr":7"#),
        ];
        let note = format!(r#"{{"comments":[{}]}}"#, comments.join(","));
        let remark = Remark {
            uuid: "u".to_owned(),
            patch_set: 2,
            path: "a/b.rs".to_owned(),
            line: 7,
            selection: Some([6, 3, 7, 5]),
        };
        assert_eq!(read(note.as_bytes()).unwrap(), [remark]);
    }
}
