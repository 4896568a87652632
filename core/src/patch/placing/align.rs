//! Lays the old lines of a hunk against the lines of a text, from one line that is held fast.
//!
//! Never a greedy search: how much may be left out on either side is given, and is small.

use super::line::is_blank;
use super::target_text::TargetText;
use crate::patch::bounds::MAX_BLANK;
use crate::patch::hunk::{HunkLine, PatchHunk, Role};

/// What two lines must have in common to be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineLikeness {
    /// Every byte, and whether a newline ends them.
    Exact,
    /// What a person reads.
    Loose,
}

/// What may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tolerance {
    pub likeness: LineLikeness,
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
    pub(crate) const EXACT: Self =
        Self { likeness: LineLikeness::Exact, blank: 0, fuzz: 0, structural: 0, internal: 0 };
    pub(crate) const LOOSE: Self = Self { likeness: LineLikeness::Loose, ..Self::EXACT };
    pub(crate) const BLANK: Self = Self { blank: MAX_BLANK, ..Self::LOOSE };
}

/// The old lines of a hunk, ready to be compared.
pub(crate) struct OldHunkLines<'a> {
    pub lines: Vec<OldLine<'a>>,
    /// How many of them are context before the first change, and after the last one.
    context: (usize, usize),
}

pub(crate) struct OldLine<'a> {
    pub line: &'a HunkLine,
    /// Its number in the text; set when it is looked up for the first time.
    pub number: u32,
    pub blank: bool,
    /// Whether it and the old line after it are context, and nothing comes between them.
    pub joint: bool,
}

