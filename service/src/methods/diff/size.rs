//! How much of a diff one answer has: which lines and threads fit, and what is said of those that do not.

use std::collections::BTreeMap;
use std::ops::Range;

use postil_core::edit::{Coordinates, LineCoordinates};
use postil_protocol::{
    DiffLeft, DiffLimit, DiffLine, Fault, PlaceState, ThreadStatus, ThreadView, ThreadsLeft,
};

use super::sides::SideTexts;

/// A line counts as one more for so many bytes.
const BYTES_OF_A_LINE: usize = 256;

/// A thread counts as so many lines at least.
const LINES_OF_A_THREAD: u64 = 8;

/// Of a larger thread, an answer with a limit has its first words. Many of them fit into an answer.
const MAX_THREAD_BYTES: usize = 32 << 10;

/// Of so many threads on the whole review and so many orphans, an answer with a limit has all.
const MAX_PLACELESS: usize = 100;

/// So much of a text remains of a thread that is cut.
const MAX_WORDS: usize = 200;

/// So many tags do.
const MAX_TAGS: usize = 8;

/// A change is not cut in two if it ends within so many lines.
const MAX_UNCUT: u32 = 400;

/// What still fits into the answer.
#[derive(Debug)]
pub(super) struct DiffRoom {
    limit: Option<DiffLimit>,
    left: u64,
    /// Orphans, which are at none of the lines.
    orphans: Vec<ThreadView>,
}

/// What is taken of the lines of a file.
#[derive(Debug, Default)]
pub(super) struct TakenLines {
    /// Which lines.
    pub shown: Vec<Range<u32>>,
    /// What is left of the file.
    pub left: Option<DiffLeft>,
    /// The threads that are left of a line that is shown, or of the whole file.
    pub rest: Vec<ThreadView>,
}

impl DiffRoom {
    pub fn new(limit: Option<DiffLimit>) -> Self {
        let left = limit.map_or(u64::MAX, |limit| u64::from(limit.lines));
        Self { limit, left, orphans: Vec::new() }
    }

    /// Whether the answer has a limit.
    pub fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// The offset in the diff of a file before which nothing is returned.
    pub fn from(&self) -> u32 {
        self.limit.map_or(0, |limit| limit.from)
    }

    /// Sets the orphans among some threads aside.
    pub fn set_aside(&mut self, threads: &mut Vec<ThreadView>) {
        if self.is_limited() && threads.iter().any(is_orphan) {
            let (mut orphans, others) = std::mem::take(threads).into_iter().partition(is_orphan);
            self.orphans.append(&mut orphans);
            *threads = others;
        }
    }

    /// Of the threads on a whole file and the lines that would be shown, those that fit; and how many do not, from which on.
    ///
    /// One line fits if any does, and one of its threads if that line does, so that whoever goes on asking comes to the end.
    pub fn take(
        &mut self,
        shown: &[Range<u32>],
        diff: &Coordinates,
        texts: &SideTexts<'_>,
        on: &mut BTreeMap<u32, Vec<ThreadView>>,
        whole: &mut Vec<ThreadView>,
    ) -> Result<TakenLines, Fault> {
        let Some(limit) = self.limit else {
            return Ok(TakenLines { shown: shown.to_vec(), ..TakenLines::default() });
        };
        let wanted: Vec<Range<u32>> = shown
            .iter()
            .map(|range| range.start.max(limit.from)..range.end)
            .filter(|range| !range.is_empty())
            .collect();
        let mut known = limit.threads as usize;
        let mut of_file = 0;
        if limit.from == 0 {
            let before = known.min(whole.len());
            whole.drain(..before);
            known -= before;
            let taken = self.take_threads(whole, 0);
            of_file = before + taken;
            if taken < whole.len() || (self.left == 0 && taken > 0) {
                let rest = whole.split_off(taken);
                let lines = wanted.iter().map(|range| range.end - range.start).sum();
                let left = DiffLeft { lines, threads: number(of_file), ..DiffLeft::default() };
                let is_over = rest.is_empty() && lines == 0;
                return Ok(TakenLines { left: (!is_over).then_some(left), rest, ..TakenLines::default() });
            }
        } else {
            whole.clear();
        }
        let mut found = TakenLines { shown: Vec::with_capacity(wanted.len()), ..TakenLines::default() };
        for (at, range) in wanted.iter().enumerate() {
            let (end, threads) = self.end_of(range, diff, texts, on, known, &mut found.rest)?;
            if end > range.start {
                found.shown.push(range.start..end);
            }
            if end < range.end || threads > 0 {
                let rest: u32 = wanted[at + 1..].iter().map(|range| range.end - range.start).sum();
                let (lines, from) = (range.end - end + rest, end - u32::from(threads > 0));
                // At the beginning, those on the whole file count as well.
                let threads = if from == 0 { threads + number(of_file) } else { threads };
                found.left = Some(DiffLeft { from, lines, threads, ..DiffLeft::default() });
                return Ok(found);
            }
        }
        Ok(found)
    }

