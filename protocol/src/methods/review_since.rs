//! What changed in a review since a verdict.

use serde::{Deserialize, Serialize};

use super::reply::DiffMark;
use crate::views::mark::Mark;
use crate::views::review::{ReviewView, VerdictView};
use crate::wire::bytes::{ByteText, Hex};

/// What changed between the head that was judged and the head now, without changes of the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SinceReply {
    /// The review.
    pub review: ReviewView,
    /// The verdict.
    pub verdict: VerdictView,
    /// What was judged.
    pub then: StretchView,
    /// What there is now.
    pub now: StretchView,
    /// The files in which the two do not do the same, in the order of their paths; none if nothing changed.
    pub files: Vec<SinceFile>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// The work of a branch: what leads from `base` to `head`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct StretchView {
    /// Where it begins.
    pub base: Hex,
    /// Where it ends.
    pub head: Hex,
}

/// A file in which the work differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SinceFile {
    /// The file, as it is called now.
    pub path: ByteText,
    /// Its name then, if it was another.
    pub was: Option<ByteText>,
    /// The lines of the changes that differ; `None` if the name, the mode or the line ends do, or it is not text.
    pub lines: Option<Vec<SinceLine>>,
}

/// A line that the work adds or deletes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SinceLine {
    /// Whether it does so still.
    pub change: SinceChange,
    /// Whether it is put in or taken out.
    pub mark: DiffMark,
    /// Counted from one: in the head for a line that is put in, in the base for one that is taken out.
    pub line: u32,
    /// The line, without its end.
    pub text: ByteText,
}

/// Whether the work does something still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SinceChange {
    /// It did then, and does now.
    Same,
    /// It did, and does not any more.
    Gone,
    /// It does now, and did not.
    Came,
}
