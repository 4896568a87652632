//! Syncing with remotes, and the results.

use serde::{Deserialize, Serialize};

use crate::views::advice::{Advice, WarningView};
use crate::views::mark::Mark;
use crate::views::purge::PurgeView;
use crate::wire::bytes::ByteText;

/// Syncs reviews with remotes.
///
/// Runs the user's git, which may ask for a password.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Sync {
    /// Names or URLs of remotes; if empty, the default remote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<String>,
    /// Whether to sync with all remotes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// The direction.
    #[serde(default)]
    pub direction: SyncDirection,
    /// Whether to send commented files that have not been pushed to the remote.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_files: bool,
}

/// The direction of a sync.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SyncDirection {
    /// Fetch and push.
    #[default]
    Both,
    /// Only fetch.
    FetchOnly,
    /// Only push; fails if the remote has new reviews.
    PushOnly,
    /// Neither; the answer contains what would be exchanged.
    DryRun,
}

/// The result of a sync.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SyncReply {
    /// One result per remote, in order.
    pub remotes: Vec<SyncedRemote>,
    /// Settings with which git would push or delete drafts and other local refs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// The result of a sync with one remote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SyncedRemote {
    /// Its name.
    pub remote: String,
    /// The received records.
    pub came: RecordCountsView,
    /// The sent records.
    pub went: RecordCountsView,
    /// How many local records were hidden by purges from the remote.
    pub purged: u32,
    /// The purges that did so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub purges: Vec<PurgeView>,
    /// Entries of its notes that git refuses, such as `.git`: they were left out, and are kept aside. At most 20 are named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<ByteText>,
    /// How often it was tried; more than once if others pushed at the same time.
    pub tries: u32,
    /// In a dry run, how many commented files prevent sending, because they have not been pushed to the
    /// remote.
    pub unsent_files: u32,
    /// In a dry run, these files as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsent: Option<String>,
    /// The kind of failure, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<SyncProblem>,
    /// Why it failed; received records are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The causes of the failure, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
}

/// Why a sync with a remote failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SyncProblem {
    /// The reviews contain files that have not been pushed to the remote; nothing was sent.
    Unsent,
    /// Others pushed reviews at the same time, at every try.
    Outrun,
    /// The remote rejects reviews.
    Refused,
    /// The remote could not be reached, or did not answer.
    Unreachable,
    /// The notes ref of the remote is not a commit.
    NoNotes,
    /// The reviews of the remote could not be merged.
    NotTakenIn,
    /// It failed before a remote was chosen.
    NotBegun,
    /// A reason of a later version.
    #[serde(other)]
    Other,
}

impl SyncProblem {
    /// What to do about it, with this remote.
    pub fn advice(self, remote: &str) -> Advice {
        match self {
            Self::Unsent => Advice::SendFiles { remote: remote.to_owned() },
            Self::Outrun => Advice::FetchFirst,
            Self::Refused => Advice::AllowNotesRef,
            Self::NoNotes => Advice::DeleteOtherRef,
            Self::Unreachable | Self::NotBegun | Self::Other => Advice::SyncLater,
            Self::NotTakenIn => Advice::SyncAgain,
        }
    }
}

impl SyncedRemote {
    /// What to do about it, if it failed.
    pub fn advice(&self) -> Option<Advice> {
        Some(self.problem?.advice(&self.remote))
    }
}

/// Numbers of new records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RecordCountsView {
    /// Comments and replies.
    pub comments: u32,
    /// Threads that were resolved.
    pub resolved: u32,
    /// Reopened threads and reviews.
    pub reopened: u32,
    /// Withdrawn threads.
    pub withdrawn: u32,
    /// Started reviews.
    pub reviews: u32,
    /// Verdicts on reviews.
    pub verdicts: u32,
    /// Proposals of agents and tools.
    #[serde(default)]
    pub proposals: u32,
    /// Requests to review, and releases.
    #[serde(default)]
    pub requests: u32,
    /// Closed reviews.
    #[serde(default)]
    pub ended: u32,
    /// Edited texts.
    #[serde(default)]
    pub edits: u32,
    /// Comments that were moved by hand.
    #[serde(default)]
    pub moves: u32,
    /// Purges.
    #[serde(default)]
    pub purges: u32,
    /// Records of other kinds, such as those of later versions.
    #[serde(default)]
    pub others: u32,
    /// All records.
    pub records: u32,
}
