//! A review notices that its work has arrived, however it came, and does not believe it otherwise.

use postil_core::review::HowMerged;
use postil_testkit::{Asked, Checkout, Sandbox};

const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// A branch of two commits on a `main` that has moved, which is checked out.
fn world(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = sandbox.init("repo", &[]);
    repo.commit_at(0, "file", BASE);
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(1, "file", &BASE.replace("two", "TWO"));
    repo.commit_at(2, "extra", "extra\n");
    repo.git(&["switch", "-q", "main"]);
    repo.commit_at(10, "file", &BASE.replace("nine", "NINE"));
    repo
}

fn how(repo: &Checkout<'_>, review: postil_core::record::RecordId) -> Option<HowMerged> {
    Asked(repo).followed(review).merged
}

/// Whether the branch is kept or deleted makes no difference.
fn check(what: &str, merge: impl Fn(&Checkout<'_>), expected: impl Fn(&Checkout<'_>) -> Option<HowMerged>) {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    assert_eq!(how(&repo, review), None, "{what}: before");
    merge(&repo);
    assert_eq!(how(&repo, review), expected(&repo), "{what}: with the branch");
    repo.commit_at(30, "later", "later\n");
    repo.git(&["branch", "-q", "-D", "topic"]);
    let expected = match expected(&repo) {
        Some(HowMerged::Squash(_)) => Some(HowMerged::Squash(repo.commit_id("main^"))),
        expected => expected,
    };
    assert_eq!(how(&repo, review), expected, "{what}: without the branch");
}

#[test]
fn work_arrives_by_merge_commit_fast_forward_rebase_or_squash() {
    check(
        "a merge commit",
        |repo| repo.git_at(20, &["merge", "-q", "--no-ff", "--no-edit", "topic"]),
        |_| Some(HowMerged::MergeCommit),
    );
    check("a squash", squash, |repo| Some(HowMerged::Squash(repo.commit_id("main"))));
    check("a rebase", |repo| repo.git_at(20, &["cherry-pick", "main..topic"]), |_| Some(HowMerged::Rebase));
    check(
        "a rebase in another order",
        |repo| repo.git_at(20, &["cherry-pick", "topic", "topic~1"]),
        |_| Some(HowMerged::Rebase),
    );
    check(
        "a fast-forward after a rebase",
        |repo| {
            repo.git(&["rebase", "-q", "main", "topic"]);
            repo.git(&["switch", "-q", "main"]);
            repo.git(&["merge", "-q", "--ff-only", "topic"]);
        },
        // The commits that the records name came as others.
        |_| Some(HowMerged::Rebase),
    );
}

fn squash(repo: &Checkout<'_>) {
    repo.git(&["merge", "-q", "--squash", "topic"]);
    repo.git_at(20, &["commit", "-q", "-m", "all of topic"]);
}

#[test]
fn work_that_was_amended_after_the_last_word_arrives_too() {
    check(
        "amended and merged",
        |repo| {
            amend(repo);
            repo.git_at(20, &["merge", "-q", "--no-ff", "--no-edit", "topic"]);
        },
        |repo| {
            let kept = repo.try_git(&["rev-parse", "-q", "--verify", "topic"]).status.success();
            // Without the branch, only the commits that kept their author tell.
            Some(if kept { HowMerged::MergeCommit } else { HowMerged::Rebase })
        },
    );
    check(
        "amended, rebased and fast-forwarded",
        |repo| {
            amend(repo);
            repo.git(&["rebase", "-q", "main", "topic"]);
            repo.git(&["switch", "-q", "main"]);
            repo.git(&["merge", "-q", "--ff-only", "topic"]);
        },
        |_| Some(HowMerged::Rebase),
    );
}

fn amend(repo: &Checkout<'_>) {
    repo.git(&["switch", "-q", "topic"]);
    repo.write("extra", "another extra\n");
    repo.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    repo.git(&["switch", "-q", "main"]);
}

#[test]
fn a_head_that_a_client_saw_finds_a_squash_that_no_record_names() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    amend(&repo);
    let seen = repo.commit_id("topic");
    squash(&repo);
    repo.git(&["branch", "-q", "-D", "topic"]);
    assert_eq!(how(&repo, review), None);
    let merged = Asked(&repo).followed_with(review, &[seen]).merged;
    assert_eq!(merged, Some(HowMerged::Squash(repo.commit_id("main"))));
}

#[test]
fn a_verdict_names_a_head_that_finds_a_squash() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    amend(&repo);
    Asked(&repo).judge(review, "topic");
    squash(&repo);
    repo.git(&["branch", "-q", "-D", "topic"]);
    assert_eq!(how(&repo, review), Some(HowMerged::Squash(repo.commit_id("main"))));
}

#[test]
fn work_that_arrived_on_the_remote_only_is_merged() {
    let sandbox = Sandbox::new();
    let upstream = world(&sandbox);
    sandbox.git(&["clone", "-q", "repo", "clone"]);
    let clone = sandbox.at("clone");
    clone.git(&["switch", "-q", "topic"]);
    let review = Asked(&clone).open("topic");
    squash(&upstream);
    assert_eq!(how(&clone, review), None);
    clone.git(&["fetch", "-q"]);
    assert_eq!(how(&clone, review), Some(HowMerged::Squash(clone.commit_id("origin/main"))));
}

#[test]
fn a_branch_that_has_nothing_yet_or_was_reset_or_arrived_in_part_is_not_merged() {
    let check = |what: &str, act: &dyn Fn(&Checkout<'_>)| {
        let sandbox = Sandbox::new();
        let repo = world(&sandbox);
        let review = Asked(&repo).open("topic");
        act(&repo);
        assert_eq!(how(&repo, review), None, "{what}");
    };
    check("reset to the base", &|repo| drop(repo.git(&["branch", "-f", "topic", "main"])));
    check("reset to where it began", &|repo| drop(repo.git(&["branch", "-f", "topic", "main^"])));
    check("one of two commits was picked", &|repo| repo.git_at(20, &["cherry-pick", "topic~1"]));
    check("picked to another branch", &|repo| {
        repo.git(&["switch", "-q", "-c", "stable"]);
        repo.git_at(20, &["cherry-pick", "main..topic"]);
    });
    check("squashed and then went on", &|repo| {
        squash(repo);
        repo.git(&["switch", "-q", "topic"]);
        repo.commit_at(40, "extra", "more\n");
    });
    check("picked and then amended", &|repo| {
        repo.git_at(20, &["cherry-pick", "main..topic"]);
        amend(repo);
    });
    check("deleted", &|repo| drop(repo.git(&["branch", "-q", "-D", "topic"])));
    check("reverted before it arrived", &|repo| {
        repo.commit_at(20, "extra", "something else\n");
    });

    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    repo.git(&["branch", "-q", "fresh"]);
    let review = Asked(&repo).open("fresh");
    repo.commit_at(20, "other", "upstream\n");
    assert_eq!(how(&repo, review), None, "nothing yet");
    repo.git(&["branch", "-f", "fresh", "main"]);
    assert_eq!(how(&repo, review), None, "moved along with its base");
}
