//! Notes whose newest commit cannot be read: the rest is answered, and every list says so until somebody was told.

use std::fs;

use postil_core::notes::refs;
use postil_protocol::{Doctor, Freshness, ListReply, Status, Weight};
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, service};

/// Two comments, and the commit with the second one is gone; returns its id.
fn damaged(sandbox: &Sandbox) -> (Checkout<'_>, String) {
    let repo = super::topic(sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "first");
    ann.comment("a.txt", 5, "second");
    let tip = repo.git(&["rev-parse", refs::NOTES]);
    fs::remove_file(repo.dir.join(".git/objects").join(&tip[..2]).join(&tip[2..])).unwrap();
    (repo, tip)
}

fn says(reply: &ListReply, tip: &str) -> bool {
    reply.warnings.iter().any(|warning| warning.what.contains(tip))
}

#[test]
fn what_is_older_is_answered_with_a_warning_until_the_doctor_told_what_is_lost() {
    let sandbox = Sandbox::in_memory();
    let (repo, tip) = damaged(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let list = ann.list();
    assert_eq!((list.threads.len(), says(&list, &tip)), (1, true), "{:?}", list.warnings);
    let status = ann.ask(Status { freshness: Freshness::Wait, ..Status::default() });
    assert!(status.damage.iter().any(|damage| damage.contains(&tip)), "{:?}", status.damage);
    ann.comment("a.txt", 6, "third");
    let list = ann.list();
    assert_eq!((list.threads.len(), says(&list, &tip)), (2, true), "{:?}", list.warnings);

    let found = ann.ask(Doctor { fix: true, restore: Vec::new() }).findings;
    let lost: Vec<_> = found.iter().filter(|finding| finding.what.contains(&tip)).collect();
    assert_eq!(lost.len(), 1, "{found:?}");
    assert_eq!(lost[0].weight, Weight::Problem);
    let list = ann.list();
    assert_eq!((list.threads.len(), says(&list, &tip)), (2, false), "{:?}", list.warnings);
    let again = ann.ask(Doctor { fix: true, restore: Vec::new() }).findings;
    assert!(again.iter().any(|finding| finding.what.contains(&tip) && finding.weight == Weight::Note));
}

#[test]
fn a_service_that_read_the_notes_before_they_were_damaged_goes_on() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "first");
    ann.comment("a.txt", 5, "second");
    assert_eq!(ann.list().threads.len(), 2);
    let tip = repo.git(&["rev-parse", refs::NOTES]);
    fs::remove_file(repo.dir.join(".git/objects").join(&tip[..2]).join(&tip[2..])).unwrap();
    service.forget(&fs::canonicalize(repo.dir.join(".git")).unwrap());
    let list = ann.list();
    assert_eq!((list.threads.len(), says(&list, &tip)), (1, true), "{:?}", list.warnings);
    ann.comment("a.txt", 6, "third");
    assert_eq!(ann.list().threads.len(), 2);
}
