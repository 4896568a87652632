//! The mark of UTF-8 that some programs put at the beginning of a file, which few patches know of.
//!
//! Invariant: a file that begins with it still does, once, unless the patch takes it away.

use crate::edit::{Replacement, TextEdit};

use super::file_patch::{FilePatch, Hunks};
use super::hunk::{PatchHunk, Role};
use super::outcome::{Applied, PatchFailure};
use super::placing::line::loose;
use super::placing::target_text::TargetText;

const MARK: &[u8] = b"\xef\xbb\xbf";

impl FilePatch {
    /// Applies all hunks to the text of the file.
    ///
    /// A hunk that changes nothing is passed over. What the file is called plays no part.
    pub fn apply(&self, base: &[u8]) -> Result<Applied, PatchFailure> {
        match base.strip_prefix(MARK) {
            Some(text) => self.apply_after_mark(base, text),
            None => self.apply_to(base),
        }
    }

    fn apply_after_mark(&self, base: &[u8], text: &[u8]) -> Result<Applied, PatchFailure> {
        let mut patch = self.clone();
        let mut taking = None;
        if let Hunks::InOrder(hunks) | Hunks::AnyOrder(hunks) = &mut patch.hunks {
            let first = loose(TargetText::new(text).line(0));
            taking =
                hunks.iter_mut().map(|hunk| strip(hunk, &first)).position(|mark| mark == BomChange::Taken);
        }
        let Applied { text, edit, hunks } = patch.apply_to(text)?;
        let taken = text.is_empty() || taking.is_some_and(|hunk| hunks[hunk].line == 1);
        let mut made = Vec::new();
        if taken {
            made.push(Replacement::new(0..MARK.len(), Vec::new(), taking.unwrap_or_default()));
        }
        made.extend(edit.replacements().iter().map(|made| {
            let range = made.start() + MARK.len()..made.end() + MARK.len();
            Replacement::new(range, made.text(), *made.data())
        }));
        let edit = TextEdit::new(made).expect("all are moved alike, behind the mark");
        let text = edit.apply(base).expect("the text is longer by the mark");
        // It only puts the mark where it is.
        if text == base && self.has_changes() {
            return Err(PatchFailure::AlreadyApplied);
        }
        Ok(Applied { text, edit, hunks })
    }
}

/// What a hunk does to the mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BomChange {
    Kept,
    Taken,
}

/// Takes the mark off the lines of a hunk that can be the first of the file.
fn strip(hunk: &mut PatchHunk, first: &[u8]) -> BomChange {
    let old = hunk.lines.iter().position(|line| line.role != Role::Add);
    let new = hunk.lines.iter().position(|line| line.role != Role::Remove);
    let is_first = |at: usize| loose(&hunk.lines[at].text) == first;
    let inserted = old.is_none() && hunk.stated.is_some_and(|stated| stated.old_start == 0);
    if !inserted && ![old, new].into_iter().flatten().any(is_first) {
        return BomChange::Kept;
    }
    let mut had = |at: Option<usize>| {
        let line = at.map(|at| &mut hunk.lines[at])?;
        line.text = line.text.strip_prefix(MARK)?.to_vec();
        Some(line.role)
    };
    match (had(old), had(new)) {
        (Some(Role::Remove), None) => BomChange::Taken,
        _ => BomChange::Kept,
    }
}

#[cfg(test)]
mod tests {
    use super::super::ParsedPatch;
    use super::*;

    const BASE: &str = "\u{feff}one\ntwo\nthree\n";

    fn apply(base: &str, patch: &str) -> Result<Applied, PatchFailure> {
        let applied = ParsedPatch::read(patch.as_bytes()).unwrap().files[0].apply(base.as_bytes())?;
        assert_eq!(applied.edit.apply(base.as_bytes()).unwrap(), applied.text);
        Ok(applied)
    }

    #[track_caller]
    fn check(base: &str, patch: &str, result: &str) {
        let applied = apply(base, patch).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(String::from_utf8(applied.text).unwrap(), result, "{patch}");
    }

    #[test]
    fn the_first_line_changes_behind_the_mark() {
        for mark in ["", "\u{feff}"] {
            let result = "\u{feff}ONE\ntwo\nthree\n";
            let unified = format!("@@ -1,2 +1,2 @@\n-{mark}one\n+{mark}ONE\n two\n");
            check(BASE, &unified, result);
            assert_eq!(apply(result, &unified), Err(PatchFailure::AlreadyApplied));
            check(BASE, &unified.replace("-1,2 +1,2", "-70,2 +70,2"), result);
            let block = format!("<<<<<<< SEARCH\n{mark}one\ntwo\n=======\n{mark}ONE\ntwo\n>>>>>>> REPLACE\n");
            check(BASE, &block, result);
            let begun = format!("*** Begin Patch\n*** Update File: f\n@@\n-{mark}one\n+{mark}ONE\n two\n");
            check(BASE, &begun, result);
        }
        check(BASE, "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n", &BASE.replace("two", "TWO"));
        check(BASE, "@@ -1,2 +1,1 @@\n-one\n two\n", "\u{feff}two\nthree\n");
    }

    #[test]
    fn what_comes_above_the_first_line_comes_behind_the_mark() {
        let result = "\u{feff}zero\none\ntwo\nthree\n";
        for patch in [
            "@@ -1,2 +1,3 @@\n+zero\n one\n two\n",
            "@@ -1,2 +1,3 @@\n+zero\n \u{feff}one\n two\n",
            "@@ -1,2 +1,3 @@\n-\u{feff}one\n+\u{feff}zero\n+one\n two\n",
            "@@ -0,0 +1 @@\n+zero\n@@ -2 +3 @@\n-two\n+two\n",
            "@@ -0,0 +1 @@\n+\u{feff}zero\n@@ -2 +3 @@\n-two\n+two\n",
            "<<<<<<< SEARCH\none\n=======\nzero\none\n>>>>>>> REPLACE\n",
            "*** Begin Patch\n*** Update File: f\n@@\n+zero\n one\n two\n*** End Patch\n",
        ] {
            check(BASE, patch, result);
        }
    }

    #[test]
    fn a_patch_can_put_the_mark_and_take_it_away() {
        let plain = &BASE["\u{feff}".len()..];
        let take = "@@ -1,2 +1,2 @@\n-\u{feff}one\n+one\n two\n";
        check(BASE, take, plain);
        assert_eq!(apply(plain, take), Err(PatchFailure::AlreadyApplied));
        check(BASE, "@@ -1,2 +1,1 @@\n-\u{feff}one\n two\n", "two\nthree\n");
        let put = "@@ -1,2 +1,2 @@\n-one\n+\u{feff}one\n two\n";
        check(plain, put, BASE);
        assert_eq!(apply(BASE, put), Err(PatchFailure::AlreadyApplied));
        for mark in ["", "\u{feff}"] {
            check(BASE, &format!("@@ -1,3 +0,0 @@\n-{mark}one\n-two\n-three\n"), "");
        }
    }
}