impl<'a> OldHunkLines<'a> {
    pub(crate) fn of(hunk: &'a PatchHunk, target: &TargetText<'_>) -> Self {
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

/// For each old line the line of the text, or `None` if it was left out.
pub(crate) type Aligned = Vec<Option<usize>>;

/// Lays `old` so that its line `held` is the line `at` of the text.
///
/// `steps` counts down; nothing is found any more once it is used up.
pub(crate) fn align(
    old: &OldHunkLines<'_>,
    target: &TargetText<'_>,
    (held, at): (usize, usize),
    tolerance: Tolerance,
    steps: &mut usize,
) -> Option<Aligned> {
    let mut search = AlignSearch { old, target, tolerance, steps, aligned: Vec::new() };
    if !search.same(held, at) {
        return None;
    }
    // The room for the answer is not free either.
    *search.steps = search.steps.saturating_sub(old.lines.len() / 16);
    search.aligned = vec![None; old.lines.len()];
    search.aligned[held] = Some(at);
    let budget =
        Budget { blank: tolerance.blank, structural: tolerance.structural, internal: tolerance.internal };
    let budget = search.go(AlignDirection::Up, held, at, budget)?;
    search.go(AlignDirection::Down, held, at, budget)?;
    Some(search.aligned)
}

#[derive(Clone, Copy)]
enum AlignDirection {
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

struct AlignSearch<'a, 'b> {
    old: &'a OldHunkLines<'a>,
    target: &'a TargetText<'b>,
    tolerance: Tolerance,
    steps: &'a mut usize,
    aligned: Aligned,
}

impl AlignSearch<'_, '_> {
    /// Goes on from an old line that is laid, to one end of the hunk. Returns what was not left out.
    ///
    /// Lines that fit are passed in a loop, so that the depth of the recursion is that of the budget.
    fn go(
        &mut self,
        direction: AlignDirection,
        mut laid: usize,
        mut at: usize,
        budget: Budget,
    ) -> Option<Budget> {
        let mut branches = Vec::new();
        loop {
            let Some(next) = self.next_old(direction, laid) else { return Some(budget) };
            branches.push((laid, at));
            match self.next_line(direction, at) {
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
            if let Some(left) = self.leave_out(direction, laid, at, budget) {
                return Some(left);
            }
        }
        None
    }

    /// The old line after `laid` does not fit the line after `at`: leaves out one of the two.
    fn leave_out(
        &mut self,
        direction: AlignDirection,
        laid: usize,
        at: usize,
        budget: Budget,
    ) -> Option<Budget> {
        let next = self.next_old(direction, laid)?;
        self.clear(direction, next);
        if self.is_edge(direction, next) {
            return Some(budget);
        }
        let joint = self.old.lines[laid.min(next)].joint;
        if let Some(line) = self.next_line(direction, at) {
            if budget.blank > 0 && self.target.is_blank(line) {
                let budget = Budget { blank: budget.blank - 1, ..budget };
                if let Some(left) = self.go_over(direction, laid, line, budget) {
                    return Some(left);
                }
            }
            if budget.structural > 0 && joint && self.target.is_structural(line) {
                let budget = Budget { structural: budget.structural - 1, ..budget };
                if let Some(left) = self.go_over(direction, laid, line, budget) {
                    return Some(left);
                }
            }
            if budget.internal > 0 && joint {
                let budget = Budget { internal: budget.internal - 1, ..budget };
                if let Some(left) = self.go_over(direction, laid, line, budget) {
                    return Some(left);
                }
            }
        }
        let dropped = &self.old.lines[next];
        let is_context = self.old.is_context(next);
        if is_context && dropped.blank && budget.blank > 0 {
            let budget = Budget { blank: budget.blank - 1, ..budget };
            if let Some(left) = self.go(direction, next, at, budget) {
                return Some(left);
            }
        }
        if is_context && budget.internal > 0 && self.is_inner(direction, next) {
            let budget = Budget { internal: budget.internal - 1, ..budget };
            self.clear(direction, next);
            if let Some(left) = self.go(direction, next, at, budget) {
                return Some(left);
            }
        }
        None
    }

    /// Leaves out one line of the text and tries the next old line after it.
    fn go_over(
        &mut self,
        direction: AlignDirection,
        laid: usize,
        over: usize,
        budget: Budget,
    ) -> Option<Budget> {
        if let Some(next) = self.next_old(direction, laid) {
            self.clear(direction, next);
        }
        self.go(direction, laid, over, budget)
    }

    /// Whether everything from `next` to the end of the hunk is context that fuzz may leave out.
    ///
    /// Where the hunk ends with its change, the last old line is not the end of it but is beside the change.
    fn is_edge(&self, direction: AlignDirection, next: usize) -> bool {
        let (rest, context) = match direction {
            AlignDirection::Up => (next + 1, self.old.context.0),
            AlignDirection::Down => (self.old.lines.len() - next, self.old.context.1),
        };
        rest <= self.tolerance.fuzz.min(context)
    }

    /// Whether an old line has another one after it.
    fn is_inner(&self, direction: AlignDirection, old: usize) -> bool {
        self.next_old(direction, old).is_some()
    }

    fn clear(&mut self, direction: AlignDirection, from: usize) {
        match direction {
            AlignDirection::Up => self.aligned[..=from].fill(None),
            AlignDirection::Down => self.aligned[from..].fill(None),
        }
    }

    fn next_old(&self, direction: AlignDirection, old: usize) -> Option<usize> {
        match direction {
            AlignDirection::Up => old.checked_sub(1),
            AlignDirection::Down => Some(old + 1).filter(|next| *next < self.old.lines.len()),
        }
    }

    fn next_line(&self, direction: AlignDirection, line: usize) -> Option<usize> {
        match direction {
            AlignDirection::Up => line.checked_sub(1),
            AlignDirection::Down => Some(line + 1).filter(|next| *next < self.target.len()),
        }
    }

    fn same(&mut self, old: usize, line: usize) -> bool {
        *self.steps = self.steps.saturating_sub(1);
        if *self.steps == 0 {
            return false;
        }
        let wanted = &self.old.lines[old];
        match self.tolerance.likeness {
            LineLikeness::Exact => is_exact(wanted.line, self.target, line),
            LineLikeness::Loose => wanted.number == self.target.number(line),
        }
    }
}

/// Whether a line of a hunk is a line of the text, byte by byte.
pub(crate) fn is_exact(wanted: &HunkLine, target: &TargetText<'_>, line: usize) -> bool {
    target.line(line) == wanted.text && target.has_newline(line) == wanted.newline
}
