//! What a look at the branches tells about reviews is written once, by whoever looks, and never against a person.

use postil_core::record::{Body, Record, RecordId, StatusWord};
use postil_core::review::{BranchFound, ReviewRequest, ReviewState, ShowThreads, WhyVisible};
use postil_testkit::{Asked, Checkout, Sandbox, full};

const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// Brings a branch into the one that is checked out.
type Merge = fn(&Checkout<'_>);

/// A branch of two commits on a `main` that has moved; the branch is checked out.
fn world(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = sandbox.init("repo", &[]);
    repo.commit_at(0, "file", BASE);
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(1, "file", &BASE.replace("two", "TWO"));
    repo.commit_at(2, "extra", "extra\n");
    repo.git(&["switch", "-q", "main"]);
    repo.commit_at(10, "file", &BASE.replace("nine", "NINE"));
    repo.git(&["switch", "-q", "topic"]);
    repo
}

fn state(repo: &Checkout<'_>, review: RecordId) -> ReviewState {
    Asked(repo).threads().review(review).expect("the review is there").state()
}

fn reason(record: &Record) -> Option<String> {
    match record.body().expect("it was just made") {
        Body::Status(status) => {
            assert_eq!((status.author.name.as_str(), status.author.email.as_str()), ("postil", ""));
            status.reason
        }
        body => panic!("no status: {body:?}"),
    }
}

fn collect_garbage(repo: &Checkout<'_>) {
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
}

#[test]
fn a_merge_is_noticed_once_however_it_came_and_its_threads_are_seen_from_the_base() {
    let ways: [(&str, Merge); 4] = [
        ("merge commit", |repo| repo.git_at(20, &["merge", "-q", "--no-ff", "--no-edit", "topic"])),
        ("fast-forward", |repo| {
            repo.git(&["rebase", "-q", "main", "topic"]);
            assert_eq!(Asked(repo).notice(), []);
            repo.git(&["switch", "-q", "main"]);
            repo.git(&["merge", "-q", "--ff-only", "topic"]);
        }),
        ("rebase", |repo| repo.git_at(20, &["cherry-pick", "main..topic"])),
        ("squash, as ", |repo| {
            repo.git(&["merge", "-q", "--squash", "topic"]);
            repo.git_at(20, &["commit", "-q", "-m", "squashed"]);
        }),
    ];
    for (way, merge) in ways {
        let sandbox = Sandbox::new();
        let repo = world(&sandbox);
        let review = Asked(&repo).open("topic");
        let thread = Asked(&repo).comment(Some(review), "topic", "file", "why?");
        assert_eq!(Asked(&repo).notice(), [], "{way}: nothing has happened yet");
        repo.git(&["switch", "-q", "main"]);
        merge(&repo);
        repo.git(&["branch", "-q", "-D", "topic"]);
        collect_garbage(&repo);
        let told = Asked(&repo).notice();
        assert_eq!(told.len(), 1, "{way}");
        assert!(reason(&told[0]).is_some_and(|reason| reason.starts_with(way)), "{way}");
        assert_eq!(state(&repo, review), ReviewState::Merged, "{way}");
        assert_eq!(Asked(&repo).notice(), [], "{way}: it was said");
        assert_eq!(Asked(&repo).kept(review), [""; 0], "{way}: nothing is kept of what has ended");
        collect_garbage(&repo);
        let seen = Asked(&repo).visible_from("main", ShowThreads::Seen);
        assert!(
            matches!(seen.get(&thread), Some(WhyVisible::Merged | WhyVisible::History)),
            "{way}: {seen:?}"
        );
    }
}

#[test]
fn the_last_head_that_was_seen_is_kept_so_that_a_later_squash_is_recognised() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    // Rewritten beyond what any record names.
    repo.write("file", BASE.replace("two", "deux"));
    repo.git_at(3, &["commit", "-q", "-a", "-m", "in French"]);
    Asked(&repo).notice();
    let tip = repo.git(&["rev-parse", "topic"]);
    assert_eq!(Asked(&repo).kept(review), [tip]);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--squash", "topic"]);
    repo.git_at(20, &["commit", "-q", "-m", "squashed"]);
    repo.git(&["branch", "-q", "-D", "topic"]);
    collect_garbage(&repo);
    assert_eq!(Asked(&repo).notice().len(), 1);
    assert_eq!(state(&repo, review), ReviewState::Merged);
}

#[test]
fn a_squash_is_recognised_although_nobody_looked_since_the_branch_went_on() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    repo.commit_at(3, "more", "more\n");
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--squash", "topic"]);
    repo.git_at(20, &["commit", "-q", "-m", "squashed"]);
    repo.git(&["branch", "-q", "-D", "topic"]);
    assert_eq!(Asked(&repo).notice().len(), 1);
    assert_eq!(state(&repo, review), ReviewState::Merged);
}

