//! Left alone with busy repositories, the daemon stays as it is: nothing lost, no memory taken, no watch leaked.
//!
//! A minute by default; `POSTIL_SOAK_SECONDS` makes it as long as a person has patience.

use std::collections::VecDeque;
use std::fs;
use std::time::{Duration, Instant};

use postil_protocol::{Event, Topic};
use postil_testkit::{Dice, wait_until};
use rustix::process::{Pid, Signal, kill_process};

use super::suggesting::json;
use crate::support::served::{Served, until};
use crate::support::world::{Checkout, World};

/// How long, unless somebody says otherwise.
const SECONDS: u64 = 60;

/// Above so many comments of a person the oldest are purged, so that what there is to remember stays the same.
const MOST_COMMENTS: usize = 120;

/// So many go at once.
const PURGED: usize = 30;

/// Memory may rise by so much above what it was when the quiet time began, besides what is told below.
const GROWTH_BYTES: u64 = 16 << 20;

/// Memory is never more than this, besides what is in caches; three repositories with a hundred comments take 10 MB.
const MOST_BYTES: u64 = 48 << 20;

/// What a comment may take in each repository that has it; ten thousand in use take half of that.
const COMMENT_BYTES: u64 = 8 << 10;

/// Somebody at work: a repository, and what was said in it and not purged, oldest first.
struct Worker<'world> {
    checkout: Checkout<'world>,
    said: VecDeque<Remark>,
}

struct Remark {
    id: String,
    text: String,
}

/// A time in which nobody kills the daemon: what it was when that began.
struct Calm {
    pid: Pid,
    memory: u64,
    cached: u64,
    comments: u64,
}

#[derive(Default)]
struct Tally {
    comments: u32,
    purges: u32,
    kills: u32,
    syncs: u32,
    grew: u64,
    /// The most memory that the daemon had.
    most: u64,
}

#[test]
fn a_minute_of_random_work_loses_nothing_and_leaks_nothing() {
    let seconds = std::env::var("POSTIL_SOAK_SECONDS").ok().and_then(|word| word.parse().ok());
    let (began, whole) = (Instant::now(), Duration::from_secs(seconds.unwrap_or(SECONDS)));
    let world = World::new();
    let _served = Served(&world);
    let mut people: Vec<Worker<'_>> = ["ann", "ben", "cem"].map(|name| begin(&world, name)).into();
    people[0].checkout.git("init --quiet --bare ../hub.git");
    let mut dice = Dice::new(0x5eed);
    let mut calm: Option<Calm> = None;
    let mut tally = Tally::default();
    while began.elapsed() < whole {
        let who = usize::try_from(dice.below(3)).expect("three fit");
        people[who].work(&world, &mut dice, &mut tally);
        // In the first and the third quarter it is killed now and then, in the others it has to last.
        let eighth = began.elapsed().as_secs_f64() / whole.as_secs_f64() * 8.0;
        match eighth {
            0.0..2.0 | 4.0..6.0 => {
                calm = None;
                if dice.below(40) == 0 {
                    kill(&world);
                    tally.kills += 1;
                }
            }
            // What was read for the first time since the last kill is not counted.
            2.0..2.5 | 6.0..6.5 => {}
            _ => {
                let calm = calm.get_or_insert_with(|| Calm::begin(&world, &people));
                let grew = calm.check(&world, &people);
                tally.grew = tally.grew.max(grew);
                tally.most = tally.most.max(calm.memory + grew);
            }
        }
    }
    assert!(tally.comments > 0, "nothing was said in all this time");
    for person in &people {
        person.has(&person.said);
        person.checkout.git("fsck --full --strict");
    }
    for _ in 0..2 {
        for person in &people {
            person.checkout.served("sync").code(0);
        }
    }
    for person in &people {
        for other in &people {
            person.has(&other.said);
        }
    }
    nothing_is_watched_for_nobody(&world, &people);
    let Tally { comments, purges, kills, syncs, grew, most } = tally;
    println!(
        "{comments} comments, {purges} purges, {kills} kills, {syncs} syncs, grew by {grew} bytes at most, to {most}"
    );
}

