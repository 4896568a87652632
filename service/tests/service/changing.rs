//! What changed since a mark: who did what, which threads are elsewhere, and for whom.

use postil_protocol::{
    ChangeKind, Changes, ChangesReply, Comment, FaultCode, HeadName, Mark, Move, MoveTo, Place, Publish,
    ReplyTo, Resolve, Scope, Span, Sync, Topic, Withdraw,
};
use postil_service::Service;
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, said, service};
use crate::knowing::Knowing;

fn knowing<'a>(service: &'a Service, repo: &Checkout<'_>) -> (Asker<'a>, Knowing) {
    let ann = Asker::new(service, "ann", &repo.dir);
    let known = Knowing::list(&ann, &HeadName::Head);
    (ann, known)
}

#[test]
fn a_change_says_who_did_what_and_by_which_record() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let (ann, known) = knowing(&service, &repo);
    let bob = Asker::new(&service, "bob", &repo.dir);
    let id = bob.comment("a.txt", 4, "here");
    ann.ask(ReplyTo { to: id.clone(), text: "there".into(), suggestion: None, draft: false, resolve: false });
    ann.ask(Resolve { threads: vec![id.clone()], reason: None, by: None });
    let reply = known.ask(&ann);
    let told: Vec<(ChangeKind, String, bool)> = reply
        .changes
        .iter()
        .filter(|change| change.of.as_str() == id)
        .map(|change| (change.what, change.by.as_ref().unwrap().name.clone(), change.record.is_some()))
        .collect();
    let mut told = told;
    told.sort_by_key(|(what, ..)| *what as u8);
    let expected =
        [(ChangeKind::Commented, "bob"), (ChangeKind::Replied, "ann"), (ChangeKind::Resolved, "ann")];
    assert_eq!(told, expected.map(|(what, who)| (what, who.to_owned(), true)));
    let [thread] = &reply.threads[..] else { panic!("{reply:?}") };
    assert_eq!((thread.id.to_string(), thread.comments.len()), (id, 2));
    assert_eq!(reply.reviews.len(), 1, "the review was begun with it");
}

