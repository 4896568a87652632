//! Repositories with comments in them, and a daemon that serves them.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use postil_core::anchoring::{Pointed, anchor_at};
use postil_core::git::{BlobId, CommitId, ConfigScope, RepoPath, Repository};
use postil_core::notes::{Home, Store, StoreOptions};
use postil_core::record::{Author, Body, CommentRecord, LineSpan, Range, Record, Seq, Timestamp};
use postil_protocol::{
    ByteText, Client, ClientError, FrameError, Hello, MessageId, Outgoing, RepositoryName, RepositoryRequest,
};

use crate::BenchResult;
use crate::laboratory::{Bare, Laboratory, by};

/// Lines of each file.
const LINES: usize = 200;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A repository with files, each of which has comments.
pub struct Commented {
    git: Bare,
    files: usize,
}

impl Commented {
    /// Makes one with so many files and so many comments in all, spread evenly.
    pub fn new(laboratory: &Laboratory, name: &str, files: usize, comments: usize) -> BenchResult<Self> {
        let git = laboratory.folder(name);
        git.git(&["init", "-q", "--initial-branch=main", "."])?;
        let repo = Self { git, files };
        for file in 0..files {
            fs::write(repo.folder().join(file_name(file)), content(file, 0))?;
        }
        repo.git.git(&["add", "--all"])?;
        repo.commit()?;
        repo.comment(comments)?;
        repo.git.git(&["gc", "-q"])?;
        Ok(repo)
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.git.dir
    }

    /// How a client names it.
    pub fn name(&self) -> BenchResult<RepositoryName> {
        let git_dir = fs::canonicalize(self.folder().join(".git"))?;
        Ok(RepositoryName { git_dir: ByteText::new(git_dir.as_os_str().as_bytes()), work_tree: None })
    }

    /// A request about it.
    pub fn about<P>(&self, params: P) -> BenchResult<RepositoryRequest<P>> {
        Ok(RepositoryRequest {
            repository: self.name()?,
            author: None,
            at: None,
            via: None,
            utc_offset: 0,
            buffers: Vec::new(),
            params,
        })
    }

    /// Puts one more line at the top of a file.
    pub fn edit(&self, round: usize) -> BenchResult<()> {
        let file = round % self.files;
        fs::write(self.folder().join(file_name(file)), content(file, round + 1))?;
        Ok(())
    }

    /// Commits all files that changed; returns the commit.
    pub fn commit(&self) -> BenchResult<()> {
        self.git.git(&["commit", "-q", "-a", "-m", "change"]).map(drop)
    }

    /// The commit that is checked out.
    pub fn head(&self) -> BenchResult<String> {
        self.git.git(&["rev-parse", "HEAD"])
    }

    /// A command of git in it.
    pub fn git_command(&self, words: &[&str]) -> Command {
        self.git.command(words)
    }

    /// Comments from this process, beside any daemon.
    pub fn comment_aside(&self, round: usize) -> BenchResult<()> {
        self.comment_from(1_000_000 + round, 1)
    }

    fn comment(&self, count: usize) -> BenchResult<()> {
        self.comment_from(0, count)
    }

    fn comment_from(&self, first: usize, count: usize) -> BenchResult<()> {
        let repository = Repository::open(self.folder(), ConfigScope::Isolated)?;
        let patience = postil_core::git::Patience::new(PATIENCE, std::thread::sleep);
        let store = Store::new(repository, StoreOptions { patience, threads: std::num::NonZeroUsize::MIN });
        let head = CommitId::from_hex(self.head()?.as_bytes()).ok_or("no head")?;
        let listed = self.git.git(&["ls-tree", "--format=%(objectname) %(path)", "HEAD"])?;
        let blobs: HashMap<&str, &str> =
            listed.lines().filter_map(|line| line.split_once(' ').map(|(blob, path)| (path, blob))).collect();
        let mut batch = store.batch();
        for n in first..first + count {
            let file = n % self.files;
            let (name, content) = (file_name(file), content(file, 0));
            let hex = blobs.get(name.as_str()).ok_or("no such file")?;
            let blob = BlobId::from_hex(hex.as_bytes()).ok_or("no blob")?;
            let path = RepoPath::new(name.as_str()).ok_or("no path")?;
            let line = u32::try_from(1 + (n / self.files * 7) % LINES)?;
            let range = LineSpan::from_numbers(line, line).map(Range::lines);
            let pointed =
                Pointed { commit: Some(head), path: &path, blob, content: content.as_bytes(), range };
            let comment = CommentRecord {
                author: Author { name: "A U Thor".into(), email: "author@example.com".into() },
                at: Timestamp(1_800_000_000_000 + n as u64),
                seq: Seq::default(),
                via: None,
                review: None,
                parent: None,
                anchor: Some(anchor_at(&pointed)?.into()),
                text: format!("Remark {n}: is this line what it should be, and who says so?"),
                severity: None,
                tags: Vec::new(),
                suggestion: Vec::new(),
            };
            let record = Record::new(&Body::Comment(comment))?;
            batch = batch.add(Home::Anchor { commit: Some(head), blob }, record).pin(blob, Some(head));
        }
        batch.write(&by(), "Comment on lines")?;
        Ok(())
    }
}

