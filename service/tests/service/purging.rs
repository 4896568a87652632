//! Purges are confirmed, told with whose words went, and can be undone once.

use postil_protocol::{
    Advice, Changes, Doctor, DoctorReply, FaultCode, HeadName, Purge, PurgeReply, ReplyTo, Show,
};

use crate::asker::{Asker, service};
use postil_testkit::Sandbox;

fn purge(of: &str) -> Purge {
    Purge { of: vec![of.to_owned()], force: false, confirmed: None }
}

fn reply(to: &str, text: &str) -> ReplyTo {
    ReplyTo { to: to.to_owned(), text: text.to_owned(), suggestion: None, draft: false, resolve: false }
}

fn restore(ids: &[String]) -> Doctor {
    Doctor { fix: false, restore: ids.to_vec() }
}

fn advised(doctor: &DoctorReply) -> usize {
    doctor.findings.iter().filter(|finding| finding.area == "purged").count()
}

#[test]
fn nothing_is_purged_without_a_confirmation_of_what_is_there() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let service = service();
    let (ann, eve) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "eve", &repo.dir));
    let thread = ann.comment("file", 1, "why?");
    let own: PurgeReply = ann.ask(purge(&thread));
    assert_eq!((own.done, own.others, own.threads, own.comments), (false, false, 1, 1));
    let asked: PurgeReply = eve.ask(purge(&thread));
    assert!(!asked.done && asked.others);
    assert_eq!(asked.authors.iter().map(|author| author.name.as_str()).collect::<Vec<_>>(), ["ann"]);
    assert_eq!(ann.list().total, 1, "it was only asked");

    // What came since the question was not seen by who confirms.
    ann.ask(reply(&thread, "because"));
    let late = eve.try_ask(Purge { confirmed: Some(asked.records), ..purge(&thread) }).unwrap_err();
    assert_eq!(late.code, FaultCode::Conflict);
    let asked: PurgeReply = eve.ask(purge(&thread));
    assert_eq!((asked.comments, asked.records), (2, 2));
    let done: PurgeReply = eve.ask(Purge { confirmed: Some(asked.records), ..purge(&thread) });
    assert!(done.done);
    assert_eq!(ann.list().total, 0);
}

#[test]
fn who_purged_can_undo_it_and_twice_makes_no_second_copy() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let thread = ann.comment("file", 1, "why?");
    ann.ask(reply(&thread, "because"));
    let done: PurgeReply = ann.ask(Purge { force: true, ..purge(&thread) });
    let ids: Vec<String> = done.restore.iter().map(ToString::to_string).collect();
    assert_eq!(ids, std::slice::from_ref(&thread), "a thread comes back with its replies");
    assert_eq!(advised(&ann.ask(restore(&[]))), 1);

    let first: DoctorReply = ann.ask(restore(&ids));
    assert_eq!((first.restored.len(), first.already_restored.len()), (2, 0));
    assert_eq!(advised(&first), 0, "what is done is not advised");
    let later = Asker { at: Some(1_700_000_900_000), ..Asker::new(&service, "ann", &repo.dir) };
    let second: DoctorReply = later.ask(restore(&ids));
    assert_eq!((second.restored.len(), second.already_restored.len()), (0, 1));
    let listed = ann.list();
    assert_eq!(listed.total, 1);
    let shown = ann.ask(Show {
        of: second.already_restored[0].to_string(),
        head: HeadName::WorkTree,
        ..Show::default()
    });
    let texts: Vec<&str> = shown.thread.comments.iter().map(|comment| comment.text.as_str()).collect();
    assert_eq!(texts, ["why?", "because"]);
    let gone = ann.try_ask(Show { of: thread, head: HeadName::WorkTree, ..Show::default() }).unwrap_err();
    assert!(matches!(gone.advice(), Some(Advice::ShowRestored { .. })), "{gone}");

    // It can be purged again, and restored again.
    let again: PurgeReply = ann.ask(Purge { force: true, ..purge(second.already_restored[0].as_str()) });
    assert_eq!(ann.list().total, 0);
    let ids: Vec<String> = again.restore.iter().map(ToString::to_string).collect();
    ann.ask(restore(&ids[..1]));
    assert_eq!(ann.list().total, 1);
}

#[test]
fn a_purge_of_what_others_wrote_is_told_as_such() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let service = service();
    let (ann, eve) = (Asker::new(&service, "ann", &repo.dir), Asker::new(&service, "eve", &repo.dir));
    let (hers, own) = (ann.comment("file", 1, "why?"), eve.comment("file", 1, "who?"));
    let before = ann.list().mark;
    eve.ask(Purge { force: true, ..purge(&hers) });
    eve.ask(Purge { force: true, ..purge(&own) });

    let changes = ann.ask(Changes { since: Some(before), ..Changes::default() }).changes;
    let told = |of: &str| changes.iter().find(|change| change.of.as_str() == of).expect("it is told").others;
    assert_eq!((told(&hers), told(&own)), (true, false));

    let found: DoctorReply = ann.ask(restore(&[]));
    assert_eq!(found.purges.iter().map(|purge| purge.others).filter(|others| *others).count(), 1);
    let words: Vec<&str> = found.findings.iter().map(|finding| finding.what.as_str()).collect();
    assert!(words.contains(&&*format!("comment {hers} by ann was purged by eve, who did not write it")));
    assert!(words.contains(&&*format!("comment {own} by eve was purged by its author")), "{words:?}");
    let gone = ann.try_ask(Show { of: hers, head: HeadName::WorkTree, ..Show::default() }).unwrap_err();
    assert!(gone.message.contains("was purged by eve"), "{gone}");
}
