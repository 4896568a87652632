//! Moments as RFC 3339 writes them, from and to milliseconds since 1970.

use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;

/// Reads a moment; `None` for what is not a date with a time, or before 1970. Without an offset it is UTC.
pub fn read(text: &str) -> Option<u64> {
    let pieces = Pieces::parse(text.trim()).ok()?;
    let offset = pieces.to_numeric_offset().unwrap_or(Offset::UTC);
    let moment = offset.to_timestamp(pieces.date().to_datetime(pieces.time()?)).ok()?;
    u64::try_from(moment.as_millisecond()).ok()
}

/// Writes a moment, to the millisecond; one after the year 9999 as the last of that year.
pub fn write(milliseconds: u64) -> String {
    let moment = i64::try_from(milliseconds).ok().and_then(|since| Timestamp::from_millisecond(since).ok());
    format!("{:.3}", moment.unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_others_write_them() {
        let check = |text: &str, milliseconds: Option<u64>| assert_eq!(read(text), milliseconds, "{text}");
        check("2025-10-17T10:00:00Z", Some(1_760_695_200_000));
        check("2025-10-17T10:00:00.5Z", Some(1_760_695_200_500));
        check("2025-10-17T12:00:00+02:00", Some(1_760_695_200_000));
        check("2025-10-17 05:00:00.000-0500", Some(1_760_695_200_000));
        check("2025-10-17T10:00:00", Some(1_760_695_200_000));
        check("2024-02-29T00:00:00Z", Some(1_709_164_800_000));
        check("1970-01-01T00:00:00Z", Some(0));
        check("1969-12-31T23:59:59Z", None);
        for bad in [
            "",
            "yesterday",
            "2025-13-01T00:00:00Z",
            "2025-02-29T10:00:00Z",
            "2025-02-31T10:00:00Z",
            "2025-04-31T10:00:00Z",
            "2025-10-17T24:00:00Z",
            "2025-10-17",
            "2025-10-17T10:00:00é",
            "2025-10-17T1é:00:00Z",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for moment in [0, 1, 951_782_400_000, 1_709_164_799_999, 1_760_695_200_123, 4_102_444_800_000] {
            assert_eq!(read(&write(moment)), Some(moment), "{}", write(moment));
        }
        assert_eq!(write(1_760_695_200_123), "2025-10-17T10:00:00.123Z");
        assert_eq!(write(1_760_695_200_000), "2025-10-17T10:00:00.000Z");
        assert_eq!(write(u64::MAX), write(u64::MAX - 1), "the last one that can be written");
    }
}
