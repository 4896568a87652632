//! What changed since a mark leads from what was listed then to what is listed now, whatever happened in between.

use std::collections::BTreeMap;

use postil_protocol::{
    ByteText, Changes, ChangesReply, Comment, Detail, Edit, FaultCode, HeadName, Hex, List, ListReply, Mark,
    Move, MoveTo, Place, PlacedAs, Publish, Purge, Reopen, ReplyTo, Resolve, ReviewChange, ReviewStatus,
    ReviewVerdict, Scope, Settle, Span, Suggest, ThreadView, Topic, Verdict, What, Withdraw,
};
use postil_service::Service;

use crate::asker::{Asker, said, service};
use crate::dice::Dice;
use crate::support::{Checkout, Sandbox};

/// Somebody who listed threads once, and has been told of changes since.
#[derive(Clone, Debug)]
struct Knowing {
    head: HeadName,
    threads: BTreeMap<Hex, ThreadView>,
    mark: Mark,
}

/// What short name a thread has depends on others, and is not told with them.
fn plain(mut thread: ThreadView) -> ThreadView {
    thread.short.clear();
    for comment in &mut thread.comments {
        comment.short.clear();
    }
    thread
}

impl Knowing {
    fn list(asker: &Asker<'_>, head: &HeadName) -> Self {
        let list = List { detail: Detail::Full, head: head.clone(), ..List::default() };
        let ListReply { threads, mark, .. } = asker.ask(list);
        let threads = threads.into_iter().map(|thread| (thread.id.clone(), plain(thread))).collect();
        Self { head: head.clone(), threads, mark }
    }

    fn ask(&self, asker: &Asker<'_>) -> ChangesReply {
        let (since, head) = (Some(self.mark.clone()), self.head.clone());
        asker.ask(Changes { since, head, topic: Topic::Repository })
    }

    fn apply(&mut self, reply: ChangesReply) {
        for id in &reply.gone {
            self.threads.remove(id);
        }
        for thread in reply.threads {
            self.threads.insert(thread.id.clone(), plain(thread));
        }
        for placed in reply.placed {
            match (placed.what, placed.view) {
                (PlacedAs::Left, _) => _ = self.threads.remove(&placed.thread),
                (_, Some(view)) => _ = self.threads.insert(placed.thread, plain(*view)),
                (_, None) => {
                    let known = self.threads.get_mut(&placed.thread).expect("a thread that was listed");
                    known.position = placed.to;
                    known.seen = placed.seen.expect("a thread that is not left is seen");
                }
            }
        }
        self.mark = reply.mark;
    }
}

/// A repository with two branches, two files and people who work in it.
struct Story<'a> {
    repo: &'a Checkout<'a>,
    ann: Asker<'a>,
    bob: Asker<'a>,
    dice: Dice,
    count: u32,
}

