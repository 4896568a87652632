//! A throw-away repository, filled by `git fast-import`, and comments on its files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use postil_core::anchoring::{Head, Pointed, anchor_at};
use postil_core::git::{BlobId, CommitId, RepoPath};
use postil_core::record::{Anchor, LineSpan, Range};

use crate::BenchResult;
use crate::clock::{Timing, timed_child};

/// A bare repository.
pub struct BareRepository {
    pub dir: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

/// The files that a commit writes; the others stay as they were.
pub type WrittenFiles = BTreeMap<String, String>;

impl BareRepository {
    /// Makes a repository with one commit after the other.
    pub fn new(commits: &[WrittenFiles]) -> BenchResult<Self> {
        let folder = tempfile::tempdir()?;
        let stage = Self { dir: folder.path().to_owned(), _folder: Some(folder) };
        stage.git(&["init", "-q", "--bare", "--initial-branch=main", "."])?;
        stage.commit("main", None, commits)?;
        stage.git(&["repack", "-q", "-a", "-d"])?;
        Ok(stage)
    }

    /// Makes a branch with one commit after the other, on top of another one.
    pub fn commit(&self, branch: &str, from: Option<CommitId>, commits: &[WrittenFiles]) -> BenchResult<()> {
        let mut stream = String::new();
        for (count, files) in commits.iter().enumerate() {
            writeln!(stream, "commit refs/heads/{branch}\nmark :{}", count + 1)?;
            writeln!(stream, "committer A U Thor <author@example.com> {} +0000", 1_600_000_000 + count)?;
            writeln!(stream, "data 1\nc")?;
            if let Some(from) = from.filter(|_| count == 0) {
                writeln!(stream, "from {from}")?;
            }
            for (path, text) in files {
                writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len())?;
            }
        }
        let mut import = self.command(&["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn()?;
        import.stdin.take().ok_or("no standard input")?.write_all(stream.as_bytes())?;
        if !import.wait()?.success() {
            return Err("git fast-import failed".into());
        }
        Ok(())
    }

    /// A repository that is already there; it is only read.
    pub fn at(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), _folder: None }
    }

    /// The commits of the history, the oldest first.
    pub fn commits(&self) -> BenchResult<Vec<CommitId>> {
        self.commits_of("main")
    }

    /// The commits of a branch, the oldest first.
    pub fn commits_of(&self, branch: &str) -> BenchResult<Vec<CommitId>> {
        let listed = self.git(&["rev-list", "--reverse", branch])?;
        Ok(listed.lines().filter_map(|line| CommitId::from_hex(line.as_bytes())).collect())
    }

    pub fn open(&self) -> BenchResult<gix::Repository> {
        Ok(gix::open_opts(&self.dir, gix::open::Options::isolated())?)
    }

    pub fn head(&self, commit: CommitId) -> BenchResult<Head> {
        let tree = self.open()?.find_commit(commit.raw())?.tree_id()?.detach().into();
        Ok(Head { tree, commit: Some(commit) })
    }

    /// How long git takes to compare two commits.
    pub fn timed_diff(&self, options: &[&str], from: CommitId, to: CommitId) -> BenchResult<Timing> {
        let (from, to) = (from.to_string(), to.to_string());
        let mut arguments = vec!["diff"];
        arguments.extend_from_slice(options);
        arguments.extend([from.as_str(), to.as_str()]);
        timed_child(self.command(&arguments).stdout(Stdio::null()))
    }

    pub fn git(&self, arguments: &[&str]) -> BenchResult<String> {
        let output = self.command(arguments).output()?;
        if !output.status.success() {
            return Err(format!("git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.dir).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }
}

/// A comment on some lines of a text.
pub fn anchor(
    commit: CommitId,
    path: &str,
    content: &[u8],
    blob: BlobId,
    lines: (u32, u32),
) -> BenchResult<Anchor> {
    let path = RepoPath::new(path).ok_or("no path")?;
    let range = LineSpan::from_numbers(lines.0, lines.1).map(Range::lines);
    Ok(anchor_at(&Pointed { commit: Some(commit), path: &path, blob, content, range })?)
}

/// The name that git has for some content.
pub fn blob(content: &[u8]) -> BenchResult<BlobId> {
    Ok(gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, content)?.into())
}
