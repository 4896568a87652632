//! Takes over what other tools wrote, from their files, as any client can.

use postil_protocol::{Advice, Apply, ByteText, FaultCode, Import, ImportFormat, ImportedFile};
use postil_testkit::Sandbox;

use crate::asker::{Asker, service};

fn file(format: ImportFormat, content: &str) -> Import {
    let (name, content) = ("report".to_owned(), ByteText::from(content));
    Import {
        files: vec![ImportedFile { format: Some(format), name, content, about: None }],
        ..Import::default()
    }
}

#[test]
fn a_file_of_another_tool_is_read_by_the_service_and_taken_over_once() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let report = r#"{"source":{"name":"lint"},"diagnostics":[
        {"message":"too long","location":{"path":"a.txt","range":{"start":{"line":2}}}},
        {"message":"outside","location":{"path":"../b.txt"}}]}"#;
    let import = file(ImportFormat::Rdjson, report);
    let first = ann.ask(import.clone());
    assert_eq!((first.added.len(), first.refused.len()), (1, 1));
    let again = ann.ask(import);
    assert_eq!((again.added.len(), again.known), (0, 1));
    let threads = ann.list().threads;
    assert_eq!(threads[0].position.as_ref().unwrap().start, Some(2));
}

#[test]
fn a_file_without_a_format_is_recognized_and_a_fix_that_does_not_fit_is_left_out() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let report = r#"{"source":{"name":"lint"},"diagnostics":[
        {"message":"too long","location":{"path":"a.txt","range":{"start":{"line":2}}},
            "suggestions":[{"range":{"start":{"line":2,"column":1},"end":{"line":2,"column":5}},"text":"row"}]},
        {"message":"too far","location":{"path":"a.txt","range":{"start":{"line":3}}},
            "suggestions":[{"range":{"start":{"line":9}},"text":"row"}]},
        {"message":"nowhere","location":{"path":"a.txt","range":{"start":{"line":3}}},
            "suggestions":[{"text":"row"}]}]}"#;
    let mut import = file(ImportFormat::Rdjson, report);
    import.files[0].format = None;
    let reply = ann.ask(import);
    assert_eq!((reply.added.len(), reply.fixes, reply.refused.len()), (3, 1, 0));
    let reasons: Vec<&str> = reply.without_fix.iter().map(|without| without.reason.as_str()).collect();
    let expected = ["the file does not have the lines that it changes", "a suggestion without a range"];
    assert_eq!(reasons, expected);
    let plan = ann.ask(Apply { all: true, ..Apply::default() });
    let text = plan.files[0].content.as_ref().and_then(ByteText::as_str);
    assert_eq!(text, Some("line 1\nrow 2\nline 3\n"));
    let mut unknown = file(ImportFormat::Json, "{}");
    unknown.files[0].format = None;
    let fault = ann.try_ask(unknown).unwrap_err();
    assert_eq!(fault.advice(), Some(Advice::ChooseFormat));
}

