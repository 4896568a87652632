//! A repository with one commit, and folders for a daemon: all that a session needs.

use std::path::PathBuf;

use postil_client::{ClientProgram, DaemonProgram, DeclaredVia, RepositoryArgs, Session};
use postil_protocol::{Comment, Place};
use postil_socket::RuntimeDirs;
use postil_testkit::Sandbox;

/// A repository of a test.
pub struct SmallWorld {
    sandbox: Sandbox,
}

impl SmallWorld {
    /// Makes one whose person is known and does not sign.
    pub fn new() -> Self {
        let world = Self { sandbox: Sandbox::new() };
        world.sandbox.init("repository", &[]);
        for (name, value) in
            [("user.name", "Ann"), ("user.email", "ann@example.com"), ("postil.sign", "false")]
        {
            world.git(&["config", name, value]);
        }
        world.sandbox.at("repository").commit("a.txt", "one\ntwo\n");
        world
    }

    /// Where the repository is.
    pub fn folder(&self) -> PathBuf {
        self.sandbox.path().join("repository")
    }

    /// Where its daemon is.
    pub fn dirs(&self) -> RuntimeDirs {
        RuntimeDirs::at(self.sandbox.path().join("run"), self.sandbox.path().join("state"))
    }

    /// A program that uses a daemon if one runs.
    pub fn program(&self) -> ClientProgram {
        // Whoever runs the tests, people act in them.
        ClientProgram::new("test", DaemonProgram::None).at(self.dirs()).acting_via(DeclaredVia::Person)
    }

    /// Where to look for the repository.
    pub fn args(&self) -> RepositoryArgs {
        RepositoryArgs { directory: self.folder(), ..RepositoryArgs::default() }
    }

    /// A session that shows nothing.
    pub fn session(&self) -> Session {
        Session::open(&self.args(), self.program(), Box::new(())).expect("the repository is there")
    }

    /// Runs git in the repository.
    pub fn git(&self, words: &[&str]) {
        self.sandbox.at("repository").git(words);
    }
}

/// A comment on the first line.
pub fn comment(text: &str) -> Comment {
    let place = Place { span: Some(postil_protocol::Span::lines(1, 1)), ..Place::file("a.txt") };
    Comment {
        message: None,
        place: Some(place),
        text: text.to_owned(),
        severity: None,
        tags: Vec::new(),
        review: None,
        suggestion: None,
        draft: false,
    }
}
