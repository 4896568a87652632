//! Signatures, in the form that clients receive.

use serde::{Deserialize, Serialize};

/// What is known about the signatures of something; left out if it is not signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct SignatureView {
    /// The result of the check.
    pub state: SignatureState,
    /// Whose key it was made with, if that is known.
    pub signer: Option<String>,
    /// The key, as the signing program names it.
    pub key: Option<String>,
    /// Whether the signer is someone other than the author.
    pub author_differs: bool,
    /// Why it is not verified.
    pub why: Option<String>,
}

/// The result of checking the signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SignatureState {
    /// A signature is valid, and its key is trusted.
    Verified,
    /// The key is not known here.
    Unknown,
    /// The signature does not match, or its key was revoked.
    Bad,
    /// There was not enough time to check; ask again.
    Unchecked,
}

/// How far somebody vouches for a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CommentTrust {
    /// It is signed, the key is allowed, and it is its author's, or the person's for whom the author works.
    Signed,
    /// It was written in this repository on this machine.
    Here,
    /// Nobody vouches for it: anyone who can push could have written it.
    #[default]
    Unsigned,
    /// It has a signature that does not hold.
    Bad,
}
