//! Who vouches for a comment or a review, as clients see it.

use serde::{Deserialize, Serialize};

/// What is known of the signatures of something; left out if nobody signed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SignatureView {
    /// What they come to.
    pub state: SignatureState,
    /// Whose key it was made with, if that is known.
    pub signer: Option<String>,
    /// The key, as its program calls it.
    pub key: Option<String>,
    /// Whether somebody other than its author signed it.
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
    /// It is not known whose key it is.
    Unknown,
    /// It does not hold, or its key was revoked.
    Bad,
    /// There was no time to look; asked again, it may be known.
    Unchecked,
}
