//! Which old line is which new line, between two texts.
//!
//! A map says what the diff kept and nothing about what changed lines became: that is judgement,
//! and belongs to `anchoring`.
//!
//! Invariant: hunks ascend on both sides, and between two hunks both sides are equally long.

use std::ops::Range;

use gix::diff::blob::{Diff, InternedInput};

use super::{Text, bounded_diff, normalise};

/// How a map is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// Rare lines first, as `git diff --histogram`; the map that positions rest on.
    Histogram,
    /// The shortest edit, as plain `git diff`; a second opinion.
    Myers,
}

/// Lines that were replaced, deleted (`after` is empty) or added (`before` is empty).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the old text.
    pub before: Range<u32>,
    /// Lines of the new text.
    pub after: Range<u32>,
}

/// Where one line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapped {
    /// The diff kept it.
    Kept(u32),
    /// It lies in the hunk with this index.
    Changed(usize),
}

/// Which old line is which new line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMap {
    hunks: Vec<Hunk>,
    before: u32,
    after: u32,
}

impl LineMap {
    /// Compares two texts line by line, blind to carriage returns at line ends.
    ///
    /// Ambiguous hunks slide to where git's indent heuristic puts them. Texts that would take too long
    /// are cut into parts by the lines that occur once in each.
    pub fn between(old: &Text, new: &Text, algorithm: Algorithm) -> Self {
        let mut input = InternedInput::<&[u8]>::default();
        input.reserve(old.len(), new.len());
        input.update_before(old.bare_lines());
        input.update_after(new.bare_lines());
        let (before, after) = (old.len(), new.len());
        if !bounded_diff::is_cheap(&input, algorithm.into()) {
            return Self { hunks: bounded_diff::hunks(&input), before, after };
        }
        let mut diff = Diff::compute(algorithm.into(), &input);
        diff.postprocess_lines(&input);
        let hunks = diff.hunks().map(|h| Hunk { before: h.before, after: h.after }).collect();
        Self { hunks, before, after }
    }

    /// Compares the changed places once more, blind to white space and quotes.
    ///
    /// What this map kept stays kept, unless something was re-indented: then a common line may be
    /// kept where a twin at another depth came to be. The blind comparison of the whole texts
    /// is taken instead, if it keeps more.
    #[must_use]
    pub fn loosen(&self, old: &Text, new: &Text) -> Self {
        let refined = self.refine(old, new);
        if refined.kept_bytes(old) == self.kept_bytes(old) {
            return refined;
        }
        let whole = Self {
            hunks: vec![Hunk { before: 0..self.before, after: 0..self.after }],
            before: self.before,
            after: self.after,
        };
        let whole = whole.refine(old, new);
        if whole.kept_bytes(old) > refined.kept_bytes(old) { whole } else { refined }
    }

    fn refine(&self, old: &Text, new: &Text) -> Self {
        let mut hunks = Vec::with_capacity(self.hunks.len());
        for hunk in &self.hunks {
            if hunk.before.is_empty() || hunk.after.is_empty() {
                hunks.push(hunk.clone());
                continue;
            }
            let mut input = InternedInput::<Vec<u8>>::default();
            input.update_before(hunk.before.clone().map(|line| normalise(old.line(line))));
            input.update_after(hunk.after.clone().map(|line| normalise(new.line(line))));
            let inner = if bounded_diff::is_cheap(&input, Algorithm::Histogram.into()) {
                let mut diff = Diff::compute(Algorithm::Histogram.into(), &input);
                diff.postprocess_no_heuristic(&input);
                diff.hunks().map(|h| Hunk { before: h.before, after: h.after }).collect()
            } else {
                bounded_diff::hunks(&input)
            };
            let (before, after) = (hunk.before.start, hunk.after.start);
            hunks.extend(inner.into_iter().map(|h| Hunk {
                before: h.before.start + before..h.before.end + before,
                after: h.after.start + after..h.after.end + after,
            }));
        }
        Self { hunks, before: self.before, after: self.after }
    }

    /// How much text is kept, without the space around lines.
    fn kept_bytes(&self, old: &Text) -> usize {
        let kept = self.runs().flat_map(|(old, _, len)| old..old + len);
        kept.map(|line| old.bare(line).trim_ascii().len()).sum()
    }

    /// A map with these hunks; `None` unless they ascend and fit the two lengths.
    pub fn from_hunks(hunks: Vec<Hunk>, before: u32, after: u32) -> Option<Self> {
        let (mut old, mut new) = (0, 0);
        for hunk in &hunks {
            let gaps = (hunk.before.start.checked_sub(old)?, hunk.after.start.checked_sub(new)?);
            if gaps.0 != gaps.1 || hunk.before.end < hunk.before.start || hunk.after.end < hunk.after.start {
                return None;
            }
            (old, new) = (hunk.before.end, hunk.after.end);
        }
        let tails = (before.checked_sub(old)?, after.checked_sub(new)?);
        (tails.0 == tails.1).then_some(Self { hunks, before, after })
    }

