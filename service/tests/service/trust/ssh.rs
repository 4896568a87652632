//! Signatures of `ssh-keygen`.

use std::fs;
use std::time::{Duration, Instant};

use postil_core::record::RecordId;
use postil_service::trust::{Claim, Finding, KeyOwner};
use postil_testkit::skipped;

use super::people::{Place, claim, counting, is_here, run, write_script};

const ANN: &str = "ann@example.com";
const HASH: [u8; 32] = *b"the whole hash of a record, raw.";

/// Ann, who is allowed, and a claim that she signed.
fn ann() -> Option<(Place, Claim)> {
    if !is_here("ssh-keygen") {
        skipped("ssh-keygen");
        return None;
    }
    let place = Place::new();
    let key = place.ssh_key("ann");
    place.allow(&[format!("{ANN} {key}")]);
    let signature = place.ssh_signature("ann", "postil", &HASH);
    Some((place, claim(ANN, HASH, signature)))
}

#[track_caller]
fn unknown(finding: &Finding, expected: &str) {
    match finding {
        Finding::Unknown { why, key } => assert!(why.contains(expected) && key.is_some(), "{finding:?}"),
        _ => panic!("{finding:?}"),
    }
}

#[track_caller]
fn bad(finding: &Finding, expected: &str) {
    match finding {
        Finding::Bad { why } => assert!(why.contains(expected), "{finding:?}"),
        _ => panic!("{finding:?}"),
    }
}

#[test]
fn the_authors_own_key_is_verified() {
    let Some((place, claim)) = ann() else { return };
    let Finding::Verified { signer, key } = place.judge(&claim) else { panic!("{:?}", place.judge(&claim)) };
    assert_eq!(signer, KeyOwner::Author(ANN.to_owned()));
    assert!(key.unwrap().starts_with("SHA256:"));
}

#[test]
fn a_signature_of_something_else_is_bad() {
    let Some((place, claim)) = ann() else { return };
    let mut other = claim.clone();
    other.hash[31] ^= 1;
    bad(&place.judge(&other), "does not match");
    let mut broken = claim.clone();
    broken.signature[120] = if broken.signature[120] == b'A' { b'B' } else { b'A' };
    bad(&place.judge(&broken), "does not match");
    let git = place.ssh_signature("ann", "git", &HASH);
    bad(&place.judge(&Claim { signature: git, ..claim.clone() }), "does not match");
    bad(
        &place.judge(&Claim { signature: b"no signature".to_vec(), ..claim.clone() }),
        "not an SSH signature",
    );
    let mut long = claim.signature.clone();
    long.resize(100 << 10, b'A');
    bad(&place.judge(&Claim { signature: long, ..claim }), "too long");
}

#[test]
fn somebody_elses_key_is_told_by_name() {
    let Some((place, claim)) = ann() else { return };
    let forged = Claim { author: "bob@example.com".to_owned(), ..claim };
    let Finding::Verified { signer, .. } = place.judge(&forged) else { panic!("{:?}", place.judge(&forged)) };
    assert_eq!(signer, KeyOwner::Other(ANN.to_owned()));
}

#[test]
fn an_author_chosen_to_mislead_the_program_is_nobody() {
    let Some((place, claim)) = ann() else { return };
    let everybody = "*".to_owned();
    for author in [everybody, String::new(), "-Yfoo".to_owned(), "a\0b\n".to_owned(), "x".repeat(1 << 20)] {
        let Finding::Verified { signer, .. } = place.judge(&Claim { author, ..claim.clone() }) else {
            panic!("the signature holds")
        };
        assert_eq!(signer, KeyOwner::Other(ANN.to_owned()));
    }
}

#[test]
fn a_key_that_nobody_is_known_for_is_unknown() {
    let Some((place, claim)) = ann() else { return };
    place.ssh_key("eve");
    let signature = place.ssh_signature("eve", "postil", &HASH);
    let eve = Claim { signature, ..claim.clone() };
    unknown(&place.judge(&eve), "an allowed signer");
    place.configure("gpg.ssh.allowedSignersFile", place.path("missing"));
    unknown(&place.judge(&claim), "could not read");
    run(std::process::Command::new("git").arg("-C").arg(place.path("repo")).args([
        "config",
        "--unset",
        "gpg.ssh.allowedSignersFile",
    ]));
    unknown(&place.judge(&claim), "is not set");
    let tampered = Claim { hash: [0; 32], ..claim };
    bad(&place.judge(&tampered), "does not match");
}

