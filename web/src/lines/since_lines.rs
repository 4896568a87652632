//! A file of a branch that was rewritten, as a diff of its work then and now.
//!
//! Pure: the file as it is, and the rows in which two patches differ, go in; lines of a diff come out. What the new base
//! brought is no change here: only what the branch itself adds or deletes otherwise than before.

use std::collections::{BTreeMap, VecDeque};

use postil_protocol::{
    ByteText, DiffExtent, DiffFile, DiffLine, DiffMark, SinceChange, SinceFile, ThreadView,
};

/// So many unchanged lines are shown around each change.
const AROUND: usize = 3;

/// The file with the lines that differ between then and now; `only` asks for some of them, changed or not.
///
/// `sides` says what it was and is; `whole` has all lines of it now, with threads, if the branch still changes it.
pub(crate) fn since_lines(
    sides: DiffFile,
    whole: Option<&DiffFile>,
    since: &SinceFile,
    only: Option<DiffExtent>,
) -> DiffFile {
    let mut made = SinceLines::new(whole);
    for hunk in &since.hunks {
        made.kept_until(hunk.after + u32::from(hunk.after_count == 0));
        for row in &hunk.lines {
            match (row.mark, row.change) {
                (DiffMark::Kept, _) | (DiffMark::Added, SinceChange::Same) => made.kept(row.line, &row.text),
                (DiffMark::Added, SinceChange::Came) => made.now(row.line, &row.text, DiffMark::Added),
                (DiffMark::Added, SinceChange::Gone) => made.gone.push_back(row.text.clone()),
                (DiffMark::Deleted, SinceChange::Came) => made.deleted(row.line, &row.text),
                (DiffMark::Deleted, SinceChange::Gone) => made.back.push_back(row.text.clone()),
                // In neither version.
                (DiffMark::Deleted, SinceChange::Same) => {}
            }
        }
        made.flush();
        made.back.clear();
    }
    made.kept_until(u32::MAX);
    made.file(sides, whole, only)
}

/// The lines, as far as they are made.
struct SinceLines<'a> {
    /// The lines of the file now.
    head: Vec<&'a DiffLine>,
    /// Threads on lines of the base that the branch deletes.
    on_deleted: BTreeMap<u32, &'a [ThreadView]>,
    lines: Vec<DiffLine>,
    next: usize,
    /// Lines that the branch added then, and no longer adds.
    gone: VecDeque<ByteText>,
    /// Lines that the branch deleted then, and no longer deletes.
    back: VecDeque<ByteText>,
}

impl<'a> SinceLines<'a> {
    fn new(whole: Option<&'a DiffFile>) -> Self {
        let lines = whole.map(|file| file.lines.as_slice()).unwrap_or_default();
        let deleted = lines.iter().filter(|line| line.mark == DiffMark::Deleted);
        Self {
            head: lines.iter().filter(|line| line.mark != DiffMark::Deleted).collect(),
            on_deleted: deleted.filter_map(|line| Some((line.before?, line.threads.as_slice()))).collect(),
            lines: Vec::new(),
            next: 0,
            gone: VecDeque::new(),
            back: VecDeque::new(),
        }
    }

    /// Adds the unchanged lines before a line of the file.
    fn kept_until(&mut self, number: u32) {
        let until = (number.max(1) as usize - 1).min(self.head.len());
        while self.next < until {
            let line = self.head[self.next];
            self.push(line.clone(), DiffMark::Kept);
            self.next += 1;
        }
    }

    /// Adds a line that the branch leaves as it was, unless it is one that came back.
    fn kept(&mut self, number: u32, text: &ByteText) {
        if self.gone.front() == Some(text) {
            // It was the branch's, and is the base's now.
            self.gone.pop_front();
        }
        let is_back = self.back.front() == Some(text) && self.back.pop_front().is_some();
        self.now(number, text, if is_back { DiffMark::Added } else { DiffMark::Kept });
    }

    /// Adds a line of the file.
    fn now(&mut self, number: u32, text: &ByteText, mark: DiffMark) {
        self.flush();
        self.kept_until(number);
        let line = self.head.get(self.next).map_or_else(|| plain(Some(number), text), |line| (*line).clone());
        self.push(line, mark);
        self.next += 1;
    }

    /// Adds a line of the base that the branch deletes now.
    fn deleted(&mut self, number: u32, text: &ByteText) {
        let threads = self.on_deleted.get(&number).map(|threads| threads.to_vec()).unwrap_or_default();
        let line = DiffLine { before: Some(number), threads, ..plain(None, text) };
        self.push(line, DiffMark::Deleted);
    }

    /// Adds the lines that are gone. They have no number: neither the file nor its base has them.
    fn flush(&mut self) {
        while let Some(text) = self.gone.pop_front() {
            self.push(plain(None, &text), DiffMark::Deleted);
        }
    }

    fn push(&mut self, line: DiffLine, mark: DiffMark) {
        let offset = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let before = if mark == DiffMark::Kept { line.after } else { line.before };
        self.lines.push(DiffLine { offset, mark, before, words: Vec::new(), enclosing: None, ..line });
    }

