//! Problems with the reviews of a repository, and what was fixed.

use serde::{Deserialize, Serialize};

use super::request::Target;
use crate::views::advice::Advice;
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::views::purge::PurgeView;
use crate::wire::bytes::Hex;

/// Looks for problems.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Doctor {
    /// Whether to fix the problems that can be fixed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fix: bool,
    /// Records that a purge removed, to be restored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restore: Vec<Target>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DoctorReply {
    /// The findings, by area.
    pub findings: Vec<FindingView>,
    /// The records that were restored.
    pub restored: Vec<Hex>,
    /// What those are that were restored before, and therefore not again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub already_restored: Vec<Hex>,
    /// The purges whose records are kept here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub purges: Vec<PurgeView>,
    /// How many records there are in all.
    pub records: u32,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FindingView {
    /// The area: `store`, `positions`, `pins`, `purged`, `settings`, `cache` or `daemon`.
    pub area: String,
    /// Whether it is a problem, or only a note.
    pub weight: Weight,
    /// What was found.
    pub what: String,
    /// The consequence.
    pub why: String,
    /// What to do about it.
    pub advice: Advice,
}

/// Whether a finding is a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// A problem.
    Problem,
    /// A problem that was fixed.
    Fixed,
    /// Not a problem.
    Note,
}
