//! Which threads are seen from where.

use std::collections::BTreeMap;

use postil_core::record::{RecordId, StatusWord};
use postil_core::review::{ShowThreads, WhyVisible};
use postil_testkit::{Asked, Checkout, Sandbox};

const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn world(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = sandbox.init("repo", &[]);
    repo.commit_at(0, "file", BASE);
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(1, "file", &BASE.replace("two", "TWO"));
    repo.commit_at(2, "file", &BASE.replace("two", "TWO").replace("five", "FIVE"));
    repo
}

fn seen(repo: &Checkout<'_>, rev: &str) -> BTreeMap<RecordId, WhyVisible> {
    Asked(repo).visible_from(rev, ShowThreads::Seen)
}

#[test]
fn a_head_sees_the_reviews_of_its_branch_and_what_is_in_its_history() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let asked = Asked(&repo);
    let review = asked.open("topic");
    let in_review = asked.comment(Some(review), "topic", "file", "why?");
    let on_all = asked.remark(Some(review), "nice");
    let on_main = asked.comment(None, "main", "file", "old");
    let on_uncommitted = asked.remark(None, "what is this?");

    let from_topic = [
        (in_review, WhyVisible::Branch),
        (on_all, WhyVisible::Branch),
        (on_main, WhyVisible::History),
        (on_uncommitted, WhyVisible::Homeless),
    ];
    assert_eq!(seen(&repo, "topic"), BTreeMap::from(from_topic));
    let from_main = BTreeMap::from([(on_main, WhyVisible::History), (on_uncommitted, WhyVisible::Homeless)]);
    assert_eq!(seen(&repo, "main"), from_main);
    let all = asked.visible_from("main", ShowThreads::All);
    assert_eq!((all.len(), all[&in_review]), (4, WhyVisible::Everything));

    repo.git(&["switch", "-q", "--detach", "topic~1"]);
    assert_eq!(seen(&repo, "HEAD"), from_main, "the comment is on a later commit");
    repo.git(&["switch", "-q", "--detach", "topic"]);
    assert_eq!(seen(&repo, "HEAD").get(&in_review), Some(&WhyVisible::History));
}

#[test]
fn after_amends_and_rebases_a_branch_sees_its_threads_and_its_base_does_not() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let asked = Asked(&repo);
    let review = asked.open("topic");
    let thread = asked.comment(Some(review), "topic", "file", "why?");
    repo.git(&["switch", "-q", "main"]);
    repo.commit_at(10, "other", "upstream\n");
    for step in [&["rebase", "-q", "main", "topic"][..], &["commit", "-q", "--amend", "-m", "reworded"]] {
        repo.git(step);
        assert_eq!(seen(&repo, "topic"), BTreeMap::from([(thread, WhyVisible::Branch)]));
        assert_eq!(seen(&repo, "main"), BTreeMap::new());
    }
}

#[test]
fn the_threads_of_merged_work_are_seen_from_its_base_and_from_what_grows_out_of_it() {
    for how in ["--no-ff", "--ff-only", "--squash", "pick"] {
        let sandbox = Sandbox::new();
        let repo = world(&sandbox);
        let asked = Asked(&repo);
        let review = asked.open("topic");
        let on_line = asked.comment(Some(review), "topic", "file", "why?");
        let on_all = asked.remark(Some(review), "nice");
        repo.git(&["branch", "-q", "stable", "main"]);
        repo.git(&["switch", "-q", "main"]);
        match how {
            "pick" => {
                repo.commit_at(10, "other", "upstream\n");
                repo.git_at(20, &["cherry-pick", "main..topic"]);
            }
            "--squash" => {
                repo.commit_at(10, "other", "upstream\n");
                repo.git(&["merge", "-q", how, "topic"]);
                repo.git_at(20, &["commit", "-q", "-m", "all of topic"]);
            }
            _ => repo.git_at(20, &["merge", "-q", how, "--no-edit", "topic"]),
        }
        repo.git(&["branch", "-q", "-D", "topic"]);
        repo.git(&["switch", "-q", "-c", "next"]);
        repo.commit_at(30, "later", "later\n");
        for from in ["main", "next"] {
            let seen = seen(&repo, from);
            assert_eq!(seen.get(&on_all), Some(&WhyVisible::Merged), "{how} from {from}");
            assert!(seen.contains_key(&on_line), "{how} from {from}");
        }
        assert_eq!(seen(&repo, "stable"), BTreeMap::new(), "{how}");
    }
}

#[test]
fn a_release_branch_that_the_work_was_picked_to_sees_its_threads() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let asked = Asked(&repo);
    let review = asked.open("topic");
    let thread = asked.comment(Some(review), "topic", "file", "why?");
    repo.git(&["switch", "-q", "-c", "stable", "main"]);
    repo.commit_at(10, "other", "stable\n");
    assert_eq!(seen(&repo, "stable"), BTreeMap::new());
    repo.git_at(20, &["cherry-pick", "main..topic"]);
    assert_eq!(seen(&repo, "stable"), BTreeMap::from([(thread, WhyVisible::Merged)]));
    assert_eq!(seen(&repo, "main"), BTreeMap::new());
}

#[test]
fn what_a_person_calls_merged_is_seen_from_the_base_and_what_is_closed_is_not() {
    let check = |status, expected: Option<WhyVisible>| {
        let sandbox = Sandbox::new();
        let repo = world(&sandbox);
        let asked = Asked(&repo);
        let review = asked.open("topic");
        let thread = asked.comment(Some(review), "topic", "file", "why?");
        repo.git(&["switch", "-q", "main"]);
        repo.commit_at(10, "file", "solved in another way\n");
        asked.end(review, status);
        assert_eq!(seen(&repo, "main").get(&thread).copied(), expected);
        assert_eq!(seen(&repo, "topic").get(&thread), Some(&WhyVisible::Branch));
    };
    check(StatusWord::Merged, Some(WhyVisible::Merged));
    check(StatusWord::Closed, None);
}

#[test]
fn a_renamed_branch_sees_the_threads_of_its_review() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let asked = Asked(&repo);
    let review = asked.open("topic");
    let remark = asked.remark(Some(review), "nice");
    repo.git(&["branch", "-m", "topic", "better-name"]);
    repo.commit_at(3, "more", "more\n");
    assert_eq!(seen(&repo, "better-name"), BTreeMap::from([(remark, WhyVisible::Branch)]));
    assert_eq!(seen(&repo, "main"), BTreeMap::new());
}
