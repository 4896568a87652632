//! People with keys, and a repository whose settings say whom to believe.

use std::ffi::OsStr;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use postil_core::git::{self, Repository};
use postil_core::record::{RecordId, SignatureFormat, Timestamp};
use postil_service::trust::{Checker, Claim, Finding, Settings};
use postil_testkit::Sandbox;

/// When every record was made: 2023-11-14.
pub const AT: Timestamp = Timestamp(1_700_000_000_000);

/// A repository, and a folder beside it for keys and lists.
pub struct Place {
    sandbox: Sandbox,
}

impl Place {
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.init("repo", &[]);
        Self { sandbox }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.sandbox.path().join(name)
    }

    pub fn configure(&self, name: &str, value: impl AsRef<OsStr>) {
        run(self.sandbox.at("repo").command(&["config", name]).arg(value));
    }

    /// Makes an ssh key; returns its public half, without the comment.
    pub fn ssh_key(&self, name: &str) -> String {
        let file = self.path(name);
        run(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&file));
        let public = fs::read_to_string(file.with_extension("pub")).unwrap();
        public.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }

    /// The signature of `hash` with a key that was made before.
    pub fn ssh_signature(&self, key: &str, namespace: &str, hash: &[u8]) -> Vec<u8> {
        let file = self.path("to-sign");
        fs::write(&file, hash).unwrap();
        let made = self.path("to-sign.sig");
        let _ = fs::remove_file(&made);
        let mut command = Command::new("ssh-keygen");
        command.args(["-q", "-Y", "sign", "-n", namespace, "-f"]).arg(self.path(key)).arg(&file);
        run(&mut command);
        fs::read(made).unwrap()
    }

    /// Makes a file of allowed signers that counts.
    pub fn allow(&self, lines: &[String]) {
        fs::write(self.path("allowed"), lines.join("\n") + "\n").unwrap();
        self.configure("gpg.ssh.allowedSignersFile", self.path("allowed"));
    }

    pub fn settings(&self) -> Settings {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now = Timestamp(u64::try_from(now.as_millis()).unwrap());
        Settings::of(&Repository::open(&self.path("repo"), git::ConfigScope::Isolated).unwrap(), now)
    }

    pub fn checker(&self) -> Checker {
        Checker::new(&self.path("repo/.git"), NonZeroUsize::new(2).unwrap())
    }

    /// What is found out about one signature.
    pub fn judge(&self, claim: &Claim) -> Finding {
        let mut found = self.checker().check(std::slice::from_ref(claim), &self.settings());
        found.pop().unwrap()
    }
}

/// A claim that `author` made a record with this hash.
pub fn claim(author: &str, hash: [u8; 32], signature: Vec<u8>) -> Claim {
    let of = RecordId::from_bytes(&hash[..16]).unwrap();
    let format = if signature.starts_with(b"-----BEGIN PGP") {
        SignatureFormat::OpenPgp
    } else {
        SignatureFormat::Ssh
    };
    Claim { of, hash, author: author.to_owned(), at: AT, format, signature }
}

/// Whether a program can be started here.
pub fn is_here(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[track_caller]
pub fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A program that counts how often it is started, and then is another one.
pub fn counting(place: &Place, program: &str) -> (PathBuf, PathBuf) {
    let (script, count) = (place.path("counting"), place.path("count"));
    write_script(&script, &format!("echo x >> '{}'\nexec {program} \"$@\"\n", count.display()));
    (script, count)
}

pub fn write_script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::write(path, format!("#!/bin/sh\n{text}")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
