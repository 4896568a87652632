//! Places that are similar to a quote, or are where its surroundings say.
//!
//! Bounded: one pass over the text finds a few windows, and only those are looked at closely.

use std::ops::Range;

use super::align::{lay, similarity};
use super::context::QuoteSides;
use super::normal::Normal;
use super::occurrences::occurrences;
use super::shingles::{Shingles, widened};
use crate::record::Quote;

/// A longer quote is laid by its two ends, and compared by its shingles.
const MAX_LAID_CHARS: usize = 1024;

/// How much of each end of a long quote is laid.
const END_CHARS: usize = 256;

/// The work of laying a quote over all windows, in cells.
const MAX_CELLS: usize = 6_000_000;

/// How many windows are looked at, if they are small enough for that.
const MAX_WINDOWS: usize = 24;

/// How many characters of the surroundings are searched for literally.
const HIT_CHARS: usize = 16;

/// A shorter side may be after the other by chance.
const MEETING_CHARS: usize = 8;

/// Sides that are further apart have more between them than what took the place of a quote.
const MAX_REPLACED_CHARS: usize = 512;

/// Longer runs of letters are not moved to their ends: scripts without spaces have no others.
const MAX_WORD_CHARS: usize = 32;

/// What a text shows of a quote that is not in it.
#[derive(Debug, Default)]
pub(super) struct Nearby {
    /// Places with their similarity per mille, in no order.
    pub(super) places: Vec<(Range<usize>, usize)>,
    pub(super) trace: Trace,
}

/// What the surroundings tell of a quote's fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Trace {
    /// Nothing.
    #[default]
    None,
    /// They are side by side: the quote was taken from between them.
    Removed,
    /// They are around other words, and nowhere side by side.
    Replaced,
}

/// A quote with its surroundings, made ready to be laid over text.
pub(super) struct Pattern<'quote> {
    whole: Vec<char>,
    part: Range<usize>,
    sides: &'quote QuoteSides,
    shingles: Shingles,
}

impl<'quote> Pattern<'quote> {
    pub(super) fn new(quote: &Quote, sides: &'quote QuoteSides) -> Self {
        // Normalised as one text, so that the blanks between quote and surroundings are kept.
        let (prefix, suffix) = (last_chars(&quote.prefix), first_chars(&quote.suffix));
        let normal = Normal::new(&[prefix, quote.exact.as_str(), suffix].concat());
        let mut part = normal.range_of(&(prefix.len()..prefix.len() + quote.exact.len()));
        let whole = normal.folded().to_vec();
        part = trimmed(part, &whole);
        let shingles = Shingles::new(&whole[part.clone()]);
        Self { whole, part, sides, shingles }
    }

    /// The quote itself.
    fn quote(&self) -> &[char] {
        &self.whole[self.part.clone()]
    }

    /// Looks for the quote in `text`.
    ///
    /// `near` is where the quote is expected; it only decides which of very many places are looked at.
    pub(super) fn nearby(&self, text: &[char], near: Option<usize>) -> Nearby {
        if self.part.is_empty() || text.is_empty() {
            return Nearby::default();
        }
        let most = self.most_windows();
        let enclosed = Enclosed::find(self.sides, self.quote(), text);
        let trace = enclosed.trace();
        let enclosed = enclosed.nearest(near, most);
        let mut starts = self.shingles.windows(text, most);
        starts.extend(enclosed.starts(self.part.len()));
        starts.extend(near);
        starts.sort_unstable();
        starts.dedup();
        let laid = starts.into_iter().filter_map(|start| self.laid(text, start));
        let between = enclosed.between(4 * self.part.len() + 2 * HIT_CHARS);
        let mut places: Vec<Range<usize>> = laid.chain(between).map(|place| trimmed(place, text)).collect();
        places.retain(|place| !place.is_empty());
        places.sort_by_key(|place| (place.start, place.end));
        places.dedup();
        let places = places.into_iter().map(|place| (place.clone(), self.similarity(&text[place]))).collect();
        Nearby { places, trace }
    }

    fn similarity(&self, text: &[char]) -> usize {
        if self.part.len().max(text.len()) <= 4 * MAX_LAID_CHARS {
            similarity(self.quote(), text)
        } else {
            self.shingles.similarity(text)
        }
    }

    fn most_windows(&self) -> usize {
        let length = self.whole.len().min(MAX_LAID_CHARS);
        (MAX_CELLS / (3 * length * length).max(1)).clamp(2, MAX_WINDOWS)
    }

    /// Lays the quote over what is around `start`.
    fn laid(&self, text: &[char], start: usize) -> Option<Range<usize>> {
        let length = self.part.len();
        let place = if length <= MAX_LAID_CHARS {
            let region = widened(start, length, length / 2 + 2 * HIT_CHARS, text);
            let place = lay(&self.whole, &self.part, &text[region.clone()])?;
            region.start + place.start..region.start + place.end
        } else {
            let room = END_CHARS + (length / 8).min(4 * END_CHARS);
            let head = widened(start, END_CHARS, room, text);
            let first = &self.whole[..self.part.start + END_CHARS];
            let first = lay(first, &(self.part.start..first.len()), &text[head.clone()])?;
            let tail = widened((start + length).saturating_sub(END_CHARS), END_CHARS, room, text);
            let last = &self.whole[self.part.end - END_CHARS..];
            let last = lay(last, &(0..END_CHARS), &text[tail.clone()])?;
            head.start + first.start..tail.start + last.end
        };
        (!place.is_empty()).then(|| self.at_words(text, place))
    }

