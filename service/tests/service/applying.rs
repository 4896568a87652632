//! Writes plans into files and takes them back, as any client can.

use postil_protocol::{
    Advice, Apply, ApplyWrite, ByteText, ChangeInto, ChangeKind, FaultCode, Patch, PatchText, Place,
    PlanReply, ReplyTo, Resolve, Show, Span, Suggest, SuggestionState, ThreadStatus, Undo, UndoMode,
    Withdraw,
};
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, said, service};

/// A plan that replaces line 2 of `a.txt`.
fn plan(ann: &Asker<'_>) -> PlanReply {
    let place = Place { span: Some(Span::lines(2, 2)), ..Place::file("a.txt") };
    let suggestion = Some(Suggest::Replacement(ByteText::from("better\n")));
    let id = ann.ask(postil_protocol::Comment { suggestion, ..said(Some(place), "shorter") }).id;
    let plan = ann.ask(Apply { comments: vec![id.to_string()], ..Apply::default() });
    assert_eq!(plan.files.len(), 1);
    plan
}

fn write(plan: &PlanReply, into: ChangeInto) -> ApplyWrite {
    ApplyWrite { plan: plan.clone(), expect: None, into }
}

fn text(repo: &Checkout<'_>) -> String {
    std::fs::read_to_string(repo.dir.join("a.txt")).unwrap()
}

#[test]
fn a_plan_is_written_and_taken_back() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let plan = plan(&ann);
    let written = ann.ask(write(&plan, ChangeInto::Files));
    assert_eq!((written.what.as_str(), written.not_recorded), (plan.suggestions[0].short.as_str(), None));
    assert_eq!(text(&repo), "line 1\nbetter\nline 3\n");
    let again = ann.try_ask(write(&plan, ChangeInto::Files)).unwrap_err();
    assert_eq!((again.code, again.advice()), (FaultCode::Conflict, Some(Advice::PlanAgain)));
    assert_eq!(ann.ask(Undo { mode: UndoMode::Look }).what, written.what);
    let undone = ann.ask(Undo::default());
    assert_eq!((undone.what, undone.files), (written.what, vec![ByteText::from("a.txt")]));
    assert_eq!(text(&repo), "line 1\nline 2\nline 3\n");
    let nothing = ann.try_ask(Undo::default()).unwrap_err();
    assert_eq!((nothing.code, nothing.advice()), (FaultCode::NotFound, Some(Advice::RevertCommits)));
}

#[test]
fn a_plan_for_other_files_than_those_a_person_saw_is_refused() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let plan = plan(&ann);
    let expect = Some("another".to_owned());
    let fault = ann.try_ask(ApplyWrite { expect, ..write(&plan, ChangeInto::Files) }).unwrap_err();
    assert_eq!(fault.data.reason.as_deref(), Some("changed-since-check"));
    let expect = Some(plan.token.clone());
    ann.ask(ApplyWrite { expect, ..write(&plan, ChangeInto::Files) });
    assert_eq!(text(&repo), "line 1\nbetter\nline 3\n");
}

#[test]
fn a_staged_change_is_taken_out_of_the_index_again() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let plan = plan(&ann);
    assert_eq!(ann.ask(write(&plan, ChangeInto::Index)).not_recorded, None);
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "a.txt");
    ann.ask(Undo::default());
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_change_is_committed_alone_and_names_who_suggested_it() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    repo.git(&["config", "user.name", "Bob"]);
    repo.git(&["config", "user.email", "bob@example.com"]);
    let service = service();
    let plan = plan(&Asker::new(&service, "ann", &repo.dir));
    std::fs::write(repo.dir.join("own.txt"), "own\n").unwrap();
    repo.git(&["add", "own.txt"]);
    let bob = Asker::new(&service, "bob", &repo.dir);
    let written = bob.ask(write(&plan, ChangeInto::Commit));
    assert_eq!(written.not_recorded, None);
    assert_eq!(written.commit.unwrap().as_str(), repo.git(&["rev-parse", "HEAD"]));
    let message = repo.git(&["log", "-1", "--format=%B"]);
    let thread = &plan.suggestions[0].thread;
    let trailers = format!("Co-authored-by: ann <ann@example.com>\nPostil-Thread: {thread}");
    assert_eq!(message.trim(), format!("Apply suggestion: shorter\n\n{trailers}"));
    assert_eq!(repo.git(&["show", "--format=", "--name-only", "HEAD"]), "a.txt");
    let committed = bob.try_ask(Undo::default()).unwrap_err();
    assert!(matches!(committed.advice(), Some(Advice::RevertCommit { .. })), "{committed:?}");
    assert_eq!(bob.ask(Undo { mode: UndoMode::Skip }).what, plan.suggestions[0].short);
}

