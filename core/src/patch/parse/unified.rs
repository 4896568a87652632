//! Reads unified diffs as git, GNU diff and language models write them.
//!
//! Everything around the hunks is optional, and the counts in their headers are believed only where the
//! lines agree with them. What is around the diff (prose, code fences, mail headers) is passed over; what
//! can only be part of a change is read, or the whole diff is not.

use super::fence::Fence;
use super::form::PatchReadError;
use super::header::{git_paths, hunk_header, mode};
use crate::patch::file_patch::{FileAction, FilePatch, Hunks};
use crate::patch::hunk::{End, HunkLine, PatchHunk, Role, Stated};
use crate::patch::path::{PatchPath, of_line};
use crate::patch::placing::line::bare;

/// Reads all files of a diff.
pub(crate) fn read(lines: &[&[u8]]) -> Result<Vec<FilePatch>, PatchReadError> {
    let headless = !lines.iter().any(|line| line.starts_with(b"@@"));
    let mut fenced = vec![Fenced::No; lines.len()];
    for fence in Fence::all(lines).iter().filter(|fence| fence.indent.is_empty()) {
        fenced[fence.lines.clone()].fill(if fence.is_diff { Fenced::Diff } else { Fenced::Code });
    }
    let mut reader =
        UnifiedReader { lines, fenced, at: 0, headless, body: None, ahead: 0, files: Vec::new(), open: None };
    while let Some(line) = reader.lines.get(reader.at).map(|line| bare(line)) {
        if !reader.file_line(line)? && !reader.hunk_line(line)? {
            if reader.is_stray(line) {
                return Err(PatchReadError::Stray { line: reader.at + 1 });
            }
            reader.at += 1;
        }
    }
    reader.close()?;
    Ok(reader.files)
}

/// What a line is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fenced {
    No,
    /// A code fence.
    Code,
    /// A code fence that is called a diff.
    Diff,
}

struct UnifiedReader<'a> {
    lines: &'a [&'a [u8]],
    fenced: Vec<Fenced>,
    at: usize,
    /// Whether no hunk has a header; then lines that look like a hunk's are one.
    headless: bool,
    /// The line after the names of a file, where a hunk may begin without a header.
    body: Option<usize>,
    /// A line that comes or goes, which was seen from above.
    ahead: usize,
    files: Vec<FilePatch>,
    open: Option<OpenFile>,
}

/// A file whose hunks are being read.
struct OpenFile {
    patch: FilePatch,
    hunks: Vec<PatchHunk>,
    binary: bool,
    /// The line of `---` and `+++`, counted from one, where the paths came from there; the next ones begin another file.
    named: Option<usize>,
}

impl OpenFile {
    /// Whether `---` and `+++` with these names begin another file.
    fn ends_before(&self, names: [Option<&PatchPath>; 2]) -> bool {
        let patch = &self.patch;
        let own = [patch.old_path.as_ref(), patch.new_path.as_ref()];
        // Another mode or another path is a whole change, of which no line need follow.
        let is_whole = patch.kind != FileAction::Modify || patch.modes != (None, None);
        let is_other = names.iter().flatten().all(|name| !own.iter().flatten().any(|own| name.may_be(own)));
        self.named.is_some()
            || !self.hunks.is_empty()
            || (is_whole && is_other && own.iter().any(Option::is_some) && names.iter().any(Option::is_some))
    }
}

