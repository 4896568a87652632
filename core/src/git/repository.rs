//! A repository that was opened for long use.
//!
//! Opening looks at the environment and the configuration once; after that, only objects and refs are read.
//! Reading refs is `refs`; moving refs and writing objects is `durable_write`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gix::bstr::{BStr, BString};
use gix::config::Source;
use gix::odb::store::init::Slots;
use gix::open::{Options, Permissions, permissions};
use gix::refs::store::WriteReflog;
use gix::sec::{Permission, trust};

use super::durable_write::durable_files::Sharing;
use super::error::OpenError;
use super::packs::delta_bases::DeltaBases;

/// How many packs a repository may have while it is open: gix sizes its table when it opens, by default for 32 or a
/// tenth more than there are, and fails once it is full.
///
/// The slot of a pack that is gone is used again, so this is for packs that are there at one time; git keeps them below
/// 50 unless it is told not to. Every slot costs time and memory on opening and closing: 4,096 took 0.7 ms.
const PACK_SLOTS: Slots = Slots::AsNeededByDiskState { multiplier: 4.0, minimum: 512 };

/// Which configuration files are read apart from the repository's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigScope {
    /// Those of the system and of the user too, found as git finds them.
    ///
    /// A process that outlives the command that started it first clears the variables by which git tells a hook about
    /// one repository (`git rev-parse --local-env-vars`).
    AsGit,
    /// None: only the repository's own configuration.
    Isolated,
}

/// A repository, shared between threads.
///
/// Its configuration is what it was when the repository was opened; [`Repository::reopen`] reads it again.
#[derive(Debug)]
pub struct Repository {
    shared: gix::ThreadSafeRepository,
    settings: ConfigScope,
    hash: gix::hash::Kind,
    git_dir: PathBuf,
    common_dir: PathBuf,
    sharing: Sharing,
}

impl Repository {
    /// Opens the repository whose work tree or git directory is `dir`.
    ///
    /// Fails for a repository that another user owns, unless `safe.directory` allows it, and for refs kept as reftable.
    pub fn open(dir: &Path, settings: ConfigScope) -> Result<Self, OpenError> {
        let dir = resolve(dir)?;
        let opened = gix::ThreadSafeRepository::open_opts(&dir, options(settings));
        Self::checked(opened.map_err(|source| OpenError::Open { dir, source })?, settings)
    }

    /// Opens the repository that `dir` is in, as [`Repository::open`] does.
    pub fn discover(dir: &Path, settings: ConfigScope) -> Result<Self, OpenError> {
        let dir = resolve(dir)?;
        let any = trust::Mapping { full: options(settings), reduced: options(settings) };
        let opened =
            gix::ThreadSafeRepository::discover_opts(&dir, gix::discover::upwards::Options::default(), any);
        Self::checked(opened.map_err(|source| OpenError::Open { dir, source })?, settings)
    }

    /// Opens the same repository again, with the configuration it has now.
    ///
    /// A process that lives long asks for the remotes in this way: an open repository never sees an edit.
    pub fn reopen(&self) -> Result<Self, OpenError> {
        let opened =
            gix::ThreadSafeRepository::open_opts(&self.git_dir, options(self.settings).open_path_as_is(true));
        let opened = opened.map_err(|source| OpenError::Open { dir: self.git_dir.clone(), source })?;
        Self::checked(opened, self.settings)
    }

    fn checked(shared: gix::ThreadSafeRepository, settings: ConfigScope) -> Result<Self, OpenError> {
        let handle = shared.to_thread_local();
        let git_dir = resolve(handle.git_dir())?;
        let config = handle.config_snapshot();
        if let Some(format) = config.string("extensions.refStorage").filter(|format| *format != "files") {
            return Err(OpenError::RefFormat { git_dir, format: format.to_string() });
        }
        let shared_repository = match config.string("core.sharedRepository") {
            None if config.boolean("core.sharedRepository") == Some(true) => Ok(0o660),
            None => Ok(0),
            value => gix::config::tree::Core::SHARED_REPOSITORY.try_into_shared_repository(value),
        };
        let sharing = match shared_repository {
            Ok(mode) => Sharing::new(mode),
            Err(source) => return Err(OpenError::SharedRepository { git_dir, source }),
        };
        let common_dir = resolve(handle.common_dir())?;
        let hash = handle.object_hash();
        Ok(Self { shared, settings, hash, git_dir, common_dir, sharing })
    }

    /// Returns a handle for one thread: cheap to make; it ignores `git replace`.
    pub fn handle(&self) -> gix::Repository {
        let mut handle = self.shared.to_thread_local();
        handle.objects.ignore_replacements = true;
        handle.objects.set_pack_cache(|| Box::new(DeltaBases::default()));
        handle
    }

