//! However people write and sync, after everyone has synced twice all have the same, and all of it.

use std::collections::BTreeSet;

use postil_core::notes::Home;
use postil_core::record::RecordId;
use postil_core::sync::MAX_TRIES;
use postil_testkit::{by_alice, comment};

use super::team::Team;

/// A simple generator: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

const PEOPLE: [&str; 3] = ["alice", "bob", "carol"];

#[test]
fn everyone_ends_with_the_same_tree_and_every_record() {
    for seed in 0..4 {
        converge(seed);
    }
}

fn converge(seed: u64) {
    let team = Team::of(&PEOPLE);
    let mut dice = Dice(seed);
    let mut acknowledged: BTreeSet<RecordId> = BTreeSet::new();
    for step in 0..24 {
        let name = PEOPLE[dice.below(3) as usize];
        let person = team.clone_of(name);
        match dice.below(8) {
            0..=2 => acknowledged.extend(person.say("HEAD", &format!("{seed} {step}")).ids),
            3 => {
                person.commit(&format!("{name}.txt"), &format!("{step}\n"));
                acknowledged.extend(person.say("HEAD", &format!("{seed} {step} on a new commit")).ids);
            }
            4 => drop(person.try_git(&["notes", "--ref=reviews", "append", "-m", "stock words", "HEAD"])),
            5 => drop(person.try_git(&["notes", "--ref=reviews", "remove", "--ignore-missing", "HEAD"])),
            6 => drop(person.try_git(&["fetch", "-q", "origin", "+refs/notes/reviews:refs/notes/reviews"])),
            _ => drop(team.sync(name).unwrap()),
        }
    }
    for _ in 0..2 {
        for name in PEOPLE {
            team.sync(name).unwrap();
        }
    }
    for name in PEOPLE {
        assert_eq!(team.notes_tree(name), team.notes_tree(PEOPLE[0]), "seed {seed}: {name}");
        let found = team.clone_of(name).record_ids();
        let lost: Vec<_> = acknowledged.difference(&found).collect();
        assert!(lost.is_empty(), "seed {seed}: {name} lost {lost:?}");
    }
}

#[test]
fn twenty_clones_that_sync_at_once_all_finish() {
    let names: Vec<String> = (0..20).map(|n| format!("clone{n}")).collect();
    let team = Team::of(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let head = team.remote().object_id("HEAD");
    let mut acknowledged = BTreeSet::new();
    for name in &names {
        let batch = team.clone_of(name).store();
        let written = batch.batch().add(Home::On(head), comment(name)).write(&by_alice(), "Comment");
        acknowledged.extend(written.unwrap().ids);
    }
    let tries = std::thread::scope(|scope| {
        let syncing: Vec<_> =
            names.iter().map(|name| scope.spawn(|| team.sync(name).unwrap().tries)).collect();
        syncing.into_iter().map(|thread| thread.join().unwrap()).max().unwrap()
    });
    println!("at most {tries} tries");
    assert!(tries <= MAX_TRIES);
    assert_eq!(team.remote().record_ids(), acknowledged);
    for name in &names {
        team.sync(name).unwrap();
        assert_eq!(team.clone_of(name).record_ids(), acknowledged, "{name}");
    }
}
