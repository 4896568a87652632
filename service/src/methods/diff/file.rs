//! One file of a diff: which of its lines are shown, what is known of each, and which threads are at it.

use std::collections::BTreeMap;
use std::ops::Range;

use postil_core::edit::{self, Coordinates, Text};
use postil_protocol::{
    ByteText, Diff, DiffFile, DiffLeft, DiffLine, DiffMark, EnclosingLine, Fault, PlaceState, Side,
    ThreadView,
};

use super::comparisons::FileComparison;
use super::files::BaseAndHead;
use super::sides::SideTexts;
use super::size::{DiffRoom, count};
use super::words::changed_words;
use crate::view::syntax::SyntaxOfFile;

/// Default number of unchanged lines around each change.
const CONTEXT: u32 = 3;

/// The line that others are inside of is not looked for any further up.
const MAX_ENCLOSING_LINES: u32 = 2_000;

/// So much of that line is told.
const MAX_ENCLOSING_BYTES: usize = 160;

/// How threads on deleted lines are put into a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OldLines {
    /// By the numbers that they have.
    Counted,
    /// By what they say.
    Sought,
}

/// One file of a diff, with the threads that are in it; `found` says what it is.
///
/// What it holds is read only if lines of it are shown.
pub(super) fn file(
    mut found: DiffFile,
    comparison: &FileComparison,
    texts: &SideTexts<'_>,
    asked: &Diff,
    old_lines: OldLines,
    threads: Vec<ThreadView>,
    room: &mut DiffRoom,
) -> Result<DiffFile, Fault> {
    let FileComparison { diff, binary, change } = comparison;
    found.binary = *binary;
    found.change = Some(change.clone());
    if found.binary {
        found.threads = threads;
        room.set_aside(&mut found.threads);
        let taken = room.take(&[], diff, texts, &mut BTreeMap::new(), &mut found.threads)?;
        found.left = taken.left;
        leave_out(&mut found.left, taken.rest.iter());
        return Ok(found);
    }
    let (mut on, ranges, whole) = placed(threads, texts, diff, old_lines)?;
    found.threads = whole;
    for threads in on.values_mut().chain([&mut found.threads]) {
        room.set_aside(threads);
    }
    found.total = diff.len();
    for hunk in diff.map().hunks() {
        found.added += hunk.after.len() as u32;
        found.deleted += hunk.before.len() as u32;
    }
    let shown = match asked.only {
        Some(only) => std::iter::once(only.from.min(diff.len())..only.to.min(diff.len())).collect(),
        None => near(diff, ranges, asked.context.unwrap_or(CONTEXT)),
    };
    let taken = room.take(&shown, diff, texts, &mut on, &mut found.threads)?;
    if !taken.shown.is_empty() {
        let (old, new) = texts.both()?;
        found.lines = lines(diff, (old, new), &taken.shown, &mut on, asked);
        if asked.syntax {
            add_syntax(&mut found.lines, texts.paths(), (old, new));
        }
    }
    found.left = taken.left;
    // Their lines were not asked for.
    let rest = on.into_iter().filter(|(offset, _)| *offset >= room.from());
    let rest = rest.flat_map(|(_, threads)| threads).chain(taken.rest);
    if room.is_limited() {
        leave_out(&mut found.left, rest.collect::<Vec<_>>().iter());
    } else {
        found.threads.extend(rest);
    }
    room.cut(&mut found.lines);
    Ok(found)
}

/// Counts the threads of lines that were left out.
fn leave_out<'a>(left: &mut Option<DiffLeft>, rest: impl Iterator<Item = &'a ThreadView>) {
    if let Some(left) = left {
        for thread in rest {
            count(left, thread);
        }
    }
}

/// The threads by the lines that they end at, the lines that they are about, and those without a line.
type Placed = (BTreeMap<u32, Vec<ThreadView>>, Vec<Range<u32>>, Vec<ThreadView>);

