//! Whether a review is ready to be merged, and what is missing, in the form that clients receive.

use serde::{Deserialize, Serialize};

use super::thread::Person;
use crate::wire::bytes::{ByteText, Hex};

/// Whether a review is ready to be merged into its base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReadyView {
    /// Whether nothing is missing.
    pub ready: bool,
    /// What it takes; `None` if the rule could not be read.
    pub rule: Option<ReadyRuleView>,
    /// Who approved, and whether it counts; oldest first.
    pub approvals: Vec<ApprovalView>,
    /// What is missing.
    pub missing: Vec<MissingView>,
}

/// What it takes to be ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReadyRuleView {
    /// The commit of the base that the rule was read from; `None` if there is no base yet.
    pub commit: Option<Hex>,
    /// The file; `None` if the base has none, and the usual rule holds.
    pub path: Option<ByteText>,
    /// How many people have to approve.
    pub approvals: u32,
    /// Emails of those whose approvals count; everybody's, if it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// Emails of those who have to approve, whoever else does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// Whether only signed verdicts count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
    /// Whether it may be merged with open blockers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blockers_allowed: bool,
    /// Whether it may be merged although somebody requests changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changes_allowed: bool,
}

/// An approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ApprovalView {
    /// Who approved.
    pub who: Person,
    /// Why it does not count; `None` if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<VoidReason>,
}

/// Why an approval does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VoidReason {
    /// The work of the branch changed since.
    Earlier,
    /// They started the review.
    OwnReview,
    /// They wrote commits of the branch.
    OwnCommits,
    /// A program wrote it.
    Program,
    /// It is not signed by its author with a trusted key, and the rule asks for that.
    Unsigned,
    /// Its signature is bad.
    BadSignature,
    /// The rule counts other people's approvals only.
    Outsider,
}

/// Something that is missing until a review is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum MissingView {
    /// More people have to approve.
    Approvals {
        /// How many did, of those who count.
        have: u32,
        /// How many have to.
        need: u32,
    },
    /// This person has to approve.
    Required {
        /// The email.
        who: String,
    },
    /// This person requests changes.
    ChangesRequested {
        /// Who.
        who: Person,
    },
    /// Blockers are open.
    Blockers {
        /// The short ids of their threads.
        threads: Vec<String>,
    },
    /// The rule in the base cannot be used.
    InvalidRule {
        /// The commit of the base.
        commit: Hex,
        /// The file.
        path: ByteText,
        /// The line, if it is about one.
        line: Option<u32>,
        /// What is wrong.
        why: String,
    },
    /// Something could not be read, so nobody knows.
    Unread {
        /// What.
        why: String,
    },
    /// The review is merged or closed.
    Ended,
}

impl MissingView {
    /// Whether it says that nobody can tell, rather than that something is to be done in the review.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::InvalidRule { .. } | Self::Unread { .. })
    }
}
