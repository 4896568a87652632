//! Names for files and lines that fit into an address: short, the same on every page, made of the path alone.

use postil_protocol::{ByteText, DiffFile, DiffLine, DiffMark, Hex, Side};

use super::shell::PageFrame;
use crate::viewed::Viewed;

/// The name of a file.
pub(super) fn key(path: &ByteText) -> String {
    blake3::hash(path.as_bytes()).to_hex()[..10].to_owned()
}

/// The path by which a file is known: the one that it has now, else the one that it had.
pub(super) fn known_path(file: &DiffFile) -> &ByteText {
    static NOWHERE: std::sync::LazyLock<ByteText> = std::sync::LazyLock::new(|| ByteText::from(""));
    file.after.as_ref().or(file.before.as_ref()).unwrap_or(&NOWHERE)
}

/// A path as it is shown; what is not text is shown as such.
pub(super) fn shown(path: &ByteText) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}

/// The name of a line of a file.
pub(super) fn line_id(key: &str, side: Side, number: u32) -> String {
    format!("{key}{}{number}", if side == Side::Old { 'o' } else { 'n' })
}

/// The side and number by which a line is known.
pub(super) fn side_and_number(line: &DiffLine) -> (Side, u32) {
    match (line.mark, line.before, line.after) {
        (DiffMark::Deleted, Some(before), _) => (Side::Old, before),
        (_, _, Some(after)) => (Side::New, after),
        (_, before, None) => (Side::Old, before.unwrap_or_default()),
    }
}

/// Whether a file was viewed.
pub(super) fn viewed(file: &DiffFile, frame: &PageFrame<'_>) -> Viewed {
    let change = file.change.as_ref().map(Hex::as_str);
    frame.viewed.map(|files| files.state(&key(known_path(file)), change)).unwrap_or_default()
}

/// What a file is on both sides, as a short text: it differs if anything of the diff does, but for its threads.
pub(super) fn digest(file: &DiffFile) -> String {
    let mut hash = blake3::Hasher::new();
    for path in [&file.before, &file.after] {
        hash.update(path.as_ref().map_or(&[][..], |path| path.as_bytes())).update(&[0]);
    }
    for side in [&file.old, &file.new] {
        if let Some(side) = side {
            hash.update(side.blob.as_str().as_bytes()).update(side.mode.as_bytes());
        }
        hash.update(&[0]);
    }
    hash.finalize().to_hex()[..16].to_owned()
}
