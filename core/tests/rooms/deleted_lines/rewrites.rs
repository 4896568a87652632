//! The same commits, made anew: amended, reordered, squashed, split, dropped, picked, merged.

use postil_testkit::Sandbox;

use super::change::{Change, Comments, WORDS, edited, lines, topic};

/// Where the comments are as long as the change is the same.
const UNMOVED: [&str; 4] = [
    "anchored translated f.rs:3 added",
    "anchored translated f.rs:8 golf",
    "anchored translated f.rs:11 kilo",
    "anchored translated f.rs:20 tango uniform",
];

#[test]
fn a_comment_is_where_it_was_made() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    Comments::on(&change).check(&change, "main", "topic", UNMOVED);
}

#[test]
fn commits_in_another_order_change_nothing() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    // `tac` would reverse the comments of the list too, and they do not mind.
    change.git_editing(&["rebase", "-q", "-i", "main"], "sed -i -n '1!G;h;$p'");
    assert_eq!(change.repo.git(&["log", "--format=%s", "main.."]), "add\ncut\nswap");
    comments.check(&change, "main", "topic", UNMOVED);
}

#[test]
fn squashed_commits_change_nothing() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    change.git_editing(&["rebase", "-q", "-i", "main"], "sed -i '2,3s/^pick/squash/'");
    assert_eq!(change.repo.git(&["rev-list", "--count", "main.."]), "1");
    comments.check(&change, "main", "topic", UNMOVED);
}

#[test]
fn a_split_commit_is_followed_through_its_halves() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    change.git_editing(&["rebase", "-q", "-i", "main"], "sed -i '2s/^pick/edit/'");
    change.repo.git(&["reset", "-q", "--hard", "HEAD^"]);
    change.commit("first half", "f.rs", &edited(WORDS, &["bravo+added", "mike+halfway"]));
    change.commit("second half", "f.rs", &edited(WORDS, &["bravo+added", "mike+halfway", "-kilo"]));
    // Halfway, the line is not deleted yet, and the comment on it is outdated there.
    assert_eq!(change.seen(&comments.deleted, "main", "HEAD^"), "outdated restored f.rs:11 kilo");
    change.git_editing(&["rebase", "--continue"], "true");
    assert_eq!(change.repo.git(&["rev-list", "--count", "main..topic"]), "4");
    comments.check(&change, "main", "topic", UNMOVED);
}

#[test]
fn a_dropped_commit_takes_back_its_deletions_and_additions() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    let whole = change.repo.git(&["rev-parse", "topic"]);
    change.git_editing(&["rebase", "-q", "-i", "main"], "sed -i '2s/^pick/drop/'");
    let [added, kept, _, block] = UNMOVED;
    comments.check(&change, "main", "topic", [added, kept, "outdated restored f.rs:11 kilo", block]);

    change.repo.git(&["reset", "-q", "--hard", &whole]);
    change.git_editing(&["rebase", "-q", "-i", "main"], "sed -i '1s/^pick/drop/'");
    let seen = change.seen(&comments.added, "main", "topic");
    assert!(!seen.starts_with("anchored") && !seen.starts_with("shifted"), "the line is gone: {seen}");
    let rest = [&comments.kept, &comments.deleted].map(|anchor| change.seen(anchor, "main", "topic"));
    assert_eq!(rest, ["anchored translated f.rs:7 golf", "anchored translated f.rs:11 kilo"]);
}

#[test]
fn an_amended_commit_can_take_a_deletion_back_and_make_it_again() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    let amend = |words: &str| {
        change.repo.write("f.rs", lines(words));
        change.repo.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]);
    };
    let half = edited(WORDS, &["alpha+earlier", "bravo+added", "-tango", "-kilo"]);
    amend(&half);
    let [added, kept] = ["anchored translated f.rs:4 added", "anchored translated f.rs:9 golf"];
    let [deleted, block] = [UNMOVED[2], UNMOVED[3]];
    comments.check(&change, "main", "topic", [added, kept, deleted, "outdated restored f.rs:20 tango"]);

    amend(&edited(WORDS, &["alpha+earlier", "bravo+added"]));
    let taken_back = "outdated restored f.rs:11 kilo";
    let block_back = "outdated restored f.rs:20 tango uniform";
    comments.check(&change, "main", "topic", [added, kept, taken_back, block_back]);

    amend(&topic());
    comments.check(&change, "main", "topic", [UNMOVED[0], UNMOVED[1], deleted, block]);
}

#[test]
fn a_squash_merge_is_the_same_change_and_its_branch_may_go() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    change.repo.git(&["checkout", "-q", "main"]);
    change.commit("other work", "other.rs", "unrelated");
    change.repo.git(&["merge", "-q", "--squash", "topic"]);
    change.repo.git(&["commit", "-q", "-m", "topic, squashed"]);
    change.repo.git(&["branch", "-q", "-D", "topic"]);
    change.repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    change.repo.git(&["gc", "-q", "--prune=now"]);
    comments.check(&change, "main^", "main", UNMOVED);
    // Seen from the branch that has the change, the base has lost the lines.
    let [added, kept, ..] = UNMOVED;
    comments.check(
        &change,
        "main",
        "main",
        [added, kept, "outdated deleted f.rs:11 juliet", "outdated changed-in-place f.rs:20 instead"],
    );
}

#[test]
fn a_cherry_pick_to_another_branch_carries_the_comments_there() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    change.repo.git(&["checkout", "-q", "-b", "release", "main"]);
    change.commit("older words", "f.rs", &edited(WORDS, &["alpha+legacy", "-echo", "-yankee"]));
    change.repo.git(&["branch", "picked"]);
    change.repo.git(&["checkout", "-q", "picked"]);
    change.repo.git(&["cherry-pick", "main..topic"]);
    comments.check(
        &change,
        "release",
        "picked",
        [
            "anchored translated f.rs:4 added",
            "anchored translated f.rs:8 golf",
            "anchored translated f.rs:11 kilo",
            "anchored translated f.rs:20 tango uniform",
        ],
    );
    // Of the three commits, only one is picked: what it does not delete is not deleted there.
    change.repo.git(&["checkout", "-q", "-b", "one", "release"]);
    change.repo.git(&["cherry-pick", "topic~1"]);
    let seen = [&comments.deleted, &comments.block].map(|anchor| change.seen(anchor, "release", "one"));
    assert_eq!(seen, ["anchored translated f.rs:11 kilo", "outdated restored f.rs:20 tango uniform"]);
}
