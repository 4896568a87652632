//! Reading any notes tree that git, or somebody with git, can make, and keeping what is not ours.

use std::collections::{BTreeMap, BTreeSet};

use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::{HeadPositions, Home, MergeKind, NotesError, refs};
use postil_core::record::{PositionEntry, Record};
use postil_testkit::damage::take_in;
use postil_testkit::{Checkout, Sandbox, binary_comment, by_alice, comment, purge_of};

/// An object that nobody has, whose id begins with these digits.
fn object(begin: &str) -> String {
    format!("{begin:0<40}")
}

fn id(hex: &str) -> ObjectId {
    ObjectId::from_hex(hex.as_bytes()).unwrap()
}

/// The path of the note of `object` below this many directories.
fn fanned(object: &str, levels: usize) -> String {
    let mut parts: Vec<&str> = (0..levels).map(|level| &object[level * 2..][..2]).collect();
    parts.push(&object[levels * 2..]);
    parts.join("/")
}

fn git_lists(repo: &Checkout<'_>) -> BTreeSet<ObjectId> {
    let list = repo.git(&["notes", "--ref=reviews", "list"]);
    list.lines().map(|line| id(line.split(' ').nth(1).unwrap())).collect()
}

/// Puts one comment at each of `paths`, and checks that we see the notes that git sees, before and after a write.
fn check(what: &str, paths: &[(&str, &str)]) {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.init("repo", &["--bare"]);
    let said: Vec<Record> = paths.iter().map(|(mode, path)| comment(&format!("{mode} {path}"))).collect();
    let files: Vec<(&str, &[u8], &[u8])> = paths
        .iter()
        .zip(&said)
        .map(|((mode, path), record)| (*mode, path.as_bytes(), record.as_bytes()))
        .collect();
    repo.import(refs::NOTES, &files);
    let seen: BTreeSet<ObjectId> = repo.pairs().into_iter().map(|(object, _)| object).collect();
    let listed = git_lists(&repo);
    assert_eq!(seen, listed, "{what}: git sees the same notes");
    let notes: Vec<&Record> = said.iter().filter(|record| repo.record_ids().contains(&record.id())).collect();
    let others: Vec<&str> =
        paths.iter().zip(&said).filter(|(_, record)| !notes.contains(record)).map(|(p, _)| p.1).collect();
    assert!(notes.len() >= listed.len(), "{what}: every note is read");

    let first = seen.first().copied().unwrap_or(id(&object("12")));
    let home = Home::Anchor { commit: Some(first.raw().into()), blob: id(&object("ff")).raw().into() };
    let batch = repo
        .store()
        .batch()
        .add(home, comment("beside"))
        .add(Home::On(id(&object("a1b2c3"))), comment("else"))
        .write(&by_alice(), "Comment")
        .unwrap();
    assert_eq!(batch.checked.records, 0, "{what}: nothing was lost");
    let mut expected: BTreeSet<ObjectId> = listed;
    expected.extend([first, id(&object("a1b2c3"))]);
    assert_eq!(git_lists(&repo), expected, "{what}: git reads what was written");
    for record in notes {
        assert!(repo.record_ids().contains(&record.id()), "{what}: nothing is lost by a write");
    }
    for path in others {
        assert!(repo.notes_paths().contains(&path.to_owned()), "{what}: {path} stays");
    }
    repo.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn notes_are_found_under_any_fanout() {
    let [a, b, c] = ["abcdef", "abcd01", "12"].map(object);
    for levels in [0, 1, 2, 3, 19] {
        let [a, b, c] = [&a, &b, &c].map(|object| fanned(object, levels));
        check(&format!("{levels} levels"), &[("100644", &a), ("100644", &b), ("100644", &c)]);
    }
    check("mixed", &[("100644", &fanned(&a, 0)), ("100644", &fanned(&b, 2)), ("100644", &fanned(&c, 1))]);
}

#[test]
fn a_note_that_stands_at_two_levels_is_one_page() {
    let a = object("abcdef");
    for (one, two) in [(0, 1), (0, 2), (1, 2), (1, 19)] {
        check(&format!("{one} and {two}"), &[("100644", &fanned(&a, one)), ("100644", &fanned(&a, two))]);
    }
    check("three", &[("100644", &fanned(&a, 0)), ("100644", &fanned(&a, 1)), ("100644", &fanned(&a, 2))]);
}

#[test]
fn what_is_a_note_is_what_git_takes_for_one() {
    let (a, b) = (object("abcdef"), object("ABCDEF"));
    check("capitals", &[("100644", &b)]);
    check("capitals in directories", &[("100644", &fanned(&b, 1)), ("100644", &fanned(&object("AB12"), 2))]);
    check("capitals beside small ones", &[("100644", &fanned(&a, 1)), ("100644", &fanned(&b, 1))]);
    check("an executable note", &[("100755", &a)]);
    check("a link is no note", &[("120000", &a), ("100644", &object("12"))]);
    check("too short", &[("100644", &a[..39]), ("100644", &fanned(&a, 1)[..40])]);
    check("too long", &[("100644", &format!("{a}0")), ("100644", &format!("ab/{a}"))]);
    check("no hex", &[("100644", &a.replace('0', "g")), ("100644", &format!("xy/{}", &a[2..]))]);
    check(
        "odd directories",
        &[("100644", &format!("abc/{}", &a[3..])), ("100644", &format!("a/b/{}", &a[2..]))],
    );
    check(
        "below a whole id",
        &[("100644", &format!("{a}/{a}")), ("100644", &format!("{}/x", fanned(&b, 19)))],
    );
}

#[test]
fn objects_of_every_kind_have_notes() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    repo.git(&["tag", "-a", "-m", "tagged", "v1"]);
    let objects = ["HEAD", "HEAD^{tree}", "HEAD:file", "v1"].map(|rev| repo.object_id(rev));
    let store = repo.store();
    for (n, object) in objects.into_iter().enumerate() {
        store.batch().add(Home::On(object), comment(&format!("{n}"))).write(&by_alice(), "Comment").unwrap();
    }
    assert_eq!(git_lists(&repo), objects.into());
    assert_eq!(repo.pairs().into_iter().map(|(object, _)| object).collect::<BTreeSet<_>>(), objects.into());
}

