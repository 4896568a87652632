//! People sign what they write, with the keys that they sign commits with, and others see who did.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use postil_core::git::{ConfigScope, Repository};
use postil_core::notes::{Committer, Home, Store, StoreOptions};
use postil_core::record::{Author, Body, Page, Record, SignatureRecord};
use postil_testkit::{patient, skipped, wait_until};
use serde_json::Value;

use crate::suggesting::json;
use crate::support::postil::POSTIL;
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// Alice and Bob, who share a remote and a file of allowed signers; only Alice signs.
pub fn team(world: &World) -> Option<(Checkout<'_>, Checkout<'_>)> {
    if std::process::Command::new("ssh-keygen").arg("-?").output().is_err() {
        skipped("ssh-keygen");
        return None;
    }
    let seed = world.repository("seed");
    seed.write("a.txt", "one\ntwo\nthree\n");
    seed.commit("first");
    seed.git("config core.bare true");
    let (alice, bob) = (world.clone_of(&seed, "alice"), world.clone_of(&seed, "bob"));
    let mut allowed = String::new();
    for person in [&alice, &bob] {
        let key = world.home().join(person.person());
        let mut command = person.command("ssh-keygen");
        let made = command.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
        assert!(made.expect("ssh-keygen can be started").success());
        let public = fs::read_to_string(key.with_extension("pub")).expect("a public key");
        allowed.extend([person.person(), "@example.com ", &public]);
        person.git("config gpg.format ssh");
        person.git(&format!("config user.signingKey ~/{}", person.person()));
        person.git("config gpg.ssh.allowedSignersFile ~/allowed");
    }
    fs::write(world.home().join("allowed"), allowed).expect("a home can be written");
    alice.git("config commit.gpgSign true");
    Some((alice, bob))
}

fn signature(person: &Checkout<'_>, at: &str) -> Value {
    signature_of(person, "@", at)
}

fn signature_of(person: &Checkout<'_>, id: &str, at: &str) -> Value {
    let shown = json(&person.postil(&format!("show {id} --json")));
    shown.pointer(at).cloned().unwrap_or_default()
}

/// How many signatures are known in a repository without asking anybody.
fn remembered(person: &Checkout<'_>) -> usize {
    let known = fs::read_to_string(person.folder.join(".git/postil/cache/signatures")).unwrap_or_default();
    known.lines().filter(|line| !line.is_empty()).count()
}

#[test]
fn a_daemon_checks_what_arrives_before_anybody_asks() {
    let world = World::new();
    let Some((alice, bob)) = team(&world) else { return };
    let _served = Served(&world);
    for line in 1..=3 {
        alice.postil(&format!("comment a.txt:{line} -m 'why {line}?'")).code(0);
    }
    alice.postil("sync").code(0);
    bob.served("status").code(0);
    bob.git("fetch --quiet origin refs/notes/reviews:refs/notes/reviews");
    wait_until("all three signatures are known", || remembered(&bob) >= 3);
}

#[test]
fn what_one_signs_the_other_sees_verified() {
    let world = World::new();
    let Some((alice, bob)) = team(&world) else { return };
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    assert_eq!(alice.postil("sync").code(0).stdout(), "nothing new; sent 1\n");
    bob.postil("sync").code(0);
    let listed = bob.postil("list --all").code(0).stdout();
    assert!(listed.contains("signed  alice: why two?"), "{listed}");
    bob.postil("show @").code(0);
    bob.postil("reply @ -m 'because'").code(0);
    alice.postil("sync").code(0);
    bob.postil("sync").code(0);
    alice.postil("sync").code(0);
    alice.postil("show @").code(0);
    alice.postil("resolve @").code(0);
    let shown = alice.postil("show @").code(0).stdout();
    assert!(shown.contains("(signed by alice@example.com)"), "{shown}");
    assert_eq!(signature(&alice, "/thread/comments/0/signature/state"), "verified");
    assert_eq!(signature(&alice, "/thread/comments/0/signature/author_differs"), false);
    assert!(signature(&alice, "/thread/comments/1/signature").is_null(), "bob does not sign");
    assert_eq!(signature(&alice, "/thread/status_by/signature/signer"), "alice@example.com");
    let commits = alice.git("log --format=raw refs/notes/reviews");
    assert!(!commits.contains("gpgsig"), "the commits of the notes are not signed: {commits}");
}

