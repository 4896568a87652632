//! Files as editors name them: `file:` addresses whose paths are bytes, written with percent signs.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

/// What is written with a percent sign, as `VS Code` does it: everything but letters, digits, and `-._~/`.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'!')
    .add(b'"')
    .add(b'#')
    .add(b'$')
    .add(b'%')
    .add(b'&')
    .add(b'\'')
    .add(b'(')
    .add(b')')
    .add(b'*')
    .add(b'+')
    .add(b',')
    .add(b':')
    .add(b';')
    .add(b'<')
    .add(b'=')
    .add(b'>')
    .add(b'?')
    .add(b'@')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The file that an address names; `None` for any other scheme, and for another machine.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Some(PathBuf::from(OsString::from_vec(percent_decode_str(path).collect())))
}

/// The address of a file.
pub(crate) fn uri_of(path: &Path) -> String {
    format!("file://{}", percent_encode(path.as_os_str().as_bytes(), ESCAPED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_its_address_lead_to_each_other() {
        for path in ["/a/b.rs", "/with space/ä.rs", "/100%/#1?.md", "/a:b/[c]"] {
            let path = Path::new(path);
            assert_eq!(path_of(&uri_of(path)).as_deref(), Some(path));
        }
        let bytes = PathBuf::from(OsString::from_vec(b"/not/\xff".to_vec()));
        assert_eq!(path_of(&uri_of(&bytes)), Some(bytes));
    }

    #[test]
    fn what_is_not_a_file_of_this_machine_is_none() {
        for uri in ["git:/a/b.rs", "untitled:Untitled-1", "file://elsewhere/a", "postil:/x", "", "file:"] {
            assert_eq!(path_of(uri), None, "{uri}");
        }
        assert_eq!(path_of("file://localhost/a"), Some(PathBuf::from("/a")));
    }
}
