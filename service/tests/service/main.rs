//! The service by itself: many threads, no socket, no clock.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

mod after_writing;
mod applying;
mod asker;
mod batching;
mod changing;
mod changing_story;
mod claims;
mod comparing;
mod drifting;
mod exchanging;
mod exporting;
mod fuzzed;
mod importing;
mod keeping;
mod kept_words;
mod knowing;
mod listing_reviews;
mod living;
mod living_findings;
mod lost_tip;
mod messages;
mod on_disk;
mod paging;
mod pointing;
mod programs;
mod purging;
mod readiness;
mod reading;
mod showing_diffs;
mod sync;
mod telling;
mod timelines;
mod trust;
mod unreadable;
mod unsaved;

use std::collections::BTreeSet;

use asker::{Asker, said, service};
use postil_core::notes::refs;
use postil_protocol::{
    Advice, ByteText, Edit, FaultCode, HeadName, List, Place, PlaceState, Resolve, ReviewEdit, Scope, Show,
    Span, Status,
};
use postil_testkit::{Checkout, Sandbox};

/// A branch with a file of so many lines.
fn topic(sandbox: &Sandbox, lines: u32) -> Checkout<'_> {
    topic_in(sandbox.repo("repo"), lines)
}

/// The same in any repository.
fn topic_in(repo: Checkout<'_>, lines: u32) -> Checkout<'_> {
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit("a.txt", &(1..=lines).map(|line| format!("line {line}\n")).collect::<String>());
    repo
}

#[test]
fn pages_hold_every_thread_once_while_others_resolve_them() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 30);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let all: BTreeSet<String> =
        (1..=25).map(|line| ann.comment("a.txt", line, &format!("comment {line}"))).collect();
    let mut seen = Vec::new();
    let mut list = List { limit: Some(7), ..List::default() };
    loop {
        let page = ann.ask(list.clone());
        assert_eq!(page.total, 25);
        seen.extend(page.threads.iter().map(|thread| thread.id.to_string()));
        // The thread at which the cursor stands is not open any more.
        let last = page.threads.last().unwrap().id.to_string();
        ann.ask(Resolve { threads: vec![last], reason: None, by: None });
        match page.next {
            Some(next) => list.cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(seen.len(), 25);
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all);
    let bad = ann.try_ask(List { cursor: Some("nonsense".into()), ..List::default() });
    assert_eq!(bad.unwrap_err().code, FaultCode::StaleCursor);
}

#[test]
fn many_threads_comment_and_list_at_once() {
    const WRITERS: u32 = 6;
    const EACH: u32 = 5;
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, WRITERS * EACH);
    let service = service();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (service, dir) = (&service, &repo.dir);
            scope.spawn(move || {
                let ann = Asker::new(service, "ann", dir);
                for n in 0..EACH {
                    let line = writer * EACH + n + 1;
                    let id = ann.comment("a.txt", line, "words");
                    let shown = ann.ask(Show { of: id, head: HeadName::default(), ..Show::default() });
                    assert_eq!(shown.thread.position.unwrap().start, Some(line));
                    // Asked once: two lists are not the same while others write.
                    assert!(ann.ask(List::default()).threads.len() as u32 > n);
                }
            });
        }
    });
    let listed = Asker::new(&service, "ann", &repo.dir).list();
    let lines: Vec<u32> = listed.threads.iter().filter_map(|t| t.position.as_ref()?.start).collect();
    assert_eq!(lines, (1..=WRITERS * EACH).collect::<Vec<_>>());
    // All of them found or made the same review.
    let reviews: BTreeSet<_> = listed.threads.iter().map(|thread| thread.review.clone()).collect();
    assert_eq!(reviews.len(), 1, "{reviews:?}");
}

#[test]
fn a_request_says_what_is_wrong_with_it() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let code = |fault: Result<(), postil_protocol::Fault>| fault.unwrap_err().code;
    let nowhere =
        Asker { git_dir: ByteText::from("/nowhere/.git"), ..Asker::new(&service, "ann", &repo.dir) };
    assert_eq!(code(nowhere.try_ask(List::default()).map(drop)), FaultCode::NoRepository);
    let relative = Asker { git_dir: ByteText::from(".git"), ..Asker::new(&service, "ann", &repo.dir) };
    assert_eq!(code(relative.try_ask(List::default()).map(drop)), FaultCode::InvalidParams);
    assert_eq!(code(ann.try_ask(said(None, "  \n ")).map(drop)), FaultCode::Refused);
    let at = |path: &str, rev: Option<&str>| Place { rev: rev.map(str::to_owned), ..Place::file(path) };
    for path in ["../a.txt", "/etc/passwd", ".git/config", "no", ""] {
        let fault = ann.try_ask(said(Some(at(path, None)), "text"));
        assert_eq!(code(fault.map(drop)), FaultCode::NoSuchPlace, "{path}");
    }
    let fault = ann.try_ask(said(Some(at("a.txt", Some("no-such-commit"))), "text"));
    assert_eq!(code(fault.map(drop)), FaultCode::NoSuchPlace);
    let nobody = Asker { name: " ", ..Asker::new(&service, "ann", &repo.dir) };
    assert_eq!(code(nobody.try_ask(said(None, "text")).map(drop)), FaultCode::InvalidParams);
}