#[test]
fn a_signature_is_the_same_after_merges_of_stores_that_began_alone() {
    let world = World::new();
    let Some((alice, bob)) = team(&world) else { return };
    bob.git("config postil.sign true");
    for (person, line) in [(&alice, 1), (&bob, 2)] {
        person.postil(&format!("comment a.txt:{line} -m 'by {}'", person.person())).code(0);
    }
    for person in [&alice, &bob, &alice] {
        person.postil("sync").code(0);
    }
    let tree = |person: &Checkout<'_>| person.git("rev-parse refs/notes/reviews^{tree}");
    assert_eq!(tree(&alice), tree(&bob));
    for person in [&alice, &bob] {
        let listed = person.postil("list --all").code(0).stdout();
        assert_eq!(listed.matches("  signed  ").count(), 2, "{listed}");
    }
}

#[test]
fn a_client_signs_also_where_a_daemon_answers() {
    let world = World::new();
    let Some((alice, _)) = team(&world) else { return };
    let _served = Served(&world);
    alice.served("list").code(0);
    assert!(world.daemon().is_some(), "it runs");
    alice.served("comment a.txt:2 -m 'why two?'").code(0);
    let listed = alice.served("list").code(0).stdout();
    assert!(listed.contains("signed  alice: why two?"), "{listed}");
}

#[test]
fn every_command_that_writes_signs_and_postil_sign_counts_first() {
    let world = World::new();
    let Some((alice, bob)) = team(&world) else { return };
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\nthree\n");
    alice.commit("change");
    fs::write(world.people().join("better"), "two\n").expect("a file can be written");
    alice.postil("review start --title 'my topic'").code(0);
    let told = alice.postil("comment a.txt:2 -m 'first words'").code(0).stdout();
    let id = told.split(' ').next().expect("an id comes first");
    for line in [
        "edit ID -m 'other words'",
        "reply ID -m 'an answer'",
        "suggest a.txt:2 --with ../better -m 'as before'",
        "resolve ID",
        "reopen ID",
        "move ID a.txt:1",
        "review comment -m 'looks well'",
        "comment a.txt:3 -m 'a draft' --draft",
        "publish",
        "withdraw ID",
    ] {
        alice.postil(&line.replace("ID", id)).code(0);
    }
    let notes = alice.git("notes --ref=reviews list");
    let (mut written, mut signatures) = (BTreeSet::new(), BTreeSet::new());
    for line in notes.lines() {
        let blob = line.split(' ').next().expect("a note");
        let output = alice.try_git(&format!("cat-file blob {blob}")).stdout;
        for record in Page::parse(&output).records() {
            match record.body().expect("a record of ours") {
                Body::Signature(signature) => signatures.extend([signature.of]),
                _ => written.extend([record.id()]),
            }
        }
    }
    assert_eq!(written.len(), 11, "one for each command");
    assert_eq!(signatures, written, "each has a signature");
    let review = json(&alice.postil("review show --json"));
    assert_eq!(review.pointer("/review/signature/state"), Some(&"verified".into()), "{review}");
    assert_eq!(review.pointer("/review/verdicts/0/signature/state"), Some(&"verified".into()), "{review}");

    alice.git("config postil.sign false");
    let told = alice.postil("comment a.txt:3 -m plain").code(0).stdout();
    let id = told.split(' ').next().expect("an id comes first");
    assert!(signature_of(&alice, id, "/thread/comments/0/signature").is_null());
    bob.git("config postil.sign true");
    bob.postil("comment a.txt:3 -m signed").code(0);
    assert_eq!(signature(&bob, "/thread/comments/0/signature/state"), "verified");
}

#[test]
fn drafts_that_are_withdrawn_or_published_take_their_signatures_along() {
    let world = World::new();
    let Some((alice, _)) = team(&world) else { return };
    alice.postil("comment a.txt:1 -m gone --draft").code(0);
    assert!(
        alice.postil("status").code(0).stdout().contains("1 draft"),
        "a signature is no draft of its own"
    );
    alice.postil("withdraw @").code(0);
    assert!(!alice.try_git("rev-parse --verify --quiet refs/postil/drafts").status.success());
    alice.git("config postil.sign false");
    alice.postil("comment a.txt:1 -m later --draft").code(0);
    alice.git("config postil.sign true");
    let told = alice.postil("publish").code(0).stdout();
    assert!(told.starts_with("published 1 record\n"), "{told}");
    assert_eq!(signature(&alice, "/thread/comments/0/signature/state"), "verified");
    alice.postil("purge --force @").code(0);
    let left = alice.git("notes --ref=reviews list");
    let blob = left.split(' ').next().expect("the purge is left");
    let text = String::from_utf8_lossy(&alice.try_git(&format!("cat-file blob {blob}")).stdout).into_owned();
    assert_eq!(text.matches("BEGIN SSH SIGNATURE").count(), 1, "that of the purge itself");
}

