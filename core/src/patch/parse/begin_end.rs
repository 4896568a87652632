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

use super::form::PatchReadError;
use super::header::hunk_header;
use crate::patch::file_patch::{FileAction, FilePatch, Hunks};
use crate::patch::hunk::{End, HunkLine, PatchHunk, Role};
use crate::patch::path::PatchPath;
use crate::patch::placing::line::{bare, indent};

/// Reads all files between a first and a last mark, either of which may be missing.
///
/// There may be several such patches, with anything between them.
pub(crate) fn read(lines: &[&[u8]]) -> Result<Vec<FilePatch>, PatchReadError> {
    let begin = lines.iter().position(|line| is_begin(line));
    let mut files: Vec<FilePatch> = Vec::new();
    let mut begun = Vec::new();
    let mut is_within = true;
    let mut marks = Marks::default();
    marks.learn(begin.map_or(b"", |begin| lines[begin]));
    for (index, line) in lines.iter().enumerate().skip(begin.map_or(0, |begin| begin + 1)) {
        let Some(text) = marks.mark(lines, index, files.last().filter(|_| is_within)) else {
            if let Some(file) = files.last_mut() {
                read_line(file, line, index);
            }
            continue;
        };
        if is_end(text) {
            is_within = false;
        } else if let Some((kind, path)) = file_line(text) {
            is_within = true;
            let path = PatchPath::new(path).ok_or_else(|| PatchReadError::Path { path: path.to_vec() })?;
            let (old_path, new_path) = (Some(path.clone()), Some(path));
            let hunks = match kind {
                FileAction::Create => vec![hunk(index)],
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
            read_mark(file, text, index)?;
        }
    }
    for (file, line) in files.iter_mut().zip(begun) {
        if let Hunks::InOrder(hunks) = &mut file.hunks {
            hunks.retain_mut(finish);
        }
        if file.kind == FileAction::Modify && !file.has_changes() {
            return Err(PatchReadError::Empty { line });
        }
    }
    Ok(files)
}

/// The marks of this form, which may be indented; a line of a hunk may be as well, and may look like one.
#[derive(Default)]
struct Marks<'a> {
    /// The blanks before marks that can have been nothing else.
    indents: Vec<&'a [u8]>,
}

