//! Locates comments on messages in the history of a head.

use std::num::NonZeroUsize;

use gix::objs::Write as _;
use gix::objs::tree::{Entry, EntryKind};

use super::rewritten::rewritten;
use super::wording::{Wording, WordingFound};
use crate::anchoring::history::commit_range::CommitRelation;
use crate::anchoring::history::same_change::MAX_COMMITS;
use crate::anchoring::locate::{Head, LocateError, locate};
use crate::anchoring::position::{MatchConfidence, Outdating, Position, Site};
use crate::anchoring::repository::objects::{ObjectError, Objects, failure};
use crate::anchoring::stop::Stop;
use crate::edit::Text;
use crate::git::{BlobId, CommitId, RepoPath, TreeId};
use crate::record::{Anchor, AnchorSide, Line, LineSpan, MessageAnchor, MessageSite, PositionState, Range};

/// How sure words are that were found in a message, where nothing else says that it is the one.
const FOUND_BY_WORDS: u16 = 900;

/// A message is compared under this name; it is never seen.
const NAME: &str = "message";

/// Where a comment on a commit's message is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagePosition {
    /// How sure it is.
    pub state: PositionState,
    /// The commit whose message it is in; for an orphan, the one it was in, or would be.
    pub site: MessageSite,
    /// The lines; `None` for the whole message, and for an orphan.
    pub range: Option<Range>,
    /// How sure that is.
    pub confidence: MatchConfidence,
    /// What led there, as a word.
    pub reason: &'static str,
}

/// Locates comments on messages in the history of `head`, each on its own; results are in the order of the anchors.
///
/// Objects alone count: the same history gives the same positions everywhere.
pub fn locate_messages(
    repo: &gix::Repository,
    anchors: &[&MessageAnchor],
    head: CommitId,
    stop: &Stop,
) -> Vec<Result<MessagePosition, LocateError>> {
    let objects = Objects::new(repo, None);
    let locating = Messages { repo, objects: &objects, head };
    anchors.iter().map(|anchor| stop.unless(|| Ok(locating.locate(anchor)?))).collect()
}

/// How a commit was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FoundBy {
    /// It is the commit that the other one became.
    Commit,
    /// Its message has the words.
    Words,
}

struct Messages<'a> {
    repo: &'a gix::Repository,
    objects: &'a Objects,
    head: CommitId,
}

