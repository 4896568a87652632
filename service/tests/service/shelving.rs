//! Long lists that a process without a daemon leaves to the next one.

use std::fs;
use std::time::{Duration, SystemTime};

use postil_protocol::{ColumnUnit, Detail, Import, ImportedComment, List, ListReply, Person, Place, Span};
use postil_service::ToldList;

use crate::asker::{Asker, service};
use crate::support::{Checkout, Sandbox};

const COMMENTS: u32 = 600;

/// What a process of its own lists, and whether an earlier one had listed it already.
fn listed(repo: &Checkout<'_>) -> (bool, ListReply) {
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let list = List { detail: Detail::Line, ..List::default() };
    let (again, reply) = match ann.list_once(list.clone()) {
        ToldList::Text(text) => (true, serde_json::from_str(&text).unwrap()),
        ToldList::Reply(reply) => (false, reply),
    };
    assert_eq!(reply, ann.ask(list));
    (again, reply)
}

fn settle(repo: &Checkout<'_>) {
    // Git trusts times that are older than its index alone.
    let index = fs::File::options().append(true).open(repo.dir.join(".git/index")).unwrap();
    index.set_modified(SystemTime::now() + Duration::from_mins(1)).unwrap();
}

fn finding(line: u32) -> ImportedComment {
    let place = Place { span: Some(Span::lines(line, line)), ..Place::file("a.txt") };
    ImportedComment {
        source: "tool".into(),
        id: line.to_string(),
        author: Person { name: "tool".into(), email: "tool@example.com".into() },
        at: Some(1),
        edited: None,
        parent: None,
        review: None,
        place: Some(place),
        columns: ColumnUnit::Bytes,
        expected: None,
        text: format!("finding {line}"),
        severity: None,
        tags: Vec::new(),
        verdict: None,
        resolved: None,
        exported: false,
    }
}

#[test]
fn a_long_list_is_told_again_by_the_next_process_until_something_that_it_rests_on_changes() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, COMMENTS);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 7, "this begins the review");
    settle(&repo);
    assert!((0..3).all(|_| !listed(&repo).0), "a short list is made as fast as it is read");
    let comments = (1..=COMMENTS).map(finding).collect();
    ann.ask(Import { comments, ..Import::default() });

    let first = |reply: &ListReply| reply.lines[0].lines.clone();
    let again_and_first = |why: &str| {
        assert!(!listed(&repo).0, "{why}");
        let (again, reply) = listed(&repo);
        assert!(again, "{why}");
        first(&reply)
    };
    assert_eq!(again_and_first("new comments").as_deref(), Some("1"));

    let text = fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    fs::write(repo.dir.join("a.txt"), format!("new\n{text}")).unwrap();
    for _ in 0..2 {
        let (again, reply) = listed(&repo);
        assert_eq!((again, first(&reply).as_deref()), (false, Some("2")), "an edit that is not committed");
    }
    repo.commit("a.txt", &format!("newer\nnew\n{text}"));
    settle(&repo);
    assert_eq!(again_and_first("a commit").as_deref(), Some("3"));
    repo.git(&["switch", "-q", "main"]);
    assert!(!listed(&repo).0, "another branch");
    repo.git(&["switch", "-q", "topic"]);
    settle(&repo);
    assert!(listed(&repo).0, "back where it was");
    // What makes objects come or go may change where comments are found.
    repo.git(&["repack", "-adq"]);
    again_and_first("other packs");

    for list in fs::read_dir(repo.dir.join(".git/postil/lists")).unwrap() {
        let path = list.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    again_and_first("damage");
}
