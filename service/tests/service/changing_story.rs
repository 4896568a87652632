//! Whatever happens, what changed since a mark leads from what was listed then to what is listed now.

use postil_protocol::{
    ByteText, Comment, Edit, HeadName, List, MessagePlace, Move, MoveTo, Place, Publish, Purge, Reopen,
    ReplyTo, Resolve, ReviewChange, ReviewStatus, ReviewVerdict, Scope, Span, Suggest, Sync, Verdict,
    Withdraw, WritePositions,
};
use postil_testkit::Dice;
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, said, service};
use crate::knowing::Knowing;

/// A repository with two branches, two files and people who work in it.
struct Story<'a> {
    repo: &'a Checkout<'a>,
    ann: Asker<'a>,
    bob: Asker<'a>,
    /// She has a clone of her own.
    carol: Asker<'a>,
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
        let text = format!("comment {}", self.count);
        if self.dice.below(6) == 0 {
            let message = Some(MessagePlace { rev: "HEAD".into(), span: Some(Span::lines(1, 1)) });
            return Comment { draft, message, ..said(None, &text) };
        }
        Comment { draft, ..said(Some(self.place()), &text) }
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
        match (self.dice.below(28), thread) {
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
                    draft: self.count.is_multiple_of(5),
                    resolve: false
                });
                "reply"
            }
            (5, Some(thread)) => {
                ask!(Resolve { threads: vec![thread], reason: None, by: None });
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
                ask!(Purge { of: vec![thread], force: true, confirmed: None });
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
            (23, _) => {
                self.repo.git(&["reset", "-q", "--hard"]);
                if !self.repo.try_git(&["rebase", "-q", "-X", "theirs", "main"]).status.success() {
                    self.repo.git(&["rebase", "--abort"]);
                }
                "rebase"
            }
            (24, _) => {
                // Somebody else says something elsewhere, and both exchange what they have.
                self.count += 1;
                let place = Place { span: Some(Span::lines(2, 2)), ..Place::file("b.txt") };
                _ = self.carol.try_ask(said(Some(place), &format!("carol {}", self.count)));
                for asker in [&self.carol, &self.ann] {
                    let synced = asker.ask(Sync { with_files: true, ..Sync::default() });
                    assert_eq!(synced.remotes[0].error, None);
                }
                "sync"
            }
            (25, _) => {
                let branch = self.pick(&["main", "topic", "side"]).unwrap_or("main");
                self.repo.git(&["push", "-q", "--force", "origin", branch]);
                "push"
            }
            _ => {
                ask!(WritePositions {});
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
    repo.git(&["clone", "-q", "--bare", ".", "../origin.git"]);
    repo.git(&["remote", "add", "origin", "../origin.git"]);
    repo.git(&["fetch", "-q", "origin"]);
    repo.git(&["clone", "-q", "-b", "topic", "../origin.git", "../carol"]);
    let (here, elsewhere, far) = (service(), service(), service());
    let ann = Asker::new(&here, "ann", &repo.dir);
    let bob = Asker::new(&elsewhere, "bob", &repo.dir);
    let carol = Asker::new(&far, "carol", &repo.dir.with_file_name("carol"));
    let mut story = Story { repo: &repo, ann, bob, carol, dice: Dice::new(seed), count: 0 };
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
            // One of them finds another process, which has seen nothing.
            let newcomer = service();
            let newcomer = Asker::new(&newcomer, "ann", &repo.dir);
            let again = story.pick(&[of_head[0], away]).unwrap_or(away);
            let askers = [(of_head[0], &story.ann), (away, &story.ann), (again, &newcomer)];
            let count = if step % 3 == 0 { 3 } else { 2 };
            for (which, (at, asker)) in askers.into_iter().take(count).enumerate() {
                let mut client = known[at].clone();
                let reply = client.ask(asker);
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
                if which == 0 {
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
