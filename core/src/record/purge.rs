//! A purge: records that are to be hidden everywhere, for good.

use serde::{Deserialize, Serialize};

use super::{Author, RecordId, Seq, Timestamp, Via};
use crate::git::BlobId;

/// Records that are to be hidden everywhere.
///
/// A purge is itself never dropped, and naming one has no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeRecord {
    /// Who wanted it.
    pub author: Author,
    /// When, for showing only.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// What wrote it, if not a person by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<Box<Via>>,
    /// The records that go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<RecordId>,
    /// The blobs whose pins go too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blobs: Vec<BlobId>,
}

impl PurgeRecord {
    /// The name of this kind.
    pub const KIND: &str = "purge";
}
