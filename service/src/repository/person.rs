//! The person whose repository it is, as git is configured.

use std::path::Path;

use postil_core::git::{ConfigScope, OpenError, Repository};
use postil_core::notes::Committer;
use postil_core::record::{Author, Timestamp};

/// Returns the person whose repository this is; what postil does of its own accord is done in their name.
pub fn person(git_dir: &Path) -> Result<Author, OpenError> {
    Ok(configured(&Repository::open(git_dir, ConfigScope::AsGit)?))
}

/// Returns who commits what is healed.
pub fn committer(repository: &Repository, now: Timestamp) -> Committer {
    let seconds = i64::try_from(now.0 / 1000).unwrap_or(i64::MAX);
    Committer::new(&configured(repository), seconds, 0)
}

/// Returns the person whose repository this is, as the author of commits; `None` if git does not know.
pub fn author(repository: &Repository) -> Option<Author> {
    let handle = repository.handle();
    let author = handle.author().and_then(Result::ok)?;
    Some(Author { name: author.name.to_string(), email: author.email.to_string() })
}

fn configured(repository: &Repository) -> Author {
    let handle = repository.handle();
    let configured = handle.committer().and_then(Result::ok);
    configured.map_or_else(nobody, |person| Author {
        name: person.name.to_string(),
        email: person.email.to_string(),
    })
}

/// The author of records that no person wrote.
pub(crate) fn nobody() -> Author {
    Author { name: "postil".into(), email: "postil@localhost".into() }
}
