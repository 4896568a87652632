//! Whether a review is ready: whose approvals count, for which version, by which rule, and who tries to get around it.

use postil_core::git::CommitId;
use postil_core::notes::Home;
use postil_core::record::{
    Author, Body, Judgement, Record, RecordId, Seq, Timestamp, VerdictRecord, Via, ViaKind,
};
use postil_protocol::{
    Comment, Hex, LookedHead, MarkRead, MissingView, ReadyView, Resolve, ReviewMerge, ReviewReady,
    ReviewShow, ReviewSince, ReviewStart, ReviewVerdict, SeverityView, Status, Verdict, VoidReason,
};
use postil_testkit::{Checkout, Sandbox, by_alice};

use crate::asker::{Asker, said, service};

/// A branch with a commit on `main`, under review by ann.
fn reviewed<'s>(sandbox: &'s Sandbox, rule: Option<&str>) -> Checkout<'s> {
    let repo = sandbox.repo("repo");
    repo.commit("base.txt", "base\n");
    if let Some(rule) = rule {
        repo.write(".postil/ready", rule);
        repo.git(&["add", ".postil/ready"]);
        repo.git(&["commit", "-q", "-m", "A rule"]);
    }
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit("a.txt", "one\n");
    repo
}

fn judge(who: &Asker<'_>, verdict: Verdict) -> Vec<String> {
    let reply = who.ask(ReviewVerdict { review: None, verdict, text: String::new(), draft: false });
    reply.warnings.into_iter().map(|warning| warning.what).collect()
}

fn ready(who: &Asker<'_>) -> ReadyView {
    who.ask(ReviewReady::default()).reviews.remove(0).state
}

/// What is missing, as words that are easy to compare.
fn missing(state: &ReadyView) -> Vec<String> {
    assert_eq!(state.ready, state.missing.is_empty());
    let word = |missing: &MissingView| match missing {
        MissingView::Approvals { have, need } => format!("{have}/{need}"),
        MissingView::Required { who } => format!("required {who}"),
        MissingView::ChangesRequested { who } => format!("changes {}", who.name),
        MissingView::Blockers { threads } => format!("{} blockers", threads.len()),
        MissingView::InvalidRule { line, .. } => format!("rule {line:?}"),
        MissingView::Unread { .. } => "unread".into(),
        MissingView::Ended => "ended".into(),
    };
    state.missing.iter().map(word).collect()
}

/// Who approved, and why it does not count.
fn voided(state: &ReadyView) -> Vec<(String, Option<VoidReason>)> {
    state.approvals.iter().map(|approval| (approval.who.name.clone(), approval.void)).collect()
}

#[test]
fn without_a_rule_one_other_person_approves_and_nothing_is_open() {
    let sandbox = Sandbox::in_memory();
    let repo = reviewed(&sandbox, None);
    let service = service();
    let person = |name: &'static str| Asker::new(&service, name, &repo.dir);
    let (ann, bob, cat) = (person("ann"), person("bob"), person("cat"));
    ann.ask(ReviewStart::default());
    assert_eq!(missing(&ready(&ann)), ["0/1"]);
    assert_eq!(judge(&ann, Verdict::Approve), ["this is your own review: your approval does not count"]);
    assert_eq!(voided(&ready(&ann)), [("ann".into(), Some(VoidReason::OwnReview))]);
    judge(&bob, Verdict::Approve);
    let state = ready(&ann);
    assert!(state.ready && state.rule.as_ref().unwrap().path.is_none(), "{state:?}");
    judge(&cat, Verdict::Changes);
    assert_eq!(missing(&ready(&ann)), ["changes cat"]);
    let blocker = Comment { severity: Some(SeverityView::Blocker), ..said(None, "not like this") };
    let thread = bob.ask(blocker).thread;
    assert_eq!(missing(&ready(&ann)), ["changes cat", "1 blockers"]);
    let warnings = judge(&cat, Verdict::Approve);
    assert_eq!(warnings, [format!("a blocker is open: {}", thread.short)]);
    ann.ask(Resolve { threads: vec![thread.id.to_string()], reason: None, by: None });
    assert!(ready(&ann).ready);
    // Others say so too.
    assert!(ann.ask(Status::default()).ready.unwrap().ready);
    assert!(ann.ask(ReviewShow::default()).ready.unwrap().ready);
}

#[test]
fn an_approval_counts_while_the_work_is_the_same() {
    let sandbox = Sandbox::in_memory();
    let repo = reviewed(&sandbox, None);
    let service = service();
    let (ann, bob) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "bob", &repo.dir));
    ann.ask(ReviewStart::default());
    judge(&bob, Verdict::Approve);
    repo.git(&["commit", "-q", "--amend", "-m", "Other words"]);
    assert!(ready(&ann).ready, "another message");
    repo.git(&["switch", "-q", "main"]);
    repo.commit("base.txt", "base\nmore\n");
    repo.git(&["rebase", "-q", "main", "topic"]);
    assert!(ready(&ann).ready, "a rebase that changes nothing");
    repo.commit("a.txt", "one\ntwo\n");
    let state = ready(&ann);
    assert_eq!(missing(&state), ["0/1"]);
    assert_eq!(voided(&state), [("bob".into(), Some(VoidReason::Earlier))]);
    judge(&bob, Verdict::Approve);
    assert!(ready(&ann).ready);
}

