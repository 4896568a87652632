//! The disk fails under the writer: once, by being full, or now and then.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use postil_core::record::RecordId;
use postil_testkit::Dice;
use postil_testkit::{Checkout, Sandbox, impatient, skipped};

use super::leftovers;

use super::writer::{self, Orders, Said};
use postil_testkit::tracer::{Call, End, Moment, Next, Tracee};

const WRITERS: u64 = 8;

/// By each writer; every other one meets faults.
const BATCHES: u64 = 30;

/// About as many calls that can fail as a small batch makes.
const CALLS: u64 = 50;

/// What can fail.
const VERBS: [&str; 7] = ["create", "write", "sync", "rename", "link", "remove", "make a directory"];

/// How the disk fails.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// One call fails.
    Once,
    /// One call of a kind fails, since some are far between.
    OnceTo(&'static str),
    /// From one call on there is no room for anything new.
    Full,
    /// From one call on every other one fails, by chance.
    Flaky,
}

impl Fault {
    fn hits(self, call: &Call, dice: &mut Dice) -> Next {
        let grows = matches!(
            call,
            Call::Create(_) | Call::Write(_) | Call::MakeDir(_) | Call::Link(..) | Call::Rename(..)
        );
        match self {
            Self::Full if grows => Next::Fail(libc::ENOSPC),
            Self::Full => Next::Go,
            Self::Flaky if dice.below(2) == 0 => Next::Go,
            Self::OnceTo(kind) if kind != verb(call) => Next::Go,
            Self::Once | Self::OnceTo(_) | Self::Flaky => Next::Fail(libc::EIO),
        }
    }
}

#[test]
fn a_failing_disk_fails_the_write_and_nothing_else() {
    let sandbox = Sandbox::new();
    let mut injected: BTreeMap<&str, u64> = BTreeMap::new();
    let mut failed = 0;
    for seed in 0..WRITERS {
        // New each time: most directories of objects are made in the first batches.
        let repo = sandbox.repo(&format!("repo-{seed}"));
        let orders = Orders { seed, batches: BATCHES, repo: repo.dir.clone() };
        let Ok(tracee) = Tracee::start(orders.command(writer::IMPATIENT_WRITER)) else {
            return skipped("permission to trace a child process");
        };
        let said = run_with_faults(tracee, seed, &repo.dir.join(".git"), &mut injected);
        everything_is_there(&repo, &said.acknowledged, seed);
        for (number, outcome) in said.outcomes.iter().enumerate() {
            let Err(error) = outcome else { continue };
            failed += 1;
            let is_clear = error.contains("Input/output error") || error.contains("No space left on device");
            assert!(is_clear, "seed {seed}, batch {number}: this does not tell what is wrong: {error}");
            assert!(number % 2 == 0, "seed {seed}, batch {number} met no fault and failed: {error}");
        }
        let store = writer::open(&repo.dir, impatient());
        writer::write(&store, seed, BATCHES).unwrap();
        everything_is_there(&repo, &said.acknowledged, seed);
        let left = leftovers::found(&repo.dir.join(".git"), &[]);
        let left: Vec<&&str> = left.iter().filter(|what| !leftovers::MAY_STAY.contains(what)).collect();
        assert!(left.is_empty(), "seed {seed}: left behind: {left:?}");
        repo.git(&["fsck", "--strict"]);
    }
    println!("injected: {injected:?}; {failed} writes failed");
    assert!(failed >= WRITERS * BATCHES / 4, "only {failed} writes failed: {injected:?}");
    for verb in VERBS {
        assert!(injected.contains_key(verb), "nothing failed to {verb}: {injected:?}");
    }
}

/// Lets the disk fail in every other batch, from a random call on.
fn run_with_faults(
    tracee: Tracee,
    seed: u64,
    git_dir: &Path,
    injected: &mut BTreeMap<&'static str, u64>,
) -> Said {
    let mut dice = Dice::new(seed);
    let mut batch = 0;
    let mut calls_left = dice.below(CALLS);
    let mut fault = Some(Fault::Once);
    let (end, said) = tracee.run(|moment| match moment {
        Moment::After(Call::Tell, _) => {
            batch += 1;
            calls_left = dice.below(CALLS);
            let verb = one_of(&VERBS, &mut dice);
            let faults = [Fault::Once, Fault::OnceTo(verb), Fault::Full, Fault::Flaky];
            fault = (batch % 2 == 0).then_some(one_of(&faults, &mut dice));
            Next::Go
        }
        Moment::Before(call) if call.target().is_some_and(|path| path.starts_with(git_dir)) => {
            let Some(now) = fault else { return Next::Go };
            if calls_left > 0 {
                calls_left -= 1;
                return Next::Go;
            }
            let next = now.hits(call, &mut dice);
            if next != Next::Go {
                *injected.entry(verb(call)).or_default() += 1;
                if let Fault::Once | Fault::OnceTo(_) = now {
                    fault = None;
                }
            }
            next
        }
        _ => Next::Go,
    });
    let said = Said::parse(&said);
    assert_eq!(end, End::Exited(0), "seed {seed}: {}", said.other);
    assert_eq!(said.outcomes.len() as u64, BATCHES, "seed {seed}: {}", said.other);
    said
}

fn everything_is_there(repo: &Checkout<'_>, acknowledged: &BTreeSet<RecordId>, seed: u64) {
    let found = repo.record_ids();
    let lost: Vec<&RecordId> = acknowledged.difference(&found).collect();
    assert!(lost.is_empty(), "seed {seed}: acknowledged and lost: {lost:?}");
}

fn one_of<T: Copy>(choices: &[T], dice: &mut Dice) -> T {
    choices[usize::try_from(dice.below(choices.len() as u64)).expect("it is below a number of this size")]
}

fn verb(call: &Call) -> &'static str {
    match call {
        Call::Create(_) => "create",
        Call::Write(_) => "write",
        Call::Sync(_) => "sync",
        Call::Rename(..) => "rename",
        Call::Link(..) => "link",
        Call::Remove(_) => "remove",
        Call::MakeDir(_) => "make a directory",
        Call::Tell | Call::Other => "do anything else",
    }
}