fn file_name(file: usize) -> String {
    format!("file{file}.txt")
}

fn content(file: usize, extra: usize) -> String {
    let new = (0..extra).map(|n| format!("new line {n} of {file}\n"));
    let old = (0..LINES).map(|n| format!("line {n} of file {file}, which says {}\n", n * 31 + file));
    new.chain(old).collect()
}

/// A running daemon, ended when it is dropped.
pub struct Daemon {
    child: Child,
    program: PathBuf,
    place: PathBuf,
}

impl Daemon {
    /// Starts one, with a place of its own.
    pub fn start(laboratory: &Laboratory, program: &Path) -> BenchResult<Self> {
        let place = laboratory.place();
        let child = spawn(program, &place)?;
        let daemon = Self { child, program: program.to_owned(), place };
        daemon.await_socket()?;
        Ok(daemon)
    }

    /// Kills it, and starts another one in its place.
    pub fn restart(&mut self) -> BenchResult<()> {
        self.child.kill()?;
        self.child.wait()?;
        self.child = spawn(&self.program, &self.place)?;
        self.await_socket()
    }

    fn await_socket(&self) -> BenchResult<()> {
        let began = Instant::now();
        while UnixStream::connect(self.socket()).is_err() {
            if began.elapsed() > PATIENCE {
                return Err("the daemon does not listen".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn socket(&self) -> PathBuf {
        self.place.join("run/socket")
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A connection that speaks the protocol.
    pub fn client(&self) -> BenchResult<Client> {
        Ok(connect(&self.socket())?)
    }

    /// The same, to a daemon that somebody else may be about to replace.
    pub fn client_of(daemon: &Mutex<Self>) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
        let socket = daemon.lock().unwrap_or_else(PoisonError::into_inner).socket();
        Ok(connect(&socket)?)
    }

    /// A connection that sends and receives lines, and reads nothing into them.
    pub fn wire(&self) -> BenchResult<Wire> {
        let stream = UnixStream::connect(self.socket())?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut wire = Wire { from: BufReader::with_capacity(1 << 20, stream.try_clone()?), to: stream };
        let hello = Hello::new("postil-bench", "");
        wire.ask(&(serde_json::to_string(&Outgoing::new(&MessageId::Number(0), "hello", &hello))? + "\n"))?;
        Ok(wire)
    }
}

fn spawn(program: &Path, place: &Path) -> BenchResult<Child> {
    let mut command = Command::new(program);
    command.args(["daemon", "run"]).current_dir("/").env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("HOME", place).env("POSTIL_RUNTIME_DIR", place.join("run"));
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.spawn()?)
}

fn connect(socket: &Path) -> Result<Client, ClientError> {
    let stream = UnixStream::connect(socket).map_err(FrameError::from)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(FrameError::from)?;
    Ok(Client::connect(stream, &Hello::new("postil-bench", ""))?.0)
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection below the protocol.
pub struct Wire {
    from: BufReader<UnixStream>,
    to: UnixStream,
}

impl Wire {
    /// Sends a line, and waits for the one that answers; returns its length.
    pub fn ask(&mut self, line: &str) -> BenchResult<usize> {
        self.to.write_all(line.as_bytes())?;
        let mut length = 0;
        loop {
            let part = self.from.fill_buf()?;
            if part.is_empty() {
                return Err("the daemon ended the connection".into());
            }
            let (used, whole) = match part.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (part.len(), false),
            };
            length += used;
            self.from.consume(used);
            if whole {
                return Ok(length);
            }
        }
    }
}
