//! Moments as people read them: how long ago, with the date behind it.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, html};

/// A moment in milliseconds since 1970, as how long ago it was.
pub(super) fn ago(millis: u64, now: u64) -> Markup {
    let moment = i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
    let Some(moment) = moment else { return html! {} };
    let here = moment.to_zoned(TimeZone::system());
    html! {
        time datetime=(moment.strftime("%Y-%m-%dT%H:%M:%SZ")) title=(here.strftime("%-d %B %Y, %H:%M")) {
            (words(millis, now))
        }
    }
}

/// A day, as people write it.
pub(super) fn day(millis: u64) -> String {
    let moment = i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
    moment
        .map(|moment| moment.to_zoned(TimeZone::system()).strftime("%-d %b %Y").to_string())
        .unwrap_or_default()
}

fn words(millis: u64, now: u64) -> String {
    let minutes = now.saturating_sub(millis) / 60_000;
    let told = |count: u64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match minutes {
        0 => "just now".to_owned(),
        1..60 => told(minutes, "minute"),
        60..1440 => told(minutes / 60, "hour"),
        _ => match minutes / 1440 {
            days @ 0..14 => told(days, "day"),
            days @ 14..70 => told(days / 7, "week"),
            days @ 70..730 => told(days / 30, "month"),
            days => told(days / 365, "year"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_in_its_largest_unit() {
        const NOW: u64 = 1_700_000_000_000;
        for (minutes, told) in
            [(0, "just now"), (1, "1 minute ago"), (119, "1 hour ago"), (3 * 1440, "3 days ago")]
        {
            assert_eq!(words(NOW - minutes * 60_000, NOW), told);
        }
        assert_eq!(words(NOW + 99_000, NOW), "just now", "by the clock of another machine");
        assert!(ago(NOW, NOW).0.contains("datetime=\"2023-11-14T22:13:20Z\""));
    }
}
