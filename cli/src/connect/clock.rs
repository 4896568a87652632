//! How far the clock on the wall is from UTC.
//!
//! The one file that says so is read. A library that knows every zone reads the whole folder of zones first, which
//! takes longer than all else that a short command does.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Where the files of zones are.
const ZONES: &str = "/usr/share/zoneinfo";

/// The zone of the machine.
const HERE: &str = "/etc/localtime";

/// In seconds; what cannot be read here is asked of the library.
pub fn utc_offset() -> i32 {
    let said = std::env::var("TZ").ok();
    let zone = zone(said.as_deref(), Path::new(HERE), Path::new(ZONES));
    zone.map_or_else(
        || gix::date::Time::now_local_or_utc().offset,
        |zone| zone.to_offset(Timestamp::now()).seconds(),
    )
}

/// The zone that `TZ` names, in the words of POSIX or by a file, else that of the machine.
fn zone(said: Option<&str>, here: &Path, zones: &Path) -> Option<TimeZone> {
    let from = |file: &Path| TimeZone::tzif("local", &fs::read(file).ok()?).ok();
    let Some(said) = said else { return from(here) };
    let said = said.strip_prefix(':').unwrap_or(said);
    if said.is_empty() {
        return Some(TimeZone::UTC);
    }
    from(&zones.join(said)).or_else(|| TimeZone::posix(said).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(zone: Option<TimeZone>, at: &str) -> Option<i32> {
        let at: Timestamp = at.parse().unwrap();
        zone.map(|zone| zone.to_offset(at).seconds())
    }

    #[test]
    fn a_zone_is_a_file_or_words_and_nothing_is_utc() {
        let nowhere = Path::new("/nowhere");
        let said = |said: &str| zone(Some(said), nowhere, nowhere);
        assert_eq!(offset(said(""), "2026-01-05T09:00:00Z"), Some(0));
        assert_eq!(offset(said("CET-1CEST,M3.5.0,M10.5.0/3"), "2026-01-05T09:00:00Z"), Some(3600));
        assert_eq!(offset(said("CET-1CEST,M3.5.0,M10.5.0/3"), "2026-07-05T09:00:00Z"), Some(7200));
        assert!(said("Nowhere/Land").is_none(), "the library is asked");
        assert!(zone(None, nowhere, nowhere).is_none(), "the library is asked");
    }

    #[test]
    fn the_library_agrees() {
        assert_eq!(utc_offset(), gix::date::Time::now_local_or_utc().offset);
    }
}
