//! Nothing that a person typed is dropped with success: every method that takes a text keeps it where it can be read,
//! or fails.

use postil_protocol::{
    Advice, AnswerProposals, BatchItem, BatchRefused, Call, ChangeKind, Comment, CommentBatch, Detail, Edit,
    Fault, FaultCode, HeadName, List, Log, Move, MoveTo, Place, ProposalAnswer, Propose, Publish, Reopen,
    ReplyTo, Resolve, ReviewChange, ReviewEdit, ReviewShow, ReviewStart, ReviewStatus, ReviewVerdict, Scope,
    Show, Span, Suggest, Verdict, Withdraw,
};
use postil_testkit::Sandbox;

use crate::asker::{Asker, said, service};
use crate::topic;

/// Methods without a text of a person, or with a test of their own for what becomes of each text (`import`).
const WITHOUT_TEXT: &[&str] = &[
    "init",
    "move",
    "apply",
    "patch",
    "apply.write",
    "undo",
    "list",
    "changes",
    "show",
    "log",
    "diff",
    "review.list",
    "review.show",
    "review.ready",
    "review.since",
    "review.request",
    "publish",
    "sync",
    "import",
    "export",
    "status",
    "inbox",
    "stats",
    "read",
    "purge",
    "doctor",
    "write-positions",
];

/// What a thread or review is when a text comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A thread or review is open, and nobody set its status.
    Open,
    /// Somebody else resolved the thread, or closed the review.
    Ended,
    /// Somebody else resolved or closed it, and opened it again.
    Reopened,
    /// Its author withdrew the comment.
    Withdrawn,
    /// The comment is a draft.
    Draft,
}

const STATES: [State; 5] = [State::Open, State::Ended, State::Reopened, State::Withdrawn, State::Draft];