impl UnifiedReader<'_> {
    /// Reads a line about a file. Returns whether it was one.
    fn file_line(&mut self, line: &[u8]) -> Result<bool, PatchReadError> {
        if let Some(rest) = line.strip_prefix(b"diff --git ") {
            self.begin()?;
            if let Some((old, new)) = git_paths(rest) {
                // A letter before each of two equal names is not a part of them.
                let is_letter = [&old, &new].iter().all(|name| name.get(1) == Some(&b'/'));
                let [old, new] = match PatchPath::pair(&old, &new).filter(|_| is_letter) {
                    Some(pair) => pair.map(Some),
                    None => [path(&old)?, path(&new)?],
                };
                let open = self.open();
                // As git reads it: two names in this line are a rename, also where no line below says so.
                if let (Some(old), Some(new)) = (&old, &new)
                    && old.path != new.path
                {
                    open.patch.kind = FileAction::Rename;
                }
                (open.patch.old_path, open.patch.new_path) = (old, new);
            }
            self.at += 1;
            return Ok(true);
        }
        if self.is_file_header(self.at) {
            return self.file_header().map(|()| true);
        }
        if self.open.is_none() {
            return Ok(false);
        }
        let open = self.open();
        let modes = &mut open.patch.modes;
        if let Some(rest) = line.strip_prefix(b"new file mode ") {
            (open.patch.kind, modes.1) = (FileAction::Create, mode(rest));
        } else if let Some(rest) = line.strip_prefix(b"deleted file mode ") {
            (open.patch.kind, modes.0) = (FileAction::Delete, mode(rest));
        } else if let Some(rest) = line.strip_prefix(b"old mode ") {
            modes.0 = mode(rest);
        } else if let Some(rest) = line.strip_prefix(b"new mode ") {
            modes.1 = mode(rest);
        } else if let Some(rest) = line.strip_prefix(b"rename from ") {
            (open.patch.kind, open.patch.old_path) = (FileAction::Rename, exact_path(rest)?);
        } else if let Some(rest) = line.strip_prefix(b"rename to ") {
            (open.patch.kind, open.patch.new_path) = (FileAction::Rename, exact_path(rest)?);
        } else if let Some(rest) = line.strip_prefix(b"copy from ") {
            (open.patch.kind, open.patch.old_path) = (FileAction::Copy, exact_path(rest)?);
        } else if let Some(rest) = line.strip_prefix(b"copy to ") {
            (open.patch.kind, open.patch.new_path) = (FileAction::Copy, exact_path(rest)?);
        } else if line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files ") {
            open.binary = true;
        } else {
            return Ok(false);
        }
        self.at += 1;
        Ok(true)
    }

    /// `---` is a removed line too; with `+++` or a hunk after it, it is not.
    fn is_file_header(&self, at: usize) -> bool {
        let starts = |at: usize, with: &[u8]| self.lines.get(at).is_some_and(|line| line.starts_with(with));
        let old = starts(at, b"--- ") && (starts(at + 1, b"+++ ") || starts(at + 1, b"@@"));
        old || (starts(at, b"+++ ") && starts(at + 1, b"@@"))
    }

    fn file_header(&mut self) -> Result<(), PatchReadError> {
        let line = self.at + 1;
        let mut sides = [None, None];
        for (side, mark) in sides.iter_mut().zip([b"--- ", b"+++ "]) {
            if let Some(rest) = self.lines.get(self.at).and_then(|line| line.strip_prefix(mark)) {
                *side = Some(of_line(bare(rest)));
                self.at += 1;
            }
        }
        let nothing = |side: &Option<Vec<u8>>| side.as_deref() == Some(b"/dev/null");
        let (creates, deletes) = (nothing(&sides[0]), nothing(&sides[1]));
        let pair = match &sides {
            [Some(old), Some(new)] => PatchPath::pair(old, new),
            _ => None,
        };
        let [old, new] = match pair {
            Some(pair) => pair.map(|name| Ok(Some(name))),
            None => sides.map(|side| {
                side.map_or(Ok(None), |side| {
                    self.known(&side).map_or_else(|| path(&side), |name| Ok(Some(name)))
                })
            }),
        };
        let names = [&old, &new].map(|side| side.as_ref().ok().and_then(Option::as_ref));
        if self.open.as_ref().is_some_and(|open| open.ends_before(names)) {
            self.begin()?;
        }
        self.body = Some(self.at);
        let open = self.open();
        open.named = Some(line);
        let renamed = matches!(open.patch.kind, FileAction::Rename | FileAction::Copy);
        if !renamed {
            let (old, new) = (old?, new?);
            open.patch.old_path =
                old.clone().or(open.patch.old_path.take()).filter(|_| !creates).or(new.clone());
            open.patch.new_path = new.or(open.patch.new_path.take()).filter(|_| !deletes).or(old);
        }
        if creates {
            open.patch.kind = FileAction::Create;
        } else if deletes {
            open.patch.kind = FileAction::Delete;
        }
        Ok(())
    }

    /// The name that the line of git above has for what is written so.
    fn known(&self, written: &[u8]) -> Option<PatchPath> {
        let patch = &self.open.as_ref()?.patch;
        let mut names = [&patch.old_path, &patch.new_path].into_iter().flatten();
        names.find(|name| name.written.as_ref().is_some_and(|own| own.as_bytes() == written)).cloned()
    }

    /// Reads a hunk. Returns whether there was one.
    fn hunk_line(&mut self, line: &[u8]) -> Result<bool, PatchReadError> {
        let patch_line = self.at + 1;
        let (stated, heading) = match hunk_header(line) {
            Some(header) => {
                self.at += 1;
                header
            }
            None if line.starts_with(b"@@@") => return Err(PatchReadError::Combined { line: patch_line }),
            None if self.is_headless() && matches!(line.first(), Some(b'+' | b'-' | b' ')) => (None, None),
            None => return Ok(false),
        };
        let lines = stated.and_then(|stated| self.counted(stated)).unwrap_or_else(|| self.uncounted());
        // What is after the numbers is cut off by some programs and of another place for others.
        let headings = heading.into_iter().filter(|_| stated.is_none()).collect();
        if lines.is_empty() && stated.is_none() {
            // What looked like a line of a hunk without a header may be none; it must be passed all the same.
            return Ok(self.at >= patch_line);
        }
        if lines.is_empty() && stated.is_some_and(|stated| stated.old_lines + stated.new_lines > 0) {
            return Err(PatchReadError::Empty { line: patch_line });
        }
        self.open().hunks.push(PatchHunk { stated, headings, lines, end: End::Context, patch_line });
        Ok(true)
    }

    /// Reads as many lines as the header says, if that is where the hunk ends.
    fn counted(&mut self, stated: Stated) -> Option<Vec<HunkLine>> {
        let (mut old, mut new) = (stated.old_lines, stated.new_lines);
        let mut lines = Vec::new();
        let mut at = self.at;
        while old > 0 || new > 0 {
            let line = self.lines.get(at)?;
            at += 1;
            if no_newline(line, &mut lines) {
                continue;
            }
            let read = marked(line).or_else(|| bare(line).is_empty().then(|| context(line)))?;
            match read.role {
                Role::Context => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
                Role::Remove => old = old.checked_sub(1)?,
                Role::Add => new = new.checked_sub(1)?,
            }
            lines.push(read);
        }
        if self.lines.get(at).is_some_and(|line| no_newline(line, &mut lines)) {
            at += 1;
        }
        let goes_on = self.lines.get(at).is_some_and(|line| {
            let header = self.lines.get(at + 1).is_some_and(|next| next.starts_with(b"+++ "));
            matches!(line.first(), Some(b'+' | b' '))
                || (line.starts_with(b"-") && !header && !is_signature(line))
        });
        if goes_on {
            return None;
        }
        self.at = at;
        Some(lines)
    }

    /// Reads lines as long as they look like a hunk's.
    fn uncounted(&mut self) -> Vec<HunkLine> {
        let mut lines: Vec<HunkLine> = Vec::new();
        let mut blank = 0;
        while let Some(line) = self.lines.get(self.at).copied() {
            if self.ends_hunk(self.at) {
                break;
            }
            self.at += 1;
            if no_newline(line, &mut lines) {
                continue;
            }
            let read = match marked(line) {
                Some(read) => read,
                None if bare(line).is_empty() => {
                    blank += 1;
                    continue;
                }
                // Who wrote marks before did not forget one here: this is prose.
                None if lines.iter().any(|line| line.role == Role::Context) && !self.goes_on(blank) => break,
                None => context(line),
            };
            // Blank lines are context where the hunk goes on after them, and around it otherwise.
            lines.extend(std::iter::repeat_with(|| context(b"")).take(std::mem::take(&mut blank)));
            lines.push(read);
        }
        lines
    }

    fn ends_hunk(&self, at: usize) -> bool {
        let ends: [&[u8]; 5] = [b"@@", b"diff --git ", b"```", b"~~~", b"*** "];
        let line = self.lines[at];
        let version = self.lines.get(at + 1).is_none_or(|next| next.first().is_none_or(u8::is_ascii_digit));
        ends.iter().any(|end| line.starts_with(end))
            || self.is_file_header(at)
            || (is_signature(line) && version)
    }

    /// Whether the hunk goes on after a line without a mark, which is context then: something comes or goes below it.
    ///
    /// Prose is after a blank line, or outside of the code fence.
    fn goes_on(&mut self, blank: usize) -> bool {
        if self.ahead >= self.at {
            return true;
        }
        let is_fenced = self.fenced[self.at - 1] != Fenced::No;
        if blank > 0 && !is_fenced {
            return false;
        }
        let below = (self.at..self.lines.len())
            .take_while(|at| !self.ends_hunk(*at) && (is_fenced || !bare(self.lines[*at]).is_empty()));
        let changed = below.into_iter().find(|at| matches!(self.lines[*at].first(), Some(b'+' | b'-')));
        self.ahead = changed.unwrap_or(0);
        changed.is_some()
    }

    /// Whether hunks may begin here without a header.
    fn is_headless(&self) -> bool {
        self.headless || self.body == Some(self.at)
    }

    /// Whether a line that was not read can only be one of a hunk.
    fn is_stray(&self, line: &[u8]) -> bool {
        self.fenced[self.at] == Fenced::Diff
            && matches!(line.first(), Some(b'+' | b'-'))
            && !is_signature(line)
    }

    fn open(&mut self) -> &mut OpenFile {
        self.open.get_or_insert_with(|| {
            let (kind, modes, hunks) = (FileAction::Modify, (None, None), Hunks::InOrder(Vec::new()));
            let patch = FilePatch { old_path: None, new_path: None, kind, modes, hunks };
            OpenFile { patch, hunks: Vec::new(), binary: false, named: None }
        })
    }

    fn begin(&mut self) -> Result<(), PatchReadError> {
        self.close()?;
        self.open();
        Ok(())
    }

    fn close(&mut self) -> Result<(), PatchReadError> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        open.patch.hunks = if open.binary { Hunks::Binary } else { Hunks::InOrder(open.hunks) };
        let is_whole = open.patch.kind != FileAction::Modify || open.patch.modes != (None, None);
        if let Some(line) = open.named.filter(|_| !is_whole && !open.patch.has_changes()) {
            return Err(PatchReadError::Empty { line });
        }
        self.files.push(open.patch);
        Ok(())
    }
}

