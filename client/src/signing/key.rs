//! Which key a person signs with, as git finds it.

use std::path::{Path, PathBuf};
use std::process::Command;

use postil_core::git::Repository;
use postil_service::NotSigned;
use postil_service::process::child::{self, ChildLimit};
use postil_service::trust::expand;

/// A key for `ssh-keygen -Y sign`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SshKey {
    /// A file: of the key itself, or of its public half, for which an agent has the other.
    File(PathBuf),
    /// The public half in words; an agent has the other.
    Literal(String),
}

impl SshKey {
    /// `user.signingKey`, else what `gpg.ssh.defaultKeyCommand` says.
    pub fn find(repo: &Repository, folder: &Path) -> Result<Self, NotSigned> {
        let handle = repo.handle();
        let config = handle.config_snapshot();
        let said =
            |name: &str| config.string(name).map(|said| said.to_string()).filter(|said| !said.is_empty());
        if let Some(key) = said("user.signingKey") {
            return Ok(Self::read(&key));
        }
        let Some(command) = said("gpg.ssh.defaultKeyCommand") else {
            return Err(NotSigned("user.signingKey is not set".to_owned()));
        };
        let failed = |why: &str| NotSigned(format!("gpg.ssh.defaultKeyCommand {why}"));
        let ended =
            child::run(Command::new("sh").args(["-c", &command]).current_dir(folder), ChildLimit::Any)
                .map_err(|_| failed("could not be started"))?;
        let first = ended.stdout.lines().next().unwrap_or_default().trim();
        match Self::read(first) {
            key @ Self::Literal(_) if ended.status.success() => Ok(key),
            _ => Err(failed("printed no key")),
        }
    }

    fn read(said: &str) -> Self {
        match said.strip_prefix("key::") {
            Some(key) => Self::Literal(key.to_owned()),
            None if said.starts_with("ssh-") => Self::Literal(said.to_owned()),
            None => Self::File(expand(said)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_file_unless_it_says_that_it_is_a_key() {
        let literal = |key: &str| SshKey::Literal(key.to_owned());
        assert_eq!(SshKey::read("key::ecdsa-sha2 AAAA"), literal("ecdsa-sha2 AAAA"));
        assert_eq!(SshKey::read("ssh-ed25519 AAAA ann"), literal("ssh-ed25519 AAAA ann"));
        assert_eq!(SshKey::read("/keys/id.pub"), SshKey::File(PathBuf::from("/keys/id.pub")));
    }
}
