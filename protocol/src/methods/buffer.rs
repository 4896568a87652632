//! Text that an editor has not saved. For one request, it takes precedence over the files on disk.

use serde::{Deserialize, Serialize};

use crate::wire::bytes::ByteText;

/// The unsaved text of a file, whether git tracks it or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Buffer {
    /// The path, relative to the root of the repository.
    pub path: ByteText,
    /// The whole text, with the line endings that the editor would save.
    pub text: String,
    /// The editor's version number of this text, which the answer repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

/// Which version of a buffer an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct BufferVersion {
    /// The file.
    pub path: ByteText,
    /// The version number that was sent.
    pub version: Option<i64>,
}
