//! Reviews as clients see them.

use serde::{Deserialize, Serialize};

use super::signature::SignatureView;
use super::thread::{Person, StatusView};
use crate::methods::reply::Counts;
use crate::wire::bytes::{ByteText, Hex};

/// What has become of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReviewStatus {
    /// It is under way.
    Open,
    /// Its branch was merged into its base.
    Merged,
    /// Ended otherwise.
    Closed,
}

/// A branch under review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewView {
    /// Its id.
    pub id: Hex,
    /// The shortest beginning of the id that no other id has.
    pub short: String,
    /// What it is called.
    pub title: String,
    /// What it is about, in Markdown.
    pub description: String,
    /// Who asked for it.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The branch, as a full ref name.
    pub branch: ByteText,
    /// What it is compared with, as a full ref name.
    pub base: ByteText,
    /// Where the comparison began.
    pub base_commit: Hex,
    /// Where the branch was then.
    pub head: Hex,
    /// Where the branch is now, here or on a remote; in a list only of open reviews.
    pub tip: Option<Hex>,
    /// The new name of the branch, if it was renamed.
    pub renamed: Option<ByteText>,
    /// How it was merged into its base, if it was: `merge-commit`, `fast-forward`, `rebase`, `squash`.
    pub merged: Option<String>,
    /// What has become of it.
    pub status: ReviewStatus,
    /// Who set it, if somebody did.
    pub status_by: Option<StatusView>,
    /// Whether it is not shared yet.
    pub draft: bool,
    /// The verdicts that count: each person's last verdict and their later comments, oldest first.
    pub verdicts: Vec<VerdictView>,
    /// Every verdict that was given, of whichever head, oldest first; only if one review is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<VerdictView>,
    /// How many threads it has.
    pub threads: Counts,
    /// Who vouches for it, if somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureView>,
    /// Texts that others propose for it; only if one review is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<ReviewProposedView>,
    /// Other reviews of the same branch and base that are shown as one with it.
    pub also: Vec<Hex>,
}

/// A title or description that somebody else proposes for a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewProposedView {
    /// Who proposes it.
    pub author: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// Another title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Another description, in Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Another branch, as a full ref name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<ByteText>,
    /// Something else to compare it with, as a full ref name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ByteText>,
}

/// What a person thinks of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Go ahead.
    Approve,
    /// Not like this.
    Changes,
    /// Neither.
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
    /// The judgement.
    pub verdict: Verdict,
    /// The head that was looked at.
    pub head: Hex,
    /// Why, in Markdown.
    pub text: String,
    /// Who vouches for it, if somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureView>,
    /// Whether it is not shared yet.
    #[serde(default)]
    pub draft: bool,
}
