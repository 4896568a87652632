//! A suggestion for lines that were moved whole: in one place with all that stood around them, or nowhere.

use crate::edit::TextEdit;
use crate::git::RepoPath;
use crate::patch::{Form, Hunks, Patch, Stage, WrittenSide, unified_diff};

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
    let applied = file.apply(current).ok()?;
    let exact = applied
        .hunks
        .iter()
        .all(|hunk| matches!(hunk.stage, Stage::Strict | Stage::Reanchored) && hunk.left_out == 0);
    exact.then(|| applied.edit.map_data(|_, _| ()))
}
