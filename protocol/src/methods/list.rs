//! Lists of threads: what is asked for. The answer is in [`reply`](super::reply).

use serde::{Deserialize, Serialize};

use super::request::{Freshness, HeadName, Scope, Target};
use crate::views::place::PlaceState;
use crate::views::severity::SeverityView;
use crate::views::thread::{Detail, ThreadStatus};
use crate::wire::bytes::ByteText;

/// Maximum number of threads in one answer; the rest can be requested with a cursor.
pub const MAX_LIST: u32 = 10_000;

/// The same for lists of lines ([`Detail::Line`]).
pub const MAX_LINES: u32 = 50_000;

/// Lists threads: those on the whole review first, then those on commit messages, oldest commit first, then by
/// file and line; orphans are at the top of their file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct List {
    /// Which threads to start from.
    #[serde(default)]
    pub scope: Scope,
    /// Filter for these threads.
    #[serde(default)]
    pub filter: Filter,
    /// The head to compute positions for.
    #[serde(default)]
    pub head: HeadName,
    /// Whether positions may be old.
    #[serde(default)]
    pub freshness: Freshness,
    /// How much of each thread to return.
    #[serde(default)]
    pub detail: Detail,
    /// How many of the lines where each thread is now to return in its `code`, at most; none if it is left out.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub code: u32,
    /// The order.
    #[serde(default, skip_serializing_if = "ListOrder::is_usual")]
    pub order: ListOrder,
    /// Maximum number of threads; [`MAX_LIST`] or [`MAX_LINES`] if it is larger or left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The cursor from `next` of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none_of_them(count: &u32) -> bool {
    *count == 0
}

/// The order of a list of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ListOrder {
    /// Those on the whole review first, then by file and line.
    #[default]
    File,
    /// The one in which something happened last comes first.
    Age,
    /// Blockers first, then issues, questions, notes, nits, praise; each by file and line.
    Severity,
}

impl ListOrder {
    /// Whether it is the one that is used if none is named.
    pub fn is_usual(&self) -> bool {
        *self == Self::File
    }
}

/// A filter for threads: a thread must match every list that is not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Filter {
    /// These threads: prefixes of their ids, or of those of comments in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Target>,
    /// Pathspecs as in git, relative to the root of the repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<ByteText>,
    /// States of positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<PlaceState>,
    /// Statuses of threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<ThreadStatus>,
    /// People who wrote in the thread or proposed a text: a part of a name or email, in any case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Emails of people who started the thread, by hand or with a program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub started_by: Vec<String>,
    /// A regular expression that a comment of the thread matches, in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Only threads in which somebody else did something that the author of the request has not read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
    /// Severities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub severities: Vec<SeverityView>,
    /// Tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// A review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Target>,
    /// A branch, as a full ref name: the threads of reviews that are to be merged into it; if it is the usual base, also
    /// those without a review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<ByteText>,
    /// Only threads with something written at this time or later, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Only threads that a person should move: orphaned, or outdated with other candidates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_choice: bool,
}