    /// The map of a text onto itself.
    pub fn identity(lines: u32) -> Self {
        Self { hunks: Vec::new(), before: lines, after: lines }
    }

    /// The changed places, in order.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// How many lines the old and the new text have.
    pub fn lengths(&self) -> (u32, u32) {
        (self.before, self.after)
    }

    /// Where `line` of the old text went.
    pub fn map(&self, line: u32) -> Mapped {
        let index = self.hunks.partition_point(|hunk| hunk.before.end <= line);
        if self.hunks.get(index).is_some_and(|hunk| hunk.before.start <= line) {
            return Mapped::Changed(index);
        }
        let (before, after) = index.checked_sub(1).map_or((0, 0), |i| {
            let hunk = &self.hunks[i];
            (hunk.before.end, hunk.after.end)
        });
        Mapped::Kept(line - before + after)
    }

    /// The new line that `line` is, if the diff kept it.
    pub fn kept(&self, line: u32) -> Option<u32> {
        match self.map(line) {
            Mapped::Kept(new) => Some(new),
            Mapped::Changed(_) => None,
        }
    }

    /// The nearest kept lines above and below a changed line, as they are numbered in the new text.
    pub fn neighbours(&self, hunk: usize) -> (Option<u32>, Option<u32>) {
        let after = &self.hunks[hunk].after;
        (after.start.checked_sub(1), (after.end < self.after).then_some(after.end))
    }

    /// Maps a run of lines that the diff kept whole and together.
    ///
    /// `None` if a line of it changed, or if something was inserted inside.
    pub fn map_range(&self, lines: Range<u32>) -> Option<Range<u32>> {
        let first = self.kept(lines.start)?;
        let last = self.kept(lines.end.checked_sub(1)?)?;
        let touched = self
            .hunks
            .iter()
            .skip(self.hunks.partition_point(|hunk| hunk.before.end <= lines.start))
            .take_while(|hunk| hunk.before.start < lines.end)
            .next();
        (touched.is_none() && last - first + 1 == lines.end - lines.start).then_some(first..last + 1)
    }

    /// The hunks between two texts that this map is of, where a line that was kept but for its end is a change as well.
    pub fn exact_hunks(&self, old: &Text, new: &Text) -> Vec<Hunk> {
        let whole = |text: &Text, line: u32| text.offset(line)..text.offset(line + 1);
        let mut hunks = self.hunks.clone();
        for (before, after, length) in self.runs() {
            let differs = |offset: &u32| {
                old.bytes()[whole(old, before + offset)] != new.bytes()[whole(new, after + offset)]
            };
            hunks.extend((0..length).filter(differs).map(|offset| Hunk {
                before: before + offset..before + offset + 1,
                after: after + offset..after + offset + 1,
            }));
        }
        hunks.sort_by_key(|hunk| (hunk.before.start, hunk.after.start));
        hunks
    }

    /// The map in the other direction.
    #[must_use]
    pub fn invert(&self) -> Self {
        let hunks = self.hunks.iter();
        Self {
            hunks: hunks.map(|h| Hunk { before: h.after.clone(), after: h.before.clone() }).collect(),
            before: self.after,
            after: self.before,
        }
    }

    /// The map that goes through this one and then through `next`.
    ///
    /// A line is kept if both keep it.
    #[must_use]
    pub fn compose(&self, next: &Self) -> Self {
        let mut runs = Runs::default();
        for (old, middle, len) in self.runs() {
            let mut line = 0;
            while line < len {
                match next.map(middle + line) {
                    Mapped::Kept(new) => {
                        let index = next.hunks.partition_point(|h| h.before.end <= middle + line);
                        let end = next.hunks.get(index).map_or(next.before, |h| h.before.start);
                        let run = (end - (middle + line)).min(len - line);
                        runs.push(old + line, new, run);
                        line += run;
                    }
                    Mapped::Changed(index) => line = next.hunks[index].before.end - middle,
                }
            }
        }
        Self { hunks: runs.into_hunks(self.before, next.after), before: self.before, after: next.after }
    }

    /// The kept runs: first old line, first new line, length.
    pub fn runs(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let mut at = (0, 0);
        let end = Hunk { before: self.before..self.before, after: self.after..self.after };
        self.hunks.iter().cloned().chain([end]).filter_map(move |hunk| {
            let run = (at.0, at.1, hunk.before.start - at.0);
            at = (hunk.before.end, hunk.after.end);
            (run.2 > 0).then_some(run)
        })
    }
}

