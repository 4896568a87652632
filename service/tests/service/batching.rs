//! Many comments in one request: each done or refused by itself.

use std::time::Instant;

use postil_protocol::{
    BatchItem, BatchLines, CommentBatch, CommentTrust, FaultCode, MAX_BATCH, SeverityView, ThreadStatus,
    ViaView,
};
use postil_testkit::Sandbox;

use crate::asker::{Asker, service};
use crate::topic;

fn item(line: u32, text: &str) -> BatchItem {
    let lines = Some(BatchLines { start: line, end: line });
    BatchItem { path: Some("a.txt".into()), lines, text: text.into(), ..BatchItem::default() }
}

fn batch(items: Vec<BatchItem>) -> CommentBatch {
    CommentBatch { items, draft: false }
}

#[test]
fn of_a_hundred_with_five_bad_ones_95_are_written_at_once_and_five_are_refused_by_index() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 200);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let before = Instant::now();
    ann.comment("a.txt", 1, "one alone");
    let one = before.elapsed();
    let mut items: Vec<BatchItem> = (1..=100).map(|line| item(line, &format!("finding {line}"))).collect();
    items[7].path = Some("b.txt".into());
    items[20].lines = Some(BatchLines { start: 900, end: 901 });
    items[33].text = "  \n".into();
    items[50].reply_to = Some("ffffffff".into());
    items[50].path = None;
    items[50].lines = None;
    items[71].code = Some("no such code anywhere".into());
    let commits = || repo.git(&["rev-list", "--count", "refs/notes/reviews"]);
    let had = commits();
    let before = Instant::now();
    let reply = ann.ask(batch(items));
    println!("one: {one:?}, a hundred: {:?}", before.elapsed());
    let refused: Vec<u32> = reply.refused.iter().map(|one| one.index).collect();
    assert_eq!((reply.done.len(), refused), (95, vec![7, 20, 33, 50, 71]));
    assert_eq!(commits().trim().parse::<u32>().unwrap(), had.trim().parse::<u32>().unwrap() + 1);
    let near = reply.refused[1].nearest.as_ref().unwrap();
    assert_eq!((near.path.as_str(), near.line), (Some("a.txt"), Some(200)));
    assert!(
        reply.refused[4].nearest.is_some()
            && reply.refused[4].reason.starts_with("the first line of a.txt:72 is not ")
    );
    assert_eq!(ann.list().threads.len(), 96);
    assert!(ann.list().threads.iter().all(|thread| thread.comments[0].trust == CommentTrust::Here));
    // The ids that are told lead to the comments.
    let shown = ann.ask(postil_protocol::Show { of: reply.done[3].id.clone(), ..Default::default() });
    assert_eq!(shown.thread.comments[0].text, "finding 4");
}

#[test]
fn a_key_is_written_once_and_the_expected_code_corrects_the_line() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    let fifth = text.lines().nth(4).unwrap();
    let keyed = BatchItem { key: Some("lint:7".into()), code: Some(fifth.into()), ..item(2, "moved") };
    let first = ann.ask(batch(vec![keyed.clone(), keyed.clone()]));
    assert_eq!((first.done[0].lines.as_deref(), first.done[0].instead_of.as_deref()), (Some("5"), Some("2")));
    assert!(!first.done[0].known && first.done[1].known && first.done[1].id == first.done[0].id);
    let again = ann.ask(batch(vec![keyed.clone()]));
    assert!(again.done[0].known && !again.done[0].changed && ann.list().threads.len() == 1);
    // Somebody else's key is another one.
    let bob = Asker::new(&service, "bob", &repo.dir);
    assert!(!bob.ask(batch(vec![keyed])).done[0].known);
}

