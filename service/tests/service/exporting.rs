//! Writes threads in formats of other tools, as any client can.

use postil_protocol::{ByteText, Comment, Export, ExportFormat, ExportReply, Filter, HeadName, Scope};
use postil_testkit::Sandbox;

use crate::asker::{Asker, said, service};

fn export(ann: &Asker<'_>, format: ExportFormat) -> ExportReply {
    let (scope, filter, head) = (Scope::All, Filter::default(), HeadName::default());
    ann.ask(Export { format, scope, filter, head, limit: None })
}

#[test]
fn threads_are_written_in_a_format_without_drafts_and_what_the_format_cannot_say() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let id = ann.comment("a.txt", 2, "why two?");
    ann.ask(said(None, "about all of it"));
    ann.ask(Comment { draft: true, ..said(None, "not yet") });

    let lines = export(&ann, ExportFormat::Json);
    assert_eq!((lines.threads, lines.left_out, lines.files.len()), (2, 0, 1));
    assert_eq!(lines.files[0].text.lines().count(), 2);
    assert!(lines.files[0].text.contains(&id) && !lines.files[0].text.contains("not yet"));

    let sarif: serde_json::Value =
        serde_json::from_str(&export(&ann, ExportFormat::Sarif).files[0].text).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);

    let rdjsonl = export(&ann, ExportFormat::Rdjsonl);
    assert_eq!((rdjsonl.threads, rdjsonl.left_out), (1, 1));

    let comments = export(&ann, ExportFormat::Comments);
    assert_eq!(comments.files[0].about, Some(ByteText::from("a.txt")));
    assert!(comments.files[0].text.contains("\"lineText\": \"line 2\""), "{}", comments.files[0].text);
}
