//! One run: clones of a repository, steps by chance, and a look through every door after each step.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use postil_testkit::Dice;

use crate::doors::DOORS;
use crate::model::Model;
use crate::person::Someone;
use crate::steps::Step;
use crate::support::served::Served;
use crate::support::world::World;

const PEOPLE: [&str; 3] = ["ann", "ben", "cem"];

/// Everything that a step can use.
pub struct Stage<'world> {
    pub world: &'world World,
    pub people: Vec<Someone<'world>>,
    pub model: Model,
    pub dice: Dice,
    /// Counts texts, so that each is said once.
    pub texts: u64,
    pub tally: Tally,
}

/// What happened in one or several runs.
#[derive(Default)]
pub struct Tally {
    pub steps: u64,
    pub comments: u64,
    pub kills: u64,
    pub faults: u64,
    pub damages: u64,
    pub refused: u64,
    pub syncs: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.comments += other.comments;
        self.kills += other.kills;
        self.faults += other.faults;
        self.damages += other.damages;
        self.refused += other.refused;
        self.syncs += other.syncs;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, comments, kills, faults, damages, refused, syncs } = self;
        write!(
            f,
            "{steps} steps, {comments} comments acknowledged, {kills} kills, {faults} failed system calls, \
             {damages} damaged objects, {refused} commands refused, {syncs} syncs"
        )
    }
}

/// Plays a seed.
///
/// Panics with the seed and the step if something acknowledged is not there, or if two doors disagree.
pub fn play(seed: u64, steps: u64) -> Tally {
    let world = World::new();
    let _served = Served(&world);
    let mut stage = Stage::set(&world, seed);
    let mut done = Vec::new();
    for number in 0..steps {
        let who = stage.dice.index(PEOPLE.len());
        let step = Step::choose(&mut stage.dice);
        done.push(format!("{} {step:?}", PEOPLE[who]));
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            step.take(&mut stage, who);
            look(&mut stage, who)
        }));
        let wrong = outcome.unwrap_or_else(|panic| {
            eprintln!("seed {seed}, step {number}, after {done:#?}");
            resume_unwind(panic)
        });
        assert!(wrong.is_empty(), "seed {seed}, step {number}: {wrong:#?} after {done:#?}");
        stage.tally.steps += 1;
    }
    finish(&mut stage, seed);
    stage.tally.comments = stage.model.len() as u64;
    stage.tally
}

/// What is wrong in a clone, through all doors.
fn look(stage: &mut Stage<'_>, who: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut first = None;
    for door in DOORS {
        let shown = match door.look(stage.world, &stage.people[who].checkout) {
            Ok(shown) => shown,
            Err(error) => {
                wrong.push(format!("{door:?}: {error}"));
                continue;
            }
        };
        let found = stage.model.compare(who, &shown, door.shows_replies());
        wrong.extend(found.into_iter().map(|what| format!("{door:?}: {what}")));
        let roots: Vec<_> = shown.into_iter().filter(|(id, shown)| *id == shown.thread).collect();
        let expected = first.get_or_insert_with(|| roots.clone());
        if *expected != roots {
            wrong.push(format!("{door:?} shows {roots:?}, others {expected:?}"));
        }
    }
    wrong
}

/// Everybody syncs twice; then all have everything, and git finds no fault with any clone.
fn finish(stage: &mut Stage<'_>, seed: u64) {
    for _ in 0..2 {
        for who in 0..PEOPLE.len() {
            stage.people[who].checkout.postil("sync --with-files").code(0);
            stage.model.synced(who);
        }
    }
    for (who, name) in PEOPLE.iter().enumerate() {
        let wrong = look(stage, who);
        assert!(wrong.is_empty(), "seed {seed}, after everybody synced, {name}: {wrong:#?}");
        stage.people[who].checkout.git("-c core.commitGraph=false fsck --full --strict --no-dangling");
    }
    let trees = |who: usize| stage.people[who].checkout.git("rev-parse refs/notes/reviews^{tree}");
    assert!((1..PEOPLE.len()).all(|who| trees(who) == trees(0)), "seed {seed}: the notes differ");
}

impl<'world> Stage<'world> {
    fn set(world: &'world World, seed: u64) -> Self {
        let first = world.repository("seed");
        first.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
        first.commit("first");
        first.commit("second");
        first.git("clone --quiet --bare . ../hub.git");
        let people = PEOPLE.map(|name| {
            let checkout = world.clone_of(&first, name);
            checkout.git("remote set-url origin ../hub.git");
            checkout.git(&format!("switch --quiet -c {name}"));
            Someone { checkout, clock: std::cell::Cell::new(1_767_600_000) }
        });
        let dice = Dice::new(seed);
        let model = Model::new(PEOPLE.len());
        Self { world, people: people.into(), model, dice, texts: seed * 1_000_000, tally: Tally::default() }
    }

    /// A text that nobody has said before.
    pub fn text(&mut self) -> String {
        self.texts += 1;
        format!("remark {}.", self.texts)
    }
}
