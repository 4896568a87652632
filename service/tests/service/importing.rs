//! Takes over what other tools wrote, from their files, as any client can.

use postil_protocol::{Advice, ByteText, FaultCode, Import, ImportFormat, ImportedFile};
use postil_testkit::Sandbox;

use crate::asker::{Asker, service};

fn file(format: ImportFormat, content: &str) -> Import {
    let (name, content) = ("report".to_owned(), ByteText::from(content));
    Import { files: vec![ImportedFile { format, name, content, about: None }], ..Import::default() }
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
