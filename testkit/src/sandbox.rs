//! Sealed git repositories for tests: their own home, no system or user configuration, a fixed author and clock.
//!
//! Only what stock git does is here; each test says itself what postil does.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use postil_core::git::{ConfigScope, LogEntry, Patience, Repository};

/// A directory for one test, with repositories in it, that is gone afterwards.
pub struct Sandbox {
    root: tempfile::TempDir,
}

impl Sandbox {
    /// One on the disk.
    pub fn new() -> Self {
        Self::of(tempfile::tempdir().expect("a temporary directory can be made"))
    }

    /// One in memory, where there is such a place: nothing is waited for there.
    ///
    /// For tests that write often and little, and do not ask what survives a power loss.
    pub fn in_memory() -> Self {
        tempfile::tempdir_in("/dev/shm").map_or_else(|_| Self::new(), Self::of)
    }

    fn of(root: tempfile::TempDir) -> Self {
        let sandbox = Self { root };
        std::fs::create_dir(sandbox.home()).expect("the sandbox is empty");
        std::fs::write(sandbox.settings(), "").expect("the sandbox is empty");
        sandbox
    }

    /// The top of it, in which the repositories are.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// The home of everybody in it.
    pub fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// What git is told for all repositories of the sandbox.
    ///
    /// A file of its own: `git config --global` replaces the file that it changes, and done by root to `/dev/null` it
    /// would take that away from the whole machine.
    pub fn settings(&self) -> PathBuf {
        self.home().join(".gitconfig")
    }

    /// A command that sees nothing of the machine but its programs.
    pub fn sealed(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").expect("git is found on the PATH"))
            .env("LC_ALL", "C")
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", self.settings())
            .env("GIT_CEILING_DIRECTORIES", self.path())
            .env("GIT_TERMINAL_PROMPT", "0");
        command
    }

    /// Runs git at the top of the sandbox, as for `clone`.
    pub fn git(&self, args: &[&str]) -> String {
        self.at("").git(args)
    }

    /// A new repository with one commit of `file` on `main`.
    pub fn repo(&self, name: &str) -> Checkout<'_> {
        let repo = self.init(name, &[]);
        repo.commit("file", "content\n");
        repo
    }

    /// A new repository without commits.
    pub fn init(&self, name: &str, args: &[&str]) -> Checkout<'_> {
        let mut all = vec!["init", "-q", "-b", "main"];
        all.extend_from_slice(args);
        all.push(name);
        self.git(&all);
        self.at(name)
    }

    /// A copy of a directory of the sandbox, as it is.
    pub fn copy(&self, from: &str, to: &str) -> Checkout<'_> {
        let copied =
            Command::new("cp").arg("-a").args([self.path().join(from), self.path().join(to)]).status();
        assert!(copied.expect("cp can be started").success(), "{from} can be copied");
        self.at(to)
    }

    /// A copy of a checkout in the same directory, as it is.
    pub fn copy_beside(&self, from: &Checkout<'_>, name: &str) -> Checkout<'_> {
        let from = from.dir.strip_prefix(self.path()).expect("it is in the sandbox");
        let to = from.with_file_name(name);
        self.copy(from.to_str().expect("its name is plain"), to.to_str().expect("its name is plain"))
    }

    /// A directory of the sandbox.
    pub fn at(&self, name: &str) -> Checkout<'_> {
        Checkout { sandbox: self, dir: self.path().join(name) }
    }
}

/// A directory in a sandbox in which git is run.
pub struct Checkout<'s> {
    sandbox: &'s Sandbox,
    /// Where it is.
    pub dir: PathBuf,
}

