//! Moving refs beside a running git, and after writers that died.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use postil_core::git::{
    Durability, ObjectId, Patience, RefError, RefName, RefUpdate, Repository, Settings, WriterLock,
};
use support::{Checkout, Sandbox, impatient, log, patient};

const NOTES: &str = "refs/notes/reviews";

fn name(text: &str) -> RefName {
    RefName::new(text).unwrap()
}

fn id(hex: &str) -> ObjectId {
    ObjectId::from_hex(hex.as_bytes()).unwrap()
}

/// Two commits of the sandbox to move refs between.
fn two(checkout: &Checkout<'_>) -> (ObjectId, ObjectId) {
    let one = checkout.git(&["rev-parse", "HEAD"]);
    (id(&one), id(&checkout.commit("file", "other\n")))
}

fn swap(
    repo: &Repository,
    refname: &str,
    expected: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<(), RefError> {
    swap_waiting(repo, refname, expected, new, impatient())
}

fn swap_waiting(
    repo: &Repository,
    refname: &str,
    expected: Option<ObjectId>,
    new: Option<ObjectId>,
    patience: Patience,
) -> Result<(), RefError> {
    let name = name(refname);
    let update = RefUpdate {
        name: &name,
        expected,
        new,
        log: log("postil: test"),
        durability: Durability::Synced,
        patience,
    };
    WriterLock::acquire(repo, patient())?.swap(&update)
}

/// No lock, draft or half-written file may be left by anything that is not killed.
fn assert_tidy(repo: &Repository) {
    let mut dirs = vec![repo.common_dir().to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let temporary = path.extension().is_some_and(|ext| ext == "lock" || ext == "new");
            assert!(!temporary, "{} is left", path.display());
            if path.is_dir() {
                dirs.push(path);
            }
        }
    }
    let note = fs::read_to_string(repo.common_dir().join("postil/writer")).unwrap();
    assert_eq!(note.trim(), "", "the writer still notes a lock");
}

#[test]
fn a_ref_is_made_moved_and_deleted_and_git_sees_each_step() {
    let sandbox = Sandbox::new();
    for (dir, args) in [("sha1", &[][..]), ("sha256", &["--object-format=sha256"])] {
        let checkout = sandbox.init(dir, args);
        checkout.commit("file", "content\n");
        let (one, two) = two(&checkout);
        let repo = checkout.open();
        assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), None);

        swap(&repo, NOTES, None, Some(one)).unwrap();
        assert_eq!(checkout.git(&["rev-parse", NOTES]), one.to_string());
        assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(one));

        swap(&repo, NOTES, Some(one), Some(two)).unwrap();
        assert_eq!(checkout.git(&["rev-parse", NOTES]), two.to_string());

        swap(&repo, NOTES, Some(two), None).unwrap();
        assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), None);
        assert!(!checkout.try_git(&["rev-parse", "--verify", "-q", NOTES]).status.success());
        assert_tidy(&repo);
    }
}

#[test]
fn a_ref_that_moved_meanwhile_stays_where_it_is() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    checkout.git(&["update-ref", NOTES, &two.to_string()]);
    let check = |expected, new| match swap(&repo, NOTES, expected, new) {
        Err(RefError::Raced { expected: e, found, .. }) => assert_eq!((e, found), (expected, Some(two))),
        other => panic!("{other:?}"),
    };
    check(None, Some(one));
    check(Some(one), Some(two));
    check(Some(one), None);
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(two));
    assert!(matches!(
        swap(&repo, "refs/notes/none", Some(one), Some(two)),
        Err(RefError::Raced { found: None, .. })
    ));
    assert_tidy(&repo);
}

#[test]
fn the_reflog_reads_as_if_git_had_written_it() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    swap(&repo, NOTES, None, Some(one)).unwrap();
    swap(&repo, NOTES, Some(one), Some(two)).unwrap();
    for (new, old) in [(one, "0".repeat(40)), (two, one.to_string())] {
        checkout.git(&["update-ref", "-m", " postil:\n\ttest ", "refs/notes/git", &new.to_string(), &old]);
    }
    let logs = checkout.dir.join(".git/logs/refs/notes");
    assert_eq!(
        fs::read_to_string(logs.join("reviews")).unwrap(),
        fs::read_to_string(logs.join("git")).unwrap()
    );
    let shown = checkout.git(&["reflog", "show", "--format=%H %gs", NOTES]);
    assert_eq!(shown, format!("{two} postil: test\n{one} postil: test"));
}

