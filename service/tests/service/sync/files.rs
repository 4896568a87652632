//! Commented files go to a remote once git has sent them there, or when a person says so.

use postil_core::git::{BlobId, CommitId, RepoPath};
use postil_core::notes::Home;
use postil_core::record::{Anchor, AnchorSide, Body, CommentRecord, Record, Seq, Timestamp};
use postil_core::sync::{ExchangeDirection, FilesToSend, Sent, SyncError};
use postil_testkit::{Checkout, alice, by_alice};

use super::team::{LIMIT, Team};

/// Alice has two remotes, of which the second has only the first commit.
fn two_remotes() -> Team {
    let team = Team::of(&["alice", "bob"]);
    team.sandbox.git(&["clone", "-q", "--bare", "seed", "second.git"]);
    let alice = team.clone_of("alice");
    alice.git(&["remote", "add", "second", "../second.git"]);
    alice.git(&["fetch", "-q", "second"]);
    team
}

/// Comments on a file as `rev` has it, as the service does.
fn comment_on(person: &Checkout<'_>, rev: &str, path: &str) -> BlobId {
    let (commit, blob) = (person.commit_id(rev), person.blob_id(&format!("{rev}:{path}")));
    let store = person.store();
    let batch = store.batch().add(Home::Anchor { commit: Some(commit), blob }, about(commit, path, blob));
    batch.pin(blob, Some(commit)).write(&by_alice(), "Comment").unwrap();
    blob
}

/// A comment that says where it saw a blob.
fn about(commit: CommitId, path: &str, blob: BlobId) -> Record {
    comment(Some(anchor(commit, path, blob)), format!("about {path}"))
}

/// A comment that is about no file.
fn about_nothing(text: &str) -> Record {
    comment(None, text.to_owned())
}

fn anchor(commit: CommitId, path: &str, blob: BlobId) -> Anchor {
    Anchor {
        commit: Some(commit),
        path: RepoPath::new(path).unwrap(),
        blob: Some(blob),
        side: AnchorSide::New,
        range: None,
        lines: Vec::new(),
        before: Vec::new(),
        after: Vec::new(),
        quote: None,
        headings: Vec::new(),
        scope: Vec::new(),
    }
}

fn comment(anchor: Option<Anchor>, text: String) -> Record {
    let comment = CommentRecord {
        author: alice(),
        at: Timestamp(1_700_000_000_000),
        seq: Seq::new(0),
        via: None,
        review: None,
        parent: None,
        anchor: anchor.map(Into::into),
        text,
        severity: None,
        tags: Vec::new(),
        suggestion: Vec::new(),
    };
    Record::new(&Body::Comment(comment)).unwrap()
}

fn second(team: &Team, direction: ExchangeDirection, files: FilesToSend) -> Result<Sent, SyncError> {
    team.sync_files_with("alice", "second", direction, files, LIMIT).map(|done| done.sent)
}

fn has(team: &Team, remote: &str, blob: BlobId) -> bool {
    team.sandbox.at(remote).try_git(&["cat-file", "-e", &blob.to_string()]).status.success()
}

/// Asserts that the exchange stops because of these files alone, and that nothing of them went.
fn assert_stops(team: &Team, files: &[(&str, BlobId)]) {
    for direction in [ExchangeDirection::Both, ExchangeDirection::PushOnly] {
        let SyncError::Unsent { files: found, .. } =
            second(team, direction, FilesToSend::SentByGit).unwrap_err()
        else {
            panic!("{direction:?} fails for another reason")
        };
        let found: Vec<(String, BlobId)> =
            found.into_iter().map(|file| (file.path.unwrap().to_string(), file.blob)).collect();
        let files: Vec<(String, BlobId)> =
            files.iter().map(|(path, blob)| ((*path).to_owned(), *blob)).collect();
        assert_eq!(found, files, "{direction:?}");
    }
    for (path, blob) in files {
        assert!(!has(team, "second.git", *blob), "{path}");
    }
}

