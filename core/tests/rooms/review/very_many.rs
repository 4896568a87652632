//! Thousands of reviews, as somebody may forge them: what is searched for has a bound, and honest reviews are found.

use postil_core::git::CommitId;
use postil_core::notes::Home;
use postil_core::record::{
    Body, CommentRecord, Record, RecordId, ReviewRecord, Seq, StatusRecord, StatusWord, Timestamp,
};
use postil_core::review::{
    Following, MAX_SEARCHED_REVIEWS, ShowThreads, ThreadVisibility, Viewpoint, WhyVisible,
};
use postil_testkit::{Asked, Checkout, Sandbox, alice, by_alice};

/// How many reviews somebody forges as merged; far more than are searched for.
const MERGED: usize = 600;

/// A branch of two commits on a `main`; the branch is checked out.
fn world(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = sandbox.init("repo", &[]);
    repo.commit_at(0, "file", "one\ntwo\nthree\n");
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(1, "file", "one\nTWO\nthree\n");
    repo.commit_at(2, "extra", "extra\n");
    repo
}

#[test]
fn of_very_many_reviews_without_a_branch_some_are_searched_for_and_honest_ones_are_among_them() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let honest = Asked(&repo).open("topic");
    assert_eq!(Asked(&repo).notice(), [], "its head is kept now");
    let (head, main) = (repo.commit_id("topic"), repo.commit_id("main"));
    let store = repo.store();
    let mut batch = store.batch();
    for number in 0..MAX_SEARCHED_REVIEWS + 9 {
        let review = forged(number, main, head);
        let said = about_review(review.id(), number);
        batch = batch.add(Home::On(head.into()), review).add(Home::On(head.into()), said);
    }
    // Of these nothing is here, so that there is nothing to search for.
    let missing = CommitId::from_hex(&[b'7'; 40]).unwrap();
    for number in 1000..1600 {
        batch = batch.add(Home::On(head.into()), forged(number, main, missing));
    }
    batch.write(&by_alice(), "Forge").unwrap();
    repo.git(&["switch", "-q", "main"]);
    repo.git_at(20, &["merge", "-q", "--no-ff", "--no-edit", "topic"]);
    repo.git(&["branch", "-q", "-D", "topic"]);

    let (handle, branches, threads) = (repo.open().handle(), Asked(&repo).branches(), Asked(&repo).threads());
    let noticed = Following::new(&handle, &branches).notice(&threads, None);
    assert_eq!(noticed.unsearched.len(), 10, "one of those that are searched for is honest");
    assert!(!noticed.unsearched.contains(&honest));
    assert!(noticed.followed[&honest].merged.is_some());
    assert!(noticed.unsearched.iter().all(|review| !noticed.followed.contains_key(review)));
    let seen = seen(&repo);
    assert_eq!(seen.unsearched.len(), 10, "their threads are not searched for either, and that is said");
    assert!(seen.unsearched.is_subset(&noticed.unsearched));
}

#[test]
fn of_very_many_merged_reviews_some_are_searched_for_and_none_takes_a_branch_from_an_honest_one() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let honest = Asked(&repo).open("topic");
    let topic = repo.git(&["rev-parse", "topic"]);
    forge_merged(&repo, |_| None);
    repo.git(&["branch", "-q", "-m", "topic", "renamed"]);
    // Without a reflog, the branch is found by its commits.
    std::fs::remove_dir_all(repo.dir.join(".git/logs")).unwrap();

    let seen = seen(&repo);
    assert!(seen.threads.is_empty() && seen.unknown.is_empty() && seen.unsearched.is_empty(), "{seen:?}");
    assert_eq!(seen.unsearched_merged.len(), MERGED - MAX_SEARCHED_REVIEWS, "and that is said");
    let (handle, branches, threads) = (repo.open().handle(), Asked(&repo).branches(), Asked(&repo).threads());
    let following = Following::new(&handle, &branches);
    let lead = following.follow(threads.group_of(honest).unwrap(), &[]).unwrap().branch.unwrap();
    assert_eq!((lead.name.to_string().as_str(), lead.head.to_string()), ("refs/heads/renamed", topic));
}

#[test]
fn a_merged_review_that_says_where_it_arrived_is_seen_beside_any_number_of_others() {
    // An older record names a squash in its reason alone, and no other merge.
    for is_older in [false, true] {
        let sandbox = Sandbox::new();
        let repo = world(&sandbox);
        let honest = Asked(&repo).open("topic");
        let said = about_review(honest, 0);
        let home = Home::On(repo.commit_id("topic").into());
        repo.store().batch().add(home, said.clone()).write(&by_alice(), "Say").unwrap();
        repo.git(&["switch", "-q", "main"]);
        repo.git(&["merge", "-q", "--squash", "topic"]);
        repo.git_at(20, &["commit", "-q", "-m", "squashed"]);
        let squash = repo.commit_id("HEAD");
        let status = if is_older {
            merged(honest, None, Some(format!("squash, as {squash}")))
        } else {
            Asked(&repo).notice().pop().expect("the merge is noticed")
        };
        repo.store().batch().add(home, status).write(&by_alice(), "Notice").unwrap();
        repo.git(&["branch", "-q", "-D", "topic"]);
        forge_merged(&repo, |_| None);

        repo.git(&["switch", "-q", "-c", "later"]);
        let after = seen(&repo);
        assert_eq!(after.threads.get(&said.id()), Some(&WhyVisible::Merged), "older: {is_older}");
        assert!(!after.unsearched_merged.contains(&honest));
        repo.git(&["switch", "-q", "-c", "earlier", "main~1"]);
        let before = seen(&repo);
        assert!(!before.threads.contains_key(&said.id()), "older: {is_older}");
        assert!(!before.unsearched_merged.contains(&honest), "it is known to be elsewhere");
    }
}

