//! What changed in a repository, as git tells it; and git's own merge of three texts.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What goes wrong ends the measurement.
pub type AccuracyError = Box<dyn Error>;

/// A change of one file: the blobs before and afterwards.
#[derive(Clone, Debug)]
pub struct FileRevisions {
    pub old: String,
    pub new: String,
}

/// Text that is not larger than this is looked at.
const MAX_BYTES: usize = 200_000;

/// So many commits are looked at, from the newest on.
const COMMITS: &str = "4000";

/// What git answers.
pub fn git(repository: &Path, arguments: &[&str]) -> Result<Vec<u8>, AccuracyError> {
    let output = Command::new("git").arg("-C").arg(repository).args(arguments).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(output.stdout)
}

/// The content of a blob, or of `COMMIT:PATH`; none where there is none, or none of text.
pub fn text(repository: &Path, name: &str) -> Option<Vec<u8>> {
    let text = git(repository, &["cat-file", "blob", name]).ok()?;
    (text.len() <= MAX_BYTES && !text.contains(&0)).then_some(text)
}

/// The changes of each file, the newest first; files in the order in which they were last changed.
pub fn changes(repository: &Path) -> Result<Vec<(String, Vec<FileRevisions>)>, AccuracyError> {
    let log = [
        "log",
        "--no-merges",
        "--no-renames",
        "--diff-filter=M",
        "--raw",
        "--no-abbrev",
        "--format=",
        "-n",
        COMMITS,
    ];
    let log = String::from_utf8_lossy(&git(repository, &log)?).into_owned();
    let mut files: Vec<(String, Vec<FileRevisions>)> = Vec::new();
    let mut places = HashMap::<String, usize>::new();
    for line in log.lines() {
        let Some((told, path)) = line.split_once('\t') else { continue };
        let words: Vec<&str> = told.split(' ').collect();
        let [_, mode, old, new, _] = words.as_slice() else { continue };
        if !mode.starts_with("100") {
            continue;
        }
        let at = *places.entry(path.to_owned()).or_insert_with(|| {
            files.push((path.to_owned(), Vec::new()));
            files.len() - 1
        });
        files[at].1.push(FileRevisions { old: (*old).to_owned(), new: (*new).to_owned() });
    }
    Ok(files)
}

/// A file that a merge put together: its text in the base, on both sides and afterwards.
#[derive(Clone, Debug)]
pub struct MergedFile {
    pub base: Vec<u8>,
    pub sides: [Vec<u8>; 2],
    pub result: Vec<u8>,
}

/// The files that merges put together from two sides which both changed them, the newest first; at most `count`.
pub fn merges(repository: &Path, count: usize) -> Result<Vec<MergedFile>, AccuracyError> {
    let log =
        ["log", "--merges", "--cc", "--raw", "--no-renames", "--no-abbrev", "--format=%H %P", "-n", COMMITS];
    let log = String::from_utf8_lossy(&git(repository, &log)?).into_owned();
    let mut merged = Vec::new();
    let mut parents: Vec<&str> = Vec::new();
    for line in log.lines() {
        if merged.len() == count {
            break;
        }
        if let Some(told) = line.strip_prefix("::") {
            let Some((told, path)) = told.split_once('\t') else { continue };
            let words: Vec<&str> = told.split(' ').collect();
            let ([_, _, _, one, other, result, "MM"], [first, second]) =
                (words.as_slice(), parents.as_slice())
            else {
                continue;
            };
            let base = git(repository, &["merge-base", first, second]).unwrap_or_default();
            let base = format!("{}:{path}", String::from_utf8_lossy(&base).trim());
            let texts = [base.as_str(), one, other, result].map(|name| text(repository, name));
            if let [Some(base), Some(one), Some(other), Some(result)] = texts {
                merged.push(MergedFile { base, sides: [one, other], result });
            }
        } else if !line.is_empty() && !line.starts_with(':') {
            parents = line.split(' ').skip(1).collect();
        }
    }
    Ok(merged)
}

/// What `git merge-file` makes of what two sides made of a text; none for a conflict.
pub fn merged(
    folder: &Path,
    ours: &[u8],
    base: &[u8],
    theirs: &[u8],
) -> Result<Option<Vec<u8>>, AccuracyError> {
    for (name, text) in [("ours", ours), ("base", base), ("theirs", theirs)] {
        fs::write(folder.join(name), text)?;
    }
    let mut command = Command::new("git");
    command.args(["merge-file", "-p", "-q", "ours", "base", "theirs"]).current_dir(folder);
    let output = command.output()?;
    Ok(output.status.success().then_some(output.stdout))
}