#[test]
fn a_revoked_key_is_bad_and_a_list_that_is_missing_proves_nothing() {
    let Some((place, claim)) = ann() else { return };
    place.configure("gpg.ssh.revocationFile", place.path("revoked"));
    unknown(&place.judge(&claim), "revocationFile");
    fs::write(place.path("revoked"), "").unwrap();
    assert!(matches!(place.judge(&claim), Finding::Verified { .. }));
    fs::copy(place.path("ann.pub"), place.path("revoked")).unwrap();
    bad(&place.judge(&claim), "the key of ann@example.com was revoked");
}

#[test]
fn a_key_counts_at_the_time_of_the_record() {
    let Some((place, claim)) = ann() else { return };
    let key = fs::read_to_string(place.path("ann.pub")).unwrap();
    let check = |options: &str| {
        place.allow(&[format!("{ANN} {options} {}", key.trim())]);
        place.judge(&claim)
    };
    // The record is of 2023-11-14.
    assert!(matches!(check("valid-before=\"20231201\""), Finding::Verified { .. }), "expired since");
    assert!(matches!(check("valid-after=\"20231101\""), Finding::Verified { .. }));
    unknown(&check("valid-before=\"20231101\""), "at that time");
    unknown(&check("valid-after=\"20231201\""), "at that time");
    unknown(&check("namespaces=\"git\""), "was not allowed at that time");
    assert!(matches!(check("namespaces=\"git,postil\""), Finding::Verified { .. }));
}

#[test]
fn programs_are_started_once_for_each_signature() {
    let Some((place, claim)) = ann() else { return };
    let (script, count) = counting(&place, "ssh-keygen");
    place.configure("gpg.ssh.program", &script);
    let settings = place.settings();
    let claims: Vec<Claim> = (0..12_u8)
        .map(|number| {
            let mut hash = HASH;
            hash[0] = number;
            let signature = place.ssh_signature("ann", "postil", &hash);
            // Each is another record: of one whose author has vouched for it nothing more is asked.
            Claim { of: RecordId::from_array([number; 16]), signature, hash, ..claim.clone() }
        })
        .collect();
    let started = || fs::read_to_string(&count).unwrap_or_default().lines().count();
    let deadline = Instant::now() + Duration::from_mins(1);
    let checker = place.checker();
    assert!(checker.check_ahead(&claims, &settings, 2) >= claims.len() - 2, "no more than asked for");
    assert!((1..=4).contains(&started()), "{}", started());
    while checker.check(&claims, &settings).contains(&Finding::Unchecked) {
        assert!(Instant::now() < deadline, "a slow machine gets on in steps");
    }
    let after = started();
    assert!((1..=claims.len() * 2).contains(&after), "one program for each: {after}");
    checker.check(&claims, &settings);
    let found = place.checker().check(&claims, &settings);
    assert!(found.iter().all(|finding| matches!(finding, Finding::Verified { .. })));
    assert_eq!(started(), after, "neither this process nor another asks again");
    // What the answer depends on is part of what is remembered.
    let key = fs::read_to_string(place.path("ann.pub")).unwrap();
    place.allow(&[format!("bob@example.com {}", key.trim())]);
    let Finding::Verified { signer, .. } = place.judge(&claims[0]) else { panic!("it holds") };
    assert_eq!(signer, KeyOwner::Other("bob@example.com".to_owned()));
}

#[test]
fn a_program_that_hangs_or_is_missing_keeps_nobody_waiting() {
    let Some((place, claim)) = ann() else { return };
    write_script(&place.path("hangs"), "sleep 1000\n");
    place.configure("gpg.ssh.program", place.path("hangs"));
    let began = Instant::now();
    let (checker, settings) = (place.checker(), place.settings());
    let claims = vec![claim.clone(); 20];
    assert_eq!(checker.check(&claims, &settings), vec![Finding::Unchecked; 20]);
    assert_eq!(checker.check(&claims, &settings), vec![Finding::Unchecked; 20]);
    assert_eq!(checker.check_ahead(&claims, &settings, 16), 20, "nothing comes of trying now");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    place.configure("gpg.ssh.program", place.path("missing"));
    let Finding::Unknown { why, .. } = place.judge(&claim) else { panic!("nobody was asked") };
    assert!(why.contains("could not start"), "{why}");
    place.configure("gpg.ssh.program", "ssh-keygen");
    assert!(matches!(place.judge(&claim), Finding::Verified { .. }), "nothing of that was remembered");
    assert_eq!(fs::read_dir(place.path("repo/.git/postil/checking")).unwrap().count(), 0, "no file is left");
}