#[test]
fn reviews_that_say_where_they_arrived_take_no_search_from_those_that_do_not() {
    let sandbox = Sandbox::new();
    let repo = world(&sandbox);
    let honest = Asked(&repo).open("topic");
    let home = Home::On(repo.commit_id("topic").into());
    let said = about_review(honest, 0);
    let silent = merged(honest, None, Some("rebase".into()));
    repo.store().batch().add(home, said.clone()).add(home, silent).write(&by_alice(), "Say").unwrap();
    repo.git(&["switch", "-q", "main"]);
    repo.git_at(20, &["cherry-pick", "main..topic"]);
    repo.git(&["branch", "-q", "-D", "topic"]);
    // All of them are in the history that is looked from.
    let main = repo.commit_id("main");
    forge_merged(&repo, |_| Some(main));
    repo.git(&["switch", "-q", "-c", "later"]);
    let seen = seen(&repo);
    assert_eq!(seen.threads.get(&said.id()), Some(&WhyVisible::Merged));
    assert_eq!(seen.threads.len(), MERGED + 1);
    assert!(seen.unsearched_merged.is_empty(), "{:?}", seen.unsearched_merged);
}

fn seen(repo: &Checkout<'_>) -> ThreadVisibility {
    let (handle, branches, threads) = (repo.open().handle(), Asked(repo).branches(), Asked(repo).threads());
    let from = Viewpoint::current(&branches, Some(repo.commit_id("HEAD")));
    Following::new(&handle, &branches).visible_from(&threads, &from, ShowThreads::Seen).unwrap()
}

/// Reviews with a thread each that claim to be merged, each with a head of its own, so that each search is another one.
fn forge_merged(repo: &Checkout<'_>, arrived: impl Fn(usize) -> Option<CommitId>) {
    let main = repo.commit_id("main");
    let commits = (0..MERGED).map(|number| {
        let when = 1_700_000_000 + number;
        format!(
            "commit refs/forged/{number}\ncommitter A <a@example.com> {when} +0000\ndata 2\nx\n\
             from {main}\nM 644 inline f\ndata 5\n{number:05}\n"
        )
    });
    repo.git_with(&["fast-import", "--quiet"], commits.collect::<String>().as_bytes());
    let store = repo.store();
    let mut batch = store.batch();
    for (number, head) in repo.git(&["rev-list", "--glob=refs/forged", "--not", "main"]).lines().enumerate() {
        let head = CommitId::from_hex(head.as_bytes()).unwrap();
        let review = forged(number, main, head);
        let said = about_review(review.id(), number);
        let home = Home::On(head.into());
        let status = merged(review.id(), arrived(number), None);
        batch = batch.add(home, status).add(home, review).add(home, said);
    }
    batch.write(&by_alice(), "Forge").unwrap();
}

/// A status `merged` of a review.
fn merged(review: RecordId, by: Option<CommitId>, reason: Option<String>) -> Record {
    let status = StatusRecord {
        author: alice(),
        at: Timestamp(1),
        seq: Seq::new(2),
        via: None,
        of: review,
        over: Vec::new(),
        status: StatusWord::Merged,
        reason,
        by,
        proposal: None,
        source: None,
    };
    Record::new(&Body::Status(status)).unwrap()
}

/// A review of a branch that does not exist.
fn forged(number: usize, base_commit: CommitId, head: CommitId) -> Record {
    let review = ReviewRecord {
        author: alice(),
        // Newer than all that are honest.
        at: Timestamp(4_000_000_000_000),
        seq: Seq::new(1),
        via: None,
        title: "forged".into(),
        description: String::new(),
        branch: format!("refs/heads/forged-{number}").into_bytes(),
        base: b"refs/heads/main".to_vec(),
        base_commit,
        head,
    };
    Record::new(&Body::Review(review)).unwrap()
}

/// A comment on a whole review.
fn about_review(review: RecordId, number: usize) -> Record {
    let comment = CommentRecord {
        author: alice(),
        at: Timestamp(1),
        seq: Seq::new(1),
        via: None,
        review: Some(review),
        parent: None,
        anchor: None,
        text: format!("forged {number}"),
        severity: None,
        tags: Vec::new(),
        suggestion: Vec::new(),
    };
    Record::new(&Body::Comment(comment)).unwrap()
}
