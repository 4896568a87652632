//! A writer that is killed at any moment loses nothing that it had acknowledged, and blocks nobody.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

use gix::objs::{Kind, Write as _};
use postil_core::git::{
    CommitId, ConfigScope, Durability, ObjectId, PACK_FROM, RefName, RefUpdate, Repository, WriterLock,
    history,
};
use postil_testkit::{Sandbox, committer, log, patient, wait_until};

const NOTES: &str = "refs/notes/reviews";
const ROUNDS: usize = 24;

/// Adds a commit with `files` new files to the notes ref, as a writer does, and returns it.
fn add(repo: &Repository, label: &str, files: usize) -> CommitId {
    let mut writer = WriterLock::acquire(repo, patient()).unwrap();
    let name = RefName::new(NOTES).unwrap();
    let tip = repo.read_ref(&name).unwrap();
    let handle = repo.stage().unwrap();
    let base = match tip {
        Some(tip) => handle.find_commit(tip.raw()).unwrap().tree_id().unwrap().detach(),
        None => handle.empty_tree().id,
    };
    let mut editor = handle.edit_tree(base).unwrap();
    for n in 0..files {
        let blob = handle.objects.write_buf(Kind::Blob, format!("{label} {n}").as_bytes()).unwrap();
        editor.upsert(format!("{label}/{n}"), gix::objs::tree::EntryKind::Blob, blob).unwrap();
    }
    let tree = editor.write().unwrap();
    let parents = tip.map(ObjectId::raw);
    let commit =
        CommitId::from(handle.new_commit_as(committer(), committer(), label, tree, parents).unwrap().id);
    let stored = writer.store_objects(&handle, &[commit], SystemTime::now()).unwrap();
    let update = RefUpdate {
        name: &name,
        expected: tip,
        new: Some(commit.into()),
        log: log(label),
        durability: Durability::Synced,
        patience: patient(),
    };
    writer.swap(&update).unwrap();
    stored.release(&mut writer).unwrap();
    commit
}

#[test]
fn whatever_was_acknowledged_before_a_kill_is_there_and_the_next_write_succeeds() {
    // This test starts itself once more for each round, as the writer that is to die.
    if let Ok(task) = std::env::var("POSTIL_TEST_WRITE") {
        let (round, dir) = task.split_once(' ').unwrap();
        let repo = Repository::open(Path::new(dir), ConfigScope::Isolated).unwrap();
        let mut acknowledge = std::io::stderr();
        for n in 0.. {
            let files = if n % 3 == 2 { PACK_FROM } else { 2 };
            let commit = add(&repo, &format!("round{round}-{n}"), files);
            writeln!(acknowledge, "acknowledged {commit}").unwrap();
        }
    }
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    let mut acknowledged = Vec::new();
    let notes_lock = repo.common_dir().join("refs/notes/reviews.lock");
    let draft = repo.common_dir().join("postil/lock.new");
    let mut unmoved = 0;
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "acknowledged::whatever_was_acknowledged_before_a_kill_is_there_and_the_next_write_succeeds",
            ])
            .arg("--nocapture")
            .env("POSTIL_TEST_WRITE", format!("{round} {}", checkout.dir.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let answers = round % 3;
        for _ in 0..answers {
            acknowledged
                .extend(lines.next().unwrap().unwrap().strip_prefix("acknowledged ").map(str::to_owned));
        }
        match round % 4 {
            // The objects are written, and the ref is about to move.
            0 => wait_until("the writer is that far", || draft.exists()),
            1 => wait_until("the writer is that far", || notes_lock.exists()),
            // A pack is written, and nothing leads to it.
            2 => wait_until("the writer is that far", || is_kept(&repo)),
            _ => {}
        }
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged.extend(
            lines
                .map_while(Result::ok)
                .filter_map(|line| Some(line.strip_prefix("acknowledged ")?.to_owned())),
        );
        unmoved += usize::from(draft.exists() || notes_lock.exists());

        let next = add(&repo, &format!("after{round}"), 1);
        acknowledged.push(next.to_string());
    }
    let tip = repo.read_ref(&RefName::new(NOTES).unwrap()).unwrap().unwrap();
    let all = history::between(&repo.handle(), None, CommitId::from(tip.raw())).unwrap();
    assert!(all.missing.is_empty());
    for commit in &acknowledged {
        assert!(all.commits.contains(&CommitId::from_hex(commit.as_bytes()).unwrap()), "{commit} was lost");
    }
    assert!(acknowledged.len() > ROUNDS, "the writers wrote");
    assert!(unmoved > 0, "no writer died between its objects and its ref");
    assert!(!is_kept(&repo), "a dead writer's pack is kept for ever");
    checkout.git(&["fsck", "--strict", "--full"]);
}

fn is_kept(repo: &Repository) -> bool {
    let packs = std::fs::read_dir(repo.common_dir().join("objects/pack")).unwrap();
    packs.flatten().any(|entry| entry.path().extension().is_some_and(|ext| ext == "keep"))
}
