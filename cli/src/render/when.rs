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
