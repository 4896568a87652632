//! What a person has read, what waits for them, and lists in other orders.

use postil_protocol::{
    Advice, ChangeKind, Detail, FaultCode, Filter, HeadName, Inbox, InboxReply, List, ListOrder, ListReply,
    MarkRead, Person, Place, PlaceState, ReplyTo, Resolve, ReviewAsk, ReviewVerdict, SeverityView, Show,
    Span, Status, ThreadView, Verdict,
};
use postil_testkit::Sandbox;

use crate::asker::{Asker, said, service};
use crate::topic;

fn reply(to: &str, text: &str) -> ReplyTo {
    ReplyTo { to: to.into(), text: text.into(), suggestion: None, draft: false, resolve: false }
}

fn listed(asker: &Asker<'_>, list: List) -> Vec<String> {
    asker.ask(list).threads.iter().map(|thread| thread.comments[0].text.clone()).collect()
}

fn unread(asker: &Asker<'_>) -> Vec<String> {
    listed(asker, List { filter: Filter { unread: true, ..Filter::default() }, ..List::default() })
}

/// What is new, each as who did what in which thread.
fn news(reply: &InboxReply) -> Vec<(String, ChangeKind, String)> {
    let threads = reply.reviews.iter().flat_map(|review| &review.threads);
    let news = threads.flat_map(|thread| thread.news.iter().map(move |news| (thread, news)));
    news.map(|(thread, news)| (news.author.name.clone(), news.what, thread.text.clone())).collect()
}

#[test]
fn a_thread_is_unread_until_it_is_read_and_again_after_an_answer() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let (ann, bob) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "bob", &repo.dir));
    let first = ann.comment("a.txt", 1, "first");
    let second = ann.comment("a.txt", 2, "second");
    assert_eq!((unread(&ann), unread(&bob)), (vec![], vec!["first".into(), "second".into()]));
    let shown = bob.ask(Show { of: first.clone(), head: HeadName::default(), ..Show::default() });
    // What comes after it was shown was not seen.
    ann.ask(reply(&first, "one more thing"));
    let read = |mark| MarkRead { threads: vec![first.clone()], shown: mark, ..MarkRead::default() };
    assert_eq!(bob.ask(read(Some(shown.mark))).marked, 1);
    assert_eq!(unread(&bob), ["first", "second"]);
    assert_eq!(bob.ask(read(None)).marked, 1);
    assert_eq!(unread(&bob), ["second"]);
    assert_eq!(bob.ask(read(None)).marked, 0);
    let row = |asker: &Asker<'_>| {
        let rows = asker.ask(List { detail: Detail::Row, ..List::default() }).lines;
        rows.iter().map(|line| line.row.as_ref().unwrap().unread).collect::<Vec<_>>()
    };
    assert_eq!(row(&bob), [false, true]);
    // Another process knows as well, and lists that are kept do not hide it.
    let again = service_of_another_process();
    assert_eq!(unread(&Asker::new(&again, "bob", &repo.dir)), ["second"]);
    bob.ask(MarkRead { all: true, ..MarkRead::default() });
    assert_eq!((unread(&bob), bob.ask(Status::default()).unread), (vec![], 0));
    bob.ask(reply(&second, "answered"));
    assert_eq!((unread(&bob), unread(&ann)), (vec![], vec!["second".into()]));
    let bad = bob.try_ask(MarkRead { threads: vec!["zzz".into()], ..MarkRead::default() });
    assert_eq!(bad.unwrap_err().code, FaultCode::NotFound);
}

fn service_of_another_process() -> postil_service::Service {
    service()
}

#[test]
fn an_inbox_has_what_others_did_to_what_is_ones_own() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let asker = |name| Asker::new(&service, name, &repo.dir);
    let (ann, bob, cyd) = (asker("ann"), asker("bob"), asker("cyd"));
    // Ann starts the review with it.
    let own = ann.comment("a.txt", 1, "by ann");
    let other = bob.comment("a.txt", 2, "by bob");
    cyd.ask(reply(&other, "cyd to bob"));
    bob.ask(Resolve { threads: vec![own.clone()], reason: Some("done".into()), by: None });
    let name = |who: &str, what, thread: &str| (who.to_owned(), what, thread.to_owned());
    // All threads of her review concern Ann; the latest news come first, but all have the same time here.
    let mut of_ann = news(&ann.ask(Inbox {}));
    of_ann.sort_by_key(|(who, _, thread)| (thread.clone(), who.clone()));
    assert_eq!(
        of_ann,
        [
            name("bob", ChangeKind::Resolved, "by ann"),
            name("bob", ChangeKind::Commented, "by bob"),
            name("cyd", ChangeKind::Replied, "by bob"),
        ]
    );
    assert_eq!(news(&bob.ask(Inbox {})), [name("cyd", ChangeKind::Replied, "by bob")]);
    // Bob wrote first there, and Cyd has seen what she answered, or not: it is hers now.
    assert_eq!(news(&cyd.ask(Inbox {})), [name("bob", ChangeKind::Commented, "by bob")]);
    assert!(asker("dan").ask(Inbox {}).reviews.is_empty());
    ann.ask(MarkRead { threads: vec![own, other], ..MarkRead::default() });
    assert!(ann.ask(Inbox {}).reviews.is_empty());
}

