//! Whatever people and their git do, and wherever their machines stop: after everyone has synced twice, all have the
//! same notes, and everything that was ever acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use postil_core::git::{ConfigScope, Repository};
use postil_core::notes::{Store, StoreOptions};
use postil_core::record::{Body, RecordId};
use postil_testkit::{Dice, patient, wait_at_most, wait_until};
use serde_json::Value;

use crate::suggesting::json;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

const PEOPLE: [&str; 3] = ["alice", "bob", "carol"];
const STEPS: usize = 40;

#[test]
fn everyone_ends_with_the_same_notes_whatever_happened() {
    let kills: usize = [1, 2, 3].map(converge).iter().sum();
    assert!(kills > 0, "somebody was killed");
}

/// Returns how many were killed while they synced.
fn converge(seed: u64) -> usize {
    let world = World::new();
    let seeded = world.repository("seed");
    seeded.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    seeded.commit("first");
    seeded.git("config core.bare true");
    seeded.git("clone --quiet --bare . ../second.git");
    let people: Vec<Checkout<'_>> = PEOPLE.iter().map(|name| world.clone_of(&seeded, name)).collect();
    for person in &people {
        person.git("remote add second ../second.git");
        person.git(&format!("switch --quiet -c {}", person.person()));
    }
    let killer = Killer::new(&world);
    let mut dice = Dice::new(seed);
    let mut acknowledged: BTreeSet<RecordId> = BTreeSet::new();
    let mut secrets: BTreeMap<RecordId, String> = BTreeMap::new();
    let mut kills = 0;
    for step in 0..STEPS {
        let person = dice.pick(&people);
        let words = format!("{seed} {step}");
        match dice.below(14) {
            12 | 13 => {
                let secret = format!("secret {words}");
                let made = json(person.postil(&format!("comment a.txt:1 --json -m '{secret}'")).code(0));
                let id = made["id"].as_str().and_then(RecordId::from_hex).expect("an id");
                // Others may have it before it is purged, and bring it back in every way there is.
                if dice.below(2) == 0 {
                    person.postil("sync").code(0);
                }
                person.postil(&format!("purge --force {id}")).code(0);
                secrets.insert(id, secret);
            }
            0 | 1 => {
                let line = format!("comment a.txt:{} -m '{words}'", 1 + dice.below(5));
                person.postil(&line).code(0);
            }
            2 | 3 => act(person, &mut dice, &words),
            4 => {
                person.write("a.txt", format!("zero {words}\none\ntwo\nthree\nfour\nfive\n"));
                person.postil(&format!("comment a.txt:1 -m '{words} on disk'")).code(0);
                person.commit("change");
            }
            5 => {
                person.write("a.txt", format!("one\ntwo {words}\nthree\nfour\nfive\n"));
                person.git("add --all");
                person.git("commit --quiet --amend --no-edit");
                person.git("push --quiet --force origin HEAD");
            }
            6 | 7 => meddle(person, &mut dice, &words),
            8 | 9 => {
                person.postil(if dice.below(2) == 0 { "sync" } else { "sync second --with-files" }).code(0);
            }
            _ => kills += killer.kill_a_sync(person, &mut dice),
        }
        if dice.below(3) > 0 {
            // What one has read as a record, one was told is kept.
            person.postil("doctor --fix");
            acknowledged.extend(records(person));
        }
    }
    for _ in 0..2 {
        for person in &people {
            // Nobody pushes code to the second remote, so the files need somebody's word.
            person.postil("sync --all --with-files").code(0);
        }
    }
    let tree = |person: &Checkout<'_>| person.git("rev-parse refs/notes/reviews^{tree}");
    for person in &people {
        let has = records(person);
        let is_lost = |id: &&RecordId| !has.contains(*id) && !secrets.contains_key(*id);
        let lost: Vec<&RecordId> = acknowledged.iter().filter(is_lost).collect();
        assert!(lost.is_empty(), "seed {seed}: {} lost {lost:?}", person.person());
        assert_eq!(tree(person), tree(&people[0]), "seed {seed}: {}", person.person());
        let shown = person.git("notes --ref=reviews list");
        for secret in secrets.values() {
            let holds = |line: &&str| {
                let note =
                    person.try_git(&format!("cat-file blob {}", line.split(' ').next().expect("a blob")));
                String::from_utf8_lossy(&note.stdout).contains(secret)
            };
            assert_eq!(shown.lines().find(holds), None, "seed {seed}: {} has {secret:?}", person.person());
        }
    }
    assert!(acknowledged.len() >= 10, "seed {seed}: something was said: {}", acknowledged.len());
    assert!(!secrets.is_empty(), "seed {seed}: something was purged");
    println!("seed {seed}: {} records, {kills} kills, {} purges", acknowledged.len(), secrets.len());
    kills
}

