//! A repository with one commit, and folders for a daemon: all that a session needs.

use std::path::PathBuf;
use std::process::Command;

use postil_client::{ClientProgram, DaemonProgram, RepositoryArgs, Session};
use postil_protocol::{Comment, Place};
use postil_socket::RuntimeDirs;

/// A repository of a test.
pub struct SmallWorld {
    root: tempfile::TempDir,
}

impl SmallWorld {
    /// Makes one whose person is known and does not sign.
    pub fn new() -> Self {
        let world = Self { root: tempfile::tempdir().expect("a temporary folder can be made") };
        std::fs::create_dir(world.folder()).expect("the folder is empty");
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        for (name, value) in
            [("user.name", "Ann"), ("user.email", "ann@example.com"), ("postil.sign", "false")]
        {
            world.git(&["config", name, value]);
        }
        std::fs::write(world.folder().join("a.txt"), "one\ntwo\n").expect("a file can be written");
        world.git(&["add", "a.txt"]);
        world.git(&["-c", "commit.gpgSign=false", "commit", "--quiet", "-m", "first"]);
        world
    }

    /// Where the repository is.
    pub fn folder(&self) -> PathBuf {
        self.root.path().join("repository")
    }

    /// Where its daemon is.
    pub fn dirs(&self) -> RuntimeDirs {
        RuntimeDirs::at(self.root.path().join("run"), self.root.path().join("state"))
    }

    /// A program that uses a daemon if one runs.
    pub fn program(&self) -> ClientProgram {
        ClientProgram::new("test", DaemonProgram::None).at(self.dirs())
    }

    /// Where to look for the repository.
    pub fn args(&self) -> RepositoryArgs {
        RepositoryArgs { directory: self.folder(), ..RepositoryArgs::default() }
    }

    /// A session that shows nothing.
    #[allow(dead_code, reason = "the asynchronous tests have sessions of their own")]
    pub fn session(&self) -> Session {
        Session::open(&self.args(), self.program(), Box::new(())).expect("the repository is there")
    }

    /// Runs git in the repository.
    pub fn git(&self, words: &[&str]) {
        let status = Command::new("git").current_dir(self.folder()).args(words).status();
        assert!(status.expect("git can be started").success(), "git {words:?}");
    }
}

/// A comment on the first line.
pub fn comment(text: &str) -> Comment {
    let place = Place { span: Some(postil_protocol::Span::lines(1, 1)), ..Place::file("a.txt") };
    Comment {
        place: Some(place),
        text: text.to_owned(),
        severity: None,
        tags: Vec::new(),
        review: None,
        suggestion: None,
        draft: false,
    }
}
