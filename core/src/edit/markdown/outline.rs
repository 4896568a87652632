//! The headings of a document, and what is under each.
//!
//! A heading inside a quote, a list or a footnote opens no section: it ends where that does.

use std::ops::Range;

/// A longer title is cut: it names a section in a record and is compared, never shown as the heading.
pub const MAX_TITLE_CHARS: usize = 200;

/// A heading and all that is under it, deeper sections included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    level: u8,
    title: String,
    parent: Option<usize>,
    rendered: Range<usize>,
    source: Range<usize>,
}

impl Section {
    /// One for `#` to six for `######`.
    pub fn level(&self) -> u8 {
        self.level
    }

    /// The heading as it reads, with single spaces, cut at [`MAX_TITLE_CHARS`].
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Where the heading and what is under it are in the rendered text.
    pub fn rendered(&self) -> Range<usize> {
        self.rendered.clone()
    }

    /// Where they are in the source.
    pub fn source(&self) -> Range<usize> {
        self.source.clone()
    }
}

/// All sections, in the order of their headings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    sections: Vec<Section>,
}

impl Outline {
    /// The sections, in the order of their headings.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the titles above a place in the rendered text, outermost first.
    pub fn path_at_rendered(&self, offset: usize) -> Vec<String> {
        self.path(self.innermost(offset))
    }

    /// How far the section around a place in the rendered text is the one that `path` names.
    pub fn kinship(&self, offset: usize, path: &[String]) -> SectionKinship {
        let here = self.path_at_rendered(offset);
        if here == path {
            SectionKinship::Same
        } else if path.last().is_some_and(|title| here.contains(title)) {
            SectionKinship::Title
        } else {
            SectionKinship::None
        }
    }

    fn innermost(&self, offset: usize) -> Option<usize> {
        self.sections.partition_point(|section| section.rendered.start <= offset).checked_sub(1)
    }

    fn path(&self, innermost: Option<usize>) -> Vec<String> {
        let above = std::iter::successors(innermost, |index| self.sections[*index].parent);
        let mut titles: Vec<_> = above.map(|index| self.sections[index].title.clone()).collect();
        titles.reverse();
        titles
    }
}

/// How much two sections have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKinship {
    /// Nothing that is known.
    None,
    /// The innermost title, under other headings than before.
    Title,
    /// All titles.
    Same,
}

/// An outline in the making.
#[derive(Debug, Default)]
pub(super) struct OutlineWriter {
    sections: Vec<Section>,
    /// The sections that are still open, outermost first.
    open: Vec<usize>,
}

impl OutlineWriter {
    /// Adds a heading whose text begins at `rendered`, and which begins at `source`.
    pub(super) fn heading(&mut self, level: u8, title: &str, rendered: usize, source: usize) {
        self.close(level, rendered, source);
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = title.chars().take(MAX_TITLE_CHARS).collect();
        self.open.push(self.sections.len());
        let parent = self.open.len().checked_sub(2).map(|above| self.open[above]);
        self.sections.push(Section {
            level,
            title,
            parent,
            rendered: rendered..rendered,
            source: source..source,
        });
    }

    pub(super) fn finish(mut self, rendered: usize, source: usize) -> Outline {
        self.close(0, rendered, source);
        Outline { sections: self.sections }
    }

    fn close(&mut self, level: u8, rendered: usize, source: usize) {
        while let Some(last) = self.open.last()
            && self.sections[*last].level >= level
        {
            self.sections[*last].rendered.end = rendered;
            self.sections[*last].source.end = source;
            self.open.pop();
        }
    }
}
