//! Which source bytes every rendered byte comes from.
//!
//! Invariant: pieces are in the order of the rendered text and of the source alike, cover the
//! rendered text without a gap, and do not overlap in the source.

use std::cmp::Reverse;
use std::ops::Range;

/// A run of rendered text and the source that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RenderedPiece {
    pub(super) rendered: Range<usize>,
    pub(super) source: Range<usize>,
    pub(super) origin: PieceOrigin,
}

/// How a piece's text came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceOrigin {
    /// The same bytes, one for one.
    Verbatim,
    /// Each character stands for the whole source: an entity, an escape, a break.
    Whole,
    /// Put between two blocks or cells; the source is all that is between them.
    Separator,
}

/// An inline element with text: its words on the page, and its source with the marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) rendered: Range<usize>,
    pub(super) source: Range<usize>,
}

/// Maps rendered text to its source and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMap {
    pieces: Vec<RenderedPiece>,
    /// By where they begin in the rendered text, outer before inner.
    elements: Vec<Element>,
}

impl SourceMap {
    pub(super) fn new(pieces: Vec<RenderedPiece>, mut elements: Vec<Element>) -> Self {
        elements.retain(|element| !element.rendered.is_empty());
        elements.sort_by_key(|element| (element.rendered.start, Reverse(element.rendered.end)));
        Self { pieces, elements }
    }

    /// Returns the source of a rendered range, `None` for an empty range or one beyond the text.
    ///
    /// Takes in every inline element whose whole text is selected, with its marks.
    pub fn source_of(&self, rendered: &Range<usize>) -> Option<Range<usize>> {
        if rendered.is_empty() {
            return None;
        }
        let first = self.source_of_byte(rendered.start)?;
        let last = self.source_of_byte(rendered.end - 1)?;
        let from = self.elements.partition_point(|element| element.rendered.start < rendered.start);
        let inside = self.elements[from..]
            .iter()
            .take_while(|element| element.rendered.start < rendered.end)
            .filter(|element| element.rendered.end <= rendered.end);
        let plain = first.start..last.end;
        Some(inside.fold(plain, |range, element| {
            range.start.min(element.source.start)..range.end.max(element.source.end)
        }))
    }

    /// Returns the rendered range that a source range reads as, `None` if it has no text.
    ///
    /// What is between two blocks counts only when both of them are touched.
    pub fn rendered_of(&self, source: &Range<usize>) -> Option<Range<usize>> {
        let from = self.pieces.partition_point(|piece| piece.source.end <= source.start);
        let to = self.pieces.partition_point(|piece| piece.source.start < source.end);
        let touched = self.pieces.get(from..to)?;
        let is_text = |piece: &&RenderedPiece| piece.origin != PieceOrigin::Separator;
        let first = touched.iter().find(is_text)?;
        let last = touched.iter().rev().find(is_text)?;
        let start = match first.origin {
            PieceOrigin::Verbatim => first.rendered.start + source.start.saturating_sub(first.source.start),
            PieceOrigin::Whole | PieceOrigin::Separator => first.rendered.start,
        };
        let end = match last.origin {
            PieceOrigin::Verbatim => last.rendered.end - last.source.end.saturating_sub(source.end),
            PieceOrigin::Whole | PieceOrigin::Separator => last.rendered.end,
        };
        (start < end).then_some(start..end)
    }

    /// The rendered offset of the first text at or after a place in the source, else the text's end.
    pub fn offset_near(&self, source: usize) -> usize {
        let at = self.pieces.partition_point(|piece| piece.source.end <= source);
        match self.pieces.get(at) {
            Some(piece) if piece.origin == PieceOrigin::Verbatim => {
                piece.rendered.start + source.saturating_sub(piece.source.start)
            }
            Some(piece) => piece.rendered.start,
            None => self.pieces.last().map_or(0, |piece| piece.rendered.end),
        }
    }

    fn source_of_byte(&self, offset: usize) -> Option<Range<usize>> {
        let at = self.pieces.partition_point(|piece| piece.rendered.end <= offset);
        let piece = self.pieces.get(at)?;
        Some(match piece.origin {
            PieceOrigin::Verbatim => {
                let byte = piece.source.start + (offset - piece.rendered.start);
                byte..byte + 1
            }
            PieceOrigin::Whole | PieceOrigin::Separator => piece.source.clone(),
        })
    }

    #[cfg(test)]
    pub(super) fn pieces(&self) -> &[RenderedPiece] {
        &self.pieces
    }
}
