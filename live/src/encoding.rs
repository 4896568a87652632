//! Positions as editors count them: in lines and in units of UTF-8, UTF-16 or UTF-32.

use memchr::{memchr, memchr_iter};
use postil_core::edit::Text;

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits, as JavaScript has them.
    Utf16,
    /// Characters.
    Utf32,
}

/// A place between two characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// Counted from zero.
    pub line: u32,
    /// In units of an [`Encoding`], counted from zero.
    pub column: u32,
}

/// A position that a text does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodingError {
    /// The position.
    pub position: TextPosition,
    /// How many lines the text has.
    pub lines: u32,
}

impl Encoding {
    /// How many units a character takes.
    fn units(self, character: char) -> u32 {
        match self {
            Self::Utf8 => character.len_utf8() as u32,
            Self::Utf16 => character.len_utf16() as u32,
            Self::Utf32 => 1,
        }
    }
}

/// The byte at a position. A column after the end of its line is the end of the line, as the protocol of editors has it.
pub fn byte_offset(text: &str, position: TextPosition, encoding: Encoding) -> Result<usize, EncodingError> {
    let Some(start) = line_start(text, position.line) else {
        let lines = count_lines(text);
        return Err(EncodingError { position, lines });
    };
    let end = memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |at| start + at);
    let line = &text[start..end];
    Ok(start + in_line(line.strip_suffix('\r').unwrap_or(line), position.column, encoding))
}

/// The same in a text whose lines are known, which costs no scan of it.
pub fn known_offset(text: &Text, position: TextPosition, encoding: Encoding) -> Result<usize, EncodingError> {
    let lines = text.len();
    if position.line > lines {
        return Err(EncodingError { position, lines });
    }
    let line = str::from_utf8(text.bare(position.line)).map_err(|_| EncodingError { position, lines })?;
    Ok(text.offset(position.line) + in_line(line, position.column, encoding))
}

/// The byte at a column of a line.
fn in_line(line: &str, column: u32, encoding: Encoding) -> usize {
    if encoding == Encoding::Utf8 && line.is_char_boundary(column as usize) {
        return column as usize;
    }
    let mut units = 0;
    for (at, character) in line.char_indices() {
        if units >= column {
            return at;
        }
        units += encoding.units(character);
        // A column inside a character is the place before it.
        if units > column {
            return at;
        }
    }
    line.len()
}

/// The position of a byte, or of the character that it is a part of.
pub fn text_position(text: &str, offset: usize, encoding: Encoding) -> TextPosition {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = memchr_iter(b'\n', before.as_bytes()).count() as u32;
    TextPosition { line, column: before[start..].chars().map(|character| encoding.units(character)).sum() }
}

/// Replaces a part of a text.
pub fn replace(
    text: &mut String,
    from: TextPosition,
    to: TextPosition,
    encoding: Encoding,
    with: &str,
) -> Result<(), EncodingError> {
    let start = byte_offset(text, from, encoding)?;
    let end = byte_offset(text, to, encoding)?;
    text.replace_range(start.min(end)..start.max(end), with);
    Ok(())
}

/// Where a line begins; the line after the last one is the end of the text.
fn line_start(text: &str, line: u32) -> Option<usize> {
    if line == 0 {
        return Some(0);
    }
    let nth = memchr_iter(b'\n', text.as_bytes()).nth(line as usize - 1).map(|at| at + 1);
    // Some editors name the line after an unfinished last one to mean the whole text.
    nth.or_else(|| (count_lines(text) == line).then_some(text.len()))
}

/// How many lines a text has, an unfinished one included.
fn count_lines(text: &str) -> u32 {
    let newlines = memchr_iter(b'\n', text.as_bytes()).count() as u32;
    newlines + u32::from(!text.is_empty() && !text.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(line: u32, column: u32) -> TextPosition {
        TextPosition { line, column }
    }

    #[test]
    fn columns_count_units_of_the_encoding() {
        let text = "aé𝄞z\r\nb";
        for (encoding, columns) in [
            (Encoding::Utf8, [0, 1, 3, 7, 8]),
            (Encoding::Utf16, [0, 1, 2, 4, 5]),
            (Encoding::Utf32, [0, 1, 2, 3, 4]),
        ] {
            let offsets = columns.map(|column| byte_offset(text, at(0, column), encoding));
            assert_eq!(offsets, [Ok(0), Ok(1), Ok(3), Ok(7), Ok(8)], "{encoding:?}");
        }
    }

    #[test]
    fn a_column_after_the_line_is_its_end_and_one_inside_a_character_is_before_it() {
        assert_eq!(byte_offset("ab\r\nc", at(0, 99), Encoding::Utf16), Ok(2));
        assert_eq!(byte_offset("𝄞", at(0, 1), Encoding::Utf16), Ok(0));
        assert_eq!(byte_offset("é", at(0, 1), Encoding::Utf8), Ok(0));
        assert_eq!(byte_offset("a\nb", at(2, 0), Encoding::Utf8), Ok(3));
        assert_eq!(byte_offset("a\n", at(1, 0), Encoding::Utf8), Ok(2));
        let outside = EncodingError { position: at(3, 0), lines: 2 };
        assert_eq!(known_offset(&Text::new("a\nb"), at(3, 0), Encoding::Utf8), Err(outside));
        assert_eq!(known_offset(&Text::new("a\nb"), at(2, 0), Encoding::Utf8), Ok(3));
        assert_eq!(known_offset(&Text::new("ab\r\nc"), at(0, 99), Encoding::Utf16), Ok(2));
        assert_eq!(byte_offset("a\nb", at(3, 0), Encoding::Utf8), Err(outside));
    }

    proptest! {
        #[test]
        fn every_boundary_has_a_position_that_leads_back(text in "[a\u{e9}\u{1d11e}\n ]{0,30}") {
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                for (offset, _) in text.char_indices() {
                    let position = text_position(&text, offset, encoding);
                    prop_assert_eq!(byte_offset(&text, position, encoding), Ok(offset));
                    prop_assert_eq!(known_offset(&Text::new(text.clone()), position, encoding), Ok(offset));
                }
            }
        }
    }
}