#[test]
fn two_items_with_one_key_that_differ_are_two_and_the_second_is_refused() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let keyed = |line, text: &str| BatchItem { key: Some("k".into()), ..item(line, text) };
    let to = ann.comment("a.txt", 9, "why?");
    let other = |change: &dyn Fn(&mut BatchItem)| {
        let mut other = keyed(2, "one");
        change(&mut other);
        other
    };
    let cases = [
        ("other words", keyed(2, "two")),
        ("another place", keyed(3, "one")),
        ("another place", BatchItem { path: None, lines: None, reply_to: Some(to), ..keyed(2, "one") }),
        ("another suggestion", other(&|item| item.suggestion = Some("new\n".into()))),
        ("another severity", other(&|item| item.severity = Some(SeverityView::Nit))),
    ];
    // Both while the key is new and while it is known.
    for round in 0..2 {
        let mut items = vec![keyed(2, " \n"), keyed(2, "one"), keyed(2, "one\n")];
        items.extend(cases.iter().map(|(_, item)| item.clone()));
        let reply = ann.ask(batch(items));
        let done: Vec<_> = reply.done.iter().map(|done| (done.index, done.known)).collect();
        assert_eq!(done, [(1, round == 1), (2, true)], "{reply:?}");
        assert_eq!((reply.refused[0].index, reply.refused.len()), (0, 1 + cases.len()), "{reply:?}");
        for (refused, (what, _)) in reply.refused[1..].iter().zip(&cases) {
            let told =
                format!("item 1 has the key \"k\" too, with {what}: give each comment a key of its own");
            assert_eq!(refused.reason, told);
        }
        assert_eq!(ann.list().threads.len(), 2);
    }
    // New words for a known comment, and then others again.
    let reply = ann.ask(batch(vec![keyed(2, "two"), keyed(2, "three"), keyed(2, "two")]));
    let done: Vec<_> = reply.done.iter().map(|done| (done.index, done.known, done.changed)).collect();
    assert_eq!((done, reply.refused[0].index), (vec![(0, true, true), (2, true, false)], 1));
    assert!(ann.list().threads.iter().any(|thread| thread.comments[0].text == "two"));
}

#[test]
fn what_has_a_known_key_is_written_as_an_edit_or_refused_and_never_dropped() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    repo.commit("b.txt", "one\ntwo\n");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let keyed = |key: &str, item: BatchItem| BatchItem { key: Some(key.into()), ..item };
    let suggests = |with: &str| BatchItem { suggestion: Some(with.into()), ..item(3, "") };
    let to = ann.comment("a.txt", 9, "why?");
    let reply = |to: &str, text: &str| BatchItem {
        reply_to: Some(to.into()),
        text: text.into(),
        ..BatchItem::default()
    };
    let first = [
        keyed("plain", item(1, "plain")),
        keyed("suggests", suggests("new\n")),
        keyed("reply", reply(&to, "because")),
    ];
    let ids: Vec<String> = ann.ask(batch(first.to_vec())).done.iter().map(|done| done.id.clone()).collect();
    let again = ann.ask(batch(first.to_vec()));
    assert!(
        again.refused.is_empty() && again.done.iter().all(|done| done.known && !done.changed),
        "{again:?}"
    );
    let refused = |item: BatchItem| {
        let reply = ann.ask(batch(vec![item]));
        assert!(reply.done.is_empty(), "{reply:?}");
        reply.refused[0].reason.clone()
    };
    let (plain, suggested, replied) = (&ids[0], &ids[1], &ids[2]);
    let elsewhere = |id: &str| format!("{id} has this key, in another place: use another key");
    let in_b = BatchItem { path: Some("b.txt".into()), ..item(1, "plain") };
    assert_eq!(refused(keyed("plain", in_b)), elsewhere(plain));
    assert_eq!(refused(keyed("plain", reply(&to, "plain"))), elsewhere(plain));
    assert_eq!(
        refused(keyed("plain", BatchItem { path: None, lines: None, ..item(1, "plain") })),
        elsewhere(plain)
    );
    assert_eq!(refused(keyed("reply", reply(plain, "because"))), elsewhere(replied));
    assert_eq!(refused(keyed("reply", item(1, "because"))), elsewhere(replied));
    let other_suggestion = |id: &str| {
        format!("{id} has this key, without this suggestion: suggest it in a reply, or use another key")
    };
    assert_eq!(refused(keyed("suggests", suggests("newer\n"))), other_suggestion(suggested));
    let more = BatchItem { suggestion: Some("x\n".into()), ..item(1, "plain") };
    assert_eq!(refused(keyed("plain", more)), other_suggestion(plain));
    // Words become an edit, also of a reply, and also when the file has another name.
    repo.git(&["mv", "a.txt", "c.txt"]);
    repo.git(&["commit", "-q", "-m", "rename"]);
    let renamed = BatchItem { path: Some("c.txt".into()), ..item(1, "plainer") };
    let done =
        ann.ask(batch(vec![keyed("plain", renamed.clone()), keyed("reply", reply(&to, "since"))])).done;
    assert!(done.iter().all(|done| done.known && done.changed), "{done:?}");
    let threads = [plain, suggested].map(ToString::to_string).to_vec();
    ann.ask(postil_protocol::Resolve { threads, reason: None, by: None });
    assert!(ann.ask(batch(vec![keyed("plain", renamed.clone())])).done[0].known, "the same words");
    let new = BatchItem { text: "I insist".into(), ..renamed };
    let resolved =
        format!("{plain} has this key and is resolved, with other words: reply to it, or use another key");
    assert_eq!(refused(keyed("plain", new.clone())), resolved);
    ann.ask(postil_protocol::Withdraw { comments: vec![plain.clone()], reason: None });
    assert!(refused(keyed("plain", new)).contains("was withdrawn"));
    // Of a draft it is said that it is one, whatever was asked for.
    let draft = vec![keyed("draft", BatchItem { path: Some("b.txt".into()), ..item(2, "kept") })];
    assert!(ann.ask(CommentBatch { items: draft.clone(), draft: true }).done[0].draft);
    let known = ann.ask(batch(draft)).done[0].clone();
    assert!(known.known && known.draft, "{known:?}");
}

