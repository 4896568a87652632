//! Builds rendered text piece by piece, and the map with it.
//!
//! Knows nothing of Markdown: what is text and what separates is decided by `render`.

use std::ops::Range;

use super::map::{Element, PieceOrigin, RenderedPiece, SourceMap};

/// What has to be before the next text, the strongest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    None,
    Space,
    Cell,
    Block,
}

/// A place in the text where an inline element opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementStart(usize);

/// Rendered text in the making.
pub(super) struct Writer<'source> {
    source: &'source str,
    text: String,
    pieces: Vec<RenderedPiece>,
    elements: Vec<Element>,
    /// Where the source goes on; nothing is taken from before it again.
    cursor: usize,
    gap: Gap,
    /// Where the last separator was put.
    separator_at: Option<usize>,
}

impl<'source> Writer<'source> {
    pub(super) fn new(source: &'source str) -> Self {
        Self {
            source,
            text: String::new(),
            pieces: Vec::new(),
            elements: Vec::new(),
            cursor: 0,
            gap: Gap::None,
            separator_at: None,
        }
    }

    /// Asks for a separator before the next text; the strongest one asked for is put.
    pub(super) fn gap(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    /// Where the next text will be, if a separator comes first or not.
    pub(super) fn opened(&self) -> ElementStart {
        ElementStart(self.text.len())
    }

    /// The offset of the first text after `opened`.
    pub(super) fn start_of(&self, opened: ElementStart) -> usize {
        if self.separator_at == Some(opened.0) { opened.0 + 1 } else { opened.0 }
    }

    /// What was written since `opened`.
    pub(super) fn since(&self, opened: ElementStart) -> &str {
        &self.text[self.start_of(opened).min(self.text.len())..]
    }

    /// Says that what was written since `opened` is one element, at `source` with its marks.
    pub(super) fn element(&mut self, opened: ElementStart, source: Range<usize>) {
        let start = self.start_of(opened);
        if start < self.text.len() {
            self.elements.push(Element { rendered: start..self.text.len(), source });
        }
    }

    /// Writes what the parser says is at `range`, as closely mapped as it can be.
    pub(super) fn parsed(&mut self, text: &str, range: Range<usize>) {
        if self.source.get(range.clone()) != Some(text) || range.start < self.cursor {
            return self.whole(text, range);
        }
        let before = range.start.checked_sub(1).filter(|before| *before >= self.cursor);
        let taken = before.and_then(|before| match (self.source.as_bytes()[before], text.chars().next()?) {
            (b'\\', first) if first.is_ascii_punctuation() => Some((before, first.len_utf8())),
            (b'\r', '\n') => Some((before, 1)),
            _ => None,
        });
        match taken {
            // The mark that the parser left out belongs to the character that it protects.
            Some((mark, width)) => {
                self.whole(&text[..width], mark..range.start + width);
                self.verbatim(range.start + width..range.end);
            }
            None => self.verbatim(range),
        }
    }

    /// Writes text of which every character stands for all of `range`.
    pub(super) fn whole(&mut self, text: &str, range: Range<usize>) {
        if text.is_empty() {
            return;
        }
        let start = range.start.max(self.cursor);
        let source = start..range.end.max(start);
        self.separate(source.start);
        self.push(text, source, PieceOrigin::Whole);
    }

    /// Writes source as it is.
    pub(super) fn verbatim(&mut self, source: Range<usize>) {
        if source.is_empty() {
            return;
        }
        self.separate(source.start);
        let text = &self.source[source.clone()];
        match self.pieces.last_mut() {
            Some(last) if last.origin == PieceOrigin::Verbatim && last.source.end == source.start => {
                self.text.push_str(text);
                last.rendered.end = self.text.len();
                last.source.end = source.end;
                self.cursor = source.end;
            }
            _ => self.push(text, source, PieceOrigin::Verbatim),
        }
    }

    /// Takes back newlines at the end of what was written since `opened`.
    pub(super) fn trim_newlines(&mut self, opened: ElementStart) {
        let start = self.start_of(opened);
        while self.text.len() > start && self.text.ends_with('\n') {
            self.text.pop();
        }
        let length = self.text.len();
        while self.pieces.last().is_some_and(|piece| piece.rendered.start >= length) {
            self.pieces.pop();
        }
        if let Some(last) = self.pieces.last_mut()
            && last.origin == PieceOrigin::Verbatim
        {
            last.source.end -= last.rendered.end - length;
            last.rendered.end = length;
        }
        self.cursor = self.pieces.last().map_or(0, |piece| piece.source.end);
    }

    pub(super) fn finish(self) -> (String, SourceMap) {
        (self.text, SourceMap::new(self.pieces, self.elements))
    }

    fn separate(&mut self, next: usize) {
        let separator = match std::mem::replace(&mut self.gap, Gap::None) {
            Gap::None => return,
            Gap::Space => " ",
            Gap::Cell => "\t",
            Gap::Block => "\n",
        };
        if !self.text.is_empty() {
            self.separator_at = Some(self.text.len());
            self.push(separator, self.cursor..next, PieceOrigin::Separator);
        }
    }

    fn push(&mut self, text: &str, source: Range<usize>, origin: PieceOrigin) {
        let start = self.text.len();
        self.text.push_str(text);
        self.cursor = source.end;
        self.pieces.push(RenderedPiece { rendered: start..self.text.len(), source, origin });
    }
}
