//! Files that a request is about: named, in a folder, or told by a pattern.

use gix::bstr::BStr;
use gix::glob::wildmatch;
use postil_core::git::RepoPath;
use postil_protocol::ByteText;

/// Whether a file is among these: one of them, below one of them, or such as a pattern says.
///
/// As in git, the stars of a pattern reach across folders; and a file that is called like one is that file.
pub(crate) fn is_within(path: &RepoPath, these: &[ByteText]) -> bool {
    these.iter().any(|this| {
        let this = this.as_bytes().strip_suffix(b"/").unwrap_or(this.as_bytes());
        let rest = path.as_bytes().strip_prefix(this);
        // The root of the repository holds everything.
        this.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/")) || {
            let is_pattern = this.iter().any(|byte| b"*?[".contains(byte));
            let path = BStr::new(path.as_bytes());
            is_pattern && wildmatch(BStr::new(this), path, wildmatch::Mode::empty())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, this: &str, expected: bool) {
        let path = RepoPath::new(path).unwrap();
        assert_eq!(is_within(&path, &[this.into()]), expected, "{path:?} in {this}");
    }

    #[test]
    fn a_folder_holds_what_is_in_it_and_not_what_begins_alike() {
        check("src/a.rs", "src", true);
        check("src/a.rs", "src/", true);
        check("src/a.rs", "src/a.rs", true);
        check("src/a.rs", "", true);
        check("srcs/a.rs", "src", false);
        check("src/a.rs", "src/a.r", false);
    }

    #[test]
    fn a_pattern_holds_what_git_would_take_it_for() {
        check("src/a.rs", "*.rs", true);
        check("src/deep/a.rs", "src/*.rs", true);
        check("src/a.rs", "src/?.rs", true);
        check("src/a.rs", "src/[ab].rs", true);
        check("src/a.rs", "*.r", false);
        check("src/a.rs", "a*", false);
        check("odd/[x].rs", "odd/[x].rs", true);
        check("odd/x.rs", "odd/[x].rs", true);
    }
}
