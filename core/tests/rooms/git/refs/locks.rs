//! Locks: of a running git, of other writers, and of writers that died.

use postil_testkit::wait_until;

use super::*;

#[test]
fn a_foreign_lock_is_respected_and_named() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    swap(&repo, NOTES, None, Some(one)).unwrap();
    let lock = repo.common_dir().join("refs/notes/reviews.lock");
    fs::write(&lock, "").unwrap();
    let brief = Patience::new(Duration::from_millis(30), std::thread::sleep);
    match swap_waiting(&repo, NOTES, Some(one), Some(two), brief) {
        Err(err @ RefError::Locked { .. }) => assert!(err.to_string().contains(lock.to_str().unwrap())),
        other => panic!("{other:?}"),
    }
    assert!(lock.exists(), "a lock that is not ours was removed");
    let note = fs::read_to_string(repo.common_dir().join("postil/writer")).unwrap();
    assert_eq!(note.trim(), "", "a lock that was not taken is still noted");
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(one));

    // Nor does the next writer take it for a dead one's.
    assert!(swap(&repo, NOTES, Some(one), Some(two)).is_err());
    assert!(lock.exists());
    fs::remove_file(&lock).unwrap();
    swap(&repo, NOTES, Some(one), Some(two)).unwrap();
    assert_tidy(&repo);
}

#[test]
fn a_foreign_lock_is_waited_for() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    swap(&repo, NOTES, None, Some(one)).unwrap();
    let lock = repo.common_dir().join("refs/notes/reviews.lock");
    fs::write(&lock, "").unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| swap_waiting(&repo, NOTES, Some(one), Some(two), patient()));
        // The waiting writer has noted its lock by now, so it is waiting.
        wait_until("the other writer is there", || {
            fs::read_to_string(repo.common_dir().join("postil/writer")).is_ok_and(|note| note.contains(NOTES))
        });
        assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(one));
        fs::remove_file(&lock).unwrap();
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(two));
    assert_tidy(&repo);
}

#[test]
fn a_second_writer_waits_for_the_first_and_gives_up_in_time() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let repo = checkout.open();
    let first = WriterLock::acquire(&repo, impatient()).unwrap();
    let same_from_elsewhere = checkout.open();
    match WriterLock::acquire(
        &same_from_elsewhere,
        Patience::new(Duration::from_millis(20), std::thread::sleep),
    ) {
        Err(err @ RefError::Busy { .. }) => assert!(err.to_string().contains("postil/writer")),
        other => panic!("{other:?}"),
    }
    drop(first);
    // Patiently: a process that another test is just starting holds a copy of the lock until it is what it will be.
    WriterLock::acquire(&same_from_elsewhere, patient()).unwrap();
}

#[test]
fn a_dead_writers_lock_is_removed_and_the_next_write_succeeds() {
    // This test starts itself once more, as the writer that is to die.
    if let Ok(task) = std::env::var("POSTIL_TEST_SWAP") {
        let [dir, one, two] = task.lines().collect::<Vec<_>>()[..] else { panic!("{task:?}") };
        let repo = Repository::open(Path::new(dir), ConfigScope::Isolated).unwrap();
        return swap(&repo, NOTES, Some(id(one)), Some(id(two))).unwrap();
    }
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    swap(&repo, NOTES, None, Some(one)).unwrap();

    // A FIFO as reflog stops the writer right after it took the lock; there it is killed.
    let reflog = repo.common_dir().join("logs").join(NOTES);
    fs::remove_file(&reflog).unwrap();
    if !Command::new("mkfifo").arg(&reflog).status().is_ok_and(|status| status.success()) {
        return postil_testkit::skipped("mkfifo");
    }
    let lock = repo.common_dir().join("refs/notes/reviews.lock");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "git::refs::locks::a_dead_writers_lock_is_removed_and_the_next_write_succeeds"])
        .env("POSTIL_TEST_SWAP", format!("{}\n{one}\n{two}", checkout.dir.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the other writer is there", || lock.exists());
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(&reflog).unwrap();
    assert!(lock.exists(), "the dead writer left its lock");
    assert!(!checkout.try_git(&["update-ref", NOTES, &two.to_string()]).status.success());

    swap(&repo, NOTES, Some(one), Some(two)).unwrap();
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(two));
    assert_tidy(&repo);
}

