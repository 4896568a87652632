//! How much has to speak for a place before it may be taken at all.
//!
//! What a quote is too short to prove, its surroundings must. The floors were read off changed, moved
//! and deleted quotes of some hundred READMEs and changelogs: each is where, below it, wrong
//! places began to rival the right ones.

use std::ops::Range;

use super::choose::QuoteCandidate;
use super::find::QuoteLikeness;
use super::near::Trace;

/// How similar a place must be, per mille.
#[derive(Clone, Copy)]
enum Floor {
    /// No similarity is enough.
    Never,
    /// The same words are, where no other place has them.
    OnlyPlace,
    /// This much is.
    At(usize),
}

use Floor::{At, Never, OnlyPlace};

/// By how much a quote says, and by how far its surroundings agree: below 500, from 500, 600 and 700.
const FLOORS: [(usize, [Floor; 4]); 5] = [
    (60, [At(750), At(650), At(600), At(500)]),
    (24, [At(850), At(750), At(600), At(500)]),
    (12, [OnlyPlace, At(600), At(600), At(500)]),
    (6, [Never, OnlyPlace, At(1000), At(600)]),
    (0, [Never, Never, Never, At(1000)]),
];

/// The floors if the quote says nothing of its surroundings.
const FLOORS_ALONE: [(usize, Floor); 2] = [(6, At(600)), (0, At(1000))];

/// The floor between both sides as they were quoted, for quotes short enough to be rewritten as a whole.
const FLOOR_ENCLOSED: (Range<usize>, Floor) = (6..60, At(400));

/// From here on the same words in these surroundings need no comparing with other words.
const SETTLED: usize = 600;

/// From here on a quote is long enough to be known wherever it is.
pub(super) const TELLS_ITSELF: usize = 60;

/// From here on a quote that occurs once may have been moved, although other words took its place.
const TELLS_A_MOVE: usize = 24;

/// Below this, the same words are among strangers.
const FOREIGN: usize = 500;

/// From here on a place has the surroundings that were quoted, perhaps a little changed.
const IN_ITS_SURROUNDINGS: usize = 700;

/// What is known of a quote before its places are judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quoted {
    /// How much it says, see [`weight`].
    pub(super) weight: usize,
    /// How many places have its very words.
    pub(super) places: usize,
    /// What its surroundings tell.
    pub(super) trace: Trace,
}

/// Returns the candidates that may be taken.
///
/// The same or similar words in foreign surroundings give way to changed words in those that were quoted. Where the quoted
/// surroundings are around other words altogether, a short quote that is elsewhere is another one's.
pub(super) fn defended(all: &[QuoteCandidate], quoted: Quoted) -> Vec<QuoteCandidate> {
    let mut taken: Vec<QuoteCandidate> =
        all.iter().filter(|candidate| candidate.is_above_floor(quoted)).cloned().collect();
    let is_rewritten = taken.iter().any(QuoteCandidate::is_changed_in_place);
    let is_replaced = quoted.weight < TELLS_A_MOVE && quoted.trace == Trace::Replaced;
    if is_rewritten || is_replaced {
        taken.retain(|candidate| !candidate.is_foreign());
    }
    taken
}

impl QuoteCandidate {
    fn has_other_words(&self) -> bool {
        matches!(self.likeness, QuoteLikeness::Similar(_))
    }

    /// Whether what is around the place has little of what the quote says.
    pub(super) fn is_foreign(&self) -> bool {
        self.context.mean().is_some_and(|mean| mean < FOREIGN)
    }

    /// Whether the place has other words in the surroundings that were quoted.
    fn is_changed_in_place(&self) -> bool {
        self.has_other_words() && self.context.mean().is_some_and(|mean| mean >= IN_ITS_SURROUNDINGS)
    }

    /// Whether the place has the quote's words, and surroundings that agree or were never quoted.
    pub(super) fn is_settled(&self) -> bool {
        self.context.mean().is_none_or(|mean| mean >= SETTLED)
    }

    /// Whether the place may be taken.
    pub(super) fn is_above_floor(&self, quoted: Quoted) -> bool {
        let other_words = self.has_other_words();
        if other_words && quoted.trace == Trace::Removed {
            // The same words elsewhere may have been moved there; other words are not what was removed.
            return false;
        }
        match self.floor(quoted.weight) {
            Never => false,
            OnlyPlace => !other_words && quoted.places == 1,
            At(floor) => self.likeness.per_mille() >= floor,
        }
    }

    fn floor(&self, weight: usize) -> Floor {
        let Some(mean) = self.context.mean() else {
            return FLOORS_ALONE
                .iter()
                .find(|(least, _)| weight >= *least)
                .map_or(Never, |(_, floor)| *floor);
        };
        if self.context.encloses(900) && FLOOR_ENCLOSED.0.contains(&weight) {
            return FLOOR_ENCLOSED.1;
        }
        let column = match mean {
            0..500 => 0,
            500..600 => 1,
            600..700 => 2,
            700.. => 3,
        };
        FLOORS.iter().find(|(least, _)| weight >= *least).map_or(Never, |(_, floors)| floors[column])
    }
}

/// How much a quote says: its letters and digits, those of scripts without spaces three times.
pub(super) fn weight(quote: &str) -> usize {
    let telling = quote.chars().filter(|c| c.is_alphanumeric());
    telling.map(|c| if u32::from(c) >= 0x2e80 { 3 } else { 1 }).sum()
}
