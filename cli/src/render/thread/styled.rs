//! Lines of pieces with styles, which are wrapped before they become escape sequences.
//!
//! The text of a piece is harmless already; see `sanitize`.

use std::fmt::Write as _;

use anstyle::Style;

use crate::sanitize;

/// A line of pieces with styles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledLine {
    pieces: Vec<StyledPiece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct StyledPiece {
    text: String,
    style: Style,
    /// The address that it leads to.
    link: Option<String>,
}

impl StyledLine {
    /// Adds text behind the rest.
    pub fn push(&mut self, text: &str, style: Style) {
        self.push_linked(text, style, None);
    }

    /// Adds text that leads to an address.
    pub fn push_linked(&mut self, text: &str, style: Style, link: Option<&str>) {
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(last) if last.style == style && last.link.as_deref() == link => last.text.push_str(text),
            _ => {
                self.pieces.push(StyledPiece { text: text.to_owned(), style, link: link.map(str::to_owned) });
            }
        }
    }

    /// Adds the pieces of another line behind the rest.
    pub fn append(&mut self, other: &Self) {
        for piece in &other.pieces {
            self.push_linked(&piece.text, piece.style, piece.link.as_deref());
        }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The text without styles.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// How many columns it takes.
    pub fn width(&self) -> usize {
        sanitize::width(&self.text())
    }

    /// The line as several that fit into so many columns; a word that is too long stays whole, so that it can be copied.
    pub fn wrap(&self, room: usize) -> Vec<Self> {
        if self.width() <= room {
            return vec![self.clone()];
        }
        let (mut lines, mut line, mut word) = (Vec::new(), Self::default(), Self::default());
        let mut blanks = Self::default();
        for piece in &self.pieces {
            for part in piece.text.split_inclusive(' ') {
                let link = piece.link.as_deref();
                word.push_linked(part.trim_end_matches(' '), piece.style, link);
                if part.ends_with(' ') {
                    place(&mut lines, &mut line, &mut blanks, &mut word, room);
                    blanks.push_linked(" ", piece.style, link);
                }
            }
        }
        place(&mut lines, &mut line, &mut blanks, &mut word, room);
        lines.push(line);
        lines
    }

    /// The line as a terminal gets it.
    pub fn written(&self, is_coloured: bool) -> String {
        let mut written = String::new();
        for StyledPiece { text, style, link } in &self.pieces {
            if !is_coloured {
                written.push_str(text);
                continue;
            }
            let (begin, end) = match link {
                Some(address) => (format!("\x1b]8;;{address}\x1b\\"), "\x1b]8;;\x1b\\"),
                None => (String::new(), ""),
            };
            let _ = write!(written, "{begin}{style}{text}{style:#}{end}");
        }
        written
    }
}

/// Puts a word behind a line, or begins a new one with it.
fn place(
    lines: &mut Vec<StyledLine>,
    line: &mut StyledLine,
    blanks: &mut StyledLine,
    word: &mut StyledLine,
    room: usize,
) {
    if word.is_empty() {
        return;
    }
    if !line.is_empty() && line.width() + blanks.width() + word.width() > room {
        lines.push(std::mem::take(line));
    } else {
        line.append(blanks);
    }
    line.append(word);
    (*blanks, *word) = (StyledLine::default(), StyledLine::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_several_pieces_are_wrapped_as_one() {
        let mut line = StyledLine::default();
        line.push("one ", Style::new());
        line.push("two", Style::new().bold());
        line.push("three 漢字漢字 ", Style::new());
        line.push("https://example.com/long", Style::new());
        let texts: Vec<String> = line.wrap(9).iter().map(StyledLine::text).collect();
        assert_eq!(texts, ["one", "twothree", "漢字漢字", "https://example.com/long"]);
        assert_eq!(line.wrap(1000).len(), 1);
    }

    #[test]
    fn without_colours_only_the_text_is_written() {
        let mut line = StyledLine::default();
        line.push_linked("here", Style::new().bold(), Some("https://example.com"));
        assert_eq!(line.written(false), "here");
        assert_eq!(line.written(true), "\x1b]8;;https://example.com\x1b\\\x1b[1mhere\x1b[0m\x1b]8;;\x1b\\");
    }
}
