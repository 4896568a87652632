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
