//! Signatures that `ssh-keygen -Y` made, judged as git judges those of commits.

use std::ffi::{OsStr, OsString};
use std::fs;

use postil_core::record::Timestamp;

use super::check_environment::{CheckEnvironment, NoAnswer, words};
use super::claim::{Claim, Finding, KeyOwner};
use super::settings::Settings;

/// What keeps a signature of a record from being one of anything else.
const NAMESPACE: &str = "postil";

/// Of the people that have a key, so many are tried.
const MAX_PRINCIPALS: usize = 4;

/// A longer email address is never valid.
const MAX_EMAIL_BYTES: usize = 320;

/// Judges one signature.
pub(super) fn check(
    claim: &Claim,
    settings: &Settings,
    errand: &CheckEnvironment,
) -> Result<Finding, NoAnswer> {
    if !claim.signature.starts_with(b"-----BEGIN SSH SIGNATURE-----") {
        return Ok(Finding::bad("not an SSH signature"));
    }
    let file = errand.file(&claim.signature)?;
    let asking = SshVerification { claim, settings, errand, signature: file.path().as_os_str() };
    let Some(allowed) = settings.allowed.as_deref() else {
        return asking.nobody("gpg.ssh.allowedSignersFile is not set");
    };
    if fs::File::open(allowed).is_err() {
        return asking.nobody("could not read the file in gpg.ssh.allowedSignersFile");
    }
    if settings.revoked.as_deref().is_some_and(|list| fs::File::open(list).is_err()) {
        return asking.nobody("could not read the file in gpg.ssh.revocationFile");
    }
    let author = is_email(&claim.author).then_some(claim.author.as_str());
    if let Some(author) = author
        && let KeyMatch::With(key) = asking.holds_for(author, Revoked::Refused)?
    {
        return Ok(Finding::Verified { signer: KeyOwner::Author(author.to_owned()), key });
    }
    let principals = asking.principals()?;
    for principal in &principals {
        if let KeyMatch::With(key) = asking.holds_for(principal, Revoked::Refused)? {
            return Ok(Finding::Verified { signer: KeyOwner::Other(principal.clone()), key });
        }
    }
    if settings.revoked.is_some() {
        for person in author.into_iter().chain(principals.iter().map(String::as_str)) {
            if asking.holds_for(person, Revoked::Allowed)? != KeyMatch::No {
                return Ok(Finding::bad(format!("the key of {person} was revoked")));
            }
        }
    }
    match principals.first() {
        Some(person) => asking.nobody(&format!("the key of {person} was not allowed at that time")),
        None => asking.nobody("the key did not belong to an allowed signer at that time"),
    }
}

/// Whether a list of revoked keys counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Revoked {
    Refused,
    Allowed,
}

/// Whether a signature holds, and its key is that of a person.
#[derive(PartialEq, Eq)]
enum KeyMatch {
    /// It does, with this key.
    With(Option<String>),
    /// It does not.
    No,
}

struct SshVerification<'a> {
    claim: &'a Claim,
    settings: &'a Settings,
    errand: &'a CheckEnvironment,
    signature: &'a OsStr,
}

impl SshVerification<'_> {
    /// Whether the signature holds, and its key is one of `person`'s; then with the key.
    fn holds_for(&self, person: &str, revoked: Revoked) -> Result<KeyMatch, NoAnswer> {
        let mut args = words(["-Y", "verify", "-n", NAMESPACE, "-I", person]);
        self.add_lists(&mut args);
        if let Some(list) = self.settings.revoked.as_ref().filter(|_| revoked == Revoked::Refused) {
            args.extend(["-r".into(), list.clone().into_os_string()]);
        }
        let ended = self.ask(&args)?;
        Ok(if ended.status.success() { KeyMatch::With(key_in(&ended.stdout)) } else { KeyMatch::No })
    }

    /// The people who have the key, as far as it was allowed then.
    fn principals(&self) -> Result<Vec<String>, NoAnswer> {
        let mut args = words(["-Y", "find-principals"]);
        self.add_lists(&mut args);
        let ended = self.ask(&args)?;
        if !ended.status.success() {
            return Ok(Vec::new());
        }
        let names = ended.stdout.lines().map(str::trim).filter(|name| is_email(name));
        Ok(names.take(MAX_PRINCIPALS).map(str::to_owned).collect())
    }

    /// A signature by an unknown key, which may not even match this record.
    fn nobody(&self, why: &str) -> Result<Finding, NoAnswer> {
        let mut args = words(["-Y", "check-novalidate", "-n", NAMESPACE, "-s"]);
        args.push(self.signature.to_owned());
        let ended = self.ask(&args)?;
        Ok(if ended.status.success() {
            Finding::unknown(why, key_in(&ended.stdout))
        } else {
            Finding::bad("the signature does not match")
        })
    }

    fn add_lists(&self, args: &mut Vec<OsString>) {
        if let Some(allowed) = &self.settings.allowed {
            args.extend(["-f".into(), allowed.clone().into_os_string()]);
        }
        args.extend(["-s".into(), self.signature.to_owned()]);
        args.push(format!("-Overify-time={}", moment(self.claim.at)).into());
    }

    fn ask(&self, args: &[OsString]) -> Result<crate::process::child::ChildExit, NoAnswer> {
        let args: Vec<&OsStr> = args.iter().map(OsString::as_os_str).collect();
        self.errand.ask(&self.settings.ssh, &args, &self.claim.hash)
    }
}

/// What comes after the last `key` of `Good "postil" signature for … with ED25519 key SHA256:…`.
fn key_in(stdout: &str) -> Option<String> {
    let line = stdout.lines().find(|line| line.starts_with("Good "))?;
    line.rsplit_once(" key ").map(|(_, key)| key.trim().to_owned())
}

/// Whether this name, chosen by another person, can safely be passed to a program as an argument.
fn is_email(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_EMAIL_BYTES && !name.contains(|c: char| c.is_control())
}

/// A moment as `verify-time` takes it, in UTC.
fn moment(at: Timestamp) -> String {
    /// The last second of the year 9998: later ones can be written in no time zone, or not with four digits.
    const LAST: u64 = 253_370_764_799;
    let seconds = i64::try_from((at.0 / 1000).min(LAST)).unwrap_or_default();
    let told = gix::date::Time::new(seconds, 0).format_or_unix(gix::date::time::format::ISO8601);
    told.chars().take("0000-00-00 00:00:00".len()).filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_fourteen_digits() {
        assert_eq!(moment(Timestamp(1_700_000_000_000)), "20231114221320");
        assert_eq!(moment(Timestamp(0)), "19700101000000");
        assert_eq!(moment(Timestamp(u64::MAX)), "99981231235959");
    }

    #[test]
    fn the_key_is_what_stands_last() {
        let said = "Good \"postil\" signature for a key b with ED25519 key SHA256:abc\n";
        assert_eq!(key_in(said), Some("SHA256:abc".to_owned()));
        assert_eq!(key_in("Could not verify signature.\n"), None);
    }

    #[test]
    fn a_name_that_could_mislead_a_program_is_nobodys() {
        assert!(is_email("ada@example.org") && is_email("*@example.org"));
        assert!(!is_email("") && !is_email("a\nb") && !is_email(&"a".repeat(400)));
    }
}