#[test]
fn the_mark_of_what_one_writes_hides_nothing_that_others_wrote() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let (ann, mut known) = knowing(&service, &repo);
    ann.comment("a.txt", 1, "first");
    let place = Place { span: Some(Span::lines(4, 4)), ..Place::file("a.txt") };
    known.mark = ann.ask(said(Some(place.clone()), "alone")).mark;
    assert!(known.ask(&ann).changes.is_empty(), "one's own words are known");
    // Many write at once: whoever goes on from the mark of their own words hears of all others.
    let all: Vec<(Mark, String)> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..6)
            .map(|n| {
                let (service, dir, place) = (&service, &repo.dir, place.clone());
                scope.spawn(move || {
                    let writer = Asker::new(service, "bob", dir);
                    let mut written = Vec::new();
                    for m in 0..5 {
                        let reply = writer.ask(said(Some(place.clone()), &format!("{n} {m}")));
                        written.push((reply.mark, reply.id.to_string()));
                    }
                    written
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let order = repo.git(&["rev-list", "refs/notes/reviews"]);
    let order: Vec<&str> = order.lines().rev().collect();
    for (mark, own) in &all {
        known.mark = mark.clone();
        let told: Vec<String> = known.ask(&ann).threads.iter().map(|thread| thread.id.to_string()).collect();
        let at = order.iter().position(|commit| mark.said().starts_with(commit)).unwrap();
        // All that came behind the mark, and not one less.
        assert_eq!(told.iter().filter(|id| *id != own).count(), {
            let behind = order.len() - 1 - at;
            behind - usize::from(told.contains(own))
        });
    }
}

#[test]
fn a_mark_that_cannot_be_read_or_found_gets_a_reset() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let (ann, mut known) = knowing(&service, &repo);
    ann.comment("a.txt", 4, "here");
    let good = known.mark.clone();
    for mark in ["nonsense", "", &format!("{}.0-{}", "a".repeat(40), good.places())] {
        known.mark = Mark::from(mark);
        let reply = known.ask(&ann);
        assert!(reply.reset && reply.changes.is_empty(), "{mark}: {reply:?}");
        known.mark = reply.mark;
        assert!(!known.ask(&ann).reset);
    }
    let from_now_on = ann.ask(Changes { since: None, head: HeadName::Head, topic: Topic::Repository });
    assert!(!from_now_on.reset && from_now_on.changes.is_empty() && from_now_on.threads.is_empty());
}

#[test]
fn only_what_is_about_the_topic_is_told() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("b.txt", "one\ntwo\n");
    let service = service();
    let (ann, known) = knowing(&service, &repo);
    let (one, other) = (ann.comment("a.txt", 4, "here"), ann.comment("b.txt", 1, "there"));
    let about = |topic: Topic| {
        let reply = ann.ask(Changes { since: Some(known.mark.clone()), head: HeadName::Head, topic });
        let threads: Vec<String> = reply.threads.iter().map(|thread| thread.id.to_string()).collect();
        (threads, reply.changes.len())
    };
    assert_eq!(about(Topic::File("a.txt".into())), (vec![one.clone()], 1));
    assert_eq!(about(Topic::File("b.txt".into())), (vec![other.clone()], 1));
    assert_eq!(about(Topic::File("c.txt".into())), (vec![], 0));
    assert_eq!(about(Topic::Review("topic".into())).1, 3, "two threads, and the review");
    let nobody = ann.try_ask(Changes {
        since: Some(known.mark.clone()),
        head: HeadName::Head,
        topic: Topic::Review("nosuch".into()),
    });
    assert_eq!(nobody.unwrap_err().code, FaultCode::NotFound);
}

#[test]
fn a_file_hears_of_its_own_threads_alone_wherever_they_go() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("b.txt", "one\ntwo\n");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let draft = |file: &str, line| {
        let place = Place { span: Some(Span::lines(line, line)), ..Place::file(file) };
        ann.ask(Comment { draft: true, ..said(Some(place), "not yet") }).id.to_string()
    };
    let (in_a, in_b) = (ann.comment("a.txt", 4, "here"), ann.comment("b.txt", 1, "there"));
    let (draft_in_a, draft_in_b) = (draft("a.txt", 2), draft("b.txt", 2));
    let heard = |asker: &Asker<'_>, mark: &Mark, file: &str| {
        let topic = Topic::File(file.into());
        let reply = asker.ask(Changes { since: Some(mark.clone()), head: HeadName::Head, topic });
        assert!(!reply.reset);
        let threads = reply.threads.iter().map(|thread| thread.id.to_string());
        let gone = reply.gone.iter().map(ToString::to_string);
        let placed = reply.placed.iter().map(|placed| placed.thread.to_string());
        let mut heard: Vec<String> = threads.chain(gone).chain(placed).collect();
        heard.sort();
        heard
    };
    let sorted = |ids: &[&String]| {
        let mut ids: Vec<String> = ids.iter().map(|id| (*id).clone()).collect();
        ids.sort();
        ids
    };
    let check = |mark: &Mark, of_a: &[&String], of_b: &[&String]| {
        let newcomer = crate::asker::service();
        for asker in [&ann, &Asker::new(&newcomer, "ann", &repo.dir)] {
            assert_eq!(heard(asker, mark, "a.txt"), sorted(of_a), "of a.txt");
            assert_eq!(heard(asker, mark, "b.txt"), sorted(of_b), "of b.txt");
        }
    };
    let mark = || Knowing::list(&ann, &HeadName::Head).mark;
    let before = mark();
    ann.ask(Withdraw { comments: vec![draft_in_b.clone()], reason: None });
    check(&before, &[], &[&draft_in_b]);
    // Another head sees none of them.
    let before = mark();
    repo.git(&["switch", "-q", "main"]);
    check(&before, &[&in_a, &draft_in_a], &[&in_b]);
    let before = mark();
    repo.git(&["switch", "-q", "topic"]);
    check(&before, &[&in_a, &draft_in_a], &[&in_b]);
    // Whoever hears of the one file is told that a thread is in the other now.
    let before = mark();
    let to = MoveTo::Place(Place { span: Some(Span::lines(2, 2)), ..Place::file("b.txt") });
    ann.ask(Move { of: in_a.clone(), to });
    check(&before, &[&in_a], &[&in_a]);
}

#[test]
fn a_file_outside_of_the_repository_is_refused_as_a_topic() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let (ann, known) = knowing(&service, &repo);
    for file in ["../x", "a/../../x", "/etc/passwd", ".git/config", "", "./a.txt", "a\0b"] {
        for since in [None, Some(known.mark.clone())] {
            let topic = Topic::File(file.into());
            let refused = ann.try_ask(Changes { since, head: HeadName::Head, topic }).unwrap_err();
            assert_eq!(refused.code, FaultCode::NoSuchPlace, "{file:?}");
            assert!(refused.message.contains("invalid path"), "{}", refused.message);
        }
    }
}

