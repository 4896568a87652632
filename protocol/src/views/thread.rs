//! Threads and comments, in the form that clients receive.

use serde::{Deserialize, Serialize};

use super::place::{AnchorView, MessageSiteView, PositionView};
use super::proposal::{MessageView, ProposalView};
use super::severity::SeverityView;
use super::signature::{CommentTrust, SignatureView};
use super::via::ViaView;
use crate::methods::suggestion::{SuggestionState, SuggestionView};
use crate::wire::bytes::{ByteText, Hex};

/// A person, as in git.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Person {
    /// The displayed name.
    pub name: String,
    /// The email, which identifies the person.
    pub email: String,
    /// The program that wrote in this name, if it was not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<ViaView>>,
}

impl Person {
    /// A person, by hand.
    pub fn new(name: impl Into<String>, email: impl Into<String>) -> Self {
        Self { name: name.into(), email: email.into(), via: None }
    }
}

/// How much of each thread to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// Only what fits into a line of a list; the answer has `lines` instead of `threads`.
    Line,
    /// The same with the times, the full id, and whether something is unread: what a table for a person shows.
    Row,
    /// The first comment, and the lines of the anchor.
    #[default]
    Brief,
    /// All comments, and the lines of the anchor: what a diff shows.
    Comments,
    /// All comments, and the context of the anchor.
    Full,
}

/// The status of a thread or comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ThreadStatus {
    /// It is open.
    #[default]
    Open,
    /// It was resolved.
    Resolved,
    /// It was withdrawn.
    Withdrawn,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ThreadView {
    /// The id of its first comment.
    pub id: Hex,
    /// The short id: its shortest unique prefix.
    pub short: String,
    /// Its status.
    pub status: ThreadStatus,
    /// Who set the status, if it was set.
    pub status_by: Option<StatusView>,
    /// The review it belongs to.
    pub review: Option<Hex>,
    /// Its severity.
    pub severity: Option<SeverityView>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether it is a draft.
    pub draft: bool,
    /// Why it is listed: `branch`, `history`, `merged`, `homeless` or `everything`.
    pub seen: String,
    /// Its position; `None` if it is on the whole review.
    pub position: Option<PositionView>,
    /// Its anchor; `None` if it is on the whole review or on a commit's message.
    pub anchor: Option<AnchorView>,
    /// The commit's message that it was put on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageView>,
    /// What was proposed for it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals: Vec<ProposalView>,
    /// The number of replies.
    pub replies: u32,
    /// When the thread last changed, in milliseconds since 1970.
    pub updated: u64,
    /// What people disagree about: `words`, `status`, `anchor`.
    pub disputed: Vec<String>,
    /// The state of its newest suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionState>,
    /// The files that the state of its suggestions depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<ByteText>,
    /// The lines where it is now, from `position.start` on; only if they were asked for, and none of an orphan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<ByteText>,
    /// The first comments of other clones for the same finding, which are kept behind this one; those with other words are
    /// among `comments`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<Hex>,
    /// The first comment and, with full detail, the replies; empty if the first comment is missing.
    pub comments: Vec<CommentView>,
    /// Whether it is only the first words of it, since it is too long for an answer with a limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// A thread as one line of a list; default values are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ThreadLine {
    /// The shortest beginning of its id that no other id has.
    pub short: String,
    /// Its status; `open` if it is left out.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub status: ThreadStatus,
    /// Whether it is a draft.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub draft: bool,
    /// Its severity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<SeverityView>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The state of its newest suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionState>,
    /// What people disagree about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<String>,
    /// The signature of its first comment, if it is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Box<SignatureView>>,
    /// How far somebody vouches for its first comment; `unsigned` if it is left out.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub trust: CommentTrust,
    /// The commit whose message it is in, or was; `lines` are those of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Box<MessageSiteView>>,
    /// How many proposals nobody has answered.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub pending: u32,
    /// The branch of the review, as a full ref name, if the thread is on the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<ByteText>,
    /// Its current or last file; `None` if it is on the whole review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<ByteText>,
    /// Its lines there, as people type them: `12`, `12-20`, `12:5-14:9`; `None` for the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Its position and anchor, if it is not simply `anchored`, or is on deleted lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Box<Doubt>>,
    /// Who started it; `None` if the first comment is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The program that wrote it in this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<ViaView>>,
    /// The first line of the first comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The number of replies.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub replies: u32,
    /// What only a row has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<Box<ThreadRow>>,
}

/// What a row of a table for a person has besides the line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ThreadRow {
    /// When the thread was started, in milliseconds since 1970.
    pub at: u64,
    /// When the thread last changed, in milliseconds since 1970.
    pub updated: u64,
    /// Whether somebody else did something in it that the author of the request has not read.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub unread: bool,
}

/// A position to remark on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Doubt {
    /// Its position.
    pub position: PositionView,
    /// Its anchor; `None` if it is on a commit's message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<AnchorView>,
    /// The commit's message that it was put on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageView>,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A status, and who set it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct StatusView {
    /// Who.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Why.
    pub reason: Option<String>,
    /// The commit by which the thread was resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Hex>,
    /// The source of an import that no longer reports what the thread is about, or reports it again; absent if somebody
    /// decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The signature, if it is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureView>,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the JSON")]
pub struct CommentView {
    /// Its id.
    pub id: Hex,
    /// The short id: its shortest unique prefix.
    pub short: String,
    /// The comment that it replies to.
    pub parent: Option<Hex>,
    /// Who wrote it.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The current text, in Markdown.
    pub text: String,
    /// When the text was last changed, in milliseconds since 1970.
    pub edited: Option<u64>,
    /// How many other people propose another text.
    pub proposals: u32,
    /// The proposed texts; only with full detail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<ProposedView>,
    /// The tags of a reply; those of the first comment are the thread's. Only with full detail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether this comment was withdrawn.
    pub withdrawn: bool,
    /// Whether it is a draft.
    pub draft: bool,
    /// Whether who asks does not get it, since nobody vouches for it (`postil.agentsRead`): its words, its author and what it
    /// suggests are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// Whether it suggests a change.
    pub suggests: bool,
    /// Its suggestion, and the state of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<SuggestionView>,
    /// How far somebody vouches for it.
    #[serde(default)]
    pub trust: CommentTrust,
    /// The signature of its text, if it is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureView>,
}

/// A new text for a comment, proposed by another person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ProposedView {
    /// Who proposes it.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The text.
    pub text: String,
}
