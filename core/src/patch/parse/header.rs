//! The lines of a unified diff that say where a hunk is and what happens to its file.
//!
//! Numbers are hints: nothing is ever allocated, skipped or trusted because of one.

use crate::patch::file_patch::FileMode;
use crate::patch::hunk::Stated;

/// A larger number of a line is read as this one: no file that is patched here has so many.
const MAX_LINE: usize = u32::MAX as usize;

/// What a line that begins with `@@` says: a place, a heading, or neither.
pub(crate) fn hunk_header(line: &[u8]) -> Option<(Option<Stated>, Option<Vec<u8>>)> {
    let rest = line.strip_prefix(b"@@")?;
    if rest.starts_with(b"@") {
        return None;
    }
    if let Some((stated, rest)) = stated(rest.trim_ascii_start()) {
        return Some((Some(stated), heading(rest)));
    }
    Some((None, heading(rest)))
}

fn heading(rest: &[u8]) -> Option<Vec<u8>> {
    let rest = rest.trim_ascii();
    let rest = rest.strip_prefix(b"@@").unwrap_or(rest);
    let rest = rest.strip_suffix(b"@@").unwrap_or(rest).trim_ascii();
    rest.iter().any(u8::is_ascii_alphanumeric).then(|| rest.to_vec())
}

fn stated(rest: &[u8]) -> Option<(Stated, &[u8])> {
    let (old_start, old_lines, rest) = range(rest.strip_prefix(b"-")?)?;
    let (new_start, new_lines, rest) = range(rest.trim_ascii_start().strip_prefix(b"+")?)?;
    Some((Stated { old_start, old_lines, new_start, new_lines }, rest))
}

fn range(rest: &[u8]) -> Option<(usize, usize, &[u8])> {
    let (start, rest) = number(rest)?;
    match rest.strip_prefix(b",").map(number) {
        Some(Some((lines, rest))) => Some((start, lines, rest)),
        Some(None) => None,
        None => Some((start, 1, rest)),
    }
}

fn number(rest: &[u8]) -> Option<(usize, &[u8])> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = rest[..digits].iter().fold(0_usize, |value, digit| {
        value.saturating_mul(10).saturating_add(usize::from(digit - b'0')).min(MAX_LINE)
    });
    (digits > 0).then(|| (value, &rest[digits..]))
}

/// A mode as git writes it.
pub(crate) fn mode(text: &[u8]) -> Option<FileMode> {
    match text.trim_ascii() {
        b"100644" | b"100664" => Some(FileMode::Plain),
        b"100755" => Some(FileMode::Executable),
        b"120000" => Some(FileMode::Symlink),
        b"160000" => Some(FileMode::Submodule),
        _ => None,
    }
}

/// The two paths of `diff --git a/x b/y`, if they can be distinguished.
pub(crate) fn git_paths(rest: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let rest = rest.trim_ascii();
    if rest.starts_with(b"\"") {
        let end = memchr::memmem::find(rest, b"\" ")?;
        return Some((
            crate::patch::path::of_line(&rest[..=end]),
            crate::patch::path::of_line(&rest[end + 2..]),
        ));
    }
    // Blanks in paths make it ambiguous; two equal paths can be told, and else the lines below tell.
    let middle = rest.len() / 2;
    if rest.len() % 2 == 1 && rest[middle] == b' ' && rest[..middle].get(2..) == rest[middle + 1..].get(2..) {
        return Some((rest[..middle].to_vec(), rest[middle + 1..].to_vec()));
    }
    let split = memchr::memmem::find(rest, b" b/")?;
    Some((rest[..split].to_vec(), rest[split + 1..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, numbers: Option<[usize; 4]>, heading: Option<&str>) {
        let (stated, found) = hunk_header(line.as_bytes()).unwrap();
        let stated =
            stated.map(|stated| [stated.old_start, stated.old_lines, stated.new_start, stated.new_lines]);
        assert_eq!((stated, found), (numbers, heading.map(|heading| heading.as_bytes().to_vec())), "{line}");
    }

    #[test]
    fn headers_of_every_kind_are_read() {
        check("@@ -1,2 +3,4 @@", Some([1, 2, 3, 4]), None);
        check("@@ -1 +3,0 @@ fn main() {", Some([1, 1, 3, 0]), Some("fn main() {"));
        check("@@", None, None);
        check("@@ ... @@", None, None);
        check("@@ class Foo:", None, Some("class Foo:"));
        check("@@ def f(): @@", None, Some("def f():"));
        check("@@ --5,2 +1 @@", None, Some("--5,2 +1"));
        check("@@ -99999999999999999999999,1 +1 @@", Some([MAX_LINE, 1, 1, 1]), None);
        assert_eq!(hunk_header(b"@@@ -1 -1 +1 @@@"), None);
    }

    #[test]
    fn two_paths_on_one_line_are_told_apart() {
        let paths = |rest: &str| {
            git_paths(rest.as_bytes()).map(|(a, b)| [a, b].map(|p| String::from_utf8(p).unwrap()))
        };
        assert_eq!(paths("a/x b/x"), Some(["a/x".into(), "b/x".into()]));
        assert_eq!(paths("a/x y b/x y"), Some(["a/x y".into(), "b/x y".into()]));
        assert_eq!(paths("a/x b/y"), Some(["a/x".into(), "b/y".into()]));
    }
}
