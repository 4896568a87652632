//! Entries that git refuses in a tree: no checkout may have them, and a remote that checks objects takes no tree with them.
//!
//! A notes tree is never checked out, so such an entry does no harm where it is. But whoever passes it on cannot push
//! any more to a remote with `receive.fsckObjects`. So they are left out of every tree that we write, by what they are
//! alone: every clone leaves out the same ones.

use gix::bstr::ByteSlice as _;
use gix::validate::path::component;

use crate::git::tree::TreeEntry;

/// Git refuses a longer name.
const MAX_NAME_BYTES: usize = 4096;

/// Whether git refuses a tree with this entry.
///
/// It refuses `.`, `..`, `.git` and all that a file system takes for it, also after a backslash; names that are too
/// long; and an entry without an object. It checks the content of `.gitmodules` and `.gitattributes`, so those are left
/// out too, and a file where notes have folders, because the tree would then have that name twice.
pub(in crate::notes) fn is_refused(path: &[u8], entry: TreeEntry) -> bool {
    let is_refused = |name: &[u8]| name.len() > MAX_NAME_BYTES || is_gits_own(name) || is_taken_for_git(name);
    entry.id.raw().is_null() || path.split(|byte| *byte == b'/').any(is_refused) || is_in_the_way(path, entry)
}

/// Whether git or a file system takes a name, or what is behind a backslash in it, for a folder of its own.
fn is_taken_for_git(name: &[u8]) -> bool {
    // What Windows alone cannot have is fine: nobody checks notes out.
    let options = component::Options { protect_windows: false, protect_hfs: true, protect_ntfs: true };
    // As if it were a link: those to `.gitmodules` are refused under all of its names.
    let is_refused =
        |part: &[u8]| component(part.as_bstr(), Some(component::Mode::Symlink), options).is_err();
    name.split(|byte| *byte == b'\\').filter(|part| !part.is_empty()).any(is_refused)
}

/// Whether a name is that of a file whose content git checks, as some file system sees it, or may be its short name.
fn is_gits_own(name: &[u8]) -> bool {
    let seen: String = name.to_str_lossy().chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    let seen = seen.to_ascii_lowercase();
    let is_checked = [".gitmodules", ".gitattributes"].iter().any(|own| seen.starts_with(own));
    is_checked || (seen.starts_with("gi") && seen.contains('~'))
}

fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Whether a file has the name of a folder that notes may need: then the tree would have the name twice.
fn is_in_the_way(path: &[u8], entry: TreeEntry) -> bool {
    let is_folder = |name: &[u8]| name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit);
    !entry.mode.is_tree() && path.split(|byte| *byte == b'/').all(is_folder)
}

#[cfg(test)]
mod tests {
    use gix::objs::tree::EntryKind;

    use super::*;
    use crate::git::ObjectId;

    fn check(path: &str, expected: bool) {
        let id = ObjectId::from_bytes(&[1; 20]).unwrap();
        assert_eq!(
            is_refused(path.as_bytes(), TreeEntry { mode: EntryKind::Blob.into(), id }),
            expected,
            "{path:?}"
        );
    }

    #[test]
    fn what_a_file_system_takes_for_gits_own_is_refused_at_any_depth() {
        for name in [
            ".",
            "..",
            ".git",
            ".GIT",
            ".Git",
            "git~1",
            "GIT~1",
            ".git ",
            ".git.",
            ".git . .",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git::$INDEX_ALLOCATION",
            ".git:stream",
            "a\\.git",
            "a\\..",
            ".gitmodules",
            ".GITMODULES",
            "gitmod~1",
            "gi7eba~1",
            ".gitattributes",
            ".g\u{200d}itattributes",
            "gi7d29~1",
            "gitatt~1",
        ] {
            check(name, true);
            check(&format!("{name}/x"), true);
            check(&format!("a/{name}"), true);
        }
        check(&"x".repeat(4097), true);
    }

    #[test]
    fn names_of_other_programs_are_not() {
        for name in ["con", "C:\\x", "x.", "a b\tc", ".github", ".gitignore"] {
            check(name, false);
        }
        for name in [
            "README",
            "a/b/c.txt",
            ".config",
            "git",
            "gift",
            "caf\u{e9}",
            "x~1",
            "pins/readme",
            "abc",
            "ab/x",
        ] {
            check(name, false);
        }
    }

    #[test]
    fn nothing_and_what_is_in_the_way_of_notes_is_refused() {
        let null = TreeEntry { mode: EntryKind::Blob.into(), id: ObjectId::from_bytes(&[0; 20]).unwrap() };
        assert!(is_refused(b"x", null));
        check("ab", true);
        check("ab/cd", true);
        check("abc/de", false);
    }
}
