//! Lays the old lines of a hunk against the lines of a text, from one line that is held fast.
//!
//! Never a greedy search: how much may be left out on either side is given, and is small.

use super::bounds::MAX_BLANK;
use super::hunk::{Hunk, HunkLine, Role};
use super::line::is_blank;
use super::target::Target;

/// What two lines must have in common to be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Every byte, and whether a newline ends them.
    Exact,
    /// What a person reads.
    Loose,
}

/// What may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tolerance {
    pub likeness: Likeness,
    /// How many blank lines, on either side.
    pub blank: usize,
    /// How many lines of context at either end of the hunk.
    pub fuzz: usize,
    /// How many structural lines of the text between two lines of context.
    pub structural: usize,
    /// How many lines of either side between two lines of context.
    pub internal: usize,
}

impl Tolerance {
    pub(super) const EXACT: Self =
        Self { likeness: Likeness::Exact, blank: 0, fuzz: 0, structural: 0, internal: 0 };
    pub(super) const LOOSE: Self = Self { likeness: Likeness::Loose, ..Self::EXACT };
    pub(super) const BLANK: Self = Self { blank: MAX_BLANK, ..Self::LOOSE };
}

/// The old lines of a hunk, ready to be compared.
pub(super) struct Old<'a> {
    pub lines: Vec<OldLine<'a>>,
    /// How many of them are context before the first change, and behind the last one.
    context: (usize, usize),
}

pub(super) struct OldLine<'a> {
    pub line: &'a HunkLine,
    /// Its number in the text; set when it is looked up for the first time.
    pub number: u32,
    pub blank: bool,
    /// Whether it and the old line behind it are context, and nothing comes between them.
    pub joint: bool,
}

impl<'a> Old<'a> {
    pub(super) fn of(hunk: &'a Hunk, target: &Target<'_>) -> Self {
        let mut lines: Vec<OldLine<'a>> = Vec::new();
        let mut joint = false;
        for line in &hunk.lines {
            if line.role == Role::Add {
                joint = false;
                continue;
            }
            if let Some(last) = lines.last_mut() {
                last.joint = joint && line.role == Role::Context;
            }
            joint = line.role == Role::Context;
            let number = target.number_of(&line.text);
            lines.push(OldLine { line, number, blank: is_blank(&line.text), joint: false });
        }
        Self { lines, context: hunk.context() }
    }

    fn is_context(&self, old: usize) -> bool {
        self.lines[old].line.role == Role::Context
    }
}

/// For each old line the line of the text, or none where it was left out.
pub(super) type Aligned = Vec<Option<usize>>;

/// Lays `old` so that its line `held` is the line `at` of the text.
///
/// `steps` counts down; nothing is found any more once it is used up.
pub(super) fn align(
    old: &Old<'_>,
    target: &Target<'_>,
    (held, at): (usize, usize),
    tolerance: Tolerance,
    steps: &mut usize,
) -> Option<Aligned> {
    let mut search = Search { old, target, tolerance, steps, aligned: Vec::new() };
    if !search.same(held, at) {
        return None;
    }
    // The room for the answer is not free either.
    *search.steps = search.steps.saturating_sub(old.lines.len() / 16);
    search.aligned = vec![None; old.lines.len()];
    search.aligned[held] = Some(at);
    let budget =
        Budget { blank: tolerance.blank, structural: tolerance.structural, internal: tolerance.internal };
    let budget = search.go(Way::Up, held, at, budget)?;
    search.go(Way::Down, held, at, budget)?;
    Some(search.aligned)
}

#[derive(Clone, Copy)]
enum Way {
    Up,
    Down,
}

/// What may still be left out.
#[derive(Clone, Copy)]
struct Budget {
    blank: usize,
    structural: usize,
    internal: usize,
}

struct Search<'a, 'b> {
    old: &'a Old<'a>,
    target: &'a Target<'b>,
    tolerance: Tolerance,
    steps: &'a mut usize,
    aligned: Aligned,
}

impl Search<'_, '_> {
    /// Goes on from an old line that is laid, to one end of the hunk. Returns what was not left out.
    ///
    /// Lines that fit are passed in a loop, so that the depth of the recursion is that of the budget.
    fn go(&mut self, way: Way, mut laid: usize, mut at: usize, budget: Budget) -> Option<Budget> {
        let mut branches = Vec::new();
        loop {
            let Some(next) = self.next_old(way, laid) else { return Some(budget) };
            branches.push((laid, at));
            match self.next_line(way, at) {
                Some(line) if self.same(next, line) => {
                    self.aligned[next] = Some(line);
                    (laid, at) = (next, line);
                }
                _ => break,
            }
        }
        // What was left out is looked for at the first difference and shortly before it only: what fits
        // is not given up.
        for (laid, at) in branches.into_iter().rev().take(1 + budget.internal + budget.structural) {
            *self.steps = self.steps.saturating_sub(1);
            if *self.steps == 0 {
                return None;
            }
            if let Some(left) = self.leave_out(way, laid, at, budget) {
                return Some(left);
            }
        }
        None
    }

