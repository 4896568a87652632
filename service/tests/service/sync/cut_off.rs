//! Clones that do not have everything take part, and nothing of the notes is left out of them.

use postil_core::notes::refs;
use postil_core::sync::{ExchangeDirection, Sent};
use postil_testkit::{binary_comment, by_alice};

use super::team::{LIMIT, Team};

/// What `postil init` sets.
const FETCHED: &str = "+refs/notes/review*:refs/postil/remotes/origin/review*";

#[test]
fn shallow_and_partial_clones_take_part() {
    let team = team_that_said(3);
    let alice = team.clone_of("alice");
    team.remote().git(&["config", "uploadpack.allowFilter", "true"]);
    team.add("shallow", &["--depth=1", &address(&team)]);
    team.add("partial", &["--filter=blob:none", &address(&team)]);
    for (n, name) in ["shallow", "partial"].into_iter().enumerate() {
        let before = team.clone_of(name).record_ids().len();
        assert_eq!(before, 0);
        assert_eq!(team.sync(name).unwrap().came.comments, 3 + n, "{name}");
        team.clone_of(name).say("HEAD", name);
        assert_eq!(team.sync(name).unwrap().went.comments, 1, "{name}");
    }
    team.sync("alice").unwrap();
    assert_eq!(alice.record_ids().len(), 5);
    // Nothing of the notes is left out: they are read without the remote.
    team.remote().git(&["config", "uploadpack.allowFilter", "false"]);
    std::fs::rename(&team.remote().dir, team.remote().dir.with_extension("away")).unwrap();
    assert_eq!(team.clone_of("partial").record_ids().len(), 5);
    assert!(team.sync("partial").unwrap_err().to_string().contains("could not fetch from origin"));
}

#[test]
fn what_a_plain_fetch_left_out_of_a_partial_clone_is_fetched() {
    let team = team_that_said(3);
    team.remote().git(&["config", "uploadpack.allowFilter", "true"]);
    for (more, filter) in ["blob:none", "tree:0"].into_iter().enumerate() {
        let name = filter.replace(':', "-");
        team.add(&name, &[&format!("--filter={filter}"), &address(&team)]);
        let partial = team.clone_of(&name);
        partial.git(&["config", "--add", "remote.origin.fetch", FETCHED]);
        partial.git(&["fetch", "-q"]);
        assert_ne!(missing(&team, &name, "refs/postil/remotes/origin/reviews"), "", "{filter}");
        // What comes now builds on what is missing.
        team.clone_of("alice").say("HEAD", filter);
        team.sync("alice").unwrap();
        assert_eq!(team.sync(&name).unwrap().came.comments, 4 + more, "{filter}");
        assert_eq!(missing(&team, &name, "refs/notes/reviews"), "", "{filter}");
        assert_eq!(partial.record_ids().len(), 4 + more, "{filter}");
    }
}

#[test]
fn notes_of_which_blobs_are_missing_become_whole_again() {
    let team = team_that_said(2);
    team.remote().git(&["config", "uploadpack.allowFilter", "true"]);
    team.add("partial", &["--filter=blob:none", &address(&team)]);
    let partial = team.clone_of("partial");
    partial.git(&["fetch", "-q", "origin", "+refs/notes/*:refs/notes/*"]);
    assert_eq!(partial.record_ids().len(), 0);
    team.sync("partial").unwrap();
    assert_eq!(partial.record_ids().len(), 2);
}

#[test]
fn a_shallow_fetch_does_not_cut_the_notes_for_long_nor_make_the_code_whole() {
    let team = team_that_said(3);
    team.add("shallow", &["--depth=1", &address(&team)]);
    let shallow = team.clone_of("shallow");
    shallow.git(&["config", "--add", "remote.origin.fetch", FETCHED]);
    shallow.git(&["fetch", "-q", "--depth=1"]);
    let commits = |name: &str| shallow.git(&["rev-list", "--count", name]);
    assert_eq!(commits("refs/postil/remotes/origin/reviews"), "1");
    assert_eq!(team.sync("shallow").unwrap().came.comments, 3);
    assert_eq!(commits("refs/notes/reviews"), "3");
    assert_eq!(commits("HEAD"), "1");
    // A remote takes no history that is cut off.
    team.sandbox.git(&["init", "-q", "--bare", "other.git"]);
    assert_eq!(
        team.sync_with("shallow", "../other.git", ExchangeDirection::Both, LIMIT).unwrap().sent,
        Sent::All
    );
}

#[test]
fn what_was_lost_before_a_shallow_fetch_began_comes_back_with_the_rest() {
    let team = team_that_said(2);
    let remote = team.remote();
    // Stock git, in somebody's hands: the remote has it in its history, and not in its notes.
    remote.git(&["notes", "--ref=reviews", "remove", "HEAD"]);
    remote.git(&["notes", "--ref=reviews", "add", "-m", "words of stock git", "HEAD~"]);
    team.add("shallow", &["--depth=1", &address(&team)]);
    let shallow = team.clone_of("shallow");
    shallow.git(&["fetch", "-q", "--depth=1", "origin", "refs/notes/reviews:refs/notes/reviews"]);
    let checked = shallow.store().check(&by_alice()).unwrap();
    assert_eq!((checked.records, shallow.record_ids().len()), (0, 0), "nothing tells that there was more");
    assert!(shallow.store().is_cut_off().unwrap());
    let synced = team.sync("shallow").unwrap();
    assert_eq!((synced.checked.records, synced.went.comments), (2, 2));
    assert!(!shallow.store().is_cut_off().unwrap());
}

