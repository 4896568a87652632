//! Reviews where a part of the history or of the files is not here.

use postil_core::review::{HowMerged, ShowThreads, SinceWhat, WhyVisible};
use postil_testkit::{Asked, Checkout, Sandbox};

/// A branch of two commits on `main`, which is checked out.
fn world(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = sandbox.init("repo", &[]);
    repo.commit_at(0, "file", "one\ntwo\nthree\n");
    repo.commit_at(1, "other", "other\n");
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(2, "file", "one\nTWO\nthree\n");
    repo.commit_at(3, "extra", "extra\n");
    repo.git(&["switch", "-q", "main"]);
    repo
}

fn clone<'s>(sandbox: &'s Sandbox, args: &[&str]) -> Checkout<'s> {
    let url = format!("file://{}", sandbox.path().join("repo").display());
    sandbox.git(&[&["clone", "-q", "--no-single-branch"], args, &[&url, "clone"]].concat());
    sandbox.at("clone")
}

#[test]
fn a_squash_is_noticed_in_a_shallow_clone() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let clone = clone(&sandbox, &["--depth=3"]);
    let review = Asked(&clone).open("topic");
    let remark = Asked(&clone).remark(Some(review), "nice");
    assert_eq!(Asked(&clone).followed(review).merged, None);
    repo.git(&["merge", "-q", "--squash", "topic"]);
    repo.git_at(20, &["commit", "-q", "-m", "all of topic"]);
    clone.git(&["fetch", "-q"]);
    let tip = clone.commit_id("origin/main");
    assert_eq!(Asked(&clone).followed(review).merged, Some(HowMerged::Squash(tip)));
    clone.git(&["merge", "-q", "--ff-only"]);
    assert_eq!(Asked(&clone).visible_from("main", ShowThreads::Seen).get(&remark), Some(&WhyVisible::Merged));
}

#[test]
fn a_clone_that_ends_in_the_middle_of_the_work_answers_as_far_as_it_goes() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    let thread = Asked(&repo).comment(Some(review), "topic", "file", "why?");
    let clone = clone(&sandbox, &["--depth=1"]);
    postil_testkit::damage::take_in(&clone, &repo);
    let followed = Asked(&clone).followed(review);
    assert_eq!(followed.branch.map(|lead| lead.head), Some(repo.commit_id("topic")));
    assert_eq!(followed.merged, None);
    assert!(Asked(&clone).visible_from("main", ShowThreads::Seen).is_empty());
    assert!(Asked(&clone).visible_from("main", ShowThreads::All).contains_key(&thread));
}

#[test]
fn a_file_that_is_not_here_is_compared_as_a_whole() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    Asked(&repo).judge(review, "topic");
    repo.git(&["switch", "-q", "topic"]);
    repo.commit_at(4, "file", "one\nTwo\nthree\n");
    let judged = repo.git(&["rev-parse", "topic^:file"]);
    let (dir, name) = judged.split_at(2);
    std::fs::remove_file(repo.dir.join(".git/objects").join(dir).join(name)).unwrap();
    let files = Asked(&repo).since(review).files;
    assert_eq!(files.len(), 1);
    assert_eq!((files[0].path.to_string().as_str(), &files[0].what), ("file", &SinceWhat::Whole));
}

#[test]
fn a_review_whose_heads_are_all_gone_is_still_there() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let review = Asked(&repo).open("topic");
    let thread = Asked(&repo).comment(Some(review), "topic", "file", "why?");
    repo.git(&["branch", "-q", "-D", "topic"]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    let followed = Asked(&repo).followed(review);
    assert_eq!((followed.branch, followed.merged), (None, None));
    assert!(Asked(&repo).visible_from("main", ShowThreads::Seen).is_empty());
    assert!(Asked(&repo).visible_from("main", ShowThreads::All).contains_key(&thread));
}
