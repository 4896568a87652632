//! The signature of a record.

use serde::{Deserialize, Serialize};

use super::RecordId;

/// Somebody signed a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureRecord {
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
