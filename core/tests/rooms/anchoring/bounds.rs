//! Where the engine does not search, and what it costs at worst.

use postil_core::anchoring::Head;
use postil_testkit::{Files, ObjectWorld, shown};

/// Expects line 2 of a file to end in a state after a change.
#[track_caller]
fn check(path: &str, old: &str, new: &str, expected: &str) {
    let world = ObjectWorld::new();
    let commit = world.commit(&Files::from([(path, old.to_owned())]), &[]);
    let head = Head { tree: world.tree(&Files::from([(path, new.to_owned())])), commit: None };
    let position = world.locate(world.anchor(Some(commit), path, old, 2, 2), head);
    assert_eq!(shown(&position), expected);
}

#[test]
fn in_a_lockfile_only_what_the_diff_kept_is_placed() {
    check("Cargo.lock", "a\nversion = 1\nb\n", "new\na\nversion = 1\nb\n", "anchored translated 3-3");
    check("Cargo.lock", "a\nversion = 1\nb\n", "a\nversion = 2\nb\n", "orphaned bypassed");
    check("web/package-lock.json", "a\nversion = 1\nb\n", "a\nversion = 2\nb\n", "orphaned bypassed");
}

/// Expects a changed line of a file to end in a state, under attributes.
#[track_caller]
fn check_attributes(attributes: &[(&str, &str)], path: &str, expected: &str) {
    let world = ObjectWorld::new();
    let mut files: Files<'_> = attributes.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
    files.insert(path, "a\nversion = 1\nb\n".to_owned());
    let commit = world.commit(&files, &[]);
    files.insert(path, "a\nversion = 2\nb\n".to_owned());
    let head = Head { tree: world.tree(&files), commit: None };
    let anchor = world.anchor(Some(commit), path, "a\nversion = 1\nb\n", 2, 2);
    assert_eq!(world.locate(anchor, head).reason(), expected);
}

#[test]
fn attributes_add_and_remove_files_that_are_not_searched() {
    let root = ".gitattributes";
    check_attributes(&[(root, "*.snap postil=exact\n")], "a/b.snap", "bypassed");
    check_attributes(&[(root, "*.snap postil=exact\n")], "a/b.rs", "changed-in-place");
    check_attributes(&[(root, "Cargo.lock postil=full\n")], "Cargo.lock", "changed-in-place");
    check_attributes(&[(root, "gen/** linguist-generated\n")], "gen/a.rs", "bypassed");
    check_attributes(&[(root, "gen/** linguist-generated=true\n")], "gen/a.rs", "bypassed");
    check_attributes(&[(root, "*.lock -linguist-generated\n")], "a.lock", "changed-in-place");
}

#[test]
fn attributes_are_nested_negated_and_bundled_as_in_git() {
    let root = (".gitattributes", "*.rs postil=exact\n");
    check_attributes(&[root, ("a/.gitattributes", "*.rs postil=full\n")], "a/x.rs", "changed-in-place");
    check_attributes(&[root, ("a/.gitattributes", "*.rs postil=full\n")], "b/x.rs", "bypassed");
    check_attributes(&[root, ("a/.gitattributes", "*.rs !postil\n")], "a/x.rs", "changed-in-place");
    let bundled = (".gitattributes", "[attr]made postil=exact\n*.out made\n");
    check_attributes(&[bundled], "x.out", "bypassed");
}

#[test]
fn over_half_a_megabyte_a_change_is_followed_within_its_hunk_and_nothing_is_searched() {
    let rest = "a line of some length that is the same everywhere\n".repeat(11_000);
    let old = format!("first\nlet value = 1;\n{rest}");
    check("big.rs", &old, &format!("zero\nfirst\nlet value = 1;\n{rest}"), "anchored translated 3-3");
    check("big.rs", &old, &format!("first\nlet value = 2;\n{rest}"), "outdated changed-in-place 2-2");
    check("big.rs", &old, &format!("first\n    let value = 1;\n{rest}"), "shifted reformatted 2-2");
    check(
        "big.rs",
        &old,
        &format!("zero\nfirst\nlet value: u32 = 1;\n{rest}"),
        "outdated changed-in-place 3-3",
    );
    // What went elsewhere is not looked for.
    let unlike: String = (0..20_000).map(|at| format!("    let item_{at} = load({at});\n")).collect();
    let whole = format!("first\nlet value = 1;\n{unlike}");
    check("big.rs", &whole, &format!("first\n{unlike}last\nlet value = 1;\n"), "orphaned bypassed");
    // Locked, generated and minified files stay exact, whatever their size.
    for path in ["big.lock", "big.min.js", "big.generated.rs"] {
        check(path, &old, &format!("first\nlet value = 2;\n{rest}"), "orphaned bypassed");
    }
    // Very many lines are too large as well.
    let many = "line\n".repeat(60_000);
    let old = format!("first\nlet value = 1;\n{many}");
    check("long.rs", &old, &format!("first\nlet value = 2;\n{many}"), "outdated changed-in-place 2-2");
}

#[test]
fn a_large_file_that_was_renamed_is_followed_within_its_hunks_too() {
    let world = ObjectWorld::new();
    let rest: String = (0..20_000).map(|at| format!("    let item_{at} = load({at});\n")).collect();
    let old = format!("first\nlet value = 1;\n{rest}");
    let commit = world.commit(&Files::from([("old.rs", old.clone())]), &[]);
    let files = Files::from([("new.rs", format!("zero\nfirst\nlet value = 2;\n{rest}"))]);
    let head = world.commit(&files, &[commit]);
    let anchor = world.anchor(Some(commit), "old.rs", &old, 2, 2);
    let position = world.locate(anchor, Head { tree: world.tree(&files), commit: Some(head) });
    assert_eq!(shown(&position), "outdated changed-in-place 3-3");
}

#[test]
fn binary_content_has_no_lines() {
    check("a.bin", "one\ntwo\nthree\n", "one\0\ntwo!\nthree\n", "orphaned not-text");
}

#[test]
fn an_empty_file_has_no_place() {
    check("a.rs", "one\ntwo\nthree\n", "", "orphaned deleted");
}

#[test]
fn very_long_lines_are_compared() {
    let long = "word ".repeat(20_000);
    check(
        "a.rs",
        &format!("one\n{long}\nthree\n"),
        &format!("one\n{long}more\nthree\n"),
        "outdated changed-in-place 2-2",
    );
}
