//! A notes ref that was moved, replaced or deleted, and what git's rewriting of commits does to the notes.

use postil_core::notes::{Draft, DraftPin, DraftsOf, Home, refs};
use postil_core::record::RecordId;
use postil_testkit::damage::Existed::{Both, Ours};
use postil_testkit::damage::{Held, Reviewed, Table};
use postil_testkit::{Checkout, by_alice, comment};

#[test]
fn a_ref_that_was_reset_comes_back_to_everything() {
    let table = Table::new();
    table.check("to an older commit", Ours, |world| {
        world.repo.git(&["update-ref", refs::NOTES, world.base]);
    });
    table.check("to the other side", Both, |world| {
        world.repo.git(&["update-ref", refs::NOTES, "refs/notes/theirs"]);
    });
    table.check("to an unrelated history", Ours, |world| {
        world.repo.git(&["notes", "--ref=unrelated", "add", "-m", "foreign", "three"]);
        world.repo.git(&["update-ref", refs::NOTES, "refs/notes/unrelated"]);
    });
    table.check("to an empty tree", Ours, |world| {
        let tree = world.repo.git_with(&["mktree"], b"");
        let tree = String::from_utf8(tree).unwrap();
        let commit = world.repo.git(&["commit-tree", tree.trim(), "-p", refs::NOTES, "-m", "nothing"]);
        world.repo.git(&["update-ref", refs::NOTES, &commit]);
    });
    table.check("to the same notes without their history", Ours, |world| {
        let commit = world.repo.git(&["commit-tree", "refs/notes/reviews^{tree}", "-m", "squashed"]);
        world.repo.git(&["update-ref", refs::NOTES, &commit]);
    });
    table.check("back and forth", Ours, |world| {
        let tip = world.repo.git(&["rev-parse", refs::NOTES]);
        world.repo.git(&["update-ref", refs::NOTES, world.base]);
        world.repo.git(&["update-ref", refs::NOTES, &tip]);
    });
}

#[test]
fn a_deleted_ref_comes_back() {
    let table = Table::new();
    table.check("update-ref -d", Ours, |world| {
        world.repo.git(&["update-ref", "-d", refs::NOTES]);
    });
    table.check("fetch --prune with a refspec of notes", Ours, |world| {
        world.repo.git(&["fetch", "-q", "--prune", "origin", "+refs/notes/*:refs/notes/*"]);
        assert!(!world.repo.try_git(&["rev-parse", "-q", "--verify", refs::NOTES]).status.success());
    });
    table.check("deleted while packed", Ours, |world| {
        world.repo.git(&["pack-refs", "--all"]);
        world.repo.git(&["update-ref", "-d", refs::NOTES]);
    });
    table.check("deleted, then begun anew", Ours, |world| {
        world.repo.git(&["update-ref", "-d", refs::NOTES]);
        world.notes(&["add", "-m", "a new beginning", "one"]);
    });
}

#[test]
fn a_deleted_ref_comes_back_as_the_very_commit() {
    let table = Table::new();
    let world = table.row();
    let tip = world.repo.commit_id(refs::NOTES);
    world.repo.git(&["update-ref", "-d", refs::NOTES]);
    let checked = world.repo.store().check(&by_alice()).unwrap();
    assert_eq!((checked.tip, checked.restored), (Some(tip), true));
    assert_eq!(world.repo.commit_id(refs::NOTES), tip);
}

/// Deletes every ref of ours, as `git fetch --prune` from a mirror does.
fn prune(world: &Reviewed<'_>) {
    let refs = world.repo.git(&["for-each-ref", "--format=delete %(refname)", "refs/notes", "refs/postil"]);
    world.repo.git_with(&["update-ref", "--stdin"], format!("{refs}\n").as_bytes());
    assert_eq!(world.repo.git(&["for-each-ref", "refs/notes", "refs/postil"]), "");
}

#[test]
fn notes_come_back_also_when_everything_that_tells_of_them_was_deleted() {
    let table = Table::new();
    table.check("all refs of ours", Ours, prune);
    table.check("all of them, and begun anew by stock git", Ours, |world| {
        prune(world);
        world.notes(&["add", "-m", "a new beginning", "one"]);
    });
    table.check("all of them, and the notes as a mirror has them", Both, |world| {
        let theirs = world.repo.git(&["rev-parse", "refs/notes/theirs"]);
        prune(world);
        world.repo.git(&["update-ref", refs::NOTES, &theirs]);
    });
}

#[test]
fn drafts_and_kept_blobs_come_back_when_their_refs_were_deleted() {
    let table = Table::new();
    let world = table.row();
    let (repo, home) = (&world.repo, Home::On(world.repo.object_id("one")));
    let draft = |text: &str| {
        let pins = vec![DraftPin::Content(format!("the file of {text}").into_bytes())];
        Draft { review: None, home, record: comment(text), pins }
    };
    let said = |repo: &Checkout<'_>| -> Vec<RecordId> {
        repo.store().drafts().unwrap().iter().map(|draft| draft.record.id()).collect()
    };
    repo.store().add_drafts(&[draft("first"), draft("second")], &by_alice()).unwrap();
    let store = repo.store();
    let kept = store.batch().add(home, comment("third")).pin_content(b"not committed\n".to_vec());
    kept.write(&by_alice(), "Comment").unwrap();
    let before = (said(repo), repo.git(&["rev-parse", refs::LOCAL_PINS]));
    prune(&world);
    assert_eq!(said(repo), before.0, "they can be read before anything is written");
    repo.store().check(&by_alice()).unwrap();
    assert_eq!((said(repo), repo.git(&["rev-parse", refs::LOCAL_PINS])), before);

    // What goes because of us does not come back.
    prune(&world);
    repo.store().drop_drafts(&[comment("first").id()], &by_alice()).unwrap();
    assert_eq!(said(repo), [comment("second").id()]);
    prune(&world);
    assert!(repo.store().publish(DraftsOf::Anything, &by_alice(), "Publish").unwrap().is_some());
    assert!(repo.record_ids().contains(&comment("second").id()));
    repo.store().check(&by_alice()).unwrap();
    assert_eq!(said(repo), []);
    assert!(!repo.try_git(&["rev-parse", "-q", "--verify", refs::DRAFTS]).status.success());
}

