//! Reads search/replace blocks, a common form of edits by language models.
//!
//! ```text
//! src/main.rs
//! <<<<<<< SEARCH
//! old lines
//! =======
//! new lines
//! >>>>>>> REPLACE
//! ```

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::form::PatchReadError;
use crate::patch::file_patch::{FileAction, FilePatch, Hunks};
use crate::patch::hunk::{End, HunkLine, PatchHunk, Role};
use crate::patch::path::PatchPath;
use crate::patch::placing::line::{bare, is_blank};

/// How many lines above a block are looked at for the name of its file; blank ones and a code fence may come between.
const MAX_ABOVE: usize = 4;

/// Reads all blocks; those that name no file belong to the one before.
pub(crate) fn read(lines: &[&[u8]]) -> Result<Vec<FilePatch>, PatchReadError> {
    let mut files: Vec<FilePatch> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if is_last(lines[at]) {
            return Err(PatchReadError::Stray { line: at + 1 });
        }
        if !is_mark(lines[at], b'<') {
            at += 1;
            continue;
        }
        let patch_line = at + 1;
        let unclosed = PatchReadError::Unclosed { line: patch_line };
        let find = |from: usize, mark: u8| {
            (from..lines.len()).find(|at| is_mark(lines[*at], mark)).ok_or_else(|| unclosed.clone())
        };
        let middle = find(at + 1, b'=')?;
        let end = find(middle + 1, b'>')?;
        if (middle + 1..end).any(|at| is_mark(lines[at], b'=')) {
            return Err(PatchReadError::Separators { line: patch_line });
        }
        let hunk = PatchHunk {
            stated: None,
            headings: Vec::new(),
            lines: hunk_lines(&lines[at + 1..middle], &lines[middle + 1..end]),
            end: End::Unknown,
            patch_line,
        };
        let path = named(lines[..at].iter().rev().take(MAX_ABOVE))?;
        let same = files.last().is_some_and(|file| path.is_none() || file.new_path == path);
        if !same {
            let (kind, modes) = (FileAction::Modify, (None, None));
            let hunks = Hunks::AnyOrder(Vec::new());
            files.push(FilePatch { old_path: path.clone(), new_path: path, kind, modes, hunks });
        }
        if let Some(FilePatch { hunks: Hunks::AnyOrder(hunks), .. }) = files.last_mut() {
            hunks.push(hunk);
        }
        at = end + 1;
    }
    Ok(files)
}

/// Whether a line is five or more of a mark, with or without a word after it, in letters of either case.
pub(crate) fn is_mark(line: &[u8], mark: u8) -> bool {
    let line = bare(line).trim_ascii_end();
    let count = |mark: u8| line.iter().take_while(|byte| **byte == mark).count();
    let is_of = |mark: u8, words: &[&[u8]]| {
        let marks = count(mark);
        let word = line[marks..].trim_ascii();
        (5..=9).contains(&marks) && words.iter().any(|known| known.eq_ignore_ascii_case(word))
    };
    match mark {
        b'=' => is_of(b'=', &[b""]),
        // Some write the ends as a diff has them.
        b'<' => is_of(b'<', &[b"SEARCH", b"ORIGINAL", b"HEAD", b"OLD"]) || is_of(b'-', &[b"SEARCH"]),
        _ => is_of(b'>', &[b"REPLACE", b"UPDATED", b"NEW", b""]) || is_of(b'+', &[b"REPLACE"]),
    }
}

/// Whether a line can only be the last one of a block.
fn is_last(line: &[u8]) -> bool {
    is_mark(line, b'>') && line.iter().any(u8::is_ascii_alphabetic)
}

/// The file that the lines above a block name: a path of its own line, or none.
fn named<'a>(above: impl Iterator<Item = &'a &'a [u8]>) -> Result<Option<PatchPath>, PatchReadError> {
    for line in above {
        let line = bare(line).trim_ascii();
        if line.is_empty() || line.starts_with(b"```") || line.starts_with(b"~~~") {
            continue;
        }
        let path = last_code(line).unwrap_or_else(|| plain_name(line));
        let is_path = !path.contains(&b' ')
            && path.iter().any(|byte| matches!(byte, b'.' | b'/'))
            && !is_mark(line, b'>');
        return if is_path {
            PatchPath::new(path).map(Some).ok_or_else(|| PatchReadError::Path { path: path.to_vec() })
        } else {
            Ok(None)
        };
    }
    Ok(None)
}

