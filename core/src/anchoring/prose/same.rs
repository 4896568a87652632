//! Places with the words of a quote: literally, or but for typesetting.

use std::cmp::Reverse;
use std::ops::Range;

use super::choose::QuoteCandidate;
use super::context::QuoteSides;
use super::find::{Prose, QuoteLikeness};
use super::normal::{self, Normal};
use super::occurrences::occurrences;
use crate::record::Quote;

/// Of more places with the same words than this, those are compared that agree best at first sight.
const MAX_SAME: usize = 512;

/// A place with the same words.
struct Same {
    place: Range<usize>,
    likeness: QuoteLikeness,
    sides: Stand,
}

/// What is known of a place's sides before they are compared.
enum Stand {
    Literally,
    Unknown,
}

/// Returns the places with the quote's very words, or the same but for typesetting.
///
/// Where there are very many, those that agree best at first sight; the nearest of equals.
pub(super) fn same(
    prose: &Prose<'_>,
    quote: &Quote,
    sides: &QuoteSides,
    near: Option<usize>,
) -> Vec<QuoteCandidate> {
    if normal::is_blank(&quote.exact) {
        return Vec::new();
    }
    let mut places = literal_in_context(prose, quote);
    if places.is_empty() {
        places = literal_or_normalised(prose, quote);
    }
    if places.len() > MAX_SAME {
        places.sort_by_cached_key(|same| {
            let run = match same.sides {
                // All of them agree as far as the quote tells.
                Stand::Literally => 0,
                Stand::Unknown => {
                    sides.run_around(prose.normal.folded(), &prose.normal.range_of(&same.place))
                }
            };
            (Reverse(run), near.map(|near| same.place.start.abs_diff(near)), same.place.start)
        });
        places.truncate(MAX_SAME);
    }
    let candidate = |Same { place, likeness, .. }| {
        let context = sides.around(prose.normal.folded(), &prose.normal.range_of(&place));
        let context = match likeness {
            QuoteLikeness::Literal => context.or_literal(quote, prose.text, &place),
            QuoteLikeness::Normalised | QuoteLikeness::Similar(_) => context,
        };
        QuoteCandidate { place, likeness, context }
    };
    places.into_iter().map(candidate).collect()
}

/// The places where prefix, quote and suffix occur literally: where there is one, no other can be meant.
fn literal_in_context(prose: &Prose<'_>, quote: &Quote) -> Vec<Same> {
    let whole = [quote.prefix.as_str(), &quote.exact, &quote.suffix].concat();
    let places = occurrences(prose.text.as_bytes(), whole.as_bytes()).into_iter().map(|at| {
        let start = at + quote.prefix.len();
        start..start + quote.exact.len()
    });
    places.map(|place| Same { place, likeness: QuoteLikeness::Literal, sides: Stand::Literally }).collect()
}

fn literal_or_normalised(prose: &Prose<'_>, quote: &Quote) -> Vec<Same> {
    let wanted = Normal::new(&quote.exact);
    let literal = occurrences(prose.text.as_bytes(), quote.exact.as_bytes());
    let taken: Vec<usize> = literal.iter().map(|at| first_word(prose, *at)).collect();
    let mut places: Vec<Same> = literal
        .into_iter()
        .map(|at| Same {
            place: at..at + quote.exact.len(),
            likeness: QuoteLikeness::Literal,
            sides: Stand::Unknown,
        })
        .collect();
    for at in occurrences(prose.normal.chars(), wanted.chars()) {
        if taken.binary_search(&at).is_err()
            && let Some(place) = prose.normal.bytes_of(&(at..at + wanted.chars().len()))
        {
            places.push(Same { place, likeness: QuoteLikeness::Normalised, sides: Stand::Unknown });
        }
    }
    places
}

/// The first character after a byte that is not a blank: normalised quotes begin with none.
fn first_word(prose: &Prose<'_>, byte: usize) -> usize {
    let at = prose.normal.index_at(byte);
    at + usize::from(prose.normal.chars().get(at) == Some(&' '))
}
