//! Signatures of gpg.

use std::fs;
use std::process::Command;

use postil_service::trust::{Claim, Finding, KeyOwner};
use postil_testkit::skipped;

use super::people::{Place, claim, is_here, run, write_script};

const ANN: &str = "ann@example.com";
const HASH: [u8; 32] = *b"the whole hash of a record, raw.";

/// A keyring of its own, with Ann's key; gpg is found through a script that knows the keyring.
fn ann() -> Option<(Place, Claim)> {
    if !is_here("gpg") {
        skipped("gpg");
        return None;
    }
    let place = Place::new();
    // Its agent's socket must have a short name.
    let home = place.path("g");
    fs::create_dir(&home).unwrap();
    let mut mode = fs::metadata(&home).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o700);
    fs::set_permissions(&home, mode).unwrap();
    write_script(&place.path("gpg"), &format!("exec env GNUPGHOME='{}' gpg \"$@\"\n", home.display()));
    place.configure("gpg.program", place.path("gpg"));
    gpg(
        &place,
        &["--passphrase", "", "--quick-generate-key", "Ann <ann@example.com>", "ed25519", "sign", "never"],
    );
    let signature = sign(&place, &HASH);
    Some((place, claim(ANN, HASH, signature)))
}

fn gpg(place: &Place, args: &[&str]) {
    run(Command::new(place.path("gpg"))
        .args(["--batch", "--quiet", "--pinentry-mode", "loopback"])
        .args(args));
}

fn sign(place: &Place, hash: &[u8]) -> Vec<u8> {
    fs::write(place.path("message"), hash).unwrap();
    let _ = fs::remove_file(place.path("message.asc"));
    let message = place.path("message");
    gpg(place, &["--detach-sign", "--armor", message.to_str().unwrap()]);
    fs::read(place.path("message.asc")).unwrap()
}

/// Ends what gpg started beside.
fn end(place: &Place) {
    let _ = Command::new("gpgconf").env("GNUPGHOME", place.path("g")).args(["--kill", "all"]).output();
}

#[test]
fn the_keyring_tells_who_signed_and_whether_that_is_the_author() {
    let Some((place, claim)) = ann() else { return };
    let found = place.judge(&claim);
    assert!(
        matches!(&found, Finding::Verified { signer: KeyOwner::Author(name), .. } if name == ANN),
        "{found:?}"
    );
    let other = place.judge(&Claim { author: "bob@example.com".to_owned(), ..claim.clone() });
    assert!(
        matches!(&other, Finding::Verified { signer: KeyOwner::Other(name), .. } if name == ANN),
        "{other:?}"
    );
    let bad = place.judge(&Claim { hash: [7; 32], ..claim.clone() });
    assert!(matches!(&bad, Finding::Bad { .. }), "{bad:?}");
    gpg(&place, &["--quick-add-uid", ANN, "Ann <ann@work.example>"]);
    let again = place.judge(&Claim { author: "ann@work.example".to_owned(), ..claim.clone() });
    assert!(matches!(&again, Finding::Verified { signer: KeyOwner::Author(_), .. }), "{again:?}");
    end(&place);
}

#[test]
fn a_key_that_is_not_in_the_keyring_is_unknown() {
    let Some((place, claim)) = ann() else { return };
    let stranger = Place::new();
    let home = stranger.path("g");
    fs::create_dir(&home).unwrap();
    let mut mode = fs::metadata(&home).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o700);
    fs::set_permissions(&home, mode).unwrap();
    write_script(&stranger.path("gpg"), &format!("exec env GNUPGHOME='{}' gpg \"$@\"\n", home.display()));
    stranger.configure("gpg.program", stranger.path("gpg"));
    let found = stranger.judge(&claim);
    assert!(matches!(&found, Finding::Unknown { key: Some(_), .. }), "{found:?}");
    end(&place);
    end(&stranger);
}
