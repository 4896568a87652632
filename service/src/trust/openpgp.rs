//! Signatures that gpg made, judged by its keyring.

use std::ffi::{OsStr, OsString};

use super::check_environment::{CheckEnvironment, NoAnswer, words};
use super::claim::{Claim, Finding, KeyOwner};
use super::settings::{Settings, Trust};

/// The words of gpg of which each signature has one.
const OUTCOMES: [&str; 6] = ["GOODSIG", "EXPSIG", "EXPKEYSIG", "REVKEYSIG", "BADSIG", "ERRSIG"];

/// Judges one signature.
pub(super) fn check(
    claim: &Claim,
    settings: &Settings,
    errand: &CheckEnvironment,
) -> Result<Finding, NoAnswer> {
    if !claim.signature.starts_with(b"-----BEGIN PGP") {
        return Ok(Finding::bad("not an OpenPGP signature"));
    }
    let file = errand.file(&claim.signature)?;
    let ask = |mut args: Vec<OsString>, more: &[&OsStr]| {
        // Checking must not look for keys elsewhere: the network is for `sync` alone.
        args.splice(0..0, words(["--batch", "--no-tty", "--no-auto-key-retrieve"]));
        let args: Vec<&OsStr> = args.iter().map(OsString::as_os_str).chain(more.iter().copied()).collect();
        errand.ask(&settings.openpgp, &args, &claim.hash)
    };
    let verify = words(["--keyid-format=long", "--status-fd=1", "--verify"]);
    let ended = ask(verify, &[file.path().as_os_str(), OsStr::new("-")])?;
    let found = match read(&ended.stdout, settings.least_trust) {
        GpgOutput::Is(finding) => return Ok(finding),
        GpgOutput::Good(found) => found,
    };
    let key = Some(found.key.clone());
    if email(&found.person) == claim.author {
        return Ok(Finding::Verified { signer: KeyOwner::Author(claim.author.clone()), key });
    }
    // A key has several names, and gpg printed only the first.
    let ended = ask(words(["--with-colons", "--list-keys", "--", &found.key]), &[])?;
    let signer = if has_name(&ended.stdout, &claim.author) {
        KeyOwner::Author(claim.author.clone())
    } else {
        KeyOwner::Other(email(&found.person).to_owned())
    };
    Ok(Finding::Verified { signer, key })
}

/// A good signature: its key, and the name that the program gave.
#[derive(Debug, PartialEq, Eq)]
struct GoodSignature {
    key: String,
    person: String,
}

#[derive(Debug, PartialEq, Eq)]
enum GpgOutput {
    Is(Finding),
    Good(GoodSignature),
}

/// Reads the lines for programs.
fn read(stdout: &str, least_trust: Trust) -> GpgOutput {
    let lines: Vec<&str> = stdout.lines().filter_map(|line| line.strip_prefix("[GNUPG:] ")).collect();
    let told = |word: &str| {
        let mut found = lines.iter().filter_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
        found.next()
    };
    let outcomes: Vec<(&str, &str)> = lines
        .iter()
        .filter_map(|line| {
            let (word, rest) = line.split_once(' ')?;
            OUTCOMES.contains(&word).then_some((word, rest))
        })
        .collect();
    // Of several signatures in one, a good one would speak for a bad one.
    let &[(word, rest)] = outcomes.as_slice() else {
        return GpgOutput::Is(Finding::bad("not a single OpenPGP signature"));
    };
    let (id, person) = rest.split_once(' ').unwrap_or((rest, ""));
    let key = told("VALIDSIG").and_then(|rest| rest.split(' ').next()).unwrap_or(id).to_owned();
    let finding = match word {
        "GOODSIG" => {
            let trust = lines.iter().find_map(|line| {
                let word = line.strip_prefix("TRUST_")?.split(' ').next()?;
                Trust::of(word)
            });
            if trust.unwrap_or(Trust::Undefined) >= least_trust {
                return GpgOutput::Good(GoodSignature { key, person: person.to_owned() });
            }
            Finding::unknown("the key is not trusted", Some(key))
        }
        "BADSIG" => Finding::bad("the signature does not match"),
        "REVKEYSIG" => Finding::bad("the key was revoked"),
        "EXPSIG" => Finding::unknown("the signature has expired", Some(key)),
        "EXPKEYSIG" => Finding::unknown("the key has expired", Some(key)),
        _ => Finding::unknown("the key is not in the keyring", Some(key)),
    };
    GpgOutput::Is(finding)
}

/// The text between the last `<` and `>`, or all of it.
fn email(person: &str) -> &str {
    let inside = person.rsplit_once('<').and_then(|(_, rest)| rest.strip_suffix('>'));
    inside.unwrap_or(person)
}

/// Whether a key has a trusted name with this email, in the form that `--with-colons` has.
fn has_name(listed: &str, wanted: &str) -> bool {
    listed.lines().any(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let trusted = fields.get(1).is_some_and(|trust| ["f", "u"].contains(trust));
        fields[0] == "uid" && trusted && fields.get(9).is_some_and(|person| email(person) == wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 12AB Ada <ada@example.org>\n\
        [GNUPG:] VALIDSIG FFAA 2026-01-05 1767603600 0 4 0 22 10 00 FFAA\n";

    #[test]
    fn a_good_signature_counts_if_its_key_is_trusted() {
        let said = |trust: &str| read(&format!("{GOOD}[GNUPG:] TRUST_{trust} 0 pgp\n"), Trust::Fully);
        let good = GoodSignature { key: "FFAA".to_owned(), person: "Ada <ada@example.org>".to_owned() };
        assert_eq!(said("ULTIMATE"), GpgOutput::Good(good));
        assert!(matches!(said("UNDEFINED"), GpgOutput::Is(Finding::Unknown { .. })));
        assert!(matches!(said("NEVER"), GpgOutput::Is(Finding::Unknown { .. })));
    }

    #[test]
    fn what_does_not_hold_is_bad_and_what_is_not_known_unknown() {
        let said = |line: &str| read(&format!("[GNUPG:] {line}\n"), Trust::Fully);
        assert!(matches!(said("BADSIG 12AB Ada <ada@example.org>"), GpgOutput::Is(Finding::Bad { .. })));
        assert!(matches!(said("REVKEYSIG 12AB Ada"), GpgOutput::Is(Finding::Bad { .. })));
        assert!(matches!(
            said("ERRSIG 12AB 22 10 00 1767603600 9 -"),
            GpgOutput::Is(Finding::Unknown { .. })
        ));
        assert!(matches!(said("NODATA 4"), GpgOutput::Is(Finding::Bad { .. })));
        let twice = format!("{GOOD}[GNUPG:] TRUST_ULTIMATE 0 pgp\n[GNUPG:] BADSIG 12AB Ada\n");
        assert!(matches!(read(&twice, Trust::Fully), GpgOutput::Is(Finding::Bad { .. })));
    }

    #[test]
    fn another_name_of_the_key_is_the_author_if_it_is_trusted() {
        let listed = "pub:u:255:22:12AB:1:::u:::scESC::::::23::0:\n\
            uid:u::::1::AA::Ada <ada@example.org>::::::::::0:\nuid:-::::1::BB::Ada <ada@work.example>::::::::::0:\n";
        assert!(has_name(listed, "ada@example.org"));
        assert!(!has_name(listed, "ada@work.example"), "nobody vouches for that name");
    }
}
