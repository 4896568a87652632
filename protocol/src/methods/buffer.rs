//! Texts that an editor has not saved: they count on top of the files on disk, for one request.

use serde::{Deserialize, Serialize};

use crate::wire::bytes::ByteText;

/// The unsaved text of a file, whether git tracks it or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Buffer {
    /// The file, from the root of the repository.
    pub path: ByteText,
    /// All of its text, with the line ends that the editor would save.
    pub text: String,
    /// The editor's number of this text, which the answer repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
}

/// Which text of a file an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct BufferVersion {
    /// The file.
    pub path: ByteText,
    /// The number that came with it.
    pub version: Option<i64>,
}
