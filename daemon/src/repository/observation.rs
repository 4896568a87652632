//! One observation of a repository: its refs and files now, with every folder watched in which they can change.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::watched_repository::WatchedRepository;
use crate::watching::folder_times::FolderTimes;
use crate::watching::ref_snapshot::{RefSnapshot, RepositoryGone};
use crate::watching::repository_paths;
use crate::watching::watches::Watches;
use postil_service::Stamp;

/// Files on disk that subscribers want events of, as they are.
pub(crate) type FileStamps = BTreeMap<PathBuf, Option<Stamp>>;

/// What a repository was like.
#[derive(Debug)]
pub(crate) struct Observation {
    /// Of the git directory.
    pub(crate) refs: RefSnapshot,
    /// Of working trees with subscribers.
    pub(crate) files: FileStamps,
}

/// Reads refs and files, and watches what was read.
pub(crate) fn observe(
    watches: &Watches,
    repository: &WatchedRepository,
) -> Result<Observation, RepositoryGone> {
    let common_dir = repository.common_dir();
    loop {
        let refs = RefSnapshot::of(common_dir)?;
        let (files, in_folders) = files(repository);
        let mut folders = refs.folders(common_dir);
        folders.extend(in_folders);
        folders.dedup();
        let set = watches.set(&repository.waker, &folders);
        repository.condition().coverage = set.coverage;
        // What happened before a folder was watched is seen by looking once more.
        if set.added == 0 {
            // Working trees with subscribers are always examined.
            let quiet = if files.is_empty() {
                FolderTimes::of(refs.sources(common_dir))
            } else {
                FolderTimes::default()
            };
            *repository.folder_times() = quiet;
            return Ok(Observation { refs, files });
        }
    }
}

/// The files that subscribers want events of, and the folders in which they can change, appear, or appear with theirs.
fn files(repository: &WatchedRepository) -> (FileStamps, Vec<PathBuf>) {
    // No lock is held while the disk is read.
    let listened = repository.subscribers().work_trees();
    let mut wanted = repository.watched().all();
    wanted.retain(|(name, _)| listened.contains(name));
    let (mut files, mut folders) = (FileStamps::new(), Vec::new());
    for (name, file) in wanted {
        if let Some(root) = repository_paths::work_tree(&name) {
            let path = root.join(OsStr::from_bytes(file.as_bytes()));
            let above = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&root));
            folders.extend(above.map(Path::to_owned).find(|folder| folder.is_dir()));
            let stamp = Stamp::of_file(&path);
            files.insert(path, stamp);
        }
    }
    (files, folders)
}
