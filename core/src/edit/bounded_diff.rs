//! A diff whose cost has a bound, however its input was made.
//!
//! The histogram algorithm is quadratic where small pieces are kept all over a large text, and falls
//! back to Myers' where lines repeat, which is slow in large texts too. What such a diff would cost is
//! estimated first. Where that is too much, lines that occur once on each side cut the texts into
//! parts, small parts are compared as usual, and large ones count as changed.

use std::hash::Hash;

use gix::diff::blob::{Algorithm, Diff, InternedInput, Token};

use super::Hunk;

/// How many visits of a token a diff may cost, by the estimate; about 5 ns each.
const MAX_VISITS: usize = 4 << 20;

/// A token that occurs more often is not used by the histogram algorithm.
const MAX_CHAIN: u32 = 63;

/// What Myers' algorithm visits for each token at worst: its least bound on the length of a search.
const MYERS_VISITS: usize = 256;

/// The changed places between two lists of tokens, by the histogram algorithm as far as that is cheap.
pub(crate) fn changed_tokens(input: &InternedInput<&[u8]>) -> Vec<Hunk> {
    if !is_cheap(input, Algorithm::Histogram) {
        return hunks(input);
    }
    let diff = Diff::compute(Algorithm::Histogram, input);
    diff.hunks().map(|hunk| Hunk { before: hunk.before, after: hunk.after }).collect()
}

/// Whether a diff of `input` stays within its bound.
pub(super) fn is_cheap<T: Hash + Eq>(input: &InternedInput<T>, algorithm: Algorithm) -> bool {
    let all = input.before.len() + input.after.len();
    // Even if all of it went the slowest way.
    if all * MYERS_VISITS.max(all / 4) <= MAX_VISITS {
        return true;
    }
    let (old, new) = (counts(input, &input.before), counts(input, &input.after));
    let is_common = |token: &Token| old[index(*token)] > 0 && new[index(*token)] > 0;
    if algorithm != Algorithm::Histogram {
        let searched = |tokens: &[Token]| tokens.iter().filter(|token| is_common(token)).count();
        let searched = searched(trimmed(input).0) + searched(trimmed(input).1);
        return searched * MYERS_VISITS.max(searched.isqrt()) <= MAX_VISITS;
    }
    let is_frequent = |token: &Token| is_common(token) && old[index(*token)] > MAX_CHAIN;
    let frequent = |tokens: &[Token]| tokens.iter().filter(|token| is_frequent(token)).count();
    let frequent = frequent(trimmed(input).0) + frequent(trimmed(input).1);
    let pieces = pieces(&input.before, &old, &new).max(pieces(&input.after, &old, &new));
    pieces * all / 2 + frequent * MYERS_VISITS.max(frequent.isqrt()) <= MAX_VISITS
}

/// The changed places, by unique lines first; costs n log n and the bound.
pub(super) fn hunks<T: Hash + Eq>(input: &InternedInput<T>) -> Vec<Hunk> {
    let (before, after) = (&input.before[..], &input.after[..]);
    let limit = (MAX_VISITS / (before.len() + after.len()).max(1)).clamp(8, 1_024);
    let mut cut = TextCutter { before, after, limit, hunks: Vec::new() };
    let mut at = (0, 0);
    for (old, new) in ascending(&unique_pairs(input)) {
        if old < at.0 || new < at.1 {
            // An earlier piece already reached over it.
            continue;
        }
        cut.part(at, (old, new));
        let run = before[old..].iter().zip(&after[new..]).take_while(|(a, b)| a == b).count();
        at = (old + run, new + run);
    }
    cut.part(at, (before.len(), after.len()));
    cut.hunks
}

/// Two texts that are being cut into parts.
struct TextCutter<'a> {
    before: &'a [Token],
    after: &'a [Token],
    /// Parts with more tokens than this are not compared.
    limit: usize,
    hunks: Vec<Hunk>,
}

impl TextCutter<'_> {
    fn part(&mut self, from: (usize, usize), to: (usize, usize)) {
        let (mut old, mut new) = (&self.before[from.0..to.0], &self.after[from.1..to.1]);
        let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        (old, new) = (&old[front..], &new[front..]);
        let back = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        (old, new) = (&old[..old.len() - back], &new[..new.len() - back]);
        let (top, end) = ((from.0 + front) as u32, (from.1 + front) as u32);
        let hunk = |before: std::ops::Range<u32>, after: std::ops::Range<u32>| Hunk {
            before: top + before.start..top + before.end,
            after: end + after.start..end + after.end,
        };
        if old.is_empty() && new.is_empty() {
        } else if old.is_empty() || new.is_empty() || old.len() + new.len() > self.limit {
            self.hunks.push(hunk(0..old.len() as u32, 0..new.len() as u32));
        } else {
            let mut part = InternedInput::<u32>::default();
            part.update_before(old.iter().map(|token| token.0));
            part.update_after(new.iter().map(|token| token.0));
            let mut diff = Diff::compute(Algorithm::Histogram, &part);
            diff.postprocess_no_heuristic(&part);
            self.hunks.extend(diff.hunks().map(|found| hunk(found.before, found.after)));
        }
    }
}

