//! Files and directories that outlive a power loss, with the permissions a shared repository asks for.
//!
//! What is in the files, and in which order they are written, is decided elsewhere.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::sync_pool::PendingSync;

/// Whether a change waits for the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// On disk before the call returns.
    Synced,
    /// Left to the operating system: survives the process, not a power loss.
    Relaxed,
}

/// Git's `core.sharedRepository`: which permissions new files get beyond the umask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::git) struct Sharing(i32);

impl Sharing {
    /// Takes the encoding of gix: 0 the umask alone, a positive mode is added, a negative one replaces.
    pub(in crate::git) fn new(mode: i32) -> Self {
        Self(mode)
    }

    /// Gives a file or directory that was just made the permissions that git would give it.
    #[cfg(unix)]
    pub(super) fn apply(self, path: &Path) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        if self.0 == 0 {
            return Ok(());
        }
        let metadata = fs::metadata(path)?;
        let old = metadata.permissions().mode() & 0o7777;
        let new = self.mode(old, metadata.is_dir());
        if new == old { Ok(()) } else { fs::set_permissions(path, fs::Permissions::from_mode(new)) }
    }

    /// Permissions of a shared repository are a matter of Unix.
    #[cfg(not(unix))]
    pub(super) fn apply(self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has modes"))]
    fn mode(self, old: u32, is_dir: bool) -> u32 {
        let mut tweak = self.0.unsigned_abs();
        if old & 0o200 == 0 {
            tweak &= !0o222;
        }
        if old & 0o100 != 0 || is_dir {
            tweak |= (tweak & 0o444) >> 2;
        }
        let mut new = if self.0 < 0 { (old & !0o777) | tweak } else { old | tweak };
        if is_dir {
            // New files then belong to the directory's group, not to that of whoever makes them.
            new |= 0o2000;
        }
        new
    }
}

/// Makes `dir` and what is missing above it, and returns the directories whose entries changed.
///
/// Those are what must be synced for the new directories to last.
pub(super) fn create_dirs(dir: &Path, sharing: Sharing) -> io::Result<Vec<PathBuf>> {
    match fs::create_dir(dir) {
        Ok(()) => {
            sharing.apply(dir)?;
            Ok(dir.parent().map(Path::to_owned).into_iter().collect())
        }
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => Ok(Vec::new()),
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            let parent = dir.parent().ok_or(err)?;
            let mut changed = create_dirs(parent, sharing)?;
            changed.extend(create_dirs(dir, sharing)?);
            Ok(changed)
        }
        Err(err) => Err(err),
    }
}

/// Makes a new file with `bytes` in it, or none, and returns it still open, for a sync.
pub(super) fn create_file(path: &Path, bytes: &[u8], access: Access, sharing: Sharing) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    access.set(&mut options);
    let mut file = options.open(path)?;
    if let Err(err) = file.write_all(bytes).and_then(|()| sharing.apply(path)) {
        // Half a file is in everybody's way, above all on a disk that is full.
        let _ = fs::remove_file(path);
        return Err(err);
    }
    Ok(file)
}

/// What a new file may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Read and replaced in place.
    ReadWrite,
    /// Never changed again, as objects and packs.
    ReadOnly,
}

impl Access {
    #[cfg(unix)]
    fn set(self, options: &mut OpenOptions) {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(match self {
            Self::ReadWrite => 0o666,
            Self::ReadOnly => 0o444,
        });
    }

    #[cfg(not(unix))]
    fn set(self, _options: &mut OpenOptions) {}
}

/// Begins to put `files` on disk.
pub(super) fn begin_sync_files(files: &[&File]) -> io::Result<PendingSync> {
    let mut works = Vec::with_capacity(files.len());
    for file in files {
        let file = file.try_clone()?;
        works.push(move || file.sync_all());
    }
    Ok(PendingSync::begin(works))
}

/// Waits until `files` are on disk.
pub(super) fn sync_files(files: &[&File]) -> io::Result<()> {
    begin_sync_files(files)?.finish().map_err(|(_, source)| source)
}

/// Begins to put the entries of `dir` on disk.
pub(super) fn begin_sync_dir(dir: PathBuf) -> PendingSync {
    PendingSync::begin([move || sync_dir(&dir)])
}

/// Waits until the entries of `dirs` are on disk; on failure, says of which they are not.
pub(super) fn sync_dirs(dirs: &[PathBuf]) -> Result<(), (usize, io::Error)> {
    PendingSync::begin(dirs.iter().cloned().map(|dir| move || sync_dir(&dir))).finish()
}

/// Waits until the entries of `dir` are on disk.
///
/// Windows cannot open directories; its file systems keep their entries by themselves.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// Removes a file, and is content if there is none.
pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => Err(err),
        _ => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn sharing_gives_the_modes_that_git_gives() {
        let check = |shared: i32, old: u32, is_dir: bool, new: u32| {
            assert_eq!(Sharing::new(shared).mode(old, is_dir), new, "{shared:o} {old:o}");
        };
        check(0o660, 0o600, false, 0o660);
        check(0o660, 0o444, false, 0o444);
        check(0o660, 0o400, false, 0o440);
        check(0o664, 0o644, false, 0o664);
        check(0o660, 0o700, true, 0o2770);
        check(0o664, 0o755, true, 0o2775);
        check(-0o640, 0o666, false, 0o640);
        check(-0o640, 0o777, true, 0o2750);
    }

    #[test]
    fn a_directory_that_cannot_be_synced_is_named() {
        let top = tempfile::tempdir().unwrap();
        assert!(sync_dirs(&[top.path().to_owned(), top.path().to_owned()]).is_ok());
        assert_eq!(sync_dirs(&[top.path().to_owned(), top.path().join("none")]).unwrap_err().0, 1);
    }

    #[test]
    fn making_directories_names_those_that_must_be_synced() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("a/b");
        assert_eq!(
            create_dirs(&dir, Sharing::default()).unwrap(),
            [top.path().to_owned(), top.path().join("a")]
        );
        assert!(create_dirs(&dir, Sharing::default()).unwrap().is_empty());
    }

    #[test]
    fn a_file_in_the_way_of_a_directory_is_an_error() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join("a"), "").unwrap();
        assert!(create_dirs(&top.path().join("a/b"), Sharing::default()).is_err());
        assert!(create_dirs(&top.path().join("a"), Sharing::default()).is_err());
    }
}
