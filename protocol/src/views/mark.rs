//! Marks: what a client knows of a repository, so that it can ask what changed since.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a client knows of a repository; every answer of the service has one.
///
/// Opaque to clients: they keep it, and give it back. It has two parts, of letters, digits and dots, with a `-` between
/// them: what was said (where notes and drafts are), and what places are for (the head, and what was seen from there).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Mark(String);

impl Mark {
    /// Joins the two parts.
    pub fn new(said: &str, places: &str) -> Self {
        Self(format!("{said}-{places}"))
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The part about records: the tips of notes and drafts.
    pub fn said(&self) -> &str {
        self.0.split_once('-').map_or(self.0.as_str(), |(said, _)| said)
    }

    /// The part about positions; empty if there is none.
    pub fn places(&self) -> &str {
        self.0.split_once('-').map_or("", |(_, places)| places)
    }

    /// The mark of a client that knows all records up to here, and of positions only what `earlier` contains.
    #[must_use]
    pub fn with_places_of(&self, earlier: &Self) -> Self {
        Self::new(self.said(), earlier.places())
    }
}

impl From<&str> for Mark {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_taken_apart_and_put_together_again() {
        let (old, new) = (Mark::new("aa.0", "11.2.c"), Mark::new("bb.0", "33.4.c"));
        assert_eq!(new.to_string(), "bb.0-33.4.c");
        assert_eq!(new.with_places_of(&old).to_string(), "bb.0-11.2.c");
        assert_eq!(Mark::from("nonsense").places(), "");
        assert!(Mark::default().is_empty());
    }
}
