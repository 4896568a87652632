//! One repository as the daemon sees it: where its notes ref points, and whether anything was lost from it.
//!
//! What the notes hold, and how they are mended, is `postil-core`'s business.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postil_core::git::{CommitId, OpenError, Patience, Settings};
use postil_core::notes::{Checked, Committer, NotesError, Options, Store};
use postil_core::record::Author;

/// How long a mending waits for a git that holds a lock; the next look tries again.
const PATIENCE: Duration = Duration::from_secs(2);

/// An open repository, and the tip of its notes when last looked at.
#[derive(Debug)]
pub struct Repository {
    store: Store,
    seen: Option<CommitId>,
}

/// The notes ref was elsewhere when it was last looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotesMove {
    /// Where it was; `None` when there was no such ref.
    pub from: Option<CommitId>,
    /// Where it is now, after what was lost came back; `None` when there are no notes.
    pub to: Option<CommitId>,
    /// What had been lost.
    pub checked: Checked,
}

/// Why a repository could not be read or mended.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// There is none, or it cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It was there, and is not any more.
    #[error("{} is no git directory any more", common_dir.display())]
    Gone {
        /// Where it was.
        common_dir: PathBuf,
    },
    /// What was lost could not be brought back.
    #[error("could not check the notes")]
    Check(#[source] NotesError),
}

impl Repository {
    /// Opens the repository that `folder` is in.
    ///
    /// The first [`Repository::look`] checks notes that moved while no daemon ran.
    pub fn discover(folder: &Path) -> Result<Self, RepositoryError> {
        let repository = postil_core::git::Repository::discover(folder, Settings::AsGit)?;
        let options =
            Options { patience: Patience::new(PATIENCE, thread::sleep), threads: NonZeroUsize::MIN };
        let store = Store::new(repository, options);
        let seen = store.tip().map_err(RepositoryError::Check)?;
        Ok(Self { store, seen })
    }

    /// The git directory that all its work trees share.
    pub fn common_dir(&self) -> &Path {
        self.store.repository().common_dir()
    }

    /// Looks again, and brings back what was lost; returns `None` when the notes are where they were.
    ///
    /// Without a move it costs two small reads. After an error, the next look compares with the same tip as this one.
    pub fn look(&mut self) -> Result<Option<NotesMove>, RepositoryError> {
        // A repository that was deleted has no notes ref either, but nobody deleted its notes.
        if !self.common_dir().join("HEAD").exists() {
            return Err(RepositoryError::Gone { common_dir: self.common_dir().to_owned() });
        }
        let checked = self.store.check(&self.committer()).map_err(RepositoryError::Check)?;
        let moved = NotesMove { from: self.seen, to: checked.tip, checked };
        self.seen = moved.to;
        Ok((moved.from != moved.to || moved.checked.healed()).then_some(moved))
    }

    /// The person whose repository this is, as git is configured; what is mended is theirs.
    fn committer(&self) -> Committer {
        let handle = self.store.repository().handle();
        let configured = handle.committer().and_then(Result::ok);
        let person = configured.map_or_else(
            || Author { name: "postil".into(), email: "postil@localhost".into() },
            |person| Author { name: person.name.to_string(), email: person.email.to_string() },
        );
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Committer::new(&person, i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX), 0)
    }
}

#[cfg(test)]
pub(crate) mod fixture {
    //! Repositories with notes in them, for the tests of this crate.

    use std::fs;
    use std::path::Path;

    use postil_core::git::{CommitId, ObjectId};
    use postil_core::notes::Home;
    use postil_core::record::{Body, Record, Text};

    use super::Repository;

    /// A repository without commits.
    pub(crate) fn bare() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for part in ["refs", "objects"] {
            fs::create_dir(folder.path().join(part)).unwrap();
        }
        fs::write(folder.path().join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(folder.path().join("config"), "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n")
            .unwrap();
        folder
    }

    /// Somebody else writes a note; returns the new tip.
    pub(crate) fn say(folder: &Path, words: &str) -> Option<CommitId> {
        let repository = Repository::discover(folder).unwrap();
        let text = Text { text: words.as_bytes().to_vec(), after: None };
        let home = Home::On(ObjectId::from_bytes(&[7; 20]).unwrap());
        let batch = repository.store.batch().add(home, Record::new(&Body::Text(text)).unwrap());
        batch.write(&repository.committer(), words).unwrap().tip
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::fixture::{bare, say};
    use super::*;

    #[test]
    fn a_deleted_ref_comes_back_but_a_deleted_repository_is_gone() {
        let folder = bare();
        let mut repository = Repository::discover(folder.path()).unwrap();
        assert_eq!(repository.look().unwrap(), None);
        let tip = say(folder.path(), "words");
        assert_eq!(repository.look().unwrap().unwrap().to, tip);
        fs::remove_file(folder.path().join("refs/notes/reviews")).unwrap();
        let moved = repository.look().unwrap().unwrap();
        assert!(moved.checked.restored);
        assert_eq!(moved.to, tip);
        assert_eq!(repository.look().unwrap(), None);
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(matches!(repository.look(), Err(RepositoryError::Gone { .. })));
    }

    #[test]
    fn a_folder_without_a_repository_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = Repository::discover(&folder.path().join("nowhere")).unwrap_err();
        assert!(error.to_string().contains("nowhere"), "{error}");
    }
}
