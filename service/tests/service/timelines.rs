//! What happened in a thread without anybody saying so in postil: suggestions applied, findings no longer reported.

use postil_protocol::{
    ByteText, ChangeKind, Changes, Export, ExportFormat, Filter, HeadName, Import, ImportFormat,
    ImportedFile, Log, Place, ReplyTo, Resolve, Scope, Show, Span, Suggest, TimelineView, ViaView,
};
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, said, service};

fn timeline(ann: &Asker<'_>, of: &str) -> Vec<TimelineView> {
    let shown = ann.ask(Show { of: of.into(), ..Show::default() }).timeline;
    assert_eq!(ann.ask(Log { of: of.into() }).timeline, shown);
    shown
}

fn kinds(timeline: &[TimelineView]) -> Vec<ChangeKind> {
    timeline.iter().map(|entry| entry.what).collect()
}

/// Suggests another text for line 2 of `a.txt`.
fn suggest(ann: &Asker<'_>, text: &str) -> String {
    let place = Place { span: Some(Span::lines(2, 2)), ..Place::file("a.txt") };
    let suggestion = Some(Suggest::Replacement(ByteText::from(text)));
    ann.ask(postil_protocol::Comment { suggestion, ..said(Some(place), "shorter") }).id.to_string()
}

fn commit(repo: &Checkout<'_>, who: &str, text: &str) -> String {
    repo.write("a.txt", text);
    repo.git(&["add", "."]);
    let author = format!("{who} <{who}@example.com>");
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", "a change", "--author", &author]);
    repo.git(&["rev-parse", "HEAD"])
}

#[test]
fn the_commit_that_applied_a_suggestion_is_in_the_timeline_with_its_author() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let of = suggest(&ann, "better\n");
    repo.write("a.txt", "line 1\nbetter\nline 3\n");
    assert_eq!(kinds(&timeline(&ann, &of)), [ChangeKind::Suggested], "nothing is committed");
    commit(&repo, "bob", "zero\nline 1\nline 2\nline 3\n");
    let applied = commit(&repo, "cem", "zero\nline 1\nbetter\nline 3\n");
    commit(&repo, "bob", "zero\nline 1\nbetter\nline 3\nline 4\n");
    let check = || {
        let timeline = timeline(&ann, &of);
        assert_eq!(kinds(&timeline), [ChangeKind::Suggested, ChangeKind::Applied]);
        let (entry, author) = (&timeline[1], &timeline[1].author);
        assert_eq!(entry.commit.as_ref().map(ToString::to_string), Some(applied.clone()));
        assert_eq!((author.name.as_str(), author.email.as_str()), ("cem", "cem@example.com"));
        assert_eq!((entry.record.as_str(), entry.of.as_str()), (&*of, &*of));
    };
    check();
    commit(&repo, "bob", "zero\nline 1\nbetter still\nline 3\nline 4\n");
    check();
    let again = commit(&repo, "bob", "zero\nline 1\nbetter\nline 3\n");
    let timeline = timeline(&ann, &of);
    assert_eq!(kinds(&timeline), [ChangeKind::Suggested, ChangeKind::Applied, ChangeKind::Applied]);
    assert_eq!(timeline[2].commit.as_ref().map(ToString::to_string), Some(again), "what is so again");
}

#[test]
fn a_merge_that_brings_an_applied_suggestion_is_not_what_applied_it() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let of = suggest(&ann, "better\n");
    repo.git(&["switch", "--quiet", "-c", "side"]);
    let applied = commit(&repo, "cem", "line 1\nbetter\nline 3\n");
    repo.git(&["switch", "--quiet", "topic"]);
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", "meanwhile"]);
    repo.git(&["merge", "--quiet", "--no-ff", "-m", "merge", "side"]);
    let timeline = timeline(&ann, &of);
    assert_eq!(kinds(&timeline), [ChangeKind::Suggested, ChangeKind::Applied]);
    assert_eq!(timeline[1].commit.as_ref().map(ToString::to_string), Some(applied));
}

#[test]
fn a_suggestion_that_was_there_before_was_applied_by_nobody() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let of = suggest(&ann, "better\n");
    // The branch is begun anew from a history that always had it.
    repo.git(&["checkout", "--quiet", "--orphan", "other"]);
    commit(&repo, "bob", "line 1\nbetter\nline 3\n");
    repo.git(&["branch", "--quiet", "-M", "other", "topic"]);
    assert_eq!(kinds(&timeline(&ann, &of)), [ChangeKind::Suggested]);
}

#[test]
fn a_commit_from_before_a_suggestion_did_not_apply_it() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 3);
    let service = service();
    let before = repo.git(&["rev-parse", "HEAD"]);
    commit(&repo, "bob", "line 1\nbetter\nline 3\n");
    let ann = Asker { at: Some(4_000_000_000_000), ..Asker::new(&service, "ann", &repo.dir) };
    let place = Place { span: Some(Span::lines(2, 2)), rev: Some(before), ..Place::file("a.txt") };
    let suggestion = Some(Suggest::Replacement(ByteText::from("better\n")));
    let of = ann.ask(postil_protocol::Comment { suggestion, ..said(Some(place), "shorter") }).id.to_string();
    assert_eq!(kinds(&timeline(&ann, &of)), [ChangeKind::Suggested]);
}