#[test]
fn what_to_do_next_is_data_and_the_message_names_no_command() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let fault = ann.try_ask(said(None, "  ")).unwrap_err();
    assert_eq!((fault.advice(), fault.message.contains('`')), (Some(Advice::SayText), false));
    let beyond = Place { span: Some(Span::lines(9, 9)), ..Place::file("a.txt") };
    let fault = ann.try_ask(said(Some(beyond), "text")).unwrap_err();
    assert_eq!(fault.advice(), Some(Advice::CountLines));
    assert_eq!(fault.data.path.as_deref(), Some(&ByteText::from("a.txt")));
    let fault =
        ann.try_ask(Show { of: "0123456".into(), head: HeadName::default(), ..Show::default() }).unwrap_err();
    assert_eq!((fault.data.advice.clone(), fault.advice()), (None, Some(Advice::ListThreads)));
}

#[test]
fn a_repository_that_was_made_anew_at_the_same_place_is_another_one() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 1, "in the first");
    std::fs::remove_dir_all(&repo.dir).unwrap();
    assert_eq!(ann.try_ask(List::default()).unwrap_err().code, FaultCode::NoRepository);
    topic(&sandbox, 5);
    assert_eq!(ann.list().threads.len(), 0);
    ann.comment("a.txt", 5, "in the second");
    assert_eq!(ann.list().threads.len(), 1);
}

#[test]
fn a_branch_without_commits_and_a_head_that_is_detached_are_served() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.init("repo", &[]);
    std::fs::write(repo.dir.join("new.txt"), "one\ntwo\n").unwrap();
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("new.txt", 2, "before the first commit");
    let listed = ann.list();
    assert_eq!(listed.head.commit, None);
    let position = listed.threads[0].position.as_ref().unwrap();
    assert_eq!((position.state, position.start), (PlaceState::Anchored, Some(2)));
    let first = repo.commit("new.txt", "zero\none\ntwo\n");
    repo.git(&["checkout", "-q", "--detach"]);
    let listed = ann.list();
    assert_eq!(listed.head.commit.map(|commit| commit.to_string()), Some(first));
    assert_eq!(listed.threads[0].position.as_ref().unwrap().start, Some(3));
    let review = ann.try_ask(said(None, "about the whole review"));
    assert_eq!(review.unwrap_err().code, FaultCode::Refused);
}

#[test]
fn linked_work_trees_share_the_notes_and_see_their_own_head() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    repo.git(&["worktree", "add", "-q", "-b", "other", "../linked", "main"]);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 2, "on topic");
    let git_dir = repo.dir.join(".git/worktrees/linked");
    let linked = Asker {
        git_dir: ByteText::from(git_dir.to_str().unwrap()),
        ..Asker::new(&service, "ann", &repo.dir)
    };
    let seen = linked.list();
    assert_eq!((seen.threads.len(), seen.elsewhere), (0, 1));
    let all = linked.ask(List { scope: Scope::All, ..List::default() });
    assert_eq!(all.threads[0].position.as_ref().unwrap().state, PlaceState::Orphaned);
    let open: Vec<_> = service.repositories().into_iter().map(|(common_dir, _)| common_dir).collect();
    assert_eq!(open, [repo.dir.join(".git").canonicalize().unwrap()], "one desk for both");
    assert_eq!(linked.ask(Status::default()).elsewhere, 1);
}

#[test]
fn a_setting_that_changes_counts_in_the_next_answer_wherever_git_reads_it_from() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    repo.git(&["config", "extensions.worktreeConfig", "true"]);
    repo.git(&["worktree", "add", "-q", "-b", "other", "../linked"]);
    let linked = repo.dir.join("../linked");
    let (linked_dir, service) = (repo.dir.join(".git/worktrees/linked"), service());
    let ann = Asker::new(&service, "ann", &repo.dir);
    let bob = Asker {
        at: None,
        via: None,
        service: &service,
        name: "bob",
        git_dir: ByteText::from(linked_dir.to_str().unwrap()),
        buffers: Vec::new(),
    };
    ann.comment("a.txt", 2, "on both branches");
    for dir in [&repo.dir, &linked] {
        std::fs::write(dir.join("a.txt"), "line 1\r\nline 2\r\nline 3\r\n").unwrap();
    }
    let uncommitted =
        |who: &Asker<'_>| who.ask(List { scope: Scope::All, ..List::default() }).head.uncommitted;
    let is_so = |main: bool, other: bool, why: &str| {
        assert_eq!((uncommitted(&ann), uncommitted(&bob)), (main, other), "{why}");
    };
    let git = |dir: &std::path::Path, words: &[&str]| {
        let dir = dir.to_str().unwrap();
        repo.git(&[&["-C", dir, "config"], words].concat());
    };
    is_so(true, true, "the ends of lines are others");
    git(&linked, &["--worktree", "core.autocrlf", "input"]);
    is_so(true, false, "with this, git would not tell the two apart in one of them");
    git(&linked, &["--worktree", "--unset", "core.autocrlf"]);
    git(&repo.dir, &["--worktree", "core.autocrlf", "input"]);
    is_so(false, true, "nor here in the other");
    git(&repo.dir, &["--worktree", "--unset", "core.autocrlf"]);
    git(&repo.dir, &["core.autocrlf", "input"]);
    is_so(false, false, "nor in any");
}

#[test]
fn the_history_of_the_notes_says_what_was_edited() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let comment = ann.comment("a.txt", 2, "first");
    let subject = || repo.git(&["log", "-1", "--format=%s", refs::NOTES]);
    ann.ask(Edit { of: comment.clone(), text: "second".to_owned() });
    assert_eq!(subject(), format!("Edit {}", &comment[..7]));
    ann.ask(ReviewEdit { title: Some("A title".to_owned()), ..ReviewEdit::default() });
    assert_eq!(subject(), "Edit the review of refs/heads/topic");
}
