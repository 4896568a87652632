//! `review.ready`: whether a review is ready to be merged.

use serde::{Deserialize, Serialize};

use super::request::Target;
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::ready::ReadyView;
use crate::wire::bytes::{ByteText, Hex};

/// Reports whether a review is ready to be merged, by the rule in its base.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewReady {
    /// The review, by id or branch; if left out, the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// The merge that is under way, instead of a review: all reviews are looked at whose work it brings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merging: Option<ReviewMerge>,
}

/// A branch that is about to be replaced by a later commit, such as by a push.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewMerge {
    /// The new commit.
    pub commit: Hex,
    /// The commit that it replaces, whose rule counts; `None` if there is no such branch yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onto: Option<Hex>,
    /// The branch, as a full ref name.
    pub into: ByteText,
}

/// Whether reviews are ready.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewReadyReply {
    /// The review; for a merge, all that it brings.
    pub reviews: Vec<ReviewReadiness>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// One review, and whether it is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ReviewReadiness {
    /// Its id.
    pub id: Hex,
    /// Its short id.
    pub short: String,
    /// Its title.
    pub title: String,
    /// Its branch, as a full ref name.
    pub branch: ByteText,
    /// Its base, as a full ref name.
    pub base: ByteText,
    /// Whether it is ready.
    #[serde(flatten)]
    pub state: ReadyView,
}
