//! Moving refs beside a running git, and after writers that died.

mod locks;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use postil_core::git::{
    ConfigScope, Durability, ObjectId, Patience, RefError, RefName, RefUpdate, Repository, WriterLock,
};
use postil_testkit::{Checkout, Sandbox, impatient, log, patient};

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
