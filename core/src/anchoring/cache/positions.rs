//! Positions as bytes, and what they are known by: the anchor, the head and the engine's version.
//!
//! ```text
//! key:   "p", the anchor's blob, 16 bytes of BLAKE3 over version, anchor, base and head
//! value: state u8, reason u8, confidence u16, then the place and the candidates
//! ```
//!
//! The whole head is part of the key, its commit and its tree: what a search finds depends on other
//! files and on history too. So a position that is found here is the one that would be computed.

use std::num::NonZeroU32;

use crate::git::RepoPath;
use crate::record::{Anchor, AnchorSide, Columns, Line, LineSpan, Range};

use super::reader::ByteReader;
use crate::anchoring::locate::{ENGINE_VERSION, Head};
use crate::anchoring::position::{
    MatchConfidence, Orphaning, Outdating, Position, Shift, Site, SiteCandidate,
};

/// How many bytes of a hash tell two questions apart.
pub(super) const HASH_BYTES: usize = 16;

/// About what an anchor with its context takes.
const TYPICAL_BYTES: usize = 2_048;

/// What a position is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct PositionKey(pub(super) Vec<u8>);

impl PositionKey {
    /// The key of an anchor on lines of a head; `None` for others, which are not remembered.
    pub fn new(anchor: &Anchor, head: Head) -> Option<Self> {
        let (Some(blob), AnchorSide::New) = (anchor.blob, &anchor.side) else { return None };
        // Hashed at once: a hasher that is fed in small pieces takes twice as long.
        let mut question = Vec::with_capacity(TYPICAL_BYTES);
        let mut part = |bytes: &[u8]| {
            question.extend((bytes.len() as u64).to_le_bytes());
            question.extend_from_slice(bytes);
        };
        part(&ENGINE_VERSION.to_le_bytes());
        part(head.tree.as_bytes());
        part(head.commit.as_ref().map_or(&[][..], |commit| commit.as_bytes()));
        part(anchor.commit.as_ref().map_or(&[][..], |commit| commit.as_bytes()));
        part(anchor.path.as_bytes());
        let mut place = Vec::new();
        push_range(&mut place, anchor.range);
        part(&place);
        for lines in [&anchor.lines, &anchor.before, &anchor.after, &anchor.scope] {
            part(&(lines.len() as u64).to_le_bytes());
            for line in lines {
                match line {
                    Line::Text(text) => part(text),
                    Line::Hash(hash) => {
                        part(b"hash");
                        part(hash.as_ref());
                    }
                }
            }
        }
        for heading in &anchor.headings {
            part(heading.as_bytes());
        }
        if let Some(quote) = &anchor.quote {
            for words in [&quote.exact, &quote.prefix, &quote.suffix] {
                part(words.as_bytes());
            }
        }
        let hash = blake3::hash(&question);
        Some(Self([b"p", blob.as_bytes(), &hash.as_bytes()[..HASH_BYTES]].concat()))
    }
}

const SHIFTS: [Shift; 8] = [
    Shift::Reformatted,
    Shift::Grown,
    Shift::MovedWithin,
    Shift::MovedAcross,
    Shift::History,
    Shift::Text,
    Shift::Twin,
    Shift::Quoted,
];

const OUTDATINGS: [Outdating; 8] = [
    Outdating::ChangedInPlace,
    Outdating::Similar,
    Outdating::SimilarAcross,
    Outdating::Deleted,
    Outdating::History,
    Outdating::Replaced,
    Outdating::Restored,
    Outdating::Applied,
];

const ORPHANINGS: [Orphaning; 6] = [
    Orphaning::Deleted,
    Orphaning::FileDeleted,
    Orphaning::Bypassed,
    Orphaning::Ambiguous,
    Orphaning::NotText,
    Orphaning::Impossible,
];

/// Writes a position; `None` for one that has no place here.
pub(super) fn encode(position: &Position) -> Option<Vec<u8>> {
    fn number<T: PartialEq>(all: &[T], one: &T) -> Option<u8> {
        all.iter().position(|other| other == one).map(|at| at as u8)
    }
    let (state, reason) = match position {
        Position::Anchored { renamed, .. } => (0, u8::from(*renamed)),
        Position::Shifted { why, .. } => (1, number(&SHIFTS, why)?),
        Position::Outdated { why, .. } => (2, number(&OUTDATINGS, why)?),
        Position::Orphaned { why, .. } => (3, number(&ORPHANINGS, why)?),
    };
    let mut bytes = vec![state, reason];
    bytes.extend(position.confidence().per_mille().to_le_bytes());
    if let Some(site) = position.site() {
        push_site(&mut bytes, site);
    }
    for candidate in position.candidates() {
        bytes.extend(candidate.confidence.per_mille().to_le_bytes());
        push_site(&mut bytes, &candidate.site);
    }
    Some(bytes)
}