#[test]
fn a_head_that_was_judged_is_kept_until_its_review_has_ended() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    Asked(&repo).judge(review, "topic");
    let judged = repo.git(&["rev-parse", "topic"]);
    Asked(&repo).notice();
    repo.write("file", BASE.replace("two", "deux"));
    repo.git_at(3, &["commit", "-q", "-a", "--amend", "-m", "in French"]);
    Asked(&repo).notice();
    collect_garbage(&repo);
    assert!(Asked(&repo).kept(review).contains(&judged));
    assert_eq!(Asked(&repo).since(review).old.head.to_string(), judged);
    Asked(&repo).end(review, StatusWord::Closed);
    Asked(&repo).notice();
    assert_eq!(Asked(&repo).kept(review), [""; 0]);
}

#[test]
fn two_machines_that_notice_the_same_merge_write_the_same_record() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    repo.git(&["switch", "-q", "main"]);
    repo.git_at(20, &["merge", "-q", "--no-ff", "--no-edit", "topic"]);
    let other = sandbox.copy("repo", "other");
    other.commit_at(30, "later", "the base has gone on here\n");
    let (here, there) = (Asked(&repo).notice(), Asked(&other).notice());
    assert_eq!(here.len(), 1);
    assert_eq!(here, there);
    assert_eq!(state(&other, review), ReviewState::Merged);
}

#[test]
fn what_a_person_opened_again_or_closed_is_not_overruled() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    repo.git(&["switch", "-q", "main"]);
    repo.git_at(20, &["merge", "-q", "--no-ff", "--no-edit", "topic"]);
    let merged = Asked(&repo).notice()[0].id();
    repo.git_at(21, &["revert", "--no-edit", "-m", "1", "HEAD"]);
    Asked(&repo).say_status_at(22, review, StatusWord::Open, &[merged]);
    assert_eq!(Asked(&repo).notice(), []);
    assert_eq!(state(&repo, review), ReviewState::Open);

    let closed = sandbox.copy("repo", "closed");
    Asked(&closed).end(review, StatusWord::Closed);
    let other = Asked(&closed).open("topic");
    Asked(&closed).end(other, StatusWord::Closed);
    assert_eq!(Asked(&closed).notice(), []);
}

/// A branch that was merged, reverted, and is under review again since minute 22; it is checked out.
fn opened_again(sandbox: &Sandbox) -> (Checkout<'_>, RecordId) {
    let repo = world(sandbox);
    let review = Asked(&repo).open("topic");
    repo.git(&["switch", "-q", "main"]);
    repo.git_at(20, &["merge", "-q", "--no-ff", "--no-edit", "topic"]);
    let merged = Asked(&repo).notice()[0].id();
    repo.git_at(21, &["revert", "--no-edit", "-m", "1", "HEAD"]);
    Asked(&repo).say_status_at(22, review, StatusWord::Open, &[merged]);
    repo.git(&["switch", "-q", "topic"]);
    (repo, review)
}

#[test]
fn work_that_came_after_a_review_was_opened_again_is_noticed() {
    let ways: [(&str, Merge); 3] = [
        ("merge commit", |repo| repo.git_at(31, &["merge", "-q", "--no-ff", "--no-edit", "topic"])),
        ("rebase", |repo| repo.git_at(31, &["cherry-pick", "topic"])),
        ("squash, as ", |repo| {
            repo.git(&["switch", "-q", "topic"]);
            repo.commit_at(31, "yet more", "yet more\n");
            repo.git(&["switch", "-q", "main"]);
            repo.git(&["merge", "-q", "--squash", "topic"]);
            repo.git_at(32, &["commit", "-q", "-m", "squashed"]);
        }),
    ];
    for (way, merge) in ways {
        let sandbox = Sandbox::new();
        let (repo, review) = opened_again(&sandbox);
        repo.commit_at(30, "more", "more\n");
        assert_eq!(Asked(&repo).notice(), [], "{way}: the rest is still to come");
        repo.git(&["switch", "-q", "main"]);
        merge(&repo);
        let other = sandbox.copy("repo", "other");
        let told = Asked(&repo).notice();
        assert_eq!(told, Asked(&other).notice(), "{way}: every machine says the same");
        assert_eq!(told.len(), 1, "{way}");
        assert!(reason(&told[0]).is_some_and(|reason| reason.starts_with(way)), "{way}");
        assert_eq!(state(&repo, review), ReviewState::Merged, "{way}");
        assert_eq!(Asked(&repo).notice(), [], "{way}: it was said");
        // Whoever opens it once more has the last word on this one too.
        Asked(&repo).say_status_at(40, review, StatusWord::Open, &[told[0].id()]);
        assert_eq!(Asked(&repo).notice(), [], "{way}: it was opened once more");
    }
}