    /// The old line behind `laid` does not fit the line behind `at`: leaves out one of the two.
    fn leave_out(&mut self, way: Way, laid: usize, at: usize, budget: Budget) -> Option<Budget> {
        let next = self.next_old(way, laid)?;
        self.clear(way, next);
        if self.is_edge(way, next) {
            return Some(budget);
        }
        let joint = self.old.lines[laid.min(next)].joint;
        if let Some(line) = self.next_line(way, at) {
            if budget.blank > 0 && self.target.is_blank(line) {
                let budget = Budget { blank: budget.blank - 1, ..budget };
                if let Some(left) = self.go_over(way, laid, line, budget) {
                    return Some(left);
                }
            }
            if budget.structural > 0 && joint && self.target.is_structural(line) {
                let budget = Budget { structural: budget.structural - 1, ..budget };
                if let Some(left) = self.go_over(way, laid, line, budget) {
                    return Some(left);
                }
            }
            if budget.internal > 0 && joint {
                let budget = Budget { internal: budget.internal - 1, ..budget };
                if let Some(left) = self.go_over(way, laid, line, budget) {
                    return Some(left);
                }
            }
        }
        let dropped = &self.old.lines[next];
        let is_context = self.old.is_context(next);
        if is_context && dropped.blank && budget.blank > 0 {
            let budget = Budget { blank: budget.blank - 1, ..budget };
            if let Some(left) = self.go(way, next, at, budget) {
                return Some(left);
            }
        }
        if is_context && budget.internal > 0 && self.is_inner(way, next) {
            let budget = Budget { internal: budget.internal - 1, ..budget };
            self.clear(way, next);
            if let Some(left) = self.go(way, next, at, budget) {
                return Some(left);
            }
        }
        None
    }

    /// Leaves out one line of the text and tries the next old line behind it.
    fn go_over(&mut self, way: Way, laid: usize, over: usize, budget: Budget) -> Option<Budget> {
        if let Some(next) = self.next_old(way, laid) {
            self.clear(way, next);
        }
        self.go(way, laid, over, budget)
    }

    /// Whether everything from `next` to the end of the hunk is context that fuzz may leave out.
    ///
    /// Where the hunk ends with its change, the last old line is not the end of it but stands beside the change.
    fn is_edge(&self, way: Way, next: usize) -> bool {
        let (rest, context) = match way {
            Way::Up => (next + 1, self.old.context.0),
            Way::Down => (self.old.lines.len() - next, self.old.context.1),
        };
        rest <= self.tolerance.fuzz.min(context)
    }

    /// Whether an old line has another one behind it.
    fn is_inner(&self, way: Way, old: usize) -> bool {
        self.next_old(way, old).is_some()
    }

    fn clear(&mut self, way: Way, from: usize) {
        match way {
            Way::Up => self.aligned[..=from].fill(None),
            Way::Down => self.aligned[from..].fill(None),
        }
    }

    fn next_old(&self, way: Way, old: usize) -> Option<usize> {
        match way {
            Way::Up => old.checked_sub(1),
            Way::Down => Some(old + 1).filter(|next| *next < self.old.lines.len()),
        }
    }

    fn next_line(&self, way: Way, line: usize) -> Option<usize> {
        match way {
            Way::Up => line.checked_sub(1),
            Way::Down => Some(line + 1).filter(|next| *next < self.target.len()),
        }
    }

    fn same(&mut self, old: usize, line: usize) -> bool {
        *self.steps = self.steps.saturating_sub(1);
        if *self.steps == 0 {
            return false;
        }
        let wanted = &self.old.lines[old];
        match self.tolerance.likeness {
            Likeness::Exact => is_exact(wanted.line, self.target, line),
            Likeness::Loose => wanted.number == self.target.number(line),
        }
    }
}

/// Whether a line of a hunk is a line of the text, byte by byte.
pub(super) fn is_exact(wanted: &HunkLine, target: &Target<'_>, line: usize) -> bool {
    target.line(line) == wanted.text && target.has_newline(line) == wanted.newline
}
