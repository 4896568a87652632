//! How comments drift, counted: by folder, over time, and in agreement with a list of all threads.

use postil_protocol::{
    ByteText, DriftCounts, Filter, List, Move, MoveTo, PeriodDrift, Place, PlaceState, Resolve, Scope, Span,
    Stats, StatsReply, ThreadStatus,
};
use postil_testkit::{Checkout, Dice, Sandbox};

use crate::asker::{Asker, said, service};

/// When everything ends, as the service is told.
const NOW: u64 = 1_700_000_000_000;
const DAY: u64 = 24 * 3_600_000;

/// Commits everything so many days ago.
fn commit(repo: &Checkout<'_>, days_ago: u64) {
    repo.git(&["add", "-A"]);
    let date = format!("{} +0000", (NOW - days_ago * DAY) / 1000);
    let mut command = repo.command(&["commit", "--quiet", "-m", "change"]);
    let status = command.env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date).status().unwrap();
    assert!(status.success());
}

fn lines(range: std::ops::Range<u32>, word: &str) -> String {
    range.map(|line| format!("{word} number {line} of this file\n")).collect()
}

/// Threads in two folders; in `src`, one moves, one becomes outdated and one is lost.
fn drift(repo: &Checkout<'_>, ann: &mut Asker<'_>) {
    std::fs::create_dir_all(repo.dir.join("src")).unwrap();
    repo.write("src/a.txt", lines(0..30, "line"));
    repo.write("docs/b.txt", lines(0..9, "word"));
    commit(repo, 9);
    repo.git(&["switch", "--quiet", "-c", "topic"]);
    ann.at = Some(NOW - 8 * DAY);
    ann.comment("src/a.txt", 5, "will be lost");
    ann.comment("src/a.txt", 20, "will move");
    ann.comment("docs/b.txt", 3, "stays");
    ann.at = Some(NOW - 6 * DAY);
    ann.comment("src/a.txt", 28, "will be outdated");
    // Lines come above all comments, and the one that the first is on goes.
    let kept = lines(0..4, "line") + &lines(5..30, "line");
    repo.write("src/a.txt", lines(0..3, "quite another text,") + &kept);
    commit(repo, 4);
    let text = std::fs::read_to_string(repo.dir.join("src/a.txt")).unwrap();
    repo.write("src/a.txt", text.replace("line number 27 of this file", "line number 27 of that old file"));
    commit(repo, 2);
}

#[test]
fn threads_are_counted_by_what_became_of_them_where_and_when() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("drifted");
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    drift(&repo, &mut ann);
    ann.at = Some(NOW - DAY);
    let stays = ann.ask(List { filter: in_folder("docs"), ..List::default() }).threads[0].id.to_string();
    ann.ask(Resolve { threads: vec![stays], reason: None, by: None });
    ann.ask(said(None, "on the whole"));
    let stats = ann.ask(Stats { scope: Scope::All, ..Stats::default() });
    let expected = DriftCounts {
        threads: 5,
        open: 4,
        in_place: 1,
        moved: 1,
        outdated: 1,
        lost: 1,
        without_place: 1,
        moved_by_hand: 0,
    };
    assert_eq!(stats.all, expected, "{stats:#?}");
    let folders: Vec<(&[u8], u32, bool)> = stats
        .folders
        .iter()
        .map(|folder| (folder.path.as_bytes(), folder.counts.threads, folder.unstable))
        .collect();
    assert_eq!(folders, [(&b"src"[..], 3, true), (b"docs", 1, false)]);
    assert!(!stats.truncated);
    assert_eq!(stats.periods.len(), 9, "{:#?}", stats.periods);
    let events = |period: &PeriodDrift| (period.started, period.moved, period.outdated, period.lost);
    let told: Vec<_> = stats.periods.iter().map(events).filter(|events| *events != (0, 0, 0, 0)).collect();
    assert_eq!(told, [(3, 0, 0, 0), (1, 0, 0, 0), (0, 2, 0, 1), (0, 0, 1, 0)], "{:#?}", stats.periods);
    let times = stats.times;
    assert_eq!((times.open, times.resolved, times.withdrawn), (4, 1, 0));
    assert_eq!((times.resolved_median, times.open_longest), (Some(7 * DAY), Some(8 * DAY)));
    let docs = ann.ask(Stats { filter: in_folder("docs"), ..Stats::default() });
    assert_eq!((docs.all.threads, docs.all.in_place, docs.folders.len()), (1, 1, 1));
}

