//! One repository as the daemon sees it: where its notes ref points, and whether that changed.
//!
//! Reads only. What the notes hold is `postil-core`'s business.

use std::path::{Path, PathBuf};

use postil_core::git::CommitId;

/// The ref that holds the reviews.
pub(crate) const NOTES_REF: &str = "refs/notes/reviews";

/// An open repository, and the tip of its notes when last looked at.
#[derive(Debug)]
pub struct Repository {
    git: gix::Repository,
    common_dir: PathBuf,
    seen: Option<CommitId>,
}

/// The notes ref was elsewhere when it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotesMove {
    /// Where it was; `None` when there was no such ref.
    pub from: Option<CommitId>,
    /// Where it is; `None` when it was deleted.
    pub to: Option<CommitId>,
}

/// Why a repository could not be read.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// There is none, or it is damaged.
    #[error("no git repository could be opened in {}", folder.display())]
    Open {
        /// Where it was looked for.
        folder: PathBuf,
        /// What git's files say.
        source: Box<gix::Error>,
    },
    /// Its refs are in a form that cannot be read.
    #[error("{} keeps its refs in a reftable, which postil cannot read yet", common_dir.display())]
    Reftable {
        /// Its git directory.
        common_dir: PathBuf,
    },
    /// It was there, and is not any more.
    #[error("{} is no git directory any more", common_dir.display())]
    Gone {
        /// Where it was.
        common_dir: PathBuf,
    },
    /// The notes ref exists, but says nothing that can be understood.
    #[error("could not read {NOTES_REF}")]
    ReadRef {
        /// What is wrong with it.
        source: Box<gix::Error>,
    },
}

impl Repository {
    /// Opens the repository that `folder` is in, and looks at its notes ref for the first time.
    pub fn discover(folder: &Path) -> Result<Self, RepositoryError> {
        let open = |source| RepositoryError::Open { folder: folder.to_owned(), source: Box::new(source) };
        let git = gix::discover(folder).map_err(open)?;
        // The common directory of a linked work tree has `..` in it.
        let common_dir = git.common_dir().canonicalize().unwrap_or_else(|_| git.common_dir().to_owned());
        let storage = git.config_snapshot().string("extensions.refStorage");
        if storage.is_some_and(|name| name.eq_ignore_ascii_case(b"reftable")) {
            return Err(RepositoryError::Reftable { common_dir });
        }
        let mut repository = Self { git, common_dir, seen: None };
        repository.seen = repository.notes_tip()?;
        Ok(repository)
    }

    /// The git directory that all its work trees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Looks again; returns `None` when the notes ref is where it was.
    ///
    /// Costs one or two small reads. After an error, the next look compares with the same tip as this one.
    pub fn look(&mut self) -> Result<Option<NotesMove>, RepositoryError> {
        let moved = NotesMove { from: self.seen, to: self.notes_tip()? };
        self.seen = moved.to;
        Ok((moved.from != moved.to).then_some(moved))
    }

    fn notes_tip(&self) -> Result<Option<CommitId>, RepositoryError> {
        let tip = self.read_notes_ref()?;
        if tip.is_some() {
            return Ok(tip);
        }
        // gix reads packed-refs again when its time stamp changed, and `git pack-refs` may have written it twice
        // within one tick of that clock: the ref would seem deleted.
        if self.common_dir.join("packed-refs").exists() {
            let refresh = self.git.refs.force_refresh_packed_buffer();
            refresh.map_err(|source| RepositoryError::ReadRef { source: Box::new(source) })?;
        }
        let tip = self.read_notes_ref()?;
        // A repository that was deleted has no notes ref either, but nobody deleted its notes.
        if tip.is_none() && !self.common_dir.join("HEAD").exists() {
            return Err(RepositoryError::Gone { common_dir: self.common_dir.clone() });
        }
        Ok(tip)
    }

    fn read_notes_ref(&self) -> Result<Option<CommitId>, RepositoryError> {
        let read = |source| RepositoryError::ReadRef { source: Box::new(source) };
        let Some(mut reference) = self.git.try_find_reference(NOTES_REF).map_err(read)? else {
            return Ok(None);
        };
        Ok(Some(CommitId::from(reference.follow_to_object().map_err(read)?.detach())))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::*;

    const TIP: &str = "51d2e0751d2e0751d2e0751d2e0751d2e0751d2e";

    fn bare() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        gix::init_bare(folder.path()).unwrap();
        folder
    }

    #[test]
    fn a_deleted_ref_is_a_move_but_a_deleted_repository_is_not() {
        let folder = bare();
        fs::write(folder.path().join("packed-refs"), format!("{TIP} {NOTES_REF}\n")).unwrap();
        let mut repository = Repository::discover(folder.path()).unwrap();
        assert_eq!(repository.look().unwrap(), None);
        fs::remove_file(folder.path().join("packed-refs")).unwrap();
        let from = CommitId::from_hex(TIP.as_bytes());
        assert_eq!(repository.look().unwrap(), Some(NotesMove { from, to: None }));
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(matches!(repository.look(), Err(RepositoryError::Gone { .. })));
    }

    #[test]
    fn a_ref_that_is_packed_within_one_tick_of_the_clock_did_not_move() {
        let folder = bare();
        let packed = folder.path().join("packed-refs");
        let tick = SystemTime::UNIX_EPOCH + Duration::from_hours(491_000);
        let pack = |content: &str| {
            fs::write(&packed, content).unwrap();
            fs::File::options().append(true).open(&packed).unwrap().set_modified(tick).unwrap();
        };
        pack(&format!("{TIP} refs/heads/main\n"));
        let loose = folder.path().join(NOTES_REF);
        fs::create_dir_all(loose.parent().unwrap()).unwrap();
        fs::write(&loose, TIP).unwrap();
        let mut repository = Repository::discover(folder.path()).unwrap();
        assert!(repository.git.try_find_reference("refs/heads/main").unwrap().is_some());
        pack(&format!("{TIP} refs/heads/main\n{TIP} {NOTES_REF}\n"));
        fs::remove_file(&loose).unwrap();
        assert_eq!(repository.look().unwrap(), None);
    }

    #[test]
    fn a_folder_without_a_repository_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = Repository::discover(&folder.path().join("nowhere")).unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
    }

    #[test]
    fn a_reftable_is_refused() {
        let folder = bare();
        let config =
            "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\trefStorage = reftable\n";
        fs::write(folder.path().join("config"), config).unwrap();
        assert!(matches!(Repository::discover(folder.path()), Err(RepositoryError::Reftable { .. })));
    }
}
