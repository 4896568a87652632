//! Reads what `git diff` prints, one file after the other, and says what each line is.
//!
//! Lines of a hunk are counted as its header says, so that a line of a file that looks like a header is not taken for
//! one. Colours are passed over.

use std::io::{self, BufRead};
use std::ops::Range;

/// How the lines of a hunk are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkForm {
    /// One after the other, with a mark before each.
    Lines,
    /// With changed words marked inside of lines, which cannot be counted.
    Words,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitLine {
    /// The name of a file and what happened to it; before the first file, anything.
    Header,
    /// The `@@` line of a hunk.
    Hunk(HunkExtent),
    /// A line of both sides.
    Kept { before: u32, after: u32 },
    /// A line of the new side.
    Added { after: u32 },
    /// A line of the old side.
    Deleted { before: u32 },
    /// Says that the line above has no end.
    Incomplete,
    /// Anything else.
    Other,
}

/// The lines that a hunk is about: the first one of each side, and how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HunkExtent {
    pub before: (u32, u32),
    pub after: (u32, u32),
}

/// What git printed about one file.
#[derive(Debug, Default)]
pub(super) struct DiffSection {
    bytes: Vec<u8>,
    lines: Vec<(Range<usize>, GitLine)>,
}

impl DiffSection {
    /// The lines with their ends, in order.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = (&[u8], GitLine)> {
        self.lines.iter().map(|(range, what)| (&self.bytes[range.clone()], *what))
    }

    /// A line without colours and without its end.
    pub fn plain(&self, at: usize) -> Vec<u8> {
        let line = &self.bytes[self.lines[at].0.clone()];
        without_colours(line.strip_suffix(b"\n").unwrap_or(line))
    }

    /// What the line is.
    pub fn what(&self, at: usize) -> GitLine {
        self.lines[at].1
    }
}

/// Reads the output of git.
#[derive(Debug)]
pub(super) struct GitDiffReader<R> {
    input: R,
    form: HunkForm,
    /// The first line of the next file, which ended the one before.
    held: Vec<u8>,
    hunk: Option<OpenHunk>,
}

/// A hunk of which lines are still to come.
#[derive(Clone, Copy, Debug)]
struct OpenHunk {
    /// The next line of each side.
    next: (u32, u32),
    /// How many are to come.
    left: (u32, u32),
}

impl<R: BufRead> GitDiffReader<R> {
    pub fn new(input: R, form: HunkForm) -> Self {
        Self { input, form, held: Vec::new(), hunk: None }
    }

    /// The next file; none after the last one.
    pub fn section(&mut self) -> io::Result<Option<DiffSection>> {
        let mut section = DiffSection { bytes: std::mem::take(&mut self.held), lines: Vec::new() };
        if !section.bytes.is_empty() {
            section.lines.push((0..section.bytes.len(), GitLine::Header));
        }
        let mut is_in_header = true;
        loop {
            let start = section.bytes.len();
            if self.input.read_until(b'\n', &mut section.bytes)? == 0 {
                break;
            }
            let line = after_colours(&section.bytes[start..]);
            let what = match self.line_of_hunk(line) {
                Some(what) => what,
                None if begins_file(line) => {
                    self.held = section.bytes.split_off(start);
                    if section.lines.is_empty() {
                        section.bytes = std::mem::take(&mut self.held);
                        section.lines.push((0..section.bytes.len(), GitLine::Header));
                        continue;
                    }
                    return Ok(Some(section));
                }
                None => self.line_outside(line, is_in_header),
            };
            is_in_header &= what == GitLine::Header;
            section.lines.push((start..section.bytes.len(), what));
        }
        Ok((!section.lines.is_empty()).then_some(section))
    }

    /// What a line is if it belongs to the open hunk.
    fn line_of_hunk(&mut self, line: &[u8]) -> Option<GitLine> {
        let hunk = self.hunk.as_mut()?;
        let (before, after) = hunk.next;
        let what = match line.first() {
            // An empty line of both sides may lack its mark (`diff.suppressBlankEmpty`).
            Some(b' ' | b'\n') => GitLine::Kept { before, after },
            Some(b'-') => GitLine::Deleted { before },
            Some(b'+') => GitLine::Added { after },
            Some(b'\\') => return Some(GitLine::Incomplete),
            _ => {
                self.hunk = None;
                return None;
            }
        };
        if !matches!(what, GitLine::Added { .. }) {
            hunk.next.0 = before.saturating_add(1);
            hunk.left.0 = hunk.left.0.saturating_sub(1);
        }
        if !matches!(what, GitLine::Deleted { .. }) {
            hunk.next.1 = after.saturating_add(1);
            hunk.left.1 = hunk.left.1.saturating_sub(1);
        }
        if hunk.left == (0, 0) {
            self.hunk = None;
        }
        Some(what)
    }

    fn line_outside(&mut self, line: &[u8], is_in_header: bool) -> GitLine {
        if let Some(extent) = HunkExtent::read(line) {
            let left = (extent.before.1, extent.after.1);
            if self.form == HunkForm::Lines && left != (0, 0) {
                self.hunk = Some(OpenHunk { next: (extent.before.0, extent.after.0), left });
            }
            return GitLine::Hunk(extent);
        }
        match line.first() {
            Some(b'\\') => GitLine::Incomplete,
            // With several bases; its lines have a mark for each.
            Some(b'@') => GitLine::Other,
            _ if is_in_header => GitLine::Header,
            _ => GitLine::Other,
        }
    }
}

