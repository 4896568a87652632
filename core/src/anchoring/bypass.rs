//! Files in which nothing is ever searched: generated, minified, locked, very large or binary.

use crate::git::RepoPath;

/// A larger file in the head is never searched.
pub(super) const MAX_SEARCHED_BYTES: usize = 512_000;

/// How many first bytes decide whether content is binary, as in git.
const BINARY_PROBE_BYTES: usize = 8_000;

/// What the engine may do in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Every step.
    Full,
    /// Only what the diff kept.
    Exact,
}

/// What the built-in patterns say of a path.
pub(super) fn by_name(path: &RepoPath) -> Search {
    let name = path.file_name();
    let ends = [".lock", ".min.js", ".min.css", ".pb.go", ".g.dart"];
    let holds = [&b"-lock."[..], b".generated."];
    let exact = ends.iter().any(|end| name.ends_with(end.as_bytes()))
        || holds.iter().any(|part| memchr::memmem::find(name, part).is_some());
    if exact { Search::Exact } else { Search::Full }
}

/// Whether git would call the content binary.
pub(super) fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(BINARY_PROBE_BYTES)]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_and_locked_files_are_not_searched() {
        let check = |path: &str, expected| {
            assert_eq!(by_name(&RepoPath::new(path).unwrap()), expected, "{path}");
        };
        for exact in
            ["Cargo.lock", "a/package-lock.json", "x.min.js", "x.min.css", "api.generated.ts", "a.pb.go"]
        {
            check(exact, Search::Exact);
        }
        for full in ["a.rs", "lock.rs", "a.lock/b.rs", "min.js", "generated.rs"] {
            check(full, Search::Full);
        }
    }
}
