//! Records about records: signatures and purges.

use serde::{Deserialize, Serialize};

use super::{Author, RecordId, Seq, Timestamp};
use crate::git::BlobId;

/// Somebody vouches for a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The record; the signature is over all 32 bytes of its hash.
    pub of: RecordId,
    /// How it was signed.
    pub format: SignatureFormat,
    /// The signature itself, as the signing program wrote it.
    #[serde(with = "serde_bytes")]
    pub signature: Vec<u8>,
}

/// The programs that sign, as git names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum SignatureFormat {
    /// `ssh-keygen -Y sign`, in the namespace `postil`.
    Ssh,
    /// `gpg --detach-sign`.
    OpenPgp,
    /// A format of a later version.
    Other(String),
}

impl From<String> for SignatureFormat {
    fn from(word: String) -> Self {
        match word.as_str() {
            "ssh" => Self::Ssh,
            "openpgp" => Self::OpenPgp,
            _ => Self::Other(word),
        }
    }
}

impl From<SignatureFormat> for String {
    fn from(format: SignatureFormat) -> Self {
        match format {
            SignatureFormat::Ssh => "ssh".into(),
            SignatureFormat::OpenPgp => "openpgp".into(),
            SignatureFormat::Other(word) => word,
        }
    }
}

/// Records are to be shown nowhere any more.
///
/// A purge is itself never dropped, and naming one has no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purge {
    /// Who wanted it.
    pub author: Author,
    /// When, to show.
    pub at: Timestamp,
    /// Its place in the order of display.
    pub seq: Seq,
    /// The records that go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<RecordId>,
    /// The blobs whose pins go too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blobs: Vec<BlobId>,
}