fn path(path: &[u8]) -> Result<Option<PatchPath>, PatchReadError> {
    if path == b"/dev/null" || path.is_empty() {
        return Ok(None);
    }
    PatchPath::prefixed(path).map(Some).ok_or_else(|| PatchReadError::Path { path: path.to_vec() })
}

fn exact_path(rest: &[u8]) -> Result<Option<PatchPath>, PatchReadError> {
    let path = of_line(rest);
    PatchPath::new(&path).map(Some).ok_or(PatchReadError::Path { path })
}

/// A line with its mark.
fn marked(line: &[u8]) -> Option<HunkLine> {
    let (mark, text) = line.split_first()?;
    let role = match mark {
        b' ' => Role::Context,
        b'-' => Role::Remove,
        b'+' => Role::Add,
        _ => return None,
    };
    Some(HunkLine { role, text: text.to_vec(), newline: true })
}

/// A line of context that lost its mark.
fn context(line: &[u8]) -> HunkLine {
    HunkLine { role: Role::Context, text: line.to_vec(), newline: true }
}

/// `\ No newline at end of file`, in any language.
fn no_newline(line: &[u8], lines: &mut [HunkLine]) -> bool {
    let is_one = line.starts_with(b"\\ ") || line.starts_with(b"\\No newline");
    if let (true, Some(last)) = (is_one, lines.last_mut()) {
        last.newline = false;
    }
    is_one
}

