//! Positions in the notes that cannot be true, or that nobody here can judge.
//!
//! They are ignored wherever positions are read (`claims`); this only finds them, so that a person hears of them.

use std::collections::HashMap;

use postil_core::anchoring::ENGINE_VERSION;
use postil_core::edit::Text;
use postil_core::git::{CommitId, ObjectId, TreeId, history, tree};
use postil_core::record::{AnchorSide, PositionEntry, Timestamp};

use crate::request::Request;

/// Clocks differ, but not by more than this.
const FUTURE_SECONDS: i64 = 24 * 60 * 60;

/// Positions that are ignored for the same reason.
#[derive(Debug, Default)]
pub(crate) struct FalseClaims {
    /// How many.
    pub count: usize,
    /// The first of them, in words.
    pub example: Option<String>,
}

impl FalseClaims {
    fn add(&mut self, example: impl FnOnce() -> String) {
        self.count += 1;
        self.example.get_or_insert_with(example);
    }
}

/// What the positions in the notes claim that is not so.
#[derive(Debug, Default)]
pub(crate) struct FalseClaimsFound {
    /// Entries of an engine that is not known here.
    pub later_engine: FalseClaims,
    /// Heads whose time is not their commit's, or has not come yet.
    pub time: FalseClaims,
    /// Entries with a file that the head does not have, or lines that the file does not have.
    pub place: FalseClaims,
}

/// Looks at all positions that stand in the notes of their heads.
///
/// What is said about a commit that is not here cannot be checked, but for a time in the future.
pub(crate) fn false_claims(request: &Request, now: Timestamp) -> FalseClaimsFound {
    let handle = request.work_tree.repository().handle();
    let now = i64::try_from(now.0 / 1000).unwrap_or(i64::MAX);
    let mut found = FalseClaimsFound::default();
    for head in request.notes.stored_heads() {
        let commit = history::commit(&handle, head).ok();
        let mut lines = LineCounts { handle: &handle, known: HashMap::new() };
        let mut is_time_seen = false;
        for (time, raw) in request.notes.entries_about(head) {
            let is_wrong = match &commit {
                Some(commit) => commit.time != time,
                None => time.saturating_sub(now) > FUTURE_SECONDS,
            };
            if is_wrong && !is_time_seen {
                is_time_seen = true;
                found.time.add(|| format!("{head} at {time}"));
            }
            match raw.read() {
                Ok(entry) if entry.engine <= ENGINE_VERSION => {
                    let files = commit.as_ref().map(|commit| commit.tree);
                    if files.is_some_and(|files| lines.rules_out(request, files, &entry)) {
                        found.place.add(|| place_in_words(&entry, head));
                    }
                }
                Ok(entry) => {
                    let (comment, engine) = (entry.comment, entry.engine);
                    found.later_engine.add(|| format!("engine {engine} for comment {comment} at {head}"));
                }
                Err(_) => found.later_engine.add(|| format!("comment {} at {head}", raw.comment())),
            }
        }
    }
    found
}

fn place_in_words(entry: &PositionEntry, head: CommitId) -> String {
    let path = entry.path.as_ref().map(ToString::to_string).unwrap_or_default();
    let line = entry.range.map(|range| format!(":{}", range.span().last())).unwrap_or_default();
    format!("comment {} at {path}{line} in {head}", entry.comment)
}

/// How many lines files have, each counted once.
struct LineCounts<'a> {
    handle: &'a gix::Repository,
    known: HashMap<ObjectId, Option<u32>>,
}

impl LineCounts<'_> {
    /// Whether these files do not have the place of an entry.
    fn rules_out(&mut self, request: &Request, files: TreeId, entry: &PositionEntry) -> bool {
        let thread = request.notes.threads.thread_of(entry.comment);
        let is_new = thread.and_then(|thread| Some(thread.anchor()?.side == AnchorSide::New));
        // Deleted lines are in the base, and which one that was is not said.
        let (Some(path), Some(true)) = (&entry.path, is_new) else { return false };
        match tree::entry_at(self.handle, files, path) {
            Ok(None) => true,
            Ok(Some(found)) => {
                let lines = self.of(found.id);
                entry.range.is_some_and(|range| lines.is_some_and(|lines| range.span().last() > lines))
            }
            Err(_) => false,
        }
    }

    fn of(&mut self, blob: ObjectId) -> Option<u32> {
        let count = || {
            let content = self.handle.find_blob(blob.raw()).ok()?.take_data();
            Some(Text::new(content).len())
        };
        *self.known.entry(blob).or_insert_with(count)
    }
}
