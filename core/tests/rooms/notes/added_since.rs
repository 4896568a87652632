//! What the notes have gained: told only where that is all, and then to the last record.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::{AddedRecords, HeadPositions, Home, Purged, refs};
use postil_core::record::{PositionEntry, PositionsRecord, Record, RecordId};
use postil_testkit::damage::take_in;
use postil_testkit::{Checkout, Sandbox, by_alice, comment, purge_of};
use proptest::prelude::*;

/// What somebody knows who read the notes once, and has been told of gains since.
#[derive(Debug, Default, PartialEq, Eq)]
struct Known {
    records: BTreeSet<(ObjectId, RecordId)>,
    positions: BTreeMap<ObjectId, BTreeSet<RecordId>>,
    purged: Purged,
    tip: Option<CommitId>,
}

impl Known {
    fn read(repo: &Checkout<'_>) -> Self {
        let snapshot = repo.store().read().unwrap();
        let mut known = Self { tip: snapshot.tip(), purged: snapshot.purged().clone(), ..Self::default() };
        for (object, record) in snapshot.records() {
            if record.is(PositionsRecord::KIND) {
                known.positions.entry(object).or_default().insert(record.id());
            } else {
                known.records.insert((object, record.id()));
            }
        }
        known
    }

    fn gain(&self, repo: &Checkout<'_>) -> Option<AddedRecords> {
        let store = repo.store();
        let (from, to) = (self.tip?, store.tip().unwrap()?);
        store.added_since(from, to, &self.purged).unwrap()
    }

    fn take_in(&mut self, gain: AddedRecords, tip: Option<CommitId>) {
        let ids = |records: Vec<Record>| records.iter().map(Record::id).collect::<BTreeSet<_>>();
        self.records.extend(gain.records.iter().map(|(object, record)| (*object, record.id())));
        self.positions.extend(gain.positions.into_iter().map(|(object, records)| (object, ids(records))));
        self.positions.retain(|_, records| !records.is_empty());
        self.tip = tip;
    }
}

fn commits(sandbox: &Sandbox) -> Checkout<'_> {
    let repo = sandbox.repo("one");
    for n in 0..3 {
        repo.commit("file", &format!("content {n}\n"));
    }
    repo
}

fn write_positions(repo: &Checkout<'_>, time: i64, of: RecordId) {
    let entries = vec![PositionEntry::orphaned(of).to_raw()];
    let head = repo.commit_id(["HEAD", "HEAD~1"][usize::from(time % 2 == 0)]);
    repo.store().write_positions(&[HeadPositions { head, time, entries }], &by_alice()).unwrap();
}

#[test]
fn what_was_written_merged_and_copied_is_gained() {
    let sandbox = Sandbox::in_memory();
    let one = commits(&sandbox);
    let first = one.say("HEAD", "first").ids[0];
    let other = sandbox.copy("one", "other");
    let mut known = Known::read(&one);
    let mut check = |what: &str, records: usize, positions: usize| {
        let gain = known.gain(&one).unwrap_or_else(|| panic!("{what}: only a gain"));
        let found = gain.positions.values().map(Vec::len).sum::<usize>();
        assert_eq!((gain.records.len(), found), (records, positions), "{what}");
        known.take_in(gain, one.store().tip().unwrap());
        assert_eq!(known, Known::read(&one), "{what}");
    };
    check("nothing", 0, 0);
    one.say("HEAD", "second");
    one.say("HEAD~1", "third");
    check("two comments", 2, 0);
    other.say("HEAD", "fourth");
    other.say("HEAD~2", "fifth");
    take_in(&one, &other);
    check("a merge", 2, 0);
    write_positions(&one, 1, first);
    check("positions", 0, 1);
    write_positions(&one, 3, first);
    check("later positions of the same head", 0, 1);
    one.git(&["notes", "--ref=reviews", "copy", "HEAD~2", "HEAD~3"]);
    check("a copy", 1, 0);
}

#[test]
fn a_fanout_that_changes_is_no_gain() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("one");
    let blob = |n: usize| repo.git_with(&["hash-object", "-w", "--stdin"], format!("{n}\n").as_bytes());
    let on = |n: usize| ObjectId::from_hex(blob(n).trim_ascii_end()).unwrap();
    let write = |numbers: std::ops::Range<usize>| {
        let store = repo.store();
        let mut batch = store.batch();
        for n in numbers {
            batch = batch.add(Home::On(on(n)), comment(&n.to_string()));
        }
        batch.write(&by_alice(), "Comment on many").unwrap();
    };
    let is_flat = || repo.notes_paths().iter().all(|path| !path.contains('/'));
    write(0..5);
    assert!(is_flat(), "the set-up is as meant");
    let known = Known::read(&repo);
    write(5..305);
    assert!(!is_flat(), "the set-up is as meant");
    assert_eq!(known.gain(&repo).unwrap().records.len(), 300);
}

