//! Maps the two ends of a region one by one, through the tokens they are on.
//!
//! An end whose token is gone goes to the gap between its linked neighbours. The kind of an end is
//! kept: what began or ended a line still does.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use gix::diff::blob::InternedInput;

use rapidfuzz::distance::indel;

use crate::edit::{Text, TokenKind, changed_tokens, tokens};

use crate::anchoring::lines::statement::{declared_name, goes_on, is_keyword};

/// More tokens on a side are not linked; the caller falls back to lines.
const MAX_TOKENS: usize = 20_000;

/// Pairs of tokens that are compared in one gap; larger gaps are left as they are.
const MAX_RESPELLED: usize = 4_096;

/// A longer word is not compared with others as a respelling: the cost of characters is quadratic.
const MAX_WORD_BYTES: usize = 256;

/// A shorter word says nothing.
const MIN_WORD_BYTES: usize = 3;

/// How alike two words must be to be the same word, respelled.
const RESPELLED: f64 = 0.6;

/// The share of what a line says that must be in another for it to be joined into that.
const JOINED_SHARE: f64 = 0.5;

/// A token and the line it is in.
#[derive(Clone, Copy, Debug)]
struct LineToken {
    line: u32,
    start: u32,
    end: u32,
    is_mark: bool,
}

impl LineToken {
    fn from(&self) -> Spot {
        Spot { line: self.line, byte: self.start }
    }

    fn to(&self) -> Spot {
        Spot { line: self.line, byte: self.end }
    }
}

/// Which token of some old lines is which token of some new lines.
#[derive(Debug)]
pub(crate) struct TokenLinks {
    old: Vec<LineToken>,
    new: Vec<LineToken>,
    links: Vec<Option<u32>>,
}

/// A byte in a line; for the end of a region, the byte after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub line: u32,
    pub byte: u32,
}

