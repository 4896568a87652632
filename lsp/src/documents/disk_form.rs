//! How a document is on disk: whether the file has the same text, and what an editor leaves out when it sends it.
//!
//! Some editors send a text without its byte order mark, and some with other line ends than the file has.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// What a byte order mark is in UTF-8.
const MARK: &str = "\u{feff}";

/// By what a file is known to be the same as before, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DiskStamp {
    inode: u64,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl DiskStamp {
    /// That of a file; `None` if it cannot be looked at.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|found| Self::from(&found))
    }
}

impl From<&Metadata> for DiskStamp {
    fn from(found: &Metadata) -> Self {
        Self {
            inode: found.ino(),
            length: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

/// What the file has and the editor's text has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DiskForm {
    has_mark: bool,
    has_crlf: bool,
}

/// A file that was read, and how it differs from the text of an editor.
pub(crate) enum OnDiskText {
    /// It is the same text.
    Same(DiskStamp, DiskForm),
    /// It is another text.
    Other(String),
}

impl OnDiskText {
    /// Reads a file and compares it with the text of an editor. Fails for a file that is not UTF-8.
    pub(crate) fn compared(path: &Path, text: &str) -> io::Result<Self> {
        let before = fs::metadata(path)?;
        let found = fs::read_to_string(path)?;
        let form = [
            DiskForm::default(),
            DiskForm { has_mark: true, has_crlf: false },
            DiskForm { has_mark: false, has_crlf: true },
            DiskForm { has_mark: true, has_crlf: true },
        ];
        let fits = |form: &DiskForm| form.written(text) == found;
        Ok(match form.into_iter().find(fits) {
            Some(form) => Self::Same(DiskStamp::from(&before), form),
            None => Self::Other(found),
        })
    }
}

impl DiskForm {
    /// The text as the editor would write it.
    pub(crate) fn written(self, text: &str) -> String {
        let mark = if self.has_mark && !text.starts_with(MARK) { MARK } else { "" };
        if self.has_crlf && !text.contains('\r') {
            format!("{mark}{}", text.replace('\n', "\r\n"))
        } else {
            format!("{mark}{text}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_and_line_ends_that_an_editor_leaves_out_are_no_difference() {
        let folder = std::env::temp_dir().join(format!("postil-lsp-form-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a");
        for (on_disk, in_editor, is_same) in [
            ("a\nb\n", "a\nb\n", true),
            ("\u{feff}a\nb\n", "a\nb\n", true),
            ("a\r\nb\r\n", "a\nb\n", true),
            ("\u{feff}a\r\nb\r\n", "a\nb\n", true),
            ("a\r\nb\r\n", "a\r\nb\r\n", true),
            ("a\r\nb\n", "a\nb\n", false),
            ("a\nb\n", "\u{feff}a\nb\n", false),
            ("a\n", "b\n", false),
        ] {
            fs::write(&file, on_disk).unwrap();
            let found = OnDiskText::compared(&file, in_editor).unwrap();
            match found {
                OnDiskText::Same(stamp, form) => {
                    assert!(is_same, "{on_disk:?} {in_editor:?}");
                    assert_eq!(form.written(in_editor), on_disk);
                    assert_eq!(DiskStamp::of(&file), Some(stamp));
                }
                OnDiskText::Other(text) => assert!(!is_same && text == on_disk, "{on_disk:?} {in_editor:?}"),
            }
        }
        fs::write(&file, b"\xff\xfea\0").unwrap();
        assert!(OnDiskText::compared(&file, "a").is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
