//! A review follows its branch through whatever git does to it.

use postil_core::review::{BranchFound, HowMerged, ReviewRequest, ShowThreads};
use postil_testkit::{Asked, Checkout, Sandbox, full};

const BASE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// A branch of two commits on `main`, checked out.
fn topic(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = sandbox.init("repo", &[]);
    repo.commit_at(0, "file", BASE);
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(1, "file", &BASE.replace("two", "TWO"));
    repo.commit_at(2, "extra", "extra\n");
    repo
}

fn move_main(repo: &Checkout<'_>) {
    repo.git(&["switch", "-q", "main"]);
    repo.commit_at(10, "file", &BASE.replace("nine", "NINE"));
    repo.git(&["switch", "-q", "topic"]);
}

#[test]
fn the_head_of_a_review_is_the_tip_of_its_branch_through_commits_amends_and_rebases() {
    let sandbox = Sandbox::new();
    let repo = topic(&sandbox);
    let review = Asked(&repo).open("topic");
    let check = || {
        let tip = repo.git(&["rev-parse", "topic"]);
        assert_eq!(Asked(&repo).lead(review), Some(("refs/heads/topic".into(), tip)));
        assert_eq!(Asked(&repo).followed(review).merged, None);
    };
    check();
    repo.commit_at(3, "more", "more\n");
    check();
    repo.write("more", "much more\n");
    repo.git_at(4, &["commit", "-q", "-a", "--amend", "-m", "another subject"]);
    check();
    move_main(&repo);
    repo.git(&["rebase", "-q", "main"]);
    check();
    repo.rebase_interactively("main", "1d");
    check();
}

#[test]
fn a_branch_that_was_force_pushed_is_followed_in_another_clone() {
    let sandbox = Sandbox::new();
    let repo = topic(&sandbox);
    sandbox.git(&["clone", "-q", "repo", "reader"]);
    let reader = sandbox.at("reader");
    reader.git(&["remote", "set-head", "origin", "main"]);
    reader.git(&["switch", "-q", "--detach"]);
    reader.git(&["branch", "-q", "-D", "topic"]);
    let review = Asked(&reader).open("topic");
    repo.git(&["commit", "-q", "--amend", "-m", "reworded"]);
    reader.git(&["fetch", "-q"]);
    let tip = repo.git(&["rev-parse", "topic"]);
    assert_eq!(Asked(&reader).lead(review), Some(("refs/heads/topic".into(), tip)));
}

#[test]
fn a_renamed_branch_is_followed_also_if_it_went_on_or_was_rebased() {
    let steps = ["as it is", "with more commits", "rebased", "rebased and amended"];
    let proofs = [BranchFound::RenamedHere, BranchFound::Renamed];
    for (step, found) in steps.into_iter().flat_map(|step| proofs.map(|proof| (step, proof))) {
        let sandbox = Sandbox::new();
        let repo = topic(&sandbox);
        repo.git(&["branch", "-q", "bystander", "main"]);
        let review = Asked(&repo).open("topic");
        move_main(&repo);
        repo.git(&["branch", "-m", "topic", "better-name"]);
        match step {
            "with more commits" => drop(repo.commit_at(3, "more", "more\n")),
            "rebased" => drop(repo.git(&["rebase", "-q", "main"])),
            "rebased and amended" => {
                repo.git(&["rebase", "-q", "main"]);
                repo.write("extra", "another extra\n");
                repo.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
            }
            _ => {}
        }
        if found == BranchFound::Renamed {
            // As on another machine, where no reflog says what happened.
            repo.git(&["reflog", "expire", "--expire=now", "--all"]);
        }
        let followed = Asked(&repo).followed(review);
        let lead = followed.branch.expect(step);
        assert_eq!((lead.name.to_string().as_str(), lead.found), ("refs/heads/better-name", found));
        assert_eq!(lead.head, repo.commit_id("better-name"), "{step}");
        assert_eq!(followed.merged, None, "{step}");
    }
}

