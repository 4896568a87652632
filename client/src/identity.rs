//! Who is at the keyboard, and what time it is for them: as git has it for the author of a commit.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;
use postil_protocol::Person;

use crate::checkout::Checkout;
use crate::error::SessionError;

/// Who asks, and when.
#[derive(Clone, Debug)]
pub struct Identity {
    author: Option<Person>,
    /// `GIT_AUTHOR_DATE`: its seconds since 1970 and its offset from UTC.
    date: Option<gix::date::Time>,
}

impl Identity {
    /// Asks git's configuration and environment.
    pub fn of(checkout: &Checkout) -> Self {
        let config = checkout.settings();
        // The environment is part of gix's configuration, before all files.
        let first = |names: [&str; 3]| names.into_iter().find_map(|name| config.string(name));
        let name = first(["author.name", "user.name", "gitoxide.author.nameFallback"]);
        let email = first(["author.email", "user.email", "gitoxide.user.emailFallback"])
            .or_else(|| config.string("gitoxide.author.emailFallback"));
        let author = name.zip(email).map(|(name, email)| Person {
            name: name.to_string(),
            email: email.to_string(),
            via: None,
        });
        let date = std::env::var("GIT_AUTHOR_DATE").ok();
        let date = date.and_then(|date| gix::date::parse(&date, Some(gix::date::Zoned::now())).ok());
        Self { author, date }
    }

    /// The person; `None` if git does not know.
    pub fn person(&self) -> Option<&Person> {
        self.author.as_ref()
    }

    /// The person; fails if git does not know who that is.
    pub fn author(&self) -> Result<&Person, SessionError> {
        let named = self.author.as_ref().filter(|author| !author.name.trim().is_empty());
        named.ok_or(SessionError::UnknownAuthor)
    }

    /// The offset of their clock from UTC, in seconds: asked each time, since a program may run past a change of it.
    pub fn utc_offset(&self) -> i32 {
        self.date.map_or_else(utc_offset, |date| date.offset)
    }

    /// The moment that they say it is, in milliseconds since 1970; otherwise the service knows the time.
    pub fn at(&self) -> Option<u64> {
        self.date.and_then(|date| u64::try_from(date.seconds).ok()).map(|seconds| seconds * 1000)
    }

    /// The moment, in seconds since 1970.
    pub fn seconds(&self) -> i64 {
        i64::try_from(self.at().unwrap_or_else(now) / 1000).unwrap_or(i64::MAX)
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
