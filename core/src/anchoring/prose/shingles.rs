//! Which parts of a text share many three-character runs with a quote.
//!
//! A first look that costs one pass over the text, however long the quote is, and knows nothing of
//! words: it serves every script.

use std::ops::Range;

/// How many characters a shingle has.
const WIDTH: usize = 3;

/// A quote's shingles, each with how often it is there.
#[derive(Debug)]
pub(super) struct Shingles {
    counts: Vec<(u64, usize)>,
    total: usize,
}

impl Shingles {
    pub(super) fn new(quote: &[char]) -> Self {
        let mut keys: Vec<u64> = quote.windows(WIDTH).map(key).collect();
        keys.sort_unstable();
        let total = keys.len();
        let counts = keys.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
        Self { counts, total }
    }

    /// How much of the quote's shingles a text has and the reverse, per mille.
    pub(super) fn similarity(&self, text: &[char]) -> usize {
        let mut seen = vec![0; self.counts.len()];
        let shared = text.windows(WIDTH).filter(|shingle| {
            self.find(shingle).is_some_and(|at| {
                seen[at] += 1;
                seen[at] <= self.counts[at].1
            })
        });
        let shared = shared.count();
        let longer = self.total.max(text.len().saturating_sub(WIDTH - 1));
        (shared * 1000).checked_div(longer).unwrap_or(0)
    }

    /// Returns where windows of the quote's length begin that share most with it, the best first.
    ///
    /// One for each half length of the quote at most, and at most `most` in all.
    pub(super) fn windows(&self, text: &[char], most: usize) -> Vec<usize> {
        if self.total == 0 {
            return Vec::new();
        }
        let here: Vec<Option<usize>> = text.windows(WIDTH).map(|shingle| self.find(shingle)).collect();
        let stride = (self.total / 2).max(1);
        let mut seen = vec![0; self.counts.len()];
        let mut shared = 0;
        let mut best: Vec<(usize, usize)> = Vec::new();
        for (end, shingle) in here.iter().enumerate() {
            if let Some(at) = *shingle {
                seen[at] += 1;
                shared += usize::from(seen[at] <= self.counts[at].1);
            }
            if let Some(out) = end.checked_sub(self.total).and_then(|gone| here[gone]) {
                shared -= usize::from(seen[out] <= self.counts[out].1);
                seen[out] -= 1;
            }
            let start = (end + 1).saturating_sub(self.total);
            match best.last_mut() {
                Some((_, last)) if *last / stride == start / stride => {}
                _ => best.push((0, start)),
            }
            if let Some(last) = best.last_mut()
                && shared > last.0
            {
                *last = (shared, start);
            }
        }
        // Less than a seventh in common is what any two texts of one language have.
        best.retain(|(shared, _)| *shared > self.total / 7);
        best.sort_by_key(|(shared, start)| (usize::MAX - shared, *start));
        best.into_iter().take(most).map(|(_, start)| start).collect()
    }

    fn find(&self, shingle: &[char]) -> Option<usize> {
        self.counts.binary_search_by_key(&key(shingle), |(key, _)| *key).ok()
    }
}

/// Three characters of 21 bits each.
fn key(shingle: &[char]) -> u64 {
    shingle.iter().fold(0, |key, c| key << 21 | u64::from(u32::from(*c)))
}

/// The window of the quote's length at `start`, with room on both sides, inside the text.
pub(super) fn widened(start: usize, length: usize, room: usize, text: &[char]) -> Range<usize> {
    let end = (start + length + room).min(text.len());
    start.saturating_sub(room).min(end)..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn the_window_that_shares_most_comes_first() {
        let shingles = Shingles::new(&chars("the old valve leaks"));
        let text = chars("Nothing here at all. The old valve leaked. Then the old man left for good.");
        let first = shingles.windows(&text, 3)[0];
        assert!((20..30).contains(&first), "{first}");
        assert_eq!(shingles.windows(&chars("zzzzzzzzzzzzzzzz"), 3), Vec::<usize>::new());
        assert_eq!(Shingles::new(&chars("ab")).windows(&text, 3), Vec::<usize>::new());
    }

    #[test]
    fn similarity_counts_every_shingle_once() {
        let shingles = Shingles::new(&chars("abcdef"));
        assert_eq!(shingles.similarity(&chars("abcdef")), 1000);
        assert_eq!(shingles.similarity(&chars("abcxyz")), 250);
        assert_eq!(shingles.similarity(&chars("abcabcabcabc")), 100);
    }
}
