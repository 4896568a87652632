//! The answers of the service, method by method.

use serde::{Deserialize, Serialize};

use super::buffer::BufferVersion;
use crate::views::advice::{Advice, WarningView};
use crate::views::mark::Mark;
use crate::views::place::{AnchorView, PositionView, Span};
use crate::views::proposal::{MessageView, RequestView};
use crate::views::ready::ReadyView;
use crate::views::review::ReviewView;
use crate::views::syntax::SyntaxView;
use crate::views::thread::{Person, ThreadLine, ThreadView};
use crate::views::timeline::TimelineView;
use crate::wire::bytes::{ByteText, Hex};

/// The head that positions were computed for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct HeadView {
    /// The commit; `None` if there are no commits yet.
    pub commit: Option<Hex>,
    /// The checked-out branch, as a full ref name.
    pub branch: Option<ByteText>,
    /// Whether positions are those in files on disk that differ from the commit.
    pub uncommitted: bool,
    /// The buffers that were used, with their versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferVersion>,
}

/// Numbers of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Counts {
    /// Open threads.
    pub open: u32,
    /// Resolved threads.
    pub resolved: u32,
    /// Withdrawn threads.
    pub withdrawn: u32,
    /// Open threads that are anchored; `None` in a list of reviews.
    pub anchored: Option<u32>,
    /// Open threads that are shifted; `None` in a list of reviews.
    pub shifted: Option<u32>,
    /// Open threads that are outdated; `None` in a list of reviews.
    pub outdated: Option<u32>,
    /// Open threads that are orphaned; `None` in a list of reviews.
    pub orphaned: Option<u32>,
}

/// The changed settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct InitReply {
    /// Settings that were added, as `name=value`.
    pub set: Vec<String>,
    /// Settings that were removed, as `name=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unset: Vec<String>,
    /// Harmful settings, and what to do about each.
    pub warnings: Vec<WarningView>,
    /// How many threads the repository already has.
    pub threads: u32,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct WrittenReply {
    /// The new record.
    pub id: Hex,
    /// The current tip of the notes; `None` for a draft.
    pub notes: Option<Hex>,
    /// The thread it belongs to.
    pub thread: ThreadView,
    /// The review that it started, if it did.
    pub opened: Option<ReviewView>,
    /// Whether it is on text that is not in a published commit, and is now shared with the comment.
    pub uncommitted: bool,
    /// The lines that it holds, of those commented on and those around them, that no commit has yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncommitted_lines: Vec<Span>,
    /// What failed after it was written, which stays written, or why it is not shared yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// The threads that were changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DoneReply {
    /// The threads, as they are now.
    pub threads: Vec<ThreadView>,
    /// Those of them, or the comments in them, that already had the status that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<UnchangedView>,
    /// The current tip of the notes.
    pub notes: Option<Hex>,
    /// What failed after it was written, which stays written, or why it is not shared yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// A thread or comment that already had the status that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct UnchangedView {
    /// The thread or comment.
    pub of: Hex,
    /// The reply that the reason was saved as; `None` if there was no reason, or the status already has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Hex>,
}

/// Threads, in order; `T` is how each is held, which is the same JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema), schemars(rename = "ListReply"))]
pub struct ListReply<T = ThreadView> {
    /// The threads.
    pub threads: Vec<T>,
    /// One line for each thread instead, if the request asked for lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<ThreadLine>,
    /// How many threads match the filter.
    pub total: u32,
    /// The cursor of the next page, if there is one.
    pub next: Option<String>,
    /// Whether positions are still being computed, and these are older.
    pub resolving: bool,
    /// The head that the positions are for.
    pub head: HeadView,
    /// The tip of the notes.
    pub notes: Option<Hex>,
    /// How many more threads there are that the head does not see.
    pub elsewhere: u32,
    /// Whether threads may be missing, because something could not be read; the warnings say what.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// Why threads or positions may be missing or wrong, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// What to do where no reviews are known yet: a clone comes without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

impl<T> Default for ListReply<T> {
    fn default() -> Self {
        Self {
            threads: Vec::new(),
            lines: Vec::new(),
            total: 0,
            next: None,
            resolving: false,
            head: HeadView::default(),
            notes: None,
            elsewhere: 0,
            incomplete: false,
            warnings: Vec::new(),
            advice: None,
            mark: Mark::default(),
        }
    }
}

/// One thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ShowReply {
    /// The thread.
    pub thread: ThreadView,
    /// The comment in it that was named; `None` if only its replies are here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Hex>,
    /// Whether somebody else did something in it that the author of the request has not read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
    /// Everything that happened in it, oldest first, with the words of that time.
    #[serde(default)]
    pub timeline: Vec<TimelineView>,
    /// Its review.
    pub review: Option<ReviewView>,
    /// The lines that it is on and those around them, each with its number; for an orphan, those of its first
    /// candidate.
    pub lines: Vec<(u32, ByteText)>,
    /// For each of these lines its words, strings and comments, in order and without overlaps; only if they were asked
    /// for and the language is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub syntax: Vec<Vec<SyntaxView>>,
    /// The head that its position is for.
    pub head: HeadView,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// Where a comment was at each commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct LogReply {
    /// The thread.
    pub thread: ThreadView,
    /// Everything that happened in it, oldest first, with the words of that time.
    #[serde(default)]
    pub timeline: Vec<TimelineView>,
    /// Newest first; commits at which nothing changed are left out.
    pub steps: Vec<LogStep>,
    /// Whether older commits were not searched.
    pub truncated: bool,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// Where a comment was at one commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct LogStep {
    /// The commit; `None` for files on disk.
    pub commit: Option<Hex>,
    /// The commit's subject.
    pub subject: String,
    /// The commit's time, in seconds since 1970. For files on disk, when they were commented on, or 0 for
    /// now.
    pub time: i64,
    /// Its position at that commit.
    pub position: PositionView,
    /// Who moved it there by hand, if it was moved.
    pub by: Option<Person>,
    /// Its original place, if it has been moved since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<AnchorView>,
    /// The message that it was on, if it has been moved since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageView>,
    /// Whether the commit is no longer on a branch, because it was amended or rebased.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewritten: bool,
}