impl HunkExtent {
    /// Reads `@@ -1,2 +3,4 @@`.
    fn read(line: &[u8]) -> Option<Self> {
        let rest = line.strip_prefix(b"@@ -")?;
        let (before, rest) = numbers(rest)?;
        let (after, rest) = numbers(rest.strip_prefix(b" +")?)?;
        rest.starts_with(b" @@").then_some(Self { before, after })
    }

    /// Whether a line of the side is in it.
    pub fn has(self, side: postil_protocol::Side, line: u32) -> bool {
        let (first, count) = match side {
            postil_protocol::Side::Old => self.before,
            postil_protocol::Side::New => self.after,
        };
        (first..first.saturating_add(count)).contains(&line)
    }
}

/// A number of lines after the first of them; one if it is left out.
fn numbers(text: &[u8]) -> Option<((u32, u32), &[u8])> {
    let (first, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(count, rest)| ((first, count), rest)),
        None => Some(((first, 1), rest)),
    }
}

fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    Some((str::from_utf8(number).ok()?.parse().ok()?, rest))
}

/// Whether a file begins with this line, outside of a hunk.
fn begins_file(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 5] =
        [b"diff --git ", b"diff --cc ", b"diff --combined ", b"* Unmerged path ", b"Submodule "];
    STARTS.iter().any(|start| line.starts_with(start))
}

/// What follows the colours at the start of a line.
fn after_colours(mut line: &[u8]) -> &[u8] {
    while let Some(length) = colour_length(line) {
        line = &line[length..];
    }
    line
}

/// A line without the colours in it.
fn without_colours(line: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(byte) = rest.first() {
        match colour_length(rest) {
            Some(length) => rest = &rest[length..],
            None => {
                plain.push(*byte);
                rest = &rest[1..];
            }
        }
    }
    plain
}

/// How long the colour is that a text begins with, if it does.
pub(super) fn colour_length(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"\x1b[")?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit() || b";:".contains(byte)).count();
    (rest.get(length) == Some(&b'm')).then_some(length + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A letter for each line of each file.
    fn check(output: &str, form: HunkForm, expected: &[&str]) {
        let mut reader = GitDiffReader::new(output.as_bytes(), form);
        let mut told = Vec::new();
        let mut whole = Vec::new();
        while let Some(section) = reader.section().unwrap() {
            let letters = section.lines().map(|(line, what)| {
                whole.extend_from_slice(line);
                match what {
                    GitLine::Header => "h".to_owned(),
                    GitLine::Hunk(_) => "@".to_owned(),
                    GitLine::Kept { before, after } => format!(" {before},{after}"),
                    GitLine::Added { after } => format!("+{after}"),
                    GitLine::Deleted { before } => format!("-{before}"),
                    GitLine::Incomplete => "\\".to_owned(),
                    GitLine::Other => "?".to_owned(),
                }
            });
            told.push(letters.collect::<String>());
        }
        assert_eq!(told, expected, "{output}");
        assert_eq!(whole, output.as_bytes(), "no byte is lost");
    }

    #[test]
    fn lines_are_numbered_on_both_sides_and_files_are_told_apart() {
        let one =
            "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -3,2 +3,3 @@ fn f\n a\n-b\n+c\n+d\n";
        check(one, HunkForm::Lines, &["hhhh@ 3,3-4+4+5"]);
        let two = format!(
            "{one}@@ -9 +10 @@\n-x\n\\ No newline at end of file\n+y\ndiff --git a/y b/y\nold mode 100644\n"
        );
        check(&two, HunkForm::Lines, &["hhhh@ 3,3-4+4+5@-9\\+10", "hh"]);
        check(" x | 2 +-\n\ndiff --git a/x b/x\nBinary files differ\n", HunkForm::Lines, &["hh", "hh"]);
        check("", HunkForm::Lines, &[]);
    }

    #[test]
    fn what_looks_like_a_header_in_a_hunk_is_a_line_of_it() {
        let output = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n\n\
                      diff --git a/y b/y\n";
        check(output, HunkForm::Lines, &["hhh@-1+1 2,2", "h"]);
    }

    #[test]
    fn colours_are_passed_over() {
        let output = "\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[36m@@ -1 +1,2 @@\x1b[m f\n\x1b[31m-a\x1b[m\n\
                      \x1b[1;35m\x1b[32m+\x1b[m\x1b[32mb\x1b[m\n\x1b[32m+c\x1b[m\n";
        check(output, HunkForm::Lines, &["h@-1+1+2"]);
    }

    #[test]
    fn words_are_not_counted() {
        let output = "diff --git a/x b/x\n@@ -1,2 +1,2 @@\n[-a-]{+b+} c\n+d\ndiff --git a/y b/y\n";
        check(output, HunkForm::Words, &["h@??", "h"]);
    }

    #[test]
    fn a_hunk_of_two_bases_is_left_as_it_is() {
        check("diff --cc x\n@@@ -1,2 -1,2 +1,2 @@@\n  a\n++b\n", HunkForm::Lines, &["h???"]);
    }
}