    /// Where the lines of a range that fit end; and how many threads of the last one do, if not all of them.
    fn end_of(
        &mut self,
        range: &Range<u32>,
        diff: &Coordinates,
        texts: &SideTexts<'_>,
        on: &mut BTreeMap<u32, Vec<ThreadView>>,
        known: usize,
        rest: &mut Vec<ThreadView>,
    ) -> Result<(u32, u32), Fault> {
        let line_bytes = self.limit.map_or(u32::MAX, |limit| limit.line_bytes) as usize;
        let mut over = 0;
        for offset in range.clone() {
            let Some(line) = diff.line(offset) else { return Ok((range.end, 0)) };
            if self.left == 0 {
                let is_kept = matches!(line, LineCoordinates::Kept { .. });
                // What was begun is brought to the end of its change.
                if is_kept || over == MAX_UNCUT || offset == range.start {
                    return Ok((offset, 0));
                }
                over += 1;
            }
            let text = texts.line(line)?;
            let cost = 1 + (text.len().min(line_bytes) / BYTES_OF_A_LINE) as u64;
            self.left = self.left.saturating_sub(cost);
            let threads = on.get_mut(&offset).filter(|threads| !threads.is_empty());
            let is_plain = cost == 1 && threads.is_none();
            if let Some(threads) = threads {
                let known = if offset == self.from() { known.min(threads.len()) } else { 0 };
                threads.drain(..known);
                let taken = self.take_threads(threads, 1);
                if taken < threads.len() {
                    rest.extend(threads.drain(taken..));
                    return Ok((offset + 1, number(known + taken)));
                }
            }
            // What takes much is not worth the end of its change.
            over = if !is_plain && self.left == 0 { MAX_UNCUT } else { over };
        }
        Ok((range.end, 0))
    }

    /// How many of these threads fit, or `least` of them.
    fn take_threads(&mut self, threads: &mut [ThreadView], least: usize) -> usize {
        for (at, thread) in threads.iter_mut().enumerate() {
            if self.left == 0 && at >= least {
                return at;
            }
            let lines = shorten(thread).div_ceil(BYTES_OF_A_LINE) as u64;
            self.left = self.left.saturating_sub(lines.max(LINES_OF_A_THREAD));
        }
        threads.len()
    }