#[test]
fn who_is_asked_has_to_judge_the_branch_as_it_is() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let (ann, bob) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "bob", &repo.dir));
    ann.comment("a.txt", 1, "please look");
    ann.ask(ReviewAsk { review: None, who: vec!["bob <bob@example.com>".into()], release: false });
    let waits = || {
        let asked: Vec<Person> = ann.ask(Status::default()).to_judge.into_iter().map(|one| one.who).collect();
        let inbox = bob.ask(Inbox {}).reviews.iter().any(|review| review.asked.is_some());
        assert_eq!(asked.iter().any(|who| who.email == "bob@example.com"), inbox);
        inbox
    };
    let judge = |verdict| {
        let text = "seen".to_owned();
        bob.ask(ReviewVerdict { review: None, verdict, text, draft: false });
    };
    assert!(waits());
    judge(Verdict::Comment);
    assert!(waits(), "a comment is no judgement");
    judge(Verdict::Approve);
    assert!(!waits());
    let verdicts =
        |inbox: InboxReply| inbox.reviews.iter().map(|review| review.verdicts.len()).sum::<usize>();
    assert_eq!(verdicts(ann.ask(Inbox {})), 2);
    let review = ann.ask(Status::default()).review.unwrap().id.to_string();
    ann.ask(MarkRead { reviews: vec![review], ..MarkRead::default() });
    assert_eq!(verdicts(ann.ask(Inbox {})), 0);
    repo.commit("a.txt", "something else\n");
    assert!(waits(), "the branch moved on");
}

#[test]
fn lists_have_other_orders_and_pages_follow_them() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    let severities = [None, Some(SeverityView::Nit), Some(SeverityView::Blocker), Some(SeverityView::Praise)];
    let mut ids = Vec::new();
    for (line, severity) in (1..).zip(severities) {
        ann.at = Some(1_700_000_000_000 + u64::from(line) * 1000);
        let place = Place { span: Some(Span::lines(line, line)), ..Place::file("a.txt") };
        let comment = postil_protocol::Comment { severity, ..said(Some(place), &format!("line {line}")) };
        ids.push(ann.ask(comment).id.to_string());
    }
    ann.at = Some(1_800_000_000_000);
    ann.ask(reply(&ids[1], "the last word"));
    let pages = |order: ListOrder| {
        let mut list = List { order, limit: Some(3), ..List::default() };
        let mut texts = Vec::new();
        loop {
            let page = ann.ask(list.clone());
            texts.extend(page.threads.iter().map(|thread| thread.comments[0].text.clone()));
            match page.next {
                Some(next) => list.cursor = Some(next),
                None => return texts,
            }
        }
    };
    assert_eq!(pages(ListOrder::File), ["line 1", "line 2", "line 3", "line 4"]);
    assert_eq!(pages(ListOrder::Age), ["line 2", "line 4", "line 3", "line 1"]);
    assert_eq!(pages(ListOrder::Severity), ["line 3", "line 1", "line 2", "line 4"]);
    assert_eq!(ann.ask(Status::default()).blockers, 1);
    let told = ann.told(List { order: ListOrder::Age, detail: Detail::Line, ..List::default() });
    let told: ListReply = serde_json::from_slice(&told).unwrap();
    assert_eq!(told.lines[0].text, "line 2", "a list that is kept has the order that was asked for");
}

#[test]
fn a_list_is_filtered_by_words_and_by_who_began() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let (ann, bob) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "bob", &repo.dir));
    let first = ann.comment("a.txt", 1, "Why saturating?");
    bob.comment("a.txt", 2, "an ÜBERFLOW");
    bob.ask(reply(&first, "it can be zero"));
    let with = |filter| listed(&ann, List { filter, ..List::default() });
    let text = |text: &str| with(Filter { text: Some(text.into()), ..Filter::default() });
    assert_eq!(text("SATUR|nothing"), ["Why saturating?"]);
    assert_eq!(text("can be .ero"), ["Why saturating?"], "replies count");
    assert_eq!(text("überflow"), ["an ÜBERFLOW"]);
    assert!(text("nowhere").is_empty());
    let bad = Filter { text: Some("(".into()), ..Filter::default() };
    let fault = ann.try_ask(List { filter: bad, ..List::default() }).unwrap_err();
    assert_eq!(fault.code, FaultCode::InvalidParams);
    let mine = |email: &str| with(Filter { started_by: vec![email.into()], ..Filter::default() });
    assert_eq!(mine("bob@example.com"), ["an ÜBERFLOW"]);
    assert!(mine("ob@example.com").is_empty(), "the whole email counts");
}