#[test]
fn a_key_with_new_words_is_an_edit_unless_somebody_decided() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let said = |text: &str| batch(vec![BatchItem { key: Some("sum".into()), ..item(2, text) }]);
    let id = ann.ask(said("may overflow")).done[0].id.clone();
    let done = ann.ask(said("is not bounded")).done;
    assert!(done[0].known && done[0].changed && done[0].id == id, "{done:?}");
    assert_eq!(ann.list().threads[0].comments[0].text, "is not bounded");
    assert!(!ann.ask(said("is not bounded")).done[0].changed);
    ann.ask(postil_protocol::Resolve { threads: vec![id], reason: None, by: None });
    let refused = ann.ask(said("I insist")).refused;
    assert!(refused[0].reason.contains("is resolved, with other words"), "{refused:?}");
    assert_eq!(ann.list().threads[0].status, ThreadStatus::Resolved);
}

#[test]
fn replies_suggestions_and_drafts_are_written_too() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let first = ann.comment("a.txt", 1, "why?");
    let reply =
        |text: &str| BatchItem { reply_to: Some(first.clone()), text: text.into(), ..BatchItem::default() };
    let suggests = BatchItem { suggestion: Some("new\n".into()), text: String::new(), ..item(3, "") };
    let written = ann.ask(batch(vec![reply("one"), reply("two"), suggests]));
    assert_eq!((written.done.len(), written.refused.len()), (3, 0), "{:?}", written.refused);
    let shown = ann.ask(postil_protocol::Show { of: first.clone(), ..Default::default() });
    let texts: Vec<&str> = shown.thread.comments.iter().map(|comment| comment.text.as_str()).collect();
    assert_eq!(texts, ["why?", "one", "two"]);
    assert_eq!(shown.thread.status, ThreadStatus::Open);
    let suggested = ann.ask(postil_protocol::Show { of: written.done[2].id.clone(), ..Default::default() });
    assert!(suggested.thread.comments[0].suggests);
    let drafts = ann.ask(CommentBatch { items: vec![item(4, "a"), item(5, "b"), reply("c")], draft: true });
    assert!(drafts.done.iter().all(|done| done.draft), "{drafts:?}");
    let published = ann.ask(postil_protocol::Publish::default());
    assert_eq!(published.published.len(), 3);
    assert!(ann.list().threads.iter().all(|thread| !thread.draft));
}

#[test]
fn too_many_are_refused_and_an_agent_needs_to_be_allowed() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 9);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    let many = batch(vec![item(1, "x"); MAX_BATCH + 1]);
    assert_eq!(ann.try_ask(many).unwrap_err().code, FaultCode::TooLarge);
    let (version, model, person) = (None, None, None);
    ann.via = Some(ViaView { kind: "agent".into(), program: "helper".into(), version, model, person });
    let fault = ann.try_ask(batch(vec![item(1, "x")])).unwrap_err();
    assert_eq!((fault.code, fault.data.reason.as_deref()), (FaultCode::Refused, Some("not-allowed")));
    assert!(ann.list().threads.is_empty());
}