/// Asks for something with this text about this thread; the error, if it fails.
type Ask = fn(&Asker<'_>, &str, &str) -> Result<(), Fault>;

fn list_of(thread: &str) -> Vec<String> {
    vec![thread.to_owned()]
}

const METHODS: &[(&str, Ask)] = &[
    ("comment", |who, _, text| who.try_ask(said(Some(Place::file("a.txt")), text)).map(drop)),
    ("comment", |who, _, text| who.try_ask(said(None, text)).map(drop)),
    ("comment", |who, _, text| {
        let place = Place { span: Some(Span::lines(1, 1)), ..Place::file("a.txt") };
        let suggestion = Some(Suggest::Replacement("new line 1\n".into()));
        who.try_ask(Comment { suggestion, ..said(Some(place), text) }).map(drop)
    }),
    ("comment.batch", |who, _, text| {
        let (path, text) = (Some("a.txt".into()), text.to_owned());
        batched(who, BatchItem { path, text, ..BatchItem::default() })
    }),
    ("comment.batch", |who, thread, text| {
        let (reply_to, text) = (Some(thread.to_owned()), text.to_owned());
        batched(who, BatchItem { reply_to, text, ..BatchItem::default() })
    }),
    ("reply", |who, thread, text| {
        let (to, text) = (thread.to_owned(), text.to_owned());
        who.try_ask(ReplyTo { to, text, suggestion: None, draft: false, resolve: false }).map(drop)
    }),
    ("edit", |who, thread, text| {
        who.try_ask(Edit { of: thread.to_owned(), text: text.to_owned() }).map(drop)
    }),
    ("resolve", |who, thread, text| {
        who.try_ask(Resolve { threads: list_of(thread), reason: Some(text.into()), by: None }).map(drop)
    }),
    ("reopen", |who, thread, text| {
        who.try_ask(Reopen { threads: list_of(thread), reason: Some(text.into()) }).map(drop)
    }),
    ("withdraw", |who, thread, text| {
        who.try_ask(Withdraw { comments: list_of(thread), reason: Some(text.into()) }).map(drop)
    }),
    ("propose", |who, thread, text| {
        who.try_ask(Propose { threads: list_of(thread), text: text.to_owned(), ..Propose::default() })
            .map(drop)
    }),
    ("answer", |who, thread, text| {
        who.try_ask(Propose { threads: list_of(thread), ..Propose::default() })?;
        answered(who, thread, ProposalAnswer::Decline, text)
    }),
    ("answer", |who, thread, text| {
        who.try_ask(Propose { threads: list_of(thread), ..Propose::default() })?;
        answered(who, thread, ProposalAnswer::Accept, text)
    }),
    ("answer", |who, thread, text| {
        let place = Some(Place { span: Some(Span::lines(3, 3)), ..Place::file("a.txt") });
        who.try_ask(Propose { threads: list_of(thread), place, ..Propose::default() })?;
        answered(who, thread, ProposalAnswer::Accept, text)
    }),
    ("review.start", |who, _, text| {
        who.try_ask(ReviewStart { title: Some(text.into()), ..ReviewStart::default() }).map(drop)
    }),
    ("review.start", |who, _, text| {
        who.try_ask(ReviewStart { description: text.to_owned(), ..ReviewStart::default() }).map(drop)
    }),
    ("review.edit", |who, _, text| {
        let review = Some("topic".into());
        who.try_ask(ReviewEdit { review, title: Some(text.into()), ..ReviewEdit::default() }).map(drop)
    }),
    ("review.edit", |who, _, text| {
        let review = Some("topic".into());
        who.try_ask(ReviewEdit { review, description: Some(text.into()), ..ReviewEdit::default() }).map(drop)
    }),
    ("review.verdict", |who, _, text| judged(who, Verdict::Approve, text)),
    ("review.verdict", |who, _, text| judged(who, Verdict::Changes, text)),
    ("review.verdict", |who, _, text| judged(who, Verdict::Comment, text)),
    ("review.change", |who, _, text| changed(who, ReviewStatus::Open, text)),
    ("review.change", |who, _, text| changed(who, ReviewStatus::Closed, text)),
    ("review.change", |who, _, text| changed(who, ReviewStatus::Merged, text)),
    // The last one: where the review is closed, it opens another one, which is a draft too.
    ("comment", |who, _, text| {
        who.try_ask(Comment { draft: true, ..said(Some(Place::file("a.txt")), text) }).map(drop)
    }),
];

/// Writes one comment of a batch; one that is refused by its index is an error here.
fn batched(who: &Asker<'_>, item: BatchItem) -> Result<(), Fault> {
    let reply = who.try_ask(CommentBatch { items: vec![item], draft: false })?;
    let refused = |one: &BatchRefused| Err(Fault::new(FaultCode::Refused, one.reason.clone()));
    reply.refused.first().map_or(Ok(()), refused)
}

fn answered(who: &Asker<'_>, thread: &str, answer: ProposalAnswer, text: &str) -> Result<(), Fault> {
    who.try_ask(AnswerProposals { threads: list_of(thread), answer, reason: Some(text.into()) }).map(drop)
}

fn judged(who: &Asker<'_>, verdict: Verdict, text: &str) -> Result<(), Fault> {
    let text = text.to_owned();
    who.try_ask(ReviewVerdict { review: Some("topic".into()), verdict, text, draft: false }).map(drop)
}

fn changed(who: &Asker<'_>, status: ReviewStatus, text: &str) -> Result<(), Fault> {
    who.try_ask(ReviewChange { review: Some("topic".into()), status, reason: Some(text.into()) }).map(drop)
}

/// Everything that can be read.
fn readable(who: &Asker<'_>) -> String {
    let list = List { scope: Scope::All, detail: Detail::Full, ..List::default() };
    let threads = serde_json::to_string(&who.ask(list)).unwrap();
    let review = who.ask(ReviewShow { review: Some("topic".into()) });
    threads + &serde_json::to_string(&review).unwrap()
}

#[test]
fn every_text_can_be_read_afterwards_or_the_method_fails() {
    for name in METHODS.iter().map(|(name, _)| *name).chain(WITHOUT_TEXT.iter().copied()) {
        assert!(Call::METHODS.iter().any(|method| method.name == name), "no such method: {name}");
    }
    for method in Call::METHODS {
        let is_here =
            WITHOUT_TEXT.contains(&method.name) || METHODS.iter().any(|(name, _)| *name == method.name);
        assert!(is_here, "does {} take a text? say so here", method.name);
    }
    let service = service();
    let mut failed = Vec::new();
    for state in STATES {
        let sandbox = Sandbox::in_memory();
        let repo = topic(&sandbox, 3);
        let ann = Asker::new(&service, "ann", &repo.dir);
        let bob = Asker::new(&service, "bob", &repo.dir);
        for (at, (name, ask)) in METHODS.iter().enumerate() {
            for who in [&ann, &bob] {
                let about = format!("why {at} {}?", who.name);
                let thread = thread_in(state, &ann, &bob, &about);
                let text = format!("words {state:?} {at} {}", who.name);
                match ask(who, &thread, &text) {
                    Ok(()) => assert!(readable(&ann).contains(&text), "{name} dropped a text: {text}"),
                    Err(fault) => {
                        assert!(
                            matches!(fault.code, FaultCode::Refused | FaultCode::NotYours),
                            "{text}: {fault}"
                        );
                        failed.push((*name, state, who.name));
                    }
                }
            }
        }
    }
    // Not by failing always: a thread takes every text, whatever became of it.
    let fails = |name: &str, state, who| failed.contains(&(name, state, who));
    for state in STATES {
        for name in ["comment", "reply", "edit", "resolve", "reopen"] {
            assert!(!fails(name, state, "ann") && !fails(name, state, "bob"), "{name} {state:?}");
        }
        assert!(fails("withdraw", state, "bob"), "it is not his");
        assert_eq!(fails("withdraw", state, "ann"), state == State::Draft, "{state:?}");
    }
}

/// A new comment of Ann's in this state, in a review in this state.
fn thread_in(state: State, ann: &Asker<'_>, bob: &Asker<'_>, text: &str) -> String {
    reopen(ann);
    let place = Place { span: Some(Span::lines(2, 2)), ..Place::file("a.txt") };
    let draft = state == State::Draft;
    let thread = ann.ask(Comment { draft, ..said(Some(place), text) }).id.to_string();
    let threads = || vec![thread.clone()];
    match state {
        State::Open | State::Draft => {}
        State::Ended | State::Reopened => {
            bob.ask(Resolve { threads: threads(), reason: Some("for a reason of Bob's".into()), by: None });
            let (review, status) = (Some("topic".into()), ReviewStatus::Closed);
            bob.ask(ReviewChange { review, status, reason: Some("for a reason of Bob's".into()) });
            if state == State::Reopened {
                bob.ask(Reopen { threads: threads(), reason: None });
                reopen(bob);
            }
        }
        State::Withdrawn => drop(ann.ask(Withdraw { comments: threads(), reason: None })),
    }
    thread
}

/// Opens the review of the branch again, if it was ended.
fn reopen(who: &Asker<'_>) {
    let (review, status) = (Some("topic".into()), ReviewStatus::Open);
    let _ = who.try_ask(ReviewChange { review, status, reason: None });
}

#[test]
fn a_reason_for_what_is_so_already_becomes_a_reply_once() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let bob = Asker::new(&service, "bob", &repo.dir);
    let (one, two) = (ann.comment("a.txt", 1, "one"), ann.comment("a.txt", 2, "two"));
    let both = |reason: &str| Resolve {
        threads: vec![one.clone(), two.clone()],
        reason: Some(reason.into()),
        by: None,
    };
    bob.ask(Resolve { threads: vec![one.clone()], reason: Some("done".into()), by: None });

    let reply = ann.ask(both("fixed upstream"));
    assert_eq!(reply.threads.len(), 2);
    let [unchanged] = &reply.unchanged[..] else { panic!("{:?}", reply.unchanged) };
    assert_eq!(unchanged.of.as_str(), one);
    let said_as = unchanged.reply.clone().unwrap();
    let comment = reply.threads[0].comments.iter().find(|comment| comment.id == said_as).unwrap();
    assert_eq!((comment.text.as_str(), comment.author.name.as_str()), ("fixed upstream", "ann"));
    let by = reply.threads[0].status_by.as_ref().unwrap();
    assert_eq!((by.author.name.as_str(), by.reason.as_deref()), ("bob", Some("done")));
    assert_eq!(reply.threads[1].status_by.as_ref().unwrap().reason.as_deref(), Some("fixed upstream"));

    // Sent again, it says nothing new about the second.
    let again = ann.ask(Resolve { threads: vec![two], reason: Some("fixed upstream".into()), by: None });
    assert_eq!((again.unchanged[0].reply.as_ref(), again.threads[0].replies), (None, 0));
    assert_eq!(ann.ask(Resolve { threads: vec![one], reason: None, by: None }).unchanged[0].reply, None);
}