impl Story<'_> {
    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        let end = u64::try_from(from.len()).ok().filter(|end| *end > 0)?;
        from.get(usize::try_from(self.dice.below(end)).ok()?).cloned()
    }

    fn thread(&mut self) -> Option<String> {
        let list = self.ann.ask(List { scope: Scope::All, head: HeadName::Head, ..List::default() });
        let ids: Vec<String> = list.threads.iter().map(|thread| thread.id.to_string()).collect();
        self.pick(&ids)
    }

    fn file(&mut self) -> &'static str {
        if self.dice.below(2) == 0 { "a.txt" } else { "b.txt" }
    }

    fn place(&mut self) -> Place {
        let line = u32::try_from(1 + self.dice.below(6)).unwrap_or(1);
        Place { span: Some(Span::lines(line, line)), ..Place::file(self.file()) }
    }

    fn comment(&mut self, draft: bool) -> Comment {
        self.count += 1;
        Comment { draft, ..said(Some(self.place()), &format!("comment {}", self.count)) }
    }

    /// Adds, changes or removes a line of a file on disk.
    fn change_file(&mut self) {
        let path = self.repo.dir.join(self.file());
        let Ok(text) = std::fs::read_to_string(&path) else { return };
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = usize::try_from(self.dice.below(lines.len() as u64 + 1)).unwrap_or(0);
        self.count += 1;
        match self.dice.below(3) {
            0 if at < lines.len() && lines.len() > 8 => _ = lines.remove(at),
            1 if at < lines.len() => lines[at] = format!("changed {}", self.count),
            _ => lines.insert(at, format!("new {}", self.count)),
        }
        std::fs::write(path, lines.join("\n") + "\n").unwrap();
    }

    fn commit(&self) {
        self.repo.git(&["commit", "-q", "-a", "--allow-empty", "-m", "more"]);
    }

    /// Somebody does something; refusals are as good as anything else.
    fn step(&mut self) -> &'static str {
        let who = self.dice.below(2) == 0;
        let thread = self.thread();
        macro_rules! ask {
            ($params:expr) => {{
                let params = $params;
                _ = if who { self.ann.try_ask(params).map(drop) } else { self.bob.try_ask(params).map(drop) };
            }};
        }
        match (self.dice.below(24), thread) {
            (0..=2, _) => {
                ask!(self.comment(false));
                "comment"
            }
            (3, _) => {
                ask!(self.comment(true));
                "draft"
            }
            (4, Some(to)) => {
                ask!(ReplyTo {
                    to,
                    text: "an answer".into(),
                    suggestion: None,
                    draft: self.count.is_multiple_of(5)
                });
                "reply"
            }
            (5, Some(thread)) => {
                ask!(Resolve { threads: vec![thread], reason: None });
                "resolve"
            }
            (6, Some(thread)) => {
                ask!(Reopen { threads: vec![thread], reason: None });
                "reopen"
            }
            (7, Some(of)) => {
                self.count += 1;
                let text = format!("words {}", self.count);
                ask!(Edit { of, text });
                "edit"
            }
            (8, Some(of)) => {
                let to = MoveTo::Place(self.place());
                ask!(Move { of, to });
                "move"
            }
            (9, _) => {
                ask!(Publish { review: None, scope: Scope::All });
                "publish"
            }
            (10, Some(thread)) => {
                ask!(Purge { of: vec![thread] });
                "purge"
            }
            (11, Some(thread)) => {
                ask!(Withdraw { comments: vec![thread], reason: None });
                "withdraw"
            }
            (12 | 13, _) => {
                self.change_file();
                self.commit();
                "commit"
            }
            (14, _) => {
                self.repo.git(&["reset", "-q", "--hard"]);
                let to = self.pick(&["main", "topic", "side"]).unwrap_or("main");
                self.repo.git(&["switch", "-q", to]);
                "switch"
            }
            (15, _) => {
                self.repo.git(&["commit", "-q", "-a", "--amend", "--allow-empty", "-m", "amended"]);
                "amend"
            }
            (16, _) => {
                self.repo.git(&["reset", "-q", "--hard"]);
                self.repo.git(&["update-ref", "refs/remotes/origin/topic", "topic"]);
                self.repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
                "fetch"
            }
            (17..=18, _) => {
                self.change_file();
                "save"
            }
            (19, _) => {
                self.repo.git(&["checkout", "-q", "--", "."]);
                "restore"
            }
            (20, _) => {
                self.count += 1;
                let suggestion =
                    Some(Suggest::Replacement(ByteText::new(format!("suggested {}\n", self.count))));
                ask!(Comment { suggestion, ..self.comment(false) });
                "suggest"
            }
            (21, _) => {
                let status = self.pick(&[ReviewStatus::Open, ReviewStatus::Closed, ReviewStatus::Merged]);
                let status = status.unwrap_or(ReviewStatus::Open);
                ask!(ReviewChange { review: None, status, reason: None });
                "review"
            }
            (22, _) => {
                let verdict = Verdict::Approve;
                ask!(ReviewVerdict { review: None, verdict, text: String::new(), draft: false });
                "verdict"
            }
            _ => {
                ask!(Settle {});
                "settle"
            }
        }
    }
}

