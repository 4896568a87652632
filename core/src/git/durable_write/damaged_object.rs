//! Moves the file of a damaged object away: git does not write an object again whose file is there.

use std::fs;
use std::io;

use super::durable_files::create_dirs;
use super::loose_writer::path_of;
use crate::git::{ObjectId, WriterLock};

/// The folder for such files, in the folder of the writer.
const FOLDER: &str = "damaged";

impl WriterLock<'_> {
    /// Moves the loose file of an object, which the caller could not read, to `postil/damaged` in the git directory.
    ///
    /// Does nothing if there is no such file.
    pub fn set_damaged_aside(&self, id: ObjectId) -> io::Result<()> {
        let path = path_of(&self.repository().objects_dir(), id);
        if !path.is_file() {
            return Ok(());
        }
        let folder = self.dir().join(FOLDER);
        create_dirs(&folder, self.repository().sharing())?;
        tracing::warn!(%id, folder = %folder.display(), "moved a damaged object");
        fs::rename(path, folder.join(id.to_string()))
    }
}