#[test]
fn a_fetch_over_the_ref_adds_and_takes_nothing() {
    let table = Table::new();
    for (what, refspec) in
        [("one ref", "+refs/notes/reviews:refs/notes/reviews"), ("all notes", "+refs/notes/*:refs/notes/*")]
    {
        table.check(what, Both, |world| {
            world.repo.git(&["push", "-q", "origin", "refs/notes/theirs:refs/notes/reviews"]);
            world.repo.git(&["fetch", "-q", "--prune", "origin", refspec]);
        });
    }
    table.check("an unrelated history", Ours, |world| {
        world.origin.git(&["notes", "--ref=reviews", "add", "-m", "foreign", "main"]);
        world.repo.git(&["fetch", "-q", "origin", "+refs/notes/reviews:refs/notes/reviews"]);
    });
}

#[test]
fn a_replaced_object_changes_nothing_and_what_git_writes_from_it_is_healed() {
    /// Replaces what `rev` names by what `by` names.
    fn replace(world: &Reviewed<'_>, rev: &str, by: &str) {
        world.repo.git(&["replace", rev, by]);
    }
    /// Lets git write a note on top of what it takes for the notes.
    fn and_write(world: &Reviewed<'_>) {
        world.notes(&["append", "-m", "words", "one"]);
    }
    let table = Table::new();
    let commit = |world: &Reviewed<'_>| replace(world, refs::NOTES, world.base);
    let tree = |world: &Reviewed<'_>| {
        replace(world, "refs/notes/reviews^{tree}", &format!("{}^{{tree}}", world.base));
    };
    let blob = |world: &Reviewed<'_>| {
        let (one, two) = (world.notes(&["list", "one"]), world.notes(&["list", "two"]));
        replace(world, &one, &two);
    };
    for (what, replaced) in [("commit", &commit as &dyn Fn(&Reviewed<'_>)), ("tree", &tree), ("blob", &blob)]
    {
        table.check(what, Ours, |world| {
            let before = world.repo.pairs();
            replaced(world);
            assert_eq!(world.repo.pairs(), before, "a reader sees the {what} itself");
        });
        table.check(&format!("{what}, then a write"), Ours, |world| {
            replaced(world);
            and_write(world);
        });
    }
}

/// A way to commit `two` anew, with some configuration, and how the new commit is called then.
type Rewriting = (&'static str, &'static [&'static str], &'static str);

const REWRITINGS: [Rewriting; 2] = [
    ("two", &["commit", "-q", "--amend", "-m", "amended"], "HEAD"),
    ("three", &["rebase", "-q", "--signoff", "one"], "HEAD~"),
];

/// Commits `two` anew where the new commit has a note already.
fn rewrite(world: &Reviewed<'_>, mode: &str, (from, how, became): Rewriting) -> Held {
    // The same rewriting twice gives the same commit: the first time says which, the second copies the note.
    let again = |config: &[&str]| {
        world.repo.git(&["reset", "-q", "--hard", from]);
        world.repo.git(&[config, how].concat());
        world.repo.object_id(became)
    };
    let object = again(&[]);
    let said = comment("on what it will become");
    let blob = world.repo.git_with(&["hash-object", "-w", "--stdin"], said.as_bytes());
    world.notes(&["add", "-C", String::from_utf8(blob).unwrap().trim(), &object.to_string()]);
    let before = world.notes(&["list", &object.to_string()]);
    let mode = format!("notes.rewriteMode={mode}");
    assert_eq!(again(&["-c", &mode, "-c", "notes.rewriteRef=refs/notes/reviews"]), object);
    let copied = world.notes(&["list", &object.to_string()]) != before;
    assert_eq!(copied, mode != "notes.rewriteMode=ignore", "git copies as told");
    Held { records: [(object, said.id())].into(), ..Held::default() }
}

#[test]
fn a_rewritten_commit_takes_nothing_from_the_notes_whatever_the_mode() {
    let table = Table::new();
    for mode in ["overwrite", "concatenate", "cat_sort_uniq", "ignore"] {
        for rewriting in REWRITINGS {
            let what = format!("{:?}, {mode}", rewriting.1);
            table.check_with(&what, Ours, |world| rewrite(world, mode, rewriting));
        }
    }
}

#[test]
fn a_note_that_was_copied_to_a_rewritten_commit_is_the_same_record() {
    let table = Table::new();
    let world = table.row();
    world.repo.git(&["reset", "-q", "--hard", "two"]);
    let before = world.repo.record_ids();
    let amend = ["commit", "-q", "--amend", "-m", "amended"];
    world.repo.git(&[&["-c", "notes.rewriteRef=refs/notes/*"], &amend[..]].concat());
    assert_eq!(world.notes(&["list", "HEAD"]), world.notes(&["list", "two"]), "git copied the note");
    assert_eq!(world.repo.record_ids(), before, "and a reader sees nothing new");
    assert!(!world.repo.store().check(&by_alice()).unwrap().healed());
}
