//! A base that moves under the change, is rewritten, or is gone.

use postil_core::record::{Anchor, LineSpan, Range};
use postil_testkit::Sandbox;

use super::change::{Change, Comments, WORDS, edited};

#[test]
fn a_base_that_moves_on_carries_deleted_lines_along() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    let old = change.repo.git(&["rev-parse", "topic"]);
    change.repo.git(&["checkout", "-q", "main"]);
    change.commit("news", "f.rs", &edited(WORDS, &["golf+newer", "golf+new", "-yankee"]));
    let moved = [
        "anchored translated f.rs:3 added",
        "anchored translated f.rs:8 golf",
        "anchored translated f.rs:13 kilo",
        "anchored translated f.rs:22 tango uniform",
    ];
    change.repo.git(&["checkout", "-q", "topic"]);
    change.repo.git(&["rebase", "-q", "main"]);
    comments.check(&change, "main", "topic", moved);

    change.repo.git(&["reset", "-q", "--hard", &old]);
    change.repo.git(&["merge", "-q", "--no-edit", "main"]);
    comments.check(&change, "main", "topic", moved);
}

#[test]
fn a_rebase_outdates_the_comment_on_a_line_that_the_base_lost() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    change.repo.git(&["checkout", "-q", "main"]);
    // One deleted line goes, a kept line above it goes, and the other deleted lines move up.
    change.commit("fewer", "f.rs", &edited(WORDS, &["-golf", "-kilo"]));
    change.repo.git(&["checkout", "-q", "topic"]);
    change.repo.git(&["rebase", "-q", "-X", "ours", "main"]);
    assert_eq!(change.repo.git(&["log", "--format=%s", "main.."]), "swap\nadd");
    let seen = |anchor| change.seen(anchor, "main", "topic");
    assert_eq!(seen(&comments.added), "anchored translated f.rs:3 added");
    let kept = seen(&comments.kept);
    assert!(kept.starts_with("orphaned") || kept.starts_with("outdated"), "the line is gone: {kept}");
    assert_eq!(seen(&comments.deleted), "outdated deleted f.rs:9 juliet");
    assert_eq!(seen(&comments.block), "anchored translated f.rs:18 tango uniform");
}

#[test]
fn lines_that_moved_within_the_base_are_shifted_with_it() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let block = change.on_old("main", "topic", "f.rs", "tango", "uniform");
    change.repo.git(&["checkout", "-q", "main"]);
    let moved = edited(WORDS, &["-tango", "-uniform", "charlie+uniform", "charlie+tango"]);
    change.commit("move", "f.rs", &moved);
    let seen = |head| change.seen(&block, "main", head);
    assert_eq!(seen("main"), "outdated restored f.rs:4 tango uniform");
    change.commit("cut again", "f.rs", &edited(&moved, &["-tango", "-uniform"]));
    assert_eq!(change.seen(&block, "main^", "main"), "shifted moved f.rs:4 tango uniform");
}

#[test]
fn a_base_that_is_gone_leaves_the_pinned_file_to_go_by() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    let pin = |rev: &str| {
        let blob = change.repo.git(&["rev-parse", &format!("{rev}:f.rs")]);
        change.repo.git(&["update-ref", &format!("refs/test/{rev}"), &blob]);
    };
    pin("main");
    pin("topic");
    // Base and head are rewritten from nothing: no commit is left of what the reviewer saw.
    change.repo.git(&["checkout", "-q", "--orphan", "anew"]);
    change.commit("base", "f.rs", &edited(WORDS, &["alpha+first"]));
    change.repo.git(&["branch", "-q", "-M", "anew", "main"]);
    change.repo.git(&["checkout", "-q", "-B", "topic"]);
    change.commit(
        "all",
        "f.rs",
        &edited(WORDS, &["alpha+first", "bravo+added", "-kilo", "-tango", "-uniform"]),
    );
    let gone = comments.deleted.commit.expect("it was made on a commit").to_string();
    change.repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    change.repo.git(&["gc", "-q", "--prune=now"]);
    assert!(!change.repo.try_git(&["cat-file", "-e", &gone]).status.success(), "the commit is collected");
    comments.check(
        &change,
        "main",
        "topic",
        [
            "anchored translated f.rs:4 added",
            "anchored translated f.rs:9 golf",
            "anchored translated f.rs:12 kilo",
            "anchored translated f.rs:21 tango uniform",
        ],
    );
}

#[test]
fn where_the_file_is_gone_with_its_base_its_text_and_context_are_enough() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    let blob = change.repo.git(&["rev-parse", "main:f.rs"]);
    change.repo.git(&["checkout", "-q", "--orphan", "anew"]);
    change.commit("base", "f.rs", &edited(WORDS, &["alpha+first", "-yankee"]));
    change.repo.git(&["branch", "-q", "-M", "anew", "main"]);
    change.repo.git(&["checkout", "-q", "-B", "topic"]);
    change.commit("cut", "f.rs", &edited(WORDS, &["alpha+first", "-yankee", "-kilo"]));
    change.repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    change.repo.git(&["gc", "-q", "--prune=now"]);
    assert!(!change.repo.try_git(&["cat-file", "-e", &blob]).status.success(), "the file is collected");
    let seen = |anchor| change.seen(anchor, "main", "topic");
    assert_eq!(seen(&comments.deleted), "shifted text f.rs:12 kilo");
    assert_eq!(seen(&comments.block), "outdated restored f.rs:21 tango uniform");
    // An anchor that lies about its lines costs nothing.
    let all = LineSpan::from_numbers(1, u32::MAX).map(Range::lines);
    let liar = Anchor { range: all, ..comments.deleted.clone() };
    assert_eq!(seen(&liar), "shifted text f.rs:12 kilo");
    // Without a base there is nothing left to look in.
    assert_eq!(change.seen_alone(&comments.deleted, "topic", "main"), "orphaned file-deleted");
}

#[test]
fn without_a_base_the_one_of_the_comment_counts() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let comments = Comments::on(&change);
    let seen = |head| change.seen_alone(&comments.deleted, head, "topic~3");
    assert_eq!(seen("topic"), "anchored translated f.rs:11 kilo");
    assert_eq!(seen("topic~2"), "outdated restored f.rs:11 kilo");
}
