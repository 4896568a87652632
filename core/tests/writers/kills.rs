//! The writer is killed at random system calls, again and again, over repositories that keep what it left behind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use postil_core::git::PACK_FROM;
use postil_core::record::RecordId;
use postil_testkit::Dice;
use postil_testkit::{Checkout, Sandbox, impatient, skipped};

use super::leftovers::{self, is_draft, is_object};

use super::writer::{self, Orders, Said};
use postil_testkit::tracer::{Call, End, Moment, Next, Tracee};

const REPOSITORIES: u64 = 4;

/// In each repository.
const KILLS: u64 = 80;

/// About the moments of three writes, of which a process is killed at one.
const MOMENTS: u64 = 1800;

/// The same, of calls that change the disk or wait for it.
const CHANGES: u64 = 240;

/// Less than what lies around is used for.
const SOON: u64 = 8;

/// Which moments count when a writer is to be killed after so many.
#[derive(Clone, Copy)]
enum Aim {
    Any,
    /// Of calls that change something, which are far between.
    Change,
    /// After a call that leaves something lying around, for a short while.
    Soon(fn(&Call) -> bool),
}

/// Calls after which something lies around.
const SHORT_WHILES: [fn(&Call) -> bool; 4] = [
    |call| matches!(call, Call::Link(_, to) if to.ends_with("refs/notes/reviews.lock")),
    |call| matches!(call, Call::Link(_, to) if to.ends_with("refs/postil/known.lock")),
    |call| matches!(call, Call::MakeDir(dir) if is_draft(dir)),
    |call| matches!(call, Call::Rename(_, to) if to.extension().is_some_and(|ext| ext == "keep")),
];

impl Aim {
    fn throw(dice: &mut Dice) -> Self {
        match dice.below(10) {
            0..4 => Self::Any,
            4..8 => Self::Change,
            _ => Self::Soon(SHORT_WHILES[usize::try_from(dice.below(4)).expect("it is below four")]),
        }
    }

    fn moments(self) -> u64 {
        match self {
            Self::Any => MOMENTS,
            Self::Change => CHANGES,
            Self::Soon(_) => SOON,
        }
    }
}

/// How far the writer had come with a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// Nothing of the batch is written yet.
    Before,
    /// The file that becomes the ref's lock is there, and nothing of the batch.
    LockDrafted,
    /// The first object is being written.
    Drafting,
    /// Some objects are in place, and no ref leads to them.
    Objects,
    /// The notes ref is locked.
    Locked,
    /// The notes ref has moved, and nobody has been told.
    Moved,
}

/// Follows a writer through its calls.
struct Progress {
    phase: Phase,
    /// Objects that no ref leads to yet.
    objects: Vec<PathBuf>,
}

impl Progress {
    fn new() -> Self {
        Self { phase: Phase::Before, objects: Vec::new() }
    }

    fn see(&mut self, call: &Call) {
        let reached = match call {
            Call::Tell => Phase::Before,
            Call::Create(path) | Call::MakeDir(path) if is_draft(path) => self.phase.max(Phase::Drafting),
            Call::Rename(_, to) if is_object(to) => {
                self.objects.push(to.clone());
                Phase::Objects
            }
            Call::Create(path) if path.ends_with("postil/lock.next") => self.phase.max(Phase::LockDrafted),
            Call::Link(_, to) if to.ends_with("refs/notes/reviews.lock") => Phase::Locked,
            Call::Rename(_, to) if to.ends_with("refs/notes/reviews") => Phase::Moved,
            // Pins that stay here have a ref of their own, which moves before the batch's objects are written.
            Call::Rename(_, to) if to.ends_with("refs/postil/pins") => Phase::Before,
            _ => return,
        };
        if matches!(reached, Phase::Before | Phase::Moved) {
            self.objects.clear();
        }
        self.phase = reached;
    }
}

#[test]
fn a_writer_killed_at_any_system_call_loses_nothing_and_blocks_nobody() {
    let sandbox = Sandbox::new();
    let mut phases: BTreeMap<Phase, u64> = BTreeMap::new();
    let mut left: BTreeMap<&str, u64> = BTreeMap::new();
    let mut acknowledged = 0;
    let began = Instant::now();
    for number in 0..REPOSITORIES {
        let mut scene = Scene::new(&sandbox, number);
        for kill in 0..KILLS {
            let seed = number * KILLS + kill;
            let Some(phase) = scene.kill_one(seed) else {
                return skipped("permission to trace a child process");
            };
            *phases.entry(phase).or_default() += 1;
            for what in scene.left_behind() {
                *left.entry(what).or_default() += 1;
            }
            // Now and then the next writer is killed too, perhaps while it clears up.
            if kill % 4 != 3 {
                scene.next_write_succeeds(seed);
            }
            if kill % 25 == 24 {
                scene.repo.git(&["fsck", "--strict"]);
            }
        }
        scene.end();
        acknowledged += scene.acknowledged.len();
    }
    println!("{} kills, {acknowledged} records acknowledged, {:?}", REPOSITORIES * KILLS, began.elapsed());
    println!("killed while: {phases:?}");
    println!("left behind: {left:?}");
    for phase in
        [Phase::Before, Phase::LockDrafted, Phase::Drafting, Phase::Objects, Phase::Locked, Phase::Moved]
    {
        assert!(phases.contains_key(&phase), "no kill fell into {phase:?}: {phases:?}");
    }
    for what in leftovers::ALL.map(|(what, _)| what) {
        assert!(left.contains_key(what), "no kill left {what} behind: {left:?}");
    }
}