#[test]
fn a_further_remote_gets_no_file_that_git_has_not_sent_there() {
    let team = two_remotes();
    let alice = team.clone_of("alice");
    alice.commit("private.txt", "for the first remote alone\n");
    alice.git(&["push", "-q", "origin", "HEAD"]);
    team.sync("alice").unwrap();
    let everywhere = comment_on(&alice, "HEAD", "file.txt");
    let private = comment_on(&alice, "HEAD", "private.txt");
    team.sync("alice").unwrap();
    assert_eq!(alice.pins(), [everywhere, private].into());
    assert!(has(&team, "remote.git", private));

    assert_stops(&team, &[("private.txt", private)]);
    let said = second(&team, ExchangeDirection::Both, FilesToSend::SentByGit).unwrap_err().to_string();
    assert_eq!(said, "the reviews contain 1 commented file not yet pushed to second: \"private.txt\"");
    let would = team.sync_with("alice", "second", ExchangeDirection::DryRun, LIMIT).unwrap();
    assert_eq!((would.unsent.len(), would.went.comments), (1, 2));
    // Others are not held up by that, and what comes from there still comes.
    assert_eq!(team.sync("alice").unwrap().sent, Sent::Nothing);
    second(&team, ExchangeDirection::FetchOnly, FilesToSend::SentByGit).unwrap();

    assert_eq!(second(&team, ExchangeDirection::Both, FilesToSend::All).unwrap(), Sent::All);
    assert!(has(&team, "second.git", private));
    assert_eq!(second(&team, ExchangeDirection::Both, FilesToSend::SentByGit).unwrap(), Sent::Nothing);
}

#[test]
fn what_git_sends_there_later_needs_no_word_of_a_person() {
    let team = two_remotes();
    let alice = team.clone_of("alice");
    team.sync("alice").unwrap();
    alice.commit("later.txt", "for both, one after the other\n");
    alice.git(&["push", "-q", "origin", "HEAD"]);
    let later = comment_on(&alice, "HEAD", "later.txt");
    team.sync("alice").unwrap();
    assert_stops(&team, &[("later.txt", later)]);
    alice.git(&["push", "-q", "second", "HEAD"]);
    assert_eq!(second(&team, ExchangeDirection::Both, FilesToSend::SentByGit).unwrap(), Sent::All);
}

#[test]
fn what_others_pinned_who_know_one_remote_is_not_passed_on_to_another() {
    let team = two_remotes();
    let (alice, bob) = (team.clone_of("alice"), team.clone_of("bob"));
    alice.say("HEAD", "to both");
    team.sync("alice").unwrap();
    assert_eq!(second(&team, ExchangeDirection::Both, FilesToSend::SentByGit).unwrap(), Sent::All);
    bob.commit("bobs.txt", "nothing for the second one\n");
    bob.git(&["push", "-q", "origin", "HEAD:bob"]);
    let bobs = comment_on(&bob, "HEAD", "bobs.txt");
    team.sync("bob").unwrap();
    team.sync("alice").unwrap();
    assert_eq!(alice.pins(), [bobs].into());
    // Alice never fetched his branch: it is not on any tracking branch here, of either remote.
    assert_stops(&team, &[("bobs.txt", bobs)]);
}

#[test]
fn a_file_that_no_record_is_about_is_known_to_be_sent_all_the_same() {
    let team = two_remotes();
    let alice = team.clone_of("alice");
    // As a purge leaves it that takes a comment away while a draft is on the same file.
    let pin = |blob: BlobId, commit: CommitId, text: &str| {
        let record = about_nothing(text);
        let store = alice.store();
        let batch = store.batch().add(Home::On(commit.into()), record).pin(blob, Some(commit));
        batch.write(&by_alice(), "Comment").unwrap();
    };
    let first = alice.commit_id("HEAD");
    pin(alice.blob_id("HEAD:file.txt"), first, "one");
    alice.commit("file.txt", "another version\n");
    alice.git(&["push", "-q", "origin", "HEAD"]);
    alice.git(&["push", "-q", "second", "HEAD"]);
    assert_eq!(second(&team, ExchangeDirection::Both, FilesToSend::SentByGit).unwrap(), Sent::All);

    alice.commit("private.txt", "for the first remote alone\n");
    alice.git(&["push", "-q", "origin", "HEAD"]);
    alice.git(&["remote", "remove", "second"]);
    pin(alice.blob_id("HEAD:private.txt"), alice.commit_id("HEAD"), "two");
    team.sync("alice").unwrap();
    alice.git(&["remote", "add", "second", "../second.git"]);
    alice.git(&["fetch", "-q", "second"]);
    let stopped = second(&team, ExchangeDirection::Both, FilesToSend::SentByGit).unwrap_err();
    let SyncError::Unsent { files, .. } = stopped else { panic!("{stopped}") };
    assert_eq!(files.iter().map(|file| file.blob).collect::<Vec<_>>(), [alice.blob_id("HEAD:private.txt")]);
}

