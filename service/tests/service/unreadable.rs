//! An answer says that something could not be read: a check that finds nothing must not pass then.

use std::path::PathBuf;

use postil_protocol::{List, Scope, Status};
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, service};

/// Takes the object of a name away; returns where it was and where it is.
fn lose(repo: &Checkout<'_>, name: &str) -> (PathBuf, PathBuf) {
    let id = repo.git(&["rev-parse", name]);
    let file = repo.dir.join(".git/objects").join(&id[..2]).join(&id[2..]);
    let aside = repo.dir.join(".git").join(id);
    repo.forget_kept();
    std::fs::rename(&file, &aside).unwrap();
    (file, aside)
}

fn bring_back((file, aside): (PathBuf, PathBuf)) {
    std::fs::rename(aside, file).unwrap();
}

/// How many threads are listed, and whether the list and the status say that there may be more.
fn look(who: &Asker<'_>, scope: Scope) -> (u32, bool, bool) {
    let list = who.ask(List { scope, ..List::default() });
    assert_eq!(list.incomplete, !list.warnings.is_empty(), "{:?}", list.warnings);
    let told: postil_protocol::ListReply =
        serde_json::from_slice(&who.told(List { scope, ..List::default() })).unwrap();
    assert_eq!((told.total, told.incomplete), (list.total, list.incomplete));
    (list.total, list.incomplete, who.ask(Status::default()).incomplete)
}

#[test]
fn a_hole_in_the_history_is_told_and_gone_when_it_is_filled() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    repo.commit("a.txt", "one\ntwo\n");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 2, "why?");
    repo.commit("b.txt", "b\n");
    repo.commit("c.txt", "c\n");
    assert_eq!(look(&ann, Scope::Seen), (1, false, false));
    let lost = lose(&repo, "HEAD^");
    repo.git(&["commit", "-q", "--allow-empty", "-m", "later"]);
    assert_eq!(look(&ann, Scope::Seen), (0, true, true));
    assert_eq!(look(&ann, Scope::All), (1, false, true), "nothing is left out of it");
    bring_back(lost);
    assert_eq!(look(&ann, Scope::Seen), (1, false, false));
}

#[test]
fn a_commented_commit_that_is_lost_is_still_in_the_history() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    repo.commit("a.txt", "one\ntwo\n");
    ann.comment("a.txt", 1, "older");
    repo.commit("a.txt", "one\ntwo\nthree\n");
    ann.comment("a.txt", 3, "newer");
    repo.commit("b.txt", "b\n");
    lose(&repo, "HEAD^");
    let (total, incomplete, _) = look(&ann, Scope::Seen);
    assert_eq!(
        (total, incomplete),
        (1, true),
        "the one on the lost commit is seen, the older one is behind it"
    );
}

#[test]
fn a_note_that_cannot_be_read_is_told() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    repo.commit("a.txt", "one\ntwo\n");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 2, "why?");
    let note = repo.git(&["notes", "--ref=reviews", "list", "HEAD"]);
    let lost = lose(&repo, &note);
    // One that has nothing in memory yet.
    let other = crate::asker::service();
    let bob = Asker::new(&other, "bob", &repo.dir);
    assert_eq!(look(&bob, Scope::Seen), (0, true, true));
    assert_eq!(look(&bob, Scope::All), (0, true, true));
    bring_back(lost);
    assert_eq!(look(&bob, Scope::Seen), (1, false, false));
}

#[test]
fn a_hole_in_the_history_is_told_even_if_every_commented_commit_is_lost() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    repo.commit("a.txt", "one\ntwo\n");
    ann.comment("a.txt", 1, "why?");
    repo.commit("b.txt", "b\n");
    repo.commit("c.txt", "c\n");
    repo.commit("d.txt", "d\n");
    let commented = lose(&repo, "HEAD~3");
    let between = lose(&repo, "HEAD~2");
    // One that has nothing in memory yet.
    let other = crate::asker::service();
    let bob = Asker::new(&other, "bob", &repo.dir);
    assert_eq!(look(&bob, Scope::Seen), (0, true, true), "it may be behind the hole");
    bring_back(between);
    assert_eq!(look(&bob, Scope::Seen), (1, false, false), "what is missing is the commented commit itself");
    bring_back(commented);
    assert_eq!(look(&bob, Scope::Seen), (1, false, false));
}

#[test]
fn a_note_that_was_damaged_and_is_repaired_is_read_again() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    repo.commit("a.txt", "one\ntwo\n");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 2, "why?");
    let note = repo.git(&["notes", "--ref=reviews", "list", "HEAD"]);
    let file = repo.dir.join(".git/objects").join(&note[..2]).join(&note[2..]);
    let whole = std::fs::read(&file).unwrap();
    let write = |content: &[u8]| {
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, content).unwrap();
    };
    // One that has nothing in memory yet, and lives on.
    let other = crate::asker::service();
    let bob = Asker::new(&other, "bob", &repo.dir);
    for damaged in [&whole[..whole.len() / 2], b"", &vec![0x5a; whole.len()]] {
        write(damaged);
        other.forget(&std::fs::canonicalize(repo.dir.join(".git")).unwrap());
        assert_eq!(look(&bob, Scope::Seen), (0, true, true));
        write(&whole);
        assert_eq!(look(&bob, Scope::Seen), (1, false, false));
    }
}
