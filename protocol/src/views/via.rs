//! What wrote something, if not a person by hand, as clients see it and as they declare it.

use serde::{Deserialize, Serialize};

use super::thread::Person;

/// A program that writes: an agent, or a tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct ViaView {
    /// `agent` or `tool`; what others stored may have another word.
    pub kind: String,
    /// Its name.
    pub program: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The model that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The person that it works for; left out in a request, whose author that is.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Box<Person>>,
}