#[test]
fn a_branch_that_was_rewritten_has_been_sent_all_the_same() {
    let team = two_remotes();
    let alice = team.clone_of("alice");
    alice.commit("file.txt", "first try\n");
    for remote in ["origin", "second"] {
        alice.git(&["push", "-q", remote, "HEAD:topic"]);
    }
    let first = comment_on(&alice, "HEAD", "file.txt");
    assert_eq!(alice.pins(), [first].into());
    alice.git(&["reset", "-q", "--hard", "HEAD~"]);
    alice.commit("file.txt", "second try\n");
    for remote in ["origin", "second"] {
        alice.git(&["push", "-q", "--force", remote, "HEAD:topic"]);
    }
    assert_eq!(team.sync("alice").unwrap().sent, Sent::All);
    assert_eq!(second(&team, ExchangeDirection::Both, FilesToSend::SentByGit).unwrap(), Sent::All);
    // One who has them again, after they were lost there, sends them again.
    for remote in ["remote.git", "second.git"] {
        team.sandbox.at(remote).git(&["update-ref", "-d", "refs/notes/reviews"]);
    }
    alice.git(&["reflog", "expire", "--expire=now", "--all"]);
    assert_eq!(team.sync("alice").unwrap().sent, Sent::All);
    assert_eq!(second(&team, ExchangeDirection::Both, FilesToSend::SentByGit).unwrap(), Sent::All);
}

#[test]
fn a_record_that_claims_a_commit_which_everybody_has_opens_no_door() {
    let team = two_remotes();
    let alice = team.clone_of("alice");
    alice.commit("private.txt", "for the first remote alone\n");
    alice.git(&["push", "-q", "origin", "HEAD"]);
    team.sync("alice").unwrap();
    let private = comment_on(&alice, "HEAD", "private.txt");
    team.sync("alice").unwrap();
    assert_eq!(alice.pins(), [private].into());
    let claim = about(alice.commit_id("HEAD~"), "file.txt", private);
    let store = alice.store();
    let batch = store.batch().add(Home::On(alice.object_id("HEAD")), claim);
    batch.write(&by_alice(), "Lie").unwrap();
    let stopped = second(&team, ExchangeDirection::Both, FilesToSend::SentByGit).unwrap_err();
    assert!(matches!(stopped, SyncError::Unsent { .. }), "{stopped}");
}

#[test]
fn an_address_is_known_by_the_remote_that_has_it_and_else_gets_nothing_unasked() {
    let team = two_remotes();
    let alice = team.clone_of("alice");
    alice.git(&["push", "-q", "second", "HEAD"]);
    comment_on(&alice, "HEAD", "file.txt");
    let address =
        |address: &str, files| team.sync_files_with("alice", address, ExchangeDirection::Both, files, LIMIT);
    assert_eq!(address("../second.git", FilesToSend::SentByGit).unwrap().sent, Sent::All);
    team.sandbox.git(&["init", "-q", "--bare", "third.git"]);
    assert!(matches!(address("../third.git", FilesToSend::SentByGit), Err(SyncError::Unsent { .. })));
    assert_eq!(address("../third.git", FilesToSend::All).unwrap().sent, Sent::All);
}