#[test]
fn what_another_process_listed_is_followed_in_this_one() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let (first, second) = (service(), service());
    let (ann, mut known) = knowing(&first, &repo);
    let id = ann.comment("a.txt", 4, "here");
    let later = Asker::new(&second, "ann", &repo.dir);
    let reply = known.ask(&later);
    assert!(!reply.reset);
    known.apply(reply);
    assert_eq!(known.threads.keys().map(ToString::to_string).collect::<Vec<_>>(), [id]);
    // What was said is told also where nobody can tell any more where the branches were.
    repo.git(&["branch", "gone"]);
    known.mark = Knowing::list(&ann, &HeadName::Head).mark;
    repo.git(&["branch", "-q", "-D", "gone"]);
    repo.commit("a.txt", "other\n");
    ann.comment("a.txt", 1, "and here");
    let third = service();
    let reply = known.ask(&Asker::new(&third, "ann", &repo.dir));
    assert!(reply.reset);
    assert_eq!(reply.changes.iter().filter(|change| change.what == ChangeKind::Commented).count(), 1);
}

#[test]
fn whoever_begins_anew_knows_what_was_seen_before_the_head_moved() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("b.txt", "one\ntwo\n");
    repo.git(&["remote", "add", "origin", "/nowhere"]);
    let service_then = service();
    let ann = Asker::new(&service_then, "ann", &repo.dir);
    let (here, _) = (ann.comment("a.txt", 4, "here"), ann.comment("b.txt", 1, "there"));
    let steps: [&[&[&str]]; 7] = [
        &[&["commit", "-q", "--allow-empty", "-m", "empty"]],
        &[&["commit", "-q", "--amend", "--allow-empty", "-m", "amended"]],
        &[
            &["commit", "-q", "--allow-empty", "-m", "more"],
            &["commit", "-q", "--allow-empty", "-m", "again"],
        ],
        // As a push and a fetch leave it.
        &[
            &["commit", "-q", "--allow-empty", "-m", "x"],
            &["update-ref", "refs/remotes/origin/topic", "HEAD"],
        ],
        &[
            &["update-ref", "refs/remotes/origin/main", "main"],
            &["update-ref", "refs/remotes/origin/x", "main"],
        ],
        &[&["switch", "-q", "-c", "other"], &["commit", "-q", "--allow-empty", "-m", "other"]],
        &[&["switch", "-q", "topic"]],
    ];
    for (at, step) in steps.iter().enumerate() {
        let known = [HeadName::Head, HeadName::WorkTree].map(|head| Knowing::list(&ann, &head));
        for git in *step {
            repo.git(git);
        }
        for mut known in known {
            let service = service();
            let later = Asker::new(&service, "ann", &repo.dir);
            let reply = known.ask(&later);
            let words = format!("step {at}, {:?}", known.head);
            assert!(!reply.reset, "{words}");
            // From another branch they are seen for another reason.
            assert!(reply.changes.is_empty() && (at >= 5 || reply.placed.is_empty()), "{words}: {reply:?}");
            known.apply(reply);
            assert_eq!(known.threads, Knowing::list(&later, &known.head).threads, "{words}");
        }
    }
    // Where the text moves, who is elsewhere is told with where it was.
    let known = Knowing::list(&ann, &HeadName::Head);
    repo.commit("a.txt", &["new\n".to_owned(), repo.git(&["show", "HEAD:a.txt"])].concat());
    let service = service();
    let reply = known.ask(&Asker::new(&service, "ann", &repo.dir));
    assert!(!reply.reset);
    let [placed] = &reply.placed[..] else { panic!("{reply:?}") };
    assert_eq!(placed.thread.to_string(), here);
    let line = |place: &Option<postil_protocol::PositionView>| place.as_ref().and_then(|place| place.start);
    assert_eq!((line(&placed.from), line(&placed.to)), (Some(4), Some(5)));
}

#[test]
fn more_words_than_fit_into_an_answer_are_a_reset_that_tells_who_did_what() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let known = Knowing::list(&ann, &HeadName::Head);
    for line in 1..=10 {
        ann.comment("a.txt", line, &format!("{line} {}", "y".repeat(500_000)));
    }
    let reply = known.ask(&ann);
    assert!(reply.reset && reply.threads.is_empty());
    assert_eq!(reply.changes.iter().filter(|change| change.what == ChangeKind::Commented).count(), 10);
}

