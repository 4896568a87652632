//! What git's configuration says about signatures: which programs know keys, and whose keys are trusted.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use postil_core::git::Repository;
use postil_core::record::Timestamp;

/// A longer list of signers is compared by its size and time alone.
const MAX_LIST_BYTES: u64 = 4 << 20;

/// The programs and lists that signatures are judged by.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `gpg.ssh.program`, else `ssh-keygen`.
    pub ssh: OsString,
    /// `gpg.openpgp.program`, `gpg.program`, else `gpg`.
    pub openpgp: OsString,
    /// `gpg.ssh.allowedSignersFile`.
    pub allowed: Option<PathBuf>,
    /// `gpg.ssh.revocationFile`.
    pub revoked: Option<PathBuf>,
    /// `gpg.minTrustLevel`, else fully.
    pub least_trust: Trust,
    /// Where programs run: relative names of files begin there.
    pub folder: PathBuf,
    /// When signatures are judged: what is known of a keyring holds for a day.
    pub now: Timestamp,
}

/// How much a key of a keyring is trusted, as gpg has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// Not set.
    Undefined,
    /// Not at all.
    Never,
    /// A little.
    Marginal,
    /// Well.
    Fully,
    /// As one's own.
    Ultimate,
}

impl Settings {
    /// Reads the configuration as it is in `repo`.
    pub fn of(repo: &Repository, now: Timestamp) -> Self {
        let handle = repo.handle();
        let config = handle.config_snapshot();
        let program = |names: &[&str], usual: &str| {
            let said = names.iter().find_map(|name| config.string(*name));
            said.map_or_else(|| usual.into(), |said| expand(&said.to_string()).into_os_string())
        };
        let folder = repo.work_tree().unwrap_or(repo.git_dir()).to_owned();
        let list = |name: &str| config.string(name).map(|said| folder.join(expand(&said.to_string())));
        Self {
            ssh: program(&["gpg.ssh.program"], "ssh-keygen"),
            openpgp: program(&["gpg.openpgp.program", "gpg.program"], "gpg"),
            allowed: list("gpg.ssh.allowedSignersFile"),
            revoked: list("gpg.ssh.revocationFile"),
            least_trust: config
                .string("gpg.minTrustLevel")
                .and_then(|word| Trust::of(&word.to_string()))
                .unwrap_or(Trust::Fully),
            folder,
            now,
        }
    }

    /// Identifies everything but the signature itself that an ssh check depends on.
    pub(super) fn ssh_basis(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.ssh.as_encoded_bytes());
        for list in [&self.allowed, &self.revoked] {
            hasher.update(&list.as_deref().map_or([0; 32], content));
        }
        hasher.finalize().into()
    }

    /// The same for openpgp; a keyring is compared by its size and time, and looked at again each day.
    pub(super) fn openpgp_basis(&self) -> [u8; 32] {
        let day = self.now.0 / (24 * 60 * 60 * 1000);
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.openpgp.as_encoded_bytes());
        hasher.update(&[self.least_trust as u8]).update(&day.to_be_bytes());
        let home = env::var_os("GNUPGHOME").map_or_else(|| expand("~/.gnupg"), PathBuf::from);
        for name in ["pubring.kbx", "pubring.gpg", "trustdb.gpg", "public-keys.d/pubring.db", "gpg.conf"] {
            hasher.update(&stamp(&home.join(name)));
        }
        hasher.finalize().into()
    }
}

impl Trust {
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "undefined" => Self::Undefined,
            "never" => Self::Never,
            "marginal" => Self::Marginal,
            "fully" => Self::Fully,
            "ultimate" => Self::Ultimate,
            _ => return None,
        })
    }
}

/// A path as git reads it from a setting: `~/` is the home of this user.
pub fn expand(said: &str) -> PathBuf {
    match (said.strip_prefix("~/"), env::var_os("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => PathBuf::from(said),
    }
}

fn content(path: &Path) -> [u8; 32] {
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(MAX_LIST_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Ok(length) if length as u64 <= MAX_LIST_BYTES => blake3::hash(&bytes).into(),
        _ => blake3::hash(&stamp(path)).into(),
    }
}

fn stamp(path: &Path) -> [u8; 24] {
    let mut stamp = [0; 24];
    if let Ok(found) = fs::metadata(path) {
        stamp[..8].copy_from_slice(&found.len().to_be_bytes());
        stamp[8..16].copy_from_slice(&found.mtime().to_be_bytes());
        stamp[16..].copy_from_slice(&found.mtime_nsec().to_be_bytes());
    }
    stamp
}
