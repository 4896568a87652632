//! What is kept for a comment, so that it can be placed when everything else of its change is gone.

use postil_core::notes::{Batch, Draft, DraftPin, DraftsOf, Home};
use postil_core::record::{Anchor, Body, CommentRecord, Record, Seq, Timestamp};
use postil_testkit::{Sandbox, alice, by_alice};

use super::mixed::{every_kind, seen_together};
use crate::deleted_lines::change::{Change, Comments, WORDS, edited};

/// The batch, with every blob pinned that the anchor needs.
pub fn pinned<'store>(batch: Batch<'store>, anchor: &Anchor) -> Batch<'store> {
    anchor.blobs().fold(batch, |batch, (blob, commit)| batch.pin(blob, commit))
}

fn comment(anchor: &Anchor) -> Record {
    let comment = CommentRecord {
        author: alice(),
        at: Timestamp(1_700_000_000_000),
        seq: Seq::new(1),
        via: None,
        review: None,
        parent: None,
        anchor: Some(anchor.clone().into()),
        text: "why?".into(),
        severity: None,
        tags: Vec::new(),
        suggestion: Vec::new(),
    };
    Record::new(&Body::Comment(comment)).expect("the comment is short")
}

/// Makes all of the history anew, with the same words and one more, and collects the old one.
fn begin_anew(change: &Change<'_>) {
    let gone = change.repo.git(&["rev-parse", "main", "topic"]);
    change.repo.git(&["checkout", "-q", "--orphan", "anew"]);
    change.commit("base", "f.rs", &edited(WORDS, &["alpha+first", "-yankee"]));
    change.repo.git(&["branch", "-q", "-M", "anew", "main"]);
    change.repo.git(&["checkout", "-q", "-B", "topic"]);
    let again = ["alpha+first", "-yankee", "bravo+added", "-kilo", "-tango", "-uniform"];
    change.commit("all", "f.rs", &edited(WORDS, &again));
    change.repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    change.repo.git(&["gc", "-q", "--prune=now"]);
    for commit in gone.lines() {
        assert!(!change.repo.try_git(&["cat-file", "-e", commit]).status.success(), "{commit} is collected");
    }
}

#[test]
fn comments_of_every_kind_are_placed_when_base_and_head_are_collected() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let anchors = every_kind(&change);
    let store = change.repo.store();
    let mut batch = store.batch();
    for anchor in &anchors {
        let home = Home::of_anchor(anchor).expect("it was made on a commit");
        batch = pinned(batch, anchor).add(home, comment(anchor));
    }
    batch.write(&by_alice(), "Comment").expect("the comments are written");
    begin_anew(&change);
    for (blob, _) in anchors.iter().flat_map(Anchor::blobs) {
        assert!(
            change.repo.try_git(&["cat-file", "-e", &blob.to_string()]).status.success(),
            "{blob} is kept"
        );
    }
    let expected = [
        "anchored translated f.rs:12",
        "anchored translated README.md:3 \"about words, which are lines\" \"*about* words, which are `lines`\"",
        "anchored translated f.rs:4",
        "anchored translated f.rs",
        "anchored translated f.rs:21",
        "anchored translated f.rs:9",
    ];
    assert_eq!(seen_together(&change.repo, &anchors, "main", "topic"), expected);
}

#[test]
fn drafts_keep_both_sides_too_and_publish_them() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let deleted = Comments::on(&change).deleted;
    let home = Home::of_anchor(&deleted).expect("it was made on a commit");
    let draft = Draft { review: None, home, record: comment(&deleted), pins: DraftPin::of_anchor(&deleted) };
    let store = change.repo.store();
    store.add_drafts(&[draft], &by_alice()).expect("the draft is kept");
    begin_anew(&change);
    let expected = ["anchored translated f.rs:12"];
    assert_eq!(seen_together(&change.repo, std::slice::from_ref(&deleted), "main", "topic"), expected);
    store.publish(DraftsOf::Anything, &by_alice(), "Publish").expect("the draft is published");
    change.repo.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(seen_together(&change.repo, std::slice::from_ref(&deleted), "main", "topic"), expected);
}

#[test]
fn a_comment_on_a_deleted_file_goes_with_its_head_and_keeps_its_base() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    change.repo.git(&["rm", "-q", "f.rs"]);
    change.repo.git(&["commit", "-q", "-m", "no file"]);
    let anchor = change.on_old("main", "topic", "f.rs", "kilo", "kilo");
    let (head, base) = (change.repo.commit_id("topic"), change.repo.blob_id("main:f.rs"));
    assert_eq!(anchor.blobs().collect::<Vec<_>>(), [(base, Some(change.repo.commit_id("main")))]);
    assert_eq!(Home::of_anchor(&anchor), Some(Home::Anchor { commit: Some(head), blob: base }));
}