#[test]
fn the_rule_of_the_base_counts_and_never_that_of_the_branch() {
    let sandbox = Sandbox::in_memory();
    let rule = "[ready]\n\tversion = 1\n\tapprovals = 2\n\trequired = dan@example.com\n";
    let repo = reviewed(&sandbox, Some(rule));
    let service = service();
    let person = |name: &'static str| Asker::new(&service, name, &repo.dir);
    let (ann, bob, dan) = (person("ann"), person("bob"), person("dan"));
    ann.ask(ReviewStart::default());
    // The branch tries to make it easier.
    repo.write(".postil/ready", "[ready]\nversion = 1\napprovals = 0\n");
    repo.git(&["commit", "-q", "-am", "Be lax"]);
    judge(&bob, Verdict::Approve);
    let state = ready(&ann);
    assert_eq!(missing(&state), ["1/2", "required dan@example.com"]);
    assert_eq!(state.rule.unwrap().commit.unwrap().as_str(), repo.git(&["rev-parse", "main"]).trim());
    judge(&dan, Verdict::Approve);
    assert!(ready(&ann).ready);
    // Nor that of a merge which is not pushed yet.
    let onto = repo.git(&["rev-parse", "main"]).trim().to_owned();
    let merging = |onto: &str| {
        let commit = Hex::new(repo.git(&["rev-parse", "main"]).trim()).unwrap();
        let merging = ReviewMerge { commit, onto: Hex::new(onto).ok(), into: "refs/heads/main".into() };
        ann.ask(ReviewReady { review: None, merging: Some(merging) }).reviews
    };
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "Merge", "topic"]);
    let merged = merging(&onto);
    assert_eq!(merged.len(), 1);
    assert_eq!(merged[0].state.rule.as_ref().unwrap().approvals, 2, "the rule before the merge");
    assert!(merged[0].state.ready);
    let now = repo.git(&["rev-parse", "main"]).trim().to_owned();
    assert!(merging(&now).is_empty(), "what the base had already is not brought");
}

#[test]
fn a_rule_that_is_not_understood_blocks() {
    for (rule, told) in [
        ("[ready]\nversion = 1\napprovals = 0\napprovers = 1\n", "rule Some(4)"),
        ("[ready]\nversion = 7\n", "rule Some(2)"),
        ("approvals = 0\n", "rule Some(1)"),
        ("", "rule None"),
    ] {
        let sandbox = Sandbox::in_memory();
        let repo = reviewed(&sandbox, Some(rule));
        let service = service();
        let (ann, bob) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "bob", &repo.dir));
        ann.ask(ReviewStart::default());
        judge(&bob, Verdict::Approve);
        let state = ready(&ann);
        assert_eq!(missing(&state), [told], "{rule}");
        assert!(state.missing[0].is_unknown());
        // It is told, and keeps nobody from reading.
        assert!(!ann.ask(Status::default()).ready.unwrap().ready);
    }
}

#[test]
fn one_person_is_counted_once_and_authors_are_not_counted() {
    let sandbox = Sandbox::in_memory();
    let rule = "[ready]\nversion = 1\napprovals = 2\nfrom = bob@example.com\nfrom = eve@example.com\n";
    let repo = reviewed(&sandbox, Some(rule));
    repo.write("b.txt", "by eve\n");
    repo.git(&["add", "b.txt"]);
    repo.git(&["commit", "-q", "-m", "By eve", "--author", "Eve <EVE@example.com>"]);
    let service = service();
    let person = |name: &'static str| Asker::new(&service, name, &repo.dir);
    person("ann").ask(ReviewStart::default());
    for name in ["bob", "BOB", "Bob", "eve", "cat"] {
        judge(&person(name), Verdict::Approve);
    }
    let state = ready(&person("ann"));
    assert_eq!(missing(&state), ["1/2"]);
    let counted: Vec<_> = voided(&state).into_iter().filter(|(_, void)| void.is_none()).collect();
    assert_eq!(counted.len(), 1, "{state:?}");
    assert!(voided(&state).contains(&("eve".into(), Some(VoidReason::OwnCommits))));
    assert!(voided(&state).contains(&("cat".into(), Some(VoidReason::Outsider))));
    let warned = judge(&person("eve"), Verdict::Approve);
    assert_eq!(warned, ["you wrote commits of this branch: your approval does not count"]);
}

