//! A service that has lived through everything tells the same as one that has just begun.

use postil_protocol::{
    AnswerProposals, Buffer, Comment, Detail, Diff, Edit, List, ListReply, Move, MoveTo, Place,
    ProposalAnswer, Propose, Publish, Purge, Reopen, ReplyTo, Resolve, ReviewList, ReviewShow, ReviewVerdict,
    Scope, Span, Stats, Status, Verdict, Withdraw,
};
use postil_service::Service;
use postil_testkit::Dice;
use postil_testkit::{Checkout, Sandbox};

use crate::asker::{Asker, said, service};

const STEPS: u64 = 50;

/// All that a service tells, in words.
fn told(service: &Service, repo: &Checkout<'_>, buffers: &[Buffer]) -> String {
    let mut ann = Asker::new(service, "ann", &repo.dir);
    ann.buffers.clone_from(&buffers.to_vec());
    let all = List { scope: Scope::All, detail: Detail::Full, ..List::default() };
    let lines = List { detail: Detail::Line, ..List::default() };
    let all_lines = List { scope: Scope::All, ..lines.clone() };
    for list in [all.clone(), List::default(), lines.clone(), all_lines] {
        // What is told to clients is what is answered, however much of it was kept.
        let told: ListReply = serde_json::from_slice(&ann.told(list.clone())).unwrap();
        assert!(told == ann.ask(list.clone()), "{list:?}");
    }
    let seen = ann.ask(lines);
    let (reviews, status) = (ann.ask(ReviewList::default()), ann.ask(Status::default()));
    let stats = ann.ask(Stats { scope: Scope::All, ..Stats::default() });
    let shown: Vec<_> = reviews
        .reviews
        .iter()
        .map(|review| ann.ask(ReviewShow { review: Some(review.id.to_string()) }))
        .collect();
    let diff = Diff { words: true, untracked: true, ..Diff::default() };
    let diffs = [diff.clone(), Diff { ignore_space: true, ..diff.clone() }, Diff { outline: true, ..diff }];
    let diffs = diffs.map(|diff| ann.try_ask(diff));
    format!("{:#?}\n{seen:#?}\n{reviews:#?}\n{status:#?}\n{stats:#?}\n{shown:#?}\n{diffs:#?}", ann.ask(all))
}

/// What an editor has open and did not save.
fn unsaved(path: &str, n: u64) -> Buffer {
    let text = (0..25).map(|line| format!("line {}\n", line + n % 3)).collect();
    Buffer { path: path.into(), text, version: None }
}

