//! What can go wrong between postil and a git repository.
//!
//! Each enum belongs to one kind of work. A message says what failed and where; the cause is its `source`.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::{ObjectId, RefName};

/// Why a repository could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no repository, or it may not be used.
    #[error("could not open the repository at {}", dir.display())]
    Open {
        /// Where it was looked for.
        dir: PathBuf,
        /// What gix reported.
        source: gix::Error,
    },
    /// A directory of the repository could not be resolved.
    #[error("could not resolve {}", path.display())]
    Resolve {
        /// The directory.
        path: PathBuf,
        /// What the file system reported.
        source: io::Error,
    },
    /// The refs are kept in a way that cannot be read or written here.
    #[error(
        "{} stores its refs as {format}, but only files are supported; \
         convert it with `git refs migrate --ref-format=files`", git_dir.display()
    )]
    RefFormat {
        /// The repository.
        git_dir: PathBuf,
        /// The value of `extensions.refStorage`.
        format: String,
    },
    /// `core.sharedRepository` has a value that git does not know either.
    #[error("invalid core.sharedRepository in {}", git_dir.display())]
    SharedRepository {
        /// The repository.
        git_dir: PathBuf,
        /// What gix reported.
        source: gix::Error,
    },
}

/// Why a name is not the name of a ref that postil uses.
#[derive(Debug, thiserror::Error)]
pub enum RefNameError {
    /// Git would not accept it either.
    #[error("{name:?} is not a valid ref name")]
    Invalid {
        /// The name.
        name: String,
        /// Which rule it breaks.
        source: gix::Error,
    },
    /// It is outside `refs/`, or belongs to a single work tree.
    #[error("{name:?} is not shared by all working trees")]
    NotShared {
        /// The name.
        name: String,
    },
}

/// Why a ref could not be read or moved.
#[derive(Debug, thiserror::Error)]
pub enum RefError {
    /// Another process moved the ref first.
    #[error("{name} has moved: expected {}, found {}", or_nothing(*expected), or_nothing(*found))]
    Raced {
        /// The ref.
        name: RefName,
        /// What the update was based on.
        expected: Option<ObjectId>,
        /// What the ref is now.
        found: Option<ObjectId>,
    },
    /// Another process holds the lock of a ref.
    #[error(
        "{} has been held by another process for {} ms; if no git is running there, remove it",
        path.display(), waited.as_millis()
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// Another postil process is writing.
    #[error("another writer has held {} for {} ms", path.display(), waited.as_millis())]
    Busy {
        /// The file whose lock is held.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The ref names another ref, and moving it would change that one.
    #[error("{name} is a symbolic ref")]
    Symbolic {
        /// The ref.
        name: RefName,
    },
    /// The file of the ref holds no object id.
    #[error("{} does not contain an object id", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
    },
    /// A ref cannot be a directory of other refs at the same time.
    #[error("{name} conflicts with the existing ref {other}")]
    Conflict {
        /// The ref.
        name: RefName,
        /// The ref or directory in its way.
        other: String,
    },
    /// The packed refs could not be understood.
    #[error("could not read {}", path.display())]
    Packed {
        /// The file.
        path: PathBuf,
        /// What gix reported.
        source: gix::Error,
    },
    /// A file could not be read.
    #[error("could not read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the file system reported.
        source: io::Error,
    },
    /// A file or directory could not be written.
    #[error("could not write {}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// What the file system reported.
        source: io::Error,
    },
}

/// Why an object could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not in this repository.
    #[error("{id} is not in this repository")]
    Missing {
        /// The object.
        id: ObjectId,
    },
    /// It is there and cannot be used.
    #[error("could not read {id}")]
    Damaged {
        /// The object.
        id: ObjectId,
        /// What gix reported.
        source: gix::Error,
    },
    /// The walk over history failed.
    #[error("could not walk the history of {id}")]
    Walk {
        /// Where the walk began.
        id: ObjectId,
        /// What gix reported.
        source: gix::Error,
    },
    /// The configuration of a remote could not be used.
    #[error("could not read the configuration of remote {name:?}")]
    Remote {
        /// The remote.
        name: String,
        /// What gix reported.
        source: gix::Error,
    },
    /// The refs of a remote could not be listed.
    #[error("could not list the tracking branches of remote {name:?}")]
    TrackingRefs {
        /// The remote.
        name: String,
        /// Why.
        source: Box<RefError>,
    },
}

/// Why objects could not be put on disk.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A file or directory could not be written or synced.
    #[error("could not write {}", path.display())]
    File {
        /// The file or directory.
        path: PathBuf,
        /// What the file system reported.
        source: io::Error,
    },
    /// An object could not be compressed.
    #[error("could not compress {id}")]
    Compress {
        /// The object.
        id: ObjectId,
        /// What zlib reported.
        source: io::Error,
    },
    /// The pack of several objects could not be made.
    #[error("could not pack {count} objects into {}", dir.display())]
    Pack {
        /// How many.
        count: usize,
        /// Where to.
        dir: PathBuf,
        /// What gix reported.
        source: gix::Error,
    },
    /// The objects that are there already could not be read.
    #[error("could not open the objects in {}", dir.display())]
    Store {
        /// The objects directory.
        dir: PathBuf,
        /// What the file system reported.
        source: io::Error,
    },
    /// What the commits brought could not be read.
    #[error("could not read the changes of {commit}")]
    Introduced {
        /// The commit.
        commit: ObjectId,
        /// Why.
        source: Box<ReadError>,
    },
    /// An object was removed again and again after it was written.
    #[error("{id} was deleted while it was being written; a `git gc` or `git prune` may be running")]
    Collected {
        /// The object.
        id: ObjectId,
    },
    /// The writer's own file could not be written.
    #[error("could not save the state of the write")]
    Note(#[source] Box<RefError>),
}

fn or_nothing(id: Option<ObjectId>) -> String {
    id.map_or_else(|| "nothing".to_owned(), |id| id.to_string())
}
