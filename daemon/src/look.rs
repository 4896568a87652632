//! One look at a repository: what there is to see, with every folder watched in which that can change.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::attended::Attended;
use crate::glance::Glance;
use crate::named;
use crate::survey::{Gone, Survey};
use crate::watch::Watches;
use postil_service::Stamp;

/// Files on disk that somebody wants to hear of, as they are.
pub(crate) type Files = BTreeMap<PathBuf, Option<Stamp>>;

/// What was seen.
#[derive(Debug)]
pub(crate) struct Look {
    /// Of the git directory.
    pub(crate) survey: Survey,
    /// Of the work trees, as far as somebody listens.
    pub(crate) files: Files,
}

/// Looks, and watches what was looked at.
pub(crate) fn look(watches: &Watches, repository: &Attended) -> Result<Look, Gone> {
    let common_dir = repository.common_dir();
    loop {
        let survey = Survey::of(common_dir)?;
        let (files, in_folders) = files(repository);
        let mut folders = survey.folders(common_dir);
        folders.extend(in_folders);
        folders.dedup();
        let set = watches.set(&repository.news, &folders);
        repository.condition().coverage = set.coverage;
        // What happened before a folder was watched is seen by looking once more.
        if set.added == 0 {
            // What somebody listens to is looked at in any case.
            let quiet =
                if files.is_empty() { Glance::of(survey.sources(common_dir)) } else { Glance::default() };
            *repository.glance() = quiet;
            return Ok(Look { survey, files });
        }
    }
}

/// The files that somebody wants to hear of, and the folders in which they can change, appear, or appear with theirs.
fn files(repository: &Attended) -> (Files, Vec<PathBuf>) {
    // Nobody else waits while a disk is asked.
    let listened = repository.audience().work_trees();
    let mut wanted = repository.watched().all();
    wanted.retain(|(name, _)| listened.contains(name));
    let (mut files, mut folders) = (Files::new(), Vec::new());
    for (name, file) in wanted {
        if let Some(root) = named::work_tree(&name) {
            let path = root.join(OsStr::from_bytes(file.as_bytes()));
            let above = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&root));
            folders.extend(above.map(Path::to_owned).find(|folder| folder.is_dir()));
            let stamp = Stamp::of_file(&path);
            files.insert(path, stamp);
        }
    }
    (files, folders)
}
