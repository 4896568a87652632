//! The lines of a list as JSON text; of most threads it is what an earlier list had.
//!
//! What is said or committed changes few lines of a long list. The others are copied.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use postil_core::record::{PositionEntry, RecordId};
use postil_protocol::Fault;

use crate::files::HeadFiles;
use crate::lists::list_cache::not_written;
use crate::lists::listed_threads::{Ranked, thread_line};
use crate::lists::order::Rank;
use crate::notes::index::NotesVersion;
use crate::positions::overtaken::is_proposed_for;
use crate::request::Request;
use crate::suggestions::status::suggests;

/// Where the lines of threads are in the text of an answer, in the order of the list.
#[derive(Debug)]
pub(crate) struct LineTexts {
    version: NotesVersion,
    /// How far into the text of the answer the first begins.
    begin: usize,
    lines: Vec<LineText>,
}

/// One line, and what it rests on beside what was said in its thread.
#[derive(Clone, Debug)]
struct LineText {
    thread: RecordId,
    /// Where the thread is; `None` if the line rests on more than that, and is made again each time.
    entry: Option<Arc<PositionEntry>>,
    range: Range<u32>,
}

/// The lines of an earlier answer, and which of them may be otherwise now.
pub(crate) struct EarlierLines<'a> {
    lines: &'a LineTexts,
    answer: &'a [u8],
    /// The threads about which something was said since, or whose short ids became longer.
    touched: BTreeSet<RecordId>,
}

impl LineTexts {
    /// Writes the lines of these threads, with commas between them, and copies those that did not change.
    ///
    /// No thread may be signed: whether a signature is valid can change at any time.
    pub fn write(
        request: &Request,
        files: &HeadFiles<'_>,
        threads: &[Ranked<'_>],
        earlier: Option<&EarlierLines<'_>>,
    ) -> Result<(Self, Vec<u8>), Fault> {
        let known = earlier.map(EarlierLines::by_thread).unwrap_or_default();
        let mut writer = LineWriter::new(request, files, threads.len(), earlier);
        for one in threads {
            match known.get(&one.thread.id()).filter(|(line, _)| one.entry == line.entry.as_ref()) {
                Some((line, text)) => writer.copy(line, text),
                None => writer.make(one)?,
            }
        }
        Ok(writer.end())
    }

    /// Writes the earlier lines of all threads but those in `again`, and the lines of these, in order.
    pub fn update(
        request: &Request,
        files: &HeadFiles<'_>,
        threads: &[Ranked<'_>],
        again: &BTreeSet<RecordId>,
        earlier: &EarlierLines<'_>,
    ) -> Result<(Self, Vec<u8>), Fault> {
        let lines = earlier.lines.lines.iter();
        let kept: Vec<&LineText> = lines.filter(|line| !again.contains(&line.thread)).collect();
        let mut kept = kept.as_slice();
        let mut writer = LineWriter::new(request, files, kept.len() + threads.len(), Some(earlier));
        for one in threads {
            let comes_before = |line: &&LineText| {
                let thread = request.notes.threads.thread(line.thread);
                thread.is_some_and(|thread| Rank::of(thread, line.entry.as_deref()) < one.rank)
            };
            let (before, behind) = kept.split_at(kept.partition_point(comes_before));
            for line in before {
                writer.copy(line, earlier.text(line));
            }
            writer.make(one)?;
            kept = behind;
        }
        for line in kept {
            writer.copy(line, earlier.text(line));
        }
        Ok(writer.end())
    }

    /// Says how far into the text of an answer the first line begins.
    pub fn begin_at(&mut self, begin: usize) {
        self.begin = begin;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }
}

impl<'a> EarlierLines<'a> {
    /// Those of an answer; `None` if nobody knows what was said since.
    pub fn of(request: &Request, lines: &'a LineTexts, answer: &'a [u8]) -> Option<Self> {
        Some(Self { lines, answer, touched: request.notes.touched_since(lines.version)? })
    }

    /// Which notes they were made with.
    pub fn version(&self) -> NotesVersion {
        self.lines.version
    }

    /// The threads whose lines may be otherwise, even if all of them are where they were.
    pub fn again(&self) -> BTreeSet<RecordId> {
        let made_each_time = self.lines.lines.iter().filter(|line| line.entry.is_none());
        self.touched.iter().copied().chain(made_each_time.map(|line| line.thread)).collect()
    }

    /// The lines that are the same as long as their threads are where they were.
    fn by_thread(&self) -> HashMap<RecordId, (&'a LineText, &'a [u8])> {
        let is_same = |line: &&LineText| line.entry.is_some() && !self.touched.contains(&line.thread);
        self.lines.lines.iter().filter(is_same).map(|line| (line.thread, (line, self.text(line)))).collect()
    }

    fn text(&self, line: &LineText) -> &'a [u8] {
        let at = |place: u32| self.lines.begin + place as usize;
        &self.answer[at(line.range.start)..at(line.range.end)]
    }
}

/// Writes lines one behind the other.
struct LineWriter<'a, 'f> {
    request: &'a Request,
    files: &'a HeadFiles<'f>,
    lines: Vec<LineText>,
    texts: Vec<u8>,
}

impl<'a, 'f> LineWriter<'a, 'f> {
    fn new(
        request: &'a Request,
        files: &'a HeadFiles<'f>,
        count: usize,
        earlier: Option<&EarlierLines<'_>>,
    ) -> Self {
        let size = earlier.map_or(0, |earlier| earlier.answer.len() + 1024);
        let (lines, texts) = (Vec::with_capacity(count), Vec::with_capacity(size));
        Self { request, files, lines, texts }
    }

    /// Copies an earlier line.
    fn copy(&mut self, line: &LineText, text: &[u8]) {
        let begin = self.begin();
        self.texts.extend_from_slice(text);
        self.push(begin, line.thread, line.entry.clone());
    }

    /// Makes a line.
    fn make(&mut self, one: &Ranked<'_>) -> Result<(), Fault> {
        let line = thread_line(self.request, self.files, one)?;
        let begin = self.begin();
        serde_json::to_writer(&mut self.texts, &line).map_err(|error| not_written(&error))?;
        // What becomes of a suggestion depends on more files than the one that it is in, and whether a proposal stands on
        // the text of the lines.
        let entry = one.entry.filter(|_| !suggests(one.thread) && !is_proposed_for(one.thread));
        self.push(begin, one.thread.id(), entry.cloned());
        Ok(())
    }

    fn begin(&mut self) -> usize {
        if !self.texts.is_empty() {
            self.texts.push(b',');
        }
        self.texts.len()
    }

    fn push(&mut self, begin: usize, thread: RecordId, entry: Option<Arc<PositionEntry>>) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let range = place(begin)..place(self.texts.len());
        self.lines.push(LineText { thread, entry, range });
    }

    fn end(self) -> (LineTexts, Vec<u8>) {
        (LineTexts { version: self.request.notes.version, begin: 0, lines: self.lines }, self.texts)
    }
}