#[test]
fn an_id_with_one_wrong_digit_is_suggested() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let id = ann.comment("a.txt", 1, "first");
    let digit = if id.as_bytes()[6] == b'0' { '1' } else { '0' };
    let wrong = format!("{}{digit}", &id[..6]);
    for name in [wrong, format!("{}g", &id[..7])] {
        let fault =
            ann.try_ask(Show { of: name.clone(), head: HeadName::default(), ..Show::default() }).unwrap_err();
        assert_eq!(fault.code, FaultCode::NotFound);
        assert!(fault.data.candidates[0].ends_with(" first"), "{name}: {fault:?}");
    }
    let fault = ann.try_ask(Show { of: "0123".into(), head: HeadName::default(), ..Show::default() });
    assert!(fault.unwrap_err().data.candidates.is_empty(), "too short to guess");
}

#[test]
fn a_clone_without_reviews_is_told_where_they_may_be() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    assert_eq!(ann.list().advice, None, "there is no remote");
    repo.git(&["remote", "add", "origin", "https://example.com/none"]);
    let advice = Some(Advice::FetchReviews { remote: "origin".into() });
    assert_eq!(ann.list().advice, advice);
    ann.comment("a.txt", 1, "first");
    assert_eq!(ann.list().advice, None);
    let remotes = ann.ask(Status::default()).remotes;
    assert_eq!((remotes.len(), remotes[0].known), (1, false));
    assert!(remotes[0].unsent >= 2, "a review and a comment: {remotes:?}");
    // As after a push.
    repo.git(&["update-ref", "refs/postil/remotes/origin/reviews", "refs/notes/reviews"]);
    let counts = || ann.ask(Status { counts_only: true, ..Status::default() });
    assert_eq!((counts().remotes[0].known, counts().remotes[0].unsent), (true, 0));
    ann.comment("a.txt", 2, "second");
    assert_eq!((counts().remotes[0].unsent, counts().remotes[0].unmerged, counts().threads.open), (1, 0, 2));
}

#[test]
fn a_list_has_the_code_as_it_is_now_where_it_is_asked_for() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let place = Place { span: Some(Span::lines(2, 4)), ..Place::file("a.txt") };
    let first = ann.ask(said(Some(place), "three lines")).id.to_string();
    let lost = ann.comment("a.txt", 9, "last line");
    ann.ask(said(Some(Place::file("a.txt")), "whole file"));
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // One line more at the top, another third line, and no last one.
    let changed = [&["new"], &lines[..2], &["other"], &lines[3..8]].concat();
    std::fs::write(repo.dir.join("a.txt"), changed.join("\n") + "\n").unwrap();
    let code = |most: u32, of: &str| {
        let filter = Filter { threads: vec![of.into()], ..Filter::default() };
        let list = List { code: most, filter, ..List::default() };
        let told: ListReply = serde_json::from_slice(&ann.told(list.clone())).unwrap();
        let reply = ann.ask(list);
        assert_eq!(told, reply);
        assert_eq!(reply.total, 1);
        let lines = reply.threads[0].code.iter();
        lines.map(|line| line.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(code(0, &first), Vec::<String>::new());
    assert_eq!(code(9, &first), [lines[1], "other", lines[3]]);
    assert_eq!(code(2, &first[..8]), [lines[1], "other"]);
    // What is not there any more has no code.
    let list = List { code: 9, ..List::default() };
    let position = |thread: &ThreadView| thread.position.as_ref().map(|position| position.state);
    for thread in ann.ask(list.clone()).threads {
        let is_lost =
            position(&thread) == Some(PlaceState::Orphaned) || thread.anchor.unwrap().start.is_none();
        assert_eq!(thread.code.is_empty(), is_lost, "{}", thread.id);
    }
    assert!(!lost.is_empty());
    // A file that changes is read again.
    std::fs::write(repo.dir.join("a.txt"), changed.join("\n").replace("other", "another") + "\n").unwrap();
    assert_eq!(code(9, &first), [lines[1], "another", lines[3]]);
    let nobody = Filter { threads: vec!["ffffffff".into()], ..Filter::default() };
    let fault = ann.try_ask(List { filter: nobody, ..List::default() }).unwrap_err();
    assert_eq!(fault.code, FaultCode::NotFound);
}