#[test]
fn a_lock_with_a_noted_name_but_another_file_is_not_removed() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, _) = two(&checkout);
    let repo = checkout.open();
    swap(&repo, NOTES, None, Some(one)).unwrap();
    let lock = repo.common_dir().join("refs/notes/reviews.lock");
    fs::write(&lock, "").unwrap();
    let inode = std::os::unix::fs::MetadataExt::ino(&fs::metadata(&lock).unwrap());
    // The same name and inode as a dead writer's, but made at another time: a reused inode.
    fs::write(
        repo.common_dir().join("postil/writer"),
        format!("{inode} 1700000000000000000 refs/notes/reviews.lock\n"),
    )
    .unwrap();
    drop(WriterLock::acquire(&repo, impatient()).unwrap());
    assert!(lock.exists());
}

#[test]
fn many_writers_count_without_losing_one() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let refname = name("refs/postil/counter");
    checkout.git(&["config", "core.logAllRefUpdates", "always"]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let repo = checkout.open();
                for _ in 0..25 {
                    loop {
                        let old = repo.read_ref(&refname).unwrap();
                        let new = Some(if old == Some(one) { two } else { one });
                        match swap_waiting(&repo, "refs/postil/counter", old, new, patient()) {
                            Ok(()) => break,
                            Err(RefError::Raced { .. }) => {}
                            Err(err) => panic!("{err}"),
                        }
                    }
                }
            });
        }
        // One after the other: git beside git loses moves by itself. It reads the packed refs before it has the lock,
        // and takes them for unchanged if inode, size and second are, as after two rewrites where inodes are reused.
        scope.spawn(|| {
            let repo = checkout.open();
            let mut moved = 0;
            while moved < 10 {
                checkout.git(&["pack-refs", "--all", "--prune"]);
                let Some(old) = repo.read_ref(&refname).unwrap() else { continue };
                let new = if old == one { two } else { one };
                let args = ["update-ref", "refs/postil/counter", &new.to_string(), &old.to_string()];
                moved += usize::from(checkout.try_git(&args).status.success());
            }
        });
    });
    let log = fs::read_to_string(checkout.dir.join(".git/logs/refs/postil/counter")).unwrap();
    let moves: Vec<(&str, &str)> = log.lines().map(|line| (&line[..40], &line[41..81])).collect();
    assert_eq!(moves.len(), 110);
    let broken = moves.windows(2).find(|pair| pair[0].1 != pair[1].0);
    assert_eq!(broken, None, "each begins where the one before ended:\n{log}");
    let repo = checkout.open();
    // They alternate between the two, from nothing.
    assert_eq!(repo.read_ref(&refname).unwrap(), Some(two));
    assert_tidy(&repo);
}

#[test]
fn without_hard_links_a_lock_is_made_in_place() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    // No file system here lacks hard links, but none links to another one either.
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else {
        return postil_testkit::skipped("a second file system");
    };
    let postil = repo.common_dir().join("postil");
    std::os::unix::fs::symlink(elsewhere.path(), &postil).unwrap();
    fs::write(postil.join("probe"), "").unwrap();
    if fs::hard_link(postil.join("probe"), repo.common_dir().join("probe")).is_ok() {
        return postil_testkit::skipped("a second file system");
    }
    swap(&repo, NOTES, None, Some(one)).unwrap();
    swap(&repo, NOTES, Some(one), Some(two)).unwrap();
    assert_eq!(checkout.git(&["rev-parse", NOTES]), two.to_string());
    let lock = repo.common_dir().join("refs/notes/reviews.lock");
    fs::write(&lock, "").unwrap();
    assert!(matches!(swap(&repo, NOTES, Some(two), Some(one)), Err(RefError::Locked { .. })));
    assert!(lock.exists());
    fs::remove_file(lock).unwrap();
    assert_tidy(&repo);
}