#[test]
fn a_reflog_is_kept_where_git_keeps_one() {
    let sandbox = Sandbox::new();
    let has_log = |checkout: &Checkout<'_>, refname: &str| {
        let repo = checkout.open();
        let tip = id(&checkout.git(&["rev-parse", "HEAD"]));
        swap(&repo, refname, None, Some(tip)).unwrap();
        let by_git = format!("{refname}-by-git");
        checkout.git(&["update-ref", "-m", "x", &by_git, &tip.to_string()]);
        let logs = repo.common_dir().join("logs");
        assert_eq!(logs.join(refname).exists(), logs.join(by_git).exists(), "{refname}");
        logs.join(refname).exists()
    };
    let checkout = sandbox.repo("repo");
    assert!(has_log(&checkout, NOTES));
    assert!(!has_log(&checkout, "refs/postil/known"));
    checkout.git(&["config", "core.logAllRefUpdates", "always"]);
    assert!(has_log(&checkout, "refs/postil/second"));
    checkout.git(&["config", "core.logAllRefUpdates", "false"]);
    assert!(!has_log(&checkout, "refs/notes/third"));

    sandbox.git(&["clone", "-q", "--bare", "repo", "bare"]);
    let bare = sandbox.at("bare");
    assert!(!has_log(&bare, NOTES));
    fs::create_dir_all(bare.dir.join("logs/refs/notes")).unwrap();
    fs::write(bare.dir.join("logs/refs/notes/fourth"), "").unwrap();
    fs::write(bare.dir.join("logs/refs/notes/fourth-by-git"), "").unwrap();
    assert!(has_log(&bare, "refs/notes/fourth"));
    assert_ne!(fs::read_to_string(bare.dir.join("logs/refs/notes/fourth")).unwrap(), "");
}

#[test]
fn packed_refs_are_read_hidden_and_deleted() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    checkout.git(&["tag", "-a", "-m", "tagged", "v1"]);
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    swap(&repo, NOTES, None, Some(one)).unwrap();
    checkout.git(&["pack-refs", "--all"]);
    assert!(!checkout.dir.join(".git").join(NOTES).exists());
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(one));

    swap(&repo, NOTES, Some(one), Some(two)).unwrap();
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(two));

    let before = checkout.git(&["for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"]);
    swap(&repo, NOTES, Some(two), None).unwrap();
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), None);
    let after = checkout.git(&["for-each-ref", "--format=%(refname) %(objectname) %(*objectname)"]);
    let expected: Vec<&str> = before.lines().filter(|line| !line.starts_with(NOTES)).collect();
    assert_eq!(after.lines().collect::<Vec<_>>(), expected);
    checkout.git(&["fsck", "--strict"]);
    checkout.git(&["pack-refs", "--all"]);
    assert_tidy(&repo);
}

#[test]
fn packed_refs_rewritten_within_one_tick_are_seen() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    swap(&repo, NOTES, None, Some(one)).unwrap();
    checkout.git(&["pack-refs", "--all"]);
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(one));
    let packed = checkout.dir.join(".git/packed-refs");
    let modified = fs::metadata(&packed).unwrap().modified().unwrap();
    let text = fs::read_to_string(&packed).unwrap();
    fs::write(&packed, text.replace(&format!("{one} {NOTES}"), &format!("{two} {NOTES}"))).unwrap();
    fs::File::options().write(true).open(&packed).unwrap().set_modified(modified).unwrap();
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(two));
}

#[test]
fn refs_below_a_prefix_are_listed_from_both_places() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    for refname in ["refs/postil/a", "refs/postil/deep/b", "refs/postil/deep/er/c", "refs/postilion"] {
        checkout.git(&["update-ref", refname, &one.to_string()]);
    }
    checkout.git(&["pack-refs", "--all"]);
    checkout.git(&["update-ref", "refs/postil/deep/b", &two.to_string()]);
    checkout.git(&["update-ref", "refs/postil/z", &two.to_string()]);
    checkout.git(&["symbolic-ref", "refs/postil/symbol", "refs/heads/main"]);
    fs::write(repo.common_dir().join("refs/postil/broken"), "").unwrap();
    fs::write(repo.common_dir().join("refs/postil/z.lock"), "").unwrap();

    for prefix in ["refs/postil", "refs/postil/"] {
        let list = repo.list_refs(prefix).unwrap();
        let found: Vec<(String, ObjectId)> =
            list.refs.into_iter().map(|(name, id)| (name.to_string(), id)).collect();
        let expected = [
            ("refs/postil/a", one),
            ("refs/postil/deep/b", two),
            ("refs/postil/deep/er/c", one),
            ("refs/postil/z", two),
        ];
        assert_eq!(found, expected.map(|(name, id)| (name.to_owned(), id)));
        assert_eq!(list.broken, [repo.common_dir().join("refs/postil/broken")]);
    }
    assert!(repo.list_refs("refs/none").unwrap().refs.is_empty());
}

