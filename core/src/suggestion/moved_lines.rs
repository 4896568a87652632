//! A suggestion for lines that were moved whole: in one place with all that was around them, or nowhere.

use std::ops::Range;

use super::changes_since::by_lines;
use crate::edit::TextEdit;
use crate::git::RepoPath;
use crate::patch::{
    End, Hunks, ParsedPatch, PatchForm, PatchHunk, PlacementStage, Role, WrittenSide, unified_diff,
};

/// The edit of `current` that does what leads from `base` to `wanted`, where the lines of `base` that it is about are
/// elsewhere, byte by byte and with their context, in exactly one place, and came there since.
pub(super) fn moved(base: &[u8], wanted: &[u8], current: &[u8]) -> Option<TextEdit> {
    let came = came(base, current);
    if_found_once(base, wanted, current, |line| {
        came.iter().any(|came| came.start <= line.start && line.end <= came.end)
    })
}

/// The same for another file, of which the old content is not known.
pub(super) fn moved_elsewhere(base: &[u8], wanted: &[u8], other: &[u8]) -> Option<TextEdit> {
    if_found_once(base, wanted, other, |_| true)
}

fn if_found_once(
    base: &[u8],
    wanted: &[u8],
    current: &[u8],
    is_new: impl Fn(Range<usize>) -> bool,
) -> Option<TextEdit> {
    let path = RepoPath::new("f").expect("a path");
    let side = |text| Some(WrittenSide { path: &path, text, mode: None });
    let diff = unified_diff(side(base), side(wanted));
    let mut patch = ParsedPatch::read_as(&diff, PatchForm::Unified).ok()?;
    let file = patch.files.first_mut()?;
    if let Hunks::InOrder(hunks) = &mut file.hunks {
        // Where they were says nothing about where they went, and parts may have changed their order.
        for hunk in hunks.iter_mut() {
            hunk.stated = None;
            hunk.end = End::Unknown;
        }
        file.hunks = Hunks::AnyOrder(std::mem::take(hunks));
    }
    // What was there before and stayed is no other place of what is gone: it is its twin, or its own.
    let is_moved = |hunk: &PatchHunk| match places(hunk, current)[..] {
        [start] => touched(hunk).into_iter().all(|line| is_new(start + line.start..start + line.end)),
        _ => false,
    };
    let is_once = matches!(&file.hunks, Hunks::AnyOrder(hunks) if hunks.iter().all(is_moved));
    let applied = is_once.then(|| file.apply(current).ok()).flatten()?;
    let exact = applied.hunks.iter().all(|hunk| {
        matches!(hunk.stage, PlacementStage::Strict | PlacementStage::Reanchored) && hunk.left_out == 0
    });
    exact.then(|| applied.edit.map_data(|_, _| ()))
}

/// What of `current` is not as it was in `base`.
fn came(base: &[u8], current: &[u8]) -> Vec<Range<usize>> {
    let mut shift = 0_isize;
    let edit = by_lines(base, current);
    let came = edit.replacements().iter().map(|part| {
        let start = part.start().saturating_add_signed(shift);
        shift += part.text().len().cast_signed() - part.range().len().cast_signed();
        start..start + part.text().len()
    });
    came.collect()
}

/// The old lines that a hunk takes away, by their bytes in its old text; where it only adds, those beside what it adds.
fn touched(hunk: &PatchHunk) -> Vec<Range<usize>> {
    let mut end = 0;
    let mut lines: Vec<(Role, Range<usize>)> = Vec::new();
    for line in &hunk.lines {
        let start = end;
        if line.role != Role::Add {
            end += line.text.len() + usize::from(line.newline);
        }
        lines.push((line.role, start..end));
    }
    let gone = lines.iter().filter(|(role, _)| *role == Role::Remove);
    let gone: Vec<Range<usize>> = gone.map(|(_, range)| range.clone()).collect();
    if !gone.is_empty() {
        return gone;
    }
    let beside = lines.windows(2).filter_map(|pair| match pair {
        [(Role::Context, line), (Role::Add, _)] | [(Role::Add, _), (Role::Context, line)] => {
            Some(line.clone())
        }
        _ => None,
    });
    beside.collect()
}

/// The places of a text at which the old lines of a hunk are; the end of a file is one like any other.
fn places(hunk: &PatchHunk, text: &[u8]) -> Vec<usize> {
    let mut old = Vec::new();
    for line in hunk.old() {
        old.extend_from_slice(&line.text);
        old.extend_from_slice(if line.newline { b"\n" } else { b"" });
    }
    let begins = |at: &usize| *at == 0 || text[*at - 1] == b'\n';
    let ends = |at: &usize| old.ends_with(b"\n") || at + old.len() == text.len();
    memchr::memmem::find_iter(text, &old).filter(begins).filter(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "fn two() {\n    let x = a + b;\n}\n";

    fn check(base: &str, current: &str, is_moved: bool) {
        let wanted = base.replacen("a + b", "a * b", 1);
        let left = moved(base.as_bytes(), wanted.as_bytes(), current.as_bytes());
        let made = left.map(|left| String::from_utf8(left.apply(current.as_bytes()).unwrap()).unwrap());
        assert_eq!(made, is_moved.then(|| current.replacen("a + b", "a * b", 1)), "{current}");
    }

    #[test]
    fn the_end_of_the_file_is_a_place_like_any_other() {
        let rest: String = (1..=9).map(|line| format!("line {line}\n")).collect();
        let base = format!("first\n\n{TWO}{rest}");
        check(&base, &format!("{rest}first\n\n{TWO}line 1\nline 2\n"), true);
        // It could be either.
        let both = format!("first\n\n{TWO}line 1\nline 2\n");
        check(&base, &format!("{rest}{both}between\n{both}"), false);
    }

    #[test]
    fn a_twin_that_stood_there_before_is_not_the_one_that_is_gone() {
        let twin = |name: &str| {
            format!(
                "fn {name}() {{\n    open();\n    lock();\n    check();\n    let x = a + b;\n    read();\n    unlock();\n    close();\n}}\n\n"
            )
        };
        let base = format!("{}const A: u8 = 1;\nconst B: u8 = 2;\n\n{}", twin("one"), twin("two"));
        check(
            &base,
            &format!("fn one() {{\n    todo();\n}}\n\nconst A: u8 = 1;\nconst B: u8 = 2;\n\n{}", twin("two")),
            false,
        );
        check(&base, &format!("const A: u8 = 1;\nconst B: u8 = 2;\n\n{}", twin("two")), false);
    }

    #[test]
    fn what_is_added_beside_a_line_that_stayed_was_not_moved() {
        for (base, wanted, current) in [
            ("export A=1\n", "export A=1\nexport B=first\n", "export A=1\nexport B=second\n"),
            ("use a;\n", "use re;\nuse a;\n", "use re, sys;\nuse a;\n"),
        ] {
            assert_eq!(moved(base.as_bytes(), wanted.as_bytes(), current.as_bytes()), None, "{current}");
        }
    }
}
