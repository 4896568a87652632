//! What an exchange with remotes is told as.

use serde::{Deserialize, Serialize};

use super::method::Method;

/// Exchanges reviews with remotes.
///
/// A client does this in its own process, where a person can be asked for a password; it is a method so that its answer
/// has a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Sync {
    /// With which; the usual one where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remotes: Vec<String>,
}

impl Method for Sync {
    const NAME: &'static str = "sync";
    type Answer = SyncReply;
}

/// What came of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SyncReply {
    /// One for each remote, in the order in which they were asked.
    pub remotes: Vec<SyncedRemote>,
}

/// What came of an exchange with one remote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SyncedRemote {
    /// Its name.
    pub remote: String,
    /// What came from there.
    pub came: NewsView,
    /// What went there.
    pub went: NewsView,
    /// How many records a purge from there hid here.
    pub purged: u32,
    /// How often it was tried, because others were faster.
    pub tries: u32,
    /// In a dry run, how many commented files would keep everything from going: git has not sent them there.
    pub unsent_files: u32,
    /// Why it failed; what came before that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// How much of what is new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct NewsView {
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
    /// All records.
    pub records: u32,
}