#[test]
fn refs_of_a_linked_work_tree_are_those_of_the_repository() {
    let sandbox = Sandbox::new();
    let main = sandbox.repo("repo");
    let (one, _) = two(&main);
    main.git(&["worktree", "add", "-q", "../linked"]);
    let linked = sandbox.at("linked").open();
    swap(&linked, NOTES, None, Some(one)).unwrap();
    assert_eq!(main.open().read_ref(&name(NOTES)).unwrap(), Some(one));
    assert_eq!(main.git(&["rev-parse", NOTES]), one.to_string());
    assert!(main.dir.join(".git/logs").join(NOTES).exists());
    assert!(main.dir.join(".git/postil/writer").exists());
}

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
        until(|| {
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
        let repo = Repository::open(Path::new(dir), Settings::Isolated).unwrap();
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
        return support::skipped("mkfifo");
    }
    let lock = repo.common_dir().join("refs/notes/reviews.lock");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_dead_writers_lock_is_removed_and_the_next_write_succeeds"])
        .env("POSTIL_TEST_SWAP", format!("{}\n{one}\n{two}", checkout.dir.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(|| lock.exists());
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
        return support::skipped("a second file system");
    };
    let postil = repo.common_dir().join("postil");
    std::os::unix::fs::symlink(elsewhere.path(), &postil).unwrap();
    fs::write(postil.join("probe"), "").unwrap();
    if fs::hard_link(postil.join("probe"), repo.common_dir().join("probe")).is_ok() {
        return support::skipped("a second file system");
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

#[test]
fn empty_directories_in_the_way_are_removed_and_refs_are_not() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    fs::create_dir_all(repo.common_dir().join("refs/notes/reviews/left/over")).unwrap();
    fs::create_dir_all(repo.common_dir().join("logs/refs/notes/reviews/left")).unwrap();
    swap(&repo, NOTES, None, Some(one)).unwrap();
    assert_eq!(repo.read_ref(&name(NOTES)).unwrap(), Some(one));

    let conflict = |refname: &str| match swap(&repo, refname, None, Some(two)) {
        Err(RefError::Conflict { other, .. }) => other,
        other => panic!("{refname}: {other:?}"),
    };
    assert_eq!(conflict("refs/notes/reviews/below"), NOTES);
    checkout.git(&["pack-refs", "--all"]);
    assert_eq!(conflict("refs/notes/reviews/below"), NOTES);

    checkout.git(&["update-ref", "refs/postil/dir/ref", &one.to_string()]);
    assert!(conflict("refs/postil/dir").contains("refs/postil/dir"));
    checkout.git(&["pack-refs", "--all"]);
    assert_eq!(conflict("refs/postil/dir"), "refs/postil/dir/ref");
    assert_tidy(&repo);
}

#[test]
fn symbolic_and_broken_refs_are_left_alone() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, two) = two(&checkout);
    let repo = checkout.open();
    checkout.git(&["symbolic-ref", NOTES, "refs/notes/other"]);
    assert!(matches!(swap(&repo, NOTES, None, Some(one)), Err(RefError::Symbolic { .. })));
    assert!(matches!(repo.read_ref(&name(NOTES)), Err(RefError::Symbolic { .. })));
    assert_eq!(checkout.git(&["symbolic-ref", NOTES]), "refs/notes/other");

    fs::write(repo.common_dir().join("refs/notes/broken"), "no id\n").unwrap();
    let err = swap(&repo, "refs/notes/broken", Some(one), Some(two)).unwrap_err();
    assert!(matches!(&err, RefError::Broken { path } if path.ends_with("refs/notes/broken")), "{err}");
    assert_tidy(&repo);
}

#[test]
fn deleting_leaves_no_empty_directories_behind() {
    let sandbox = Sandbox::new();
    let checkout = sandbox.repo("repo");
    let (one, _) = two(&checkout);
    checkout.git(&["config", "core.logAllRefUpdates", "always"]);
    let repo = checkout.open();
    swap(&repo, "refs/postil/drafts/deep/one", None, Some(one)).unwrap();
    assert!(repo.common_dir().join("logs/refs/postil/drafts/deep/one").exists());
    swap(&repo, "refs/postil/drafts/deep/one", Some(one), None).unwrap();
    assert!(repo.common_dir().join("refs/postil").exists());
    assert!(!repo.common_dir().join("refs/postil/drafts").exists());
    assert!(!repo.common_dir().join("logs/refs/postil/drafts").exists());
}

#[test]
fn a_shared_repository_stays_writable_for_the_group() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let checkout = sandbox.init("repo", &["--shared=group"]);
    let one = id(&checkout.commit("file", "content\n"));
    let repo = checkout.open();
    swap(&repo, NOTES, None, Some(one)).unwrap();
    for (path, mode) in [
        ("postil", 0o2070),
        ("postil/writer", 0o060),
        ("refs/notes", 0o2070),
        ("refs/notes/reviews", 0o060),
        ("logs/refs/notes", 0o2070),
        ("logs/refs/notes/reviews", 0o060),
    ] {
        let found = fs::metadata(repo.common_dir().join(path)).unwrap().permissions().mode();
        assert_eq!(found & mode, mode, "{path} has mode {found:o}");
    }
}

fn until(condition: impl Fn() -> bool) {
    let started = std::time::Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(30), "it never happened");
        std::thread::yield_now();
    }
}
