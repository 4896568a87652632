//! Threads in few words, for programs that pay for every word: agents.
//!
//! What is usual is left out. What a client shows of these as text has the same parts in the same order.

use serde::{Deserialize, Serialize};

use super::advice::WarningView;
use super::mark::Mark;
use super::place::{Confidence, PlaceState};
use super::severity::SeverityView;
use super::signature::CommentTrust;
use super::thread::ThreadStatus;
use crate::methods::changes::ChangeKind;
use crate::methods::suggestion::SuggestionState;
use crate::wire::bytes::{ByteText, Hex};

/// A list of threads in few words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CompactList {
    /// What was done since a mark, oldest first; only of an answer that was waited for or asked with a mark.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<CompactChange>,
    /// The threads, by file.
    pub files: Vec<CompactFile>,
    /// How many threads match, those on other pages included.
    pub total: u32,
    /// The cursor of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Whether threads may be missing, because something could not be read; the warnings say what.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// Why threads or positions may be missing or wrong, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for `wait --since`.
    #[serde(default)]
    pub mark: Mark,
}

/// One thing that somebody did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CompactChange {
    /// What it is.
    pub what: ChangeKind,
    /// The short id of the thread, or the id of what cannot be shown any more.
    pub of: String,
    /// Who did it.
    #[serde(flatten)]
    pub author: CompactAuthor,
}

/// The threads of one file, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CompactFile {
    /// The file; left out for threads on the whole review or on a commit's message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ByteText>,
    /// The commit whose message they are on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Hex>,
    /// The threads.
    pub threads: Vec<CompactThread>,
}

/// A thread in few words: its first comment, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CompactThread {
    /// The short id.
    pub id: String,
    /// Its lines, as people type them; of an orphan, those that it was on. Left out for a whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Whether these are deleted lines, of the base.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// How certain its position is, if it is not `anchored`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<PlaceState>,
    /// Why, as a word; with `state`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How certain; with `state`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Its status, if it is not `open`.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub status: ThreadStatus,
    /// Its severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityView>,
    /// Whether it is a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// The state of its newest suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionState>,
    /// How many proposals nobody has answered.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub pending: u32,
    /// The number of replies.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub replies: u32,
    /// The first comment.
    #[serde(flatten)]
    pub first: CompactComment,
    /// What nobody has answered of what was proposed; only of a whole thread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<CompactProposal>,
    /// The lines where it is now, from the first of `lines` on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<ByteText>,
    /// How many more lines there are.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub more_code: u32,
    /// The lines that it was put on, if they differ from `code`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<ByteText>,
    /// The last reply or, of a whole thread, all replies, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<CompactComment>,
}

/// A comment in few words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CompactComment {
    /// How far somebody vouches for it.
    pub trust: CommentTrust,
    /// Who wrote it.
    #[serde(flatten)]
    pub author: CompactAuthor,
    /// Whether it is a draft; of the first comment, the thread says it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// Its first words, with `…` where more follow, or all of them.
    pub text: String,
    /// The change that it suggests, as a unified diff; only of a whole thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// What somebody proposes for a thread, in few words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CompactProposal {
    /// The commit at which it was dealt with, or whose code it does not fit any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Hex>,
    /// Whether it no longer fits the code, instead of having been dealt with.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub obsolete: bool,
    /// Whether that commit does not have what was done yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncommitted: bool,
    /// Whether it is a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// The file to which it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ByteText>,
    /// The commit to whose message it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Hex>,
    /// The lines to which it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Who proposes it.
    #[serde(flatten)]
    pub author: CompactAuthor,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Who did something, in few words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CompactAuthor {
    /// `agent` or `tool`, if a program did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The name; empty if it is not known.
    pub by: String,
    /// The person that the program works for.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