#[test]
fn what_went_away_or_cannot_be_read_is_no_gain() {
    let check = |what: &str, change: &dyn Fn(&Checkout<'_>, RecordId)| {
        let sandbox = Sandbox::in_memory();
        let repo = commits(&sandbox);
        let first = repo.say("HEAD", "first").ids[0];
        repo.say("HEAD~1", "second");
        let known = Known::read(&repo);
        change(&repo, first);
        assert_ne!(known.tip, repo.store().tip().unwrap(), "{what}: the set-up is as meant");
        assert!(known.gain(&repo).is_none(), "{what}");
    };
    check("a purge", &|repo, first| {
        let (record, purge) = purge_of(&[first], &[]);
        repo.store().purge(&record, &purge, &by_alice()).unwrap();
    });
    check("a note less", &|repo, _| {
        repo.git(&["notes", "--ref=reviews", "remove", "HEAD"]);
    });
    check("foreign words", &|repo, _| {
        repo.git(&["notes", "--ref=reviews", "append", "-m", "words", "HEAD"]);
    });
    check("a ref that is gone", &|repo, _| {
        repo.git(&["update-ref", "-d", refs::NOTES]);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn who_is_told_of_gains_knows_what_a_reader_knows(deeds in prop::collection::vec(0..12_u8, 1..14)) {
        let sandbox = Sandbox::in_memory();
        let one = commits(&sandbox);
        let mut ids = vec![one.say("HEAD", "first").ids[0]];
        let other = sandbox.copy("one", "other");
        let mut known = Known::read(&one);
        for (n, deed) in deeds.into_iter().enumerate() {
            let on = ["HEAD", "HEAD~1", "HEAD~2"][n % 3];
            let notes = |repo: &Checkout<'_>, words: &[&str]| {
                // Some of it fails where there is no such note, and then nothing happened.
                repo.try_git(&[&["notes", "--ref=reviews"], words].concat());
            };
            match deed {
                0..=3 => ids.push(one.say(on, &n.to_string()).ids[0]),
                4 => ids.push(other.say(on, &n.to_string()).ids[0]),
                5 => drop(take_in(&one, &other)),
                6 => drop(take_in(&other, &one)),
                7 => write_positions(&one, i64::try_from(n).unwrap(), ids[n % ids.len()]),
                8 => {
                    let (record, purge) = purge_of(&[ids[n % ids.len()]], &[]);
                    // It may be gone, or may never have come here.
                    let _ = [&one, &other][n % 2].store().purge(&record, &purge, &by_alice());
                }
                9 => notes(&one, &["append", "-m", "words", on]),
                10 => notes(&one, &["remove", on]),
                _ => notes(&one, &["copy", "HEAD", "HEAD~3"]),
            }
            match known.gain(&one) {
                Some(gain) => known.take_in(gain, one.store().tip().unwrap()),
                None => known = Known::read(&one),
            }
            prop_assert_eq!(&known, &Known::read(&one), "after deed {}", deed);
        }
    }
}

#[test]
fn a_difference_has_what_came_and_what_went_and_leads_back() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let store = repo.store();
    let write = |text: &str| {
        let record = comment(text);
        let head = CommitId::from_hex(repo.git(&["rev-parse", "HEAD"]).as_bytes()).unwrap();
        let batch = store.batch().add(Home::On(head.into()), record.clone());
        (batch.write(&by_alice(), "Comment").unwrap().tip, record.id())
    };
    let ids = |records: &[Record]| records.iter().map(Record::id).collect::<Vec<_>>();
    let (one, first) = write("first");
    let (two, second) = write("second");
    let from_nothing = store.difference(None, two).unwrap();
    assert_eq!(ids(&from_nothing.came), BTreeSet::from([first, second]).into_iter().collect::<Vec<_>>());
    assert!(from_nothing.went.is_empty());
    let forth = store.difference(one, two).unwrap();
    assert_eq!((ids(&forth.came), ids(&forth.went)), (vec![second], vec![]));
    let back = store.difference(two, one).unwrap();
    assert_eq!((ids(&back.came), ids(&back.went)), (vec![], vec![second]));
    let nowhere = CommitId::from_hex("a".repeat(40).as_bytes());
    assert!(store.difference(nowhere, two).is_err());
}
