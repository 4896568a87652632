//! Moments as RFC 3339 writes them, from and to milliseconds since 1970.

/// Reads a moment; `None` for what is none, or before 1970.
pub fn read(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = |range: std::ops::Range<usize>| -> Option<i64> {
        let part = text.get(range)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let is =
        |at: usize, one_of: &str| text.as_bytes().get(at).is_some_and(|byte| one_of.contains(*byte as char));
    if !(is(4, "-") && is(7, "-") && is(10, "Tt ") && is(13, ":") && is(16, ":")) {
        return None;
    }
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let (hour, minute, second) = (digits(11..13)?, digits(14..16)?, digits(17..19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let fraction =
        rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let (thousandths, zone) = match fraction {
        0 => (0, rest),
        count => {
            let mut digits = rest.get(1..=count)?.to_owned();
            digits.truncate(3);
            while digits.len() < 3 {
                digits.push('0');
            }
            (digits.parse().ok()?, rest.get(count + 1..)?)
        }
    };
    let ahead = match zone.as_bytes() {
        [] | [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] | [sign @ (b'+' | b'-'), h1, h2, m1, m2] => {
            let digit = |byte: &u8| (*byte as char).to_digit(10).map(i64::from);
            let minutes = (digit(h1)? * 10 + digit(h2)?) * 60 + digit(m1)? * 10 + digit(m2)?;
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    let days = days_from_civil(year, month, day);
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - ahead * 60;
    u64::try_from(seconds * 1_000 + thousandths).ok()
}

/// Writes a moment, to the millisecond.
pub fn write(milliseconds: u64) -> String {
    let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000);
    let (year, month, day) = civil_from_days(i64::try_from(days).unwrap_or(0));
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, thousandth) = (rest / 1_000 % 60, rest % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{thousandth:03}Z")
}

/// Days since 1970 of a date of the Gregorian calendar: years begin in March, so that leap days come last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, (shifted + 2) % 12 + 1);
    (year + era * 400 + i64::from(month <= 2), month, day)
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
        check("1970-01-01T00:00:00Z", Some(0));
        check("1969-12-31T23:59:59Z", None);
        for bad in [
            "",
            "yesterday",
            "2025-13-01T00:00:00Z",
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
    }
}
