//! What `git notes` does to the notes, and that nothing is lost by it.

use postil_core::notes::{Home, refs};
use postil_testkit::damage::Existed::{Both, Ours};
use postil_testkit::damage::{Held, Reviewed, Table};
use postil_testkit::{Sandbox, by_alice, comment};

const THEIRS: &str = "refs/notes/theirs";

#[test]
fn a_comment_is_read_back_and_stock_git_shows_the_note() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let written = repo.say("HEAD", "why?");
    assert_eq!(repo.record_ids().into_iter().collect::<Vec<_>>(), written.ids);
    assert_eq!(
        repo.git(&["notes", "--ref=reviews", "list"]).split(' ').nth(1),
        Some(&*repo.git(&["rev-parse", "HEAD"]))
    );
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn a_healing_commit_says_what_it_is_and_names_the_way_to_remove_for_good() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "why?");
    repo.git(&["notes", "--ref=reviews", "remove", "HEAD"]);
    let checked = repo.store().check(&by_alice()).unwrap();
    assert_eq!((checked.records, checked.pins, checked.restored), (1, 0, false));
    let message = repo.git(&["log", "-1", "--format=%B", refs::NOTES]);
    assert!(message.starts_with("Restore 1 record missing from the notes\n\n"), "{message}");
    assert!(message.contains("postil purge"), "{message}");
}

#[test]
fn a_merge_of_notes_keeps_both_sides_whatever_the_strategy() {
    let table = Table::new();
    for strategy in ["union", "ours", "theirs", "cat_sort_uniq"] {
        table.check(strategy, Both, |world| {
            world.notes(&["merge", "-q", "-s", strategy, THEIRS]);
        });
    }
}

/// Leaves the note of `one` as a conflict, and merges the others.
fn begin(world: &Reviewed<'_>) -> std::path::PathBuf {
    let merged = world.repo.try_git(&["notes", "--ref=reviews", "merge", "-s", "manual", THEIRS]);
    assert_eq!(merged.status.code(), Some(1), "both sides have a note there");
    let one = world.repo.git(&["rev-parse", "one"]);
    world.repo.dir.join(".git/NOTES_MERGE_WORKTREE").join(one)
}

#[test]
fn a_merge_of_notes_by_hand_keeps_both_sides_whatever_the_hand_left() {
    let table = Table::new();
    table.check("conflict markers", Both, |world| {
        assert!(begin(world).is_file());
        world.repo.git(&["notes", "merge", "--commit"]);
    });
    table.check("somebody's words", Both, |world| {
        std::fs::write(begin(world), "what I think of both\n").unwrap();
        world.repo.git(&["notes", "merge", "--commit"]);
    });
    table.check("nothing", Both, |world| {
        std::fs::remove_file(begin(world)).unwrap();
        world.repo.git(&["notes", "merge", "--commit"]);
    });
    table.check("an abandoned merge", Ours, |world| {
        begin(world);
        world.repo.git(&["notes", "merge", "--abort"]);
    });
}

#[test]
fn words_that_were_appended_cost_nothing() {
    let table = Table::new();
    for how in [&[][..], &["--no-stripspace"], &["--no-separator"], &["--no-separator", "--no-stripspace"]] {
        table.check(&format!("append {how:?}"), Ours, |world| {
            world.notes(&[&["append", "-m", "  and another thing \n\n\n"], how, &["one"]].concat());
            world.notes(&[&["append", "-m", "on a commit without a note"], how, &["three"]].concat());
        });
    }
    table.check("append a note to a note", Ours, |world| {
        let note = world.notes(&["list", "one"]);
        world.notes(&["append", "-C", &note, "two"]);
        world.notes(&["append", "--no-separator", "-C", &note, "two"]);
    });
}

#[test]
fn an_edited_note_gets_its_records_back() {
    let table = Table::new();
    for editor in ["sed -i -e 1d", "sed -i -e '$a words'", "truncate -s 20", "truncate -s 0"] {
        table.check(editor, Ours, |world| {
            let editor = format!("core.editor={editor}");
            // Git removes a note that was emptied.
            world.repo.git(&["-c", &editor, "notes", "--ref=reviews", "edit", "one"]);
        });
    }
    table.check("add -f", Ours, |world| {
        world.notes(&["add", "-f", "-m", "only this", "one"]);
    });
}

