//! Who made a record, and when.

use serde::{Deserialize, Deserializer, Serialize};

/// A person, as git knows them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Author {
    /// The name to show.
    pub name: String,
    /// What identifies the person.
    pub email: String,
}

/// Milliseconds since 1970, for showing only: it never decides anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

/// The order in which a thread's records are shown; it decides nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Seq(u64);

impl Seq {
    /// Larger numbers are read as this one, so that there is always a next one.
    pub const MAX: Self = Self(1 << 40);

    /// Counts from zero.
    pub fn new(count: u64) -> Self {
        Self(count.min(Self::MAX.0))
    }

    /// The next one; after the last one, the last one again.
    #[must_use]
    pub fn next(self) -> Self {
        Self::new(self.0 + 1)
    }

    /// The number itself.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Seq {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seq_cannot_run_over() {
        assert_eq!(Seq::new(u64::MAX), Seq::MAX);
        assert_eq!(Seq::MAX.next(), Seq::MAX);
        assert_eq!(Seq::new(6).next().get(), 7);
    }
}