#[test]
fn a_renamed_branch_is_followed_for_good_once_its_author_says_so() {
    let sandbox = Sandbox::new();
    let repo = topic(&sandbox);
    let review = Asked(&repo).open("topic");
    let thread = Asked(&repo).comment(Some(review), "topic", "file", "why?");
    assert_eq!(Asked(&repo).say_renamed(review), 0, "it has its name still");
    repo.git(&["branch", "-m", "topic", "better-name"]);
    assert_eq!(Asked(&repo).say_renamed(review), 1);
    assert_eq!(Asked(&repo).say_renamed(review), 0, "it was said");
    // Nothing of the old work is left by which it could be recognised.
    repo.git(&["reset", "-q", "--hard", "main"]);
    repo.commit_at(9, "other", "quite another thing\n");
    let lead = Asked(&repo).followed(review).branch.expect("the branch is here");
    assert_eq!((lead.name.to_string().as_str(), lead.found), ("refs/heads/better-name", BranchFound::ByName));
    let threads = Asked(&repo).threads();
    let group = threads.group_of(review).expect("the review is there");
    assert_eq!((group.lead().title(), group.lead().base()), ("topic", &b"refs/heads/main"[..]));
    assert!(Asked(&repo).visible_from("better-name", ShowThreads::Seen).contains_key(&thread));
    // A new branch of the old name is another one.
    repo.git(&["branch", "topic", "main"]);
    assert_eq!(Asked(&repo).lead(review).map(|(name, _)| name), Some("refs/heads/better-name".into()));
}

#[test]
fn a_review_that_moved_on_under_the_new_name_does_not_hide_it_from_the_others() {
    let sandbox = Sandbox::new();
    let repo = topic(&sandbox);
    let review = Asked(&repo).open("topic");
    let again = ReviewRequest { branch: Some(full("topic")), ..ReviewRequest::default() };
    let again = Asked(&repo).opening(&again).expect("the branch can be reviewed");
    let other = Asked(&repo).write_by(&again, "bob@example.com");
    repo.git(&["branch", "-m", "topic", "better-name"]);
    assert_eq!(Asked(&repo).say_renamed(review), 1, "one of the two is hers");
    for (review, found) in [(review, BranchFound::ByName), (other, BranchFound::RenamedHere)] {
        let lead = Asked(&repo).followed(review).branch.expect("the branch is here");
        assert_eq!((lead.name.to_string().as_str(), lead.found), ("refs/heads/better-name", found));
    }
}

#[test]
fn of_two_branches_that_could_be_the_renamed_one_none_is_chosen_and_the_nearer_one_is() {
    let sandbox = Sandbox::new();
    let repo = topic(&sandbox);
    let review = Asked(&repo).open("topic");
    repo.git(&["branch", "-m", "topic", "one"]);
    repo.git(&["branch", "-q", "two"]);
    assert_eq!(Asked(&repo).lead(review).map(|(name, _)| name), Some("refs/heads/one".into()), "it is told");
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    assert_eq!(Asked(&repo).lead(review), None);
    repo.commit_at(3, "more", "more\n");
    let tip = repo.git(&["rev-parse", "two"]);
    assert_eq!(Asked(&repo).lead(review), Some(("refs/heads/two".into(), tip)));
}

#[test]
fn a_branch_with_its_own_review_is_not_a_renamed_one() {
    let sandbox = Sandbox::new();
    let repo = topic(&sandbox);
    let review = Asked(&repo).open("topic");
    repo.git(&["switch", "-q", "-c", "stacked"]);
    repo.commit_at(3, "more", "more\n");
    Asked(&repo).open("stacked");
    repo.git(&["branch", "-q", "-D", "topic"]);
    assert_eq!(Asked(&repo).lead(review), None);
}

#[test]
fn a_branch_on_top_of_merged_work_is_not_a_renamed_one() {
    let sandbox = Sandbox::new();
    let repo = topic(&sandbox);
    let review = Asked(&repo).open("topic");
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--ff-only", "topic"]);
    repo.git(&["switch", "-q", "-c", "next"]);
    repo.commit_at(3, "more", "more\n");
    repo.git(&["branch", "-q", "-D", "topic"]);
    let followed = Asked(&repo).followed(review);
    assert_eq!((followed.branch, followed.merged), (None, Some(HowMerged::FastForward)));
}