    /// Of the threads at no line, those that one answer has; and what is left of them.
    pub fn take_placeless(self, mut threads: Vec<ThreadView>) -> (Vec<ThreadView>, Option<ThreadsLeft>) {
        threads.extend(self.orphans);
        let Some(limit) = self.limit else { return (threads, None) };
        let (orphans, review): (Vec<_>, Vec<_>) = threads.into_iter().partition(is_placeless);
        let mut left = ThreadsLeft::default();
        let mut taken = Vec::new();
        for (mut threads, left) in [(review, &mut left.review), (orphans, &mut left.orphans)] {
            threads.drain(..threads.len().min(limit.threads as usize));
            let rest = threads.split_off(threads.len().min(MAX_PLACELESS));
            for thread in &rest {
                count(left, thread);
            }
            if !rest.is_empty() {
                left.threads = limit.threads.saturating_add(number(threads.len()));
            }
            for mut thread in threads {
                shorten(&mut thread);
                taken.push(thread);
            }
        }
        (taken, Some(left).filter(|left| *left != ThreadsLeft::default()))
    }

    /// Cuts the ends of long lines.
    pub fn cut(&self, lines: &mut [DiffLine]) {
        let Some(limit) = self.limit else { return };
        let most = limit.line_bytes as usize;
        for line in lines {
            let text = line.text.as_bytes();
            if text.len() <= most {
                continue;
            }
            let is_inside = |at: &usize| text[*at] & 0xc0 == 0x80;
            let end = (most.saturating_sub(3)..=most).rev().find(|at| !is_inside(at)).unwrap_or(most);
            line.cut = (text.len() - end) as u64;
            line.text = postil_protocol::ByteText::new(&text[..end]);
            line.syntax.retain(|span| (span.start as usize) < end);
        }
    }
}

/// Counts threads that are left out.
pub(super) fn count(left: &mut DiffLeft, thread: &ThreadView) {
    match thread.status {
        ThreadStatus::Open => left.open += 1,
        ThreadStatus::Resolved => left.resolved += 1,
        ThreadStatus::Withdrawn => {}
    }
    let state = thread.position.as_ref().map(|position| position.state);
    left.outdated += u32::from(thread.status == ThreadStatus::Open && state == Some(PlaceState::Outdated));
    left.drafts += thread.comments.iter().filter(|comment| comment.draft).count() as u32;
    left.suggestions += u32::from(thread.suggestion.is_some());
}

/// Whether a thread is at no line of a file, and belongs to one.
fn is_placeless(thread: &ThreadView) -> bool {
    is_orphan(thread) || thread.anchor.is_some()
}

/// Whether a thread has no place any more.
fn is_orphan(thread: &ThreadView) -> bool {
    thread.position.as_ref().is_some_and(|position| position.state == PlaceState::Orphaned)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Cuts a thread that is very large to its first words; returns how many bytes it takes.
fn shorten(thread: &mut ThreadView) -> usize {
    let size = size_of(thread);
    if size <= MAX_THREAD_BYTES {
        return size;
    }
    thread.cut = true;
    thread.comments.truncate(1);
    thread.proposals.clear();
    thread.copies.clear();
    thread.depends_on.clear();
    thread.tags.truncate(MAX_TAGS);
    thread.tags.iter_mut().for_each(cut_text);
    if let Some(by) = &mut thread.status_by {
        by.reason = None;
        cut_text(&mut by.author.name);
        cut_text(&mut by.author.email);
    }
    for comment in &mut thread.comments {
        let first = comment.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        comment.text = first.to_owned();
        cut_text(&mut comment.text);
        cut_text(&mut comment.author.name);
        cut_text(&mut comment.author.email);
        comment.proposed.clear();
        comment.tags.clear();
        comment.suggestion = None;
    }
    if let Some(anchor) = &mut thread.anchor {
        anchor.lines.clear();
        anchor.before.clear();
        anchor.after.clear();
        anchor.headings.clear();
        (anchor.quote, anchor.prefix, anchor.suffix) = (None, None, None);
    }
    if let Some(message) = &mut thread.message {
        message.lines.clear();
    }
    size_of(thread)
}

fn cut_text(text: &mut String) {
    let end = (0..=text.len().min(MAX_WORDS)).rev().find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or_default());
}

/// How many bytes a thread takes in an answer.
fn size_of(thread: &ThreadView) -> usize {
    struct Counter(usize);
    impl std::io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, thread) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}