impl Checkout<'_> {
    /// Runs git, which must succeed, and returns what it printed, without the last newline.
    pub fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?} failed: {stderr}");
        let stdout = String::from_utf8(output.stdout).expect("git printed text");
        stdout.strip_suffix('\n').unwrap_or(&stdout).to_owned()
    }

    /// Forgets the second names of the objects that postil wrote last: what is removed next is lost.
    pub fn forget_kept(&self) {
        let kept = self.dir.join(".git/postil/kept");
        if kept.is_dir() {
            std::fs::remove_dir_all(kept).expect("a folder can be removed");
        }
    }

    /// Runs git, which may fail.
    pub fn try_git(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("git can be started")
    }

    /// Runs git with `input`, and returns what it printed.
    pub fn git_with(&self, args: &[&str], input: &[u8]) -> Vec<u8> {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("git can be started");
        child.stdin.take().expect("it was piped").write_all(input).expect("git reads its input");
        let output = child.wait_with_output().expect("git ends");
        assert!(output.status.success(), "git {args:?} failed");
        output.stdout
    }

    /// Git in this directory, which sees nothing of the machine's configuration.
    pub fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = self.sandbox.sealed("git");
        command
            .args(args)
            .current_dir(&self.dir)
            .env("GIT_AUTHOR_NAME", "A U Thor")
            .env("GIT_AUTHOR_EMAIL", "author@example.com")
            .env("GIT_AUTHOR_DATE", "1700000000 +0100")
            .env("GIT_COMMITTER_NAME", "C O Mitter")
            .env("GIT_COMMITTER_EMAIL", "committer@example.com")
            .env("GIT_COMMITTER_DATE", "1700000000 +0100");
        command
    }

    /// Commits `content` as `file`, and returns the commit.
    pub fn commit(&self, file: &str, content: &str) -> String {
        self.write(file, content);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", &format!("change {file}")]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Makes a commit of exactly these files, each a mode, a path and its content, as the tip of `refname`.
    ///
    /// A gitlink has the id of its commit for its content. Parents are what the ref was.
    pub fn import(&self, refname: &str, files: &[(&str, &[u8], &[u8])]) {
        let parent = self.try_git(&["rev-parse", "-q", "--verify", refname]);
        let from = if parent.status.success() {
            format!("from {}deleteall\n", String::from_utf8_lossy(&parent.stdout))
        } else {
            String::new()
        };
        let committer = "committer Importer <importer@example.com> 1700000000 +0100";
        let mut stream = format!("commit {refname}\n{committer}\ndata 7\nimport\n{from}").into_bytes();
        for (mode, path, content) in files {
            let path = quoted(path);
            if *mode == "160000" {
                let commit = std::str::from_utf8(content).expect("a commit id is text");
                stream.extend(format!("M {mode} {commit} {path}\n").bytes());
            } else {
                stream.extend(format!("M {mode} inline {path}\ndata {}\n", content.len()).bytes());
                stream.extend_from_slice(content);
                stream.push(b'\n');
            }
        }
        // Loose objects, so that a test can take one away.
        self.git_with(&["-c", "fastimport.unpackLimit=10000", "fast-import", "--quiet", "--force"], &stream);
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.dir.join(file);
        std::fs::create_dir_all(path.parent().expect("it is in the checkout"))
            .expect("directories can be made");
        std::fs::write(path, content).expect("files can be written");
    }

    /// Opens the repository with postil.
    pub fn open(&self) -> Repository {
        Repository::open(&self.dir, ConfigScope::Isolated).expect("the repository opens")
    }
}

/// A path as `git fast-import` reads it, whatever its bytes are.
fn quoted(path: &[u8]) -> String {
    let escaped = path.iter().fold(String::new(), |escaped, byte| format!("{escaped}\\{byte:03o}"));
    format!("\"{escaped}\"")
}

/// Enough for anything that ends at all.
pub fn patient() -> Patience {
    Patience::new(Duration::from_secs(20), std::thread::sleep)
}

/// One attempt, without waiting.
pub fn impatient() -> Patience {
    Patience::new(Duration::ZERO, std::thread::sleep)
}

/// The committer that git has in the sandbox.
pub fn log(message: &str) -> LogEntry<'_> {
    LogEntry { committer: committer(), message }
}

/// As [`log`].
pub fn committer() -> gix::actor::SignatureRef<'static> {
    gix::actor::SignatureRef {
        name: "C O Mitter".into(),
        email: "committer@example.com".into(),
        time: "1700000000 +0100",
    }
}