impl Messages<'_> {
    fn locate(&self, anchor: &MessageAnchor) -> Result<MessagePosition, ObjectError> {
        let from = anchor.commit;
        let is_here = self.objects.commit(from).is_ok();
        if from == self.head {
            return self.unchanged(anchor);
        }
        if !is_here {
            let recent = self.objects.recent(self.head)?;
            let wording = Wording::new(texts(meant(anchor)), texts(around(anchor)));
            return self.by_words(anchor, &wording, recent.iter().copied());
        }
        let base = match &*self.objects.relation(from, self.head)? {
            Some(CommitRelation::Forward) => return self.unchanged(anchor),
            // The head is older than the commit, or has nothing to do with it.
            Some(CommitRelation::Backward) | None => return Ok(self.orphan(from, "commit-gone")),
            Some(CommitRelation::Apart(base)) => *base,
        };
        let forth = self.objects.commit_range(base, self.head)?;
        let Some(forth) = &*forth else { return Ok(self.orphan(from, "commit-gone")) };
        if let Some(commit) = rewritten(self.objects, from, forth)? {
            return self.across(anchor, commit, FoundBy::Commit);
        }
        let own = Text::new(self.message(from)?);
        let wording = match anchor.range {
            Some(_) => Wording::new(texts(meant(anchor)), texts(around(anchor))),
            None => Wording::new(own.bare_lines().take(1), own.bare_lines().skip(1)),
        };
        self.by_words(anchor, &wording, forth.order[1..].iter().rev().take(MAX_COMMITS).copied())
    }

    fn by_words(
        &self,
        anchor: &MessageAnchor,
        wording: &Wording,
        among: impl Iterator<Item = CommitId>,
    ) -> Result<MessagePosition, ObjectError> {
        match wording.find(among, |commit| self.message(commit))? {
            WordingFound::At(commit) => self.across(anchor, commit, FoundBy::Words),
            WordingFound::Several => Ok(self.orphan(anchor.commit, "ambiguous")),
            WordingFound::Nowhere => Ok(self.orphan(anchor.commit, "commit-gone")),
        }
    }

    /// The commit itself is in the history of the head.
    fn unchanged(&self, anchor: &MessageAnchor) -> Result<MessagePosition, ObjectError> {
        Ok(MessagePosition {
            state: PositionState::Anchored,
            site: self.site(anchor.commit)?,
            range: anchor.range,
            confidence: MatchConfidence::CERTAIN,
            reason: "translated",
        })
    }

    fn orphan(&self, commit: CommitId, reason: &'static str) -> MessagePosition {
        // A commit that is not here has no subject.
        let site = self.site(commit).unwrap_or(MessageSite { commit, subject: Vec::new(), time: 0 });
        let (state, confidence) = (PositionState::Orphaned, MatchConfidence::NONE);
        MessagePosition { state, site, range: None, confidence, reason }
    }

    /// Follows the lines into the message of another commit.
    fn across(
        &self,
        anchor: &MessageAnchor,
        to: CommitId,
        by: FoundBy,
    ) -> Result<MessagePosition, ObjectError> {
        let words = MatchConfidence::from_per_mille(FOUND_BY_WORDS).unwrap_or(MatchConfidence::NONE);
        let site = self.site(to)?;
        let found = match anchor.range {
            None => Position::Anchored { site: Site::new(name(), None), renamed: false },
            Some(range) => {
                let (old, range) = match self.message(anchor.commit) {
                    Ok(old) => (old, range),
                    // The lines that are known take the place of the message.
                    Err(_) => stand_in(anchor),
                };
                self.compare(anchor, &old, range, &self.message(to)?)?
            }
        };
        let (state, confidence, reason) = match (&found, by) {
            (Position::Anchored { .. }, FoundBy::Commit) => {
                (PositionState::Anchored, MatchConfidence::CERTAIN, "rewritten")
            }
            (Position::Anchored { .. }, FoundBy::Words) => (PositionState::Shifted, words, "text"),
            (Position::Shifted { confidence, .. }, FoundBy::Words) => {
                (PositionState::Shifted, words.min(*confidence), "text")
            }
            (Position::Shifted { confidence, .. }, FoundBy::Commit) => {
                (PositionState::Shifted, *confidence, found.reason())
            }
            (Position::Outdated { confidence, why, .. }, _) if *why != Outdating::Deleted => {
                (PositionState::Outdated, *confidence, found.reason())
            }
            // It is known to be this commit, so the lines are known to be gone: no other place is worth a guess.
            (Position::Outdated { .. } | Position::Orphaned { .. }, _) => {
                (PositionState::Orphaned, MatchConfidence::NONE, found.reason())
            }
        };
        let range = found.site().and_then(|site| site.range).filter(|_| state != PositionState::Orphaned);
        Ok(MessagePosition { state, site, range, confidence, reason })
    }

    /// Follows lines from one message to another, as those of two versions of a file without history.
    fn compare(
        &self,
        anchor: &MessageAnchor,
        old: &[u8],
        range: Range,
        new: &[u8],
    ) -> Result<Position, ObjectError> {
        let stage = self.repo.clone().with_object_memory();
        let failed = |error: gix::Error| failure(anchor.commit.raw(), &error);
        let blob = |text: &[u8]| stage.objects.write_buf(gix::objs::Kind::Blob, text).map_err(failed);
        let (old, new) = (blob(old)?, blob(new)?);
        let entry = Entry { mode: EntryKind::Blob.into(), filename: NAME.into(), oid: new };
        let tree = gix::objs::Tree { entries: vec![entry] };
        let tree = TreeId::from(stage.objects.write(&tree).map_err(failed)?);
        let anchor = Anchor {
            commit: None,
            path: name(),
            blob: Some(BlobId::from(old)),
            side: AnchorSide::New,
            range: Some(range),
            lines: anchor.lines.clone(),
            before: anchor.before.clone(),
            after: anchor.after.clone(),
            quote: None,
            headings: Vec::new(),
            scope: Vec::new(),
        };
        let found = locate(&stage, &[&anchor], Head { tree, commit: None }, NonZeroUsize::MIN);
        match found.into_iter().next() {
            Some(Ok(position)) => Ok(position),
            Some(Err(LocateError::Read { source })) => Err(source),
            Some(Err(LocateError::Stopped)) | None => {
                unreachable!("one anchor was asked for, and nobody stops it")
            }
        }
    }

    fn message(&self, commit: CommitId) -> Result<Vec<u8>, ObjectError> {
        Ok(self.objects.commit_names(commit)?.message.clone())
    }

    fn site(&self, commit: CommitId) -> Result<MessageSite, ObjectError> {
        let time = self.objects.commit(commit)?.time;
        let subject = self.objects.commit_names(commit)?.subject.clone();
        Ok(MessageSite { commit, subject, time })
    }
}

fn name() -> RepoPath {
    RepoPath::new(NAME).expect("it is a path")
}

/// The lines that are commented on; of a whole message, its first.
fn meant(anchor: &MessageAnchor) -> &[Line] {
    match anchor.range {
        Some(_) => &anchor.lines,
        None => anchor.after.get(..1).unwrap_or_default(),
    }
}

fn around(anchor: &MessageAnchor) -> impl Iterator<Item = &Line> {
    let is_whole = anchor.range.is_none();
    anchor.before.iter().chain(anchor.after.iter().skip(usize::from(is_whole)))
}

/// The texts of lines; of one that is stored as a hash there is none.
fn texts<'a>(lines: impl IntoIterator<Item = &'a Line>) -> impl Iterator<Item = &'a [u8]> {
    lines.into_iter().filter_map(|line| match line {
        Line::Text(text) => Some(text.as_slice()),
        Line::Hash(_) => None,
    })
}

/// What is known of a message, as a text, and where the commented lines are in it.
fn stand_in(anchor: &MessageAnchor) -> (Vec<u8>, Range) {
    let mut text = Vec::new();
    for line in anchor.before.iter().chain(&anchor.lines).chain(&anchor.after) {
        match line {
            Line::Text(line) => text.extend_from_slice(line),
            Line::Hash(hash) => text.extend_from_slice(blake3::Hash::from_bytes(*hash).to_hex().as_bytes()),
        }
        text.push(b'\n');
    }
    let before = anchor.before.len() as u32;
    let count = (anchor.lines.len() as u32).max(1);
    let span = LineSpan::from_numbers(before + 1, before + count).expect("it has a line");
    let columns = anchor.range.and_then(Range::columns);
    let range = columns.and_then(|columns| Range::with_columns(span, columns)).unwrap_or(Range::lines(span));
    (text, range)
}
