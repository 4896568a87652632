//! An edit of a text: sorted replacements that do not overlap, all against the same text.
//!
//! Replacements may touch, and several may insert at one point: their order is the order of the text.
//! What can be computed with edits is in `algebra`, `transform` and `rebase`.

use std::ops::Range;

use super::Replacement;

/// Sorted replacements that do not overlap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextEdit<D = ()> {
    replacements: Vec<Replacement<D>>,
}

/// Why replacements are not an edit, or an edit does not fit a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A replacement begins before the one in front of it has ended.
    #[error("the replacement of {}..{} overlaps the one before it, which ends at {before}", range.start, range.end)]
    Overlap {
        /// The bytes that the later one replaces.
        range: Range<usize>,
        /// Where the earlier one ends.
        before: usize,
    },
    /// A replacement reaches past the end of the text.
    #[error("the replacement of {}..{} is outside the text, which has {length} bytes", range.start, range.end)]
    OutOfText {
        /// The bytes that it replaces.
        range: Range<usize>,
        /// How long the text is.
        length: usize,
    },
}

impl<D> TextEdit<D> {
    /// Takes replacements in their order; they may touch, but not overlap.
    pub fn new(replacements: Vec<Replacement<D>>) -> Result<Self, EditError> {
        let mut before = 0;
        for replacement in &replacements {
            if replacement.start() < before {
                return Err(EditError::Overlap { range: replacement.range(), before });
            }
            before = replacement.end();
        }
        Ok(Self { replacements })
    }

    /// The edit that changes nothing.
    pub fn nothing() -> Self {
        Self { replacements: Vec::new() }
    }

    /// An edit of one replacement.
    pub fn single(replacement: Replacement<D>) -> Self {
        Self { replacements: vec![replacement] }
    }

    /// For what was sorted when it was made.
    pub(super) fn sorted(replacements: Vec<Replacement<D>>) -> Self {
        debug_assert!(replacements.windows(2).all(|pair| pair[0].end() <= pair[1].start()));
        Self { replacements }
    }

    /// The replacements, in the order of the text.
    pub fn replacements(&self) -> &[Replacement<D>] {
        &self.replacements
    }

    /// The replacements, in the order of the text.
    pub fn into_replacements(self) -> Vec<Replacement<D>> {
        self.replacements
    }

    /// Whether there is no replacement at all.
    pub fn is_empty(&self) -> bool {
        self.replacements.is_empty()
    }

    /// Attaches other data to each replacement.
    pub fn map_data<E>(self, mut data: impl FnMut(usize, D) -> E) -> TextEdit<E> {
        let replacements = self.replacements.into_iter().enumerate().map(|(index, replacement)| {
            let (range, text, old) = replacement.into_parts();
            Replacement::new(range, text, data(index, old))
        });
        TextEdit { replacements: replacements.collect() }
    }

    /// The text that `content` becomes; costs one copy.
    pub fn apply(&self, content: &[u8]) -> Result<Vec<u8>, EditError> {
        self.fits(content.len())?;
        let grown: usize = self.replacements.iter().map(|replacement| replacement.text().len()).sum();
        let mut result = Vec::with_capacity(content.len() + grown);
        let mut at = 0;
        for replacement in &self.replacements {
            result.extend_from_slice(&content[at..replacement.start()]);
            result.extend_from_slice(replacement.text());
            at = replacement.end();
        }
        result.extend_from_slice(&content[at..]);
        Ok(result)
    }

    /// Whether every replacement lies within a text of `length` bytes.
    pub fn fits(&self, length: usize) -> Result<(), EditError> {
        match self.replacements.last() {
            Some(last) if last.end() > length => Err(EditError::OutOfText { range: last.range(), length }),
            _ => Ok(()),
        }
    }
}

impl<D> Default for TextEdit<D> {
    fn default() -> Self {
        Self::nothing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_that_overlap_are_no_edit() {
        let two = |a: Range<usize>, b: Range<usize>| {
            TextEdit::new(vec![Replacement::new(a, "x", ()), Replacement::new(b, "y", ())])
        };
        assert!(two(0..3, 3..4).is_ok());
        assert!(two(3..3, 3..3).is_ok());
        assert_eq!(two(0..3, 2..4), Err(EditError::Overlap { range: 2..4, before: 3 }));
        assert!(two(5..6, 0..1).is_err());
    }

    #[test]
    fn insertions_at_one_point_keep_their_order() {
        let edit =
            TextEdit::new(vec![Replacement::new(1..1, "x", ()), Replacement::new(1..1, "y", ())]).unwrap();
        assert_eq!(edit.apply(b"ab").unwrap(), b"axyb");
    }

    #[test]
    fn an_edit_that_does_not_fit_is_refused() {
        let edit = TextEdit::single(Replacement::new(1..4, "", ()));
        assert_eq!(edit.apply(b"abc"), Err(EditError::OutOfText { range: 1..4, length: 3 }));
    }
}