impl TokenLinks {
    /// Links the tokens of `olds` in `old` with those of `news` in `new`; `None` if there are too many.
    pub fn new(old: &Text, olds: Range<u32>, new: &Text, news: Range<u32>) -> Option<Self> {
        let (a, b) = (place(old, olds)?, place(new, news)?);
        let mut input = InternedInput::<&[u8]>::default();
        input.update_before(a.iter().map(|t| bytes(old, t)));
        input.update_after(b.iter().map(|t| bytes(new, t)));
        let mut links = vec![None; a.len()];
        let mut at = (0u32, 0u32);
        for hunk in changed_tokens(&input) {
            for (i, j) in (at.0..hunk.before.start).zip(at.1..) {
                links[i as usize] = Some(j);
            }
            let words = |text: &'_ Text, tokens: &[LineToken], range: &Range<u32>| -> Vec<Vec<u8>> {
                range.clone().map(|i| bytes(text, &tokens[i as usize]).to_vec()).collect()
            };
            let (olds, news) = (words(old, &a, &hunk.before), words(new, &b, &hunk.after));
            for (i, j) in alike(&olds, &news) {
                links[hunk.before.start as usize + i] = Some(hunk.after.start + j as u32);
            }
            at = (hunk.before.end, hunk.after.end);
        }
        for (i, j) in (at.0..a.len() as u32).zip(at.1..) {
            links[i as usize] = Some(j);
        }
        Some(Self { old: a, new: b, links })
    }

    /// Where the region that begins at `from` begins now.
    ///
    /// `None` if nothing of the new lines belongs to it.
    pub fn start(&self, from: Spot) -> Option<Spot> {
        let at = self.old.partition_point(|t| (t.line, t.end) <= (from.line, from.byte));
        let inside = self.old.get(at).map_or(0, |token| {
            if token.line == from.line { from.byte.saturating_sub(token.start) } else { 0 }
        });
        if let Some(new) = self.links.get(at).copied().flatten() {
            let token = self.new[new as usize];
            return Some(Spot { line: token.line, byte: token.start + inside });
        }
        // Not the first that is gone: counted from the end, as many tokens as were left.
        let (gap, before, behind) = self.gap(at);
        let from_behind = if before == 0 { 0 } else { gap.end.saturating_sub(behind + 1) };
        let token = self.new.get(gap.start.max(from_behind) as usize)?;
        Some(Spot { line: token.line, byte: token.start })
    }

    /// Where the token at `from` is now, if it is linked.
    pub fn linked_start(&self, from: Spot) -> Option<Spot> {
        let at = self.old.partition_point(|t| (t.line, t.end) <= (from.line, from.byte));
        let token = self.new[self.links.get(at).copied().flatten()? as usize];
        Some(Spot { line: token.line, byte: token.start })
    }

    /// How many of the two ends are on tokens that are linked.
    pub fn linked_ends(&self, from: Spot, to: Spot) -> usize {
        let last = self.old.partition_point(|t| (t.line, t.start) < (to.line, to.byte));
        let last = last.checked_sub(1).and_then(|at| self.links[at]);
        usize::from(self.linked_start(from).is_some()) + usize::from(last.is_some())
    }

    /// The share of the tokens in some new lines that come from one old line.
    pub fn claimed(&self, news: Range<u32>, old: u32) -> f64 {
        let all = self.new.iter().filter(|token| news.contains(&token.line)).count();
        let links = self.old.iter().zip(&self.links).filter(|(token, _)| token.line == old);
        let ours =
            links.filter_map(|(_, new)| *new).filter(|new| news.contains(&self.new[*new as usize].line));
        if all == 0 { 0.0 } else { ours.count() as f64 / all as f64 }
    }

    /// The new line that the rest of a statement was joined into with the line above it.
    ///
    /// Most of what the old line says must be there, or the name that it declares.
    pub fn joined_into(&self, old: &Text, line: u32) -> Option<(u32, f64)> {
        let above = line.checked_sub(1).filter(|above| goes_on(old.bare(*above)))?;
        let name = declared_name(old.bare(line));
        let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
        let (mut all, mut named) = (0, None);
        for (token, link) in self.old.iter().zip(&self.links).filter(|(token, _)| token.line == line) {
            let word = bytes(old, token);
            let weight = if word.len() > 2 { word.len() as u32 } else { 0 };
            all += weight;
            if let Some(new) = link.map(|new| self.new[new as usize].line) {
                *lines.entry(new).or_default() += weight;
                named = named.or_else(|| (name == Some(word)).then_some(new));
            }
        }
        let (most, weight) = lines.into_iter().max_by_key(|(new, weight)| (*weight, Reverse(*new)))?;
        let share = f64::from(weight) / f64::from(all.max(1));
        let into = if share >= JOINED_SHARE { most } else { named? };
        let is_joined = (self.old.iter().zip(&self.links))
            .filter(|(token, _)| token.line == above)
            .filter(|(token, _)| bytes(old, token).len() > 2)
            .any(|(_, link)| link.is_some_and(|new| self.new[new as usize].line == into));
        is_joined.then_some((into, share))
    }

    /// Whether tokens of the lines above `old` are before `spot` in its line.
    pub fn is_joined_before(&self, old: u32, spot: Spot) -> bool {
        let above = self.old.iter().zip(&self.links).filter(|(token, _)| token.line <= old);
        above.filter_map(|(_, new)| *new).any(|new| {
            let token = self.new[new as usize];
            token.line == spot.line && token.end <= spot.byte
        })
    }

    /// Whether tokens of the lines below `old` are after `spot` in its line.
    pub fn is_joined_behind(&self, old: u32, spot: Spot) -> bool {
        let below = self.old.iter().zip(&self.links).filter(|(token, _)| token.line >= old);
        below.filter_map(|(_, new)| *new).any(|new| {
            let token = self.new[new as usize];
            token.line == spot.line && token.start >= spot.byte
        })
    }

    /// Where the region that ends before `to` ends now.
    pub fn end(&self, to: Spot) -> Option<Spot> {
        let behind = self.old.partition_point(|t| (t.line, t.start) < (to.line, to.byte));
        let at = behind.checked_sub(1)?;
        let old = self.old[at];
        let cut = if old.line == to.line { old.end.saturating_sub(to.byte) } else { 0 };
        if let Some(new) = self.links[at] {
            let token = self.new[new as usize];
            return Some(Spot { line: token.line, byte: token.end - cut });
        }
        // A mark at the very end that is gone leaves the end to the word before it.
        if old.is_mark
            && let Some(new) = at.checked_sub(1).and_then(|before| self.links[before])
        {
            let token = self.new[new as usize];
            return Some(Spot { line: token.line, byte: token.end });
        }
        let (gap, before, behind) = self.gap(at);
        let end = if behind == 0 { gap.end } else { gap.end.min(gap.start + before + 1) };
        let token = self.new.get((end as usize).checked_sub(1)?)?;
        Some(Spot { line: token.line, byte: token.end })
    }

    /// The share of the old tokens between two spots that are linked.
    pub fn share(&self, from: Spot, to: Spot) -> f64 {
        let first = self.old.partition_point(|t| (t.line, t.end) <= (from.line, from.byte));
        let last = self.old.partition_point(|t| (t.line, t.start) < (to.line, to.byte));
        if last <= first {
            return 0.0;
        }
        let linked = self.links[first..last].iter().flatten().count();
        linked as f64 / (last - first) as f64
    }

    /// Whether a word between two spots is linked that says more than what kind of statement it is in.
    pub fn links_a_word(&self, old: &Text, from: Spot, to: Spot) -> bool {
        let first = self.old.partition_point(|t| (t.line, t.end) <= (from.line, from.byte));
        let last = self.old.partition_point(|t| (t.line, t.start) < (to.line, to.byte));
        let mut linked =
            (first..last).filter(|at| self.links[*at].is_some()).map(|at| bytes(old, &self.old[at]));
        linked.any(|word| says_something(word) && !is_keyword(word))
    }

    /// Whether a word between two spots is linked, however short; respelled at most.
    pub fn keeps_a_word_of(&self, old: &Text, from: Spot, to: Spot) -> bool {
        let inside = |token: &LineToken| from <= token.from() && token.to() <= to;
        let mut words = self.old.iter().zip(&self.links).filter(|(token, _)| inside(token) && !token.is_mark);
        words.any(|(token, link)| link.is_some() && !is_keyword(bytes(old, token)))
    }

    /// The columns of what is between the linked neighbours of what is between two spots; `None` if that has no word.
    pub fn between(&self, new: &Text, from: Spot, to: Spot) -> Option<(u32, u32)> {
        let first = self.old.partition_point(|token| token.to() <= from);
        let last = self.old.partition_point(|token| token.from() < to);
        let start = self.links[..first].iter().rev().find_map(|link| *link).map_or(0, |link| link + 1);
        let end = self.links[last..].iter().find_map(|link| *link).unwrap_or(self.new.len() as u32);
        let gap = self.new.get(start as usize..end as usize)?;
        let says = |token: &LineToken| !token.is_mark && !is_keyword(bytes(new, token));
        let (head, tail) = (gap.first()?, gap.last()?);
        (head.line == tail.line && gap.iter().any(says)).then_some((head.start, tail.end))
    }

    /// Whether a word of the old lines is among the new ones, respelled at most; also if they say nothing at all.
    pub fn keeps_a_word(&self, old: &Text) -> bool {
        let words = self.old.iter().zip(&self.links).filter(|(token, _)| says_something(bytes(old, token)));
        let mut words = words.peekable();
        words.peek().is_none() || words.any(|(_, link)| link.is_some())
    }

    /// Whether a word of the old lines is among the new ones as it was.
    pub fn keeps_a_word_as_it_was(&self, old: &Text, new: &Text) -> bool {
        self.old.iter().zip(&self.links).any(|(token, link)| {
            let word = bytes(old, token);
            says_something(word) && link.is_some_and(|at| bytes(new, &self.new[at as usize]) == word)
        })
    }

    /// The new tokens between the linked neighbours of an old token that is gone, and how many old
    /// tokens that are gone are between it and these neighbours, before and after.
    fn gap(&self, at: usize) -> (Range<u32>, u32, u32) {
        let at = at.min(self.links.len());
        let before = self.links[..at].iter().rev().take_while(|link| link.is_none()).count();
        let behind = self.links[at..].iter().skip(1).take_while(|link| link.is_none()).count();
        let start = self.links[..at - before].last().copied().flatten().map_or(0, |new| new + 1);
        let end = self.links.get(at + behind + 1).copied().flatten().unwrap_or(self.new.len() as u32);
        (start..end.max(start), before as u32, behind as u32)
    }
}