#[test]
fn a_note_that_was_overwritten_removed_or_pruned_comes_back() {
    let table = Table::new();
    table.check("copy", Ours, |world| {
        world.notes(&["copy", "one", "three"]);
    });
    table.check("copy -f", Ours, |world| {
        world.notes(&["copy", "-f", "two", "one"]);
    });
    table.check("remove", Ours, |world| {
        world.notes(&["remove", "one", "two"]);
    });
    table.check("remove, then write there again", Ours, |world| {
        world.notes(&["remove", "one", "two"]);
        world.notes(&["add", "-m", "instead", "one"]);
    });
    table.check("prune", Ours, |world| {
        for args in [
            &["tag", "-d", "two", "three"][..],
            &["reset", "-q", "--hard", "one"],
            &["update-ref", "-d", "refs/remotes/origin/main"],
            &["reflog", "expire", "--expire=now", "--all"],
            &["gc", "-q", "--prune=now"],
        ] {
            world.repo.git(args);
        }
        world.notes(&["prune"]);
        assert_eq!(world.notes(&["list"]).lines().count(), 1, "the other commit is gone");
    });
}

#[test]
fn records_that_only_a_parent_of_the_tip_has_come_back() {
    let table = Table::new();
    table.check("a commit that drops what its parent brought", Ours, |world| {
        // As two racing `git notes append` leave it: the tree of one, the parent of both.
        let repo = &world.repo;
        let before = repo.git(&["rev-parse", "refs/notes/reviews^{tree}"]);
        world.notes(&["append", "-m", "the first of two", "one"]);
        world.notes(&["remove", "one"]);
        world.notes(&["append", "-m", "the second of two", "three"]);
        let racing = repo.git(&["commit-tree", &before, "-p", refs::NOTES, "-m", "raced"]);
        repo.git(&["update-ref", refs::NOTES, &racing]);
    });
}

#[test]
fn a_record_that_stock_git_brought_and_lost_again_comes_back() {
    let table = Table::new();
    table.check_with("a raced append of a record", Ours, |world| {
        let repo = &world.repo;
        let before = repo.git(&["rev-parse", "refs/notes/reviews^{tree}"]);
        let said = comment("appended by a script");
        let blob = repo.git_with(&["hash-object", "-w", "--stdin"], said.as_bytes());
        let blob = String::from_utf8(blob).unwrap();
        world.notes(&["append", "-C", blob.trim(), "two"]);
        let racing = repo.git(&["commit-tree", &before, "-p", refs::NOTES, "-m", "raced"]);
        repo.git(&["update-ref", refs::NOTES, &racing]);
        let pair = (repo.object_id("two"), said.id());
        Held { records: [pair].into(), ..Default::default() }
    });
}

#[test]
fn whatever_racing_appends_left_reachable_is_there() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "before");
    let append = |n: u32| {
        let blob =
            repo.git_with(&["hash-object", "-w", "--stdin"], comment(&format!("racing {n}")).as_bytes());
        let blob = String::from_utf8(blob).unwrap();
        let target = if n.is_multiple_of(3) { "HEAD:file" } else { "HEAD" };
        // Some find the ref locked and fail; others succeed and lose what somebody else wrote.
        repo.try_git(&["notes", "--ref=reviews", "append", "-C", blob.trim(), target]);
    };
    for round in 0..4 {
        std::thread::scope(|scope| {
            for n in 0..3 {
                scope.spawn(move || append(round * 3 + n));
            }
        });
    }
    let mut reachable = repo.pairs();
    let tip = repo.git(&["rev-parse", refs::NOTES]);
    for commit in repo.git(&["rev-list", refs::NOTES]).lines() {
        repo.git(&["update-ref", refs::NOTES, commit]);
        reachable.extend(repo.pairs());
    }
    repo.git(&["update-ref", refs::NOTES, &tip]);
    repo.store().check(&by_alice()).unwrap();
    assert_eq!(repo.pairs(), reachable);
    assert!(reachable.len() > 1, "some of them wrote");
}

#[test]
fn healing_leaves_every_other_note_as_it_is() {
    let table = Table::new();
    let world = table.row();
    world.notes(&["append", "-m", "words", "two"]);
    let (two, words) = (world.notes(&["list", "two"]), world.notes(&["list"]));
    world.notes(&["remove", "one"]);
    world.repo.store().check(&by_alice()).unwrap();
    assert_eq!(world.notes(&["list", "two"]), two, "never reordered for its own sake");
    assert_eq!(world.notes(&["list"]), words, "what came back is the very note");
    let home = Home::On(world.repo.object_id("three"));
    world.repo.store().batch().add(home, comment("else")).write(&by_alice(), "Comment").unwrap();
    assert_eq!(world.notes(&["list", "two"]), two);
}