fn placed(
    threads: Vec<ThreadView>,
    texts: &SideTexts<'_>,
    diff: &Coordinates,
    old_lines: OldLines,
) -> Result<Placed, Fault> {
    let (mut on, mut ranges, mut whole) = Placed::default();
    for thread in threads {
        let sought = match lines_of(&thread) {
            Some((Side::Old, _, last)) if old_lines == OldLines::Sought => {
                Some(deleted(&thread, last - 1, &texts.both()?.0, diff))
            }
            _ => None,
        };
        let lines = lines_of(&thread).and_then(|(side, first, last)| {
            let end = match sought {
                Some(found) => found?,
                None => last - 1,
            };
            let at = |line: u32| match side {
                Side::New => diff.offset_of_after(line),
                Side::Old => diff.offset_of_before(line),
            };
            let start = end.saturating_sub(last.saturating_sub(first));
            let end = at(end)?;
            Some(at(start).filter(|start| *start <= end).unwrap_or(end)..end + 1)
        });
        match lines {
            Some(lines) => {
                on.entry(lines.end - 1).or_default().push(thread);
                ranges.push(lines);
            }
            None => whole.push(thread),
        }
    }
    Ok((on, ranges, whole))
}

/// The lines that are shown.
fn lines(
    diff: &Coordinates,
    (old, new): (&Text, &Text),
    shown: &[Range<u32>],
    on: &mut BTreeMap<u32, Vec<ThreadView>>,
    asked: &Diff,
) -> Vec<DiffLine> {
    let mut words = if asked.words { changed_words(diff, old, new, shown) } else { BTreeMap::new() };
    let mut lines = Vec::with_capacity(shown.iter().map(ExactSizeIterator::len).sum());
    let mut before = 0;
    for range in shown {
        for offset in range.clone() {
            let Some(at) = diff.line(offset) else { continue };
            let mut line = line(at, offset, (old, new), on.remove(&offset).unwrap_or_default());
            line.words = words.remove(&offset).unwrap_or_default();
            if offset == range.start && asked.enclosing && asked.only.is_none() {
                line.enclosing = enclosing(diff, new, range.clone(), before);
            }
            lines.push(line);
        }
        before = range.end;
    }
    lines
}

/// The line that a group of lines is inside of: the next one above that is indented less, if it is not shown.
fn enclosing(diff: &Coordinates, new: &Text, group: Range<u32>, shown_to: u32) -> Option<EnclosingLine> {
    let first = group.into_iter().find_map(|offset| diff.line(offset)?.after())?;
    // The indentation of a blank line says nothing.
    let indent = (first..new.len().min(first + 20)).find_map(|line| new.indent(line))?;
    let above = (first.saturating_sub(MAX_ENCLOSING_LINES)..first).rev();
    let line = above.into_iter().find(|line| new.indent(*line).is_some_and(|found| found < indent))?;
    let offset = diff.offset_of_after(line).filter(|offset| *offset >= shown_to)?;
    let text = new.line(line);
    let cut = text.get(..MAX_ENCLOSING_BYTES).unwrap_or(text);
    Some(EnclosingLine { offset, text: ByteText::new(cut.trim_ascii()) })
}

/// Says what the pieces of the lines are; both sides are read from their beginnings.
fn add_syntax(lines: &mut [DiffLine], (before, after): &BaseAndHead, (old, new): (&Text, &Text)) {
    let is_deleted = |line: &DiffLine| line.mark == DiffMark::Deleted;
    // What only adds lines does not need the old side.
    let before = before.as_ref().filter(|_| lines.iter().any(is_deleted));
    let mut old = before.map(|path| SyntaxOfFile::new(path, old.bytes()));
    let mut new = after.as_ref().map(|path| SyntaxOfFile::new(path, new.bytes()));
    for line in lines {
        let (side, number) = if is_deleted(line) { (&mut old, line.before) } else { (&mut new, line.after) };
        if let (Some(side), Some(number)) = (side, number) {
            line.syntax = side.line(number - 1);
        }
    }
}

