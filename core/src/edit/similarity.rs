//! How alike two lines are, from 0 to 1.
//!
//! Words that are rare among the compared lines weigh more than common ones, and a punctuation
//! mark weighs little. All arithmetic is exact or IEEE division, so that every machine agrees.

use std::collections::HashMap;

use rapidfuzz::distance::indel;

use super::normalise;
use super::token::{Token, TokenKind, tokens};

/// Longer lines are compared by their words alone: the cost of characters is quadratic.
const MAX_COMPARED_BYTES: usize = 1024;

/// The words of a longer line are those of so many bytes at each of its ends.
const MAX_END_BYTES: usize = 16 << 10;

/// And no more than so many at each end: a line of marks has one in every byte.
const MAX_END_TOKENS: usize = 4_096;

/// How often each word occurs among the lines that are compared.
#[derive(Debug, Default)]
pub struct Vocabulary {
    ids: HashMap<Vec<u8>, u32>,
    /// The ids of words of one byte: half of all words, and not worth hashing. Empty until there is one.
    short: Vec<Option<u32>>,
    /// For each id: how often it occurs, and what one occurrence weighs when it is unique.
    counts: Vec<(u32, f64)>,
}

/// A line, ready to be compared with many others.
#[derive(Clone, Debug, Default)]
pub struct LineWords {
    /// Word ids, sorted, repeated as often as they occur.
    words: Vec<u32>,
    /// The line without white space, for the comparison of characters.
    normal: Vec<u8>,
}

impl LineWords {
    /// Whether the line has no token at all.
    pub fn is_blank(&self) -> bool {
        self.words.is_empty()
    }

    /// The ids of its words, sorted, repeated as often as they occur.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words of several lines, as if they were one.
    pub fn bag<'a>(lines: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut words: Vec<u32> = lines.into_iter().flat_map(|line| line.words.iter().copied()).collect();
        words.sort_unstable();
        Self { words, normal: Vec::new() }
    }

    /// The line without white space and with its quotes made alike.
    pub fn normal(&self) -> &[u8] {
        &self.normal
    }
}

impl Vocabulary {
    /// Reads a line, and counts its words.
    pub fn learn(&mut self, line: &[u8]) -> LineWords {
        let words = self.read(line);
        for word in &words.words {
            self.counts[*word as usize].0 += 1;
        }
        words
    }

    /// Reads a line without counting its words: what others weigh stays as it is.
    pub fn read(&mut self, line: &[u8]) -> LineWords {
        let mut words = Vec::new();
        for token in outer_tokens(line) {
            let bytes = &line[token.range()];
            let known = match bytes {
                [byte] => self.short.get(usize::from(*byte)).copied().flatten(),
                _ => self.ids.get(bytes).copied(),
            };
            words.push(known.unwrap_or_else(|| self.add(token.kind, bytes)));
        }
        words.sort_unstable();
        LineWords { words, normal: normalise(line) }
    }

    /// Gives a new word its id.
    fn add(&mut self, kind: TokenKind, word: &[u8]) -> u32 {
        let id = self.counts.len() as u32;
        if let [byte] = word {
            self.short.resize(1 << u8::BITS, None);
            self.short[usize::from(*byte)] = Some(id);
        } else {
            self.ids.insert(word.to_vec(), id);
        }
        self.counts.push((0, unique_weight(kind, word)));
        id
    }

    /// What the words of a line weigh together: how much it proves to find the line again.
    pub fn weight(&self, line: &LineWords) -> f64 {
        line.words.iter().map(|word| self.word_weight(*word)).sum()
    }

    /// How alike two lines are: the mean of shared words and of shared characters.
    pub fn similarity(&self, a: &LineWords, b: &LineWords) -> f64 {
        if a.normal == b.normal {
            return 1.0;
        }
        let words = self.shared_words(a, b);
        if words == 0.0 {
            return 0.0;
        }
        f64::midpoint(words, shared_characters(a, b).unwrap_or(words))
    }

    /// The words of a line that weigh most, each once; of equal ones the first that was read.
    pub fn rarest(&self, line: &LineWords, count: usize) -> Vec<u32> {
        let mut words = line.words.clone();
        words.dedup();
        words.sort_by(|a, b| self.word_weight(*b).total_cmp(&self.word_weight(*a)).then_with(|| a.cmp(b)));
        words.truncate(count);
        words
    }