/// Content that somebody else put into the notes tree.
fn foreign() -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
    let mut files: Vec<(&str, Vec<u8>, Vec<u8>)> = Vec::new();
    let long = vec![b'x'; 300_000];
    let notes: [&[u8]; 7] = [
        b"plain words\n",
        b"\n\n  blank lines around\n\n\n",
        b"no newline at the end",
        b"a\0b\xff\xfe\n",
        b"\n",
        b"not \xd9\xd9 quite",
        &long,
    ];
    for (n, note) in notes.iter().enumerate() {
        files.push(("100644", object(&format!("{n}e")).into_bytes(), note.to_vec()));
        files.push(("100644", fanned(&object(&format!("{n}f")), 1).into_bytes(), note.to_vec()));
    }
    let entries: [(&str, &[u8]); 12] = [
        ("100644", b"README"),
        ("100644", b"deep/down/file"),
        ("100755", b"script.sh"),
        ("120000", b"link"),
        ("100644", b"ab/README"),
        ("100644", b"cd/ef/README"),
        ("100644", b"pins/README"),
        ("100644", b"pins/ab/c"),
        ("100644", b"pins/ab/cdef0000000000000000000000000000000000"),
        ("100644", b"caf\xe9/na\xefve"),
        ("100644", b"a name with spaces\tand\ttabs"),
        ("100644", b"zz"),
    ];
    for (mode, path) in entries {
        files.push((mode, path.to_vec(), [b"content of ", path].concat()));
    }
    files.push(("160000", b"module".to_vec(), object("5a").into_bytes()));
    files
}

/// Makes the notes of `repo` what [`foreign`] says.
fn import_foreign(repo: &Checkout<'_>) {
    let files = foreign();
    let files: Vec<_> = files.iter().map(|(mode, path, content)| (*mode, &path[..], &content[..])).collect();
    repo.import(refs::NOTES, &files);
}

/// Every entry of the notes tree, by path: mode and object.
fn entries(repo: &Checkout<'_>) -> BTreeMap<Vec<u8>, String> {
    let list = repo.git_with(&["ls-tree", "-r", "-z", refs::NOTES], b"");
    let lines = list.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let tab = line.iter().position(|byte| *byte == b'\t').unwrap();
            let path = line[tab + 1..].to_vec();
            // Notes may move between directories.
            let plain: Vec<u8> = path.iter().copied().filter(|byte| *byte != b'/').collect();
            let is_note = plain.len() == 40 && plain.iter().all(u8::is_ascii_hexdigit);
            (if is_note { plain } else { path }, String::from_utf8_lossy(&line[..tab]).into_owned())
        })
        .collect()
}

/// Checks that `repo` has all of `before` unchanged.
fn check_kept(what: &str, repo: &Checkout<'_>, before: &BTreeMap<Vec<u8>, String>) {
    let after = entries(repo);
    for (path, entry) in before {
        assert_eq!(after.get(path), Some(entry), "{what}: {}", String::from_utf8_lossy(path));
    }
}

