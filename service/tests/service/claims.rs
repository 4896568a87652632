//! Positions that somebody else put into the notes: a hint at most, never a fact.

use postil_core::anchoring::{ENGINE_VERSION, Pointed, anchor_at};
use postil_core::git::{BlobId, CommitId, ObjectId, RepoPath};
use postil_core::notes::{HeadPositions, Home};
use postil_core::record::{
    Anchor, Basis, Body, CommentRecord, LineSpan, PositionEntry, PositionState, Range, Record, RecordId, Seq,
    Timestamp,
};
use postil_protocol::{
    Doctor, Filter, List, Log, Move, MoveTo, PlaceState, PositionView, Scope, SeverityView, Show,
    ThreadStatus, Weight,
};
use postil_protocol::{HeadName, WritePositions};

use crate::asker::{Asker, service};
use postil_testkit::{Checkout, Sandbox, alice, by_alice};

/// An engine that nobody has yet.
const LATER: u32 = 4_000_000;

/// A claim that a comment is at a line of a file.
fn claim(comment: RecordId, state: PositionState, path: &str, line: u32) -> PositionEntry {
    PositionEntry {
        engine: ENGINE_VERSION,
        basis: Basis::History,
        state,
        path: RepoPath::new(path),
        range: LineSpan::from_numbers(line, line).map(Range::lines),
        confidence: 1000,
        reason: "translated".into(),
        ..PositionEntry::orphaned(comment)
    }
}

/// Puts claims about the head into the notes, with a time.
fn push_at(repo: &Checkout<'_>, time: i64, claims: &[PositionEntry]) {
    let entries = claims.iter().map(PositionEntry::to_raw).collect();
    let positions = HeadPositions { head: repo.commit_id("HEAD"), time, entries };
    repo.store().write_positions(&[positions], &by_alice()).unwrap();
}

fn push(repo: &Checkout<'_>, claims: &[PositionEntry]) {
    let time = repo.git(&["log", "-1", "--format=%ct"]).parse().unwrap();
    push_at(repo, time, claims);
}

fn id_of(id: &str) -> RecordId {
    RecordId::from_hex(id).unwrap()
}

fn now(asker: &Asker<'_>, id: &str) -> PositionView {
    let shown = asker.ask(Show { of: id.to_owned(), head: HeadName::default(), ..Show::default() });
    let shown = shown.thread.position.unwrap();
    let listed = asker.ask(List { scope: Scope::All, ..List::default() });
    let listed = listed.threads.into_iter().find(|thread| thread.id.to_string() == id).unwrap();
    assert_eq!(listed.position.as_ref(), Some(&shown), "a list and the thread itself agree");
    let log = asker.ask(Log { of: id.to_owned() });
    let step = &log.steps[0].position;
    assert_eq!((step.state, &step.path, step.start), (shown.state, &shown.path, shown.start), "and the log");
    shown
}

/// A repository with a comment on line 6 of a file, which has changed since.
fn reviewed<'a>(sandbox: &'a Sandbox, service: &'a postil_service::Service) -> (Checkout<'a>, String) {
    let repo = super::topic(sandbox, 30);
    let ann = Asker::new(service, "ann", &repo.dir);
    let id = ann.comment("a.txt", 6, "words");
    let text: String = (1..=30).map(|line| format!("line {line}\n")).collect();
    repo.commit("a.txt", &format!("{text}line 31\n"));
    (repo, id)
}

#[test]
fn a_claim_of_a_later_engine_moves_nothing() {
    let sandbox = Sandbox::in_memory();
    let service = service();
    let (repo, id) = reviewed(&sandbox, &service);
    for (path, line) in [("a.txt", 20), ("missing.txt", 1), ("a.txt", 4_000_000_000)] {
        push(
            &repo,
            &[PositionEntry { engine: LATER, ..claim(id_of(&id), PositionState::Anchored, path, line) }],
        );
        let ann = Asker::new(&service, "ann", &repo.dir);
        let position = now(&ann, &id);
        assert_eq!((position.start, position.computed_elsewhere), (Some(6), false), "{path}:{line}");
    }
}

#[test]
fn a_claim_of_our_own_engine_counts_only_where_it_had_more_to_go_by() {
    let sandbox = Sandbox::in_memory();
    let service = service();
    let (repo, id) = reviewed(&sandbox, &service);
    push(&repo, &[claim(id_of(&id), PositionState::Anchored, "a.txt", 20)]);
    let ann = Asker::new(&service, "ann", &repo.dir);
    assert_eq!(now(&ann, &id).start, Some(6), "everything is here, so nobody had more");
}

