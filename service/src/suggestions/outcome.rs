//! What suggestions and patches are held against: the files as they are.

use postil_core::git::RepoPath;
use postil_protocol::{Fault, FaultCode};

use crate::files::HeadFiles;

/// The content of a file that was there when the plan began.
pub(crate) fn read(files: &HeadFiles<'_>, path: &RepoPath) -> Result<Vec<u8>, Fault> {
    let gone = || Fault::new(FaultCode::Conflict, format!("{path} no longer exists"));
    Ok(files.to_change(path)?.ok_or_else(gone)?.content)
}