    /// Moves an end that cuts a word to an end of that word, if the quote did not cut one there.
    fn at_words(&self, text: &[char], place: Range<usize>) -> Range<usize> {
        let mut place = place;
        if !cuts_word(&self.whole, self.part.start) && cuts_word(text, place.start) {
            let back = text[..place.start].iter().rev().take(MAX_WORD_CHARS);
            let left = place.start - back.take_while(|c| c.is_alphanumeric()).count();
            let ahead = text[place.clone()].iter().take(MAX_WORD_CHARS);
            let rest = ahead.take_while(|c| c.is_alphanumeric()).count();
            place = self.closer(text, left..place.end, place.start + rest..place.end);
        }
        if !cuts_word(&self.whole, self.part.end) && cuts_word(text, place.end) {
            let ahead = text[place.end..].iter().take(MAX_WORD_CHARS);
            let right = place.end + ahead.take_while(|c| c.is_alphanumeric()).count();
            let back = text[place.clone()].iter().rev().take(MAX_WORD_CHARS);
            let rest = back.take_while(|c| c.is_alphanumeric()).count();
            place = self.closer(text, place.start..right, place.start..place.end - rest);
        }
        place
    }

    fn closer(&self, text: &[char], wide: Range<usize>, narrow: Range<usize>) -> Range<usize> {
        let narrow = trimmed(narrow, text);
        if self.similarity(&text[narrow.clone()]) > self.similarity(&text[wide.clone()]) {
            narrow
        } else {
            wide
        }
    }
}

/// Where the surroundings of a quote occur literally.
struct Enclosed {
    /// Where a prefix ends, ascending.
    ends: Vec<usize>,
    /// Where a suffix begins, ascending.
    begins: Vec<usize>,
    /// Whether a prefix right before a suffix says that the quote is gone.
    tells: bool,
}

impl Enclosed {
    fn find(sides: &QuoteSides, quote: &[char], text: &[char]) -> Self {
        let before = sides.before();
        let before = &before[before.len().saturating_sub(HIT_CHARS)..];
        let after = &sides.after()[..sides.after().len().min(HIT_CHARS)];
        let ends = occurrences(text, before).into_iter().map(|at| at + before.len()).collect();
        // A suffix that reads like the quote itself is after the prefix also where the quote is.
        let tells = before.len().min(after.len()) >= MEETING_CHARS
            && !quote.starts_with(&after[..MEETING_CHARS])
            && !quote.ends_with(&before[before.len() - MEETING_CHARS..]);
        Self { ends, begins: occurrences(text, after), tells }
    }

    /// Keeps `most` places of either side.
    fn nearest(self, near: Option<usize>, most: usize) -> Self {
        Self { ends: nearest(self.ends, near, most), begins: nearest(self.begins, near, most), ..self }
    }

    fn trace(&self) -> Trace {
        let meets = |end: &usize| {
            let next = self.begins.partition_point(|begin| begin < end);
            self.begins.get(next).is_some_and(|begin| begin - end <= 1)
        };
        let encloses = |end: &usize| {
            let next = self.begins.partition_point(|begin| begin <= end);
            self.begins.get(next).is_some_and(|begin| begin - end <= MAX_REPLACED_CHARS)
        };
        match self.tells {
            true if self.ends.iter().any(meets) => Trace::Removed,
            true if self.ends.iter().any(encloses) => Trace::Replaced,
            _ => Trace::None,
        }
    }

    fn starts(&self, length: usize) -> Vec<usize> {
        let by_suffix = self.begins.iter().map(|begin| begin.saturating_sub(length));
        self.ends.iter().copied().chain(by_suffix).collect()
    }

    /// What is between a prefix and the next suffix after it, if no more than `longest`.
    fn between(&self, longest: usize) -> Vec<Range<usize>> {
        let pairs = self.ends.iter().filter_map(|end| {
            let next = self.begins.partition_point(|begin| begin <= end);
            self.begins.get(next).map(|begin| *end..*begin)
        });
        pairs.filter(|place| place.len() <= longest).collect()
    }
}

/// The places nearest to where the quote is expected, else the first, in ascending order.
fn nearest(mut places: Vec<usize>, near: Option<usize>, most: usize) -> Vec<usize> {
    if places.len() > most {
        places.sort_by_key(|place| (place.abs_diff(near.unwrap_or(0)), *place));
        places.truncate(most);
        places.sort_unstable();
    }
    places
}

/// Whether a word goes on across `at`.
fn cuts_word(text: &[char], at: usize) -> bool {
    let is_word = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(|c| c.is_alphanumeric());
    is_word(at.checked_sub(1)) && is_word(Some(at))
}

fn trimmed(place: Range<usize>, text: &[char]) -> Range<usize> {
    let mut place = place.start..place.end.min(text.len());
    while !place.is_empty() && text[place.start] == ' ' {
        place.start += 1;
    }
    while !place.is_empty() && text[place.end - 1] == ' ' {
        place.end -= 1;
    }
    place
}

fn last_chars(text: &str) -> &str {
    let start = text.char_indices().rev().take(2 * HIT_CHARS).last().map_or(0, |(at, _)| at);
    &text[start..]
}

fn first_chars(text: &str) -> &str {
    let end = text.char_indices().nth(2 * HIT_CHARS).map_or(text.len(), |(at, _)| at);
    &text[..end]
}
