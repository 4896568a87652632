//! A suggestion for lines that were moved whole: in one place with all that stood around them, or nowhere.

use crate::edit::TextEdit;
use crate::git::RepoPath;
use crate::patch::{Form, Hunk, Hunks, Patch, Stage, WrittenSide, unified_diff};

/// The edit of `current` that does what leads from `base` to `wanted`, where the lines of `base` that it is about stand
/// elsewhere, byte by byte and with their context, in exactly one place.
pub(super) fn moved(base: &[u8], wanted: &[u8], current: &[u8]) -> Option<TextEdit> {
    let path = RepoPath::new("f").expect("a path");
    let side = |text| Some(WrittenSide { path: &path, text, mode: None });
    let diff = unified_diff(side(base), side(wanted));
    let mut patch = Patch::read_as(&diff, Form::Unified).ok()?;
    let file = patch.files.first_mut()?;
    if let Hunks::InOrder(hunks) = &mut file.hunks {
        // Where they stood says nothing about where they went, and parts may have changed their order.
        for hunk in hunks.iter_mut() {
            hunk.stated = None;
        }
        file.hunks = Hunks::AnyOrder(std::mem::take(hunks));
    }
    let is_alone = |hunk: &Hunk| places(hunk, current) == 1;
    let is_once = matches!(&file.hunks, Hunks::AnyOrder(hunks) if hunks.iter().all(is_alone));
    let applied = is_once.then(|| file.apply(current).ok()).flatten()?;
    let exact = applied
        .hunks
        .iter()
        .all(|hunk| matches!(hunk.stage, Stage::Strict | Stage::Reanchored) && hunk.left_out == 0);
    exact.then(|| applied.edit.map_data(|_, _| ()))
}

/// In how many places of a text the old lines of a hunk stand; the end of a file is one like any other.
fn places(hunk: &Hunk, text: &[u8]) -> usize {
    let mut old = Vec::new();
    for line in hunk.old() {
        old.extend_from_slice(&line.text);
        old.extend_from_slice(if line.newline { b"\n" } else { b"" });
    }
    let begins = |at: &usize| *at == 0 || text[*at - 1] == b'\n';
    let ends = |at: &usize| old.ends_with(b"\n") || at + old.len() == text.len();
    memchr::memmem::find_iter(text, &old).filter(begins).filter(ends).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_file_is_a_place_like_any_other() {
        let block = "fn two() {\n    let x = a + b;\n}\n";
        let base = format!("first\n\n{block}");
        let wanted = base.replace("a + b", "a * b");
        let check = |current: &str, result: Option<String>| {
            let left = moved(base.as_bytes(), wanted.as_bytes(), current.as_bytes());
            let made = left.map(|left| String::from_utf8(left.apply(current.as_bytes()).unwrap()).unwrap());
            assert_eq!(made, result, "{current}");
        };
        let above = format!("first\n\n{block}second\n");
        check(&above, Some(above.replace("a + b", "a * b")));
        // It could be either.
        check(&format!("first\n\n{block}between\nfirst\n\n{block}"), None);
    }
}