/// Plays a story, and holds what is told of it against what is listed, from every mark; returns how often of how many
/// times who asked had to list again.
fn play(seed: u64, steps: usize) -> (u32, u32) {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let lines = |word: &str| (1..=12).map(|line| format!("{word} {line}\n")).collect::<String>();
    repo.commit("a.txt", &lines("line"));
    repo.commit("b.txt", &lines("row"));
    for branch in ["topic", "side"] {
        repo.git(&["switch", "-q", "-c", branch]);
        repo.commit("a.txt", &format!("{branch}\n{}", lines("line")));
    }
    repo.git(&["switch", "-q", "topic"]);
    let (here, elsewhere) = (service(), service());
    let ann = Asker::new(&here, "ann", &repo.dir);
    let bob = Asker::new(&elsewhere, "bob", &repo.dir);
    let mut story = Story { repo: &repo, ann, bob, dice: Dice::new(seed), count: 0 };
    let heads = [HeadName::Head, HeadName::WorkTree];
    let mut known: Vec<Knowing> = heads.iter().map(|head| Knowing::list(&story.ann, head)).collect();
    let mut history = Vec::new();
    let (mut resets, mut asked) = (0, 0);
    for step in 0..steps {
        history.push(story.step());
        for head in &heads {
            let fresh_service = service();
            let fresh = Knowing::list(&Asker::new(&fresh_service, "ann", &repo.dir), head);
            let of_head: Vec<usize> = (0..known.len()).filter(|at| known[*at].head == *head).collect();
            // The one that follows all along, and one that has been away.
            let away = story.pick(&of_head).unwrap_or(of_head[0]);
            for at in [of_head[0], away] {
                let mut client = known[at].clone();
                let reply = client.ask(&story.ann);
                asked += 1;
                if reply.reset {
                    resets += 1;
                    client = Knowing::list(&story.ann, head);
                } else {
                    client.apply(reply);
                }
                let words = format!("seed {seed}, step {step}, {head:?}: {:?}", &history);
                assert_eq!(
                    client.threads.keys().collect::<Vec<_>>(),
                    fresh.threads.keys().collect::<Vec<_>>(),
                    "{words}"
                );
                for (id, thread) in &client.threads {
                    assert_eq!(Some(thread), fresh.threads.get(id), "{words}");
                }
                let again = client.ask(&story.ann);
                assert!(!again.reset && again.changes.is_empty(), "{words}: {again:?}");
                if at == of_head[0] {
                    known[at] = client;
                }
            }
            if story.dice.below(3) == 0 && known.len() < 12 {
                known.push(Knowing::list(&story.ann, head));
            }
        }
    }
    (resets, asked)
}

#[test]
fn changes_since_any_mark_lead_to_what_is_listed_now() {
    let (mut resets, mut asked) = (0, 0);
    for seed in 0..12 {
        let (more_resets, more) = play(seed, 40);
        resets += more_resets;
        asked += more;
    }
    // Whoever has been away for long may have to list again; if many had to, nothing would be gained.
    assert!(resets * 4 < asked, "{resets} of {asked} had to list again");
}

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
    ann.ask(ReplyTo { to: id.clone(), text: "there".into(), suggestion: None, draft: false });
    ann.ask(Resolve { threads: vec![id.clone()], reason: None });
    let reply = known.ask(&ann);
    let told: Vec<(What, String, bool)> = reply
        .changes
        .iter()
        .filter(|change| change.of.as_str() == id)
        .map(|change| (change.what, change.by.as_ref().unwrap().name.clone(), change.record.is_some()))
        .collect();
    let mut told = told;
    told.sort_by_key(|(what, ..)| *what as u8);
    let expected = [(What::Commented, "bob"), (What::Replied, "ann"), (What::Resolved, "ann")];
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
    // What was said is told also where somebody who begins anew cannot know what was seen before.
    repo.commit("a.txt", "other\n");
    ann.comment("a.txt", 1, "and here");
    let third = service();
    let reply = known.ask(&Asker::new(&third, "ann", &repo.dir));
    assert!(reply.reset);
    assert_eq!(reply.changes.iter().filter(|change| change.what == What::Commented).count(), 1);
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
    assert_eq!(reply.changes.iter().filter(|change| change.what == What::Commented).count(), 10);
}
