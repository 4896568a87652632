//! Notes whose newest commit cannot be read: the rest is answered, and every list says so until somebody was told.

use std::fs;

use postil_core::notes::refs;
use postil_protocol::{
    Changes, Diff, Doctor, FaultCode, Freshness, HeadName, Inbox, ListReply, Log, RepositoryRequest,
    ReviewList, ServiceMethod, Show, Status, Weight,
};
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
    repo.forget_kept();
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
    repo.forget_kept();
    fs::remove_file(repo.dir.join(".git/objects").join(&tip[..2]).join(&tip[2..])).unwrap();
    service.forget(&fs::canonicalize(repo.dir.join(".git")).unwrap());
    let list = ann.list();
    assert_eq!((list.threads.len(), says(&list, &tip)), (1, true), "{:?}", list.warnings);
    ann.comment("a.txt", 6, "third");
    assert_eq!(ann.list().threads.len(), 2);
}

#[test]
fn every_answer_says_so_and_so_does_a_search_that_finds_nothing() {
    fn says<P>(ann: &Asker<'_>, params: P, tip: &str) -> bool
    where
        RepositoryRequest<P>: ServiceMethod,
    {
        let answer = ann.ask(params);
        RepositoryRequest::<P>::warnings(&answer).iter().any(|warning| warning.what.contains(tip))
    }
    let sandbox = Sandbox::in_memory();
    let (repo, tip) = damaged(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let of = ann.list().threads[0].id.to_string();
    let head = HeadName::default();
    assert!(says(&ann, Show { of: of.clone(), head: head.clone(), syntax: false }, &tip), "show");
    assert!(says(&ann, Log { of: of.clone() }, &tip), "log");
    assert!(says(&ann, Diff::default(), &tip), "diff");
    assert!(says(&ann, ReviewList::default(), &tip), "review list");
    assert!(says(&ann, Changes::default(), &tip), "changes");
    assert!(says(&ann, Inbox::default(), &tip), "inbox");
    assert!(says(&ann, crate::asker::said(None, "about all of it"), &tip), "comment");

    let fault = ann.try_ask(Log { of: "0123456789abcdef".into() }).unwrap_err();
    assert_eq!(fault.code, FaultCode::NotFound);
    assert!(fault.data.causes.iter().any(|cause| cause.contains(&tip)), "{:?}", fault.data.causes);
    ann.ask(Doctor { fix: true, restore: Vec::new() });
    assert!(!says(&ann, Log { of }, &tip), "somebody was told");
}

#[test]
fn a_part_of_the_notes_that_is_missing_is_said_and_does_not_stop_a_comment() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 4, "first");
    // The pins are in a folder of the tree; a comment on another file adds to it.
    repo.git(&["remote", "add", "origin", "."]);
    repo.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
    repo.commit("b.txt", "one\n");
    repo.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
    ann.comment("b.txt", 1, "second");
    let pins = repo.git(&["rev-parse", "refs/notes/reviews:pins"]);
    repo.forget_kept();
    fs::remove_file(repo.dir.join(".git/objects").join(&pins[..2]).join(&pins[2..])).unwrap();
    service.forget(&fs::canonicalize(repo.dir.join(".git")).unwrap());
    let shown = ann.ask(ReviewList::default());
    assert_eq!(shown.warnings.len(), 1, "{:?}", shown.warnings);
    repo.commit("c.txt", "one\n");
    repo.git(&["update-ref", "refs/remotes/origin/topic", "HEAD"]);
    ann.comment("c.txt", 1, "third");
    assert_eq!(ann.list().threads.len(), 3);
    repo.git(&["rev-list", "--objects", refs::NOTES]);
}
