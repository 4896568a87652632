//! Threads and comments as clients see them.

use serde::{Deserialize, Serialize};

use super::place::{AnchorView, PositionView};
use super::severity::SeverityView;
use super::signature::SignatureView;
use crate::methods::suggestion::{SuggestionState, SuggestionView};
use crate::wire::bytes::{ByteText, Hex};

/// A person, as git knows them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Person {
    /// The name to show.
    pub name: String,
    /// What identifies a person.
    pub email: String,
}

/// How much of each thread is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// What fits into a line of a list: lines instead of threads.
    Line,
    /// The first comment, and what the anchor's lines were.
    #[default]
    Brief,
    /// All comments, and the lines around the anchor's.
    Full,
}

/// What has become of a thread, or of a single comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ThreadStatus {
    /// Wants attention.
    #[default]
    Open,
    /// Was dealt with.
    Resolved,
    /// Was taken back.
    Withdrawn,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ThreadView {
    /// The id of its first comment.
    pub id: Hex,
    /// The shortest beginning of the id that no other id has.
    pub short: String,
    /// What has become of it.
    pub status: ThreadStatus,
    /// Who set it, if somebody did.
    pub status_by: Option<StatusView>,
    /// The review it belongs to.
    pub review: Option<Hex>,
    /// Its severity.
    pub severity: Option<SeverityView>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether it is not shared yet.
    pub draft: bool,
    /// Why it is shown here: `branch`, `history`, `merged`, `homeless` or `everything`.
    pub seen: String,
    /// Where it is now; `None`: it is about the whole review.
    pub position: Option<PositionView>,
    /// What it was put on; `None`: the whole review.
    pub anchor: Option<AnchorView>,
    /// How many answers there are.
    pub replies: u32,
    /// When something was last written in it or about it, in milliseconds since 1970.
    pub updated: u64,
    /// What people disagree about: `words`, `status`, `anchor`.
    pub disputed: Vec<String>,
    /// What has become of the newest suggestion in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionState>,
    /// The files that decide what becomes of its suggestions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<ByteText>,
    /// The first comment, and with full detail the answers; empty if the first one is not here.
    pub comments: Vec<CommentView>,
}

/// A thread as one line of a list; usual values are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ThreadLine {
    /// The shortest beginning of its id that no other id has.
    pub short: String,
    /// Its status; `open` if it is left out.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub status: ThreadStatus,
    /// Whether it is not shared yet.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub draft: bool,
    /// Its severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityView>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What has become of the newest suggestion in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionState>,
    /// What people disagree about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<String>,
    /// Who vouches for its first comment, if somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Box<SignatureView>>,
    /// The branch of the review that it is about as a whole, as a full ref name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<ByteText>,
    /// The file that it is in, else was in; `None`: it is about the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ByteText>,
    /// Its lines there, as people type them: `12`, `12-20`, `12:5-14:9`; `None` for the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Where it is and what it was put on, if that needs a word: not plainly `anchored`, or on deleted lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Box<Doubt>>,
    /// Who started it; `None` if the first comment is not here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The first line of their comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// How many answers there are.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub replies: u32,
}

/// A place that needs a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Doubt {
    /// Where it is now.
    pub position: PositionView,
    /// What it was put on.
    pub anchor: AnchorView,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A status and who gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct StatusView {
    /// Who.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Why.
    pub reason: Option<String>,
    /// Who vouches for it, if somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureView>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct CommentView {
    /// Its id.
    pub id: Hex,
    /// The shortest beginning of the id that no other id has.
    pub short: String,
    /// The comment it answers.
    pub parent: Option<Hex>,
    /// Who wrote it.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The current text, in Markdown.
    pub text: String,
    /// When the text was last changed, in milliseconds since 1970.
    pub edited: Option<u64>,
    /// How many others would have it say something else.
    pub proposals: u32,
    /// Texts that others propose; only if everything is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<ProposedView>,
    /// The tags of an answer; those of the first comment are those of the thread. Only if everything is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it was taken back by itself.
    pub withdrawn: bool,
    /// Whether it is not shared yet.
    pub draft: bool,
    /// Whether it suggests a change.
    pub suggests: bool,
    /// What it suggests, and what has become of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionView>,
    /// Who vouches for its text, if somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureView>,
}

/// Another text for a comment, which somebody else proposes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ProposedView {
    /// Who proposes them.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The text.
    pub text: String,
}