#[test]
fn a_draft_that_is_shared_is_told_once_whenever_somebody_looks() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    ann.comment("a.txt", 1, "first");
    let before = Knowing::list(&ann, &HeadName::Head);
    let place = Place { span: Some(Span::lines(4, 4)), ..Place::file("a.txt") };
    let id = ann.ask(Comment { draft: true, ..said(Some(place), "still thinking") }).id;
    let mut known = Knowing::list(&ann, &HeadName::Head);
    let drafts = repo.git(&["rev-parse", "refs/postil/drafts"]);
    ann.ask(Publish { review: None, scope: Scope::All });
    let what = |reply: &ChangesReply| -> Vec<(ChangeKind, bool)> {
        let is_draft = reply.threads.first().is_some_and(|thread| thread.draft);
        reply.changes.iter().filter(|change| change.of == id).map(|change| (change.what, is_draft)).collect()
    };
    assert_eq!(what(&known.ask(&ann)), [(ChangeKind::Published, false)], "to who had it as a draft");
    assert_eq!(what(&before.ask(&ann)), [(ChangeKind::Commented, false)], "to who did not");
    // Somebody looks after it is shared, and before it is no draft any more.
    repo.git(&["update-ref", "refs/postil/drafts", drafts.trim()]);
    assert_eq!(what(&before.ask(&ann)), [(ChangeKind::Commented, true)]);
    let between = known.ask(&ann);
    assert_eq!(what(&between), []);
    known.apply(between);
    repo.git(&["update-ref", "-d", "refs/postil/drafts"]);
    let after = known.ask(&ann);
    assert_eq!(what(&after), [(ChangeKind::Published, false)]);
    known.apply(after);
    assert_eq!(known.threads, Knowing::list(&ann, &HeadName::Head).threads);
}

#[test]
fn everybody_is_told_in_the_same_order_however_records_came() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("b.txt", "one\ntwo\nthree\n");
    repo.git(&["clone", "-q", "--bare", ".", "../origin.git"]);
    repo.git(&["remote", "add", "origin", "../origin.git"]);
    repo.git(&["fetch", "-q", "origin"]);
    repo.git(&["clone", "-q", "-b", "topic", "../origin.git", "../bob"]);
    let (here, there) = (service(), service());
    let mut ann = Asker::new(&here, "ann", &repo.dir);
    let mut bob = Asker::new(&there, "bob", &repo.dir.with_file_name("bob"));
    ann.comment("a.txt", 1, "first");
    ann.ask(Sync::default());
    bob.ask(Sync::default());
    let known = [Knowing::list(&ann, &HeadName::Head), Knowing::list(&bob, &HeadName::Head)];
    // Each of them says something between what the other says, and both at the same moment.
    for (at, line) in [(5_000, 2), (3_000, 3), (4_000, 4), (4_000, 5)] {
        (ann.at, bob.at) = (Some(at), Some(at + 500 * u64::from(line % 2)));
        let id = ann.comment("a.txt", line, &format!("ann {line}"));
        ann.ask(Resolve { threads: vec![id], reason: None, by: None });
        bob.comment("b.txt", 2, &format!("bob {line}"));
    }
    ann.ask(Sync::default());
    bob.ask(Sync::default());
    ann.ask(Sync::default());
    let [of_ann, of_bob] = [known[0].ask(&ann), known[1].ask(&bob)];
    assert!(!of_ann.reset && !of_bob.reset);
    assert_eq!(of_ann.changes, of_bob.changes);
    assert_eq!(of_ann.changes.len(), 12);
    let keys: Vec<_> = of_ann.changes.iter().map(|told| (told.at, told.record.clone())).collect();
    assert!(keys.is_sorted(), "{keys:?}");
    let ids =
        |reply: &ChangesReply| -> Vec<_> { reply.threads.iter().map(|thread| thread.id.clone()).collect() };
    assert_eq!(ids(&of_ann), ids(&of_bob));
    assert!(ids(&of_ann).is_sorted());
    // The same for places, whether a thread only moved or suggests something.
    for line in 6..9 {
        ann.comment("a.txt", line, &format!("```suggestion\nbetter {line}\n```\n"));
    }
    let known = Knowing::list(&ann, &HeadName::Head);
    let text = repo.git(&["show", "HEAD:a.txt"]);
    repo.commit("a.txt", &format!("new\n{text}\n"));
    let reply = known.ask(&ann);
    assert!(reply.placed.len() > 7 && reply.placed.iter().map(|placed| &placed.thread).is_sorted());
    let events = ChangesReply { changes: of_ann.changes, ..reply };
    let events = events.events(1, &"x".into(), &known.mark, false);
    let order: Vec<&str> = events.iter().map(postil_protocol::Event::method).collect();
    assert_eq!(order, ["changed", "placed"]);
}