#[test]
fn a_forged_edit_and_another_persons_signature_are_told() {
    let world = World::new();
    let Some((alice, bob)) = team(&world) else { return };
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    alice.postil("sync").code(0);
    bob.postil("sync").code(0);
    // Bob writes in Alice's name, unsigned, and then signed with a key of his own.
    let forge = |line: &str| {
        let mut command = bob.command(POSTIL);
        command.env("POSTIL_DAEMON", "off");
        command.env("GIT_AUTHOR_NAME", "alice").env("GIT_AUTHOR_EMAIL", "alice@example.com");
        let output = command.args(crate::support::world::words(line)).output().expect("postil starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    forge("edit @ -m 'I was wrong'");
    assert_eq!(signature(&bob, "/thread/comments/0/text"), "I was wrong");
    assert_eq!(signature(&bob, "/thread/comments/0/signature/state"), "unknown");
    bob.git("config postil.sign true");
    forge("comment a.txt:3 -m 'hers, says bob'");
    assert_eq!(signature(&bob, "/thread/comments/0/signature/author_differs"), true);
    let listed = bob.postil("list --all").code(0).stdout();
    assert!(listed.contains("signed by bob@example.com, who is not the author"), "{listed}");
}

#[test]
fn without_a_key_nothing_is_written_and_the_text_is_kept() {
    let world = World::new();
    let Some((alice, _)) = team(&world) else { return };
    alice.git("config --unset user.signingKey");
    let refused = alice.postil("comment a.txt:2 -m 'long and dear words'");
    let told = refused.code(5).stderr();
    assert!(told.contains("could not sign") && told.contains("user.signingKey is not set"), "{told}");
    assert!(told.contains("POSTIL_EDITMSG") && told.contains("postil.sign false"), "{told}");
    let kept = fs::read_to_string(alice.folder.join(".git/POSTIL_EDITMSG")).expect("the text is kept");
    assert_eq!(kept, "long and dear words");
    assert!(!alice.try_git("rev-parse --verify --quiet refs/notes/reviews").status.success());

    // A key whose passphrase nobody can be asked for.
    let key = world.home().join("locked");
    let mut command = alice.command("ssh-keygen");
    command.args(["-q", "-t", "ed25519", "-N", "a passphrase", "-f"]).arg(&key);
    assert!(command.status().expect("ssh-keygen can be started").success());
    alice.git("config user.signingKey ~/locked");
    let told = alice.postil("comment a.txt:2 -m words").code(5).stderr();
    assert!(told.contains("could not sign") && told.contains("passphrase"), "{told}");
    alice.git("config gpg.format x509");
    let told = alice.postil("comment a.txt:2 -m words").code(5).stderr();
    assert!(told.contains("gpg.format is x509"), "{told}");
    let left = fs::read_dir(alice.folder.join(".git/postil")).into_iter().flatten().flatten();
    assert!(left.into_iter().all(|entry| !entry.file_name().to_string_lossy().starts_with("signing")));
}

#[test]
fn a_key_of_an_agent_and_a_command_that_names_it_sign_too() {
    let world = World::new();
    let Some((alice, _)) = team(&world) else { return };
    let socket = world.runtime().join("agent");
    let mut agent = alice.command("ssh-agent");
    agent.arg("-D").arg("-a").arg(&socket).stdout(std::process::Stdio::null());
    let Ok(mut agent) = agent.spawn() else { return skipped("ssh-agent") };
    wait_until("the agent listens", || socket.exists());
    let mut add = alice.command("ssh-add");
    add.arg("-q").arg(world.home().join("alice")).env("SSH_AUTH_SOCK", &socket);
    assert!(add.status().expect("ssh-add can be started").success());
    let public = fs::read_to_string(world.home().join("alice.pub")).expect("a public key");
    fs::remove_file(world.home().join("alice")).expect("the private half is the agent's alone");
    let comment = |words: &str| {
        let mut command = alice.command(POSTIL);
        command.env("POSTIL_DAEMON", "off").env("SSH_AUTH_SOCK", &socket);
        let output = command.args(["comment", "a.txt:1", "-m", words]).output().expect("postil starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        signature(&alice, "/thread/comments/0/signature/state")
    };
    alice.git(&format!("config user.signingKey 'key::{}'", public.trim()));
    assert_eq!(comment("one"), "verified");
    alice.git("config --unset user.signingKey");
    alice.git(&format!("config gpg.ssh.defaultKeyCommand 'echo {}'", public.trim()));
    assert_eq!(comment("two"), "verified");
    agent.kill().and_then(|()| agent.wait()).expect("our own agent ends");
}

/// Adds signatures to a record that are none, each with a lower id than the true one.
fn bury(person: &Checkout<'_>, count: usize) {
    let repo = Repository::open(&person.folder, ConfigScope::Isolated).expect("a repository");
    let store = Store::new(repo, StoreOptions { patience: patient(), threads: NonZeroUsize::MIN });
    let snapshot = store.read().expect("the notes can be read");
    let signatures = snapshot.records().filter_map(|(object, record)| match record.body() {
        Ok(Body::Signature(signature)) => Some((object, record.id(), signature)),
        _ => None,
    });
    let (object, id, signature) = signatures.max_by_key(|(_, id, _)| *id).expect("something is signed");
    let planted = (0_u32..).map(|number| {
        let words = format!("-----BEGIN SSH SIGNATURE-----\n{number}\n-----END SSH SIGNATURE-----\n");
        let body = SignatureRecord { signature: words.into_bytes(), ..signature.clone() };
        Record::new(&Body::Signature(body)).expect("a short record")
    });
    let mut batch = store.batch();
    for record in planted.filter(|record| record.id() < id).take(count) {
        batch = batch.add(Home::On(object), record);
    }
    let by = Author { name: "mallory".into(), email: "mallory@example.com".into() };
    batch.write(&Committer::new(&by, 0, 0), "Bury").expect("the notes can be written");
}

#[test]
fn a_true_signature_is_found_below_planted_ones_and_too_many_are_told_as_such() {
    let world = World::new();
    let Some((alice, bob)) = team(&world) else { return };
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    alice.postil("sync").code(0);
    bob.postil("sync").code(0);
    bury(&bob, 40);
    let state = |person: &Checkout<'_>| {
        let deadline = Instant::now() + Duration::from_mins(1);
        loop {
            let state = signature(person, "/thread/comments/0/signature/state");
            if state != "unchecked" {
                return state;
            }
            assert!(Instant::now() < deadline, "signatures are looked at bit by bit");
        }
    };
    assert_eq!(state(&bob), "verified");
    // Once the author's own is known, no number of others hides it; who comes anew is told why nobody can say.
    bury(&bob, 300);
    assert_eq!(state(&bob), "verified");
    fs::remove_file(bob.folder.join(".git/postil/cache/signatures")).expect("that is where it is known");
    assert_eq!(state(&bob), "unknown");
    let told = signature(&bob, "/thread/comments/0/signature/why");
    let told = told.as_str().expect("words");
    assert!(told.starts_with("too many signatures: 301; only 256"), "{told}");
}

#[test]
fn what_an_agent_writes_is_signed_with_the_key_of_its_person_and_verified_elsewhere() {
    let world = World::new();
    let Some((alice, bob)) = team(&world) else { return };
    alice.git("config --global postil.agents write");
    alice.postil("comment a.txt:2 -m 'why two?' --via agent:helper@2.1").code(0);
    alice.postil("propose @ -m 'said now' --via agent:helper@2.1").code(0);
    alice.postil("sync --with-files").code(0);
    bob.postil("sync").code(0);
    let id = bob.postil("list --all").code(0).stdout()[..7].to_owned();
    let shown = json(&bob.postil(&format!("show {id} --json")));
    let at = |pointer: &str| shown.pointer(pointer).cloned().unwrap_or_default();
    assert_eq!(at("/thread/comments/0/author/name"), "helper");
    assert_eq!(at("/thread/comments/0/author/via/for/email"), "alice@example.com");
    assert_eq!(at("/thread/comments/0/trust"), "signed", "{shown}");
    assert_eq!(at("/thread/comments/0/signature/state"), "verified");
    assert_eq!(at("/thread/comments/0/signature/signer"), "alice@example.com");
    assert_eq!(at("/thread/comments/0/signature/author_differs"), false, "it works for her");
    assert_eq!(at("/timeline/1/what"), "proposed");
    assert_eq!(at("/timeline/1/signature/state"), "verified");
}
