//! Which review a comment belongs to, and what a review that is opened says.

use postil_core::git::{CommitId, RefName};
use postil_core::record::{Body, RecordId, ReviewRecord, StatusWord};
use postil_core::review::{
    Belonging, NoReview, Opening, ReviewError, ReviewRequest, ShowThreads, WhyVisible,
};
use postil_testkit::{Asked, Checkout, Sandbox, full};

fn said(opening: &Opening) -> ReviewRecord {
    match opening.record.body() {
        Ok(Body::Review(review)) => review,
        other => panic!("{other:?}"),
    }
}

fn opened(repo: &Checkout<'_>) -> ReviewRecord {
    match Asked(repo).belonging() {
        Belonging::Opens(opening) => said(&opening),
        other => panic!("{other:?}"),
    }
}

fn id(hex: &str) -> CommitId {
    CommitId::from_hex(hex.as_bytes()).expect("git prints ids")
}

#[test]
fn the_first_comment_on_a_branch_opens_its_review_and_the_next_belongs_to_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let fork = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["switch", "-q", "-c", "topic/one"]);
    let head = repo.commit_at(1, "file", "changed\n");
    repo.git(&["switch", "-q", "main"]);
    repo.commit_at(2, "other", "upstream\n");
    repo.git(&["switch", "-q", "topic/one"]);

    let review = opened(&repo);
    assert_eq!(
        (review.branch.as_slice(), review.base.as_slice()),
        (&b"refs/heads/topic/one"[..], &b"refs/heads/main"[..])
    );
    assert_eq!((review.base_commit, review.head), (id(&fork), id(&head)));
    assert_eq!(review.title, "file at 1", "the subject of the only commit");
    let review = Asked(&repo).open("topic/one");
    assert_eq!(Asked(&repo).belonging(), Belonging::Review(review));

    Asked(&repo).end(review, StatusWord::Closed);
    repo.commit_at(3, "file", "changed again\n");
    assert_eq!(opened(&repo).title, "topic/one", "the name of a branch with several commits");
}

#[test]
fn nothing_is_opened_on_a_detached_head_on_the_base_or_without_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let check = |expected: NoReview| assert_eq!(Asked(&repo).belonging(), Belonging::Nowhere(expected));
    check(NoReview::BaseBranch);
    repo.git(&["switch", "-q", "--detach"]);
    check(NoReview::Detached);
    repo.git(&["switch", "-q", "--orphan", "fresh"]);
    check(NoReview::Unborn);
    repo.commit_at(1, "file", "unrelated\n");
    check(NoReview::Unrelated);
    repo.git(&["branch", "-m", "main", "trunk"]);
    check(NoReview::NoBase);
    repo.git(&["branch", "-m", "trunk", "master"]);
    repo.git(&["switch", "-q", "master"]);
    check(NoReview::BaseBranch);
}

#[test]
fn the_head_of_the_remote_is_the_usual_base_also_where_the_branch_is_not_here() {
    let sandbox = Sandbox::new();
    let upstream = sandbox.repo("upstream");
    upstream.git(&["branch", "-m", "main", "trunk"]);
    sandbox.git(&["clone", "-q", "upstream", "clone"]);
    let clone = sandbox.at("clone");
    assert_eq!(Asked(&clone).belonging(), Belonging::Nowhere(NoReview::BaseBranch));
    clone.git(&["switch", "-q", "-c", "topic"]);
    clone.git(&["branch", "-q", "-D", "trunk"]);
    clone.git(&["branch", "-q", "main"]);
    clone.commit_at(1, "file", "changed\n");
    let review = opened(&clone);
    assert_eq!(review.base, b"refs/heads/trunk", "as everybody knows it");
    assert_eq!(review.base_commit, clone.commit_id("origin/trunk"));
}

#[test]
fn the_nearer_of_a_base_here_and_on_the_remote_is_compared_with() {
    let sandbox = Sandbox::new();
    let upstream = sandbox.repo("upstream");
    sandbox.git(&["clone", "-q", "upstream", "clone"]);
    upstream.commit_at(1, "file", "newer\n");
    let clone = sandbox.at("clone");
    clone.git(&["fetch", "-q"]);
    clone.git(&["switch", "-q", "-c", "topic", "origin/main"]);
    clone.commit_at(2, "file", "newest\n");
    assert_eq!(opened(&clone).base_commit, clone.commit_id("origin/main"));
}

#[test]
fn a_branch_without_commits_of_its_own_can_be_commented_on() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.git(&["switch", "-q", "-c", "topic"]);
    let review = opened(&repo);
    assert_eq!(review.base_commit, review.head);
    assert_eq!(review.title, "topic");
}

#[test]
fn a_review_is_asked_for_by_name() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.git(&["switch", "-q", "-c", "next"]);
    let base = repo.commit_at(1, "file", "next\n");
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(2, "file", "topic\n");
    repo.git(&["switch", "-q", "main"]);
    let request = ReviewRequest {
        branch: Some(full("topic")),
        base: Some(full("next")),
        title: Some("Topic".into()),
        description: "Why".into(),
    };
    let review = said(&Asked(&repo).opening(&request).unwrap());
    assert_eq!((review.base_commit, review.title.as_str()), (id(&base), "Topic"));
    let ask = |request: ReviewRequest| Asked(&repo).opening(&request).unwrap_err();
    let named = |branch: &str, base: &str| ReviewRequest {
        branch: Some(full(branch)),
        base: Some(full(base)),
        ..ReviewRequest::default()
    };
    assert!(
        matches!(ask(named("gone", "main")), ReviewError::NoSuchBranch { name } if name == "refs/heads/gone")
    );
    assert!(
        matches!(ask(named("topic", "gone")), ReviewError::NoSuchBranch { name } if name == "refs/heads/gone")
    );
    assert!(matches!(ask(ReviewRequest::default()), ReviewError::OwnBase { .. }));
}

