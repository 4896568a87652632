//! What happened in a thread, as clients see it.

use serde::{Deserialize, Serialize};

use super::place::AnchorView;
use super::proposal::MessageView;
use super::signature::SignatureView;
use super::thread::Person;
use crate::methods::changes::ChangeKind;
use crate::wire::bytes::Hex;

/// One thing that somebody did in a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct TimelineView {
    /// What they did.
    pub what: ChangeKind,
    /// The record of it. That a suggestion was applied is in no record: then it is the comment that suggests it.
    pub record: Hex,
    /// The comment that it is about; of a new comment, its own id.
    pub of: Hex,
    /// Who did it; of an applied suggestion, the author of the commit.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What they wrote: the text of a comment as it was then, the new text, or the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The commit by which a thread was resolved, at which it is said to be done, or that applied a suggestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Hex>,
    /// What a comment was moved to, or where it is said to belong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Box<AnchorView>>,
    /// The source of an import that no longer reports what the thread is about, or reports it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The same, if that is a commit's message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Box<MessageView>>,
    /// Whether it is not shared yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// Who vouches for it, if somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureView>,
}
