//! What a signature claims, and what was found out about that.

use postil_core::record::{RecordId, SignatureFormat, Timestamp};

/// A claim that a person signed a record: everything that is needed to check it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The record.
    pub of: RecordId,
    /// All of its hash: what is signed.
    pub hash: [u8; 32],
    /// Who the record says that its author is, by email.
    pub author: String,
    /// When the record says that it was made.
    pub at: Timestamp,
    /// How it was signed.
    pub format: SignatureFormat,
    /// The signature, as the signing program wrote it.
    pub signature: Vec<u8>,
}

/// What was found out about one signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It holds, and its key is trusted.
    Verified {
        /// Whose key it is.
        signer: KeyOwner,
        /// The key, as its program calls it.
        key: Option<String>,
    },
    /// It may be valid, but its key is not known here.
    Unknown {
        /// Why.
        why: String,
        /// The key, if that is known.
        key: Option<String>,
    },
    /// It does not hold, or its key was revoked.
    Bad {
        /// Why.
        why: String,
    },
    /// There was no time to look.
    Unchecked,
}

/// Whose key a signature was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOwner {
    /// The author of the record, as the key's owner is known.
    Author(String),
    /// Another person.
    Other(String),
}

impl Finding {
    pub(super) fn bad(why: impl Into<String>) -> Self {
        Self::Bad { why: why.into() }
    }

    pub(super) fn unknown(why: impl Into<String>, key: Option<String>) -> Self {
        Self::Unknown { why: why.into(), key }
    }

    /// Of the findings about one record, the most informative one: an invalid signature does not weaken a
    /// valid one, nor one that has not been checked yet.
    #[must_use]
    pub fn stronger(self, other: Self) -> Self {
        if other.weight() > self.weight() { other } else { self }
    }

    /// Whether no later finding can be more informative.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Verified { signer: KeyOwner::Author(_), .. })
    }

    fn weight(&self) -> u8 {
        match self {
            Self::Verified { signer: KeyOwner::Author(_), .. } => 4,
            Self::Unchecked => 3,
            Self::Verified { signer: KeyOwner::Other(_), .. } => 2,
            Self::Bad { .. } => 1,
            Self::Unknown { .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_that_fails_takes_nothing_away_from_one_that_holds() {
        let holds = Finding::Verified { signer: KeyOwner::Author("ann".into()), key: None };
        let other = Finding::Verified { signer: KeyOwner::Other("bob".into()), key: None };
        let (bad, unknown) = (Finding::bad("planted"), Finding::unknown("a key", None));
        let all = [unknown, bad, other, Finding::Unchecked, holds];
        for (weaker, stronger) in all.iter().zip(&all[1..]) {
            assert_eq!(weaker.clone().stronger(stronger.clone()), *stronger);
            assert_eq!(stronger.clone().stronger(weaker.clone()), *stronger);
        }
    }
}
