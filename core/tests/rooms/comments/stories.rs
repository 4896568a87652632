//! Comments of a review, from the moment they are stored to where they are seen after people rewrote its branch.
//!
//! Each story runs through the whole of `core`, with the old commits collected: the records and their pins are all
//! that is left of what was commented on.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Base, locate_change};
use postil_core::git::RefName;
use postil_core::notes::Home;
use postil_core::record::{
    Anchor, AnchorSide, Body, CommentRecord, Record, RecordId, Seq, StatusWord, Timestamp,
};
use postil_core::review::{Branches, Following, HowMerged, ShowThreads, Threads, Viewpoint};
use postil_testkit::{Asked, Sandbox, alice, by_alice};

use super::kept::pinned;
use super::page::head;
use crate::deleted_lines::change::{Change, Comments, WORDS, edited, lines, topic};

/// Opens the review of `topic` and stores a comment on an added, a kept and a deleted line, and on a deleted block.
fn review(change: &Change<'_>) -> RecordId {
    let review = Asked(&change.repo).open("topic");
    let Comments { added, kept, deleted, block } = Comments::on(change);
    let store = change.repo.store();
    let mut batch = store.batch();
    for (number, anchor) in [added, kept, deleted, block].into_iter().enumerate() {
        let home = Home::of_anchor(&anchor).expect("it was made on a commit");
        batch = pinned(batch, &anchor).add(home, comment(review, anchor, &number.to_string()));
    }
    batch.write(&by_alice(), "Comment").expect("the comments are written");
    review
}

fn comment(review: RecordId, anchor: Anchor, text: &str) -> Record {
    let comment = CommentRecord {
        author: alice(),
        at: Timestamp(0),
        seq: Seq::default(),
        via: None,
        review: Some(review),
        parent: None,
        anchor: Some(anchor.into()),
        text: text.into(),
        severity: None,
        tags: Vec::new(),
        suggestion: Vec::new(),
    };
    Record::new(&Body::Comment(comment)).expect("the comment is short")
}

/// Forgets all that no ref leads to.
fn collect(change: &Change<'_>) {
    change.repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    change.repo.git(&["gc", "-q", "--prune=now"]);
}

/// Where the comments are that `branch` sees, in the order in which they were made: all of it read anew.
fn seen(change: &Change<'_>, review: RecordId, branch: &str) -> Vec<String> {
    let repo = change.repo.open();
    let (handle, branches) = (repo.handle(), Branches::read(&repo).expect("the branches can be read"));
    let snapshot = change.repo.store().read().expect("the store can be read");
    let threads = Threads::fold(snapshot.records());
    let following = Following::new(&handle, &branches);
    let to = head(&change.repo, branch);
    let name = RefName::new(&format!("refs/heads/{branch}")).expect("the name is plain");
    let from = Viewpoint { branch: Some(name), commit: to.commit };
    let sight = following.visible_from(&threads, &from, ShowThreads::Seen).expect("the history can be read");
    let group = threads.group_of(review).expect("the review is there");
    let fork = following.fork(group, to.commit.expect("a branch has a commit")).expect("they are related");
    let base = fork.to_string();
    let mut comments: Vec<_> = sight.threads.keys().filter_map(|id| threads.comment(*id)).collect();
    comments.sort_by_key(|comment| comment.text());
    let anchors: Vec<Anchor> = comments.iter().filter_map(|comment| comment.anchor()).cloned().collect();
    let base_id = Base { tree: change.tree(&base), commit: Some(fork) };
    let found = locate_change(&handle, &anchors, base_id, to, NonZeroUsize::MIN);
    let told = |(anchor, position): (&Anchor, Result<_, _>)| {
        let rev = if matches!(anchor.side, AnchorSide::Old(_)) { &base } else { branch };
        change.told(&position.expect("it can be located"), rev)
    };
    anchors.iter().zip(found).map(told).collect()
}