/// Reads what [`encode`] wrote; `None` for anything else.
pub(super) fn decode(bytes: &[u8]) -> Option<Position> {
    let mut bytes = ByteReader(bytes);
    let (state, reason) = (bytes.byte()?, usize::from(bytes.byte()?));
    let confidence = bytes.confidence()?;
    let site = if state < 3 { Some(bytes.site()?) } else { None };
    let mut candidates = Vec::new();
    while !bytes.0.is_empty() {
        let confidence = bytes.confidence()?;
        candidates.push(SiteCandidate { site: bytes.site()?, confidence });
    }
    Some(match (state, site) {
        (0, Some(site)) => Position::Anchored { site, renamed: reason == 1 },
        (1, Some(site)) => Position::Shifted { site, why: *SHIFTS.get(reason)?, confidence, candidates },
        (2, Some(guess)) => {
            Position::Outdated { guess, why: *OUTDATINGS.get(reason)?, confidence, candidates }
        }
        (3, None) => Position::Orphaned { why: *ORPHANINGS.get(reason)?, candidates },
        _ => return None,
    })
}

fn push_site(bytes: &mut Vec<u8>, site: &Site) {
    bytes.extend((site.path.as_bytes().len() as u32).to_le_bytes());
    bytes.extend_from_slice(site.path.as_bytes());
    push_range(bytes, site.range);
}

fn push_range(bytes: &mut Vec<u8>, range: Option<Range>) {
    let Some(range) = range else { return bytes.push(0) };
    bytes.push(if range.columns().is_some() { 2 } else { 1 });
    let (span, columns) = (range.span(), range.columns());
    let columns = columns.iter().flat_map(|columns| [columns.start.get(), columns.end.get()]);
    for number in [span.first(), span.last()].into_iter().chain(columns) {
        bytes.extend(number.to_le_bytes());
    }
}

impl ByteReader<'_> {
    fn confidence(&mut self) -> Option<MatchConfidence> {
        MatchConfidence::from_per_mille(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn site(&mut self) -> Option<Site> {
        let length = self.number()? as usize;
        let path = RepoPath::new(self.take(length)?.to_vec())?;
        let range = match self.byte()? {
            0 => None,
            kind => {
                let span = LineSpan::from_numbers(self.number()?, self.number()?)?;
                Some(match kind {
                    1 => Range::lines(span),
                    _ => {
                        let start = NonZeroU32::new(self.number()?)?;
                        let end = NonZeroU32::new(self.number()?)?;
                        Range::with_columns(span, Columns { start, end })?
                    }
                })
            }
        };
        Some(Site::new(path, range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(path: &str, columns: Option<(u32, u32)>) -> Site {
        let span = LineSpan::from_numbers(3, 9).unwrap();
        let range = columns.map_or(Range::lines(span), |(start, end)| {
            let columns =
                Columns { start: NonZeroU32::new(start).unwrap(), end: NonZeroU32::new(end).unwrap() };
            Range::with_columns(span, columns).unwrap()
        });
        Site::new(RepoPath::new(path).unwrap(), Some(range))
    }

    #[test]
    fn every_kind_of_position_is_read_back_and_no_part_of_one_is() {
        let confidence = MatchConfidence::from_score(0.731);
        let candidates = vec![
            SiteCandidate { site: site("b.rs", Some((2, 7))), confidence },
            SiteCandidate { site: Site::new(RepoPath::new("c.rs").unwrap(), None), confidence },
        ];
        let mut all = vec![
            Position::Anchored { site: site("a.rs", None), renamed: true },
            Position::Anchored { site: site("a.rs", Some((1, 4))), renamed: false },
        ];
        for why in SHIFTS {
            all.push(Position::Shifted { site: site("a", None), why, confidence, candidates: Vec::new() });
        }
        for why in OUTDATINGS {
            let candidates = candidates.clone();
            all.push(Position::Outdated { guess: site("a", None), why, confidence, candidates });
        }
        for why in ORPHANINGS {
            all.push(Position::Orphaned { why, candidates: candidates.clone() });
        }
        for position in all {
            let bytes = encode(&position).unwrap();
            assert_eq!(decode(&bytes), Some(position.clone()));
            for cut in 0..bytes.len() {
                assert_ne!(decode(&bytes[..cut]), Some(position.clone()));
            }
        }
    }
}
