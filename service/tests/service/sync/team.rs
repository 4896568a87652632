//! People with a clone each, and a remote between them.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Child;
use std::time::Duration;

use postil_core::sync::{ExchangeDirection, Exchanged, FilesToSend, Remote, SyncError, exchange};
use postil_service::sharing::{GitTransport, Interaction};
use postil_testkit::{Checkout, Sandbox, by_alice};

/// Long enough for a busy machine, and finite.
pub const LIMIT: Duration = Duration::from_mins(1);

/// A server that ends with the test.
pub struct Server(pub Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub struct Team {
    pub sandbox: Sandbox,
}

impl Team {
    /// A remote with one commit, and a clone of it for each of these.
    pub fn of(names: &[&str]) -> Self {
        let team = Self { sandbox: Sandbox::new() };
        let seed = team.sandbox.repo("seed");
        seed.commit("file.txt", "one\ntwo\n");
        team.sandbox.git(&["clone", "-q", "--bare", "seed", "remote.git"]);
        for name in names {
            team.add(name, &["remote.git"]);
        }
        team
    }

    /// One more clone.
    pub fn add(&self, name: &str, args: &[&str]) {
        let mut command = vec!["clone", "-q"];
        command.extend(args);
        command.push(name);
        self.sandbox.git(&command);
    }

    pub fn remote(&self) -> Checkout<'_> {
        self.sandbox.at("remote.git")
    }

    pub fn clone_of(&self, name: &str) -> Checkout<'_> {
        self.sandbox.at(name)
    }

    pub fn sync(&self, name: &str) -> Result<Exchanged, SyncError> {
        self.sync_as(name, ExchangeDirection::Both)
    }

    pub fn sync_as(&self, name: &str, direction: ExchangeDirection) -> Result<Exchanged, SyncError> {
        self.sync_with(name, "origin", direction, LIMIT)
    }

    pub fn sync_with(
        &self,
        name: &str,
        remote: &str,
        direction: ExchangeDirection,
        limit: Duration,
    ) -> Result<Exchanged, SyncError> {
        self.sync_files_with(name, remote, direction, FilesToSend::SentByGit, limit)
    }

    pub fn sync_files_with(
        &self,
        name: &str,
        remote: &str,
        direction: ExchangeDirection,
        files: FilesToSend,
        limit: Duration,
    ) -> Result<Exchanged, SyncError> {
        let store = self.clone_of(name).store();
        let mut transport = GitTransport::new(store.repository(), Interaction::Unattended { limit });
        exchange(&store, &mut transport, &Remote::named(remote).unwrap(), direction, files, &by_alice())
    }

    /// The tree of somebody's notes.
    pub fn notes_tree(&self, name: &str) -> String {
        self.clone_of(name).git(&["rev-parse", "refs/notes/reviews^{tree}"])
    }

    /// A hook that runs these lines of shell.
    pub fn hook(&self, name: &str, path: &str, script: &str) {
        let path = self.clone_of(name).dir.join(path);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}