/// Says something about what somebody said.
fn act(person: &Checkout<'_>, dice: &mut Dice, words: &str) {
    let listed = json(&person.postil("list --all --json"));
    let threads: Vec<&Value> = listed["threads"].as_array().into_iter().flatten().collect();
    if threads.is_empty() {
        return;
    }
    let id = dice.pick(&threads)["id"].as_str().expect("an id");
    let line = match dice.below(6) {
        0 => format!("reply {id} -m '{words}'"),
        1 => format!("edit {id} -m '{words} otherwise'"),
        2 => format!("resolve {id} -m '{words}'"),
        3 => format!("reopen {id}"),
        4 => format!("move {id} a.txt:{}", 1 + dice.below(5)),
        _ => format!("withdraw {id}"),
    };
    // Some of it is not theirs to do, or is so already.
    let ended = person.postil(&line);
    assert!([Some(0), Some(4)].contains(&ended.exit()), "{line}: {}", ended.stderr());
}

/// What stock git does to notes, well meant or not.
fn meddle(person: &Checkout<'_>, dice: &mut Dice, words: &str) {
    let line = match dice.below(8) {
        0 => format!("notes --ref=reviews append -m '{words}' HEAD"),
        1 => "notes --ref=reviews remove --ignore-missing HEAD".to_owned(),
        2 => "notes --ref=reviews copy --force HEAD HEAD~1".to_owned(),
        3 => "fetch --quiet origin +refs/notes/reviews:refs/notes/reviews".to_owned(),
        4 => "notes --ref=reviews merge -s cat_sort_uniq refs/postil/remotes/origin/reviews".to_owned(),
        5 => "notes --ref=reviews merge -s theirs refs/postil/remotes/origin/reviews".to_owned(),
        6 => "update-ref -d refs/notes/reviews".to_owned(),
        _ => "gc --quiet".to_owned(),
    };
    drop(person.try_git(&line));
}

/// The records of people in somebody's notes.
fn records(person: &Checkout<'_>) -> BTreeSet<RecordId> {
    let repo = Repository::open(&person.folder, ConfigScope::Isolated).expect("a repository");
    let store = Store::new(repo, StoreOptions { patience: patient(), threads: NonZeroUsize::MIN });
    let snapshot = store.read().expect("the notes can be read");
    let of_people = snapshot
        .records()
        .filter(|(_, record)| record.body().as_ref().ok().and_then(Body::made_by).is_some());
    of_people.map(|(_, record)| record.id()).collect()
}

/// Stops a machine in the middle of a sync: a git that kills who started it.
struct Killer {
    folder: std::path::PathBuf,
}

impl Killer {
    fn new(world: &World) -> Self {
        let folder = world.tmp().join("killer");
        fs::create_dir(&folder).expect("a new folder");
        let real = world.command("sh").args(["-c", "command -v git"]).output().expect("a shell").stdout;
        let real = String::from_utf8_lossy(&real).trim().to_owned();
        let place = folder.display();
        // Each line of `begun` has one in `ended` once the real git is through, also when nobody waits for it.
        let script = format!(
            "#!/bin/sh\necho >> {place}/begun\nn=$(($(wc -l < {place}/begun) - FROM))\n\
             [ \"$n\" = \"$BEFORE\" ] && kill -9 $PPID\n{real} \"$@\"\ncode=$?\n\
             [ \"$n\" = \"$AFTER\" ] && kill -9 $PPID\necho >> {place}/ended\nexit $code\n"
        );
        fs::write(folder.join("git"), script).expect("a file can be written");
        fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).expect("it is ours");
        Self { folder }
    }

    /// Before or after a fetch or a push, or at any moment between; returns how many were killed, none or one.
    fn kill_a_sync(&self, person: &Checkout<'_>, dice: &mut Dice) -> usize {
        let path = std::env::var("PATH").expect("git is found on the PATH");
        let mut command = person.command(POSTIL);
        command.args(["sync", "--quiet"]).env("POSTIL_DAEMON", "off");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.env("PATH", format!("{}:{path}", self.folder.display()));
        command.env("FROM", self.count("begun").to_string());
        let call = (1 + dice.below(2)).to_string();
        let after = Duration::from_micros(dice.below(150_000));
        let by_hand = match dice.below(3) {
            0 => command.env("BEFORE", call).spawn().map(|child| (child, None)),
            1 => command.env("AFTER", call).spawn().map(|child| (child, None)),
            _ => command.spawn().map(|child| (child, Some(after))),
        };
        let (mut child, kill_after) = by_hand.expect("postil can be started");
        if let Some(after) = kill_after {
            wait_at_most(after, || child.try_wait().expect("our own child").is_some());
            // It may be through already.
            let _ = child.kill();
        }
        let ended = child.wait().expect("our own child");
        wait_until("a git that was left alone ends", || self.count("begun") == self.count("ended"));
        usize::from(ended.code().is_none())
    }

    fn count(&self, name: &str) -> usize {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default().lines().count()
    }
}
