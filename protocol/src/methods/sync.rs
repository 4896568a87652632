//! Exchanges with remotes, and their results.

use serde::{Deserialize, Serialize};

use crate::views::advice::{Advice, WarningView};
use crate::views::mark::Mark;

/// Exchanges reviews with remotes.
///
/// It starts the git of the person who asks, which may ask them for a password.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Sync {
    /// With these, each a name or an address; the usual one if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<String>,
    /// With every remote that is configured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Which way records go.
    #[serde(default)]
    pub direction: SyncDirection,
    /// Whether commented files go that git has not sent there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_files: bool,
}

/// Which way records go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SyncDirection {
    /// Theirs come, ours go.
    #[default]
    Both,
    /// Theirs come.
    FetchOnly,
    /// Ours go, if they have nothing that we lack.
    PushOnly,
    /// Nothing is exchanged; the answer says what would be.
    DryRun,
}

/// The result of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SyncReply {
    /// One for each remote, in the order in which they were asked.
    pub remotes: Vec<SyncedRemote>,
    /// What git would do to drafts and other local refs as it is set up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
    /// The mark of this answer, for a later `changes` request.
    #[serde(default)]
    pub mark: Mark,
}

/// The result of an exchange with one remote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SyncedRemote {
    /// Its name.
    pub remote: String,
    /// What was received.
    pub came: RecordCountsView,
    /// What was sent.
    pub went: RecordCountsView,
    /// How many records a purge from there hid here.
    pub purged: u32,
    /// How often it was tried, because others were faster.
    pub tries: u32,
    /// In a dry run, how many commented files would keep everything from going: git has not sent them there.
    pub unsent_files: u32,
    /// In a dry run, which files those are, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsent: Option<String>,
    /// What kind of failure it was, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<SyncProblem>,
    /// Why it failed; what was received before that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why that, the nearest cause first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
}

/// Why an exchange with a remote failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SyncProblem {
    /// The reviews hold files that git has not sent there; nothing was sent.
    Unsent,
    /// Others sent reviews at the same moment, every time.
    Outrun,
    /// The remote does not take reviews.
    Refused,
    /// The remote could not be reached, or did not answer.
    Unreachable,
    /// The remote has something else under the name of the notes.
    NoNotes,
    /// The reviews of the remote could not be taken in.
    NotTakenIn,
    /// No exchange began with any remote.
    NotBegun,
    /// A word of a later version.
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

/// How much of what is new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RecordCountsView {
    /// Comments and replies.
    pub comments: u32,
    /// Threads that were resolved.
    pub resolved: u32,
    /// Threads and reviews that were opened again.
    pub reopened: u32,
    /// Threads that were taken back.
    pub withdrawn: u32,
    /// Reviews that began.
    pub reviews: u32,
    /// Verdicts.
    pub verdicts: u32,
    /// Reviews that ended.
    #[serde(default)]
    pub ended: u32,
    /// Texts that were changed.
    #[serde(default)]
    pub edits: u32,
    /// Comments that a person moved.
    #[serde(default)]
    pub moves: u32,
    /// Purges.
    #[serde(default)]
    pub purges: u32,
    /// What other programs and later versions wrote.
    #[serde(default)]
    pub others: u32,
    /// All records.
    pub records: u32,
}