fn report(messages: &[&str]) -> Import {
    let finding = |message: &&str| {
        format!(r#"{{"message":"{message}","location":{{"path":"a.txt","range":{{"start":{{"line":2}}}}}}}}"#)
    };
    let findings: Vec<String> = messages.iter().map(finding).collect();
    let content =
        ByteText::from(&*format!(r#"{{"source":{{"name":"lint"}},"diagnostics":[{}]}}"#, findings.join(",")));
    let file =
        ImportedFile { format: Some(ImportFormat::Rdjson), name: "report".into(), content, about: None };
    Import { files: vec![file], retire: true, covers: vec![":/".into()], ..Import::default() }
}

#[test]
fn what_is_no_longer_reported_is_retired_and_what_a_person_resolved_is_not() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let added = ann.ask(report(&["one", "two"])).added;
    let [one, two] = [0, 1].map(|at: usize| added[at].to_string());
    // A person may write the very words of the tool.
    let reason = Some("no longer reported".to_owned());
    ann.ask(Resolve { threads: vec![two.clone()], reason, by: None });
    let mark = ann.list().mark;
    let via = ViaView { kind: "tool".into(), program: "ci".into(), version: None, model: None, person: None };
    let ci = Asker { via: Some(via), ..Asker::new(&service, "ann", &repo.dir) };
    assert_eq!(ci.ask(report(&[])).retired.len(), 0, "its line is as it was");
    repo.commit("a.txt", "line 1\nsomething else\nline 3\n");
    assert_eq!(ci.ask(report(&[])).retired.len(), 1);
    let retired = timeline(&ann, &one);
    assert_eq!(kinds(&retired), [ChangeKind::Commented, ChangeKind::Retired]);
    assert_eq!(retired[1].source.as_deref(), Some("lint"));
    assert_eq!(retired[1].author.via.as_ref().map(|via| &*via.program), Some("ci"), "who imported");
    assert_eq!(kinds(&timeline(&ann, &two)), [ChangeKind::Commented, ChangeKind::Resolved]);
    let said = ann.ask(Changes { since: Some(mark), ..Changes::default() }).changes;
    assert_eq!(said.iter().map(|change| change.what).collect::<Vec<_>>(), [ChangeKind::Retired]);

    repo.commit("a.txt", "line 1\nline 2\nline 3\n");
    assert_eq!(ann.ask(report(&["one"])).reopened.len(), 1);
    let reopened = timeline(&ann, &one);
    assert_eq!(kinds(&reopened)[2..], [ChangeKind::Reopened]);
    assert_eq!(reopened[2].source.as_deref(), Some("lint"));
}

#[test]
fn what_a_person_answered_is_not_retired() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let added = ann.ask(report(&["one", "two"])).added;
    let (suggestion, draft, resolve) = (None, false, false);
    let reply =
        |to: String| ReplyTo { to, text: "not so".into(), suggestion: suggestion.clone(), draft, resolve };
    ann.ask(reply(added[0].to_string()));
    let via = ViaView { kind: "tool".into(), program: "ci".into(), version: None, model: None, person: None };
    let ci = Asker { via: Some(via), ..Asker::new(&service, "ann", &repo.dir) };
    // A program that answers is not a person.
    ci.ask(reply(added[1].to_string()));
    repo.commit("a.txt", "line 1\nsomething else\nline 3\n");
    assert_eq!(ci.ask(report(&[])).retired, [added[1].clone()]);
}

#[test]
fn an_export_that_is_imported_elsewhere_keeps_which_program_wrote() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 3);
    let service = service();
    let via = ViaView {
        kind: "tool".into(),
        program: "lint".into(),
        version: Some("2.1".into()),
        model: None,
        person: None,
    };
    let tool = Asker { via: Some(via), ..Asker::new(&service, "ann", &repo.dir) };
    tool.comment("a.txt", 2, "too long");
    let export = Export {
        format: ExportFormat::Json,
        scope: Scope::default(),
        filter: Filter::default(),
        head: HeadName::default(),
        limit: None,
    };
    let exported = tool.ask(export);
    let other = crate::topic_in(sandbox.repo("other"), 3);
    let bob = Asker::new(&service, "bob", &other.dir);
    let content = ByteText::from(exported.files[0].text.as_str());
    let file = ImportedFile { format: Some(ImportFormat::Json), name: "export".into(), content, about: None };
    assert_eq!(bob.ask(Import { files: vec![file], ..Import::default() }).added.len(), 1);
    let here = bob.list().threads;
    assert_eq!(here[0].comments[0].author, tool.list().threads[0].comments[0].author);
    assert_eq!(here[0].comments[0].author.via.as_ref().map(|via| &*via.program), Some("lint"));
}