#[test]
fn reviews_that_two_clones_opened_are_one_and_a_comment_belongs_to_the_lowest() {
    let sandbox = Sandbox::new();
    let one = sandbox.repo("one");
    one.git(&["switch", "-q", "-c", "topic"]);
    one.commit_at(1, "file", "changed\n");
    sandbox.git(&["clone", "-q", "one", "two"]);
    let two = sandbox.at("two");
    two.git(&["remote", "set-head", "origin", "main"]);
    let in_one = Asked(&one).open("topic");
    two.commit_at(2, "file", "changed again\n");
    let in_two = Asked(&two).open("topic");
    assert_ne!(in_one, in_two);
    for (to, from) in [(&one, &two), (&two, &one)] {
        postil_testkit::damage::take_in(to, from);
        let threads = Asked(to).threads();
        assert_eq!(threads.groups().len(), 1);
        let lowest: RecordId = in_one.min(in_two);
        assert_eq!(Asked(to).belonging(), Belonging::Review(lowest));
    }
}

#[test]
fn a_comment_on_a_renamed_branch_belongs_to_the_review_it_had() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(1, "file", "changed\n");
    let review = Asked(&repo).open("topic");
    repo.git(&["branch", "-m", "better-name"]);
    repo.commit_at(2, "file", "changed again\n");
    assert_eq!(Asked(&repo).belonging(), Belonging::Review(review));
    repo.git(&["switch", "-q", "-c", "another", "main"]);
    repo.commit_at(3, "file", "something else\n");
    assert!(matches!(Asked(&repo).belonging(), Belonging::Opens(_)));
}

#[test]
fn a_branch_under_a_former_name_belongs_to_the_review_whose_work_it_has() {
    let sandbox = Sandbox::new();
    let alices = sandbox.repo("alices");
    alices.git(&["switch", "-q", "-c", "topic"]);
    alices.commit_at(1, "file", "changed\n");
    sandbox.git(&["clone", "-q", "alices", "bobs"]);
    let bobs = sandbox.at("bobs");
    bobs.git(&["remote", "set-head", "origin", "main"]);
    let review = Asked(&alices).open("topic");
    let thread = Asked(&alices).remark(Some(review), "why?");
    alices.git(&["branch", "-m", "topic-new"]);
    assert_eq!(Asked(&alices).notice().len(), 1);
    bobs.git(&["fetch", "-q", "--prune"]);
    bobs.git(&["fetch", "-q", "origin", "refs/notes/reviews:refs/notes/reviews"]);

    assert_eq!(Asked(&bobs).lead(review).map(|(name, _)| name), Some("refs/heads/topic-new".into()));
    assert_eq!(Asked(&bobs).belonging(), Belonging::Review(review));
    assert_eq!(Asked(&bobs).visible_from("topic", ShowThreads::Seen).get(&thread), Some(&WhyVisible::Branch));
    bobs.commit_at(2, "file", "changed again\n");
    assert_eq!(Asked(&bobs).belonging(), Belonging::Review(review), "he may go on from there");

    let claimed = sandbox.copy("bobs", "claimed");
    let second = Asked(&claimed).open("topic");
    assert_eq!(Asked(&claimed).belonging(), Belonging::Review(second), "a review has the name now");
    assert_eq!(
        Asked(&claimed).visible_from("topic", ShowThreads::Seen).get(&thread),
        Some(&WhyVisible::Merged)
    );

    bobs.git(&["switch", "-q", "-C", "topic", "origin/main"]);
    bobs.commit_at(3, "file", "quite another thing\n");
    assert_eq!(opened(&bobs).branch, b"refs/heads/topic", "that is another branch");
    assert!(!Asked(&bobs).visible_from("topic", ShowThreads::Seen).contains_key(&thread));
}

#[test]
fn a_tag_or_any_other_ref_can_be_the_base() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.git(&["tag", "-a", "-m", "released", "v1"]);
    let released = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(1, "file", "changed\n");
    repo.git(&["update-ref", "refs/deployed/now", "v1^{commit}"]);
    repo.git(&["tag", "no-commit", "v1^{tree}"]);
    let ask = |base: &str| {
        let base = Some(RefName::new(base).expect("the name is plain"));
        Asked(&repo).opening(&ReviewRequest { base, ..ReviewRequest::default() })
    };
    for base in ["refs/tags/v1", "refs/deployed/now"] {
        let review = said(&ask(base).expect(base));
        assert_eq!((review.base.as_slice(), review.base_commit), (base.as_bytes(), id(&released)));
    }
    for base in ["refs/tags/no-commit", "refs/tags/v2", "refs/v1"] {
        assert!(matches!(ask(base), Err(ReviewError::NoSuchBranch { name }) if name == base), "{base}");
    }
}
