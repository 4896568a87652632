//! A folder that is this user's alone: made so, or found so, or refused.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

use super::error::SocketError;

/// Makes the folder if it is missing, and refuses one that others could have put there or can write to.
pub(super) fn private(path: &Path) -> Result<(), SocketError> {
    let make = || DirBuilder::new().mode(0o700).create(path);
    let made = match make() {
        // Only the last part is secret; those above it are the user's usual folders.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(path)).and_then(|()| make())
        }
        made => made,
    };
    match made {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(SocketError::Folder { path: path.to_owned(), source: error })
        }
        _ => check(path),
    }
}

/// Refuses a folder that others could have put there or can write to.
pub(super) fn check(path: &Path) -> Result<(), SocketError> {
    // Of the link itself, if it is one: its owner decides where it leads.
    let found =
        fs::symlink_metadata(path).map_err(|source| SocketError::Folder { path: path.to_owned(), source })?;
    if !found.is_dir() {
        return Err(SocketError::NoFolder { path: path.to_owned() });
    }
    let expected = rustix::process::geteuid().as_raw();
    if found.uid() != expected {
        return Err(SocketError::Foreign { path: path.to_owned(), found: found.uid(), expected });
    }
    let mode = found.mode() & 0o777;
    let others_may = mode & 0o077;
    if others_may != 0 {
        return Err(SocketError::Open { path: path.to_owned(), mode });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_folder_is_made_for_its_user_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b/postil");
        private(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        private(&path).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_that_nobody_can_make_is_refused() {
        // This system answers that something above it is missing, which is not so.
        assert!(matches!(private(Path::new("/proc/postil")), Err(SocketError::Folder { .. })));
    }

    #[test]
    fn a_link_a_file_and_an_open_folder_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let (real, link, file) =
            (root.path().join("real"), root.path().join("link"), root.path().join("file"));
        private(&real).unwrap();
        symlink(&real, &link).unwrap();
        fs::write(&file, "").unwrap();
        assert!(matches!(private(&link), Err(SocketError::NoFolder { .. })));
        assert!(matches!(private(&file), Err(SocketError::NoFolder { .. })));
        fs::set_permissions(&real, fs::Permissions::from_mode(0o770)).unwrap();
        assert!(matches!(private(&real), Err(SocketError::Open { mode: 0o770, .. })));
    }

    #[test]
    fn a_folder_of_somebody_else_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("theirs");
        private(&path).unwrap();
        // Only the system's own user may give a folder away; others find one that is not theirs.
        let theirs =
            if std::os::unix::fs::chown(&path, Some(12_345), None).is_ok() { path } else { "/".into() };
        assert!(matches!(private(&theirs), Err(SocketError::Foreign { .. })));
    }
}
