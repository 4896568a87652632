//! The forms of patches, and reading one of any form.
//!
//! Line lists are flattened first, always: an entry with newlines in it is several lines.

use super::begin_end;
use super::header::hunk_header;
use super::outdent::outdent;
use super::search_replace;
use super::unified;
use crate::patch::bounds::{MAX_PATCH_BYTES, MAX_PATCH_FILES};
use crate::patch::file_patch::{FileAction, FilePatch, Hunks};
use crate::patch::hunk::PatchHunk;

/// How a patch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatchForm {
    /// A unified diff, by git, GNU diff or a language model.
    Unified,
    /// `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`.
    SearchReplace,
    /// `*** Begin Patch`, `*** Update File: …`, `*** End Patch`.
    BeginEnd,
}

/// A patch: what it does to each of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedPatch {
    /// In the order of the patch.
    pub files: Vec<FilePatch>,
}

/// Why a text is not a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchReadError {
    /// There is no hunk, no block and no file in it.
    #[error("no patch found in the text")]
    Nothing,
    /// It is longer than [`MAX_PATCH_BYTES`].
    #[error("the patch is too large: {bytes} bytes")]
    TooLarge {
        /// How long it is.
        bytes: usize,
    },
    /// It has more files than [`MAX_PATCH_FILES`].
    #[error("the patch has too many files: {files}")]
    TooManyFiles {
        /// How many there are.
        files: usize,
    },
    /// A path leaves the work tree, or reaches into git's own files.
    #[error("a patch may not change {}", String::from_utf8_lossy(path))]
    Path {
        /// As it was written.
        path: Vec<u8>,
    },
    /// A search/replace block has no end.
    #[error("the block on line {line} is not closed")]
    Unclosed {
        /// Where it begins, counted from one.
        line: usize,
    },
    /// A search/replace block has several lines that could part the old lines from the new ones.
    #[error("the block on line {line} has several `=======` lines; write it as a diff")]
    Separators {
        /// Where it begins, counted from one.
        line: usize,
    },
    /// It names a file or a place and says nothing of what becomes of it: the rest of it may be lost.
    #[error("the change that starts on line {line} is empty")]
    Empty {
        /// Counted from one.
        line: usize,
    },
    /// A line of it is of no hunk and no block.
    #[error("could not parse line {line} of the change")]
    Stray {
        /// Counted from one.
        line: usize,
    },
    /// It is of several forms at once.
    #[error("a patch in another format starts on line {line}; apply them separately")]
    Mixed {
        /// Counted from one.
        line: usize,
    },
    /// It is the diff of a merge, against several texts at once.
    #[error("a combined diff starts on line {line}, which is not supported")]
    Combined {
        /// Counted from one.
        line: usize,
    },
}

impl PatchForm {
    /// Returns the form of a text, found by its marks.
    pub fn detect(text: &[u8]) -> Self {
        let mut lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
        outdent(&mut lines);
        let mut is_begun = false;
        for line in lines {
            // Where nothing of a patch is above it, an indented mark is not a line of a hunk.
            let mark = if is_begun { line } else { line.trim_ascii_start() };
            if begin_end::is_begin(line) || begin_end::file_line(mark).is_some() {
                return Self::BeginEnd;
            }
            is_begun |= line.starts_with(b"@@") || matches!(line.first(), Some(b'+' | b'-'));
            if search_replace::is_mark(line, b'<') {
                return Self::SearchReplace;
            }
            if line.starts_with(b"diff --git ") || line.starts_with(b"@@ -") {
                return Self::Unified;
            }
        }
        Self::Unified
    }

    /// The line where a patch of another form begins, beside those of this one.
    fn other(self, lines: &[&[u8]]) -> Option<usize> {
        let mut form = None;
        lines.iter().position(|line| {
            let begun = if search_replace::is_mark(line, b'<') {
                Some(Self::SearchReplace)
            } else if begin_end::is_begin(line) || begin_end::file_line(line).is_some() {
                Some(Self::BeginEnd)
            } else if line.starts_with(b"diff --git ") || is_placed(line) {
                Some(Self::Unified)
            } else {
                None
            };
            let ends = match form {
                Some(Self::SearchReplace) => search_replace::is_mark(line, b'>'),
                Some(Self::BeginEnd) => begin_end::is_end(line),
                _ => false,
            };
            // Within one of these, what looks like another is text.
            let is_within = matches!(form, Some(Self::SearchReplace | Self::BeginEnd));
            form = if ends { None } else { form.or(begun) };
            !is_within && begun.is_some_and(|begun| begun != self)
        })
    }
}

/// Whether a line is a header of a hunk with numbers.
fn is_placed(line: &[u8]) -> bool {
    hunk_header(line).is_some_and(|(stated, _)| stated.is_some())
}

impl ParsedPatch {
    /// Reads a patch of any form.
    pub fn read(text: &[u8]) -> Result<Self, PatchReadError> {
        Self::read_as(text, PatchForm::detect(text))
    }

    /// Reads a patch of one form.
    pub fn read_as(text: &[u8], form: PatchForm) -> Result<Self, PatchReadError> {
        if text.len() > MAX_PATCH_BYTES {
            return Err(PatchReadError::TooLarge { bytes: text.len() });
        }
        let mut lines: Vec<_> = text.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        outdent(&mut lines);
        let files = match form {
            PatchForm::Unified => unified::read(&lines)?,
            PatchForm::SearchReplace => search_replace::read(&lines)?,
            PatchForm::BeginEnd => begin_end::read(&lines)?,
        };
        if files.is_empty() {
            return Err(PatchReadError::Nothing);
        }
        if let Some(at) = form.other(&lines) {
            return Err(PatchReadError::Mixed { line: at + 1 });
        }
        if files.len() > MAX_PATCH_FILES {
            return Err(PatchReadError::TooManyFiles { files: files.len() });
        }
        let patch = Self { files };
        if patch.does_nothing() { Err(PatchReadError::Nothing) } else { Ok(patch) }
    }

    /// The patch that undoes this one.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.files.iter_mut().for_each(FilePatch::reverse);
        self.files.reverse();
        self
    }

    /// Prose that happens to look like lines of context must not be called done.
    fn does_nothing(&self) -> bool {
        self.files.iter().all(|file| {
            let no_change = match &file.hunks {
                Hunks::InOrder(hunks) | Hunks::AnyOrder(hunks) => !hunks.iter().any(PatchHunk::is_change),
                Hunks::Binary => false,
            };
            no_change && file.kind == FileAction::Modify && file.modes == (None, None)
        })
    }
}

/// Makes one text of a list of lines, of which some may be several lines or end in a line end.
///
/// An entry that holds several lines ends them as its writer's system does, which says nothing about the file.
pub fn flatten<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for line in lines {
        let line = line.strip_suffix('\n').unwrap_or(line);
        if line.contains("\r\n") {
            text.push_str(&line.replace("\r\n", "\n"));
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_several_lines_is_cut_at_either_line_end() {
        assert_eq!(flatten([" a", "+x\r\n+y", "+z\n+w\n", "-b\n"]), " a\n+x\n+y\n+z\n+w\n-b\n");
        assert_eq!(flatten(["+x\r\n"]), "+x\r\n", "a line of a file may end so");
    }
}