/// Links words that were only respelled, in order, for the greatest sum of likenesses.
fn alike(olds: &[Vec<u8>], news: &[Vec<u8>]) -> Vec<(usize, usize)> {
    if olds.len() * news.len() > MAX_RESPELLED {
        return Vec::new();
    }
    let is_word = |token: &[u8]| {
        (MIN_WORD_BYTES..=MAX_WORD_BYTES).contains(&token.len())
            && (token[0].is_ascii_alphabetic() || token[0] == b'_')
    };
    let width = news.len() + 1;
    // The best sum of likenesses of the tokens from each pair on.
    let mut best = vec![0.0f64; (olds.len() + 1) * width];
    let mut gain = vec![0.0f64; olds.len() * news.len()];
    for (i, old) in olds.iter().enumerate().rev() {
        for (j, new) in news.iter().enumerate().rev() {
            if is_word(old) && is_word(new) {
                let alike = indel::normalized_similarity(old.iter().copied(), new.iter().copied());
                if alike >= RESPELLED {
                    gain[i * news.len() + j] = alike;
                }
            }
            let linked = match gain[i * news.len() + j] {
                0.0 => 0.0,
                gain => gain + best[(i + 1) * width + j + 1],
            };
            best[i * width + j] = linked.max(best[(i + 1) * width + j]).max(best[i * width + j + 1]);
        }
    }
    let (mut i, mut j, mut links) = (0, 0, Vec::new());
    while i < olds.len() && j < news.len() {
        let here = best[i * width + j];
        let gain = gain[i * news.len() + j];
        if gain > 0.0 && here == gain + best[(i + 1) * width + j + 1] {
            links.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if here == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    links
}

/// Whether a token is a word that is long enough to say something.
fn says_something(token: &[u8]) -> bool {
    token.len() >= MIN_WORD_BYTES && token[0].is_ascii_alphabetic()
}

fn place(text: &Text, lines: Range<u32>) -> Option<Vec<LineToken>> {
    let mut placed = Vec::new();
    for line in lines {
        placed.extend(tokens(text.bare(line)).map(|token| LineToken {
            line,
            start: token.start,
            end: token.end,
            is_mark: token.kind == TokenKind::Mark,
        }));
        if placed.len() > MAX_TOKENS {
            return None;
        }
    }
    Some(placed)
}

fn bytes<'t>(text: &'t Text, token: &LineToken) -> &'t [u8] {
    &text.bare(token.line)[token.start as usize..token.end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_the_shortest_words_are_no_trace_of_a_line() {
        let check = |old: &str, new: &str, expected: bool| {
            let (old, new) = (Text::new(old), Text::new(new));
            let links = TokenLinks::new(&old, 0..1, &new, 0..1).unwrap();
            assert_eq!(links.keeps_a_word(&old), expected, "{:?}", new.line(0));
        };
        check("x:CompileBindings=\"True\">\n", "x:ClassModifier=\"internal\">\n", false);
        check("x:CompileBindings=\"True\">\n", "x:CompileBindings=\"False\">\n", true);
        check("x:CompileBindings=\"True\">\n", "x:CompiledBinding=\"No\">\n", true);
        check("a = b;\n", "c = d;\n", true);
    }
}
