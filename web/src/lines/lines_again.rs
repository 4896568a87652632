//! Where in a file lines are by now that were in it before, by their text and that of the lines around them.

/// So many lines on each side are remembered.
pub(crate) const AROUND: usize = 3;

/// Lines as they were, with those around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinesSeen {
    /// The number of the first one.
    pub start: u32,
    /// The lines above them, the nearest last.
    pub above: Vec<String>,
    /// The lines.
    pub lines: Vec<String>,
    /// The lines below them.
    pub below: Vec<String>,
}

impl LinesSeen {
    /// Those from one number to another, if the file has them.
    pub(crate) fn of(file: &[&str], start: u32, end: u32) -> Option<Self> {
        let (first, end) = ((start as usize).checked_sub(1)?, end as usize);
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let lines = file.get(first..end).filter(|lines| !lines.is_empty())?;
        Some(Self {
            start,
            above: owned(&file[first.saturating_sub(AROUND)..first]),
            lines: owned(lines),
            below: owned(&file[end..file.len().min(end + AROUND)]),
        })
    }

    /// The number of the first one now: where most of the lines around are the same, and of equals the nearest.
    pub(crate) fn again(&self, file: &[&str]) -> Option<u32> {
        let count = self.lines.len();
        let last = file.len().checked_sub(count)?;
        let is_there =
            |from: usize| file[from..from + count].iter().zip(&self.lines).all(|(now, was)| now == was);
        let around = |from: usize| {
            let above = file[..from].iter().rev().zip(self.above.iter().rev());
            let below = file[from + count..].iter().zip(&self.below);
            above.chain(below).filter(|(now, was)| now == was).count()
        };
        let number = |from: usize| u32::try_from(from + 1).unwrap_or(u32::MAX);
        let places = (0..=last).filter(|from| is_there(*from));
        places
            .map(|from| (around(from), std::cmp::Reverse(number(from).abs_diff(self.start)), number(from)))
            .max()
            .map(|(.., start)| start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_where_they_went_and_not_where_others_are_like_them() {
        let before = ["fn a() {", "    one();", "}", "", "fn b() {", "    two();", "}"];
        let closing = LinesSeen::of(&before, 3, 3).unwrap();
        assert_eq!(closing.again(&before), Some(3));
        let above = [&["// new", "", "fn c() {", "}"], &before[..]].concat();
        assert_eq!(closing.again(&above), Some(7), "there are braces that are nearer");
        let both = LinesSeen::of(&before, 5, 6).unwrap();
        assert_eq!(both.again(&above), Some(9));
        assert_eq!(both.again(&["fn b() {", "    three();", "}"]), None);
        assert_eq!(both.again(&[]), None);
        assert_eq!(LinesSeen::of(&before, 7, 8), None);
        assert_eq!(LinesSeen::of(&before, 0, 1), None);
        let twice = ["x", "x", "x"];
        assert_eq!(LinesSeen::of(&twice, 2, 2).unwrap().again(&twice), Some(2));
    }
}
