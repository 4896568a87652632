//! What git has staged and committed of files, read and put back through git itself.
//!
//! Nothing is staged here that was not staged before.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};

use postil_protocol::{Advice, ByteText, Fault, FaultCode, Hex};

use super::undo_entry::StagedBefore;
use crate::convert::fault::cause;
use crate::repository::work_tree::WorkTree;

/// Git, for the files of this work tree.
pub fn git<const N: usize>(work_tree: &WorkTree, words: [&str; N]) -> Command {
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(work_tree.repository().git_dir()).arg("--literal-pathspecs");
    if let Some(root) = work_tree.work_tree() {
        command.arg("--work-tree").arg(root).current_dir(root);
    }
    command.args(words);
    command
}

/// Git cannot be started.
pub fn no_git(error: &std::io::Error) -> Fault {
    Fault::new(FaultCode::WriteFailed, "could not run git").because(error).advise(Advice::NothingChanged)
}

/// What is staged of each of these files.
pub fn staged(work_tree: &WorkTree, paths: &[ByteText]) -> Result<Vec<StagedBefore>, Fault> {
    let mut command = git(work_tree, ["ls-files", "--stage", "-z", "--"]);
    let output = command.args(paths.iter().map(os)).output().map_err(|error| no_git(&error))?;
    if !output.status.success() {
        return Err(Fault::new(FaultCode::WriteFailed, "could not read what is staged")
            .because(&cause(String::from_utf8_lossy(&output.stderr)))
            .advise(Advice::NothingChanged));
    }
    let entries: Vec<(&[u8], String, Hex)> =
        output.stdout.split(|byte| *byte == 0).filter_map(entry).collect();
    let staged = paths.iter().map(|path| {
        let entry = entries.iter().find(|(name, ..)| *name == path.as_bytes());
        StagedBefore { path: path.clone(), entry: entry.map(|(_, mode, blob)| (mode.clone(), blob.clone())) }
    });
    Ok(staged.collect())
}

/// One line of `git ls-files --stage`: the mode, the blob, the stage and, after a tab, the path.
fn entry(line: &[u8]) -> Option<(&[u8], String, Hex)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = std::str::from_utf8(&line[..tab]).ok()?.split(' ');
    Some((&line[tab + 1..], words.next()?.to_owned(), Hex::new(words.next()?).ok()?))
}

/// Stages again what was staged.
pub fn put_back(work_tree: &WorkTree, staged: &[StagedBefore]) -> Result<(), Fault> {
    let nothing = "0".repeat(work_tree.repository().handle().object_hash().len_in_hex());
    let mut lines = Vec::new();
    for StagedBefore { path, entry } in staged {
        let (mode, blob) = match entry {
            Some((mode, blob)) => (mode.as_str(), blob.as_str()),
            None => ("0", nothing.as_str()),
        };
        lines.extend_from_slice(format!("{mode} {blob}\t").as_bytes());
        lines.extend_from_slice(path.as_bytes());
        lines.push(0);
    }
    let mut command = git(work_tree, ["update-index", "-z", "--index-info"]);
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(|error| no_git(&error))?;
    let fed = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(&lines));
    let status = child.wait().map_err(|error| no_git(&error))?;
    if fed.is_ok() && status.success() {
        return Ok(());
    }
    Err(Fault::new(FaultCode::WriteFailed, "the files were restored, but the index was not")
        .advise(Advice::UnstageFiles))
}

/// Whether what is staged of these files is what is on disk.
pub fn is_as_on_disk(work_tree: &WorkTree, paths: &[ByteText]) -> Result<bool, Fault> {
    is_quiet(git(work_tree, ["diff", "--quiet", "--"]).args(paths.iter().map(os)))
}

/// Whether HEAD has these files as they are on disk.
pub fn is_committed(work_tree: &WorkTree, paths: &[ByteText]) -> Result<bool, Fault> {
    is_quiet(git(work_tree, ["diff", "--quiet", "HEAD", "--"]).args(paths.iter().map(os)))
}

fn is_quiet(command: &mut Command) -> Result<bool, Fault> {
    command.status().map(|status| status.success()).map_err(|error| no_git(&error))
}

/// Where HEAD is; none before the first commit.
pub fn head(work_tree: &WorkTree) -> Option<Hex> {
    output_of(&mut git(work_tree, ["rev-parse", "--verify", "--quiet", "HEAD"]))
        .and_then(|id| Hex::new(id).ok())
}

/// The last commit that changed one of these files, in short.
pub fn last_change(work_tree: &WorkTree, paths: &[ByteText]) -> Option<String> {
    output_of(git(work_tree, ["log", "-1", "--format=%h", "--"]).args(paths.iter().map(os)))
}

fn output_of(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn os(path: &ByteText) -> &OsStr {
    OsStr::from_bytes(path.as_bytes())
}
