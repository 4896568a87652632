//! Dates, as people type them.

use postil_client::now;

use crate::failure::{Failure, FailureKind};

/// Returns the time that a person means, in milliseconds since 1970: a date as git reads it, or how long ago.
pub(crate) fn milliseconds(word: &str) -> Result<u64, Failure> {
    let ago = word.strip_suffix(['h', 'd', 'w']).and_then(|count| count.parse::<u64>().ok());
    if let Some(count) = ago {
        let hours = match word.as_bytes().last() {
            Some(b'h') => 1,
            Some(b'd') => 24,
            _ => 24 * 7,
        };
        return Ok(now().saturating_sub(count.saturating_mul(hours * 3_600_000)));
    }
    let parsed = gix::date::parse(word, Some(gix::date::Zoned::now()));
    let time = parsed.map_err(|error| {
        Failure::new(FailureKind::Usage, format!("invalid date: {word:?}"))
            .because(error)
            .hint("use a date such as 2026-01-31, yesterday, \"2 days ago\", 3d, 12h or 2w")
    })?;
    Ok(u64::try_from(time.seconds).unwrap_or(0).saturating_mul(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_or_how_long_ago() {
        const DAY: u64 = 24 * 3_600_000;
        let ago = |word: &str| (now() - milliseconds(word).unwrap()) / DAY;
        for (word, days) in [("yesterday", 1), ("3 days ago", 3), ("2 weeks ago", 14), ("3d", 3), ("2w", 14)]
        {
            assert_eq!(ago(word), days, "{word}");
        }
        assert_eq!(milliseconds("2026-01-02 00:00:00 +0000").unwrap(), 1_767_312_000_000);
        for bad in ["", "some day", "12x"] {
            assert!(milliseconds(bad).is_err(), "{bad}");
        }
    }
}
