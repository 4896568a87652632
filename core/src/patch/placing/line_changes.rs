//! Turns a hunk that was laid against a text into replacements of its bytes.
//!
//! Invariant: lines of context keep the bytes and the line end that the text has.

use std::ops::Range;

use crate::edit::Replacement;

use super::align::{Aligned, is_exact};
use super::indent::Indents;
use super::insertion::Insertion;
use super::line::{bare, fold};
use super::target_text::TargetText;
use crate::patch::hunk::{HunkLine, PatchHunk, Role};

/// Lines of the text that go, and lines of the hunk that come in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineChange {
    pub lines: Range<usize>,
    pub added: Vec<usize>,
}

/// What a hunk does to the lines of the text, and to how many places that can go; empty when it lies nowhere.
pub(crate) fn line_changes(
    hunk: &PatchHunk,
    aligned: &Aligned,
    target: &TargetText<'_>,
) -> (Vec<LineChange>, usize) {
    let mut changes: Vec<LineChange> = Vec::new();
    let olds_of_hunk: Vec<&HunkLine> = hunk.old().collect();
    let mut places = 1;
    let mut change = |lines: Range<usize>, added: Option<usize>| match changes.last_mut() {
        Some(last) if last.lines.end == lines.start => {
            last.lines.end = lines.end;
            last.added.extend(added);
        }
        _ => changes.push(LineChange { lines, added: added.into_iter().collect() }),
    };
    let mut old = 0;
    let mut last: Option<usize> = None;
    let mut index = 0;
    for run in hunk.lines.chunk_by(|a, b| (a.role == Role::Context) == (b.role == Role::Context)) {
        let olds = run.iter().filter(|line| line.role != Role::Add).count();
        let laid = &aligned[old..old + olds];
        if run[0].role != Role::Context {
            // Added lines are beside the removed ones of their run, else between the lines above and below them.
            let start = laid.first().copied().flatten().unwrap_or_else(|| {
                let (above, below) = olds_of_hunk.split_at(old);
                let after = aligned[old..].iter().flatten().next().copied();
                let room = Insertion { above, added: run, below, before: last, after }.room(target);
                places = places.max(room.places());
                room.first()
            });
            let mut at = start;
            let mut laid = laid.iter().flatten();
            for (offset, line) in run.iter().enumerate() {
                if line.role == Role::Add {
                    change(at..at, Some(index + offset));
                } else if let Some(gone) = laid.next() {
                    change(*gone..gone + 1, None);
                    at = gone + 1;
                }
            }
        }
        last = aligned[old..old + olds].iter().flatten().last().copied().or(last);
        old += olds;
        index += run.len();
    }
    (changes, places)
}

/// The bytes that change, for the changes of one hunk.
pub(crate) fn replacements(
    hunk: &PatchHunk,
    aligned: &Aligned,
    changes: &[LineChange],
    target: &TargetText<'_>,
    data: usize,
) -> Vec<Replacement<usize>> {
    let style = Style::of(hunk, aligned, target);
    let made = changes.iter().map(|change| {
        let range = target.span(change.lines.clone());
        let added: Vec<_> = change.added.iter().map(|index| &hunk.lines[*index]).collect();
        Replacement::new(range.clone(), style.write(&added, change, range, target), data)
    });
    made.filter(|made| !made.is_nothing()).collect()
}

/// How added lines are written so that they fit the text around them.
enum Style {
    /// The hunk is of this very text: as they are.
    Literal,
    /// As the text has it.
    Adapted { indents: Indents, folded: bool, ending: Option<&'static [u8]> },
}

impl Style {
    fn of(hunk: &PatchHunk, aligned: &Aligned, target: &TargetText<'_>) -> Self {
        let pairs = || hunk.old().zip(aligned).filter_map(|(line, at)| Some((line, (*at)?)));
        let known = pairs().next().is_some() || target.bytes().is_empty();
        if known && pairs().all(|(line, at)| is_exact(line, target, at)) {
            return Self::Literal;
        }
        // What goes is more like what comes than what stays is.
        let removed_first = [Role::Remove, Role::Context].into_iter();
        let sorted = removed_first.flat_map(|role| pairs().filter(move |(line, _)| line.role == role));
        let indents = Indents::learn(sorted.map(|(line, at)| (bare(&line.text), bare(target.line(at)))));
        let typographic = |text: &[u8]| fold(text) != text;
        let folded = pairs().any(|(line, at)| typographic(&line.text) && !typographic(target.line(at)));
        let ending = pairs().find_map(|(_, at)| target.ending(at));
        Self::Adapted { indents, folded, ending }
    }

    fn write(
        &self,
        added: &[&HunkLine],
        change: &LineChange,
        range: Range<usize>,
        target: &TargetText<'_>,
    ) -> Vec<u8> {
        let content = target.bytes();
        let mut written = Vec::new();
        let mut ending: &[u8] = b"\n";
        if let Self::Adapted { ending: known, .. } = self {
            let near = change.lines.clone().find_map(|line| target.ending(line));
            ending = near.or(*known).unwrap_or_else(|| target.usual_ending());
        }
        if added.is_empty() {
            return written;
        }
        if range.start > 0 && content[range.start - 1] != b'\n' {
            written.extend_from_slice(ending);
        }
        for (index, line) in added.iter().enumerate() {
            match self {
                Self::Literal => written.extend_from_slice(&line.text),
                Self::Adapted { indents, folded, .. } => {
                    let text = bare(&line.text);
                    let text = if *folded { fold(text) } else { text.to_vec() };
                    written.extend_from_slice(&indents.put(&text));
                }
            }
            let last = index + 1 == added.len() && range.end == content.len();
            // A patch that was not made for this very text may not know how the text ends.
            let unended =
                matches!(self, Self::Adapted { .. }) && !content.is_empty() && !content.ends_with(b"\n");
            if !(last && (unended || !line.newline)) {
                written.extend_from_slice(ending);
            }
        }
        written
    }
}
