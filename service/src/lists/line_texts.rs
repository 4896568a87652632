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
use crate::lists::listed_threads::{Chosen, Ranked, thread_line};
use crate::notes::index::NotesVersion;
use crate::request::Request;
use crate::suggestions::status::suggests;

/// Where the lines of threads are in the text of an answer.
#[derive(Debug)]
pub(crate) struct LineTexts {
    version: NotesVersion,
    /// How far into the text of the answer the first begins.
    begin: usize,
    lines: HashMap<RecordId, LineText>,
}

/// One line, and what it rests on beside what was said in its thread.
#[derive(Debug)]
struct LineText {
    entry: Arc<PositionEntry>,
    /// How many digits its short id has: others may come that begin like it.
    digits: usize,
    range: Range<usize>,
}

impl LineTexts {
    /// Writes the lines of these threads, with commas between them. Copies the lines that did not change since `before`,
    /// an earlier answer. No thread may be signed: whether a signature is valid can change at any time.
    pub fn write(
        request: &Request,
        files: &HeadFiles<'_>,
        chosen: &Chosen<'_>,
        before: Option<(&Self, &[u8])>,
    ) -> Result<(Self, Vec<u8>), Fault> {
        let earlier = before.and_then(|(lines, answer)| {
            let touched = request.notes.touched_since(lines.version)?;
            Some(EarlierAnswer { lines, answer, touched })
        });
        let size = before.map_or(0, |(_, answer)| answer.len());
        let mut texts = Vec::with_capacity(size + 1024);
        let mut lines = HashMap::with_capacity(chosen.threads.len());
        for one in &chosen.threads {
            if !texts.is_empty() {
                texts.push(b',');
            }
            let begin = texts.len();
            let digits = request.notes.prefixes.shorten(one.thread.id()).digits();
            match earlier.as_ref().and_then(|earlier| earlier.text(one, digits)) {
                Some(text) => texts.extend_from_slice(text),
                None => {
                    let line = thread_line(request, files, one)?;
                    serde_json::to_writer(&mut texts, &line).map_err(|error| not_written(&error))?;
                }
            }
            if let Some(entry) = one.entry.filter(|_| !suggests(one.thread)) {
                let range = begin..texts.len();
                lines.insert(one.thread.id(), LineText { entry: entry.clone(), digits, range });
            }
        }
        Ok((Self { version: request.notes.version, begin: 0, lines }, texts))
    }

    /// Says how far into the text of an answer the first line begins.
    pub fn begin_at(&mut self, begin: usize) {
        self.begin = begin;
    }
}

/// An earlier answer.
struct EarlierAnswer<'a> {
    lines: &'a LineTexts,
    answer: &'a [u8],
    /// The threads about which something was said since.
    touched: BTreeSet<RecordId>,
}

impl<'a> EarlierAnswer<'a> {
    /// The line of a thread, if it is still the same.
    fn text(&self, one: &Ranked<'_>, digits: usize) -> Option<&'a [u8]> {
        let id = one.thread.id();
        let line = self.lines.lines.get(&id).filter(|line| line.digits == digits)?;
        let is_same = |entry: &Arc<PositionEntry>| Arc::ptr_eq(entry, &line.entry) || *entry == line.entry;
        if !one.entry.is_some_and(is_same) || self.touched.contains(&id) {
            return None;
        }
        self.answer[self.lines.begin..].get(line.range.clone())
    }
}
