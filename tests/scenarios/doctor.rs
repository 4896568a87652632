//! `postil doctor` finds what is wrong, says what to do, and mends what it is asked to mend.

use crate::support::served::Served;
use crate::support::world::{Checkout, World};

fn commented(world: &World) -> Checkout<'_> {
    let ann = world.repository("ann");
    ann.write("a.txt", "one\ntwo\nthree\n");
    ann.commit("first");
    ann.postil("comment a.txt:2 -m 'why two?'").code(0);
    ann
}

#[test]
fn a_sound_repository_is_told_to_be_sound() {
    let world = World::new();
    let ann = commented(&world);
    let told = ann.postil("doctor").code(0).stdout();
    assert!(told.ends_with("checked 1 record, no problems found\n"), "{told}");
    let json = ann.postil("doctor --json").code(0).stdout();
    assert!(json.starts_with(r#"{"version":1,"findings":["#), "{json}");
}

#[test]
fn notes_that_were_written_over_are_found_and_brought_back() {
    let world = World::new();
    let ann = commented(&world);
    ann.git("update-ref -d refs/notes/reviews");
    let told = ann.postil("doctor");
    assert!(
        told.code(1).stdout().contains("problem: store: refs/notes/reviews was deleted"),
        "{}",
        told.stdout()
    );
    let fixed = ann.postil("doctor --fix").code(0).stdout();
    assert!(fixed.contains("fixed: store: refs/notes/reviews had been removed"), "{fixed}");
    assert!(ann.postil("list").code(0).stdout().contains("why two?"));
    ann.git("update-ref refs/notes/reviews HEAD");
    assert!(ann.postil("doctor").code(1).stdout().contains("was overwritten"));
}

#[test]
fn whatever_is_done_to_the_ref_of_the_notes_nobody_sees_them_empty() {
    let world = World::new();
    let _served = Served(&world);
    let ann = commented(&world);
    let tip = ann.git("rev-parse refs/notes/reviews");
    let file = ann.folder.join(".git/refs/notes/reviews");
    let blob = ann.git("hash-object -w a.txt");
    let tree = ann.git("rev-parse HEAD^{tree}");
    let nothing = "1".repeat(40);
    ann.git("commit --quiet --allow-empty -m second");
    for (how, content) in [
        ("deleted", None),
        ("empty", Some("")),
        ("a blob", Some(blob.as_str())),
        ("a tree", Some(tree.as_str())),
        ("nothing that is here", Some(nothing.as_str())),
        ("a commit of code", Some(ann.git("rev-parse HEAD")).as_deref()),
    ] {
        for is_served in [true, false] {
            match content {
                Some(content) => std::fs::write(&file, format!("{content}\n")).expect("a ref is a file"),
                None => std::fs::remove_file(&file).expect("a ref is a file"),
            }
            let listed = if is_served { ann.served("list") } else { ann.postil("list") };
            assert!(listed.code(0).stdout().contains("why two?"), "{how}: {}", listed.stderr());
            // What was put there does not travel with the notes.
            assert!(!ann.git("ls-tree -r --name-only refs/notes/reviews").contains("a.txt"), "{how}");
            assert_eq!(ann.git("rev-list --count HEAD..refs/notes/reviews"), "1", "{how}");
            // A daemon may be at it as well.
            ann.git(&format!("update-ref refs/notes/reviews {tip}"));
            ann.served("list").code(0);
        }
    }
}

#[test]
fn notes_that_cannot_be_brought_back_are_read_where_they_were() {
    let world = World::new();
    let _served = Served(&world);
    let ann = commented(&world);
    ann.served("list").code(0);
    // Nobody can write there, not even root.
    let (ours, away) = (ann.folder.join(".git/postil"), ann.folder.join(".git/away"));
    std::fs::rename(&ours, &away).expect("it is ours");
    std::fs::write(&ours, "").expect("nothing is there");
    ann.git("update-ref -d refs/notes/reviews");
    let listed = || [ann.served("list"), ann.postil("list")].map(|told| told.code(0).stdout());
    assert!(listed().iter().all(|told| told.contains("why two?")), "{:?}", listed());
    assert_eq!(ann.try_git("rev-parse --verify --quiet refs/notes/reviews").status.code(), Some(1));
    std::fs::remove_file(&ours).expect("it was put there");
    std::fs::rename(&away, &ours).expect("it was there");
    assert!(listed().iter().all(|told| told.contains("why two?")), "{:?}", listed());
    ann.git("rev-parse --verify --quiet refs/notes/reviews");
}

#[test]
fn a_history_of_the_notes_that_is_not_whole_is_told() {
    let world = World::new();
    let ann = commented(&world);
    for line in [1, 3] {
        ann.postil(&format!("comment a.txt:{line} -m 'why {line}?'")).code(0);
    }
    let bob = world.clone_of(&ann, "bob");
    bob.git("fetch --quiet origin refs/notes/reviews:refs/notes/reviews");
    let middle = ann.git("rev-parse refs/notes/reviews~1");
    ann.forget_kept();
    std::fs::remove_file(ann.folder.join(format!(".git/objects/{}/{}", &middle[..2], &middle[2..])))
        .expect("a new commit is an object by itself");
    let told = ann.postil("doctor").code(1).stdout();
    assert!(
        told.contains(&format!("the history of refs/notes/reviews is missing 1 commit, such as {middle}")),
        "{told}"
    );
    assert_eq!(ann.postil("list").code(0).stdout().lines().count(), 3);
    ann.git("fetch --quiet --refetch ../bob refs/notes/reviews");
    ann.postil("doctor").code(0);
}

#[test]
fn a_note_whose_content_is_missing_is_told() {
    let world = World::new();
    let ann = commented(&world);
    let blob = ann.git("notes --ref reviews list HEAD");
    let file = ann.folder.join(format!(".git/objects/{}/{}", &blob[..2], &blob[2..]));
    ann.forget_kept();
    std::fs::remove_file(file).expect("a new note is an object by itself");
    let told = ann.postil("doctor");
    assert!(
        told.code(1).stdout().contains("problem: store: 1 note whose content is missing"),
        "{}",
        told.stdout()
    );
    assert!(told.stdout().contains("git fsck"), "{}", told.stdout());
    assert_eq!(ann.postil("status --short").code(0).stdout(), "incomplete\n", "a prompt has one word for it");
}

#[test]
fn words_in_notes_that_nobody_can_read_are_told_before_and_after_they_are_taken_in() {
    let world = World::new();
    let ann = commented(&world);
    ann.git("notes --ref=reviews append -m junk HEAD");
    let told = ann.postil("doctor").code(1).stdout();
    assert!(told.contains("problem: store: 1 piece of foreign text\n"), "{told}");
    let told = ann.postil("status").code(0).stderr();
    assert!(told.contains("warning: the notes contain 1 piece of foreign text\n"), "{told}");
    ann.postil("comment a.txt:3 -m 'and three?'").code(0);
    let told = ann.postil("doctor").code(0).stdout();
    let head = ann.git("rev-parse HEAD");
    assert!(told.contains("note: store: 1 note with text that postil did not write"), "{told}");
    assert!(told.contains(&format!("see `git notes --ref=refs/notes/reviews show {head}`")), "{told}");
}

#[test]
fn entries_that_git_refuses_are_told_by_their_names() {
    let world = World::new();
    let ann = commented(&world);
    let blob = ann.git("hash-object -w a.txt");
    let sh = |line: &str| {
        let done = ann.command("sh").args(["-c", line]).output().expect("a shell");
        String::from_utf8(done.stdout).expect("plain text").trim_end().to_owned()
    };
    let tree = sh(&format!(
        r"{{ git ls-tree refs/notes/reviews; printf '100644 blob %s\t.GIT\n' {blob}; }} | git mktree"
    ));
    let forged = ann.git(&format!("commit-tree -m forged -p refs/notes/reviews {tree}"));
    ann.git(&format!("update-ref refs/notes/reviews {forged}"));
    let told = ann.postil("doctor").code(1).stdout();
    let there = r#"entries of refs/notes/reviews that git refuses, such as ".GIT""#;
    assert!(told.contains(there), "{told}");
    ann.postil("comment a.txt:3 -m 'and three?'").code(0);
    let told = ann.postil("doctor").code(0).stdout();
    let gone = r#"entries were left out of refs/notes/reviews, such as ".GIT""#;
    assert!(told.contains(gone), "{told}");
}

#[test]
fn settings_that_would_do_harm_are_found_and_the_merge_strategy_is_set() {
    let world = World::new();
    let ann = commented(&world);
    ann.git("remote add origin ../nowhere");
    ann.git("config remote.origin.mirror true");
    ann.git("config --add remote.origin.fetch +refs/notes/*:refs/notes/*");
    ann.git("config postil.autosync always");
    let told = ann.postil("doctor").code(1).stdout();
    for sign in [
        "notes.reviews.mergeStrategy is not set",
        "`git push origin` pushes all refs",
        "`git fetch` overwrites refs/notes/reviews: +refs/notes/*:refs/notes/*",
        "postil.autosync is \"always\"",
    ] {
        assert!(told.contains(sign), "{sign}: {told}");
    }
    let fixed = ann.postil("doctor --fix").code(1).stdout();
    assert!(fixed.contains("fixed: settings: notes.reviews.mergeStrategy"), "{fixed}");
    assert_eq!(ann.git("config notes.reviews.mergeStrategy"), "union");
    ann.git("config --unset remote.origin.mirror");
    ann.git("config postil.autosync on-push");
    ann.git("config --unset-all --fixed-value remote.origin.fetch +refs/notes/*:refs/notes/*");
    ann.postil("doctor").code(0);
}

#[test]
fn settings_that_nobody_understands_are_told() {
    let world = World::new();
    let ann = commented(&world);
    ann.git("config notes.reviews.mergeStrategy union");
    ann.git("config postil.daemon never");
    ann.git("config postil.autosync 10m");
    ann.postil("doctor").code(0);
    ann.git("config postil.daemon of");
    ann.git("config postil.autosync weekly");
    let told = ann.postil("doctor").code(1).stdout();
    for sign in
        [r#"problem: settings: postil.daemon is "of""#, r#"problem: settings: postil.autosync is "weekly""#]
    {
        assert!(told.contains(sign), "{sign}: {told}");
    }
    assert!(told.contains("use `off`, `on-push` or an interval such as `10m`\n"), "{told}");
}

#[test]
fn what_a_purge_from_elsewhere_took_away_can_be_said_again() {
    let world = World::new();
    let remote = world.repository("remote");
    remote.write("a.txt", "one\ntwo\nthree\n");
    remote.commit("first");
    remote.git("config core.bare true");
    let (ann, bob) = (world.clone_of(&remote, "ann"), world.clone_of(&remote, "bob"));
    ann.postil("comment a.txt:2 -m 'why two?'").code(0);
    ann.postil("reply @ -m 'who asks?'").code(0);
    ann.postil("sync").code(0);
    bob.postil("sync").code(0);
    let short = bob.postil("list").code(0).stdout();
    let short = short.split_whitespace().next().expect("a thread is listed").to_owned();
    let refused = bob.postil(&format!("purge {short}")).code(6).stderr();
    assert!(
        refused.contains("1 thread, 2 comments, 2 records by ann") && refused.contains("--force"),
        "{refused}"
    );
    bob.postil(&format!("purge --json {short}")).code(6);
    let purged = bob.postil(&format!("purge --force {short}")).code(0).stderr();
    assert!(purged.contains(&format!("run `postil doctor --restore {short}")), "{purged}");
    bob.postil("sync").code(0);
    let synced = ann.postil("sync").code(0).stdout();
    let told =
        format!("bob purged 2 records written by ann; to restore, run `postil doctor --restore {short}");
    assert!(synced.contains(&told), "{synced}");
    let shown = ann.postil(&format!("log {short}")).code(3).stderr();
    assert!(shown.contains("by ann was purged by bob, who did not write it"), "{shown}");
    assert_eq!(ann.postil("list").code(0).stdout(), "");
    ann.postil("init").code(0);
    let told = ann.postil("doctor").code(0).stdout();
    assert!(
        told.contains("note: purged: comment ") && told.contains(" was purged by bob, who did not write it"),
        "{told}"
    );
    assert_eq!(ann.postil("doctor --restore ffffffff").code(3).stdout(), "");
    let restored = ann.postil(&format!("doctor --restore {short}")).code(0).stdout();
    assert_eq!(restored.matches("restored as ").count(), 2, "{restored}");
    assert!(!restored.contains("note: purged"), "{restored}");
    let listed = ann.postil("list").code(0).stdout();
    assert!(listed.contains("why two?") && listed.contains("1 reply"), "{listed}");
}
