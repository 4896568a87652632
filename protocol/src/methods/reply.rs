//! What the service answers, method by method.

use serde::{Deserialize, Serialize};

use super::buffer::BufferVersion;
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::place::{AnchorView, PositionView};
use crate::views::review::ReviewView;
use crate::views::thread::{Person, ThreadLine, ThreadView};
use crate::wire::bytes::{ByteText, Hex};

/// The head that positions were computed for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct HeadView {
    /// The commit; `None` if there is none yet.
    pub commit: Option<Hex>,
    /// The branch that is checked out, as a full ref name.
    pub branch: Option<ByteText>,
    /// Whether files on disk differ from the commit, and count.
    pub uncommitted: bool,
    /// The unsaved texts that were used, with their versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferVersion>,
}

/// How many threads there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Counts {
    /// Those that want attention.
    pub open: u32,
    /// Those that were dealt with.
    pub resolved: u32,
    /// Those that were taken back.
    pub withdrawn: u32,
    /// Of the open ones, those that are where the diff says; `None` in a list of reviews.
    pub anchored: Option<u32>,
    /// Of the open ones, those that were found elsewhere; `None` in a list of reviews.
    pub shifted: Option<u32>,
    /// Of the open ones, those whose text changed; `None` in a list of reviews.
    pub outdated: Option<u32>,
    /// Of the open ones, those that have no place; `None` in a list of reviews.
    pub orphaned: Option<u32>,
}

/// What was made ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct InitReply {
    /// Settings that were made, as `name=value`.
    pub set: Vec<String>,
    /// Settings that were taken back, as `name=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unset: Vec<String>,
    /// Settings that would do harm, and what to do about each.
    pub warnings: Vec<WarningView>,
    /// How many threads there are already.
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
    /// The tip of the notes now; `None` for a draft.
    pub notes: Option<Hex>,
    /// The thread it belongs to.
    pub thread: ThreadView,
    /// The review that was opened with it.
    pub opened: Option<ReviewView>,
    /// Whether it is on text that git has not published, which is now part of it.
    pub uncommitted: bool,
    /// What went wrong after it was written, which stays so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// Which threads something was done to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DoneReply {
    /// As they are now.
    pub threads: Vec<ThreadView>,
    /// Those of them, or the comments in them, that already had the status that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<UnchangedView>,
    /// The tip of the notes now.
    pub notes: Option<Hex>,
    /// What went wrong after it was written, which stays so.
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
    /// Instead of them one line for each, if only lines were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<ThreadLine>,
    /// How many there are in all that the filter lets through.
    pub total: u32,
    /// Where to continue, if there are more.
    pub next: Option<String>,
    /// Whether positions are being computed, and these are older.
    pub resolving: bool,
    /// The head that they are for.
    pub head: HeadView,
    /// The tip of the notes.
    pub notes: Option<Hex>,
    /// How many more there are beyond what the head sees.
    pub elsewhere: u32,
    /// Why threads may be missing, or have a wrong position, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
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
            warnings: Vec::new(),
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
    /// Its review.
    pub review: Option<ReviewView>,
    /// The lines where it is now, with those around them, each with its number; of an orphan those of its first candidate.
    pub lines: Vec<(u32, ByteText)>,
    /// The head that its position is for.
    pub head: HeadView,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// Where a comment was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct LogReply {
    /// The thread.
    pub thread: ThreadView,
    /// Newest first; a commit at which nothing changed has none.
    pub steps: Vec<LogStep>,
    /// Whether there were more commits than were looked at.
    pub truncated: bool,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// Where a comment was at one commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct LogStep {
    /// The commit; `None` for files on disk.
    pub commit: Option<Hex>,
    /// The commit's subject.
    pub subject: String,
    /// The commit's time, in seconds since 1970; of files on disk when they were commented on, or 0 for now.
    pub time: i64,
    /// Where it was.
    pub position: PositionView,
    /// Who moved it there by hand, if somebody did.
    pub by: Option<Person>,
    /// What it was on then, if somebody has moved it since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<AnchorView>,
    /// Whether no branch leads to the commit any more, because it was amended or rebased.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewritten: bool,
}

/// A diff with threads at their lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffReply {
    /// What is compared.
    pub base: Option<Hex>,
    /// With what.
    pub head: HeadView,
    /// The files that differ, and those that have threads.
    pub files: Vec<DiffFile>,
    /// Threads about the whole review, and those whose file is gone.
    pub threads: Vec<ThreadView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// One file of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffFile {
    /// Its path in the base; `None` if it is new.
    pub before: Option<ByteText>,
    /// Its path in the head; `None` if it is deleted.
    pub after: Option<ByteText>,
    /// Whether its content has no lines.
    pub binary: bool,
    /// Its lines, as far as they are near a change or a thread.
    pub lines: Vec<DiffLine>,
    /// Threads about the whole file, and orphans of it that have no candidate among its lines.
    pub threads: Vec<ThreadView>,
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DiffLine {
    /// Its place in the whole diff of the file, counted from zero.
    pub offset: u32,
    /// Its number in the base, if it is there.
    pub before: Option<u32>,
    /// Its number in the head, if it is there.
    pub after: Option<u32>,
    /// Whether it is unchanged, deleted or added.
    pub mark: DiffMark,
    /// The line.
    pub text: ByteText,
    /// The threads that end here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadView>,
}

/// What a change does to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DiffMark {
    /// Both have it.
    Kept,
    /// Only the base has it.
    Deleted,
    /// Only the head has it.
    Added,
}

/// One review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewReply {
    /// The review.
    pub review: ReviewView,
    /// The tip of the notes now.
    pub notes: Option<Hex>,
    /// Whether it was opened just now.
    pub opened: bool,
    /// What went wrong after it was written, which stays so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// Reviews, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewListReply {
    /// The reviews; those that are shown as one are one.
    pub reviews: Vec<ReviewView>,
    /// The one of what is checked out.
    pub current: Option<Hex>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// What was shared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PublishReply {
    /// The records, in order.
    pub published: Vec<Hex>,
    /// How many others are still not shared.
    #[serde(default)]
    pub left: u32,
    /// The tip of the notes now.
    pub notes: Option<Hex>,
    /// What went wrong after it was written, which stays so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// The state of the reviews.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct StatusReply {
    /// What is checked out.
    pub head: HeadView,
    /// The review of what is checked out.
    pub review: Option<ReviewView>,
    /// The threads that the head sees.
    pub threads: Counts,
    /// How many more there are, whatever has become of them.
    pub elsewhere: u32,
    /// How many records are not shared yet.
    pub drafts: u32,
    /// How many of them belong to reviews of something else than what is checked out.
    #[serde(default)]
    pub drafts_elsewhere: u32,
    /// The tip of the notes.
    pub notes: Option<Hex>,
    /// Whether positions are being computed, and these are older.
    pub resolving: bool,
    /// What could not be read, as text.
    pub damage: Vec<String>,
    /// Why the last exchange in the background failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sync_trouble: Vec<WarningView>,
    /// What git did to the notes, or would do to drafts and other local refs as it is set up, as text.
    #[serde(default)]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// What was hidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PurgeReply {
    /// The first digits of what was named: threads, answers, reviews.
    pub of: Vec<String>,
    /// How many records.
    pub dropped: u32,
    /// The tip of the notes now.
    pub notes: Hex,
    /// What went wrong after it was written, which stays so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// What was written back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct WritePositionsReply {
    /// The tip of the notes now.
    pub notes: Option<Hex>,
    /// How many positions of the head are in its note.
    pub positions: u32,
    /// How many pins are shared now that were not.
    pub pins: u32,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}