/// The one word in marks of code that a sentence ends with, if that can be a path: "And in `src/main.rs`:".
fn last_code(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_suffix(b":").or_else(|| line.strip_suffix(b".")).unwrap_or(line);
    let (before, word) = rest.strip_suffix(b"`").and_then(|rest| {
        let at = memchr::memrchr(b'`', rest)?;
        Some((&rest[..at], &rest[at + 1..]))
    })?;
    let is_of_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"./_-+@".contains(byte) || *byte >= 0x80;
    (before.ends_with(b" ") && !before.contains(&b'`') && word.iter().all(is_of_path)).then_some(word)
}

/// A name without what Markdown puts around it: marks of a heading, of bold type and of code, and a word before.
fn plain_name(line: &[u8]) -> &[u8] {
    let heading = line.iter().take_while(|byte| **byte == b'#').count();
    let mut name = match line[heading..].strip_prefix(b" ") {
        Some(text) if heading > 0 => text.trim_ascii(),
        _ => line,
    };
    loop {
        let trimmed = [b"File:".as_slice(), b"file:", b"Path:", b"path:"]
            .iter()
            .find_map(|word| name.strip_prefix(*word))
            .or_else(|| name.strip_suffix(b":"))
            .or_else(|| {
                [b"**".as_slice(), b"`"].iter().find_map(|mark| name.strip_prefix(*mark)?.strip_suffix(*mark))
            })
            .map(<[u8]>::trim_ascii);
        match trimmed {
            Some(trimmed) => name = trimmed,
            None => return name,
        }
    }
}

/// The lines of a block: blank ones at its edges are context, which the file may lack, unless they are all that changes.
///
/// A block that looks for blank lines alone looks for nothing.
fn hunk_lines(old: &[&[u8]], new: &[&[u8]]) -> Vec<HunkLine> {
    let blanks = |lines: &mut dyn Iterator<Item = &&[u8]>| lines.take_while(|line| is_blank(line)).count();
    let above = blanks(&mut old.iter());
    if above == old.len() {
        return compared(&[], new);
    }
    let below = blanks(&mut old.iter().rev());
    let sought = &old[above..old.len() - below];
    let first = blanks(&mut new.iter()).min(above);
    let last = blanks(&mut new[first..].iter().rev()).min(below);
    let put = &new[first..new.len() - last];
    if sought == put {
        return compared(old, new);
    }
    let context = |lines: &[&[u8]]| compared(lines, lines);
    [context(&old[..above]), compared(sought, put), context(&old[old.len() - below..])].concat()
}

/// What both sides have is context, which keeps the bytes of the file.
fn compared(old: &[&[u8]], new: &[&[u8]]) -> Vec<HunkLine> {
    let line = |role, text: &&[u8]| HunkLine { role, text: text.to_vec(), newline: true };
    let mut lines = Vec::with_capacity(old.len() + new.len());
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            lines.extend(old[old_range].iter().map(|text| line(Role::Context, text)));
        } else {
            lines.extend(old[old_range].iter().map(|text| line(Role::Remove, text)));
            lines.extend(new[new_range].iter().map(|text| line(Role::Add, text)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::patch::outcome::{HunkProblem, PlacementStage};
    use crate::patch::tests::cases::{BASE, check, check_refused};

    #[test]
    fn blank_lines_at_the_edges_of_a_block_do_not_count() {
        let block = |old: &str, new: &str| format!("<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n");
        let result = "alpha\nbeta\n},\nGAMMA\ndelta\nepsilon\n";
        for (old, new) in
            [("\ngamma\n", "GAMMA\n"), ("gamma\n\n", "GAMMA\n\n"), ("\n \ngamma\n\n", "\nGAMMA\n")]
        {
            check(BASE, &block(old, new), PlacementStage::Whitespace, result);
        }
        // Those of the file stay, however many the block has.
        check("a\n\nb\n\nc\n", &block("\nb\n\n", "B\n"), PlacementStage::Strict, "a\n\nB\n\nc\n");
        check("a\n\nb\nc\n", &block("b\n\n\n", "B\n"), PlacementStage::Whitespace, "a\n\nB\nc\n");
        // What it adds beyond them is added, and where they are all that changes, each counts.
        check("a\nb\nc\n", &block("b\n", "\nB\n"), PlacementStage::Strict, "a\n\nB\nc\n");
        check("a\n\nb\n", &block("\nb\n", "b\n"), PlacementStage::Strict, "a\nb\n");
        // Blank lines alone are nothing to look for.
        check("", &block("\n", "new\n"), PlacementStage::Strict, "new\n");
        check_refused("a\n\nb\n", &block("\n", "new\n"), HunkProblem::NothingToFind);
    }
}
