//! When the daemon syncs reviews in the background.

use std::time::Duration;

use postil_core::git::Repository;

/// The shortest interval between two syncs.
const SHORTEST: Duration = Duration::from_secs(10);

/// The first pause after a failure; each next one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(30);

/// Pauses do not grow beyond this.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// What `postil.autosync` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Never.
    #[default]
    Off,
    /// When a tracking branch moved, after a push or fetch.
    OnPush,
    /// As often as this, and when a tracking branch moved.
    Every(Duration),
}

impl Policy {
    /// Reads the setting of a repository; a value that is not understood means off.
    pub fn of(repo: &Repository) -> Self {
        let Some(setting) = setting(repo) else { return Self::Off };
        Self::understood(&setting).unwrap_or_else(|| {
            tracing::warn!(setting, "postil.autosync must be off, on-push or an interval such as 10m");
            Self::Off
        })
    }

    /// Reads the setting; none if it makes no sense.
    pub fn understood(setting: &str) -> Option<Self> {
        match setting.trim() {
            "" | "off" | "false" | "no" => Some(Self::Off),
            "on-push" => Some(Self::OnPush),
            setting => interval(setting).map(|every| Self::Every(every.max(SHORTEST))),
        }
    }
}

fn setting(repo: &Repository) -> Option<String> {
    repo.handle().config_snapshot().string("postil.autosync").map(|setting| setting.to_string())
}

/// A number with `s`, `m` or `h`.
fn interval(setting: &str) -> Option<Duration> {
    let (number, unit) = setting.split_at_checked(setting.len().checked_sub(1)?)?;
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return None,
    };
    number
        .parse::<u32>()
        .ok()
        .filter(|number| *number > 0)
        .map(|number| Duration::from_secs(u64::from(number) * seconds))
}

/// How long to wait after so many failures in a row.
pub fn pause(failures: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_is_a_word_or_an_interval_and_nothing_else_is_understood() {
        assert_eq!(Policy::understood("on-push"), Some(Policy::OnPush));
        assert_eq!(Policy::understood("10m"), Some(Policy::Every(Duration::from_mins(10))));
        assert_eq!(Policy::understood("1s"), Some(Policy::Every(SHORTEST)));
        for off in ["", "off", "false", "no"] {
            assert_eq!(Policy::understood(off), Some(Policy::Off), "{off:?}");
        }
        for unknown in ["m", "-5m", "0m", "5 minutes", "é", "on", "push"] {
            assert_eq!(Policy::understood(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn pauses_double_up_to_an_hour() {
        assert_eq!(pause(1), Duration::from_secs(30));
        assert_eq!(pause(3), Duration::from_mins(2));
        assert_eq!(pause(50), Duration::from_hours(1));
    }
}