#[test]
fn a_reverted_branch_that_is_only_touched_up_or_brought_up_to_date_is_not_merged_again() {
    let ways: [(&str, Merge); 2] = [
        ("reworded", |repo| repo.git_at(30, &["commit", "-q", "--amend", "-m", "in other words"])),
        ("brought up to date", |repo| {
            repo.git(&["switch", "-q", "main"]);
            repo.commit_at(30, "other", "other\n");
            repo.git(&["switch", "-q", "topic"]);
            repo.git(&["merge", "-q", "--ff-only", "main"]);
        }),
    ];
    for (way, touch) in ways {
        let sandbox = Sandbox::new();
        let (repo, review) = opened_again(&sandbox);
        touch(&repo);
        for _ in 0..2 {
            assert_eq!(Asked(&repo).notice(), [], "{way}");
        }
        assert_eq!(state(&repo, review), ReviewState::Open, "{way}");
    }
}

#[test]
fn a_review_that_was_closed_and_opened_again_is_noticed_like_any_other() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    let closed = Asked(&repo).end(review, StatusWord::Closed);
    Asked(&repo).say_status(review, StatusWord::Open, &[closed]);
    repo.git(&["switch", "-q", "main"]);
    repo.git_at(20, &["merge", "-q", "--no-ff", "--no-edit", "topic"]);
    assert_eq!(Asked(&repo).notice().len(), 1);
    assert_eq!(state(&repo, review), ReviewState::Merged);
}

#[test]
fn a_branch_that_is_gone_before_all_of_it_came_is_not_merged() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    repo.commit_at(3, "more", "more\n");
    Asked(&repo).notice();
    repo.git(&["switch", "-q", "main"]);
    repo.git_at(20, &["merge", "-q", "--no-ff", "--no-edit", "topic~1"]);
    assert_eq!(Asked(&repo).notice(), []);
    repo.git(&["branch", "-q", "-D", "topic"]);
    assert_eq!(Asked(&repo).notice(), []);
    assert_eq!(state(&repo, review), ReviewState::Open);
}

#[test]
fn a_new_name_is_written_down_once_where_the_branch_was_renamed_and_never_taken_back() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    let other = sandbox.copy("repo", "other");
    repo.git(&["branch", "-m", "topic", "better-name"]);
    let told = Asked(&repo).notice();
    assert_eq!(told.len(), 1);
    assert_eq!(Asked(&repo).notice(), []);
    let lead = Asked(&repo).followed(review).branch.expect("the branch is here");
    assert_eq!((lead.name.to_string().as_str(), lead.found), ("refs/heads/better-name", BranchFound::ByName));

    // The same person's other machine still has the old name, and must not write it back.
    other.git(&["fetch", "-q", "../repo", "refs/notes/reviews"]);
    other.git(&["update-ref", "refs/notes/reviews", "FETCH_HEAD"]);
    let lead = Asked(&other).followed(review).branch.expect("the branch is here");
    assert_eq!((lead.name.to_string().as_str(), lead.found), ("refs/heads/topic", BranchFound::Renamed));
    assert_eq!(Asked(&other).notice(), []);
}

#[test]
fn a_new_name_that_only_commits_suggest_is_not_written_down() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    repo.git(&["branch", "-q", "stacked"]);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["branch", "-q", "-D", "topic"]);
    let lead = Asked(&repo).followed(review).branch.expect("its work goes on");
    assert_eq!((lead.name.to_string().as_str(), lead.found), ("refs/heads/stacked", BranchFound::Renamed));
    assert_eq!(Asked(&repo).notice(), []);
}

#[test]
fn a_renamed_branch_whose_old_name_is_taken_keeps_its_review() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    let bobs = ReviewRequest { branch: Some(full("topic")), ..ReviewRequest::default() };
    let bobs = Asked(&repo).opening(&bobs).expect("the branch can be reviewed");
    let bobs = Asked(&repo).write_by(&bobs, "bob@example.com");
    let thread = Asked(&repo).comment(Some(bobs), "topic", "extra", "why?");
    repo.git(&["branch", "-m", "topic", "better-name"]);
    repo.git(&["switch", "-q", "-c", "topic", "main"]);
    repo.commit_at(12, "other", "quite another thing\n");
    assert_eq!(Asked(&repo).notice().len(), 1, "one of the two reviews is hers");
    for review in [review, bobs] {
        let name = Asked(&repo).lead(review).map(|(name, _)| name);
        assert_eq!(name, Some("refs/heads/better-name".into()));
    }
    assert!(Asked(&repo).visible_from("better-name", ShowThreads::Seen).contains_key(&thread));
    assert!(!Asked(&repo).visible_from("topic", ShowThreads::Seen).contains_key(&thread));
    let belongs = Asked(&repo).belonging();
    assert!(matches!(belongs, postil_core::review::Belonging::Opens(_)), "{belongs:?}");
}
