//! Detects whether a git directory and its configuration are still those that were opened.
//!
//! All files count that git reads settings from: those of the repository, of the user and of the system, and whatever
//! they include. Files that are not there count too, since they may come.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gix::config::Source;
use postil_core::git::{ConfigScope, Repository};
use postil_protocol::{Fault, FaultCode};

use super::stamp::Stamp;
use crate::convert::fault::OrFault as _;

/// So often it is opened again because its configuration named other files each time; the last one is taken.
const MAX_LOOKS: usize = 4;

/// Distinguishes a git directory and its configuration from others at the same path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DirStamp {
    directory: (PathBuf, Stamp),
    files: Vec<(PathBuf, Option<Stamp>)>,
}

impl DirStamp {
    /// Opens the repository in `dir`, and returns it with its stamp.
    ///
    /// Stamps are taken before the files are read, so that nothing that is written meanwhile goes unnoticed. Which files
    /// are included is known afterwards; if there are any, the repository is opened once more.
    pub fn open(dir: &Path, settings: ConfigScope) -> Result<(Repository, Self), Fault> {
        let mut files = usual_files(dir, settings);
        let mut looks = 1;
        loop {
            let stamp = Self::of(dir, &files)?;
            let repo = Repository::open(dir, settings).or_fault()?;
            let included = repo.included_configs();
            if looks >= MAX_LOOKS || included.is_subset(&files) {
                return Ok((repo, stamp));
            }
            files.extend(included);
            looks += 1;
        }
    }

    /// Whether all is as it was.
    pub fn holds(&self) -> bool {
        let (dir, stamp) = &self.directory;
        Stamp::of_folder(dir).as_ref() == Some(stamp)
            && self.files.iter().all(|(file, stamp)| Stamp::of_file(file) == *stamp)
    }

    fn of(dir: &Path, files: &BTreeSet<PathBuf>) -> Result<Self, Fault> {
        let directory = Stamp::of_folder(dir).ok_or_else(|| {
            let message = format!("no repository at {}", dir.display());
            let fault = Fault::new(FaultCode::NoRepository, message);
            fs::metadata(dir).map_or_else(|error| fault.clone().because(&error), |_| fault.clone())
        })?;
        let files = files.iter().map(|file| (file.clone(), Stamp::of_file(file))).collect();
        Ok(Self { directory: (dir.to_owned(), directory), files })
    }
}

/// The files that are looked for whatever is in them.
fn usual_files(dir: &Path, settings: ConfigScope) -> BTreeSet<PathBuf> {
    // Only a linked work tree has this file: it leads to the directory that all share.
    let leads = dir.join("commondir");
    let shared = fs::read(&leads)
        .map_or_else(|_| dir.to_owned(), |to| dir.join(OsStr::from_bytes(to.trim_ascii_end())));
    // Git moves the files of a linked working tree by rewriting `gitdir`.
    let own = [leads, shared.join("config"), dir.join("config.worktree"), dir.join("gitdir")];
    let above: &[Source] = match settings {
        ConfigScope::AsGit => &[Source::GitInstallation, Source::System, Source::Git, Source::User],
        ConfigScope::Isolated => &[],
    };
    let mut variable = |name: &str| match name {
        "HOME" => gix::path::env::home_dir().map(Into::into),
        name => std::env::var_os(name),
    };
    let above = above.iter().filter_map(|source| source.storage_location(&mut variable));
    own.into_iter().chain(above).collect()
}