/// One review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewReply {
    /// The review.
    pub review: ReviewView,
    /// The current tip of the notes.
    pub notes: Option<Hex>,
    /// Whether it was just started.
    pub opened: bool,
    /// Whether it is ready to be merged; only if an open one is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<ReadyView>,
    /// What failed after it was written; it stays written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// Reviews, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewListReply {
    /// The reviews; reviews of the same branch and base are shown as one.
    pub reviews: Vec<ReviewView>,
    /// The review of the checked-out branch.
    pub current: Option<Hex>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// The published drafts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PublishReply {
    /// The published records, in order.
    pub published: Vec<Hex>,
    /// The threads of the published comments, as they are now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadView>,
    /// How many drafts remain.
    #[serde(default)]
    pub left: u32,
    /// The current tip of the notes.
    pub notes: Option<Hex>,
    /// What failed after it was written; it stays written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// The status of the reviews.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct StatusReply {
    /// What is checked out.
    pub head: HeadView,
    /// The review of the checked-out branch.
    pub review: Option<ReviewView>,
    /// The threads that the head sees.
    pub threads: Counts,
    /// How many of the open ones are blockers.
    #[serde(default)]
    pub blockers: u32,
    /// In how many of them somebody else did something that the author of the request has not read.
    #[serde(default)]
    pub unread: u32,
    /// Who was asked to review and has not judged the current head, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to_judge: Vec<RequestView>,
    /// Whether the review is ready to be merged; only of an open one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<ReadyView>,
    /// How the notes here differ from those of the remotes, as of the last fetch or push.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<RemoteNotes>,
    /// How many other threads there are, with any status.
    pub elsewhere: u32,
    /// How many drafts there are.
    pub drafts: u32,
    /// How many of them belong to other reviews than the current one.
    #[serde(default)]
    pub drafts_elsewhere: u32,
    /// The tip of the notes.
    pub notes: Option<Hex>,
    /// Whether positions are still being computed, and these are older.
    pub resolving: bool,
    /// Damaged or foreign content of the notes, as text.
    pub damage: Vec<String>,
    /// Whether threads may be missing from the counts: notes or history could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// Why the last background sync failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sync_trouble: Vec<WarningView>,
    /// Warnings: what another program did to the notes, and settings with which git would push or delete
    /// local refs.
    #[serde(default)]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// What a remote has of the reviews, as of the last fetch or push.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RemoteNotes {
    /// Its name.
    pub name: String,
    /// Whether its reviews were ever fetched or sent.
    pub known: bool,
    /// How many comments, verdicts and other actions are here and not there.
    pub unsent: u32,
    /// How many are there, were fetched, and are not merged here yet.
    pub unmerged: u32,
}

/// What was purged, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PurgeReply {
    /// The short ids of the purged threads, replies and reviews.
    pub of: Vec<String>,
    /// Whether it is done; else the rest is what would go.
    pub done: bool,
    /// How many whole threads go.
    pub threads: u32,
    /// How many comments go, replies among them.
    pub comments: u32,
    /// Who wrote the comments and reviews that go.
    pub authors: Vec<Person>,
    /// Whether somebody else than who asks wrote some of them.
    pub others: bool,
    /// How many records go, which is what a person confirms.
    pub records: u32,
    /// How many records were removed, each counted for every note that it was in.
    pub dropped: u32,
    /// What is to be restored to undo it; what was said about these comes along.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restore: Vec<Hex>,
    /// The current tip of the notes.
    pub notes: Option<Hex>,
    /// What failed after it was written; it stays written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// The stored positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct WritePositionsReply {
    /// The current tip of the notes.
    pub notes: Option<Hex>,
    /// How many positions are now stored for the head.
    pub positions: u32,
    /// How many pins were moved to the shared ones.
    pub pins: u32,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}
