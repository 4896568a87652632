//! What goes wrong after something was written is a warning: who is told of an error writes it a second time.

use postil_protocol::{Comment, Place, Publish, ReplyTo, Resolve, ReviewVerdict, Verdict, WarningView};
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, said, service};
use crate::topic;

fn warned_of(warnings: &[WarningView], what: &str) {
    // A verdict may be warned of for other reasons too.
    let about: Vec<_> = warnings.iter().filter(|warning| warning.what.contains(what)).collect();
    assert_eq!(about.len(), 1, "{warnings:?}");
}

fn reply_to(thread: &str, text: &str) -> ReplyTo {
    ReplyTo { to: thread.to_owned(), text: text.to_owned(), suggestion: None, draft: false, resolve: false }
}

#[test]
fn with_a_lock_that_nobody_holds_everything_is_written_once() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.ask(said(Some(Place::file("a.txt")), "before"));
    let lock = repo.dir.join(".git/refs/postil/known.lock");
    std::fs::write(&lock, "").unwrap();

    let written = ann.ask(said(Some(Place::file("a.txt")), "why?"));
    warned_of(&written.warnings, "known.lock");
    let thread = written.id.to_string();
    warned_of(&ann.ask(reply_to(&thread, "because")).warnings, "known.lock");
    warned_of(&ann.ask(Resolve { threads: vec![thread], reason: None, by: None }).warnings, "known.lock");
    let verdict =
        ReviewVerdict { review: None, verdict: Verdict::Approve, text: String::new(), draft: false };
    warned_of(&ann.ask(verdict).warnings, "known.lock");
    ann.ask(Comment { draft: true, ..said(Some(Place::file("a.txt")), "later") });
    let published = ann.ask(Publish::default());
    assert_eq!(published.published.len(), 1);
    warned_of(&published.warnings, "known.lock");

    std::fs::remove_file(&lock).unwrap();
    assert_eq!(ann.ask(said(Some(Place::file("a.txt")), "after")).warnings, []);
    let texts: Vec<_> = ann.list().threads.iter().map(|thread| thread.comments[0].text.clone()).collect();
    assert_eq!(texts.len(), 4, "each is there once: {texts:?}");
}

/// Deletes the object of a name.
fn lose(repo: &Checkout<'_>, name: &str) {
    let id = repo.git(&["rev-parse", name]);
    repo.forget_kept();
    std::fs::remove_file(repo.dir.join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
}

#[test]
fn what_was_written_is_told_also_where_its_place_cannot_be_computed() {
    let sandbox = Sandbox::in_memory();
    let repo = topic(&sandbox, 3);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let thread = ann.comment("a.txt", 2, "why?");
    repo.commit("b.txt", "another\n");
    lose(&repo, "HEAD^{tree}");
    let written = ann.ask(reply_to(&thread, "because"));
    assert_eq!(written.thread.comments.last().unwrap().id, written.id);
    assert!(!written.warnings.is_empty());
    let done = ann.ask(Resolve { threads: vec![thread], reason: Some("fixed".into()), by: None });
    assert_eq!(done.threads[0].status_by.as_ref().unwrap().reason.as_deref(), Some("fixed"));
    assert!(!done.warnings.is_empty());
}
