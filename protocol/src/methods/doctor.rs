//! What is wrong with the reviews of a repository, and what was done about it.

use serde::{Deserialize, Serialize};

use super::request::Target;
use crate::views::advice::Advice;
use crate::views::mark::Mark;
use crate::wire::bytes::Hex;

/// Looks for what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Doctor {
    /// Whether to mend what can be mended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fix: bool,
    /// Records that a purge from elsewhere removed, to be restored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restore: Vec<Target>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DoctorReply {
    /// The findings, by what they are about.
    pub findings: Vec<FindingView>,
    /// The records that were restored.
    pub restored: Vec<Hex>,
    /// How many records there are in all.
    pub records: u32,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FindingView {
    /// What it is about: `store`, `pins`, `purged`, `settings`, `cache` or `daemon`.
    pub area: String,
    /// Whether something is wrong, or only worth knowing.
    pub weight: Weight,
    /// What was found.
    pub what: String,
    /// What comes of it.
    pub why: String,
    /// What to do about it.
    pub advice: Advice,
}

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// Something is wrong.
    Problem,
    /// Something was wrong, and was mended.
    Fixed,
    /// Nothing is wrong.
    Note,
}