/// The content that was commented on, and which is not here; line 3 is the comment's.
const WAS: &str = "fn first() {\n    start();\n    log(alpha, beta);\n    end_of_first();\n}\n";

/// The head: the commented line twice, neither with what was around it.
const IS: &str = "fn one() {\n    begin();\n    log(alpha, beta);\n    finish();\n}\n\
                  fn two() {\n    open();\n    log(alpha, beta);\n    close();\n}\n\
                  fn three() {\n    let other = unlike(0);\n}\n";

/// A comment whose file is not here, as in a shallow clone: by its text alone it could be at line 3 or at line 8.
fn from_afar(repo: &Checkout<'_>) -> RecordId {
    let path = RepoPath::new("b.rs").unwrap();
    let blob = BlobId::from_bytes(&[7; 20]).unwrap();
    let range = LineSpan::from_numbers(3, 3).map(Range::lines);
    let pointed =
        Pointed { commit: CommitId::from_bytes(&[7; 20]), path: &path, blob, content: WAS.as_bytes(), range };
    let anchor: Anchor = anchor_at(&pointed).unwrap();
    repo.commit("b.rs", IS);
    let comment = CommentRecord {
        author: alice(),
        at: Timestamp(1_700_000_000_000),
        seq: Seq::new(1),
        via: None,
        review: None,
        parent: None,
        anchor: Some(anchor.into()),
        text: "from afar".into(),
        severity: None,
        tags: Vec::new(),
        suggestion: Vec::new(),
    };
    let record = Record::new(&Body::Comment(comment)).unwrap();
    let id = record.id();
    let home = Home::On(ObjectId::from(repo.commit_id("HEAD")));
    repo.store().batch().add(home, record).write(&by_alice(), "Comment").unwrap();
    id
}

#[test]
fn where_less_is_here_a_claim_that_the_files_agree_with_is_a_marked_hint() {
    let sandbox = Sandbox::in_memory();
    let service = service();
    let repo = super::topic(&sandbox, 3);
    let id = from_afar(&repo);
    let ann = Asker::new(&service, "ann", &repo.dir);
    let own = now(&ann, &id.to_string());
    assert_ne!(own.state, PlaceState::Anchored, "its file is not here");
    push(&repo, &[claim(id, PositionState::Anchored, "b.rs", 8)]);
    let ann = Asker::new(&service, "ann", &repo.dir);
    let fresh = super::service();
    let ann = Asker { service: &fresh, ..ann };
    let told = now(&ann, &id.to_string());
    assert_eq!((told.state, told.start, told.computed_elsewhere), (PlaceState::Anchored, Some(8), true));
    let own_places: Vec<_> =
        own.start.into_iter().chain(own.candidates.iter().filter_map(|c| c.start)).collect();
    let candidates: Vec<_> = told.candidates.iter().filter_map(|candidate| candidate.start).collect();
    assert_eq!(candidates, own_places, "the places are those that were found here, ours first");

    // Nobody acts on it, and it is not written back as ours.
    let refused = ann.try_ask(Move { of: id.to_string(), to: MoveTo::Candidate(0) }).unwrap_err();
    assert!(refused.message.contains("computed elsewhere"), "{}", refused.message);
    let tip = repo.commit_id("refs/notes/reviews");
    ann.ask(WritePositions::default());
    assert_eq!(repo.commit_id("refs/notes/reviews"), tip);
}

#[test]
fn a_claim_that_the_files_do_not_agree_with_is_not_used() {
    let check = |what: &str, change: &dyn Fn(PositionEntry) -> PositionEntry| {
        let sandbox = Sandbox::in_memory();
        let service = service();
        let repo = super::topic(&sandbox, 3);
        let id = from_afar(&repo);
        let own = now(&Asker::new(&service, "ann", &repo.dir), &id.to_string());
        push(&repo, &[change(claim(id, PositionState::Anchored, "b.rs", 8))]);
        let fresh = super::service();
        assert_eq!(now(&Asker::new(&fresh, "ann", &repo.dir), &id.to_string()), own, "{what}");
    };
    let at = |line: u32| LineSpan::from_numbers(line, line).map(Range::lines);
    check("another text", &|claim| PositionEntry { range: at(7), ..claim });
    check("lines that are not in the file", &|claim| PositionEntry { range: at(4_000_000_000), ..claim });
    check("no file", &|claim| PositionEntry { path: RepoPath::new("missing.rs"), ..claim });
    check("a folder above", &|claim| PositionEntry { path: RepoPath::new("../b.rs"), ..claim });
    check("no lines", &|claim| PositionEntry { range: None, ..claim });
    check("a later engine", &|claim| PositionEntry { engine: LATER, ..claim });
    check("an earlier engine", &|claim| PositionEntry { engine: ENGINE_VERSION - 1, ..claim });
    check("no better basis", &|claim| PositionEntry { basis: Basis::Text, ..claim });
    check("changed, and it is not", &|claim| PositionEntry { state: PositionState::Outdated, ..claim });
    check("changed, and nothing like it", &|claim| PositionEntry {
        state: PositionState::Outdated,
        range: at(12),
        ..claim
    });
    check("shifted, and another text", &|claim| PositionEntry {
        state: PositionState::Shifted,
        range: at(7),
        ..claim
    });
    check("no place at all", &|claim| PositionEntry {
        state: PositionState::Orphaned,
        path: None,
        range: None,
        ..claim
    });
    check("a reason that is no word", &|claim| PositionEntry {
        reason: "see \u{1b}[31mhere".into(),
        ..claim
    });
}

