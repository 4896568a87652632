//! Writes answers out to be judged by hand, and what would sway the judge into another file.
//!
//! `sample.txt` has the old lines and the place that was found, `sample-hidden.jsonl` the states, reasons and
//! confidences; both in the same order. Files that did not change are left out: there is nothing to judge.

use std::fmt::Write;

use postil_core::edit::Text;
use postil_core::git::RepoPath;
use serde_json::json;

use super::answers::{FoundRemark, GitPlace};
use super::draw::draw;
use super::options::GerritOptions;
use crate::stored::{LabError, commit, head, text_at};

/// So many lines are shown above and below.
const AROUND: u32 = 8;

/// Draws the sample and writes both files.
pub fn write(repo: &gix::Repository, options: &GerritOptions, found: &[FoundRemark]) -> Result<(), LabError> {
    let changed: Vec<&FoundRemark> = found.iter().filter(|found| !found.same_file).collect();
    let (mut shown, mut hidden) = (String::new(), String::new());
    for (index, found) in draw(changed, options.sample, options.seed).into_iter().enumerate() {
        let (number, answer) = (index + 1, &found.answer);
        writeln!(
            shown,
            "=== {number}: change {}, patch set {} to {}",
            found.change, found.patch_set, found.new_patch_set
        )?;
        writeln!(shown, "--- {}:{}", found.old_path, found.old_start)?;
        let old = text(repo, &found.old_commit, &found.old_path)?;
        excerpt(&mut shown, &old, found.old_start, Some((found.old_start, found.old_end)))?;
        match (&answer.path, answer.start, answer.end, &found.beside) {
            (Some(path), Some(start), Some(end), _) => {
                writeln!(shown, "+++ {path}:{start}")?;
                excerpt(&mut shown, &text(repo, &found.new_commit, path)?, start, Some((start, end)))?;
            }
            (_, _, _, Some(GitPlace { path, start })) => {
                writeln!(shown, "+++ no place; this is near where it stood, {path}:{start}")?;
                excerpt(&mut shown, &text(repo, &found.new_commit, path)?, *start, None)?;
            }
            _ => writeln!(shown, "+++ no place; the file is gone")?,
        }
        shown.push('\n');
        let line = json!({
            "number": number, "id": answer.id, "state": answer.state, "reason": answer.reason,
            "confidence": answer.confidence, "candidates": answer.candidates,
            "myers": found.myers, "histogram": found.histogram, "once": found.once,
        });
        writeln!(hidden, "{line}")?;
    }
    std::fs::create_dir_all(&options.sample_to)?;
    std::fs::write(options.sample_to.join("sample.txt"), shown)?;
    Ok(std::fs::write(options.sample_to.join("sample-hidden.jsonl"), hidden)?)
}

fn text(repo: &gix::Repository, hex: &str, path: &str) -> Result<Text, LabError> {
    let path = RepoPath::new(path.as_bytes()).ok_or("the path is none")?;
    text_at(repo, head(repo, commit(hex)?)?.tree, &path)
}

fn excerpt(out: &mut String, text: &Text, near: u32, marked: Option<(u32, u32)>) -> std::fmt::Result {
    let (_, last) = marked.unwrap_or((near, near));
    for line in near.saturating_sub(AROUND).max(1)..=(last + AROUND).min(text.len()) {
        let is_marked = marked.is_some_and(|(first, last)| (first..=last).contains(&line));
        let sign = if is_marked { '>' } else { ' ' };
        writeln!(out, "{sign}{line:6} {}", String::from_utf8_lossy(text.bare(line - 1)))?;
    }
    Ok(())
}