fn index(token: Token) -> usize {
    token.0 as usize
}

fn counts<T: Hash + Eq>(input: &InternedInput<T>, tokens: &[Token]) -> Vec<u32> {
    let mut counts = vec![0; input.interner.num_tokens() as usize];
    for token in tokens {
        counts[index(*token)] += 1;
    }
    counts
}

/// Both sides without what they have in common at their ends.
fn trimmed<T: Hash + Eq>(input: &InternedInput<T>) -> (&[Token], &[Token]) {
    let (before, after) = (&input.before[..], &input.after[..]);
    let front = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (before, after) = (&before[front..], &after[front..]);
    let back = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    (&before[..before.len() - back], &after[..after.len() - back])
}

/// How many runs of tokens are on both sides: about as many pieces are kept, at most.
///
/// Frequent tokens neither begin nor end one.
fn pieces(tokens: &[Token], old: &[u32], new: &[u32]) -> usize {
    let mut runs = 0;
    let mut inside = false;
    for token in tokens {
        let (olds, news) = (old[index(*token)], new[index(*token)]);
        if olds > MAX_CHAIN && news > 0 {
            continue;
        }
        let common = olds > 0 && news > 0;
        runs += usize::from(common && !inside);
        inside = common;
    }
    runs
}

/// The places of the tokens that occur once on each side, in the order of the old side.
fn unique_pairs<T: Hash + Eq>(input: &InternedInput<T>) -> Vec<(usize, usize)> {
    let (old, new) = (counts(input, &input.before), counts(input, &input.after));
    let mut places = vec![0; old.len()];
    for (at, token) in input.after.iter().enumerate() {
        places[index(*token)] = at;
    }
    let is_unique = |token: &Token| old[index(*token)] == 1 && new[index(*token)] == 1;
    let olds = input.before.iter().enumerate().filter(|(_, token)| is_unique(token));
    olds.map(|(at, token)| (at, places[index(*token)])).collect()
}

/// The longest part of some pairs that ascends on both sides.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The end of the best chain of each length, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before[at] = length.checked_sub(1).map(|length| ends[length]);
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(ends.last().copied(), |at| before[*at]).map(|at| pairs[at]).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input<'a>(old: &'a [String], new: &'a [String]) -> InternedInput<&'a str> {
        let mut input = InternedInput::default();
        input.update_before(old.iter().map(String::as_str));
        input.update_after(new.iter().map(String::as_str));
        input
    }

    fn lines(count: usize, line: impl Fn(usize) -> String) -> Vec<String> {
        (0..count).map(line).collect()
    }

    #[test]
    fn the_bounded_way_finds_the_same_as_the_usual_one_where_lines_are_unique() {
        let old = lines(300, |at| format!("line {at}"));
        let new: Vec<String> = old
            .iter()
            .enumerate()
            .filter(|(at, _)| at % 11 != 0)
            .map(|(at, line)| if at % 7 == 0 { format!("new {at}") } else { line.clone() })
            .collect();
        let input = input(&old, &new);
        let mut usual = Diff::compute(Algorithm::Histogram, &input);
        usual.postprocess_no_heuristic(&input);
        let usual: Vec<Hunk> = usual.hunks().map(|h| Hunk { before: h.before, after: h.after }).collect();
        assert_eq!(hunks(&input), usual);
    }

    #[test]
    fn what_would_be_slow_is_seen_before() {
        let plain = lines(20_000, |at| format!("line {at}"));
        let edited = lines(20_000, |at| format!("line {}", if at % 400 == 0 { at + 90_000 } else { at }));
        assert!(is_cheap(&input(&plain, &edited), Algorithm::Histogram));
        let scattered = lines(20_000, |at| format!("line {}", if at % 2 == 0 { at + 90_000 } else { at }));
        assert!(!is_cheap(&input(&plain, &scattered), Algorithm::Histogram));
        let (tens, turned) =
            (lines(20_000, |at| (at % 10).to_string()), lines(20_000, |at| (at % 9).to_string()));
        assert!(!is_cheap(&input(&tens, &turned), Algorithm::Histogram));
        assert!(!is_cheap(&input(&tens, &turned), Algorithm::Myers));
    }

    #[test]
    fn hunks_of_repeated_lines_still_fit_both_texts() {
        let (old, new) =
            (lines(5_000, |at| (at % 10).to_string()), lines(5_100, |at| (at * 7 % 13).to_string()));
        let found = hunks(&input(&old, &new));
        let map = super::super::LineMap::from_hunks(found, 5_000, 5_100).unwrap();
        for (from, to, length) in map.runs() {
            assert_eq!(old[from as usize..][..length as usize], new[to as usize..][..length as usize]);
        }
    }
}
