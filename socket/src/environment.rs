//! What of its environment a daemon must not keep: words that are about one command only.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

/// The settings that hold for every command of a user, and so for the daemon.
const LASTING: [&str; 5] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_EXEC_PATH",
];

/// The variables of this process by which git names to a hook one repository, one index or one author.
pub fn of_one_command() -> Vec<OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(is_of_one_command).collect()
}

fn is_of_one_command(name: &OsString) -> bool {
    name.as_bytes().starts_with(b"GIT_") && !LASTING.iter().any(|lasting| name == lasting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_does_not_bind_the_daemon_to_its_repository() {
        for (name, expected) in [
            ("GIT_DIR", true),
            ("GIT_INDEX_FILE", true),
            ("GIT_AUTHOR_DATE", true),
            ("GIT_CONFIG_GLOBAL", false),
            ("HOME", false),
        ] {
            assert_eq!(is_of_one_command(&name.into()), expected, "{name}");
        }
    }
}
