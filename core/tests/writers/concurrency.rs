//! Many writers at once, beside every command of stock git that moves the same refs and objects.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use postil_core::git::{Durability, ObjectId, RefError, RefName, RefUpdate, WriterLock};
use postil_core::record::RecordId;
use postil_testkit::{Checkout, Sandbox, by_alice, log, patient};

use crate::writer::{self, Orders, Said};

/// The test that is a writer which waits for the others.
const PATIENT_WRITER: &str = "concurrency::a_writer_acknowledges_what_a_reader_then_finds";

const WRITERS: u64 = 4;

/// By each writer.
const BATCHES: u64 = 15;

/// Far more than all of it takes: whoever is not done by then waits for something that never comes.
const DEADLINE: Duration = Duration::from_mins(2);

#[test]
fn a_writer_acknowledges_what_a_reader_then_finds() {
    writer::write_as_ordered(patient(), || ());
}

#[test]
fn processes_that_write_at_once_lose_nothing_while_git_packs_and_prunes() {
    write_beside(&[
        &["gc", "--quiet"],
        &["pack-refs", "--all"],
        &["repack", "-a", "-d", "-q"],
        &["pack-refs", "--all", "--prune"],
        &["prune", "--expire=1.hour.ago"],
    ]);
}

#[test]
fn processes_that_write_at_once_lose_nothing_while_git_writes_notes() {
    // Not `git repack -a -d`: it removes what a `git notes` beside it is about to refer to, with no writer of ours.
    write_beside(&[
        &["notes", "--ref=reviews", "append", "-m", "from stock git", "HEAD"],
        &["notes", "--ref=reviews", "add", "-f", "-m", "instead of everything", "HEAD"],
        &["pack-refs", "--all"],
        &["notes", "--ref=reviews", "remove", "--ignore-missing", "HEAD"],
        &["gc", "--quiet"],
    ]);
}

#[test]
fn processes_that_write_at_once_lose_nothing_while_git_collects_without_grace() {
    write_beside(&[&["gc", "--quiet", "--prune=now"]]);
}

#[test]
fn processes_that_write_at_once_lose_nothing_while_git_prunes_without_grace() {
    write_beside(&[&["prune", "--expire=now"]]);
}

#[test]
fn threads_that_write_at_once_through_one_store_lose_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let store = writer::open(&repo.dir, patient());
    let (sender, receiver) = mpsc::channel();
    let acknowledged = std::thread::scope(|scope| {
        for seed in 0..WRITERS {
            let (sender, store) = (sender.clone(), &store);
            scope.spawn(move || {
                for number in 0..BATCHES {
                    sender.send(writer::write(store, seed, number)).unwrap();
                }
            });
        }
        drop(sender);
        let mut acknowledged = BTreeSet::new();
        for _ in 0..WRITERS * BATCHES {
            let written = receiver.recv_timeout(DEADLINE);
            acknowledged.extend(written.expect("threads wait for each other").unwrap());
        }
        acknowledged
    });
    nothing_is_lost(&repo, &acknowledged);
}

#[test]
fn a_ref_that_is_held_is_moved_by_its_holder_and_by_no_git() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let opened = repo.open();
    let name = RefName::new("refs/notes/reviews").unwrap();
    let head = ObjectId::from(repo.commit_id("HEAD"));
    let mut writer = WriterLock::acquire(&opened, patient()).unwrap();
    writer.hold(&name, patient()).unwrap();
    let by_git = ["update-ref", "refs/notes/reviews", "HEAD"];
    assert!(!repo.try_git(&by_git).status.success());
    let to = |expected, new| RefUpdate {
        name: &name,
        expected,
        new,
        log: log("move"),
        durability: Durability::Synced,
        patience: patient(),
    };
    writer.swap(&to(None, Some(head))).unwrap();
    assert_eq!(opened.read_ref(&name).unwrap(), Some(head));
    assert!(matches!(writer.swap(&to(None, Some(head))), Err(RefError::Raced { .. })));
    assert!(!repo.try_git(&by_git).status.success());
    writer.swap(&to(Some(head), None)).unwrap();
    assert_eq!(opened.read_ref(&name).unwrap(), None);
    writer.let_go();
    repo.git(&by_git);
}