#[test]
fn doctor_names_positions_that_cannot_be_true() {
    let sandbox = Sandbox::in_memory();
    let service = service();
    let (repo, id) = reviewed(&sandbox, &service);
    let ann = Asker::new(&service, "ann", &repo.dir);
    let other = ann.comment("a.txt", 7, "more");
    let findings = || {
        let found = Asker::new(&super::service(), "ann", &repo.dir).ask(Doctor::default()).findings;
        let found = found.into_iter().filter(|finding| finding.area == "positions");
        found.map(|finding| (finding.weight, finding.what)).collect::<Vec<_>>()
    };
    assert_eq!(findings(), []);
    ann.ask(WritePositions::default());
    assert_eq!(findings(), [], "our own are true");
    let later = PositionEntry { engine: LATER, ..claim(id_of(&id), PositionState::Anchored, "a.txt", 20) };
    push_at(&repo, 4_000_000_000, &[later, claim(id_of(&other), PositionState::Shifted, "missing.txt", 1)]);
    let found = findings();
    let expected = ["of an unknown version, such as engine 4000000", "missing.txt:1", "4000000000"];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((weight, what), expected) in found.iter().zip(expected) {
        assert!(*weight == Weight::Note && what.contains(expected), "{what}");
    }
}

#[test]
fn heads_dated_ahead_displace_only_what_is_computed_again() {
    let sandbox = Sandbox::in_memory();
    let service = service();
    let (repo, id) = reviewed(&sandbox, &service);
    let forged: Vec<HeadPositions> = (0..64_u8)
        .map(|n| HeadPositions {
            head: CommitId::from_bytes(&[n + 1; 20]).unwrap(),
            time: i64::MAX,
            entries: vec![claim(id_of(&id), PositionState::Anchored, "a.txt", 20).to_raw()],
        })
        .collect();
    repo.store().write_positions(&forged, &by_alice()).unwrap();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let tip = repo.commit_id("refs/notes/reviews");
    ann.ask(WritePositions::default());
    assert_eq!(repo.commit_id("refs/notes/reviews"), tip, "there is no room, and nobody takes turns");
    assert_eq!(now(&ann, &id).start, Some(6));
    let found = ann.ask(Doctor::default()).findings;
    assert!(
        found.iter().any(|finding| finding.what.starts_with("64 commits with positions and a wrong time"))
    );
}

#[test]
fn what_a_push_hook_asks_does_not_depend_on_claims() {
    let sandbox = Sandbox::in_memory();
    let service = service();
    let repo = super::topic(&sandbox, 30);
    let ann = Asker::new(&service, "ann", &repo.dir);
    let place = super::Place { span: Some(super::Span::lines(6, 6)), ..super::Place::file("a.txt") };
    let blocker = postil_protocol::Comment {
        severity: Some(SeverityView::Blocker),
        ..super::said(Some(place), "stop")
    };
    let id = ann.ask(blocker).id.to_string();
    for state in [PositionState::Anchored, PositionState::Orphaned] {
        push(&repo, &[PositionEntry { engine: LATER, ..claim(id_of(&id), state, "missing.txt", 1) }]);
        let blockers = List {
            scope: Scope::Seen,
            filter: Filter {
                statuses: vec![ThreadStatus::Open],
                severities: vec![SeverityView::Blocker],
                ..Filter::default()
            },
            head: HeadName::Rev(repo.git(&["rev-parse", "HEAD"])),
            ..List::default()
        };
        assert_eq!(Asker::new(&super::service(), "ann", &repo.dir).ask(blockers).total, 1, "{state:?}");
    }
}
