//! Who is at the keyboard, and what time it is for them: as git has it for the author of a commit.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;
use postil_protocol::Person;

use super::folder::Folder;
use crate::failure::{Failure, Kind};

/// Who asks, and when.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The person; `None` where git does not know.
    pub author: Option<Person>,
    /// The offset of their clock from UTC, in seconds.
    pub utc_offset: i32,
    /// The moment that they say it is, in milliseconds since 1970.
    pub at: Option<u64>,
}

impl Identity {
    /// Asks git's configuration and environment.
    pub fn of(folder: &Folder) -> Self {
        let config = folder.settings();
        // The environment is part of gix's configuration, before all files.
        let first = |names: [&str; 3]| names.into_iter().find_map(|name| config.string(name));
        let name = first(["author.name", "user.name", "gitoxide.author.nameFallback"]);
        let email = first(["author.email", "user.email", "gitoxide.user.emailFallback"])
            .or_else(|| config.string("gitoxide.author.emailFallback"));
        let author =
            name.zip(email).map(|(name, email)| Person { name: name.to_string(), email: email.to_string() });
        // Without a moment of one's own, it is the service that knows the time.
        let said = std::env::var("GIT_AUTHOR_DATE").ok();
        let said = said.and_then(|said| gix::date::parse(&said, Some(gix::date::Zoned::now())).ok());
        let utc_offset = said.map_or_else(utc_offset, |said| said.offset);
        let at = said.and_then(|said| u64::try_from(said.seconds).ok()).map(|seconds| seconds * 1000);
        Self { author, utc_offset, at }
    }

    /// The moment, in seconds since 1970.
    pub fn seconds(&self) -> i64 {
        i64::try_from(self.at.unwrap_or_else(now) / 1000).unwrap_or(i64::MAX)
    }

    /// The person; fails where git does not know who that is.
    pub fn author(&self) -> Result<&Person, Failure> {
        let named = self.author.as_ref().filter(|author| !author.name.trim().is_empty());
        named.ok_or_else(|| {
            Failure::new(Kind::Usage, "git does not know who you are")
                .hint("tell it with `git config user.name NAME` and `git config user.email EMAIL`")
        })
    }
}

/// How far the clock on the wall is from UTC now, in seconds.
fn utc_offset() -> i32 {
    // Asked for the zone of the machine, jiff lists all zones there are to find its name, a fifth of the time of a short
    // command; the name is not needed.
    let here = std::env::var_os("TZ").is_none().then(|| std::fs::read("/etc/localtime").ok()).flatten();
    let zone = here.and_then(|zone| TimeZone::tzif("local", &zone).ok()).unwrap_or_else(TimeZone::system);
    zone.to_offset(jiff::Timestamp::now()).seconds()
}

/// Now, in milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_is_that_of_the_zone_of_the_machine() {
        assert_eq!(utc_offset(), jiff::Zoned::now().offset().seconds());
    }
}
