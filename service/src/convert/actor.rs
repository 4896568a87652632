//! Who asks, and when: what a record needs besides its words.

use postil_core::notes::Committer;
use postil_core::record::{Author, Timestamp, Via, ViaKind};
use postil_core::review::Opener;
use postil_protocol::{Fault, FaultCode, RepositoryRequest};

/// The last moment of the year 9999, in milliseconds since 1970.
const MAX_AT: u64 = 253_402_300_799_999;

/// A clock that is further from UTC than a day, in seconds, is wrong.
const MAX_OFFSET: u32 = 24 * 60 * 60;

/// The author of a write, and its time.
#[derive(Clone, Debug)]
pub(crate) struct Actor {
    /// The person, or the program that works for them.
    pub author: Author,
    /// What the program is, if it is one.
    pub via: Option<Box<Via>>,
    /// The moment.
    pub at: Timestamp,
    utc_offset: i32,
}

impl Actor {
    /// The one who asks for this; fails where they did not say who they are.
    pub fn of<P>(call: &RepositoryRequest<P>, now: Timestamp) -> Result<Self, Fault> {
        let person = call.author.as_ref().filter(|person| !person.name.trim().is_empty());
        let person = person.ok_or_else(|| Fault::new(FaultCode::InvalidParams, "`author` has no name"))?;
        let author = Author { name: person.name.clone(), email: person.email.clone() };
        let at = call.at.map_or(now, Timestamp);
        if at.0 > MAX_AT || call.utc_offset.unsigned_abs() > MAX_OFFSET {
            return Err(Fault::new(
                FaultCode::InvalidParams,
                "invalid time: `at` is in milliseconds since 1970, `utc_offset` in seconds",
            ));
        }
        let via = call.via.as_ref().map(|via| Via {
            kind: ViaKind::from(via.kind.clone()),
            program: via.program.trim().to_owned(),
            version: via.version.clone(),
            model: via.model.clone(),
            person: Some(author.clone()),
        });
        // Words under a person's name are a person's.
        let author = via.as_ref().map_or(author, Via::author);
        Ok(Self { author, via: via.map(Box::new), at, utc_offset: call.utc_offset })
    }

    /// For the notes commit.
    pub fn committer(&self) -> Committer {
        let seconds = i64::try_from(self.at.0 / 1000).unwrap_or(i64::MAX);
        Committer::new(&self.author, seconds, self.utc_offset)
    }

    /// For a review that the first comment opens.
    pub fn opener(&self) -> Opener {
        Opener { author: self.author.clone(), via: self.via.clone(), at: self.at }
    }
}

#[cfg(test)]
mod tests {
    use postil_protocol::{Person, RepositoryName};

    use super::*;

    #[test]
    fn a_moment_that_no_clock_shows_is_refused() {
        let asked = |at: Option<u64>, utc_offset: i32| {
            let repository = RepositoryName { git_dir: "/r/.git".into(), work_tree: None };
            let author = Some(Person { name: "Ann".into(), email: "ann@example.com".into(), via: None });
            Actor::of(
                &RepositoryRequest {
                    repository,
                    author,
                    at,
                    via: None,
                    utc_offset,
                    buffers: Vec::new(),
                    params: (),
                },
                Timestamp(1),
            )
        };
        assert!(asked(None, 14 * 60 * 60).is_ok());
        assert!(asked(Some(MAX_AT), 0).is_ok_and(|actor| actor.committer().seconds() > 0));
        for fault in [asked(Some(MAX_AT + 1), 0), asked(Some(u64::MAX), 0), asked(None, i32::MIN)] {
            assert_eq!(fault.unwrap_err().code, FaultCode::InvalidParams);
        }
    }
}
