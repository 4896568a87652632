//! The paths in a patch: as written, and as a path of the repository.
//!
//! A patch comes from anywhere: a path that could leave the work tree or reach into git's own files is
//! no path here. Whether the file on disk is a link is for the writer of the file to check.

use crate::git::RepoPath;

/// A path as a patch has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PatchPath {
    /// Without the `a/` or `b/` that git puts before it.
    pub path: RepoPath,
    /// As it was written, where that is another path.
    pub written: Option<RepoPath>,
}

impl PatchPath {
    /// Returns `None` for what no patch may touch.
    pub fn new(path: &[u8]) -> Option<Self> {
        safe(path).map(|path| Self { path, written: None })
    }

    /// A path that git may have put `a/` or `b/` before.
    pub(super) fn prefixed(path: &[u8]) -> Option<Self> {
        match path.strip_prefix(b"a/").or_else(|| path.strip_prefix(b"b/")) {
            Some(bare) => Some(Self { path: safe(bare)?, written: safe(path) }),
            None => Self::new(path),
        }
    }

    /// Two names of one file that differ in what was put before each, whatever that is: git can be set to put other
    /// letters there, and a diff of two folders has their names there.
    pub(super) fn pair(old: &[u8], new: &[u8]) -> Option<[Self; 2]> {
        let (before, path) = old.split_at(memchr::memchr(b'/', old)?);
        let (after, same) = new.split_at(memchr::memchr(b'/', new)?);
        if before == after || path != same {
            return None;
        }
        let named = |written: &[u8]| Some(Self { path: safe(&path[1..])?, written: Some(safe(written)?) });
        Some([named(old)?, named(new)?])
    }
}

impl PatchPath {
    /// Whether both may be names of one file, of which this one may have something before it that is not of the path.
    pub fn may_be(&self, other: &Self) -> bool {
        let others = [Some(&other.path), other.written.as_ref()];
        let own = [Some(&self.path), self.written.as_ref()];
        own.into_iter().flatten().any(|own| {
            others.into_iter().flatten().any(|other| {
                let rest = own.as_bytes().strip_suffix(other.as_bytes());
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/"))
            })
        })
    }
}

fn safe(path: &[u8]) -> Option<RepoPath> {
    let is_bad = |part: &[u8]| {
        part == b"." || part == b".." || part.eq_ignore_ascii_case(b".git") || part.contains(&b'\\')
    };
    // What stands for the folder itself is not a part of the path.
    let path = std::iter::successors(Some(path), |path| path.strip_prefix(b"./")).last().unwrap_or(path);
    let drive = matches!(path, [letter, b':', ..] if letter.is_ascii_alphabetic());
    if drive || path.split(|byte| *byte == b'/').any(is_bad) {
        return None;
    }
    RepoPath::new(path)
}

/// Takes a path out of a `---` or `+++` line: quotes and what GNU diff writes after a tab go.
pub(super) fn of_line(rest: &[u8]) -> Vec<u8> {
    let rest = rest.trim_ascii();
    if let Some(quoted) = rest.strip_prefix(b"\"") {
        return unquote(quoted);
    }
    let end = memchr::memchr(b'\t', rest).unwrap_or(rest.len());
    rest[..end].trim_ascii_end().to_vec()
}

/// Undoes the quotes of C that git puts around unusual paths; `quoted` begins after the first one.
fn unquote(quoted: &[u8]) -> Vec<u8> {
    let mut path = Vec::new();
    let mut bytes = quoted.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => match bytes.next() {
                Some(b'n') => path.push(b'\n'),
                Some(b't') => path.push(b'\t'),
                Some(b'r') => path.push(b'\r'),
                Some(b'a') => path.push(7),
                Some(b'b') => path.push(8),
                Some(b'v') => path.push(11),
                Some(b'f') => path.push(12),
                Some(first @ b'0'..=b'3') => {
                    let digits = [first, bytes.next().unwrap_or(b'0'), bytes.next().unwrap_or(b'0')];
                    path.push(digits.iter().fold(0_u8, |value, digit| {
                        value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0') & 7)
                    }));
                }
                Some(other) => path.push(other),
                None => break,
            },
            other => path.push(other),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_work_tree_is_no_path() {
        for bad in
            ["../x", "/etc/passwd", "a/../../x", ".git/config", "x/.GIT/hooks/y", "", "a//b", "C:/x", "a\\b"]
        {
            assert_eq!(PatchPath::new(bad.as_bytes()), None, "{bad}");
        }
        assert!(PatchPath::new(b"src/.github/x.rs").is_some());
        assert_eq!(PatchPath::prefixed(b"a/../x"), None);
    }

    #[test]
    fn two_names_of_one_file_lose_what_was_put_before_each() {
        let check = |old: &str, new: &str, path: Option<&str>| {
            let pair = PatchPath::pair(old.as_bytes(), new.as_bytes());
            assert_eq!(pair.map(|[_, new]| new.path.to_string()).as_deref(), path, "{old} {new}");
        };
        for (old, new) in [("a/x/y", "b/x/y"), ("i/x/y", "w/x/y"), ("before/x/y", "after/x/y")] {
            check(old, new, Some("x/y"));
        }
        for (old, new) in
            [("src/x", "src/x"), ("i/x", "w/y"), ("x", "y"), ("a/../x", "b/../x"), ("../x", "b/x")]
        {
            check(old, new, None);
        }
    }

    #[test]
    fn paths_lose_their_prefix_their_quotes_and_their_dates() {
        let path = |line: &[u8]| PatchPath::prefixed(&of_line(line)).unwrap().path.to_string();
        assert_eq!(path(b"a/src/x.rs\n"), "src/x.rs");
        assert_eq!(path(b"src/x.rs\t2024-01-01 00:00:00"), "src/x.rs");
        assert_eq!(path(b"\"b/\\303\\251 \\\"x\\\".rs\""), "é \"x\".rs");
        assert_eq!(path(b"b/with blank.rs"), "with blank.rs");
    }
}
