//! A plan in the form that a client needs to write it: the bytes for the disk, and what they were matched
//! against.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::git::RepoPath;
use postil_core::patch::{FileMode, WrittenSide, unified_diff};
use postil_core::suggestion::CombinedFile;
use postil_protocol::{ByteText, Fault, FaultCode, PlannedFile};

use crate::convert::hex::hex;
use crate::files::HeadFiles;
use crate::files::disk::DiskFile;

/// Files that are to be written, and what else is to be said of each.
#[derive(Debug, Default)]
pub(crate) struct PlannedFiles {
    /// What becomes of each.
    pub planned: Vec<CombinedFile>,
    /// How much tolerance a patch needed, by path.
    pub stages: BTreeMap<RepoPath, Vec<String>>,
    /// The files that hold both sides of a conflict.
    pub conflicted: BTreeSet<RepoPath>,
}

/// The files of a plan as clients see them; those that stay as they are are left away.
pub(crate) fn planned_files(files: &HeadFiles<'_>, outcome: PlannedFiles) -> Result<Vec<PlannedFile>, Fault> {
    let mut all = Vec::new();
    let PlannedFiles { planned, mut stages, conflicted } = outcome;
    let leaving: BTreeSet<RepoPath> = planned
        .iter()
        .filter(|planned| planned.from != planned.to)
        .filter_map(|planned| planned.from.clone())
        .collect();
    for CombinedFile { from, to, text, mode } in planned {
        // A model may "change" a file that is not there yet.
        let before = match &from {
            Some(path) => files.to_change(path)?,
            None => None,
        };
        if let Some(path) = to.as_ref().filter(|to| from.as_ref() != Some(*to) && !leaving.contains(*to))
            && files.to_change(path)?.is_some_and(|there| !there.content.is_empty())
        {
            return Err(
                Fault::new(FaultCode::Refused, format!("another file exists at {path}")).reason("exists")
            );
        }
        let from = from.filter(|_| before.is_some());
        if from.is_none() && to.is_none() {
            continue;
        }
        let was = before.as_ref().map(|file| file.executable);
        let executable = mode.map_or(was.unwrap_or_default(), |mode| mode == FileMode::Executable);
        let mode_of = |executable| if executable { FileMode::Executable } else { FileMode::Plain };
        let old = from.as_ref().zip(before.as_ref()).map(|(path, file)| WrittenSide {
            path,
            text: &file.content,
            mode: Some(mode_of(file.executable)),
        });
        let new = to.as_ref().zip(text.as_ref());
        let new = new.map(|(path, text)| WrittenSide { path, text, mode: Some(mode_of(executable)) });
        let diff = unified_diff(old, new);
        if diff.is_empty() {
            continue;
        }
        let content = match (&to, &text) {
            (Some(path), Some(text)) => Some(checked_out(files, path, text, before.as_ref())?),
            _ => None,
        };
        let named = |path: &RepoPath| ByteText::new(path.as_bytes());
        let name = to.as_ref().or(from.as_ref());
        all.push(PlannedFile {
            matched: before.as_ref().map(|file| hex(file.blob)),
            disk: before.as_ref().map(|file| hex(file.disk)),
            content: content.map(ByteText::new),
            executable,
            conflicted: name.is_some_and(|name| conflicted.contains(name)),
            diff: ByteText::new(diff),
            stages: name.and_then(|name| stages.remove(name)).unwrap_or_default(),
            from: from.as_ref().map(named),
            to: to.as_ref().map(named),
        });
    }
    Ok(all)
}

/// The bytes for the disk; a file that git keeps as it is on disk is kept so, whatever a new checkout would make of it.
fn checked_out(
    files: &HeadFiles<'_>,
    path: &RepoPath,
    text: &[u8],
    before: Option<&DiskFile>,
) -> Result<Vec<u8>, Fault> {
    match before {
        Some(before) if before.blob == before.disk => Ok(text.to_vec()),
        Some(before) if before.returns => {
            let raw = files.as_checked_out(text, path)?;
            // With `core.autocrlf=input` git takes carriage returns out and puts none in.
            let returns = raw.windows(2).any(|pair| pair == b"\r\n");
            Ok(if returns { raw } else { with_returns(&raw) })
        }
        _ => files.as_checked_out(text, path),
    }
}

fn with_returns(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let ended = lines.flat_map(|line| match line.strip_suffix(b"\n") {
        Some(line) => [line, b"\r\n"],
        None => [line, b""],
    });
    ended.collect::<Vec<_>>().concat()
}

/// Identifies the content of all files that were read for a plan.
pub(crate) fn token(files: &[PlannedFile], others: &[(RepoPath, Option<DiskFile>)]) -> String {
    let mut all: BTreeSet<String> = others
        .iter()
        .map(|(path, file)| format!("{path:?} {:?}", file.as_ref().map(|file| file.disk.to_string())))
        .collect();
    for file in files {
        let path = file.from.as_ref().or(file.to.as_ref());
        let path = path.and_then(|path| RepoPath::new(path.as_bytes()));
        let disk = file.disk.as_ref().map(|disk| disk.as_str().to_owned());
        all.extend(path.map(|path| format!("{path:?} {disk:?}")));
    }
    let all: Vec<String> = all.into_iter().collect();
    let hash =
        gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, all.join("\n").as_bytes());
    hash.map(|hash| hash.to_hex_with_len(12).to_string()).unwrap_or_default()
}