/// Does something, by whatever number was thrown; what fails has done nothing.
fn act(dice: &mut Dice, living: &Service, repo: &Checkout<'_>, n: u64) {
    let who = ["ann", "bob"][usize::try_from(dice.below(2)).unwrap()];
    let asker = Asker::new(living, who, &repo.dir);
    let threads = asker.ask(List { scope: Scope::All, detail: Detail::Full, ..List::default() }).threads;
    let comments: Vec<String> = threads
        .iter()
        .flat_map(|thread| thread.comments.iter().map(|comment| comment.id.to_string()))
        .collect();
    let mut pick = || {
        let at = dice.below(comments.len().max(1) as u64);
        comments.get(usize::try_from(at).unwrap()).cloned().unwrap_or_default()
    };
    let (one, other) = (pick(), pick());
    let text = format!("words {n}");
    let line = u32::try_from(1 + n % 20).unwrap();
    let place = Place { span: Some(Span::lines(line, line)), ..Place::file("a.txt") };
    let notes = |words: &[&str]| drop(repo.try_git(&[&["notes", "--ref=reviews"], words].concat()));
    let text_on_disk =
        |lines: u64| (0..25).map(|line| format!("line {}\n", line + lines)).collect::<String>();
    match dice.below(30) {
        0..=4 => drop(asker.try_ask(said(Some(place), &text))),
        5 => {
            let draft = Comment { draft: true, ..said(Some(place), &text) };
            drop(asker.try_ask(draft));
        }
        6..=7 => drop(asker.try_ask(ReplyTo {
            to: one,
            text,
            suggestion: None,
            draft: n.is_multiple_of(3),
            resolve: n.is_multiple_of(4),
        })),
        8 => drop(asker.try_ask(Edit { of: one, text })),
        9 => drop(asker.try_ask(Resolve { threads: vec![one, other], reason: None, by: None })),
        10 => drop(asker.try_ask(Reopen { threads: vec![one], reason: None })),
        11 => drop(asker.try_ask(Withdraw { comments: vec![one], reason: Some(text) })),
        12 => drop(asker.try_ask(Move { of: one, to: MoveTo::Place(place) })),
        13 => {
            let verdict = [Verdict::Approve, Verdict::Changes][usize::try_from(n % 2).unwrap()];
            drop(asker.try_ask(ReviewVerdict { review: None, verdict, text, draft: n.is_multiple_of(5) }));
        }
        14 => drop(asker.try_ask(Publish::default())),
        15 => drop(asker.try_ask(Purge { of: vec![one], force: true, confirmed: None })),
        16 => {
            let lines = (0..25).map(|line| format!("line {}\n", line + n % 3)).collect::<String>();
            repo.commit("a.txt", &format!("change {n}\n{lines}"));
        }
        17 => notes(&["append", "-m", "words of stock git", "HEAD"]),
        18 => notes(&["copy", "HEAD", "HEAD~1"]),
        // What is not committed: changed, renamed, not tracked yet, staged, put back.
        19 => std::fs::write(repo.dir.join("a.txt"), format!("typed {n}\n{}", text_on_disk(n % 4))).unwrap(),
        20 => drop(std::fs::rename(repo.dir.join("a.txt"), repo.dir.join(format!("b{}.txt", n % 2)))),
        21 => drop(repo.try_git(&["add", "-A"])),
        22 => drop(repo.try_git(&["checkout", "-q", "-f", "HEAD", "--", "."])),
        23 => drop(repo.try_git(&["checkout", "-q", "-f", "-B", &format!("topic{}", n % 2)])),
        24 => drop(repo.try_git(&["reset", "-q", "--hard", "HEAD~1"])),
        25 => drop(repo.try_git(&["commit", "-q", "--amend", "--allow-empty", "-m", &text])),
        26 => drop(repo.try_git(&[
            "config",
            "core.autocrlf",
            ["true", "false"][usize::try_from(n % 2).unwrap()],
        ])),
        27 => drop(asker.try_ask(Propose {
            threads: vec![one],
            obsolete: n.is_multiple_of(3),
            text,
            ..Propose::default()
        })),
        28 => {
            let answer = [ProposalAnswer::Accept, ProposalAnswer::Decline][usize::try_from(n % 2).unwrap()];
            drop(asker.try_ask(AnswerProposals { threads: vec![one], answer, reason: None }));
        }
        // A process of its own, which this service is not told of.
        _ => drop(Asker::new(&service(), "eve", &repo.dir).try_ask(said(Some(place), &text))),
    }
}

#[test]
fn a_service_that_lived_through_everything_tells_what_a_new_one_tells() {
    for seed in 0..2 {
        let sandbox = Sandbox::in_memory();
        let repo = crate::topic(&sandbox, 25);
        let living = service();
        let mut dice = Dice::new(seed);
        for n in 0..STEPS {
            act(&mut dice, &living, &repo, n);
            let open = match dice.below(3) {
                0 => vec![unsaved("a.txt", n)],
                1 => vec![unsaved("a.txt", 0), unsaved("new.txt", n)],
                _ => Vec::new(),
            };
            let (known, read) = (told(&living, &repo, &open), told(&service(), &repo, &open));
            assert!(known == read, "seed {seed}, step {n}:\n{}", first_difference(&known, &read));
        }
    }
}

fn first_difference(one: &str, other: &str) -> String {
    let differing = one.lines().zip(other.lines()).find(|(one, other)| one != other);
    differing.map_or_else(|| "one ends earlier".to_owned(), |(one, other)| format!("{one}\n{other}"))
}