/// One repository and what was acknowledged in it.
struct Scene<'s> {
    repo: Checkout<'s>,
    acknowledged: BTreeSet<RecordId>,
    foreign: Vec<PathBuf>,
}

impl<'s> Scene<'s> {
    fn new(sandbox: &'s Sandbox, number: u64) -> Self {
        let repo = sandbox.repo(&format!("repo-{number}"));
        let git_dir = repo.dir.join(".git");
        // Locks of refs that nobody moves here, and a pack that somebody keeps: a git may be at work on them.
        let foreign = ["refs/heads/other.lock", "packed-refs.lock", "objects/pack/pack-foreign.keep"]
            .map(|path| git_dir.join(path));
        for path in &foreign {
            fs::write(path, "").unwrap();
        }
        Self { repo, acknowledged: BTreeSet::new(), foreign: foreign.into() }
    }

    /// Kills a writer somewhere, and returns how far it had come; `None` where processes cannot be traced.
    fn kill_one(&mut self, seed: u64) -> Option<Phase> {
        let mut dice = Dice::new(seed);
        let aim = Aim::throw(&mut dice);
        let mut moments_left = dice.below(aim.moments());
        let mut aimed = !matches!(aim, Aim::Soon(_));
        let orders = Orders { seed, batches: u64::MAX, repo: self.repo.dir.clone() };
        let tracee = Tracee::start(orders.command(writer::IMPATIENT_WRITER)).ok()?;
        let mut progress = Progress::new();
        let (end, said) = tracee.run(|moment| {
            let call = match moment {
                Moment::Before(call) | Moment::After(call, Err(_)) => call,
                Moment::After(call, Ok(())) => {
                    progress.see(call);
                    aimed |= matches!(aim, Aim::Soon(after) if after(call));
                    call
                }
            };
            if !aimed || matches!(aim, Aim::Change if !call.changes()) {
                return Next::Go;
            }
            if moments_left == 0 {
                return Next::Kill;
            }
            moments_left -= 1;
            Next::Go
        });
        let said = Said::parse(&said);
        assert_eq!(end, End::Killed, "seed {seed}: the writer ended by itself: {}", said.other);
        assert!(said.outcomes.iter().all(Result::is_ok), "seed {seed}: a write failed: {:?}", said.outcomes);
        self.acknowledged.extend(said.acknowledged);
        self.everything_is_there(&format!("seed {seed}, killed while {:?}", progress.phase));
        for object in &progress.objects {
            assert!(object.is_file(), "seed {seed}: {} was in place", object.display());
        }
        Some(progress.phase)
    }

    fn everything_is_there(&self, when: &str) {
        let found = self.repo.record_ids();
        let lost: Vec<&RecordId> = self.acknowledged.difference(&found).collect();
        assert!(lost.is_empty(), "{when}: acknowledged and lost: {lost:?}");
    }

    /// What lies around, and is nobody else's.
    fn left_behind(&self) -> Vec<&'static str> {
        leftovers::found(&self.repo.dir.join(".git"), &self.foreign)
    }

    /// Writes without any patience: what a dead writer left must not make anybody wait.
    fn next_write_succeeds(&mut self, seed: u64) {
        let store = writer::open(&self.repo.dir, impatient());
        let written = writer::write(&store, seed, u64::MAX);
        self.acknowledged
            .extend(written.unwrap_or_else(|error| panic!("seed {seed}: the next write failed: {error:?}")));
        self.everything_is_there(&format!("seed {seed}, after the next write"));
        let left = self.left_behind();
        let cleared: Vec<&&str> = left.iter().filter(|what| !leftovers::MAY_STAY.contains(what)).collect();
        assert!(cleared.is_empty(), "seed {seed}: still there after the next write: {cleared:?}");
    }

    /// What may stay goes in the end, and what is not ours never does.
    fn end(&mut self) {
        let written =
            writer::write_records(&writer::open(&self.repo.dir, impatient()), u64::MAX, 0, PACK_FROM as u64);
        self.acknowledged.extend(written.unwrap());
        for path in &self.foreign {
            assert!(path.is_file(), "{} was somebody else's", path.display());
            fs::remove_file(path).unwrap();
        }
        self.repo.git(&["prune", "--expire=now"]);
        assert_eq!(self.left_behind(), Vec::<&str>::new());
        self.repo.git(&["gc", "--quiet", "--prune=now"]);
        self.repo.git(&["fsck", "--strict"]);
        self.everything_is_there("after `git gc`");
    }
}
