//! Images side by side, or one over the other: what they were, and what they are.

use maud::{Markup, html};
use postil_protocol::{DiffBlob, DiffFile};

use super::file_key::known_path;
use super::shell::PageFrame;
use crate::address::encode;

/// The ends of the names of images.
const ENDS: [&str; 9] = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".ico", ".svg"];

/// Both sides of an image; nothing for any other file.
pub(super) fn images(file: &DiffFile, frame: &PageFrame<'_>) -> Option<Markup> {
    let base = frame.images?;
    let path = known_path(file);
    let name = path.as_bytes().to_ascii_lowercase();
    let is_link = [&file.old, &file.new].into_iter().flatten().any(|side| side.mode == "120000");
    if is_link || !ENDS.iter().any(|end| name.ends_with(end.as_bytes())) {
        return None;
    }
    let one = |side: &Option<DiffBlob>, word: &str| {
        let Some(side) = side else { return html! {} };
        let address = format!("{base}path={}&id={}", encode(path.as_bytes()), side.blob);
        html! {
            figure { figcaption { (word) } img src=(address) alt={ (word) ": " (String::from_utf8_lossy(path.as_bytes())) } loading="lazy"; }
        }
    };
    let is_same = file.old.as_ref().map(|old| &old.blob) == file.new.as_ref().map(|new| &new.blob);
    let is_pair = !is_same && file.old.is_some() && file.new.is_some();
    Some(html! {
        div.images {
            @if is_pair { button.act type="button" data-js data-act="swipe" aria-pressed="false" { "One over the other" } }
            @if !is_same { (one(&file.old, "before")) }
            (one(&file.new, if file.old.is_none() { "added" } else { "after" }))
        }
    })
}