/// Starts the writers, and runs these commands of git again and again until they are done.
fn write_beside(commands: &[&[&str]]) {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let writers: Vec<Child> = (0..WRITERS).map(|seed| start(&repo, seed)).collect();
    let done = AtomicBool::new(false);
    let (acknowledged, ran) = std::thread::scope(|scope| {
        let beside = scope.spawn(|| disturb(&repo, commands, &done));
        let stop = Stop(&done);
        let acknowledged = finish(writers);
        drop(stop);
        (acknowledged, beside.join().unwrap())
    });
    println!("{} records acknowledged beside {ran} commands of git", acknowledged.len());
    nothing_is_lost(&repo, &acknowledged);
}

/// Runs the commands until all writers are done, and returns how often git ran.
///
/// Git may fail at any time: it gives up where somebody holds a lock, and finds its own directories removed. But each
/// command has to succeed once, if not before, then in the quiet afterwards.
fn disturb(repo: &Checkout<'_>, commands: &[&[&str]], done: &AtomicBool) -> usize {
    let mut ran = 0;
    let mut succeeded = BTreeSet::new();
    while !done.load(Ordering::Relaxed) {
        for command in commands {
            if repo.try_git(command).status.success() {
                succeeded.insert(command);
            }
            ran += 1;
        }
    }
    for command in commands.iter().filter(|command| !succeeded.contains(command)) {
        repo.git(command);
    }
    ran
}

fn start(repo: &Checkout<'_>, seed: u64) -> Child {
    let orders = Orders { seed, batches: BATCHES, repo: repo.dir.clone() };
    let mut command = orders.command(PATIENT_WRITER);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the test binary can be started")
}

/// Waits for the writers, and returns what they were told is safe.
fn finish(writers: Vec<Child>) -> BTreeSet<RecordId> {
    let (sender, receiver) = mpsc::channel();
    let mut running = Vec::new();
    for mut writer in writers {
        let mut stderr = writer.stderr.take().expect("it was piped");
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut said = String::new();
            let read = stderr.read_to_string(&mut said);
            // Nobody listens any more after the deadline.
            let _ = sender.send(read.map(|_| said));
        });
        running.push(writer);
    }
    let mut acknowledged = BTreeSet::new();
    for done in 0..running.len() {
        let Ok(said) = receiver.recv_timeout(DEADLINE) else {
            for writer in &mut running {
                let _ = writer.kill();
            }
            panic!("only {done} of {WRITERS} writers were done after {DEADLINE:?}: they wait for each other");
        };
        let said = Said::parse(&said.unwrap());
        let failed: Vec<_> = said.outcomes.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
        assert!(failed.is_empty(), "writes failed: {failed:#?}");
        assert_eq!(said.outcomes.len() as u64, BATCHES, "a writer ended early: {}", said.other);
        acknowledged.extend(said.acknowledged);
    }
    for mut writer in running {
        assert!(writer.wait().unwrap().success());
    }
    acknowledged
}

/// Lets the thread beside end, also when the test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What stock git lost, the next check brings back; then it is all there, for git too.
fn nothing_is_lost(repo: &Checkout<'_>, acknowledged: &BTreeSet<RecordId>) {
    let checked = repo.store().check(&by_alice()).unwrap();
    println!("{} records came back", checked.records);
    let found = repo.record_ids();
    let lost: Vec<&RecordId> = acknowledged.difference(&found).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    let fsck = repo.try_git(&["fsck", "--strict", "--name-objects"]);
    assert!(fsck.status.success(), "{}", String::from_utf8_lossy(&fsck.stdout));
    repo.git(&["gc", "--quiet", "--prune=now"]);
    assert_eq!(repo.record_ids(), found, "and it stays");
}
