//! What stock git does to the notes, and that nothing is lost by it.

mod support;

use support::{Sandbox, by_alice};

#[test]
fn a_comment_is_read_back_and_stock_git_shows_the_note() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let written = repo.say("HEAD", "why?");
    assert_eq!(repo.record_ids().into_iter().collect::<Vec<_>>(), written.ids);
    assert_eq!(
        repo.git(&["notes", "--ref=reviews", "list"]).split(' ').nth(1),
        Some(&*repo.git(&["rev-parse", "HEAD"]))
    );
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn a_removed_note_comes_back_once() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "why?");
    let before = repo.record_ids();
    repo.git(&["notes", "--ref=reviews", "remove", "HEAD"]);
    assert!(repo.record_ids().is_empty());
    let checked = repo.store().check(&by_alice()).unwrap();
    assert_eq!((checked.records, checked.pins, checked.restored), (1, 0, false));
    assert_eq!(repo.record_ids(), before);
    let tip = repo.commit_id("refs/notes/reviews");
    assert!(!repo.store().check(&by_alice()).unwrap().healed());
    assert_eq!(repo.commit_id("refs/notes/reviews"), tip);
    assert!(repo.git(&["log", "-1", "--format=%B", "refs/notes/reviews"]).contains("postil purge"));
}