#[test]
fn a_history_that_a_shallow_fetch_cuts_here_heals_as_far_as_it_is_here() {
    let team = team_that_said(1);
    let alice = team.clone_of("alice");
    alice.git(&["remote", "set-url", "origin", &address(&team)]);
    alice.git(&["config", "--add", "remote.origin.fetch", FETCHED]);
    // Appended by stock git and lost again, and only then pushed: nobody has checked it in between.
    let note = alice.git(&["notes", "--ref=reviews", "list", "HEAD"]);
    let appended = binary_comment("between two checks");
    alice.git_with(&["hash-object", "-w", "--stdin"], appended.as_bytes());
    let blob = alice.git_with(&["hash-object", "--stdin"], appended.as_bytes());
    let blob = String::from_utf8(blob).unwrap();
    alice.git(&["notes", "--ref=reviews", "add", "-f", "-C", blob.trim(), "HEAD"]);
    alice.git(&["notes", "--ref=reviews", "add", "-f", "-C", &note, "HEAD"]);
    alice.git(&["notes", "--ref=reviews", "add", "-m", "words of stock git", "HEAD~"]);
    alice.git(&["push", "-q", "origin", "refs/notes/reviews"]);
    alice.git(&["fetch", "-q", "--depth=1"]);
    assert_eq!(alice.git(&["rev-list", "--count", "refs/notes/reviews"]), "1", "it is cut off");
    assert_eq!(alice.store().check(&by_alice()).unwrap().records, 1);
    assert!(alice.record_ids().contains(&appended.id()));
}

#[test]
fn notes_that_are_cut_off_here_are_not_sent_where_the_rest_is_missing() {
    let team = team_that_said(3);
    team.add("shallow", &["--depth=1", &address(&team)]);
    let shallow = team.clone_of("shallow");
    shallow.git(&["fetch", "-q", "--depth=1", "origin", "refs/notes/reviews:refs/notes/reviews"]);
    team.sandbox.git(&["init", "-q", "--bare", "other.git"]);
    let to_other = || team.sync_with("shallow", "../other.git", ExchangeDirection::Both, LIMIT);
    let said = to_other().unwrap_err().to_string();
    assert!(said.contains("the reviews here are incomplete"), "{said}");
    team.sync("shallow").unwrap();
    assert_eq!(to_other().unwrap().sent, Sent::All);
}

#[test]
fn a_remote_whose_own_notes_are_cut_off_is_an_error_that_says_so() {
    let team = team_that_said(3);
    team.add("shallow", &["--depth=1", &address(&team)]);
    team.clone_of("shallow").git(&[
        "fetch",
        "-q",
        "--depth=1",
        "origin",
        "refs/notes/reviews:refs/notes/reviews",
    ]);
    // A clone by path would copy the objects of the notes too.
    team.add("bob", &[&address(&team)]);
    let from_shallow = || team.sync_with("bob", "../shallow", ExchangeDirection::FetchOnly, LIMIT);
    assert!(from_shallow().unwrap_err().to_string().contains("because of a shallow fetch"));
    team.sync("shallow").unwrap();
    assert_eq!(from_shallow().unwrap().came.comments, 3);
}

/// Alice said so much, one by one, about the second commit of the code.
fn team_that_said(count: usize) -> Team {
    let team = Team::of(&["alice"]);
    let alice = team.clone_of("alice");
    alice.commit("more.txt", "more\n");
    alice.git(&["push", "-q", "origin", "HEAD"]);
    for n in 0..count {
        alice.say("HEAD", &format!("comment {n}"));
        team.sync("alice").unwrap();
    }
    team
}

/// The remote, in the form in which git does as over a network.
fn address(team: &Team) -> String {
    format!("file://{}", team.remote().dir.display())
}

fn missing(team: &Team, name: &str, reference: &str) -> String {
    let found = team.clone_of(name).git(&["rev-list", "--objects", "--missing=print", reference]);
    found.lines().filter(|line| line.starts_with('?')).collect()
}

#[test]
fn a_sync_completes_notes_whose_tip_cannot_be_read() {
    for rev in [refs::NOTES, "refs/notes/reviews^{tree}"] {
        for is_missing in [true, false] {
            let team = team_that_said(2);
            let alice = team.clone_of("alice");
            team.sync("alice").unwrap();
            assert_eq!(alice.record_ids().len(), 2);
            let id = alice.git(&["rev-parse", rev]);
            // She wrote it, so it is a loose object.
            let file = alice.dir.join(".git/objects").join(&id[..2]).join(&id[2..]);
            alice.forget_kept();
            std::fs::remove_file(&file).unwrap();
            if !is_missing {
                std::fs::write(&file, b"rubbish").unwrap();
            }
            let third = alice.say("HEAD", "written meanwhile").ids[0];
            assert_eq!(alice.store().lost_tips().len(), 1);
            assert_eq!(alice.record_ids().len(), 2, "the last comment was in the lost commit");
            team.sync("alice").unwrap();
            assert_eq!(alice.record_ids().len(), 3, "{rev} {is_missing}");
            assert!(alice.record_ids().contains(&third));
            assert_eq!(alice.store().lost_tips(), []);
            alice.git(&["rev-list", "--objects", "--quiet", refs::NOTES]);
        }
    }
}