/// The last of the lines that a thread is about, if they are deleted: of several, those nearest to `near`.
fn deleted(thread: &ThreadView, near: u32, old: &Text, diff: &Coordinates) -> Option<u32> {
    let wanted = &thread.anchor.as_ref()?.lines;
    let count = u32::try_from(wanted.len()).ok().filter(|count| *count > 0)?;
    let says = |line: u32, wanted: &Option<ByteText>| {
        wanted.as_ref().is_some_and(|wanted| old.line(line) == wanted.as_bytes())
    };
    let gone = (0..diff.len()).filter_map(|offset| match diff.line(offset)? {
        edit::LineCoordinates::Deleted { before } => Some(before),
        _ => None,
    });
    gone.filter(|last| last + 1 >= count)
        .filter(|last| (last + 1 - count..=*last).zip(wanted).all(|(line, wanted)| says(line, wanted)))
        .min_by_key(|last| last.abs_diff(near))
}

/// The first and the last line of a thread; for an orphan, those of its first candidate, which is where it was.
fn lines_of(thread: &ThreadView) -> Option<(Side, u32, u32)> {
    let position = thread.position.as_ref()?;
    let (start, end) = match position.state {
        PlaceState::Orphaned => {
            let candidate = position.candidates.first()?;
            (candidate.start, candidate.end)
        }
        PlaceState::Anchored | PlaceState::Shifted | PlaceState::Outdated => (position.start, position.end),
    };
    let end = end.filter(|end| *end > 0)?;
    Some((position.side, start.unwrap_or(end).clamp(1, end), end))
}

/// What is near a change or a thread, in order and apart from each other.
fn near(diff: &Coordinates, threads: Vec<Range<u32>>, context: u32) -> Vec<Range<u32>> {
    let mut ranges = threads;
    for hunk in diff.map().hunks() {
        // Deleted lines of a change come before its added ones.
        let first = if hunk.before.is_empty() {
            diff.offset_of_after(hunk.after.start)
        } else {
            diff.offset_of_before(hunk.before.start)
        };
        let count = (hunk.before.len() + hunk.after.len()) as u32;
        ranges.extend(first.filter(|_| count > 0).map(|first| first..first + count));
    }
    ranges.sort_by_key(|range| range.start);
    let mut near: Vec<Range<u32>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (start, end) =
            (range.start.saturating_sub(context), range.end.saturating_add(context).min(diff.len()));
        match near.last_mut().filter(|last| last.end >= start) {
            Some(last) => last.end = last.end.max(end),
            None => near.push(start..end),
        }
    }
    near
}

fn line(
    found: edit::LineCoordinates,
    offset: u32,
    (old, new): (&Text, &Text),
    threads: Vec<ThreadView>,
) -> DiffLine {
    let (mark, text) = match found {
        edit::LineCoordinates::Kept { after, .. } => (DiffMark::Kept, new.line(after)),
        edit::LineCoordinates::Added { after } => (DiffMark::Added, new.line(after)),
        edit::LineCoordinates::Deleted { before } => (DiffMark::Deleted, old.line(before)),
    };
    let number = |line: Option<u32>| line.map(|line| line + 1);
    let (before, after) = (number(found.before()), number(found.after()));
    let no_newline = match found {
        edit::LineCoordinates::Deleted { before } => is_unended(old, before),
        edit::LineCoordinates::Kept { after, .. } | edit::LineCoordinates::Added { after } => {
            is_unended(new, after)
        }
    };
    DiffLine {
        offset,
        before,
        after,
        mark,
        text: ByteText::new(text),
        threads,
        words: Vec::new(),
        no_newline,
        syntax: Vec::new(),
        enclosing: None,
        cut: 0,
    }
}

/// Whether a line is the last one, and has no newline.
fn is_unended(text: &Text, line: u32) -> bool {
    line + 1 == text.len() && !text.bytes().ends_with(b"\n")
}