impl From<Algorithm> for gix::diff::blob::Algorithm {
    fn from(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Histogram => Self::Histogram,
            Algorithm::Myers => Self::Myers,
        }
    }
}

/// Kept runs on their way to becoming hunks.
#[derive(Default)]
struct Runs {
    at: (u32, u32),
    hunks: Vec<Hunk>,
}

impl Runs {
    fn push(&mut self, old: u32, new: u32, len: u32) {
        if self.at != (old, new) {
            self.hunks.push(Hunk { before: self.at.0..old, after: self.at.1..new });
        }
        self.at = (old + len, new + len);
    }

    fn into_hunks(mut self, before: u32, after: u32) -> Vec<Hunk> {
        self.push(before, after, 0);
        self.hunks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One letter a line.
    fn text(lines: &str) -> Text {
        Text::new(lines.chars().flat_map(|c| [c, '\n']).collect::<String>())
    }

    fn map(old: &str, new: &str) -> LineMap {
        LineMap::between(&text(old), &text(new), Algorithm::Histogram)
    }

    /// Expects for each old line its new number, or `-`.
    fn check(old: &str, new: &str, expected: &str) {
        let map = map(old, new);
        let found: Vec<_> = (0..old.len() as u32)
            .map(|line| map.kept(line).map_or("-".to_owned(), |new| new.to_string()))
            .collect();
        assert_eq!(found.join(" "), expected, "{old} to {new}");
    }

    #[test]
    fn kept_lines_map_one_to_one_and_changed_ones_do_not() {
        check("abc", "abc", "0 1 2");
        check("abc", "xabc", "1 2 3");
        check("abc", "ac", "0 - 1");
        check("abc", "axc", "0 - 2");
        check("abcdef", "xabdeyf", "1 2 - 3 4 6");
        check("abc", "", "- - -");
        check("", "abc", "");
    }

    #[test]
    fn a_changed_line_snaps_to_both_neighbours() {
        let map = map("abc", "axyc");
        assert_eq!(map.map(1), Mapped::Changed(0));
        assert_eq!(map.neighbours(0), (Some(0), Some(3)));
        let edge = self::map("ab", "b");
        assert_eq!(edge.neighbours(0), (None, Some(0)));
    }

    #[test]
    fn a_range_maps_only_if_it_stayed_whole() {
        assert_eq!(map("abcd", "xabcd").map_range(1..3), Some(2..4));
        assert_eq!(map("abcd", "abxcd").map_range(1..3), None, "something was inserted inside");
        assert_eq!(map("abcd", "abxcd").map_range(0..2), Some(0..2), "right behind it is outside");
        assert_eq!(map("abcd", "axcd").map_range(0..3), None, "across a hunk");
        assert_eq!(map("abcd", "abcd").map_range(0..4), Some(0..4), "an empty diff");
    }

    #[test]
    fn inverting_twice_and_composing_with_the_inverse_keep_what_was_kept() {
        let there = map("abcdef", "xabdeyf");
        assert_eq!(there.invert().invert(), there);
        let back = there.compose(&there.invert());
        for line in 0..6 {
            assert_eq!(back.kept(line).is_some(), there.kept(line).is_some());
            assert!(back.kept(line).is_none_or(|new| new == line));
        }
    }

    #[test]
    fn a_composed_map_keeps_what_both_keep() {
        let (first, second) = (map("abcdef", "abxdef"), map("abxdef", "zabxdf"));
        let whole = first.compose(&second);
        let found: Vec<_> = (0..6).map(|line| whole.kept(line)).collect();
        assert_eq!(found, [Some(1), Some(2), None, Some(4), None, Some(5)]);
        assert_eq!(whole.lengths(), (6, 6));
        assert_eq!(first.compose(&LineMap::identity(6)), first);
    }

    #[test]
    fn a_loosened_map_keeps_what_was_only_reformatted() {
        let old = Text::new("if a {\n  b();\n  c();\n}\n");
        let new = Text::new("if a {\n    b();\n    d();\n}\n");
        let exact = LineMap::between(&old, &new, Algorithm::Histogram);
        let loose = exact.loosen(&old, &new);
        assert_eq!((exact.kept(1), loose.kept(1), loose.kept(2)), (None, Some(1), None));
    }

    #[test]
    fn a_flip_of_line_ends_keeps_every_line() {
        let (old, new) = (Text::new("a\nb\nc\n"), Text::new("a\r\nb\r\nc"));
        assert!(LineMap::between(&old, &new, Algorithm::Myers).hunks().is_empty());
    }
}
