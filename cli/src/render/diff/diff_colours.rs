//! The colours that git gives to a diff, so that those which a file brings along are not obeyed.
//!
//! A terminal cannot tell a colour of git from one in a file: a file could hide its text. What is not one of git's own
//! colours is made visible, as everything is that a terminal would obey.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use postil_client::Checkout;

use super::git_output::colour_length;
use crate::sanitize;

/// Those that git uses if nothing else is configured, and the one that ends them.
const USUAL: [&str; 18] = [
    "", "1", "2", "31", "32", "33", "36", "41", "1;31", "1;32", "1;33", "1;34", "1;35", "1;36", "2;3",
    "2;31", "2;32", "7",
];

/// What each configured part of a diff may be called.
const SLOTS: [&str; 24] = [
    "plain",
    "context",
    "meta",
    "frag",
    "old",
    "new",
    "commit",
    "whitespace",
    "func",
    "oldMoved",
    "oldMovedAlternative",
    "oldMovedDimmed",
    "oldMovedAlternativeDimmed",
    "newMoved",
    "newMovedAlternative",
    "newMovedDimmed",
    "newMovedAlternativeDimmed",
    "contextDimmed",
    "oldDimmed",
    "newDimmed",
    "contextBold",
    "oldBold",
    "newBold",
    "branch",
];

/// The colours of git's diffs.
#[derive(Clone, Debug)]
pub struct DiffColours {
    known: Vec<Vec<u8>>,
}

impl DiffColours {
    /// Those of this repository.
    pub fn of(checkout: &Checkout) -> Self {
        let mut known: Vec<Vec<u8>> =
            USUAL.iter().map(|colour| format!("\x1b[{colour}m").into_bytes()).collect();
        for slot in SLOTS {
            let name = format!("color.diff.{slot}");
            if checkout.setting(&name).is_some() {
                known.extend(configured(&name, checkout.git_dir()));
            }
        }
        Self { known }
    }

    /// A line with its end, in which a terminal obeys nothing but colours of git.
    pub(super) fn harmless<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let is_plain = |byte: &u8| (b' '..0x7f).contains(byte) || b"\t\n".contains(byte);
        if line.len() <= sanitize::MAX_LINE_CHARS && line.iter().all(is_plain) {
            return Cow::Borrowed(line);
        }
        let mut shown = String::with_capacity(line.len() + 16);
        let mut rest = line.strip_suffix(b"\n").unwrap_or(line);
        let mut is_cut = false;
        while !rest.is_empty() {
            if let Some(length) = colour_length(rest).filter(|length| self.is_known(&rest[..*length])) {
                // It was compared with one of those above, which are ASCII.
                shown.extend(rest[..length].iter().map(|byte| char::from(*byte)));
                rest = &rest[length..];
                continue;
            }
            let length = 1 + rest[1..].iter().take_while(|byte| **byte != b'\x1b').count();
            let room = sanitize::MAX_LINE_CHARS.saturating_sub(shown.len());
            if !is_cut {
                sanitize::push_diff_text(&mut shown, &rest[..length.min(room)]);
            }
            if length > room && !is_cut {
                let _ = write!(shown, "… ({} bytes in all)", line.len());
                is_cut = true;
            }
            rest = &rest[length..];
        }
        if line.ends_with(b"\n") {
            shown.push('\n');
        }
        Cow::Owned(shown.into_bytes())
    }

    fn is_known(&self, colour: &[u8]) -> bool {
        self.known.iter().any(|known| known == colour)
    }
}

/// The sequences that git writes for a configured colour.
fn configured(name: &str, git_dir: &Path) -> Vec<Vec<u8>> {
    let mut git = Command::new("git");
    git.arg("--git-dir").arg(git_dir).args(["config", "--get-color", name]).stderr(Stdio::null());
    let mut rest = git.output().map(|output| output.stdout).unwrap_or_default();
    let mut found = Vec::new();
    while let Some(length) = colour_length(&rest) {
        let after = rest.split_off(length);
        found.push(std::mem::replace(&mut rest, after));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_git_stay_and_those_of_a_file_are_shown() {
        let known = USUAL.iter().map(|colour| format!("\x1b[{colour}m").into_bytes()).collect();
        let colours = DiffColours { known };
        let check = |line: &str, expected: &str| {
            assert_eq!(String::from_utf8_lossy(&colours.harmless(line.as_bytes())), expected, "{line:?}");
        };
        check("\x1b[32m+\ta\x1b[m\n", "\x1b[32m+\ta\x1b[m\n");
        check("\x1b[32m+\x1b[8mhidden\x1b[m\n", "\x1b[32m+^[[8mhidden\x1b[m\n");
        check("+\x1b]0;title\x07\x1b[2J\r\n", "+^[]0;title^G^[[2J^M\n");
        check("+\u{202e}evil\u{9b}31m \u{e9}", "+<U+202E>evil<U+009B>31m \u{e9}");
        let long = format!("+{}\x1b[m\n", "x".repeat(10_000));
        let shown = String::from_utf8(colours.harmless(long.as_bytes()).into_owned()).unwrap();
        assert!(shown.len() < 4_100 && shown.ends_with("… (10005 bytes in all)\x1b[m\n"), "{shown}");
    }
}