/// What mail programs, and git with them, put before a signature.
fn is_signature(line: &[u8]) -> bool {
    bare(line) == b"-- "
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of a patch: what happens to each, its paths, and how many hunks it has.
    fn files(text: &str) -> Vec<(FileAction, String, String, usize)> {
        let lines: Vec<&[u8]> = text.as_bytes().split_inclusive(|byte| *byte == b'\n').collect();
        let name = |path: Option<PatchPath>| path.map(|path| path.path.to_string()).unwrap_or_default();
        let files = read(&lines).unwrap().into_iter().map(|file| {
            let hunks = match &file.hunks {
                Hunks::InOrder(hunks) | Hunks::AnyOrder(hunks) => hunks.len(),
                Hunks::Binary => 0,
            };
            (file.kind, name(file.old_path), name(file.new_path), hunks)
        });
        files.collect()
    }

    /// The lines of another file, without the `diff --git` line that git puts before them.
    const NEXT: &str = "--- a/n.txt\n+++ b/n.txt\n@@ -1 +1 @@\n-q\n+r\n";

    #[test]
    fn a_change_without_lines_is_not_taken_over_by_the_next_file() {
        let next = (FileAction::Modify, "n.txt".to_owned(), "n.txt".to_owned(), 1);
        for (head, kind, paths) in [
            (
                "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n",
                FileAction::Modify,
                ["a.txt", "a.txt"],
            ),
            (
                "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n",
                FileAction::Rename,
                ["a", "b"],
            ),
            (
                "diff --git a/a b/b\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from a\nrename to b\n",
                FileAction::Rename,
                ["a", "b"],
            ),
            (
                "diff --git a/a b/b\nsimilarity index 100%\ncopy from a\ncopy to b\n",
                FileAction::Copy,
                ["a", "b"],
            ),
            (
                "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n",
                FileAction::Create,
                ["e", "e"],
            ),
            (
                "diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n",
                FileAction::Delete,
                ["e", "e"],
            ),
        ] {
            let first = (kind, paths[0].to_owned(), paths[1].to_owned(), 0);
            assert_eq!(files(&format!("{head}{NEXT}")), [first, next.clone()], "{head}");
        }
    }

    #[test]
    fn other_letters_than_a_and_b_may_stand_before_names() {
        let hunk = "@@ -1 +1 @@\n-q\n+r\n";
        let file = |kind, hunks| (kind, "d/x".to_owned(), "d/x".to_owned(), hunks);
        for (patch, expected) in [
            (format!("diff --git i/d/x w/d/x\n--- i/d/x\n+++ w/d/x\n{hunk}"), file(FileAction::Modify, 1)),
            (format!("--- i/d/x\n+++ w/d/x\n{hunk}"), file(FileAction::Modify, 1)),
            (format!("--- old/d/x\n+++ new/d/x\n{hunk}"), file(FileAction::Modify, 1)),
            ("diff --git c/d/x w/d/x\nold mode 100644\nnew mode 100755\n".to_owned(), file(FileAction::Modify, 0)),
            (
                "diff --git c/d/x i/d/x\nnew file mode 100644\n--- /dev/null\n+++ i/d/x\n@@ -0,0 +1 @@\n+r\n"
                    .to_owned(),
                file(FileAction::Create, 1),
            ),
            (
                "diff --git c/d/x i/d/x\ndeleted file mode 100644\n--- c/d/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-q\n"
                    .to_owned(),
                file(FileAction::Delete, 1),
            ),
        ] {
            assert_eq!(files(&patch), [expected], "{patch}");
        }
        // Without another name beside it, it may as well be a folder.
        let made = files("--- /dev/null\n+++ c/x\n@@ -0,0 +1 @@\n+r\n");
        assert_eq!(made, [(FileAction::Create, "c/x".to_owned(), "c/x".to_owned(), 1)]);
    }

    #[test]
    fn the_lines_of_a_renamed_file_are_its_own_however_they_are_named() {
        let hunk = "@@ -1 +1 @@\n-q\n+r\n";
        for names in [
            "--- a/src/a\n+++ b/src/b\n",
            "--- src/a\n+++ src/b\n",
            "--- old/src/a\n+++ new/src/b\n",
            "--- a/src/a\n+++ b/src/a\n",
            "--- i/src/a\t2026-01-01\n+++ w/src/b\t2026-01-01\n",
            "",
        ] {
            let head =
                "diff --git a/src/a b/src/b\nsimilarity index 50%\nrename from src/a\nrename to src/b\n";
            let whole = (FileAction::Rename, "src/a".to_owned(), "src/b".to_owned(), 1);
            assert_eq!(files(&format!("{head}{names}{hunk}")), [whole], "{names}");
        }
    }
}
