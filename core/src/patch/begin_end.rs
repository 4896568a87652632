//! Reads the form that begins with `*** Begin Patch`, another common form of edits by language models.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/main.rs
//! @@ fn main() {
//!  context
//! -old
//! +new
//! *** End Patch
//! ```

use super::file_patch::{FilePatch, Hunks, Kind};
use super::form::ReadError;
use super::header::hunk_header;
use super::hunk::{End, Hunk, HunkLine, Role};
use super::line::bare;
use super::path::PatchPath;

/// Reads all files between a first and a last mark, either of which may be missing.
///
/// There may be several such patches, with anything between them.
pub(super) fn read(lines: &[&[u8]]) -> Result<Vec<FilePatch>, ReadError> {
    let begin = lines.iter().position(|line| is_begin(line));
    let mut files: Vec<FilePatch> = Vec::new();
    let mut begun = Vec::new();
    let mut is_within = true;
    for (index, line) in lines.iter().enumerate().skip(begin.map_or(0, |begin| begin + 1)) {
        let text = bare(line);
        if is_end(text) {
            is_within = false;
        } else if let Some((kind, path)) = file_line(text) {
            is_within = true;
            let path = PatchPath::new(path).ok_or_else(|| ReadError::Path { path: path.to_vec() })?;
            let (old_path, new_path) = (Some(path.clone()), Some(path));
            let hunks = match kind {
                Kind::Create => vec![hunk(index)],
                _ => Vec::new(),
            };
            files.push(FilePatch {
                old_path,
                new_path,
                kind,
                modes: (None, None),
                hunks: Hunks::InOrder(hunks),
            });
            begun.push(index + 1);
        } else if let Some(file) = files.last_mut().filter(|_| is_within) {
            read_line(file, line, index)?;
        }
    }
    for (file, line) in files.iter_mut().zip(begun) {
        if let Hunks::InOrder(hunks) = &mut file.hunks {
            hunks.retain_mut(finish);
        }
        if file.kind == Kind::Modify && !file.has_changes() {
            return Err(ReadError::Empty { line });
        }
    }
    Ok(files)
}

pub(super) fn is_begin(line: &[u8]) -> bool {
    bare(line).trim_ascii().eq_ignore_ascii_case(b"*** Begin Patch")
}

pub(super) fn is_end(line: &[u8]) -> bool {
    bare(line).trim_ascii().eq_ignore_ascii_case(b"*** End Patch")
}

pub(super) fn file_line(line: &[u8]) -> Option<(Kind, &[u8])> {
    let kinds: [(Kind, &[u8]); 3] = [
        (Kind::Modify, b"*** Update File:"),
        (Kind::Create, b"*** Add File:"),
        (Kind::Delete, b"*** Delete File:"),
    ];
    kinds.into_iter().find_map(|(kind, mark)| Some((kind, behind(line, mark)?)))
}

/// What a line has behind a mark, whose letters may be of either case.
fn behind<'a>(line: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    let (begin, rest) = line.split_at_checked(mark.len())?;
    begin.eq_ignore_ascii_case(mark).then(|| rest.trim_ascii())
}

fn read_line(file: &mut FilePatch, line: &[u8], index: usize) -> Result<(), ReadError> {
    let text = bare(line);
    if let Some(path) = behind(text, b"*** Move to:") {
        file.kind = Kind::Rename;
        file.new_path = Some(PatchPath::new(path).ok_or_else(|| ReadError::Path { path: path.to_vec() })?);
        return Ok(());
    }
    let Hunks::InOrder(hunks) = &mut file.hunks else { return Ok(()) };
    if text.trim_ascii_end().eq_ignore_ascii_case(b"*** End of File") {
        if let Some(last) = hunks.last_mut() {
            last.end = End::Said;
        }
        return Ok(());
    }
    if let Some((stated, heading)) = hunk_header(text) {
        // Several headings in a row lead ever deeper to one hunk.
        let nested = hunks.last().is_some_and(|last| last.lines.is_empty() && heading.is_some());
        if !nested {
            hunks.push(hunk(index));
        }
        if let Some(last) = hunks.last_mut() {
            last.stated = stated;
            last.headings.extend(heading);
        }
        return Ok(());
    }
    if hunks.is_empty() {
        hunks.push(hunk(index));
    }
    let Some(last) = hunks.last_mut() else { return Ok(()) };
    let (role, text) = match line.split_first() {
        Some((b'+', text)) => (Role::Add, text),
        Some((b'-', text)) => (Role::Remove, text),
        Some((b' ', text)) => (Role::Context, text),
        Some((b'\\', _)) => {
            if let Some(last) = last.lines.last_mut() {
                last.newline = false;
            }
            return Ok(());
        }
        _ => (if file.kind == Kind::Create { Role::Add } else { Role::Context }, line),
    };
    last.lines.push(HunkLine { role, text: text.to_vec(), newline: true });
    Ok(())
}

fn hunk(index: usize) -> Hunk {
    Hunk { stated: None, headings: Vec::new(), lines: Vec::new(), end: End::Unknown, patch_line: index + 1 }
}

/// Blank lines without a mark at the end of a hunk stand between hunks, and what only adds, without a place,
/// comes at the end of the file. Returns whether anything is left.
fn finish(hunk: &mut Hunk) -> bool {
    while hunk.lines.last().is_some_and(|line| line.role == Role::Context && line.text.is_empty()) {
        hunk.lines.pop();
    }
    if hunk.old().next().is_none() && hunk.headings.is_empty() {
        hunk.end = End::Said;
    }
    !hunk.lines.is_empty()
}
