//! Threads whose suggestion was applied: they are at the lines that it wrote.
//!
//! The engine follows the text that was commented on; that a suggestion replaced it, and by what, is in the records. So
//! where the engine finds that text changed or gone, it is asked here what became of the suggestion. What was written and
//! changed again later is followed on from the commit that had it last.

use std::collections::HashMap;
use std::sync::Mutex;

use postil_core::anchoring::{
    Head, LocateError, LocateOptions, MatchConfidence, Outdating, PartialTree, Pointed, Position, Site,
    anchor_at, counterpart, locate,
};
use postil_core::edit::{Algorithm, LineMap, Text};
use postil_core::git::{BlobId, CommitId, RepoPath, TreeId, history, tree};
use postil_core::record::{Anchor, AnchorSide, LineSpan, Range, RecordId, SuggestedFile};
use postil_core::review::{Comment, Thread, ThreadState};
use postil_core::suggestion::written_lines;

use crate::files::read_blob;
use crate::positions::positions_at::ThreadToLocate;
use crate::repository::state::lock;

/// The reason of a thread that is where its suggestion wrote, as the engine's positions have it.
pub(crate) const APPLIED: &str = "applied";

/// So many commits are looked at for one that has what a suggestion wrote, from the head on.
const MAX_COMMITS: usize = 64;

/// So many versions of a file are held against a suggestion for that.
const MAX_VERSIONS: usize = 16;

/// More answers than this are not remembered.
const MAX_KNOWN: usize = 4096;

/// What suggestions wrote into which texts, as far as that was computed.
#[derive(Debug, Default)]
pub(crate) struct KnownWritten(Mutex<HashMap<WrittenKey, Option<LineSpan>>>);

/// A suggestion, the lines of its base that are asked for, and the text that they are looked for in.
type WrittenKey = (RecordId, LineSpan, BlobId);

impl KnownWritten {
    /// Gives memory back.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }

    fn of(&self, key: WrittenKey, compute: impl FnOnce() -> Option<LineSpan>) -> Option<LineSpan> {
        if let Some(known) = lock(&self.0).get(&key) {
            return *known;
        }
        let span = compute();
        let mut known = lock(&self.0);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, span);
        span
    }
}

/// Puts threads where their suggestion wrote, if the text that they were on is not what it was.
pub(crate) fn put_where_applied(
    handle: &gix::Repository,
    known: &KnownWritten,
    asked: &[ThreadToLocate<'_>],
    head: Head,
    means: &LocateOptions,
    found: &mut [Result<Position, LocateError>],
) {
    for (asked, found) in asked.iter().zip(found) {
        let Ok(position @ (Position::Outdated { .. } | Position::Orphaned { .. })) = found else { continue };
        if let Some(applied) = position_of(handle, known, asked, head, means, position) {
            *position = applied;
        }
    }
}

fn position_of(
    handle: &gix::Repository,
    known: &KnownWritten,
    asked: &ThreadToLocate<'_>,
    head: Head,
    means: &LocateOptions,
    position: &Position,
) -> Option<Position> {
    let of_thread = suggestions_of(asked.thread).filter(|said| said.state() != ThreadState::Withdrawn);
    // Of several, the one that was suggested last is asked first.
    for comment in of_thread.collect::<Vec<_>>().into_iter().rev() {
        for file in &comment.said().suggestion {
            let partial = means.partial.as_deref();
            let suggested = FileSuggestion::new(handle, comment.id(), file, asked.anchor, partial);
            let Some(suggested) = suggested else { continue };
            let mut paths = vec![&asked.anchor.path];
            paths.extend(&file.new_path);
            paths.extend(position.site().map(|site| &site.path));
            let renamed = suggested.renamed(handle, asked.anchor, head.tree);
            paths.extend(&renamed);
            let here =
                paths.into_iter().find_map(|path| suggested.written_in(handle, known, head.tree, path));
            if let Some(there) = here {
                let guess = Site::new(there.path, Some(Range::lines(there.span)));
                return Some(applied(guess, MatchConfidence::CERTAIN));
            }
            if let Some(followed) = suggested.followed(handle, known, asked.anchor, head, means) {
                return Some(followed);
            }
        }
    }
    None
}

fn applied(guess: Site, confidence: MatchConfidence) -> Position {
    Position::Outdated { guess, why: Outdating::Applied, confidence, candidates: Vec::new() }
}

/// What is suggested for the file that a thread is on.
struct FileSuggestion<'a> {
    comment: RecordId,
    file: &'a SuggestedFile,
    /// What it was suggested for.
    base: Vec<u8>,
    /// The commented lines in that.
    lines: LineSpan,
    /// Where looks at other files are noted.
    partial: Option<&'a PartialTree>,
}