#[test]
fn what_is_not_ours_is_kept_to_the_byte_by_every_kind_of_write() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    import_foreign(&repo);
    let before = entries(&repo);
    let kept = |what: &str| check_kept(what, &repo, &before);
    let written = repo.say("HEAD", "a comment");
    kept("a write");
    let head = repo.commit_id("HEAD");
    let entry = PositionEntry::orphaned(written.ids[0]).to_raw();
    let positions = HeadPositions { head, time: 7, entries: vec![entry] };
    repo.store().write_positions(&[positions], &by_alice()).unwrap();
    kept("positions");
    repo.git(&["notes", "--ref=reviews", "remove", "HEAD"]);
    assert_eq!(repo.store().check(&by_alice()).unwrap().records, 1);
    kept("healing");
    let (record, purge) = purge_of(&written.ids, &[]);
    repo.store().purge(&record, &purge, &by_alice()).unwrap();
    kept("a purge");
    // Enough notes that git would put them all into directories.
    let store = repo.store();
    let many = (0..300_u32).fold(store.batch(), |batch, n| {
        let home = Home::On(id(&object(&format!("{:04x}", n * 211))));
        batch.add(home, comment(&format!("{n}")))
    });
    many.write(&by_alice(), "Many comments").unwrap();
    assert!(repo.notes_paths().iter().any(|path| path.starts_with("01/")));
    kept("another fanout");
    repo.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn what_is_not_ours_is_kept_to_the_byte_by_merges() {
    let sandbox = Sandbox::in_memory();
    let (one, two) = (sandbox.repo("one"), sandbox.repo("two"));
    import_foreign(&one);
    let before = entries(&one);
    two.say("HEAD", "on the other side");
    take_in(&two, &one);
    check_kept("a merge", &two, &before);
    take_in(&one, &two);
    assert_eq!(one.commit_id(refs::NOTES), two.commit_id(refs::NOTES));
    two.git(&["fsck", "--strict", "--no-dangling"]);
}

#[test]
fn a_foreign_note_that_both_sides_changed_becomes_two_texts() {
    let sandbox = Sandbox::in_memory();
    let (one, two) = (sandbox.repo("one"), sandbox.repo("two"));
    let note = object("ab");
    one.import(refs::NOTES, &[("100644", note.as_bytes(), b"my words\n")]);
    two.import(refs::NOTES, &[("100644", note.as_bytes(), b"your words\n")]);
    take_in(&one, &two);
    let snapshot = one.store().read().unwrap();
    let kinds: Vec<&str> = snapshot.records().map(|(_, record)| record.kind()).collect();
    assert_eq!(kinds, ["text", "text"]);
}

#[test]
fn a_foreign_note_that_one_side_changed_is_what_it_became() {
    let sandbox = Sandbox::in_memory();
    let one = sandbox.repo("one");
    let note = object("ab");
    one.import(refs::NOTES, &[("100644", note.as_bytes(), b"first words\n")]);
    let two = sandbox.copy("one", "two");
    one.import(refs::NOTES, &[("100644", note.as_bytes(), b"better words\n")]);
    assert_eq!(take_in(&two, &one), MergeKind::FastForward);
    assert_eq!(two.git(&["notes", "--ref=reviews", "show", &note]), "better words");
}

#[test]
fn a_damaged_note_is_read_as_far_as_it_can_be() {
    let (one, two, three) = (binary_comment("one"), comment("two"), comment("three"));
    let bytes = |record: &Record| record.as_bytes().to_vec();
    let mut flipped = bytes(&two);
    flipped[30] ^= 1;
    let cut = bytes(&two)[..50].to_vec();
    // What is damaged, how many records are read, and foreign stretches and remains beside them.
    let cases = [
        ("whole", [bytes(&one), bytes(&two)].concat(), 2, (0, 0)),
        ("a flipped bit", [bytes(&one), flipped, bytes(&three)].concat(), 2, (0, 1)),
        ("a cut record", [bytes(&one), cut.clone(), bytes(&three)].concat(), 2, (0, 1)),
        ("a cut end", [bytes(&one), cut].concat(), 1, (0, 1)),
        ("words between", [bytes(&one), b"\n\nwords\n".to_vec(), bytes(&three)].concat(), 2, (1, 0)),
        (
            "newlines between",
            [bytes(&one), b"\n\n".to_vec(), bytes(&three), b"\n".to_vec()].concat(),
            2,
            (0, 0),
        ),
    ];
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.init("repo", &["--bare"]);
    for (what, note, records, (foreign, remains)) in cases {
        repo.import(refs::NOTES, &[("100644", object("ab").as_bytes(), &note)]);
        let snapshot = repo.store().read().unwrap();
        assert_eq!(snapshot.records().count(), records, "{what}");
        assert_eq!((snapshot.damage().foreign, snapshot.damage().remains), (foreign, remains), "{what}");
        assert_eq!(snapshot.damage().is_none(), foreign + remains == 0, "{what}");
    }
}

/// Removes a loose object, as a failing disk does.
fn lose(repo: &Checkout<'_>, object_id: &str) {
    let (dir, file) = object_id.split_at(2);
    let objects = repo.git(&["rev-parse", "--git-path", "objects"]);
    repo.forget_kept();
    std::fs::remove_file(repo.dir.join(objects).join(dir).join(file)).unwrap();
}