impl<'a> Marks<'a> {
    /// The line without its indentation, if it is a mark; outside of a file all lines are.
    ///
    /// Before the first hunk of a file nothing else can be meant. In a hunk, a mark is indented as those before it, or
    /// it says that something ends and something does.
    fn mark(&mut self, lines: &[&'a [u8]], index: usize, within: Option<&FilePatch>) -> Option<&'a [u8]> {
        let line = lines[index];
        let text = bare(line).trim_ascii();
        let Some(file) = within else {
            if file_line(text).is_some() {
                self.learn(line);
            }
            return Some(text);
        };
        let kind = PatchMarker::of(text)?;
        let is_margin = !line.starts_with(b" ") && !line.starts_with(b"\t");
        if is_margin || self.is_known(line) {
            return Some(text);
        }
        // What begins with `@@` and goes on is a word in some languages.
        if kind == PatchMarker::Place && !matches!(text, b"@@" | [b'@', b'@', b' ', ..]) {
            return None;
        }
        if !is_in_hunk(file, lines[index - 1]) {
            self.learn(line);
            return Some(text);
        }
        self.is_ending(kind, &lines[index + 1..]).then_some(text)
    }

    /// Whether a line that would end something is followed by what may be there.
    fn is_ending(&self, kind: PatchMarker, below: &[&[u8]]) -> bool {
        let Some(at) = below.iter().position(|line| !line.trim_ascii().is_empty()) else {
            return matches!(kind, PatchMarker::EndOfFile | PatchMarker::End);
        };
        let next = bare(below[at]);
        let is_known = indent(next).is_empty() || self.is_known(next);
        match (kind, PatchMarker::of(next.trim_ascii())) {
            (PatchMarker::EndOfFile, Some(PatchMarker::End)) => {
                is_known || self.is_ending(PatchMarker::End, &below[at + 1..])
            }
            (PatchMarker::EndOfFile, Some(PatchMarker::File | PatchMarker::Place))
            | (PatchMarker::End, Some(PatchMarker::File)) => is_known,
            (PatchMarker::End, None) => !matches!(next.first(), Some(b'+' | b'-' | b' ' | b'\t')),
            _ => false,
        }
    }

    fn learn(&mut self, line: &'a [u8]) {
        if !indent(line).is_empty() && !self.is_known(line) {
            self.indents.push(indent(line));
        }
    }

    fn is_known(&self, line: &[u8]) -> bool {
        self.indents.contains(&indent(line))
    }
}

/// What a mark says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PatchMarker {
    File,
    MoveTo,
    Place,
    EndOfFile,
    End,
}

impl PatchMarker {
    /// Returns the mark that a line without its indentation is.
    fn of(text: &[u8]) -> Option<Self> {
        if file_line(text).is_some() {
            Some(Self::File)
        } else if after_mark(text, MOVE_TO).is_some() {
            Some(Self::MoveTo)
        } else if text.eq_ignore_ascii_case(END_OF_FILE) {
            Some(Self::EndOfFile)
        } else if is_end(text) {
            Some(Self::End)
        } else {
            hunk_header(text).map(|_| Self::Place)
        }
    }
}

/// Whether a line below `above` may be one of a hunk; each line of a new file has a mark, unless all are forgotten.
fn is_in_hunk(file: &FilePatch, above: &[u8]) -> bool {
    let Hunks::InOrder(hunks) = &file.hunks else { return false };
    match file.kind {
        FileAction::Create => !above.starts_with(b"+") && hunks.iter().any(|hunk| !hunk.lines.is_empty()),
        _ => !hunks.is_empty(),
    }
}

const MOVE_TO: &[u8] = b"*** Move to:";
const END_OF_FILE: &[u8] = b"*** End of File";

pub(crate) fn is_begin(line: &[u8]) -> bool {
    bare(line).trim_ascii().eq_ignore_ascii_case(b"*** Begin Patch")
}

pub(crate) fn is_end(line: &[u8]) -> bool {
    bare(line).trim_ascii().eq_ignore_ascii_case(b"*** End Patch")
}

pub(crate) fn file_line(line: &[u8]) -> Option<(FileAction, &[u8])> {
    let kinds: [(FileAction, &[u8]); 3] = [
        (FileAction::Modify, b"*** Update File:"),
        (FileAction::Create, b"*** Add File:"),
        (FileAction::Delete, b"*** Delete File:"),
    ];
    kinds.into_iter().find_map(|(kind, mark)| Some((kind, after_mark(line, mark)?)))
}

/// What a line has after a mark, whose letters may be of either case.
fn after_mark<'a>(line: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    let (begin, rest) = line.split_at_checked(mark.len())?;
    begin.eq_ignore_ascii_case(mark).then(|| rest.trim_ascii())
}

fn read_mark(file: &mut FilePatch, text: &[u8], index: usize) -> Result<(), PatchReadError> {
    if let Some(path) = after_mark(text, MOVE_TO) {
        file.kind = FileAction::Rename;
        file.new_path =
            Some(PatchPath::new(path).ok_or_else(|| PatchReadError::Path { path: path.to_vec() })?);
        return Ok(());
    }
    let Hunks::InOrder(hunks) = &mut file.hunks else { return Ok(()) };
    if text.eq_ignore_ascii_case(END_OF_FILE) {
        if let Some(last) = hunks.last_mut() {
            last.end = End::Said;
        }
    } else if let Some((stated, heading)) = hunk_header(text) {
        // Several headings in a row lead ever deeper to one hunk.
        let nested = hunks.last().is_some_and(|last| last.lines.is_empty() && heading.is_some());
        if !nested {
            hunks.push(hunk(index));
        }
        if let Some(last) = hunks.last_mut() {
            last.stated = stated;
            last.headings.extend(heading);
        }
    }
    Ok(())
}

fn read_line(file: &mut FilePatch, line: &[u8], index: usize) {
    let Hunks::InOrder(hunks) = &mut file.hunks else { return };
    if hunks.is_empty() {
        hunks.push(hunk(index));
    }
    let Some(last) = hunks.last_mut() else { return };
    let (role, text) = match line.split_first() {
        Some((b'+', text)) => (Role::Add, text),
        Some((b'-', text)) => (Role::Remove, text),
        Some((b' ', text)) => (Role::Context, text),
        Some((b'\\', _)) => {
            if let Some(last) = last.lines.last_mut() {
                last.newline = false;
            }
            return;
        }
        _ => (if file.kind == FileAction::Create { Role::Add } else { Role::Context }, line),
    };
    last.lines.push(HunkLine { role, text: text.to_vec(), newline: true });
}

fn hunk(index: usize) -> PatchHunk {
    PatchHunk {
        stated: None,
        headings: Vec::new(),
        lines: Vec::new(),
        end: End::Unknown,
        patch_line: index + 1,
    }
}