#[test]
fn a_reason_that_cannot_be_kept_fails_and_changes_nothing() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let draft = ann.ask(Comment { draft: true, ..said(Some(Place::file("a.txt")), "hm") }).id.to_string();
    let fault =
        ann.try_ask(Withdraw { comments: vec![draft.clone()], reason: Some("no".into()) }).unwrap_err();
    assert_eq!((fault.code, fault.advice()), (FaultCode::Refused, Some(Advice::LeaveReasonOut)));
    assert!(ann.ask(Show { of: draft.clone(), head: HeadName::default(), ..Show::default() }).thread.draft);
    ann.ask(Withdraw { comments: vec![draft], reason: Some(" ".into()) });

    ann.comment("a.txt", 1, "one");
    ann.ask(Publish::default());
    let close = |reason: &str| ReviewChange {
        review: Some("topic".into()),
        status: ReviewStatus::Closed,
        reason: Some(reason.into()),
    };
    ann.ask(close("too large"));
    ann.ask(close("too large"));
    let fault = ann.try_ask(close("too slow")).unwrap_err();
    assert!(matches!(fault.advice(), Some(Advice::CommentOnReview { .. })), "{fault}");
    ann.ask(ReviewChange { review: Some("topic".into()), status: ReviewStatus::Open, reason: None });
    let start = |title: &str| ReviewStart { title: Some(title.into()), ..ReviewStart::default() };
    let title = ann.ask(ReviewShow { review: Some("topic".into()) }).review.title;
    assert!(!ann.ask(start(&title)).opened);
    let fault = ann.try_ask(start("another title")).unwrap_err();
    assert!(matches!(fault.advice(), Some(Advice::EditReview { .. })), "{fault}");
}