/// A file with one comment.
fn said(author: &str, words: &str, updated: Option<&str>) -> ImportedFile {
    let updated = updated.map(|at| format!(r#","updated":"{at}""#)).unwrap_or_default();
    let content = format!(
        r#"{{"file":"a.txt","version":"1.0","comments":[{{"id":"c1","line":2,"author":"{author}","text":"{words}"{updated}}}]}}"#
    );
    let (name, content) = ("a.txt.comments".to_owned(), ByteText::from(content.as_str()));
    ImportedFile { format: Some(ImportFormat::Comments), name, content, about: None }
}

#[test]
fn other_words_of_a_known_comment_become_an_edit_or_are_refused_and_never_vanish() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let import = |files: &[ImportedFile]| {
        let reply = ann.ask(Import { files: files.to_vec(), ..Import::default() });
        let refused: Vec<String> = reply.refused.iter().map(|refused| refused.reason.clone()).collect();
        let threads = ann.list().threads;
        assert_eq!((threads.len(), threads[0].disputed.len()), (1, 0), "{reply:?}");
        (reply.added.len(), reply.known, reply.changed, refused, threads[0].comments[0].text.clone())
    };
    let none = Vec::<String>::new;
    assert_eq!(import(&[said("ben", "one", None)]), (1, 0, 0, none(), "one".into()));
    assert_eq!(import(&[said("ben", "two", None)]), (0, 1, 1, none(), "two".into()));
    assert_eq!(import(&[said("ben", "one", None)]), (0, 1, 0, none(), "two".into()), "an older export");
    let (_, known, _, refused, text) = import(&[said("cat", "three", None)]);
    assert_eq!((known, text), (0, "two".into()));
    assert!(refused[0].ends_with("somebody else wrote it"), "{refused:?}");
    let newest = said("ben", "four", Some("2100-01-01T00:00:00Z"));
    assert_eq!(import(&[newest]), (0, 1, 1, none(), "four".into()));
    let (_, known, _, refused, text) = import(&[said("ben", "five", Some("2099-01-01T00:00:00Z"))]);
    assert_eq!((known, text), (0, "four".into()));
    assert!(refused[0].ends_with("they are not newer"), "{refused:?}");
}

#[test]
fn one_name_with_two_texts_in_one_import_is_refused_unless_one_is_newer() {
    let service = service();
    let check = |files: &[ImportedFile], expected: (u32, u32, usize), text: &str| {
        let sandbox = Sandbox::in_memory();
        let repo = super::topic(&sandbox, 3);
        let ann = Asker::new(&service, "ann", &repo.dir);
        let reply = ann.ask(Import { files: files.to_vec(), ..Import::default() });
        assert_eq!((reply.known, reply.changed, reply.refused.len()), expected, "{reply:?}");
        let threads = ann.list().threads;
        assert_eq!((threads.len(), threads[0].disputed.len()), (1, 0));
        assert_eq!(threads[0].comments[0].text, text);
    };
    let (old, newer) = (Some("2090-01-01T00:00:00Z"), Some("2091-01-01T00:00:00Z"));
    check(&[said("ben", "one", None), said("ben", "one", None)], (1, 0, 0), "one");
    check(&[said("ben", "one", None), said("ben", "two", None)], (0, 0, 1), "one");
    check(&[said("ben", "one", None), said("ben", "two", newer)], (1, 1, 0), "two");
    check(&[said("ben", "one", old), said("ben", "two", newer)], (1, 1, 0), "two");
    check(&[said("ben", "two", newer), said("ben", "one", old)], (1, 0, 0), "two");
    check(&[said("ben", "one", old), said("cat", "two", newer)], (0, 0, 1), "one");
}

#[test]
fn two_opinions_of_one_program_are_not_imported_as_one() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let opinion = |said: &str| {
        let content = format!(r#"{{"findings":[],"overall_correctness":"{said}"}}"#);
        file(ImportFormat::Codex, &content).files.remove(0)
    };
    for (known, changed) in [("good", "bad"), ("better", "worse")] {
        let files = vec![opinion(known), opinion(changed), opinion(known)];
        let reply = ann.ask(Import { files, ..Import::default() });
        assert_eq!(reply.refused.len(), 1, "{reply:?}");
        assert!(reply.refused[0].reason.contains("import the files one by one"));
        let threads = ann.list().threads;
        assert_eq!((threads.len(), threads[0].comments[0].text.as_str()), (1, known));
    }
}

#[test]
fn what_is_not_in_its_format_is_refused_by_its_name() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let fault = ann.try_ask(file(ImportFormat::Sarif, "no JSON")).unwrap_err();
    assert_eq!((fault.code, fault.advice()), (FaultCode::Refused, Some(Advice::ChooseFormat)));
    assert_eq!(&*fault.message, "cannot import report");
    let fault = ann.try_ask(Import { appraise: true, ..Import::default() }).unwrap_err();
    assert_eq!((fault.code, fault.advice()), (FaultCode::NotFound, Some(Advice::FetchAppraise)));
}