    /// The weighted Dice coefficient of two bags of words.
    pub fn shared_words(&self, a: &LineWords, b: &LineWords) -> f64 {
        let (mut i, mut j, mut shared) = (0, 0, 0.0);
        while i < a.words.len() && j < b.words.len() {
            match a.words[i].cmp(&b.words[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    shared += self.word_weight(a.words[i]);
                    i += 1;
                    j += 1;
                }
            }
        }
        let all = self.weight(a) + self.weight(b);
        if all == 0.0 { 0.0 } else { 2.0 * shared / all }
    }

    fn word_weight(&self, word: u32) -> f64 {
        let (count, unique) = self.counts[word as usize];
        unique / f64::from(2 + (count / 2).max(1).ilog2())
    }
}

/// The tokens of a line; of a very long one those at both ends.
fn outer_tokens(line: &[u8]) -> impl Iterator<Item = Token> + '_ {
    // A token has at least one byte, so that most lines cannot have too many.
    let is_short = line.len() <= 2 * MAX_END_TOKENS;
    let all = is_short.then(|| tokens(line)).into_iter().flatten();
    let ends = if is_short { Vec::new() } else { end_tokens(line) };
    all.chain(ends)
}

/// The tokens at both ends of a long line, as many as its first and last bytes have and no more than a bound.
fn end_tokens(line: &[u8]) -> Vec<Token> {
    let is_long = line.len() > 2 * MAX_END_BYTES;
    let (front, back) =
        if is_long { (MAX_END_BYTES, line.len() - MAX_END_BYTES) } else { (line.len(), line.len()) };
    let mut found: Vec<Token> = tokens(&line[..front]).collect();
    found.extend(tokens(&line[back..]).map(|token| Token {
        start: token.start + back as u32,
        end: token.end + back as u32,
        ..token
    }));
    if found.len() > 2 * MAX_END_TOKENS {
        found.drain(MAX_END_TOKENS..found.len() - MAX_END_TOKENS);
    }
    found
}

/// A mark says little, a short word less than a long one.
fn unique_weight(kind: TokenKind, bytes: &[u8]) -> f64 {
    match kind {
        TokenKind::Mark => 0.25,
        TokenKind::Number | TokenKind::Word if bytes.len() <= 2 => 0.75,
        TokenKind::Number => 1.0,
        TokenKind::Word => 1.0 + 0.5 * (bytes.len().min(16) as f64 / 16.0),
    }
}

fn shared_characters(a: &LineWords, b: &LineWords) -> Option<f64> {
    let fits = |line: &LineWords| line.normal.len() <= MAX_COMPARED_BYTES;
    (fits(a) && fits(b))
        .then(|| indel::normalized_similarity(a.normal.iter().copied(), b.normal.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(a: &str, b: &str) -> f64 {
        let mut vocabulary = Vocabulary::default();
        let (a, b) = (vocabulary.learn(a.as_bytes()), vocabulary.learn(b.as_bytes()));
        vocabulary.similarity(&a, &b)
    }

    #[test]
    fn equal_lines_are_alike_whatever_their_white_space() {
        assert_eq!(similarity("a = b;", "  a=b ;"), 1.0);
        assert_eq!(similarity("a", "b"), 0.0);
        assert!(similarity("return total;", "return grandTotal;") > 0.5);
    }

    #[test]
    fn a_rare_word_weighs_more_than_a_common_one() {
        let mut vocabulary = Vocabulary::default();
        let line = vocabulary.learn(b"int accumulator");
        let same_rare = vocabulary.learn(b"long accumulator");
        let same_common = vocabulary.learn(b"int velocity");
        for _ in 0..50 {
            vocabulary.learn(b"int");
        }
        assert!(vocabulary.shared_words(&line, &same_rare) > vocabulary.shared_words(&line, &same_common));
    }

    #[test]
    fn a_line_of_marks_is_known_by_those_at_its_ends() {
        let marks = "(+".repeat(20_000);
        let mut vocabulary = Vocabulary::default();
        assert_eq!(vocabulary.learn(marks.as_bytes()).words().len(), 2 * MAX_END_TOKENS);
        let line = format!("first {} last", "();".repeat(3_000));
        let words = vocabulary.learn(line.as_bytes());
        assert_eq!(words.words().len(), 2 * MAX_END_TOKENS);
        let ends = vocabulary.learn(b"first last");
        assert!(ends.words().iter().all(|word| words.words().contains(word)));
    }

    #[test]
    fn very_long_lines_are_compared_by_words() {
        let long = "word ".repeat(10_000);
        assert!(similarity(&long, &format!("{long} more")) > 0.9);
    }
}