/// Where a suggestion wrote.
struct AppliedPlace {
    path: RepoPath,
    blob: BlobId,
    span: LineSpan,
}

impl<'a> FileSuggestion<'a> {
    /// `None` if it is for another file, or for a text in which the commented lines are not.
    fn new(
        handle: &gix::Repository,
        comment: RecordId,
        file: &'a SuggestedFile,
        anchor: &Anchor,
        partial: Option<&'a PartialTree>,
    ) -> Option<Self> {
        let lines =
            anchor.range.filter(|_| anchor.side == AnchorSide::New && anchor.path == file.path)?.span();
        let base = read_blob(handle, file.blob?).ok()?;
        let lines = if anchor.blob == file.blob {
            lines
        } else {
            let commented = Text::new(read_blob(handle, anchor.blob?).ok()?);
            let map = LineMap::between(&commented, &Text::new(base.as_slice()), Algorithm::Histogram);
            let mapped = map.map_range(lines.first() - 1..lines.last())?;
            LineSpan::from_numbers(mapped.start + 1, mapped.end)?
        };
        Some(Self { comment, file, base, lines, partial })
    }

    fn looks_at(&self, tree: TreeId, path: &RepoPath) {
        if let Some(partial) = self.partial {
            partial.look_at(tree, path.as_bytes());
        }
    }

    /// What its file is called in a tree that has none of that name.
    fn renamed(&self, handle: &gix::Repository, anchor: &Anchor, now: TreeId) -> Option<RepoPath> {
        self.looks_at(now, &self.file.path);
        if tree::entry_at(handle, now, &self.file.path).ok()?.is_some() {
            return None;
        }
        let then = history::commit(handle, anchor.commit?).ok()?.tree;
        if let Some(partial) = self.partial {
            partial.look_at_all(now);
        }
        counterpart(handle, then, now, &self.file.path).ok().flatten().map(|file| file.path)
    }

    /// Where it wrote in the file at a path of a tree, if it did.
    fn written_in(
        &self,
        handle: &gix::Repository,
        known: &KnownWritten,
        tree: TreeId,
        path: &RepoPath,
    ) -> Option<AppliedPlace> {
        self.looks_at(tree, path);
        let entry = tree::entry_at(handle, tree, path).ok()?.filter(|entry| entry.mode.is_blob())?;
        let blob = BlobId::from(entry.id.raw());
        let compute = || written_lines(self.file, &self.base, self.lines, &read_blob(handle, blob).ok()?);
        let span = known.of((self.comment, self.lines, blob), compute)?;
        Some(AppliedPlace { path: path.clone(), blob, span })
    }

    /// Where that went which it wrote, if a commit before the head has it.
    fn followed(
        &self,
        handle: &gix::Repository,
        known: &KnownWritten,
        anchor: &Anchor,
        head: Head,
        means: &LocateOptions,
    ) -> Option<Position> {
        let (commit, there) = self.written_before(handle, known, anchor, head.commit?)?;
        let content = read_blob(handle, there.blob).ok()?;
        let pointed = Pointed {
            commit: Some(commit),
            path: &there.path,
            blob: there.blob,
            content: &content,
            range: Some(Range::lines(there.span)),
        };
        let anchor = anchor_at(&pointed).ok()?;
        let position = locate(handle, &[anchor], head, means.clone()).pop()?.ok()?;
        Some(applied(position.site()?.clone(), position.confidence()))
    }

    /// The last commit on the way to the head that has what it wrote.
    fn written_before(
        &self,
        handle: &gix::Repository,
        known: &KnownWritten,
        anchor: &Anchor,
        head: CommitId,
    ) -> Option<(CommitId, AppliedPlace)> {
        let mut commit = head;
        let mut last = None;
        let mut versions = 0;
        for _ in 0..MAX_COMMITS {
            let info = history::commit(handle, commit).ok()?;
            let entry = tree::entry_at(handle, info.tree, &self.file.path).ok()?;
            let blob = entry.map(|entry| BlobId::from(entry.id.raw()));
            if blob != last {
                versions += 1;
                if let Some(there) = self.written_in(handle, known, info.tree, &self.file.path) {
                    return Some((commit, there));
                }
                last = blob;
            }
            // What it was made for is older than what it wrote.
            if blob == self.file.blob || anchor.commit == Some(commit) || versions == MAX_VERSIONS {
                return None;
            }
            commit = *info.parents.first()?;
        }
        None
    }
}

/// The comments of a thread that suggest something, in their order.
pub(crate) fn suggestions_of(thread: Thread<'_>) -> impl Iterator<Item = &Comment> {
    thread.comments().filter(|comment| !comment.said().suggestion.is_empty())
}
