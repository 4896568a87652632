//! Two texts side by side: what the diff kept, what is gone, what is fresh, and their words.
//!
//! The two are usually two versions of one file. For code that went to another file they are the
//! old version of one file and the new version of the other; then nothing counts as kept.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use crate::edit::{Algorithm, LineMap, LineWords, Text, Vocabulary, is_blank, normal_hash};

use super::evidence::Evidence;
use super::token_links::TokenLinks;

/// Two texts side by side.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub old: Arc<Text>,
    pub new: Arc<Text>,
    kind: ComparisonKind,
    /// Old lines without a counterpart, in runs.
    gone: Vec<Range<u32>>,
    /// New lines without a counterpart, in runs.
    fresh: Vec<Range<u32>>,
    words: OnceCell<WordIndex>,
    /// Pairs of lines that were judged already.
    judged: RefCell<HashMap<(u32, u32), Evidence>>,
    /// The fresh line that fits an old one best.
    favourites: RefCell<HashMap<u32, Option<u32>>>,
    /// What another diff algorithm says.
    second: OnceCell<LineMap>,
    /// How much of what is gone is among the fresh lines.
    exchanged: OnceCell<f64>,
    /// The linked tokens of hunks.
    links: RefCell<HashMap<usize, Option<Rc<TokenLinks>>>>,
}

#[derive(Debug)]
enum ComparisonKind {
    Versions(LineMap),
    Across,
}

/// Lines that share more than this many others' word are not found by it: the word proves nothing.
const MAX_LINES_A_WORD: usize = 256;

/// By how many of its words a line is looked up.
const LOOKED_UP_WORDS: usize = 8;

/// How many lines of a gap are candidates whatever their words.
const MAX_GAP: u32 = 400;

/// The share of what a line explains of another that must be its own for the line to be part of it.
const OWN_SHARE: f64 = 0.5;

/// Less text that left a file says nothing about where the file went.
const MIN_EXCHANGED_BYTES: usize = 200;

#[derive(Debug)]
struct WordIndex {
    vocabulary: RefCell<Vocabulary>,
    old: RefCell<Vec<Option<Rc<LineWords>>>>,
    new: RefCell<Vec<Option<Rc<LineWords>>>>,
    /// The changed lines that hold a word, old and new.
    gone_by_word: ByWord,
    fresh_by_word: ByWord,
}

impl Comparison {
    /// Two versions of one file.
    pub fn new(old: Arc<Text>, new: Arc<Text>, map: &LineMap) -> Self {
        let map = map.loosen(&old, &new);
        let gone = map.hunks().iter().map(|hunk| hunk.before.clone()).collect();
        let fresh = map.hunks().iter().map(|hunk| hunk.after.clone()).collect();
        Self::with(old, new, ComparisonKind::Versions(map), gone, fresh)
    }

    /// Lines that left one file, and lines that came to another.
    pub fn across(old: Arc<Text>, gone: Vec<Range<u32>>, new: Arc<Text>, fresh: Vec<Range<u32>>) -> Self {
        Self::with(old, new, ComparisonKind::Across, gone, fresh)
    }

    fn with(
        old: Arc<Text>,
        new: Arc<Text>,
        kind: ComparisonKind,
        gone: Vec<Range<u32>>,
        fresh: Vec<Range<u32>>,
    ) -> Self {
        let (words, judged, favourites, second, exchanged, links) = Default::default();
        Self { old, new, kind, gone, fresh, words, judged, favourites, second, exchanged, links }
    }

    /// What speaks for a new line being an old one; computed once.
    pub fn evidence(&self, old: u32, new: u32) -> Evidence {
        if let Some(known) = self.judged.borrow().get(&(old, new)) {
            return *known;
        }
        let evidence = Evidence::of(self, old, new);
        self.judged.borrow_mut().insert((old, new), evidence);
        evidence
    }

    /// Which token is which in a hunk; `None` if it has too many.
    pub fn links(&self, hunk: usize) -> Option<Rc<TokenLinks>> {
        if let Some(known) = self.links.borrow().get(&hunk) {
            return known.clone();
        }
        let of = self.map()?.hunks().get(hunk)?;
        let links = TokenLinks::new(&self.old, of.before.clone(), &self.new, of.after.clone()).map(Rc::new);
        self.links.borrow_mut().insert(hunk, links.clone());
        links
    }

    /// The fresh line that fits an old one best; found once.
    pub fn favourite(&self, old: u32, find: impl FnOnce() -> Option<u32>) -> Option<u32> {
        if let Some(known) = self.favourites.borrow().get(&old) {
            return *known;
        }
        let favourite = find();
        self.favourites.borrow_mut().insert(old, favourite);
        favourite
    }

