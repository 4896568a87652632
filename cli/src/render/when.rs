//! Moments as people read them.

/// A moment in milliseconds since 1970, as a date with the time of day, where the person is.
pub fn date_time(millis: u64) -> String {
    let seconds = i64::try_from(millis / 1000).unwrap_or(i64::MAX);
    at(seconds)
}

/// A moment in seconds since 1970.
pub fn at(seconds: i64) -> String {
    let offset = gix::date::Time::now_local_or_utc().offset;
    gix::date::Time::new(seconds, offset).format_or_unix(gix::date::time::format::ISO8601)
}

/// The day of a moment in milliseconds since 1970, in UTC.
pub fn day(millis: u64) -> String {
    let seconds = i64::try_from(millis / 1000).unwrap_or(i64::MAX);
    gix::date::Time::new(seconds, 0).format_or_unix(gix::date::time::format::SHORT)
}

/// How long something took, in its largest unit.
pub fn duration(millis: u64) -> String {
    match age(0, millis).as_str() {
        "now" => "1m".to_owned(),
        told => told.to_owned(),
    }
}

/// How long ago something was, in at most four columns: `now`, `5m`, `2h`, `3d`, `6w`, `8mo`, `2y`.
///
/// What lies ahead, by the clock of another machine, is now.
pub fn age(millis: u64, now: u64) -> String {
    const HOUR: u64 = 60;
    const DAY: u64 = 24 * HOUR;
    let minutes = now.saturating_sub(millis) / 60_000;
    match minutes {
        0 => "now".to_owned(),
        1..HOUR => format!("{minutes}m"),
        HOUR..DAY => format!("{}h", minutes / HOUR),
        _ => match minutes / DAY {
            days @ 0..14 => format!("{days}d"),
            days @ 14..70 => format!("{}w", days / 7),
            days @ 70..730 => format!("{}mo", days / 30),
            days => format!("{}y", days / 365),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        const NOW: u64 = 1_700_000_000_000;
        let ago = |minutes: u64| age(NOW - minutes * 60_000, NOW);
        let day = 24 * 60;
        for (minutes, told) in [
            (0, "now"),
            (59, "59m"),
            (60, "1h"),
            (day - 1, "23h"),
            (day, "1d"),
            (14 * day, "2w"),
            (69 * day, "9w"),
            (70 * day, "2mo"),
            (729 * day, "24mo"),
            (730 * day, "2y"),
        ] {
            assert_eq!(ago(minutes), told, "{minutes}");
        }
        assert_eq!(age(NOW + 99_000_000, NOW), "now");
    }
}
