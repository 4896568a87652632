//! Many comments in one request: each done or refused by itself.

use std::time::Instant;

use postil_protocol::{
    BatchItem, BatchLines, CommentBatch, CommentTrust, FaultCode, MAX_BATCH, ThreadStatus, ViaView,
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
    assert!(reply.refused[4].nearest.is_some() && reply.refused[4].reason.contains("does not begin with"));
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
    let again = ann.ask(batch(vec![BatchItem { text: "other words".into(), ..keyed.clone() }]));
    assert!(again.done[0].known && ann.list().threads.len() == 1);
    // Somebody else's key is another one.
    let bob = Asker::new(&service, "bob", &repo.dir);
    assert!(!bob.ask(batch(vec![keyed])).done[0].known);
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