fn in_folder(path: &str) -> Filter {
    Filter { paths: vec![ByteText::from(path)], ..Filter::default() }
}

#[test]
fn an_empty_repository_has_nothing_to_count() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("empty");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let stats = ann.ask(Stats::default());
    assert_eq!((stats.all, stats.folders.len(), stats.periods.len()), (DriftCounts::default(), 0, 0));
}

/// Checks that counts agree with each other and with a list of the same threads.
fn check(ann: &Asker<'_>, scope: Scope, n: u64) {
    let stats: StatsReply = ann.ask(Stats { scope, ..Stats::default() });
    let list = ann.ask(List { scope, ..List::default() });
    let threads = &list.threads;
    let count = |is: &dyn Fn(&postil_protocol::ThreadView) -> bool| {
        u32::try_from(threads.iter().filter(|thread| is(thread)).count()).unwrap()
    };
    let state = |state: PlaceState| {
        count(&|thread| thread.position.as_ref().is_some_and(|position| position.state == state))
    };
    let all = stats.all;
    assert_eq!(all.threads, list.total, "step {n}");
    assert_eq!(all.open, count(&|thread| thread.status == ThreadStatus::Open), "step {n}");
    assert_eq!(all.lost, state(PlaceState::Orphaned), "step {n}");
    assert_eq!(all.outdated, state(PlaceState::Outdated), "step {n}");
    assert_eq!(
        all.in_place + all.moved,
        state(PlaceState::Anchored) + state(PlaceState::Shifted),
        "step {n}"
    );
    assert_eq!(all.without_place, count(&|thread| thread.position.is_none()), "step {n}");
    let folders = stats.folders.iter().map(|folder| folder.counts).chain(stats.other_folders);
    let on_files =
        folders.fold((0, 0, 0), |sum, one| (sum.0 + one.threads, sum.1 + one.lost, sum.2 + one.moved));
    let anchored = count(&|thread| thread.anchor.is_some());
    assert_eq!(on_files, (anchored, all.lost, all.moved), "step {n}");
    let times = stats.times;
    assert_eq!(times.open + times.resolved + times.withdrawn, all.threads, "step {n}");
    if let Some(last) = stats.periods.last() {
        let started: u32 = stats.periods.iter().map(|period| period.started).sum();
        assert!(started <= anchored && last.threads <= anchored, "step {n}");
    }
}

#[test]
fn sums_agree_with_a_list_whatever_happened() {
    let sandbox = Sandbox::in_memory();
    let repo = crate::topic(&sandbox, 25);
    let service = service();
    let mut dice = Dice::new(7);
    for n in 0..40 {
        let mut ann = Asker::new(&service, "ann", &repo.dir);
        ann.at = Some(NOW - (40 - n) * DAY);
        let line = 1 + u32::try_from(dice.below(20)).unwrap();
        let place = Place { span: Some(Span::lines(line, line)), ..Place::file("a.txt") };
        let ids: Vec<String> = ann
            .ask(List { scope: Scope::All, ..List::default() })
            .threads
            .iter()
            .map(|thread| thread.id.to_string())
            .collect();
        let one = ids.get(usize::try_from(dice.below(ids.len().max(1) as u64)).unwrap()).cloned();
        match dice.below(8) {
            0..=2 => drop(ann.try_ask(said(Some(place), "words"))),
            3 => drop(ann.try_ask(said(None, "on the whole"))),
            4 => drop(ann.try_ask(Resolve { threads: one.into_iter().collect(), reason: None, by: None })),
            5 => {
                let lines = (0..25).map(|line| format!("line {}\n", line + n % 4)).collect::<String>();
                repo.commit("a.txt", &format!("change {n}\n{lines}"));
            }
            6 => {
                if let Some(of) = one {
                    drop(ann.try_ask(Move { of, to: MoveTo::Place(place) }));
                }
            }
            _ => repo.write("a.txt", format!("typed {n}\n{}", lines(0..25, "line"))),
        }
        check(&ann, Scope::All, n);
        check(&ann, Scope::Seen, n);
    }
}
