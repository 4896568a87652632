//! Reviews, in the form that clients receive.

use serde::{Deserialize, Serialize};

use super::proposal::RequestView;
use super::signature::SignatureView;
use super::thread::{Person, StatusView};
use crate::methods::reply::Counts;
use crate::wire::bytes::{ByteText, Hex};

/// The status of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReviewStatus {
    /// It is open.
    Open,
    /// Its branch was merged into its base.
    Merged,
    /// It was closed without a merge.
    Closed,
}

/// A branch under review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewView {
    /// Its id.
    pub id: Hex,
    /// The short id: its shortest unique prefix.
    pub short: String,
    /// Its title.
    pub title: String,
    /// Its description, in Markdown.
    pub description: String,
    /// Who started it.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The branch, as a full ref name.
    pub branch: ByteText,
    /// The base, as a full ref name.
    pub base: ByteText,
    /// The commit where the comparison starts.
    pub base_commit: Hex,
    /// The head of the branch when the review started.
    pub head: Hex,
    /// The current head of the branch, here or on a remote; in a list only for open reviews.
    pub tip: Option<Hex>,
    /// The new name of the branch, if it was renamed.
    pub renamed: Option<ByteText>,
    /// How it was merged into its base, if it was: `merge-commit`, `fast-forward`, `rebase`, `squash`.
    pub merged: Option<String>,
    /// Its status.
    pub status: ReviewStatus,
    /// Who set the status, if it was set.
    pub status_by: Option<StatusView>,
    /// Whether it is a draft.
    pub draft: bool,
    /// The verdicts in force: each person's last verdict and their later comments, oldest first.
    pub verdicts: Vec<VerdictView>,
    /// All verdicts, for any head, oldest first; only if one review is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<VerdictView>,
    /// Who is asked to review it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested: Vec<RequestView>,
    /// How many threads it has.
    pub threads: Counts,
    /// The signature, if it is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureView>,
    /// Edits that others propose; only if one review is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<ReviewProposedView>,
    /// Other reviews of the same branch and base, which are shown as one with it.
    pub also: Vec<Hex>,
}

/// A title or description that another person proposes for a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewProposedView {
    /// Who proposes it.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The proposed title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The proposed description, in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The proposed branch, as a full ref name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<ByteText>,
    /// The proposed base, as a full ref name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ByteText>,
}

/// One person's opinion of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Approved.
    Approve,
    /// Changes requested.
    Changes,
    /// A comment without an opinion.
    Comment,
}

/// A verdict and who gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct VerdictView {
    /// Its id.
    pub id: Hex,
    /// Who.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The verdict.
    pub verdict: Verdict,
    /// The head that it is for.
    pub head: Hex,
    /// The text, in Markdown.
    pub text: String,
    /// The signature, if it is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureView>,
    /// Whether it is a draft.
    #[serde(default)]
    pub draft: bool,
}
