//! Where in a diff each thread is shown: below a line of it, with its file, or outside of it.

use std::collections::BTreeMap;

use postil_protocol::{ByteText, PlaceState, Side, ThreadView};

use super::git_output::{DiffSection, GitLine};
use super::section_paths::SectionPaths;

/// How threads on deleted lines are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletedLines {
    /// By their numbers: the diff has the base of the review.
    Counted,
    /// By what they say: another base may not have them, or elsewhere.
    Sought,
}

/// The threads of a diff, until the file of each was printed.
#[derive(Debug)]
pub struct ThreadsToPlace {
    new: BTreeMap<Vec<u8>, Vec<ThreadView>>,
    old: BTreeMap<Vec<u8>, Vec<ThreadView>>,
    whole: Vec<ThreadView>,
    deleted: DeletedLines,
}

/// The threads of a file.
#[derive(Debug, Default)]
pub(super) struct PlacedThreads {
    /// By the index of the line that they are shown below, in the order of the lines.
    pub below: BTreeMap<usize, Vec<ThreadView>>,
    /// By the index of the last line of a hunk, if its lines cannot be counted.
    pub after_hunk: BTreeMap<usize, Vec<ThreadView>>,
    /// On the whole file, or on lines that the diff does not show.
    pub rest: Vec<ThreadView>,
}

impl ThreadsToPlace {
    /// Sorts threads by their files; in each they stay in order.
    pub fn new(threads: Vec<ThreadView>, deleted: DeletedLines) -> Self {
        let (new, old, whole) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut sorted = Self { new, old, whole, deleted };
        for thread in threads {
            let position = thread.position.as_ref();
            let path = position.and_then(|position| position.path.as_ref());
            // An orphan is shown in the file of its first candidate, or in its old file.
            let perhaps = position.and_then(|position| position.candidates.first()).map(|found| &found.path);
            let path = path.or(perhaps).or_else(|| thread.anchor.as_ref().map(|anchor| &anchor.path));
            match (path.map(|path| path.as_bytes().to_vec()), position.map(|position| position.side)) {
                (Some(path), Some(Side::Old)) => sorted.old.entry(path).or_default().push(thread),
                (Some(path), _) => sorted.new.entry(path).or_default().push(thread),
                (None, _) => sorted.whole.push(thread),
            }
        }
        sorted
    }

    /// Takes those that are not about a file.
    pub(super) fn take_whole(&mut self) -> Vec<ThreadView> {
        std::mem::take(&mut self.whole)
    }

    /// Takes those of a file, and finds their lines in what git printed about it.
    pub(super) fn take(&mut self, paths: &SectionPaths, section: &DiffSection) -> PlacedThreads {
        let (before, after) = (paths.before.as_ref(), paths.after.as_ref());
        let mut threads = before.and_then(|path| self.old.remove(path)).unwrap_or_default();
        threads.extend(after.or(before).and_then(|path| self.new.remove(path)).unwrap_or_default());
        if threads.is_empty() {
            return PlacedThreads::default();
        }
        let lines = NumberedLines::of(section);
        let mut placed = PlacedThreads::default();
        for thread in threads {
            let found = last_line(&thread).and_then(|(side, line)| {
                let line = match (side, self.deleted) {
                    (Side::Old, DeletedLines::Sought) => lines.sought(&thread, line, section)?,
                    _ => line,
                };
                lines.find(side, line)
            });
            match found {
                Some(FoundLine::At(at)) => placed.below.entry(at).or_default().push(thread),
                Some(FoundLine::InHunk(last)) => placed.after_hunk.entry(last).or_default().push(thread),
                None => placed.rest.push(thread),
            }
        }
        placed
    }

    /// What was in no file of the diff, by file.
    pub(super) fn left(self) -> Vec<ThreadView> {
        let mut left = self.new;
        for (path, threads) in self.old {
            left.entry(path).or_default().extend(threads);
        }
        self.whole.into_iter().chain(left.into_values().flatten()).collect()
    }
}

/// The last line of a thread; for an orphan, that of its first candidate, which is where it was.
fn last_line(thread: &ThreadView) -> Option<(Side, u32)> {
    let position = thread.position.as_ref()?;
    let end = match position.state {
        PlaceState::Orphaned => position.candidates.first()?.end,
        PlaceState::Anchored | PlaceState::Shifted | PlaceState::Outdated => position.end,
    };
    Some((position.side, end?))
}

/// Where a line is in a section.
enum FoundLine {
    /// At this index.
    At(usize),
    /// Somewhere in the hunk that ends with this index.
    InHunk(usize),
}

/// The lines of a section by their numbers.
struct NumberedLines {
    /// Number and index, in order; of the old side those that are deleted are told apart.
    new: Vec<(u32, usize)>,
    kept: Vec<(u32, usize)>,
    deleted: Vec<(u32, usize)>,
    /// Hunks without counted lines, with the index of the last line of each.
    uncounted: Vec<(super::git_output::HunkExtent, usize)>,
}

impl NumberedLines {
    fn of(section: &DiffSection) -> Self {
        let (new, kept, deleted, uncounted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut lines = Self { new, kept, deleted, uncounted };
        let mut hunk = None;
        for (at, (_, what)) in section.lines().enumerate() {
            match what {
                GitLine::Kept { before, after } => {
                    lines.kept.push((before, at));
                    lines.new.push((after, at));
                }
                GitLine::Added { after } => lines.new.push((after, at)),
                GitLine::Deleted { before } => lines.deleted.push((before, at)),
                GitLine::Hunk(extent) => {
                    lines.uncounted.push((extent, at));
                    hunk = Some(lines.uncounted.len() - 1);
                    continue;
                }
                GitLine::Other | GitLine::Incomplete => {
                    if let Some(hunk) = hunk {
                        lines.uncounted[hunk].1 = at;
                    }
                    continue;
                }
                GitLine::Header => {}
            }
            if hunk.take().is_some() {
                lines.uncounted.pop();
            }
        }
        lines
    }

    fn find(&self, side: Side, line: u32) -> Option<FoundLine> {
        let find = |numbered: &[(u32, usize)]| {
            let found = numbered.binary_search_by_key(&line, |(number, _)| *number).ok()?;
            Some(FoundLine::At(numbered[found].1))
        };
        let counted = match side {
            Side::New => find(&self.new),
            Side::Old => find(&self.deleted).or_else(|| find(&self.kept)),
        };
        counted.or_else(|| {
            let (_, last) = self.uncounted.iter().find(|(extent, _)| extent.has(side, line))?;
            Some(FoundLine::InHunk(*last))
        })
    }

    /// The last of the lines that a thread is about, if they are deleted: of several, those nearest to `near`.
    fn sought(&self, thread: &ThreadView, near: u32, section: &DiffSection) -> Option<u32> {
        let wanted = &thread.anchor.as_ref()?.lines;
        let says = |at: usize, wanted: &Option<ByteText>| {
            let line = section.plain(at);
            let bare = |line: &[u8]| line.strip_suffix(b"\r").unwrap_or(line).to_vec();
            wanted.as_ref().is_some_and(|wanted| bare(&line[1..]) == bare(wanted.as_bytes()))
        };
        let found = self.deleted.windows(wanted.len().max(1)).filter(|lines| {
            let is_one = lines.windows(2).all(|two| two[0].0 + 1 == two[1].0);
            is_one && !wanted.is_empty() && lines.iter().zip(wanted).all(|((_, at), line)| says(*at, line))
        });
        let last = found.filter_map(|lines| lines.last().map(|(number, _)| *number));
        last.min_by_key(|last| last.abs_diff(near))
    }
}