    /// The diff between two versions of one file, blind to white space and quotes.
    pub fn map(&self) -> Option<&LineMap> {
        match &self.kind {
            ComparisonKind::Versions(map) => Some(map),
            ComparisonKind::Across => None,
        }
    }

    pub fn gone(&self) -> impl Iterator<Item = u32> + '_ {
        self.gone.iter().flat_map(Clone::clone)
    }

    pub fn fresh(&self) -> impl Iterator<Item = u32> + '_ {
        self.fresh.iter().flat_map(Clone::clone)
    }

    /// Whether a new line has no counterpart.
    pub fn is_fresh(&self, line: u32) -> bool {
        self.fresh.iter().any(|run| run.contains(&line))
    }

    pub fn gone_runs(&self) -> &[Range<u32>] {
        &self.gone
    }

    pub fn fresh_runs(&self) -> &[Range<u32>] {
        &self.fresh
    }

    /// The share of the text that is gone which is among the fresh lines.
    pub fn exchanged(&self) -> f64 {
        *self.exchanged.get_or_init(|| {
            let mut there: HashMap<u64, u32> = HashMap::new();
            for line in self.fresh() {
                *there.entry(normal_hash(self.new.bare(line))).or_default() += 1;
            }
            let (mut all, mut shared) = (0, 0);
            for line in self.gone() {
                let (bytes, hash) =
                    (self.old.bare(line).trim_ascii().len(), normal_hash(self.old.bare(line)));
                all += bytes;
                if let Some(left) = there.get_mut(&hash).filter(|left| **left > 0) {
                    *left -= 1;
                    shared += bytes;
                }
            }
            if all < MIN_EXCHANGED_BYTES { 0.0 } else { shared as f64 / all as f64 }
        })
    }

    /// The diff of a second algorithm, between two versions of one file.
    pub fn second_map(&self) -> Option<&LineMap> {
        self.map()?;
        Some(self.second.get_or_init(|| LineMap::between(&self.old, &self.new, Algorithm::Myers)))
    }

    /// The new lines among which a changed old line has its counterpart if it was edited in place.
    pub fn gap(&self, old: u32) -> Option<Range<u32>> {
        let map = self.map()?;
        match map.map(old) {
            crate::edit::Mapped::Kept(new) => Some(new..new + 1),
            crate::edit::Mapped::Changed(hunk) => Some(map.hunks()[hunk].after.clone()),
        }
    }

    /// The new line that an old one is, if the diff kept it.
    pub fn kept(&self, old: u32) -> Option<u32> {
        self.map()?.kept(old)
    }

    pub fn old_words(&self, line: u32) -> Rc<LineWords> {
        let words = self.words();
        read(&words.old, &words.vocabulary, line, self.old.bare(line))
    }

    pub fn new_words(&self, line: u32) -> Rc<LineWords> {
        let words = self.words();
        read(&words.new, &words.vocabulary, line, self.new.bare(line))
    }

    /// The fresh lines that an old line can be: those in its gap, and those that share a rare word.
    pub fn fresh_like(&self, old: u32) -> Vec<u32> {
        let words = self.words();
        let line = self.old_words(old);
        let mut lines =
            words.fresh_by_word.look_up(&words.vocabulary.borrow().rarest(&line, LOOKED_UP_WORDS));
        if let Some(gap) = self.gap(old) {
            lines.extend(gap.take(MAX_GAP as usize));
        }
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// The gone lines that a new line can be: those that share a rare word.
    pub fn gone_like(&self, new: u32) -> Vec<u32> {
        let words = self.words();
        let line = self.new_words(new);
        let mut lines = words.gone_by_word.look_up(&words.vocabulary.borrow().rarest(&line, LOOKED_UP_WORDS));
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// How alike an old and a new line are, by their text alone.
    pub fn similarity(&self, old: u32, new: u32) -> f64 {
        let (a, b) = (self.old_words(old), self.new_words(new));
        self.words().vocabulary.borrow().similarity(&a, &b)
    }

    /// How much of the smaller of two lines is in the other: high where lines were joined or split.
    ///
    /// Of the parts that a line was split into, the larger one is more of it.
    pub fn contained(&self, old: u32, new: u32) -> f64 {
        let (a, b) = (self.old_words(old), self.new_words(new));
        let vocabulary = self.words().vocabulary.borrow();
        let (x, y) = (vocabulary.weight(&a), vocabulary.weight(&b));
        let smaller = x.min(y);
        if smaller < 0.5 {
            return 0.0;
        }
        let shared = vocabulary.shared_words(&a, &b) * (x + y) / 2.0;
        let whole = if y < x { f64::midpoint(1.0, shared / x) } else { 1.0 };
        shared / smaller * whole
    }

    /// Whether two old lines both went into one new line: most of what each explains of it is not
    /// explained by the other.
    pub fn are_joined(&self, one: u32, other: u32, new: u32) -> bool {
        let (a, b, c) = (self.old_words(one), self.old_words(other), self.new_words(new));
        let vocabulary = self.words().vocabulary.borrow();
        let shared = |line: &LineWords| {
            vocabulary.shared_words(line, &c) * (vocabulary.weight(line) + vocabulary.weight(&c)) / 2.0
        };
        let both = shared(&LineWords::bag([&*a, &*b]));
        let (one, other) = (shared(&a), shared(&b));
        both - other >= OWN_SHARE * one && both - one >= OWN_SHARE * other
    }

    /// The cheap half of [`Self::similarity`].
    pub fn shared_words(&self, old: u32, new: u32) -> f64 {
        let (a, b) = (self.old_words(old), self.new_words(new));
        self.words().vocabulary.borrow().shared_words(&a, &b)
    }

    /// How many words the lines of two blocks share, whatever line they are in.
    pub fn shared_bag(&self, olds: Range<u32>, news: Range<u32>) -> f64 {
        let olds: Vec<_> = olds.map(|line| self.old_words(line)).collect();
        let news: Vec<_> = news.map(|line| self.new_words(line)).collect();
        let a = LineWords::bag(olds.iter().map(|line| &**line));
        let b = LineWords::bag(news.iter().map(|line| &**line));
        self.words().vocabulary.borrow().shared_words(&a, &b)
    }

    /// How much it proves to find an old line again.
    pub fn weight(&self, old: u32) -> f64 {
        let line = self.old_words(old);
        self.words().vocabulary.borrow().weight(&line)
    }

    /// The next lines with content above (`step` -1) or below (`step` 1), nearest first.
    pub fn filled(text: &Text, line: u32, step: i64, count: usize) -> Vec<u32> {
        let mut found = Vec::with_capacity(count);
        let mut at = i64::from(line) + step;
        // A desert of blank lines is context of nothing.
        for _ in 0..count * 8 {
            if at < 0 || at >= i64::from(text.len()) || found.len() == count {
                break;
            }
            if !is_blank(text.bare(at as u32)) {
                found.push(at as u32);
            }
            at += step;
        }
        found
    }

    fn words(&self) -> &WordIndex {
        self.words.get_or_init(|| {
            // The changed lines are counted once and for all, so that no later question can
            // change what an earlier one was answered.
            let mut vocabulary = Vocabulary::default();
            let mut old = vec![None; self.old.len() as usize];
            let mut new = vec![None; self.new.len() as usize];
            let (mut gone, mut fresh) = (Vec::new(), Vec::new());
            for line in self.gone() {
                let words = vocabulary.learn(self.old.bare(line));
                gone.extend(words.words().iter().map(|word| (*word, line)));
                old[line as usize] = Some(Rc::new(words));
            }
            for line in self.fresh() {
                let words = vocabulary.learn(self.new.bare(line));
                fresh.extend(words.words().iter().map(|word| (*word, line)));
                new[line as usize] = Some(Rc::new(words));
            }
            let (gone_by_word, fresh_by_word) = (ByWord::new(gone), ByWord::new(fresh));
            let (old, new) = (RefCell::new(old), RefCell::new(new));
            WordIndex { vocabulary: RefCell::new(vocabulary), old, new, gone_by_word, fresh_by_word }
        })
    }
}

/// Lines by the words that they hold, sorted by both.
#[derive(Debug)]
struct ByWord(Vec<(u32, u32)>);

impl ByWord {
    fn new(mut lines: Vec<(u32, u32)>) -> Self {
        lines.sort_unstable();
        lines.dedup();
        Self(lines)
    }

    /// The lines that hold one of some words; a word that too many hold finds none.
    fn look_up(&self, words: &[u32]) -> Vec<u32> {
        let of = |word: &u32| {
            let start = self.0.partition_point(|(other, _)| other < word);
            let count = self.0[start..].partition_point(|(other, _)| other == word);
            &self.0[start..start + count]
        };
        let found = words.iter().map(of).filter(|lines| lines.len() <= MAX_LINES_A_WORD);
        found.flatten().map(|(_, line)| *line).collect()
    }
}

fn read(
    known: &RefCell<Vec<Option<Rc<LineWords>>>>,
    vocabulary: &RefCell<Vocabulary>,
    line: u32,
    text: &[u8],
) -> Rc<LineWords> {
    known.borrow_mut()[line as usize]
        .get_or_insert_with(|| Rc::new(vocabulary.borrow_mut().read(text)))
        .clone()
}