/// Reviews `topic`, does something to its branch, and expects where `branch` sees the comments.
fn check(rewrite: impl Fn(&Change<'_>), branch: &str, expected: [&str; 4]) {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let review = review(&change);
    assert_eq!(seen(&change, review, "topic"), UNMOVED, "as they were made");
    rewrite(&change);
    collect(&change);
    assert_eq!(seen(&change, review, branch), expected);
}

const UNMOVED: [&str; 4] = [
    "anchored translated f.rs:3 added",
    "anchored translated f.rs:8 golf",
    "anchored translated f.rs:11 kilo",
    "anchored translated f.rs:20 tango uniform",
];

/// The base gets a line at its beginning and loses one at its end.
fn move_base(change: &Change<'_>) {
    change.repo.git(&["checkout", "-q", "main"]);
    change.commit("news", "f.rs", &edited(WORDS, &["alpha+new", "-yankee"]));
    change.repo.git(&["checkout", "-q", "topic"]);
}

const ON_MOVED_BASE: [&str; 4] = [
    "anchored translated f.rs:4 added",
    "anchored translated f.rs:9 golf",
    "anchored translated f.rs:12 kilo",
    "anchored translated f.rs:21 tango uniform",
];

fn rebase(change: &Change<'_>, list: &str) {
    change.git_editing(&["rebase", "-q", "-i", "main"], list);
}

#[test]
fn a_base_that_moves_alone_changes_nothing_and_a_rebase_onto_it_carries_all() {
    check(move_base, "topic", UNMOVED);
    let rebased = |change: &Change<'_>| {
        move_base(change);
        change.repo.git(&["rebase", "-q", "main"]);
    };
    check(rebased, "topic", ON_MOVED_BASE);
    let merged = |change: &Change<'_>| {
        move_base(change);
        change.repo.git(&["merge", "-q", "--no-edit", "main"]);
    };
    check(merged, "topic", ON_MOVED_BASE);
}

#[test]
fn reordered_squashed_and_split_commits_carry_all() {
    let reordered = |change: &Change<'_>| {
        move_base(change);
        rebase(change, "sed -i -n '1!G;h;$p'");
    };
    check(reordered, "topic", ON_MOVED_BASE);
    let squashed = |change: &Change<'_>| {
        move_base(change);
        rebase(change, "sed -i '2,3s/^pick/squash/'");
    };
    check(squashed, "topic", ON_MOVED_BASE);
    let split = |change: &Change<'_>| {
        rebase(change, "sed -i '3s/^pick/edit/'");
        change.repo.git(&["reset", "-q", "--hard", "HEAD^"]);
        change.commit("first half", "f.rs", &edited(WORDS, &["bravo+added", "-kilo", "-tango"]));
        change.commit("second half", "f.rs", &topic());
        change.git_editing(&["rebase", "--continue"], "true");
    };
    check(split, "topic", UNMOVED);
}

#[test]
fn a_dropped_commit_outdates_what_was_on_it_alone() {
    let [added, kept, _, block] = ON_MOVED_BASE;
    let dropped = |change: &Change<'_>| {
        move_base(change);
        rebase(change, "sed -i '2s/^pick/drop/'");
    };
    check(dropped, "topic", [added, kept, "outdated restored f.rs:12 kilo", block]);
}

#[test]
fn an_amended_commit_outdates_what_it_takes_back() {
    let amended = |change: &Change<'_>| {
        change.repo.write("f.rs", lines(&edited(WORDS, &["bravo+added", "-kilo"])));
        change.repo.git(&["commit", "-q", "-a", "--amend", "--allow-empty", "-m", "amended"]);
    };
    let [added, kept, deleted, _] = UNMOVED;
    check(amended, "topic", [added, kept, deleted, "outdated restored f.rs:20 tango uniform"]);
}

#[test]
fn a_renamed_branch_sees_its_comments_where_they_were() {
    let renamed = |change: &Change<'_>| {
        move_base(change);
        change.repo.git(&["branch", "-M", "topic", "better-name"]);
    };
    check(renamed, "better-name", UNMOVED);
}

#[test]
fn after_a_squash_merge_the_base_sees_the_comments_of_the_branch_that_is_gone() {
    let squashed = |change: &Change<'_>| {
        move_base(change);
        change.repo.git(&["checkout", "-q", "main"]);
        change.repo.git(&["merge", "-q", "--squash", "topic"]);
        change.repo.git(&["commit", "-q", "-m", "topic, squashed"]);
        change.repo.git(&["branch", "-q", "-D", "topic"]);
        // Somebody notices while the work is still there to compare with.
        let threads = Asked(&change.repo).threads();
        let review = threads.reviews().first().expect("there is one").id();
        let merged = Asked(&change.repo).followed(review).merged;
        assert_eq!(merged, Some(HowMerged::Squash(change.repo.commit_id("main"))));
        Asked(&change.repo).end(review, StatusWord::Merged);
    };
    // Deleted lines are lines of the base at which the review began.
    let [added, kept, _, _] = ON_MOVED_BASE;
    let [_, _, deleted, block] = UNMOVED;
    check(squashed, "main", [added, kept, deleted, block]);
}

#[test]
fn a_branch_that_the_work_was_picked_to_sees_the_comments_too() {
    let picked = |change: &Change<'_>| {
        change.repo.git(&["checkout", "-q", "-b", "release", "main"]);
        change.commit("older words", "f.rs", &edited(WORDS, &["alpha+legacy", "-xray"]));
        change.repo.git(&["cherry-pick", "main..topic"]);
    };
    let [added, kept, _, _] = ON_MOVED_BASE;
    let [_, _, deleted, block] = UNMOVED;
    check(picked, "release", [added, kept, deleted, block]);
}
