//! Writes plans into files and takes them back, as any client can.

use postil_protocol::{
    Advice, Apply, ApplyWrite, ByteText, ChangeInto, FaultCode, OnConflict, Patch, PatchText, Place,
    PlanReply, Span, Strictness, Suggest, Undo, UndoMode,
};
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, said, service};

/// A plan that replaces line 2 of `a.txt`.
fn plan(ann: &Asker<'_>) -> PlanReply {
    let place = Place { span: Some(Span::lines(2, 2)), ..Place::file("a.txt") };
    let suggestion = Some(Suggest::Replacement(ByteText::from("better\n")));
    let id = ann.ask(postil_protocol::Comment { suggestion, ..said(Some(place), "shorter") }).id;
    let plan = ann.ask(Apply {
        comments: vec![id.to_string()],
        strictness: Strictness::default(),
        on_conflict: OnConflict::default(),
    });
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
    assert_eq!(bob.ask(write(&plan, ChangeInto::Commit)).not_recorded, None);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert_eq!(message.trim(), "Apply suggestion: shorter\n\nCo-authored-by: ann <ann@example.com>");
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
