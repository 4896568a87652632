//! What is wrong with the reviews of a repository, and what was done about it.

use serde::{Deserialize, Serialize};

use super::advice::Advice;
use super::bytes::Hex;
use super::mark::Mark;
use super::request::Target;

/// Looks for what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Doctor {
    /// Whether to mend what can be mended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fix: bool,
    /// What a purge from elsewhere took away and is to be said again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restore: Vec<Target>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DoctorReply {
    /// The findings, by what they are about.
    pub findings: Vec<FindingView>,
    /// The records that were said again.
    pub restored: Vec<Hex>,
    /// How many records there are in all.
    pub records: u32,
    /// What is known with this answer, for whoever asks for changes.
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

/// How much a finding weighs.
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
