//! Signs with gpg, or what is configured in its place.

use std::path::Path;
use std::process::Command;

use postil_core::git::Repository;
use postil_protocol::Person;
use postil_service::NotSigned;
use postil_service::process::child::{self, ChildLimit, Failed};
use postil_service::trust::Settings;

use super::signer::gist;

/// Signs each hash; gpg's agent asks for the passphrase once.
pub(super) fn sign(
    repo: &Repository,
    settings: &Settings,
    person: Option<&Person>,
    hashes: &[[u8; 32]],
) -> Result<Vec<Vec<u8>>, NotSigned> {
    let said = repo.handle().config_snapshot().string("user.signingKey").map(|key| key.to_string());
    let usual = || person.map(|person| format!("{} <{}>", person.name, person.email));
    let key = said
        .filter(|key| !key.is_empty())
        .or_else(usual)
        .ok_or_else(|| NotSigned("user.signingKey is not set".to_owned()))?;
    let program = Path::new(&settings.openpgp).display();
    let sign = |hash: &[u8; 32]| {
        let mut command = Command::new(&settings.openpgp);
        command.args(["--status-fd=2", "-bsau", &key]).current_dir(&settings.folder);
        let ended = child::run_with(&mut command, hash, ChildLimit::Any).map_err(|failed| {
            let why = match failed {
                Failed::Start(error) => error.to_string(),
                Failed::TimedOut | Failed::Killed => "timed out".to_owned(),
            };
            NotSigned(format!("could not start {program}: {why}"))
        })?;
        let is_made = ended.stderr.lines().any(|line| line.starts_with("[GNUPG:] SIG_CREATED "));
        if ended.status.success() && is_made {
            return Ok(ended.stdout.into_bytes());
        }
        Err(NotSigned(format!("{program}: {}", gist(&ended.stderr))))
    };
    hashes.iter().map(sign).collect()
}