    /// The file, with the lines that are near a change or a thread, or those that were asked for.
    fn file(self, sides: DiffFile, whole: Option<&DiffFile>, only: Option<DiffExtent>) -> DiffFile {
        let count = |mark| u32::try_from(self.lines.iter().filter(|line| line.mark == mark).count());
        let (added, deleted) = (count(DiffMark::Added), count(DiffMark::Deleted));
        let total = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let is_subject = |line: &DiffLine| line.mark != DiffMark::Kept || !line.threads.is_empty();
        let mut is_shown = vec![false; self.lines.len()];
        for (at, line) in self.lines.iter().enumerate() {
            match only {
                Some(only) => is_shown[at] = (only.from..only.to).contains(&line.offset),
                None if is_subject(line) => {
                    let end = (at + AROUND + 1).min(is_shown.len());
                    is_shown[at.saturating_sub(AROUND)..end].fill(true);
                }
                None => {}
            }
        }
        let lines = self.lines.into_iter().zip(is_shown).filter(|(_, is_shown)| *is_shown);
        DiffFile {
            lines: lines.map(|(line, _)| line).collect(),
            threads: whole.map(|file| file.threads.clone()).unwrap_or_default(),
            binary: whole.is_some_and(|file| file.binary),
            generated: whole.is_some_and(|file| file.generated),
            change: whole.and_then(|file| file.change.clone()),
            left: None,
            added: added.unwrap_or_default(),
            deleted: deleted.unwrap_or_default(),
            total,
            ..sides
        }
    }
}

fn plain(after: Option<u32>, text: &ByteText) -> DiffLine {
    DiffLine {
        offset: 0,
        before: None,
        after,
        mark: DiffMark::Kept,
        text: text.clone(),
        threads: Vec::new(),
        words: Vec::new(),
        no_newline: false,
        syntax: Vec::new(),
        enclosing: None,
        cut: 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// A file of lines, all of which the base has as well.
    fn whole(lines: &[&str]) -> DiffFile {
        let lines: Vec<Value> = (lines.iter().zip(1..))
            .map(
                |(text, n)| json!({ "offset": n - 1, "before": n, "after": n, "mark": "kept", "text": text }),
            )
            .collect();
        let file = json!({ "before": "a", "after": "a", "binary": false, "lines": lines, "threads": [] });
        serde_json::from_value(file).unwrap()
    }

    fn check(head: &[&str], after: (u32, u32), rows: &[(&str, &str, u32, &str)], expected: &[&str]) {
        let rows: Vec<Value> = (rows.iter())
            .map(|(change, mark, line, text)| json!({ "change": change, "mark": mark, "line": line, "text": text }))
            .collect();
        let hunk = json!({ "before": 1, "before_count": 1, "after": after.0, "after_count": after.1, "lines": rows });
        let since = json!({ "path": "a", "was": null, "lines": [], "hunks": [hunk] });
        let since: SinceFile = serde_json::from_value(since).unwrap();
        let whole = whole(head);
        let made = since_lines(whole.clone(), Some(&whole), &since, None);
        let sign = |line: &DiffLine| match line.mark {
            DiffMark::Kept => ' ',
            DiffMark::Added => '+',
            DiffMark::Deleted => '-',
        };
        let shown: Vec<String> =
            made.lines.iter().map(|line| format!("{}{}", sign(line), line.text.as_str().unwrap())).collect();
        assert_eq!(shown, expected);
        let all =
            since_lines(whole.clone(), Some(&whole), &since, Some(DiffExtent { from: 0, to: u32::MAX }));
        assert_eq!(all.lines.len() as u32, made.total);
        assert!(all.lines.iter().zip(0..).all(|(line, at)| line.offset == at));
    }

    #[test]
    fn what_the_branch_adds_or_deletes_otherwise_is_shown_and_nothing_else() {
        check(
            &["1", "2", "3", "4", "new", "6", "7", "8", "9"],
            (2, 7),
            &[
                ("same", "kept", 2, "2"),
                ("same", "kept", 3, "3"),
                ("same", "kept", 4, "4"),
                ("gone", "added", 5, "old"),
                ("came", "added", 5, "new"),
                ("came", "deleted", 5, "five"),
                ("same", "deleted", 6, "never there"),
                ("same", "added", 6, "6"),
            ],
            &[" 2", " 3", " 4", "-old", "+new", "-five", " 6", " 7", " 8"],
        );
    }

    #[test]
    fn what_is_no_longer_deleted_came_back_and_what_the_base_took_over_is_no_change() {
        check(
            &["1", "back", "base's"],
            (1, 3),
            &[
                ("same", "kept", 1, "1"),
                ("gone", "deleted", 2, "back"),
                ("same", "kept", 2, "back"),
                ("gone", "added", 3, "base's"),
                ("same", "kept", 3, "base's"),
                ("gone", "added", 4, "lost"),
            ],
            &[" 1", "+back", " base's", "-lost"],
        );
    }

    #[test]
    fn lines_that_are_gone_have_no_number() {
        let since = json!({ "path": "a", "was": null, "lines": [], "hunks": [
            { "before": 1, "before_count": 0, "after": 0, "after_count": 0, "lines": [
                { "change": "gone", "mark": "added", "line": 1, "text": "x" }] }] });
        let since: SinceFile = serde_json::from_value(since).unwrap();
        let made = since_lines(whole(&[]), None, &since, None);
        assert_eq!((made.lines[0].before, made.lines[0].after), (None, None));
        assert_eq!((made.added, made.deleted), (0, 1));
    }
}
