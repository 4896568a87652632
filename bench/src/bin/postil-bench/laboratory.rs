//! Repositories for measuring, in a directory that is gone afterwards, and stock git to work on them.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use postil_core::git::{CommitId, ConfigScope, ObjectId, Patience, Repository};
use postil_core::notes::{Committer, Home, Store, StoreOptions};
use postil_core::record::{Author, Record};

use crate::BenchResult;
use crate::clock::{Timing, timed_child};

/// Where the notes are.
pub const NOTES: &str = "refs/notes/reviews";

/// Where the store remembers which tip it has checked.
pub const KNOWN: &str = "refs/postil/known";

/// A directory of throw-away repositories.
pub struct Laboratory {
    dir: tempfile::TempDir,
    copies: Cell<usize>,
}

impl Laboratory {
    pub fn new() -> BenchResult<Self> {
        let dir = tempfile::tempdir()?;
        fs::create_dir(dir.path().join("home"))?;
        Ok(Self { dir, copies: Cell::new(0) })
    }

    /// Makes a bare repository with a history of so many commits, and names them, oldest first.
    pub fn repository(&self, name: &str, commits: usize) -> BenchResult<(Bare, Vec<CommitId>)> {
        let repo = self.bare(name);
        repo.git(&["init", "-q", "--bare", "--initial-branch=main", "."])?;
        let mut stream = String::new();
        for count in 0..commits {
            let message = format!("change {count}");
            let seconds = 1_600_000_000 + count;
            writeln!(
                stream,
                "commit refs/heads/main\ncommitter A U Thor <author@example.com> {seconds} +0000"
            )?;
            writeln!(stream, "data {}\n{message}", message.len())?;
            writeln!(stream, "M 100644 inline file\ndata {}\n{message}\n", message.len())?;
        }
        repo.import(stream.as_bytes(), "history")?;
        let listed = repo.git(&["rev-list", "--reverse", "main"])?;
        let ids = listed.lines().filter_map(|line| CommitId::from_hex(line.as_bytes())).collect();
        Ok((repo, ids))
    }

    /// Makes a copy that shares the objects' files; all of it is on disk when this returns.
    ///
    /// It stays until the end: ext4 does not use an inode again for five seconds, and looking for others would be
    /// charged to whoever makes files next.
    pub fn copy(&self, of: &Bare) -> BenchResult<Bare> {
        self.copies.set(self.copies.get() + 1);
        let copy = self.bare(&format!("copy-{}", self.copies.get()));
        link_all(&of.dir, &copy.dir)?;
        wait_for_disk()?;
        Ok(copy)
    }

    /// An empty folder for a repository with files.
    pub fn folder(&self, name: &str) -> Bare {
        self.bare(name)
    }

    /// A folder for what belongs to no repository.
    pub fn place(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Gives a command of postil nothing of this machine but its programs.
    pub fn seal<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let place = self.place();
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command
            .env("HOME", &place)
            .env("POSTIL_RUNTIME_DIR", place.join("run"))
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for (name, value) in [("AUTHOR_NAME", "A U Thor"), ("AUTHOR_EMAIL", "author@example.com")] {
            command
                .env(format!("GIT_{name}"), value)
                .env(format!("GIT_{}", name.replace("AUTHOR", "COMMITTER")), value);
        }
        command
    }

    fn bare(&self, name: &str) -> Bare {
        let dir = self.dir.path().join(name);
        // Asked for again it is the same directory, and git tells if that cannot be.
        let _ = fs::create_dir(&dir);
        Bare { home: self.dir.path().join("home"), dir }
    }
}

/// Where git is.
///
/// Given by its whole path, it is started without a copy of this process, whose size would be charged to it.
fn git() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|dir| dir.join("git"));
    places.find(|place| place.is_file()).unwrap_or_else(|| "git".into())
}

/// Waits until the disk has nothing left to do, so that no measurement pays for what came before.
pub fn wait_for_disk() -> BenchResult<()> {
    let status = Command::new("sync").status()?;
    if status.success() { Ok(()) } else { Err("sync failed".into()) }
}

fn link_all(from: &Path, to: &Path) -> BenchResult<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let is_object = from.extension().is_some_and(|ext| ext == "pack" || ext == "idx" || ext == "rev");
        if entry.file_type()?.is_dir() {
            link_all(&from, &to)?;
        } else if is_object {
            fs::hard_link(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

/// A bare repository.
pub struct Bare {
    pub dir: PathBuf,
    home: PathBuf,
}

impl Bare {
    /// A git that sees this repository and nobody's configuration.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(git());
        command.args(args).current_dir(&self.dir).env_clear().stdin(Stdio::null()).stdout(Stdio::null());
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("HOME", &self.home).env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "A U Thor");
            command.env(format!("GIT_{role}_EMAIL"), "author@example.com");
        }
        command
    }

    /// What git prints.
    pub fn git(&self, args: &[&str]) -> BenchResult<String> {
        let output = self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
        if !output.status.success() {
            return Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
    }

    /// Runs `git fast-import`; `name` is that of the file that the stream is kept in.
    pub fn import(&self, stream: &[u8], name: &str) -> BenchResult<Timing> {
        let path = self.home.join(name);
        fs::write(&path, stream)?;
        wait_for_disk()?;
        timed_child(self.command(&["fast-import", "--quiet"]).stdin(File::open(&path)?))
    }

    pub fn open(&self) -> BenchResult<Store> {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let options =
            StoreOptions { patience: Patience::new(Duration::from_secs(10), std::thread::sleep), threads };
        Ok(Store::new(Repository::open(&self.dir, ConfigScope::Isolated)?, options))
    }

    /// Opens a repository that another process made.
    pub fn at(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), home: dir.to_owned() }
    }

    /// Puts notes there, in one group, and packs all as `git gc` does.
    pub fn fill(&self, notes: Vec<(CommitId, Record)>) -> BenchResult<()> {
        write(&self.open()?, notes)?;
        self.collect_garbage()
    }

    pub fn collect_garbage(&self) -> BenchResult<()> {
        self.git(&["gc", "-q", "--prune=now"]).map(drop)
    }

    pub fn tip(&self, name: &str) -> BenchResult<CommitId> {
        let hex = self.git(&["rev-parse", "--verify", name])?;
        CommitId::from_hex(hex.as_bytes()).ok_or_else(|| format!("git printed {hex}").into())
    }

    /// Moves both refs of the store.
    pub fn reset(&self, to: CommitId) -> BenchResult<()> {
        for name in [NOTES, KNOWN] {
            self.git(&["update-ref", name, &to.to_string()])?;
        }
        Ok(())
    }
}

/// Writes a group of records, each into the note of its commit.
pub fn write(store: &Store, notes: Vec<(CommitId, Record)>) -> BenchResult<()> {
    let mut batch = store.batch();
    for (commit, record) in notes {
        batch = batch.add(Home::On(ObjectId::from(commit)), record);
    }
    batch.write(&by(), "Comment on a change")?;
    Ok(())
}

/// The person of the measurements.
pub fn by() -> Committer {
    Committer::new(&Author { name: "A U Thor".into(), email: "author@example.com".into() }, 1_800_000_000, 0)
}