#[test]
fn a_file_that_changed_since_it_was_written_is_not_taken_back() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-line 1\n+first\n";
    let patches = vec![PatchText { text: ByteText::from(diff), path: None }];
    let plan = ann.ask(Patch { patches, reverse: false });
    assert_eq!(ann.ask(write(&plan, ChangeInto::Files)).what, "the patch");
    std::fs::write(repo.dir.join("a.txt"), "my own\n").unwrap();
    let fault = ann.try_ask(Undo::default()).unwrap_err();
    assert_eq!((fault.code, fault.advice()), (FaultCode::Conflict, Some(Advice::TakeOwnChangeOut)));
    assert_eq!(text(&repo), "my own\n");
}

/// Milliseconds since 1970.
const NOW: u64 = 1_760_000_000_000;

fn suggest(asker: &Asker<'_>, line: u32, with: &str) -> String {
    let place = Place { span: Some(Span::lines(line, line)), ..Place::file("a.txt") };
    let suggestion = Some(Suggest::Replacement(ByteText::from(with)));
    let text = format!("line {line} as {}", with.trim());
    asker.ask(postil_protocol::Comment { suggestion, ..said(Some(place), &text) }).id.to_string()
}

fn all(asker: &Asker<'_>) -> PlanReply {
    asker.ask(Apply { all: true, ..Apply::default() })
}

fn ids(suggestions: &[postil_protocol::AskedSuggestion]) -> Vec<&str> {
    suggestions.iter().map(|said| said.id.as_str()).collect()
}

#[test]
fn all_open_suggestions_are_planned_and_those_in_the_way_are_left_out() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 8);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    let nothing = all(&ann);
    assert_eq!((nothing.state, nothing.suggestions.len()), (SuggestionState::Done, 0));
    let made = [(2, "two\n"), (2, "zwei\n"), (5, "five\n"), (8, "eight\n"), (6, "six\n"), (7, "seven\n")];
    let made = [0, 1, 2, 3, 4, 5].map(|at| {
        ann.at = Some(NOW + at as u64);
        suggest(&ann, made[at].0, made[at].1)
    });
    let [first, touching, overtaken, done, resolved, withdrawn] = made;
    ann.ask(Resolve { threads: vec![resolved], reason: None, by: None });
    ann.ask(Withdraw { comments: vec![withdrawn], reason: None });
    let changed = text(&repo).replace("line 5\n", "another\n").replace("line 8\n", "eight\n");
    std::fs::write(repo.dir.join("a.txt"), &changed).unwrap();
    let plan = all(&ann);
    assert_eq!(plan.state, SuggestionState::Applies);
    assert_eq!(ids(&plan.suggestions), [first.as_str(), &done]);
    assert_eq!(ids(&plan.left_out), [touching.as_str(), &overtaken]);
    let reasons = [0, 1].map(|at| plan.conflicts[at].suggestion.as_deref().unwrap().to_owned());
    assert_eq!(reasons.as_slice(), [plan.left_out[0].short.as_str(), &plan.left_out[1].short]);
    assert_eq!(plan.conflicts[0].other.as_deref(), Some(plan.suggestions[0].short.as_str()));
    let written = ann.ask(write(&plan, ChangeInto::Files));
    assert_eq!(written.what, plan.suggestions[0].short);
    assert_eq!(text(&repo), changed.replace("line 2\n", "two\n"));
    let again = all(&ann);
    assert_eq!((again.state, again.files.len()), (SuggestionState::Done, 0));
}

#[test]
fn a_reply_resolves_its_thread_in_the_same_commit_if_a_person_writes_it() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let id = suggest(&ann, 2, "two\n");
    let before = repo.git(&["rev-list", "--count", "refs/notes/reviews"]).parse::<u32>().unwrap();
    let reply =
        ReplyTo { to: id.clone(), text: "done".into(), suggestion: None, draft: false, resolve: true };
    let draft = ann.try_ask(ReplyTo { draft: true, ..reply.clone() }).unwrap_err();
    assert_eq!(draft.code, FaultCode::Refused);
    let thread = ann.ask(reply.clone()).thread;
    assert_eq!((thread.status, thread.replies), (ThreadStatus::Resolved, 1));
    let after = repo.git(&["rev-list", "--count", "refs/notes/reviews"]).parse::<u32>().unwrap();
    assert_eq!(after, before + 1);
    let kinds: Vec<_> = ann.ask(Show { of: id, ..Show::default() }).timeline;
    let kinds: Vec<ChangeKind> = kinds.into_iter().map(|entry| entry.what).collect();
    assert_eq!(kinds, [ChangeKind::Suggested, ChangeKind::Replied, ChangeKind::Resolved]);
    // Once more: the words are saved, and the thread stays resolved.
    assert_eq!(ann.ask(reply).thread.replies, 2);
}
