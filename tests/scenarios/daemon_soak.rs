//! Left alone with busy repositories, the daemon stays as it is: nothing lost, no memory taken, no watch leaked.
//!
//! A minute by default; `POSTIL_SOAK_SECONDS` makes it as long as a person has patience.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// How long, unless somebody says otherwise.
const SECONDS: u64 = 60;

/// Memory may be above what it was after the first tenth of the time by so much, by what the caches hold, which is
/// bounded elsewhere, and by what the comments take that were made.
const GROWTH_BYTES: u64 = 24 << 20;

/// What a comment may take in each repository that has it; ten thousand in use take half of that.
const COMMENT_BYTES: u64 = 8 << 10;

/// A number that looks like chance, and is the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn a_minute_of_random_work_loses_nothing_and_leaks_nothing() {
    let seconds = std::env::var("POSTIL_SOAK_SECONDS").ok().and_then(|word| word.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(SECONDS));
    let warm = Instant::now() + Duration::from_secs(seconds.unwrap_or(SECONDS)) / 10;
    let world = World::new();
    let _served = Served(&world);
    let people: Vec<Checkout<'_>> = ["ann", "ben", "cem"].map(|name| begin(&world, name)).into();
    people[0].git("init --quiet --bare ../hub.git");
    let mut said: Vec<BTreeSet<String>> = vec![BTreeSet::new(); people.len()];
    let mut dice = Dice(0x5eed);
    let mut calm: Option<(Pid, u64)> = None;
    let (mut kills, mut syncs, mut most) = (0_u32, 0_u32, 0);
    for n in 0.. {
        if Instant::now() > end {
            break;
        }
        let who = usize::try_from(dice.below(3)).expect("three fit");
        let person = &people[who];
        match dice.below(20) {
            0..=7 => {
                let text = format!("remark-{who}-{n}.");
                let line = dice.below(5) + 1;
                person.served(&format!("comment a.txt:{line} -m '{text}'")).code(0);
                said[who].insert(text);
            }
            8..=13 => {
                let content: String =
                    (0..8).map(|line| format!("line {} {}\n", line, dice.below(3))).collect();
                person.write("a.txt", content);
                person.commit("more");
            }
            14..=15 => {
                person.git("commit --quiet --amend --allow-empty -m again");
            }
            16 => {
                person.git("gc --quiet --auto");
                person.git("pack-refs --all");
            }
            17 => rebase(person),
            18 => {
                person.git("worktree add --quiet --detach ../linked");
                person.git("worktree remove --force ../linked");
            }
            _ if dice.below(3) == 0 => {
                person.served("sync").code(0);
                syncs += 1;
            }
            _ if dice.below(4) == 0 => {
                if let Some(pid) = world.daemon() {
                    kill_process(pid, Signal::KILL).expect("a daemon can be killed");
                    kills += 1;
                    calm = None;
                    while world.daemon() == Some(pid) {
                        std::thread::yield_now();
                    }
                }
            }
            _ => {
                person.served("list").code(0);
            }
        }
        if let Some(pid) = world.daemon().filter(|_| Instant::now() > warm) {
            let (memory, cached) = (own_memory(pid), people.iter().map(cached).sum::<u64>());
            let (_, base) = *calm.get_or_insert((pid, memory));
            most = most.max(memory.saturating_sub(base));
            let comments: usize = said.iter().map(BTreeSet::len).sum();
            let comments = comments as u64 * people.len() as u64;
            let limit = base + GROWTH_BYTES + cached + cached / 4 + comments * COMMENT_BYTES;
            assert!(
                memory < limit,
                "grew from {base} to {memory} bytes, with {cached} in caches and {comments} comments"
            );
        }
    }
    for (person, said) in people.iter().zip(&said) {
        let listed = person.served("--json list --all").code(0).stdout();
        let lost: Vec<&String> = said.iter().filter(|text| !listed.contains(text.as_str())).collect();
        assert!(lost.is_empty(), "lost {lost:?}");
        person.git("fsck --full --strict");
    }
    for _ in 0..2 {
        for person in &people {
            person.served("sync").code(0);
        }
    }
    for person in &people {
        let listed = person.served("--json list --all").code(0).stdout();
        let lost: Vec<&String> =
            said.iter().flatten().filter(|text| !listed.contains(text.as_str())).collect();
        assert!(lost.is_empty(), "{} never got {lost:?}", person.person());
    }
    if let Some(pid) = world.daemon() {
        let watches = watches(pid);
        assert!(watches <= 20 * people.len(), "{watches} watches for {} repositories", people.len());
    }
    let count: usize = said.iter().map(BTreeSet::len).sum();
    assert!(count > 0, "nothing was said in all this time");
    println!("{count} comments, {kills} kills, {syncs} syncs, memory grew by {most} bytes at most");
}

fn begin<'world>(world: &'world World, name: &'static str) -> Checkout<'world> {
    let person = world.repository(name);
    person.write("a.txt", (0..8).map(|line| format!("line {line}\n")).collect::<String>());
    person.commit("first");
    person.commit("second");
    person.git("remote add origin ../hub.git");
    person
}

/// Puts the last commits on another base, as one does before a push.
fn rebase(person: &Checkout<'_>) {
    let count: u32 = person.git("rev-list --count --first-parent HEAD").parse().expect("a number");
    if count > 6 {
        let rebased = person.try_git("rebase --quiet --onto HEAD~5 HEAD~4");
        if !rebased.status.success() {
            person.git("rebase --abort");
        }
    }
}

/// What a daemon that attends to this repository may hold of its cache.
fn cached(person: &Checkout<'_>) -> u64 {
    let files = fs::read_dir(person.folder.join(".git/postil/cache")).into_iter().flatten();
    files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum()
}

/// The memory of a process that is no part of any file.
fn own_memory(pid: Pid) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or_default() * 1024
}

fn watches(pid: Pid) -> usize {
    let folder = format!("/proc/{}/fdinfo", pid.as_raw_nonzero());
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    files
        .filter_map(|file| fs::read_to_string(file.path()).ok())
        .map(|text| text.lines().filter(|line| line.starts_with("inotify wd:")).count())
        .sum()
}
