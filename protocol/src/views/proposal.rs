//! What was proposed for a thread, and who was asked to review, as clients see it.

use serde::{Deserialize, Serialize};

use super::place::{AnchorView, TextRange};
use super::thread::Person;
use crate::wire::bytes::{ByteText, Hex};

/// What somebody proposes for a thread; a person accepts it or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ProposalView {
    /// Its id.
    pub id: Hex,
    /// Who proposes it.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What has become of it.
    pub state: ProposalStatus,
    /// The thread was dealt with at this commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Hex>,
    /// Whether the thread no longer fits the code of that commit, instead of having been dealt with there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub obsolete: bool,
    /// Whether that commit does not have what was done yet: it was in uncommitted files on top of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncommitted: bool,
    /// Whether it is a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// The thread belongs here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<AnchorView>,
    /// The thread belongs to this message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageView>,
    /// Why, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// What has become of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProposalStatus {
    /// Nobody has answered it.
    Pending,
    /// Somebody accepted it.
    Accepted,
    /// Somebody declined it.
    Declined,
    /// Its author proposed something else later.
    Replaced,
    /// The thread was resolved or withdrawn without an answer to it.
    Settled,
    /// The commented lines are not those that it is about: they changed after the commit that it names, or after it was
    /// proposed.
    Overtaken,
}

/// The lines of a commit's message that a thread was put on, as its author saw them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct MessageView {
    /// The commit.
    pub commit: Hex,
    /// The first line, counted from one, which is the subject; `None` for the whole message.
    pub start: Option<u32>,
    /// The last line, which is part of it.
    pub end: Option<u32>,
    /// Both ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<TextRange>,
    /// The lines themselves; `None` for one that is only kept as a hash.
    pub lines: Vec<Option<ByteText>>,
    /// The lines before them; only with full detail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Option<ByteText>>,
    /// The lines after them, or the first ones of a whole message; only with full detail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Option<ByteText>>,
}

/// Somebody who was asked to review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RequestView {
    /// Who is asked.
    pub who: Person,
    /// By whom.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
}
