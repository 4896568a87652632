//! People with a repository each in a sandbox, with the folders that the binaries need: for sockets, for temporary files.
//!
//! Nothing of the machine's configuration reaches a command that runs in it, and git speaks no network protocol.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use postil_testkit::{Sandbox, wait_until};

/// When every commit is made.
const WHEN: &str = "2026-01-05T09:00:00Z";

/// A home, a folder for temporary files and a runtime directory, gone when it is dropped.
pub struct World {
    sandbox: Sandbox,
}

/// A repository of one person in a world.
pub struct Checkout<'world> {
    /// Where it is.
    pub folder: PathBuf,
    world: &'world World,
    person: &'static str,
}

impl World {
    /// Makes an empty world.
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        for folder in ["run", "tmp", "people"] {
            fs::create_dir(sandbox.path().join(folder)).expect("a sandbox is empty");
        }
        Self { sandbox }
    }

    /// The folder that commands in this world take for temporary files.
    pub fn tmp(&self) -> PathBuf {
        self.sandbox.path().join("tmp")
    }

    /// The folder for sockets.
    pub fn runtime(&self) -> PathBuf {
        self.sandbox.path().join("run")
    }

    /// The home of whoever runs commands in this world.
    pub fn home(&self) -> PathBuf {
        self.sandbox.home()
    }

    /// The folder above everybody's repositories.
    pub fn people(&self) -> PathBuf {
        self.sandbox.path().join("people")
    }

    /// Makes a repository for `person`.
    pub fn repository(&self, person: &'static str) -> Checkout<'_> {
        let checkout = self.folder_of(person);
        fs::create_dir(&checkout.folder).expect("one repository for each person");
        checkout.git("init --quiet --initial-branch=main");
        checkout
    }

    /// Clones the repository of somebody for `person`.
    pub fn clone_of(&self, origin: &Checkout<'_>, person: &'static str) -> Checkout<'_> {
        let checkout = self.folder_of(person);
        origin.git_args(&["clone".as_ref(), "--quiet".as_ref(), ".".as_ref(), checkout.folder.as_os_str()]);
        checkout
    }

    /// A command that sees this world alone; it has nobody's name yet.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.sandbox.sealed(program);
        command
            .current_dir(self.people())
            .stdin(Stdio::null())
            .env("XDG_RUNTIME_DIR", self.runtime())
            .env("TMPDIR", self.tmp())
            .env("GIT_ALLOW_PROTOCOL", "file");
        command
    }

    /// The folder of `person`, who makes or clones a repository there.
    pub fn folder_of(&self, person: &'static str) -> Checkout<'_> {
        Checkout { folder: self.people().join(person), world: self, person }
    }
}

impl Checkout<'_> {
    /// Removes the repository with all its files; a daemon may write one more while they are being removed.
    pub fn remove(&self) {
        wait_until("the repository is removed", || {
            _ = fs::remove_dir_all(&self.folder);
            !self.folder.exists()
        });
    }

    /// A command of this person, in this repository.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.world.command(program);
        command.current_dir(&self.folder);
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), self.person)
                .env(format!("GIT_{role}_EMAIL"), format!("{}@example.com", self.person))
                .env(format!("GIT_{role}_DATE"), WHEN);
        }
        command
    }

    /// Whose repository it is.
    pub fn person(&self) -> &'static str {
        self.person
    }

    /// Runs git, which must succeed; returns what it prints, without the last newline.
    pub fn git(&self, line: &str) -> String {
        let words = words(line);
        self.git_args(&words.iter().map(AsRef::as_ref).collect::<Vec<&OsStr>>())
    }

    /// Runs git, whatever comes of it.
    pub fn try_git(&self, line: &str) -> Output {
        self.command("git").args(words(line)).output().expect("git can be started")
    }

    /// Takes in commits in the words of `git fast-import`.
    pub fn fast_import(&self, words: &str) {
        let mut command = self.command("git");
        command.args(["fast-import", "--quiet"]).stdin(Stdio::piped());
        let mut import = command.spawn().expect("git can be started");
        let mut stdin = import.stdin.take().expect("standard input was asked for");
        std::io::Write::write_all(&mut stdin, words.as_bytes()).expect("git reads");
        drop(stdin);
        assert!(import.wait().expect("a child can be waited for").success(), "git fast-import failed");
    }

    /// Forgets the second names of the objects that postil wrote last: what is removed next is lost.
    pub fn forget_kept(&self) {
        let kept = self.folder.join(".git/postil/kept");
        if kept.is_dir() {
            fs::remove_dir_all(kept).expect("a folder can be removed");
        }
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.folder.join(path);
        fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(file, content).expect("a file can be written");
    }

    /// Commits everything there is; returns the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git("add --all");
        self.git_args(&["commit", "--quiet", "--allow-empty", "-m", message].map(AsRef::as_ref));
        self.git("rev-parse HEAD")
    }

    fn git_args(&self, args: &[&OsStr]) -> String {
        let output = self.command("git").args(args).output().expect("git can be started");
        assert!(output.status.success(), "git {args:?} failed: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
    }
}

/// Splits a line as a shell would that knows blanks and single quotes.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    assert!(!quoted, "a quote is not closed: {line}");
    words.extend(word);
    words
}

#[test]
fn words_are_split_as_in_a_shell() {
    assert_eq!(words("a  b 'c d' e'f g' ''"), ["a", "b", "c d", "ef g", ""]);
}
