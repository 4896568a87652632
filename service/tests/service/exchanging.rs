//! Exchanges reviews with remotes, as any client can.

use postil_protocol::{Advice, FaultCode, List, Scope, Sync, SyncDirection, SyncProblem};
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, service};

/// A repository with a topic branch, and a bare copy of it under the name `origin`.
fn with_origin(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = super::topic(sandbox, 3);
    repo.git(&["clone", "-q", "--bare", ".", "../origin.git"]);
    repo.git(&["remote", "add", "origin", "../origin.git"]);
    repo.git(&["fetch", "-q", "origin"]);
    repo
}

#[test]
fn what_one_person_sends_another_one_gets() {
    let sandbox = Sandbox::in_memory();
    let repo = with_origin(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let id = ann.comment("a.txt", 2, "why?");
    let would = ann.ask(Sync { direction: SyncDirection::DryRun, ..Sync::default() });
    assert_eq!((would.remotes[0].went.comments, would.remotes[0].error.as_deref()), (1, None));
    let sent = ann.ask(Sync::default());
    assert_eq!(sent.remotes.len(), 1);
    assert_eq!((sent.remotes[0].remote.as_str(), sent.remotes[0].went.comments), ("origin", 1));

    repo.git(&["clone", "-q", "-b", "topic", "../origin.git", "../bob"]);
    let bob = Asker::new(&service, "bob", &repo.dir.with_file_name("bob"));
    let came = bob.ask(Sync { direction: SyncDirection::FetchOnly, ..Sync::default() });
    assert_eq!((came.remotes[0].came.comments, came.remotes[0].went.records), (1, 0));
    let threads = bob.ask(List { scope: Scope::All, ..List::default() }).threads;
    assert_eq!(threads.iter().map(|thread| thread.id.to_string()).collect::<Vec<_>>(), [id]);
}

#[test]
fn a_remote_that_cannot_be_reached_keeps_no_other_from_its_turn() {
    let sandbox = Sandbox::in_memory();
    let repo = with_origin(&sandbox);
    repo.git(&["remote", "add", "gone", "../nowhere"]);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 2, "why?");
    let synced = ann.ask(Sync { all: true, ..Sync::default() }).remotes;
    let problems: Vec<_> = synced.iter().map(|one| (one.remote.as_str(), one.problem)).collect();
    assert_eq!(problems, [("gone", Some(SyncProblem::Unreachable)), ("origin", None)]);
    assert_eq!(synced[0].advice(), Some(Advice::SyncLater));
}

#[test]
fn files_that_git_has_not_sent_keep_everything_here_until_somebody_sends_them_along() {
    let sandbox = Sandbox::in_memory();
    let repo = with_origin(&sandbox);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 2, "why?");
    repo.git(&["init", "-q", "--bare", "../public.git"]);
    let public = Sync { remotes: vec!["../public.git".into()], ..Sync::default() };
    let unsent = ann.ask(public.clone()).remotes.remove(0);
    assert_eq!(unsent.problem, Some(SyncProblem::Unsent));
    assert_eq!(unsent.advice(), Some(Advice::SendFiles { remote: "../public.git".into() }));
    let sent = ann.ask(Sync { with_files: true, ..public }).remotes.remove(0);
    assert_eq!((sent.problem, sent.went.comments), (None, 1));
}

#[test]
fn without_a_remote_there_is_nobody_to_exchange_with() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 3);
    let service = service();
    let fault = Asker::new(&service, "ann", &repo.dir).try_ask(Sync::default()).unwrap_err();
    assert_eq!(fault.code, FaultCode::Refused);
}
