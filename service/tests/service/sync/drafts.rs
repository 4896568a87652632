//! Drafts, and what is kept for them, never leave the repository before they are published.

use postil_core::notes::{Draft, DraftPin, DraftsOf, Home};
use postil_core::sync::ExchangeDirection;
use postil_testkit::{Checkout, by_alice, comment};

use super::team::{LIMIT, Team};

#[test]
fn no_exchange_sends_a_draft_or_what_is_kept_for_it() {
    let team = Team::of(&["alice", "bob"]);
    let alice = team.clone_of("alice");
    let (said, secret) = (comment("not yet"), b"work that nobody may see yet\n".to_vec());
    let home = Home::On(alice.object_id("HEAD"));
    let kept =
        Draft { review: None, home, record: said.clone(), pins: vec![DraftPin::Content(secret.clone())] };
    alice.store().add_drafts(&[kept], &by_alice()).unwrap();
    alice.say("HEAD", "shared");
    alice.git(&["remote", "add", "second", "../remote.git"]);
    for direction in [
        ExchangeDirection::DryRun,
        ExchangeDirection::PushOnly,
        ExchangeDirection::FetchOnly,
        ExchangeDirection::Both,
    ] {
        for remote in ["origin", "second"] {
            team.sync_with("alice", remote, direction, LIMIT).unwrap();
        }
    }
    team.sync("bob").unwrap();
    for other in [team.remote(), team.clone_of("bob")] {
        assert!(!has(&other, said.as_bytes()) && !has(&other, &secret), "{}", other.dir.display());
        assert!(!other.record_ids().contains(&said.id()));
        assert!(!other.git(&["for-each-ref", "--format=%(refname)"]).contains("drafts"));
    }
    assert!(has(&alice, said.as_bytes()) && has(&alice, &secret), "they are here");

    alice.store().publish(DraftsOf::Anything, &by_alice(), "Publish").unwrap();
    assert_eq!(team.sync("alice").unwrap().went.comments, 1);
    assert!(team.remote().record_ids().contains(&said.id()));
    assert!(!has(&team.remote(), &secret), "git has not published that file");
}

/// Whether a repository has a blob of this content, reachable or not.
fn has(repo: &Checkout<'_>, content: &[u8]) -> bool {
    let id = repo.git_with(&["hash-object", "--stdin"], content);
    repo.try_git(&["cat-file", "-e", String::from_utf8(id).unwrap().trim()]).status.success()
}
