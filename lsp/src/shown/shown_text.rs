//! Text of other people, as an editor shows it: nothing in it is hidden, turned around or a control character.

use std::fmt::Write as _;

/// A line of text of others, with what could mislead made visible.
pub(crate) fn shown_text(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for character in line.chars() {
        match character {
            '\t' => shown.push_str("    "),
            _ if character.is_control() || is_treacherous(character) => {
                let _ = write!(shown, "<U+{:04X}>", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    shown
}

/// The beginning of such a line.
pub(crate) fn beginning(line: &str, characters: usize) -> String {
    let cut: String = line.chars().take(characters).collect();
    let dots = if cut.len() < line.len() { "…" } else { "" };
    format!("{}{dots}", shown_text(&cut))
}

/// Characters that are not seen, or that change how others are seen.
fn is_treacherous(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