    /// The hash that names the objects of this repository.
    pub fn object_hash(&self) -> gix::hash::Kind {
        self.hash
    }

    /// The directory that all work trees share, without `..` and links in it.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The directory that belongs to this work tree alone.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Where the files are checked out, if they are.
    pub fn work_tree(&self) -> Option<&Path> {
        self.shared.work_dir()
    }

    /// Returns the work tree that the git directory itself names, whatever the environment says and however it was
    /// opened.
    ///
    /// A git directory apart from its files (`git init --separate-git-dir`) does not know them.
    pub fn own_work_tree(&self) -> Option<PathBuf> {
        let handle = self.shared.to_thread_local();
        let config = handle.config_snapshot();
        let is_own = |source: Source| matches!(source, Source::Local | Source::Worktree);
        let said = config.plumbing().string_filter("core.worktree", |section| is_own(section.source));
        let found = match said {
            Some(said) => self.git_dir.join(gix::path::from_bstr(said).ok()?),
            None => match fs::read(self.git_dir.join("gitdir")) {
                Ok(file) => {
                    let file = gix::path::from_bstr(BStr::new(file.trim_ascii_end())).ok()?;
                    self.git_dir.join(file.parent()?)
                }
                Err(_) if self.git_dir.file_name().is_some_and(|name| name == ".git") => {
                    self.git_dir.parent()?.to_owned()
                }
                Err(_) => return None,
            },
        };
        fs::canonicalize(found).ok()
    }

    /// Returns the files that its configuration includes, also missing ones and those whose condition is not met.
    pub fn included_configs(&self) -> BTreeSet<PathBuf> {
        if self.settings == ConfigScope::Isolated {
            return BTreeSet::new();
        }
        let handle = self.shared.to_thread_local();
        let config = handle.config_snapshot();
        let mut files = BTreeSet::new();
        for section in ["include", "includeIf"] {
            for section in config.plumbing().sections_by_name(section).into_iter().flatten() {
                let from = section.meta().path.as_deref();
                let said = section.body().values("path");
                files.extend(said.iter().filter_map(|said| included_file(said.as_ref(), from)));
            }
        }
        files
    }

    /// Whether no files are checked out here.
    pub fn is_bare(&self) -> bool {
        self.work_tree().is_none()
    }

    /// Whether it is a partial clone: git fetches what is missing from a remote when it needs it.
    pub fn is_partial(&self) -> bool {
        let handle = self.handle();
        let config = handle.config_snapshot();
        let names = handle.remote_names();
        let is_promisor = |name: &_| config.boolean(format!("remote.{name}.promisor").as_str()) == Some(true);
        config.string("extensions.partialClone").is_some() || names.iter().any(is_promisor)
    }

    /// Whether this is a shallow clone; read from disk each time.
    pub fn is_shallow(&self) -> bool {
        fs::metadata(self.common_dir.join("shallow")).is_ok_and(|file| file.len() > 0)
    }

    /// Where the objects are.
    pub(super) fn objects_dir(&self) -> PathBuf {
        self.common_dir.join("objects")
    }

    /// The permissions of what is made here.
    pub(super) fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// Which refs get a reflog of their own accord.
    pub(super) fn reflogs(&self) -> WriteReflog {
        self.shared.refs.write_reflog
    }
}

fn options(settings: ConfigScope) -> Options {
    let permissions = match settings {
        ConfigScope::Isolated => Permissions::isolated(),
        ConfigScope::AsGit => Permissions {
            env: permissions::Environment { objects: Permission::Deny, ..permissions::Environment::all() },
            ..Permissions::all()
        },
    };
    Options::default()
        .permissions(permissions)
        .bail_if_untrusted(true)
        .object_store_slots(PACK_SLOTS)
        // A replaced object would have other content than its id says, and be written back as such.
        .config_overrides(["core.useReplaceRefs=false"])
}

/// The file that an include names; a relative path is relative to the file `from` that has the include.
fn included_file(said: &BStr, from: Option<&Path>) -> Option<PathBuf> {
    let home = gix::path::env::home_dir();
    let context = gix::config::path::interpolate::Context {
        home_dir: home.as_deref(),
        home_for_user: Some(gix::config::path::interpolate::home_for_user),
        ..Default::default()
    };
    let file = gix::config::Path::from(BString::from(said)).interpolate(context).ok()?;
    Some(if file.is_absolute() { file } else { from?.parent()?.join(file) })
}

fn resolve(path: &Path) -> Result<PathBuf, OpenError> {
    fs::canonicalize(path).map_err(|source| OpenError::Resolve { path: path.to_owned(), source })
}
