//! The way back from what was last written, kept in the git directory of the work tree.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use postil_core::protocol::{FileBefore, WayBack};

use super::landing::{back, land_orders, no_files};
use super::target::{Expected, name_of};
use crate::connect::Folder;
use crate::failure::{Failure, Kind};

/// Where it is kept.
pub(super) fn path(folder: &Folder) -> PathBuf {
    folder.repository().git_dir().join("postil").join("undo")
}

/// Keeps the way back, on disk before anything is written that it leads back from.
pub(super) fn keep(journal: &Path, what: &str, files: Vec<FileBefore>) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Kind::Unavailable, "could not keep the way back, and so nothing was written")
            .because(error)
    };
    let way = WayBack { what: what.to_owned(), files };
    let text = serde_json::to_vec(&way).map_err(|error| failed(error.into()))?;
    let folder = journal.parent().expect("it is in a folder of its own");
    fs::create_dir_all(folder).map_err(failed)?;
    let beside = journal.with_extension("new");
    let written = fs::File::create(&beside).and_then(|mut file| {
        file.write_all(&text)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&beside, journal)).map_err(failed)
}

/// Makes all files what they were before something was last applied; returns what that was.
///
/// A file that somebody changed since stops everything.
pub fn undo(folder: &Folder) -> Result<WayBack, Failure> {
    let root = folder.work_tree().ok_or_else(no_files)?;
    let hash = folder.repository().handle().object_hash();
    let journal = path(folder);
    let text = match fs::read(&journal) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Failure::new(Kind::NotFound, "nothing was applied here that could be undone"));
        }
        Err(error) => {
            return Err(Failure::new(Kind::Unavailable, "could not read the way back").because(error));
        }
    };
    let way: WayBack = serde_json::from_slice(&text)
        .map_err(|error| Failure::new(Kind::Unavailable, "the way back is damaged").because(error))?;
    let mut orders = Vec::new();
    for file in &way.files {
        let there = fs::read(root.join(Path::new(
            <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(file.path.as_bytes()),
        )));
        let there = there.ok().and_then(|bytes| name_of(hash, &bytes));
        let before = file.before.as_ref().and_then(|before| name_of(hash, before.as_bytes()));
        // What a process that died did not come to is as it was.
        if there == before && there != file.after {
            continue;
        }
        let expected = file.after.clone().map_or(Expected::Nothing, Expected::Is);
        let content = file.before.as_ref().map(|before| before.as_bytes().to_vec());
        orders.push(back(file.path.clone(), expected, content, file.executable));
    }
    land_orders(root, hash, orders)?;
    fs::remove_file(&journal).map_err(|error| {
        Failure::new(Kind::Unavailable, "the files are back, but the way back could not be removed")
            .because(error)
    })?;
    Ok(way)
}
