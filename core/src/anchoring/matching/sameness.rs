//! How the text of a region compares with what is at a place now.
//!
//! The state of a position follows from this, not from the step that found the place.

use crate::edit::{Text, normalise};

use crate::anchoring::lines::region::LineRegion;

/// How the text of a region compares with what is at a place now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sameness {
    /// Byte for byte.
    Exact,
    /// But for white space, quotes and line ends.
    Normal,
    /// The old lines, with a few others between them.
    Grown,
    /// Something else.
    Changed,
}

/// The share of old lines from which a region that grew still counts as the same.
const GROWN_SHARE: f64 = 0.8;

/// Compares a region's text with what is at a place now.
pub(crate) fn sameness(old: &Text, was: &LineRegion, new: &Text, is: &LineRegion) -> Sameness {
    if was.columns.is_none() && is.columns.is_none() && was.count() == is.count() {
        let mut lines = (was.first..=was.last).zip(is.first..=is.last);
        if lines.all(|(a, b)| old.line(a) == new.line(b)) {
            return Sameness::Exact;
        }
    }
    let (a, b) = (cut(old, was), cut(new, is));
    if a == b {
        return Sameness::Exact;
    }
    if normalise(&a) == normalise(&b) {
        return Sameness::Normal;
    }
    let lines = |text: &[u8]| -> Vec<Vec<u8>> {
        text.split(|byte| *byte == b'\n').map(normalise).filter(|line| !line.is_empty()).collect()
    };
    let (a, b) = (lines(&a), lines(&b));
    let mut rest = b.iter();
    let all_there = a.iter().all(|line| rest.any(|other| other == line));
    if all_there && a.len() > 1 && a.len() as f64 >= GROWN_SHARE * b.len() as f64 {
        return Sameness::Grown;
    }
    Sameness::Changed
}

fn cut(text: &Text, region: &LineRegion) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in region.first..=region.last {
        let whole = text.line(line);
        let from = region.columns.filter(|_| line == region.first).map_or(0, |c| c.start as usize);
        let to = region.columns.filter(|_| line == region.last).map_or(whole.len(), |c| c.end as usize);
        bytes.extend_from_slice(whole.get(from..to.min(whole.len())).unwrap_or_default());
        bytes.push(b'\n');
    }
    bytes
}
