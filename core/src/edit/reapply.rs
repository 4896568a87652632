//! A suggestion after the user went on typing: what of it can still be applied.
//!
//! Checks what was claimed (the edits, the window, the cursor) and lets `rebase` do the rest.

use std::ops::Range;

use super::rebase::rebase_onto;
use super::{Conflict, EditError, Grain, Replacement, Rules, TextEdit};

/// Everything that is known when a suggestion is to be applied.
#[derive(Clone, Debug)]
pub struct ReapplyRequest<'a> {
    /// The text that the suggestion was made for.
    pub original: &'a [u8],
    /// Where the cursor must be for the suggestion to make sense; none: anywhere.
    pub window: Option<Range<usize>>,
    /// What was suggested, over `original`; the data of a replacement is its index.
    pub suggested: &'a TextEdit<usize>,
    /// What the user did since, over `original`.
    pub users: &'a TextEdit,
    /// The text as it is now.
    pub current: &'a [u8],
    /// The cursors and selections, in the text as it is now; the first one counts.
    pub selections: &'a [Range<usize>],
    /// How the two sides are held against each other.
    pub rules: Rules,
}

/// What became of a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReapplyOutcome {
    /// What is left to do, over the current text; the data of a replacement is its index.
    Rebased(TextEdit<usize>),
    /// The user has done all of it.
    Done,
    /// The user did something else in the same place.
    Conflict(Conflict),
    /// The cursor left the window.
    OutsideWindow {
        /// Where the window is now.
        window: Range<usize>,
        /// The first selection.
        selection: Range<usize>,
    },
    /// The user's edits do not lead from the original text to the current one.
    Inconsistent {
        /// From which byte on the current text is another one.
        differs_at: usize,
        /// How long the text would be that the edits lead to; `None` if they do not fit the original.
        edited_length: Option<usize>,
        /// How long the current text is.
        current_length: usize,
    },
}

impl ReapplyRequest<'_> {
    /// Says what is left of the suggestion.
    ///
    /// Fails only for a suggestion that does not fit the original text.
    pub fn outcome(&self) -> Result<ReapplyOutcome, EditError> {
        self.suggested.fits(self.original.len())?;
        let Ok(edited) = self.users.apply(self.original) else {
            return Ok(self.inconsistent(0, None));
        };
        if edited != self.current {
            let same = edited.iter().zip(self.current).take_while(|(a, b)| a == b).count();
            return Ok(self.inconsistent(same, Some(edited.len())));
        }
        if let (Some(window), Some(selection)) = (&self.window, self.selections.first()) {
            let window = self.users.move_range(window);
            let (first, last) = (selection.start.min(selection.end), selection.start.max(selection.end));
            if first < window.start || window.end < last {
                return Ok(ReapplyOutcome::OutsideWindow { window, selection: selection.clone() });
            }
        }
        let rebased = rebase_onto(self.original, self.suggested, self.users, self.current, self.rules)?;
        Ok(match rebased {
            // Of several suggestions, one may take back what another brings.
            Ok(left) if left.is_empty() || left.apply(self.current)? == self.current => ReapplyOutcome::Done,
            Ok(left) => ReapplyOutcome::Rebased(left),
            Err(conflict) => ReapplyOutcome::Conflict(conflict),
        })
    }

    fn inconsistent(&self, differs_at: usize, edited_length: Option<usize>) -> ReapplyOutcome {
        ReapplyOutcome::Inconsistent { differs_at, edited_length, current_length: self.current.len() }
    }
}

impl<D> TextEdit<D> {
    /// Where a range is after this edit; what was put in at either end of it belongs to it.
    pub fn move_range(&self, range: &Range<usize>) -> Range<usize> {
        let mut shift = 0_isize;
        let (mut start, mut end) = (None, None);
        for replacement in self.replacements() {
            let here = replacement.start().wrapping_add_signed(shift);
            if start.is_none() && replacement.end() >= range.start {
                let before = replacement.start().min(range.start).wrapping_add_signed(shift);
                start = Some(before);
            }
            if replacement.start() > range.end {
                break;
            }
            shift += replacement.growth();
            if replacement.end() >= range.end {
                end = Some(here + replacement.text().len());
            }
        }
        let start = start.unwrap_or_else(|| range.start.wrapping_add_signed(shift));
        start..end.unwrap_or_else(|| range.end.wrapping_add_signed(shift)).max(start)
    }
}

/// One of several suggested replacements, each over the result of those before it.
#[derive(Clone, Debug)]
pub struct SuggestedStep {
    /// What was suggested.
    pub replacement: Replacement,
    /// The same in finer replacements, if they are known already.
    pub detail: Option<TextEdit>,
}

impl From<Replacement> for SuggestedStep {
    fn from(replacement: Replacement) -> Self {
        Self { replacement, detail: None }
    }
}

/// Suggested replacements that follow each other.
#[derive(Clone, Debug, Default)]
pub struct SuggestedSteps(pub Vec<SuggestedStep>);

impl SuggestedSteps {
    /// One edit over `original`, whose data says which step a replacement comes from.
    ///
    /// Steps without detail are compared with what they replace, word by word, so that what the user did
    /// beside the real change is not a conflict.
    pub fn compose(&self, original: &[u8]) -> Result<TextEdit<usize>, EditError> {
        let mut text = original.to_vec();
        let mut details = Vec::with_capacity(self.0.len());
        for (index, step) in self.0.iter().enumerate() {
            let whole = TextEdit::single(step.replacement.clone());
            let next = whole.apply(&text)?;
            let detail = match &step.detail {
                Some(detail) if detail.apply(&text).is_ok_and(|detailed| detailed == next) => detail.clone(),
                _ => detailed(&step.replacement, &text),
            };
            details.push(detail.map_data(|_, ()| index));
            text = next;
        }
        // Composing is associative, and two by two it costs far less than one after the other.
        while details.len() > 1 {
            let pairs = details.chunks(2).map(|pair| match pair {
                [first, second] => first.compose(second),
                other => other.first().cloned().unwrap_or_default(),
            });
            details = pairs.collect();
        }
        Ok(details.pop().unwrap_or_default())
    }
}

fn detailed(replacement: &Replacement, text: &[u8]) -> TextEdit {
    let start = replacement.start();
    let diff = TextEdit::from_diff(&text[replacement.range()], replacement.text(), Grain::Word);
    let moved = diff.into_replacements().into_iter().map(|part| {
        let (range, text, ()) = part.into_parts();
        Replacement::new(start + range.start..start + range.end, text, ())
    });
    TextEdit::sorted(moved.collect())
}
