//! Who asks, and when: what a record needs besides its words.

use postil_core::notes::Committer;
use postil_core::protocol::{Fault, FaultCode, In};
use postil_core::record::{Author, Timestamp};
use postil_core::review::Opener;

/// Somebody who writes, at a moment.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// The person.
    pub author: Author,
    /// The moment.
    pub at: Timestamp,
    utc_offset: i32,
}

impl Caller {
    /// The one who asks for this; fails where they did not say who they are.
    pub fn of<P>(call: &In<P>, now: Timestamp) -> Result<Self, Fault> {
        let person = call.author.as_ref().filter(|person| !person.name.trim().is_empty());
        let person = person.ok_or_else(|| {
            Fault::new(FaultCode::InvalidParams, "nobody knows who is writing: `author` has no name")
        })?;
        let author = Author { name: person.name.clone(), email: person.email.clone() };
        let at = call.at.map_or(now, Timestamp);
        Ok(Self { author, at, utc_offset: call.utc_offset })
    }

    /// For the notes commit.
    pub fn committer(&self) -> Committer {
        let seconds = i64::try_from(self.at.0 / 1000).unwrap_or(i64::MAX);
        Committer::new(&self.author, seconds, self.utc_offset)
    }

    /// For a review that the first comment opens.
    pub fn opener(&self) -> Opener {
        Opener { author: self.author.clone(), at: self.at }
    }
}
