//! Text of other people, as an editor shows it: nothing in it is hidden, turned around or a control character.

use postil_words::sanitize;

/// A line of text of others, with what could mislead made visible.
pub(crate) fn shown_text(line: &str) -> String {
    sanitize::line(line.as_bytes())
}

/// The beginning of such a line.
pub(crate) fn beginning(line: &str, characters: usize) -> String {
    let cut: String = line.chars().take(characters).collect();
    let dots = if cut.len() < line.len() { "…" } else { "" };
    format!("{}{dots}", shown_text(&cut))
}
