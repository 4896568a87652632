//! What suggestions and patches make of files.

use crate::files::disk::Disk;
use crate::request::Request;
use postil_core::git::RepoPath;
use postil_protocol::{Fault, FaultCode};

pub(crate) fn disk_of<'a>(request: &'a Request, handle: &'a gix::Repository) -> Result<Disk<'a>, Fault> {
    let none = || Fault::new(FaultCode::Refused, "there are no files here that could be changed");
    Disk::open(request.work_tree.work_tree().ok_or_else(none)?, handle)
}

pub(crate) fn read(disk: &mut Disk<'_>, path: &RepoPath) -> Result<Vec<u8>, Fault> {
    let gone = || Fault::new(FaultCode::Conflict, format!("{path} is gone meanwhile"));
    Ok(disk.file(path)?.ok_or_else(gone)?.content)
}