impl Worker<'_> {
    /// Does one thing that people do.
    fn work(&mut self, world: &World, dice: &mut Dice, tally: &mut Tally) {
        let person = &self.checkout;
        match dice.below(20) {
            0..=7 => {
                tally.comments += 1;
                self.say(dice.below(5) + 1, tally);
            }
            8..=13 => {
                let content: String =
                    (0..8).map(|line| format!("line {} {}\n", line, dice.below(3))).collect();
                person.write("a.txt", content);
                person.commit("more");
            }
            14 => {
                person.git("commit --quiet --amend --allow-empty -m again");
            }
            15 => listen(world, person),
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
                tally.syncs += 1;
            }
            _ => {
                person.served("list").code(0);
            }
        }
    }

    fn say(&mut self, line: u64, tally: &mut Tally) {
        let person = &self.checkout;
        let text = format!("remark-{}-{}.", person.person(), tally.comments);
        let said = json(person.served(&format!("--json comment a.txt:{line} -m '{text}'")).code(0));
        let id = said["id"].as_str().expect("a comment has an id").to_owned();
        self.said.push_back(Remark { id, text });
        if self.said.len() > MOST_COMMENTS {
            let purged: Vec<String> = self.said.drain(..PURGED).map(|remark| remark.id).collect();
            person.served(&format!("purge --force {}", purged.join(" "))).code(0);
            tally.purges += 1;
        }
    }

    #[track_caller]
    fn has(&self, said: &VecDeque<Remark>) {
        let listed = self.checkout.served("--json list --all").code(0).stdout();
        let lost: Vec<&str> =
            said.iter().map(|remark| remark.text.as_str()).filter(|text| !listed.contains(text)).collect();
        assert!(lost.is_empty(), "{} lost {lost:?}", self.checkout.person());
    }
}

impl Calm {
    fn begin(world: &World, people: &[Worker<'_>]) -> Self {
        let pid = world.daemon().expect("somebody has asked it something");
        Self { pid, memory: own_memory(pid), cached: cached(people), comments: copies(people) }
    }

    /// By how much memory has grown, which must not be more than there is to remember.
    #[track_caller]
    fn check(&self, world: &World, people: &[Worker<'_>]) -> u64 {
        assert_eq!(world.daemon(), Some(self.pid), "it ended by itself");
        let (memory, cached) = (own_memory(self.pid), cached(people));
        assert!(memory < MOST_BYTES + cached, "takes {memory} bytes, with {cached} in caches");
        let grew = memory.saturating_sub(self.memory);
        let cached = cached.saturating_sub(self.cached);
        let comments = copies(people).saturating_sub(self.comments);
        let limit = GROWTH_BYTES + cached + cached / 4 + comments * COMMENT_BYTES;
        assert!(
            grew < limit,
            "grew from {} by {grew} bytes, with {cached} more in caches and {comments} more comments",
            self.memory
        );
        grew
    }
}

fn begin<'world>(world: &'world World, name: &'static str) -> Worker<'world> {
    let person = world.repository(name);
    person.write("a.txt", (0..8).map(|line| format!("line {line}\n")).collect::<String>());
    person.commit("first");
    person.commit("second");
    person.git("remote add origin ../hub.git");
    Worker { checkout: person, said: VecDeque::new() }
}

fn kill(world: &World) {
    if let Some(pid) = world.daemon() {
        kill_process(pid, Signal::KILL).expect("a daemon can be killed");
        wait_until("the daemon is gone", || world.daemon() != Some(pid));
    }
}

/// Hears of one commit, and goes.
fn listen(world: &World, person: &Checkout<'_>) {
    person.served("list").code(0);
    let mut client = world.client();
    person.subscribe(&mut client, Topic::Repository);
    let commit = person.commit("heard");
    let is_it = |event: &Event| match event {
        Event::Placed(event) => event.head.as_ref().is_some_and(|head| head.as_str() == commit),
        _ => false,
    };
    until(&mut client, is_it);
}

/// Once its repositories are gone, a daemon watches its own folder alone.
fn nothing_is_watched_for_nobody(world: &World, people: &[Worker<'_>]) {
    let pid = world.daemon().expect("it was just asked something");
    for person in people {
        person.checkout.remove();
    }
    wait_until("nothing is watched for no repository", || watches(pid) <= 1);
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

/// What a daemon may hold of the caches of these repositories.
fn cached(people: &[Worker<'_>]) -> u64 {
    let folders = people.iter().map(|person| person.checkout.folder.join(".git/postil/cache"));
    let files = folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum()
}

/// How many comments there are, where everybody may have those of all.
fn copies(people: &[Worker<'_>]) -> u64 {
    people.iter().map(|person| person.said.len()).sum::<usize>() as u64 * people.len() as u64
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
