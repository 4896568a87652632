//! Finds a quote in a text.

use std::ops::Range;

use super::choose::{QuoteCandidate, QuoteChoice, choose, distinct};
use super::context::{ContextMatch, QuoteSides};
use super::floor::{Quoted, defended, weight};
use super::near::{Pattern, Trace};
use super::normal::Normal;
use super::occurrences::occurrences;
use super::same::same;
use crate::edit::markdown::{Outline, Rendered};
use crate::record::Quote;

/// How many places are offered to a person when none is certain.
const MAX_OFFERED: usize = 5;

/// A less similar place is not offered.
const LEAST_OFFERED: usize = 500;

/// A text that quotes are looked for in, made ready once for all of them.
#[derive(Debug)]
pub struct Prose<'text> {
    pub(super) text: &'text str,
    outline: Option<&'text Outline>,
    pub(super) normal: Normal,
}

/// What is known of where a quote should be.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExpectedPlace<'a> {
    /// The headings above it, outermost first; `None` when they are not known.
    pub headings: Option<&'a [String]>,
    /// The byte of the text where it should begin.
    pub near: Option<usize>,
}

/// How a place's words compare with the quote's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuoteLikeness {
    /// The same bytes.
    Literal,
    /// The same but for white space, quote marks, dashes and what cannot be seen.
    Normalised,
    /// Other words, this much alike, per mille.
    Similar(u16),
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuoteSearchResult {
    /// One place can be defended.
    Here {
        /// In bytes of the text.
        place: Range<usize>,
        /// How its words compare.
        likeness: QuoteLikeness,
    },
    /// None can; these could be meant, the best first.
    Nowhere {
        /// Places in bytes of the text.
        candidates: Vec<(Range<usize>, QuoteLikeness)>,
    },
}

impl QuoteLikeness {
    /// As a number of 1000; a changed case alone is 999.
    pub fn per_mille(self) -> usize {
        match self {
            Self::Literal | Self::Normalised => 1000,
            Self::Similar(alike) => usize::from(alike),
        }
    }
}

impl<'text> Prose<'text> {
    /// Reads a rendered page, whose headings are known.
    pub fn rendered(page: &'text Rendered) -> Self {
        Self { outline: Some(page.outline()), ..Self::plain(page.text()) }
    }

    /// Reads text that is not Markdown.
    pub fn plain(text: &'text str) -> Self {
        Self { text, outline: None, normal: Normal::new(text) }
    }

    /// Returns where the quote is, or that no place can be defended.
    ///
    /// Takes time linear in the text, times the logarithm of what repeats in it.
    pub fn find(&self, quote: &Quote, expected: &ExpectedPlace<'_>) -> QuoteSearchResult {
        let sides = QuoteSides::new(quote);
        let mut all = same(self, quote, &sides, expected.near);
        let mut quoted = Quoted { weight: weight(&quote.exact), places: all.len(), trace: Trace::None };
        if !all.iter().any(QuoteCandidate::is_settled) {
            // The same words in other surroundings: changed words in the right ones may be better.
            let (similar, trace) = self.similar(quote, &sides, expected);
            quoted.trace = trace;
            let others =
                similar.into_iter().filter(|other| !all.iter().any(|same| same.covers_mostly(other)));
            let others: Vec<_> = others.collect();
            all.extend(others);
            all = distinct(all);
        }
        let taken = defended(&all, quoted);
        match choose(&taken, quoted.weight, self.outline, expected) {
            QuoteChoice::Clear(candidate) => {
                QuoteSearchResult::Here { place: candidate.place, likeness: candidate.likeness }
            }
            QuoteChoice::Tied | QuoteChoice::Nothing => QuoteSearchResult::nowhere(all),
        }
    }

    /// Returns all places with the very words of a quote, or the same but for typesetting, in their order.
    ///
    /// If the quote says what is around it, that must be there too. Of hundreds of places
    /// only some are returned.
    pub fn places(&self, quote: &Quote) -> Vec<Range<usize>> {
        let sides = QuoteSides::new(quote);
        let told = !sides.before().is_empty() || !sides.after().is_empty();
        let all = same(self, quote, &sides, None).into_iter();
        let mut places: Vec<_> = all
            .filter(|candidate| !told || candidate.context.is_perfect())
            .map(|candidate| candidate.place)
            .collect();
        places.sort_by_key(|place| (place.start, place.end));
        places
    }

    /// Returns the first place where prefix, quote and suffix are one after the other.
    ///
    /// On a rendered page white space of any kind is the same: how a break reads is our own choice.
    pub fn first_literal(&self, quote: &Quote) -> Option<Range<usize>> {
        if quote.exact.is_empty() {
            return None;
        }
        let whole = [quote.prefix.as_str(), &quote.exact, &quote.suffix].concat();
        let place = |at: usize| at + quote.prefix.len()..at + quote.prefix.len() + quote.exact.len();
        let literal = occurrences(self.text.as_bytes(), whole.as_bytes()).first().copied();
        match (literal, self.outline) {
            (Some(at), _) => Some(place(at)),
            (None, None) => None,
            (None, Some(_)) => {
                let spaced = |text: &str| text.replace(|c: char| c.is_whitespace() && c.is_ascii(), " ");
                let text = spaced(self.text);
                occurrences(text.as_bytes(), spaced(&whole).as_bytes()).first().copied().map(place)
            }
        }
    }

    /// Places with similar words, or with any words in the right surroundings.
    fn similar(
        &self,
        quote: &Quote,
        sides: &QuoteSides,
        expected: &ExpectedPlace<'_>,
    ) -> (Vec<QuoteCandidate>, Trace) {
        let near = expected.near.map(|near| self.normal.index_at(near));
        let nearby = Pattern::new(quote, sides).nearby(self.normal.folded(), near);
        let candidate = |(range, alike): (Range<usize>, usize)| {
            // The same letters in another case are not the same text.
            let alike = u16::try_from(alike.min(999)).unwrap_or(999);
            let context: ContextMatch = sides.around(self.normal.folded(), &range);
            let place = self.normal.bytes_of(&range)?;
            Some(QuoteCandidate { place, likeness: QuoteLikeness::Similar(alike), context })
        };
        (nearby.places.into_iter().filter_map(candidate).collect(), nearby.trace)
    }
}

impl QuoteSearchResult {
    fn nowhere(candidates: Vec<QuoteCandidate>) -> Self {
        let candidates = distinct(candidates).into_iter().take(MAX_OFFERED);
        let offered = candidates.filter(|candidate| candidate.likeness.per_mille() >= LEAST_OFFERED);
        Self::Nowhere { candidates: offered.map(|candidate| (candidate.place, candidate.likeness)).collect() }
    }
}