#[test]
fn the_reasons_of_earlier_resolves_and_reopens_can_be_read() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let bob = Asker::new(&service, "bob", &repo.dir);
    let of = ann.comment("a.txt", 1, "why?");
    let threads = || vec![of.clone()];
    bob.ask(Resolve { threads: threads(), reason: Some("explained".into()), by: None });
    ann.ask(Reopen { threads: threads(), reason: Some("not enough".into()) });
    let place = Place { span: Some(Span::lines(3, 3)), ..Place::file("a.txt") };
    ann.ask(Move { of: of.clone(), to: MoveTo::Place(place) });
    bob.ask(Resolve { threads: threads(), reason: Some("explained again".into()), by: None });
    let shown = ann.ask(Show { of: of.clone(), head: HeadName::default(), ..Show::default() });
    let told: Vec<_> = shown
        .timeline
        .iter()
        .map(|entry| (entry.author.name.as_str(), entry.what, entry.text.as_deref()))
        .collect();
    let expected = [
        ("ann", ChangeKind::Commented, Some("why?")),
        ("bob", ChangeKind::Resolved, Some("explained")),
        ("ann", ChangeKind::Reopened, Some("not enough")),
        ("ann", ChangeKind::Moved, None),
        ("bob", ChangeKind::Resolved, Some("explained again")),
    ];
    assert_eq!(told, expected);
    assert_eq!(shown.timeline[3].anchor.as_ref().unwrap().start, Some(3));
    assert_eq!(ann.ask(Log { of }).timeline, shown.timeline);
}
