//! What a sync brings, sends and leaves alone.

use postil_core::sync::{ExchangeDirection, Sent};
use postil_testkit::{by_alice, purge_of};

use super::team::Team;

#[test]
fn the_first_sync_brings_the_ref_to_a_remote_that_had_none() {
    let team = Team::of(&["alice", "bob"]);
    let alice = team.clone_of("alice");
    alice.say("HEAD", "first");
    let sent = team.sync("alice").unwrap();
    assert_eq!((sent.came.total(), sent.went.comments, sent.sent), (0, 1, Sent::All));
    let came = team.sync("bob").unwrap();
    assert_eq!((came.came.comments, came.sent), (1, Sent::Nothing));
    assert_eq!(team.clone_of("bob").record_ids(), alice.record_ids());
}

#[test]
fn an_empty_repository_and_an_empty_remote_have_nothing_to_say() {
    let team = Team::of(&["alice"]);
    let synced = team.sync("alice").unwrap();
    assert_eq!((synced.came.total(), synced.went.total(), synced.sent), (0, 0, Sent::Nothing));
    assert!(team.remote().try_git(&["rev-parse", "-q", "--verify", "refs/notes/reviews"]).stdout.is_empty());
}

#[test]
fn both_sides_that_began_alone_end_with_the_same_tree() {
    let team = Team::of(&["alice", "bob"]);
    team.clone_of("alice").say("HEAD", "from alice");
    team.clone_of("bob").say("HEAD", "from bob");
    team.sync("alice").unwrap();
    let both = team.sync("bob").unwrap();
    assert_eq!((both.came.comments, both.went.comments), (1, 1));
    team.sync("alice").unwrap();
    assert_eq!(team.notes_tree("alice"), team.notes_tree("bob"));
    assert_eq!(team.clone_of("alice").record_ids().len(), 2);
}

#[test]
fn a_sync_with_nothing_new_writes_nothing() {
    let team = Team::of(&["alice", "bob"]);
    team.clone_of("alice").say("HEAD", "first");
    team.sync("alice").unwrap();
    team.sync("bob").unwrap();
    let before = team.clone_of("bob").git(&["rev-parse", "refs/notes/reviews"]);
    assert_eq!(team.sync("bob").unwrap().sent, Sent::Nothing);
    assert_eq!(team.clone_of("bob").git(&["rev-parse", "refs/notes/reviews"]), before);
}

#[test]
fn a_dry_run_says_what_would_happen_and_changes_neither_side() {
    let team = Team::of(&["alice", "bob"]);
    team.clone_of("alice").say("HEAD", "from alice");
    team.sync("alice").unwrap();
    let bob = team.clone_of("bob");
    bob.say("HEAD", "from bob");
    let before = (bob.record_ids(), team.remote().git(&["rev-parse", "refs/notes/reviews"]));
    let would = team.sync_as("bob", ExchangeDirection::DryRun).unwrap();
    assert_eq!((would.came.comments, would.went.comments), (1, 1));
    assert_eq!((bob.record_ids(), team.remote().git(&["rev-parse", "refs/notes/reviews"])), before);
}

#[test]
fn a_dry_run_does_not_count_what_a_purge_takes_away() {
    let team = Team::of(&["alice", "bob"]);
    let alice = team.clone_of("alice");
    let secret = alice.say("HEAD", "a secret").ids;
    team.sync("alice").unwrap();
    team.sync("bob").unwrap();
    let (record, purge) = purge_of(&secret, &[]);
    alice.store().purge(&record, &purge, &by_alice()).unwrap();
    let would = team.sync_as("alice", ExchangeDirection::DryRun).unwrap();
    assert_eq!((would.came.total(), would.went.total(), would.went.purges), (0, 1, 1));
    team.sync("alice").unwrap();
    let would = team.sync_as("bob", ExchangeDirection::DryRun).unwrap();
    assert_eq!((would.came.purges, would.came.total(), would.went.total()), (1, 1, 0));
}

#[test]
fn one_way_goes_one_way() {
    let team = Team::of(&["alice", "bob"]);
    team.clone_of("alice").say("HEAD", "from alice");
    team.sync("alice").unwrap();
    let bob = team.clone_of("bob");
    bob.say("HEAD", "from bob");
    team.sync_as("bob", ExchangeDirection::PushOnly).unwrap_err();
    assert_eq!(bob.record_ids().len(), 1, "a push that is outrun fetches nothing");
    let came = team.sync_as("bob", ExchangeDirection::FetchOnly).unwrap();
    assert_eq!((came.came.comments, came.sent), (1, Sent::NotAsked));
    assert_eq!(bob.record_ids().len(), 2);
    assert_eq!(team.sync_as("bob", ExchangeDirection::PushOnly).unwrap().went.comments, 1);
}

#[test]
fn local_refs_stay_here() {
    let team = Team::of(&["alice"]);
    team.clone_of("alice").say("HEAD", "first");
    team.sync("alice").unwrap();
    let refs = team.remote().git(&["for-each-ref", "--format=%(refname)"]);
    assert!(!refs.contains("refs/postil"), "{refs}");
}

#[test]
fn a_forced_fetch_over_the_ref_loses_nothing() {
    let team = Team::of(&["alice", "bob"]);
    team.clone_of("bob").say("HEAD", "from bob");
    team.sync("bob").unwrap();
    let alice = team.clone_of("alice");
    alice.say("HEAD", "from alice");
    alice.git(&["fetch", "-q", "origin", "+refs/notes/reviews:refs/notes/reviews"]);
    let synced = team.sync("alice").unwrap();
    assert_eq!((synced.checked.records, synced.went.comments), (1, 1));
    assert_eq!(alice.record_ids().len(), 2);
}

#[test]
fn the_users_pre_push_hook_is_not_for_notes() {
    let team = Team::of(&["alice"]);
    let alice = team.clone_of("alice");
    team.hook("alice", ".git/hooks/pre-push", "exit 1");
    alice.say("HEAD", "first");
    assert_eq!(team.sync("alice").unwrap().sent, Sent::All);
}
