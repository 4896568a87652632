//! A purge, and what is kept of the records that it removed.

use serde::{Deserialize, Serialize};

use super::thread::Person;
use crate::wire::bytes::Hex;

/// A purge, and what is kept here of the records that it removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PurgeView {
    /// The purge.
    pub id: Hex,
    /// Who purged.
    pub by: Person,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// How many records it removed that are kept here.
    pub records: u32,
    /// Who wrote them.
    pub authors: Vec<Person>,
    /// Whether it removed something that somebody else wrote.
    pub others: bool,
    /// What is to be restored to undo all of it; what was said about these comes along. Empty if that is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restore: Vec<Hex>,
}
