//! Git's own settings, as who signs.

use postil_core::git::Repository;
use postil_core::record::{SignatureFormat, Timestamp};
use postil_protocol::Person;
use postil_service::trust::Settings;
use postil_service::{NotSigned, Signed, Signer};

use super::{openpgp, ssh};
use crate::identity::now;

/// Signs as git signs the commits of a person.
#[derive(Debug)]
pub struct GitSigner {
    repo: Repository,
    person: Option<Person>,
}

impl GitSigner {
    /// The signer of this person, if they sign: `postil.sign`, else `commit.gpgSign`.
    pub fn wanted(
        repo: &Repository,
        config: &gix::config::Snapshot<'_>,
        person: Option<&Person>,
    ) -> Option<Self> {
        let says = |name: &str| config.boolean(name);
        if !says("postil.sign").or_else(|| says("commit.gpgSign")).unwrap_or(false) {
            return None;
        }
        // One that cannot be opened again cannot be written to either, and the service will say so.
        Some(Self { repo: repo.reopen().ok()?, person: person.cloned() })
    }
}

impl Signer for GitSigner {
    fn sign(&self, hashes: &[[u8; 32]]) -> Result<Vec<Signed>, NotSigned> {
        let settings = Settings::of(&self.repo, Timestamp(now()));
        let format = self.repo.handle().config_snapshot().string("gpg.format");
        let (format, made) = match format.map(|format| format.to_string()).as_deref() {
            Some("ssh") => (SignatureFormat::Ssh, ssh::sign(&self.repo, &settings, hashes)?),
            None | Some("openpgp") => {
                let person = self.person.as_ref();
                (SignatureFormat::OpenPgp, openpgp::sign(&self.repo, &settings, person, hashes)?)
            }
            Some(other) => {
                return Err(NotSigned(format!(
                    "gpg.format is {other}: only ssh and openpgp can sign reviews"
                )));
            }
        };
        Ok(made.into_iter().map(|signature| Signed { format: format.clone(), signature }).collect())
    }
}

/// What a program printed, as one line for people; the end of it matters most.
pub(super) fn gist(stderr: &str) -> String {
    let told: Vec<&str> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("[GNUPG:]"))
        .collect();
    if told.is_empty() {
        return "no message".to_owned();
    }
    told[told.len().saturating_sub(3)..].join("; ")
}