/// Writes a verdict as anybody can who can push notes.
fn forge(
    repo: &Checkout<'_>,
    review: &str,
    head: CommitId,
    name: &str,
    verdict: Judgement,
    via: Option<Via>,
) {
    let body = VerdictRecord {
        author: Author { name: name.into(), email: format!("{name}@example.com") },
        at: Timestamp(u64::MAX / 2),
        seq: Seq::new(9),
        via: via.map(Box::new),
        review: RecordId::from_hex(review).unwrap(),
        head,
        verdict,
        text: String::new(),
    };
    let record = Record::new(&Body::Verdict(body)).unwrap();
    repo.store().batch().add(Home::On(head.into()), record).write(&by_alice(), "forged").unwrap();
}

#[test]
fn where_signing_is_required_a_forged_verdict_neither_counts_nor_replaces() {
    let sandbox = Sandbox::in_memory();
    let repo = reviewed(&sandbox, Some("[ready]\nversion = 1\nsigned = true\n"));
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let review = ann.ask(ReviewStart::default()).review.id;
    let head = repo.commit_id("HEAD");
    forge(&repo, review.as_str(), head, "bob", Judgement::Approve, None);
    let state = ready(&ann);
    assert_eq!(missing(&state), ["0/1"]);
    assert_eq!(voided(&state), [("bob".into(), Some(VoidReason::Unsigned))]);
    // Nor can an unsigned request for changes hold it up.
    forge(&repo, review.as_str(), head, "cat", Judgement::Changes, None);
    assert_eq!(missing(&ready(&ann)), ["0/1"]);
}

#[test]
fn a_program_does_not_approve() {
    let sandbox = Sandbox::in_memory();
    let repo = reviewed(&sandbox, None);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let review = ann.ask(ReviewStart::default()).review.id;
    let via =
        Via { kind: ViaKind::Agent, program: "helper".into(), version: None, model: None, person: None };
    forge(&repo, review.as_str(), repo.commit_id("HEAD"), "helper", Judgement::Approve, Some(via));
    let state = ready(&ann);
    assert_eq!(missing(&state), ["0/1"]);
    assert_eq!(voided(&state), [("helper".into(), Some(VoidReason::Program))]);
}

#[test]
fn without_a_verdict_changes_are_shown_since_the_last_look() {
    let sandbox = Sandbox::in_memory();
    let repo = reviewed(&sandbox, None);
    let service = service();
    let (ann, bob) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "bob", &repo.dir));
    let review = ann.ask(ReviewStart::default()).review;
    let looked = |head: &str| {
        let looked = vec![LookedHead { review: review.id.to_string(), head: Hex::new(head).unwrap() }];
        bob.ask(MarkRead { looked, ..MarkRead::default() });
    };
    let since = || bob.ask(ReviewSince::default());
    let refused = bob.try_ask(ReviewSince::default()).unwrap_err();
    assert_eq!(&*refused.message, "you have not given a verdict on the review of topic yet");
    let first = repo.commit_id("HEAD").to_string();
    looked(&first);
    assert!(since().verdict.is_none() && since().files.is_empty());
    repo.commit("a.txt", "one\ntwo\n");
    let second = repo.commit_id("HEAD").to_string();
    // However often the new version is looked at, the one before is what it is compared with.
    for _ in 0..2 {
        let reply = since();
        assert_eq!((reply.then.head.as_str(), reply.now.head.as_str()), (&*first, &*second));
        assert_eq!(reply.files.len(), 1);
        looked(&second);
    }
    assert!(judge(&bob, Verdict::Approve).is_empty());
    repo.commit("a.txt", "one\ntwo\nthree\n");
    assert!(since().verdict.is_some() && since().then.head.as_str() == second);
    looked(&first);
    let reply = bob.ask(ReviewSince { looked: true, ..ReviewSince::default() });
    assert!(reply.verdict.is_none() && reply.then.head.as_str() == first);
    let both = ReviewSince { looked: true, by: Some("ann".into()), ..ReviewSince::default() };
    assert_eq!(&*bob.try_ask(both).unwrap_err().message, "`by` and `looked` exclude each other");
}

#[test]
fn who_approves_is_told_that_the_branch_moved_since_they_looked() {
    let sandbox = Sandbox::in_memory();
    let repo = reviewed(&sandbox, None);
    let service = service();
    let (ann, bob) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "bob", &repo.dir));
    let review = ann.ask(ReviewStart::default()).review;
    let looked = |head: String| {
        let looked = vec![LookedHead { review: review.id.to_string(), head: Hex::new(head).unwrap() }];
        bob.ask(MarkRead { looked, ..MarkRead::default() });
    };
    looked(repo.commit_id("HEAD").to_string());
    assert!(judge(&bob, Verdict::Approve).is_empty());
    repo.commit("a.txt", "one\ntwo\n");
    assert_eq!(judge(&bob, Verdict::Approve), ["the branch moved since you looked at it last"]);
    repo.commit("a.txt", "one\ntwo\nthree\n");
    looked(repo.commit_id("HEAD").to_string());
    assert!(judge(&bob, Verdict::Approve).is_empty());
}
