//! What git has staged and committed of files, asked for and put back through git itself.
//!
//! Nothing is staged here that was not staged before.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};

use postil_client::Checkout;
use postil_protocol::{ByteText, Hex, StagedBefore};

use crate::failure::{Failure, Kind};

/// Git, for the files of this work tree.
pub fn git<const N: usize>(checkout: &Checkout, words: [&str; N]) -> Command {
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(checkout.git_dir()).arg("--literal-pathspecs");
    if let Some(root) = checkout.work_tree() {
        command.arg("--work-tree").arg(root).current_dir(root);
    }
    command.args(words);
    command
}

/// Git cannot be started.
pub fn no_git(error: std::io::Error) -> Failure {
    Failure::new(Kind::Unavailable, "could not run git").because(error)
}

/// What is staged of each of these files.
pub(super) fn staged(checkout: &Checkout, paths: &[ByteText]) -> Result<Vec<StagedBefore>, Failure> {
    let mut command = git(checkout, ["ls-files", "--stage", "-z", "--"]);
    let output = command.args(paths.iter().map(os)).output().map_err(no_git)?;
    if !output.status.success() {
        return Err(Failure::new(Kind::Unavailable, "could not see what is staged")
            .because(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let entries: Vec<(&[u8], String, Hex)> =
        output.stdout.split(|byte| *byte == 0).filter_map(entry).collect();
    let staged = paths.iter().map(|path| {
        let entry = entries.iter().find(|(name, ..)| *name == path.as_bytes());
        StagedBefore { path: path.clone(), entry: entry.map(|(_, mode, blob)| (mode.clone(), blob.clone())) }
    });
    Ok(staged.collect())
}

/// One line of `git ls-files --stage`: the mode, the blob, the stage, and behind a tab the path.
fn entry(line: &[u8]) -> Option<(&[u8], String, Hex)> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let mut words = std::str::from_utf8(&line[..tab]).ok()?.split(' ');
    Some((&line[tab + 1..], words.next()?.to_owned(), Hex::new(words.next()?).ok()?))
}

/// Stages again what was staged.
pub(super) fn put_back(checkout: &Checkout, staged: &[StagedBefore]) -> Result<(), Failure> {
    let nothing = "0".repeat(checkout.repository().handle().object_hash().len_in_hex());
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
    let mut command = git(checkout, ["update-index", "-z", "--index-info"]);
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(no_git)?;
    let fed = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(&lines));
    let status = child.wait().map_err(no_git)?;
    if fed.is_ok() && status.success() {
        return Ok(());
    }
    Err(Failure::new(Kind::Unavailable, "the files are back, but what was staged of them is not")
        .hint("run `git restore --staged` for them"))
}

/// Whether what is staged of these files is what is on disk.
pub(super) fn is_as_on_disk(checkout: &Checkout, paths: &[ByteText]) -> Result<bool, Failure> {
    is_quiet(git(checkout, ["diff", "--quiet", "--"]).args(paths.iter().map(os)))
}

/// Whether HEAD has these files as they are on disk.
pub(super) fn is_committed(checkout: &Checkout, paths: &[ByteText]) -> Result<bool, Failure> {
    is_quiet(git(checkout, ["diff", "--quiet", "HEAD", "--"]).args(paths.iter().map(os)))
}

fn is_quiet(command: &mut Command) -> Result<bool, Failure> {
    command.status().map(|status| status.success()).map_err(no_git)
}

/// Where HEAD is; none before the first commit.
pub(super) fn head(checkout: &Checkout) -> Option<Hex> {
    told(&mut git(checkout, ["rev-parse", "--verify", "--quiet", "HEAD"])).and_then(|id| Hex::new(id).ok())
}

/// The last commit that changed one of these files, in short.
pub(super) fn last_change(checkout: &Checkout, paths: &[ByteText]) -> Option<String> {
    told(git(checkout, ["log", "-1", "--format=%h", "--"]).args(paths.iter().map(os)))
}

fn told(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn os(path: &ByteText) -> &OsStr {
    OsStr::from_bytes(path.as_bytes())
}