#[test]
fn a_note_whose_blob_is_missing_spoils_nothing_else() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let written = repo.say("HEAD", "will be missing");
    let readable = Home::On(repo.object_id("HEAD:file"));
    let said = repo.store().batch().add(readable, comment("stays")).write(&by_alice(), "Comment").unwrap();
    let twin = sandbox.copy("repo", "twin");
    let note = repo.git(&["notes", "--ref=reviews", "list", "HEAD"]);
    lose(&repo, &note);

    let snapshot = repo.store().read().unwrap();
    assert_eq!(snapshot.records().map(|(_, record)| record.id()).collect::<Vec<_>>(), said.ids);
    assert_eq!(snapshot.damage().missing.len(), 1);
    assert_eq!(snapshot.damage().missing[0].0, repo.object_id("HEAD"));

    // Elsewhere, everything goes on.
    let tree = Home::On(repo.object_id("HEAD^{tree}"));
    repo.store().batch().add(tree, comment("elsewhere")).write(&by_alice(), "Comment").unwrap();
    let anchor = Home::Anchor { commit: Some(repo.commit_id("HEAD")), blob: repo.blob_id("HEAD:file") };
    repo.store().batch().add(anchor, comment("beside the file")).write(&by_alice(), "Comment").unwrap();
    assert_eq!(repo.record_ids().len(), 3);
    repo.git(&["notes", "--ref=reviews", "remove", "HEAD:file"]);
    assert_eq!(repo.store().check(&by_alice()).unwrap().records, 2, "healing goes on");
    let positions = HeadPositions {
        head: CommitId::from_bytes(&[7; 20]).unwrap(),
        time: 7,
        entries: vec![PositionEntry::orphaned(said.ids[0]).to_raw()],
    };
    repo.store().write_positions(&[positions], &by_alice()).unwrap();
    let (record, purge) = purge_of(&said.ids, &[]);
    repo.store().purge(&record, &purge, &by_alice()).unwrap();

    // There, it says what is missing.
    let refused = repo
        .store()
        .batch()
        .add(Home::On(repo.object_id("HEAD")), comment("there"))
        .write(&by_alice(), "Comment");
    assert!(
        matches!(refused, Err(NotesError::ReadNote { note_blob_id, .. }) if note_blob_id.to_string() == note)
    );

    // Nothing was lost by any of it: where the blob is, the record is.
    twin.git(&["fetch", "-q", "../repo", "+refs/notes/reviews:refs/postil/remotes/repo/reviews"]);
    let theirs = twin.commit_id("refs/postil/remotes/repo/reviews");
    twin.store().merge(theirs, &by_alice()).unwrap();
    assert!(twin.record_ids().contains(&written.ids[0]));
}

#[test]
fn a_note_that_may_have_lost_something_and_is_not_here_is_told_of() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "was here");
    repo.git(&["notes", "--ref=reviews", "add", "-f", "-m", "instead", "HEAD"]);
    lose(&repo, &repo.git(&["notes", "--ref=reviews", "list", "HEAD"]));
    let checked = repo.store().check(&by_alice()).unwrap();
    assert_eq!((checked.records, checked.unreadable, checked.healed()), (0, 1, false));
    repo.store()
        .batch()
        .add(Home::On(id(&object("ab"))), comment("else"))
        .write(&by_alice(), "Comment")
        .unwrap();
}

#[test]
fn a_tree_that_is_missing_hides_only_its_own_notes() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.init("repo", &["--bare"]);
    let (a, b) = (object("ab"), object("cd"));
    let (here, gone) = (comment("here"), comment("gone"));
    let files =
        [(&a, &here), (&b, &gone)].map(|(object, record)| (fanned(object, 1), record.as_bytes().to_vec()));
    let files = files.each_ref().map(|(path, note)| ("100644", path.as_bytes(), &note[..]));
    repo.import(refs::NOTES, &files);
    lose(&repo, &repo.git(&["rev-parse", "refs/notes/reviews:cd"]));
    let snapshot = repo.store().read().unwrap();
    assert_eq!(snapshot.records().map(|(_, record)| record.id()).collect::<Vec<_>>(), [here.id()]);
    assert!(!snapshot.damage().is_none());
    let (tip, other) = (repo.commit_id(refs::NOTES), comment("else"));
    repo.store()
        .batch()
        .add(Home::On(id(&object("ef"))), other.clone())
        .write(&by_alice(), "Comment")
        .unwrap();
    assert_eq!(repo.record_ids(), [here.id(), other.id()].into());
    assert_eq!(repo.store().lost_tips()[0].commit, tip, "what cannot be seen is not forgotten");
}
