//! Who vouches for what somebody said, as clients see it.

use serde::{Deserialize, Serialize};

/// What is known of the signatures of something; nothing is told of what nobody signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SignatureView {
    /// What they come to.
    pub state: SignatureState,
    /// Whose key it was made with, where that is known.
    pub signer: Option<String>,
    /// The key, as its program calls it.
    pub key: Option<String>,
    /// Whether somebody else signed it than who is told as its author.
    pub author_differs: bool,
    /// Why it is not verified.
    pub why: Option<String>,
}

/// What the signatures of something come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SignatureState {
    /// One holds, and its key is trusted.
    Verified,
    /// Nobody knows whose key it is.
    Unknown,
    /// It does not hold, or its key was revoked.
    Bad,
    /// There was no time to look; asked again, it may be known.
    Unchecked,
}