/// Blank lines without a mark at the end of a hunk are between hunks, and what only adds, without a place,
/// comes at the end of the file. Returns whether anything is left.
fn finish(hunk: &mut PatchHunk) -> bool {
    while hunk.lines.last().is_some_and(|line| line.role == Role::Context && line.text.is_empty()) {
        hunk.lines.pop();
    }
    if hunk.old().next().is_none() && hunk.headings.is_empty() {
        hunk.end = End::Said;
    }
    !hunk.lines.is_empty()
}

#[cfg(test)]
mod tests {
    use super::Hunks;
    use crate::patch::ParsedPatch;
    use crate::patch::outcome::PlacementStage;
    use crate::patch::tests::cases::{BASE, apply, check};

    #[test]
    fn every_mark_may_be_indented() {
        let plain = "*** Begin Patch\n*** Update File: f.txt\n*** Move to: g.txt\n@@\n gamma\n-delta\n+DELTA\n epsilon\n*** End of File\n*** End Patch\n";
        let result = "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n";
        let marks =
            ["*** Begin Patch", "*** Update File", "*** Move to", "@@", "*** End of File", "*** End Patch"];
        for blanks in [" ", "  ", "    ", "\t"] {
            let indented = |text: String, mark: &&str| text.replace(*mark, &format!("{blanks}{mark}"));
            for mark in &marks {
                check(BASE, &indented(plain.to_owned(), mark), PlacementStage::Strict, result);
            }
            check(BASE, &marks.iter().fold(plain.to_owned(), indented), PlacementStage::Strict, result);
        }
    }

    #[test]
    fn marks_of_files_that_follow_may_be_indented_as_the_first_one() {
        let patch = "*** Begin Patch\n  *** Add File: new\n+one\n  *** Delete File: old\n  *** Update File: f\n  @@\n a\n-b\n+c\n  @@\n x\n-y\n  *** Update File: g\n@@\n-d\n+e\n  *** End Patch\n";
        let files = ParsedPatch::read(patch.as_bytes()).unwrap().files;
        let paths: Vec<_> =
            files.iter().map(|file| file.new_path.as_ref().unwrap().path.to_string()).collect();
        assert_eq!(paths, ["new", "old", "f", "g"]);
        let Hunks::InOrder(hunks) = &files[2].hunks else { panic!("they stand in order") };
        assert_eq!(hunks.iter().map(|hunk| hunk.lines.len()).collect::<Vec<_>>(), [3, 2]);
        // Without the first mark, which says that a patch begins.
        let alone = "Here:\n  *** Update File: f.txt\n@@\n gamma\n-delta\n+DELTA\n";
        check(BASE, alone, PlacementStage::Strict, "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n");
    }

    #[test]
    fn lines_that_look_like_indented_marks_stay_lines_of_their_hunk() {
        let base = "text = `\n    *** Begin Patch\n    *** Update File: f\n    @@ def f\n    *** End of File\n    *** End Patch\n`\nrun(1)\n";
        let lines = |from: usize, to: usize| -> String {
            base.lines().skip(from).take(to - from).map(|line| format!(" {line}\n")).collect()
        };
        let patch = |body: String| format!("*** Begin Patch\n*** Update File: f\n@@\n{body}*** End Patch\n");
        let last = patch(lines(0, 7) + "-run(1)\n+run(2)\n");
        check(base, &last, PlacementStage::Strict, &base.replace("run(1)", "run(2)"));
        for last in [2, 3, 4, 6] {
            let first = patch("-text = `\n+TEXT = `\n".to_owned() + &lines(1, last));
            check(base, &first, PlacementStage::Strict, &base.replace("text", "TEXT"));
        }
        let ruby = "class A\n  @@count = 0\n  @@size = 1\n";
        let patch = "*** Begin Patch\n*** Update File: a.rb\n   @@count = 0\n-  @@size = 1\n+  @@size = 2\n*** End Patch\n";
        check(ruby, patch, PlacementStage::Strict, &ruby.replace('1', "2"));
    }

    #[test]
    fn content_of_a_new_file_that_looks_like_a_mark_stays_content() {
        let patch =
            "*** Begin Patch\n*** Add File: f\n+  *** End Patch\n+  *** Delete File: x\n  *** End Patch\n";
        assert_eq!(apply("", patch).unwrap().text, b"  *** End Patch\n  *** Delete File: x\n");
    }
}
