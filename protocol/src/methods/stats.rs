//! How comments drift: how many moved, became outdated or were lost, where and when, and how long threads stay open.

use serde::{Deserialize, Serialize};

use super::list::Filter;
use super::reply::HeadView;
use super::request::{HeadName, Scope};
use crate::views::advice::WarningView;
use crate::views::mark::Mark;
use crate::wire::bytes::{ByteText, Hex};

/// More folders than this are counted together.
pub const MAX_FOLDERS: usize = 50;

/// At most so many periods are compared.
pub const MAX_PERIODS: usize = 12;

/// Counts how comments drift.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Stats {
    /// Which threads to start from.
    #[serde(default)]
    pub scope: Scope,
    /// Filter for these threads; without statuses, threads of every status count.
    #[serde(default)]
    pub filter: Filter,
    /// The head to compute positions for.
    #[serde(default)]
    pub head: HeadName,
}

/// How comments drift.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct StatsReply {
    /// All threads.
    pub all: DriftCounts,
    /// By the folder of the file that each thread was put on; those with the most outdated and lost threads come first.
    /// Threads that are on no file are in none.
    pub folders: Vec<FolderDrift>,
    /// The folders that are not listed, together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_folders: Option<DriftCounts>,
    /// What happened in each period, oldest first. The head of the end of each period is compared with that of the period
    /// before, so what changes twice in a period counts once.
    pub periods: Vec<PeriodDrift>,
    /// Whether more history or more threads exist than were compared for the periods.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// How long threads stay open.
    pub times: StatusTimes,
    /// The head that positions are for.
    pub head: HeadView,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
    /// What could not be read or done, besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// How many threads are where they were put, and how many are not.
///
/// `threads` is the sum of `in_place`, `moved`, `outdated`, `lost` and `without_place`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct DriftCounts {
    /// All of them.
    pub threads: u32,
    /// Those that are open.
    pub open: u32,
    /// Those on the same lines of the same file.
    pub in_place: u32,
    /// Those whose text is on other lines, or in another file.
    pub moved: u32,
    /// Those whose text changed: state `outdated`.
    pub outdated: u32,
    /// Those whose lines no longer exist: state `orphaned`.
    pub lost: u32,
    /// Those that are on a whole review or a commit's message, or for which there is no commit to look at.
    pub without_place: u32,
    /// Those that somebody moved by hand; they are counted above by where they are since.
    pub moved_by_hand: u32,
}

/// How the threads of a folder drift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FolderDrift {
    /// The folder, relative to the root of the repository; empty for the root.
    pub path: ByteText,
    /// Its threads.
    pub counts: DriftCounts,
    /// Whether it has at least three threads on files, and at least half of them are outdated or lost.
    pub unstable: bool,
}

/// What happened to threads in a period.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PeriodDrift {
    /// When it begins, in milliseconds since 1970.
    pub start: u64,
    /// When the next one begins.
    pub end: u64,
    /// The head at its end; `None` for files that are not committed.
    pub commit: Option<Hex>,
    /// How many threads were started in it.
    pub started: u32,
    /// How many of the threads were found at its end, or had been found before.
    pub threads: u32,
    /// How many moved to other lines or another file.
    pub moved: u32,
    /// How many became outdated.
    pub outdated: u32,
    /// How many were lost.
    pub lost: u32,
    /// How many that were outdated or lost were found again.
    pub recovered: u32,
}

/// How long threads stay open, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct StatusTimes {
    /// How many threads are open.
    pub open: u32,
    /// How long half of the open threads have been open at most.
    pub open_median: Option<u64>,
    /// How long the oldest open thread has been open.
    pub open_longest: Option<u64>,
    /// How many threads are resolved.
    pub resolved: u32,
    /// After how long half of the resolved threads were resolved.
    pub resolved_median: Option<u64>,
    /// After how long nine of ten resolved threads were resolved.
    pub resolved_most: Option<u64>,
    /// How many threads are withdrawn.
    pub withdrawn: u32,
}
