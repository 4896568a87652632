//! Numbers that a person gave.

use std::time::Duration;

/// How many.
pub fn count(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| "expected a whole number, such as 20".to_owned())
}

/// How long, in seconds.
pub fn seconds(word: &str) -> Result<Duration, String> {
    let seconds = word.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "expected seconds, such as 60 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_told_what_is() {
        assert_eq!(count("20"), Ok(20));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for no in ["", "x", "-1", "1.5", "99999999999"] {
            assert!(count(no).is_err(), "{no}");
        }
        for no in ["", "x", "-1", "inf", "nan", "1e300"] {
            assert!(seconds(no).is_err(), "{no}");
        }
    }
}
