//! A simulator: random people, programs and faults on several clones, against a model of what was acknowledged.
//!
//! Each seed plays a run of steps in clones of one repository: comments by command, with and without a daemon, several
//! at once; daemons that are killed; stock git that repacks, prunes, merges and overwrites notes; disks that fail at a
//! chosen system call; objects that are missing or damaged; stale lock files; clocks that jump. After every step, every
//! way to ask (the command with a daemon, without one, and the socket) must show what was acknowledged, and agree.
//!
//! `POSTIL_SIMULATOR_SEED=7` plays one seed again, `POSTIL_SIMULATOR_SECONDS=3600` plays for an hour, and
//! `POSTIL_SIMULATOR_STEPS=200` makes runs longer. A seed decides every step; how processes that run at the same time
//! interleave is the machine's business.

mod damage;
mod doors;
mod faults;
mod model;
mod person;
mod run;
mod steps;
#[allow(dead_code, reason = "the scenarios use the rest")]
#[path = "../support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

/// How long seeds are played, unless the environment says otherwise.
const SECONDS: u64 = 45;

/// How many steps a run has.
const STEPS: u64 = 30;

/// Where the seeds begin.
const FIRST_SEED: u64 = 1;

#[test]
fn whatever_happens_what_was_acknowledged_is_there_and_every_door_agrees() {
    let number = |name: &str| std::env::var(name).ok().and_then(|word| word.parse::<u64>().ok());
    let steps = number("POSTIL_SIMULATOR_STEPS").unwrap_or(STEPS);
    if let Some(seed) = number("POSTIL_SIMULATOR_SEED") {
        println!("{}", run::play(seed, steps));
        return;
    }
    let whole = Duration::from_secs(number("POSTIL_SIMULATOR_SECONDS").unwrap_or(SECONDS));
    let began = Instant::now();
    let mut total = run::Tally::default();
    let mut seed = FIRST_SEED;
    while began.elapsed() < whole {
        total.add(&run::play(seed, steps));
        seed += 1;
    }
    println!("{} seeds: {total}", seed - FIRST_SEED);
}
