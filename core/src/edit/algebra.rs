//! The algebra of edits: compose, invert, normalise.
//!
//! All of it is linear in the edits. Carrying an edit over another one is in `transform` and `rebase`.

use super::builder::Builder;
use super::{EditError, Replacement, TextEdit};

impl<D: Clone + PartialEq> TextEdit<D> {
    /// The edit that does what this one does and then what `next` does to its result.
    ///
    /// Each byte that goes or comes keeps the data of the edit that took or brought it. Replacements that
    /// touch and have the same data become one, so that composing is associative.
    #[must_use]
    pub fn compose(&self, next: &Self) -> Self {
        let mut first = EditParts::new(self);
        let mut second = EditParts::new(next);
        let mut composed = Builder::new();
        loop {
            match (first.peek(), second.peek()) {
                (Some(EditPart::Drop(length, data)), _) => {
                    composed.drop(length, data);
                    first.pass(length);
                }
                (_, Some(EditPart::Add(text, data))) => {
                    composed.add(text, data);
                    second.pass(text.len());
                }
                (Some(EditPart::Add(text, data)), other) => {
                    let length = text.len().min(other.as_ref().map_or(usize::MAX, EditPart::length));
                    if !matches!(other, Some(EditPart::Drop(..))) {
                        composed.add(&text[..length], data);
                    }
                    first.pass(length);
                    second.pass(length);
                }
                (Some(EditPart::Keep(kept)), Some(EditPart::Drop(dropped, data))) => {
                    let length = kept.min(dropped);
                    composed.drop(length, data);
                    first.pass(length);
                    second.pass(length);
                }
                (None, Some(EditPart::Drop(length, data))) => {
                    composed.drop(length, data);
                    second.pass(length);
                }
                (None, None) => break composed.finish(),
                (a, b) => {
                    let kept = |part: Option<EditPart<'_, D>>| part.map_or(usize::MAX, |part| part.length());
                    let length = kept(a).min(kept(b));
                    composed.keep(length);
                    first.pass(length);
                    second.pass(length);
                }
            }
        }
    }

    /// The edit that undoes this one, over its result; `content` is the text it was made for.
    pub fn invert(&self, content: &[u8]) -> Result<Self, EditError> {
        self.fits(content.len())?;
        let mut shift = 0_isize;
        let undone = self.replacements().iter().map(|replacement| {
            let start = replacement.start().wrapping_add_signed(shift);
            shift += replacement.growth();
            let old = &content[replacement.range()];
            Replacement::new(start..start + replacement.text().len(), old, replacement.data().clone())
        });
        Ok(Self::sorted(undone.collect()))
    }

    /// The same edit without what changes nothing: replacements of the same data that touch become one,
    /// what is the same before and after is left away, and so is what is empty then.
    pub fn normalise(&self, content: &[u8]) -> Result<Self, EditError> {
        self.fits(content.len())?;
        let mut joined = Builder::new();
        let mut at = 0;
        for replacement in self.replacements() {
            joined.keep(replacement.start() - at);
            joined.drop(replacement.range().len(), replacement.data());
            joined.add(replacement.text(), replacement.data());
            at = replacement.end();
        }
        let trimmed = joined.finish().into_replacements().into_iter();
        let trimmed = trimmed.map(|replacement| replacement.trimmed(content));
        Ok(Self::sorted(trimmed.filter(|replacement| !replacement.is_nothing()).collect()))
    }
}

/// What an edit does next; after its last replacement it keeps everything, which is `None`.
#[derive(Clone, Copy)]
enum EditPart<'a, D> {
    Keep(usize),
    Drop(usize, &'a D),
    Add(&'a [u8], &'a D),
}

impl<D> EditPart<'_, D> {
    fn length(&self) -> usize {
        match self {
            Self::Keep(length) | Self::Drop(length, _) => *length,
            Self::Add(text, _) => text.len(),
        }
    }
}

/// An edit as a sequence of parts, any of which can be taken in pieces.
struct EditParts<'a, D> {
    parts: Vec<EditPart<'a, D>>,
    next: usize,
    /// How much of the next part was taken.
    taken: usize,
}

impl<'a, D> EditParts<'a, D> {
    fn new(edit: &'a TextEdit<D>) -> Self {
        let mut parts = Vec::with_capacity(edit.replacements().len() * 3);
        let mut at = 0;
        for replacement in edit.replacements() {
            parts.push(EditPart::Keep(replacement.start() - at));
            parts.push(EditPart::Drop(replacement.range().len(), replacement.data()));
            parts.push(EditPart::Add(replacement.text(), replacement.data()));
            at = replacement.end();
        }
        parts.retain(|part| part.length() > 0);
        Self { parts, next: 0, taken: 0 }
    }

    fn peek(&self) -> Option<EditPart<'a, D>> {
        Some(match self.parts.get(self.next)? {
            EditPart::Keep(length) => EditPart::Keep(length - self.taken),
            EditPart::Drop(length, data) => EditPart::Drop(length - self.taken, data),
            EditPart::Add(text, data) => EditPart::Add(&text[self.taken..], data),
        })
    }

    fn pass(&mut self, length: usize) {
        let Some(part) = self.parts.get(self.next) else { return };
        self.taken += length;
        if self.taken >= part.length() {
            self.next += 1;
            self.taken = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(replacements: &[(usize, usize, &str, u8)]) -> TextEdit<u8> {
        let replacements =
            replacements.iter().map(|(a, b, text, data)| Replacement::new(*a..*b, *text, *data));
        TextEdit::new(replacements.collect()).unwrap()
    }

    #[test]
    fn composing_keeps_the_data_of_both_sides_apart() {
        let opened = edit(&[(16, 16, "{", 0)]);
        let body = edit(&[(17, 17, "\n}", 1)]);
        assert_eq!(opened.compose(&body), edit(&[(16, 16, "{", 0), (16, 16, "\n}", 1)]));
    }

    #[test]
    fn what_comes_and_goes_again_is_nothing() {
        let come = edit(&[(2, 2, "new", 0)]);
        let go = edit(&[(2, 5, "", 0)]);
        assert!(come.compose(&go).is_empty());
    }

    #[test]
    fn edits_one_after_the_other_become_one_edit_over_the_first_text() {
        let line = |at| edit(&[(at, at, "// line\n", 0)]);
        let all = line(0).compose(&line(8)).compose(&line(16));
        assert_eq!(all.apply(b"x").unwrap(), b"// line\n// line\n// line\nx");
        assert_eq!(all.replacements().len(), 1);
    }

    #[test]
    fn inverting_puts_back_what_was_there() {
        let content = b"one two three";
        let change = edit(&[(0, 3, "1", 0), (4, 4, "and ", 1), (8, 13, "", 2)]);
        let changed = change.apply(content).unwrap();
        assert_eq!(change.invert(content).unwrap().apply(&changed).unwrap(), content);
    }

    #[test]
    fn normalising_leaves_only_what_changes() {
        let same = edit(&[(0, 3, "one", 0), (3, 3, " half", 0), (8, 13, "three", 1)]);
        assert_eq!(same.normalise(b"one two three").unwrap(), edit(&[(3, 3, " half", 0)]));
    }
}
