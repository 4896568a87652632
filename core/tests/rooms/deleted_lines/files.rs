//! Files that the change or its base deletes or renames, and comments on whole files.

use postil_core::record::{AnchorSide, Line};
use postil_testkit::Sandbox;

use super::change::{Change, WORDS, edited, path};

#[test]
fn the_lines_of_a_deleted_file_are_all_deleted() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    change.repo.git(&["checkout", "-q", "-B", "gone", "main"]);
    change.repo.git(&["rm", "-q", "f.rs"]);
    change.repo.git(&["commit", "-q", "-m", "remove"]);
    let line = change.on_old("main", "gone", "f.rs", "kilo", "kilo");
    let whole = change.on_old_range("main", "gone", "f.rs", None);
    assert_eq!((line.blob, whole.blob), (None, None));
    let seen = |base, head| [&line, &whole].map(|anchor| change.seen(anchor, base, head));
    assert_eq!(seen("main", "gone"), ["anchored translated f.rs:11 kilo", "anchored translated f.rs"]);
    // The file is spared after all: the line in it, and the file.
    assert_eq!(seen("main", "main"), ["outdated restored f.rs:11 kilo", "outdated restored f.rs"]);
    // It is spared, but not that line.
    assert_eq!(seen("main", "topic"), ["anchored translated f.rs:11 kilo", "outdated restored f.rs"]);
    // The base has no such file any more.
    assert_eq!(seen("gone", "gone"), ["orphaned file-deleted", "orphaned file-deleted"]);
}

#[test]
fn a_file_that_the_change_renames_is_compared_with_what_it_became() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    change.repo.git(&["mv", "f.rs", "g.rs"]);
    change.repo.git(&["commit", "-q", "-m", "rename"]);
    let anchor = change.on_old("main", "topic", "f.rs", "kilo", "kilo");
    let AnchorSide::Old(old) = &anchor.side else { panic!("it is on the old side") };
    assert_eq!((&anchor.path, &old.path), (&path("g.rs"), &Some(path("f.rs"))));
    assert_eq!(anchor.lines, [Line::new(b"kilo();")]);
    assert_eq!(change.seen(&anchor, "main", "topic"), "anchored translated f.rs:11 kilo");
    // What the new file has become is hardly like the old one, but it still is that file.
    change.commit("rewrite", "g.rs", "one two three four five six seven kilo eight nine");
    assert_eq!(change.seen(&anchor, "main", "topic"), "outdated restored f.rs:11 kilo");
    change.commit("rewrite more", "g.rs", "one two three");
    assert_eq!(change.seen(&anchor, "main", "topic"), "anchored translated f.rs:11 kilo");
}

#[test]
fn a_file_that_the_base_renames_takes_the_comment_along() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let line = change.on_old("main", "topic", "f.rs", "kilo", "kilo");
    let whole = change.on_old_range("main", "topic", "f.rs", None);
    change.repo.git(&["checkout", "-q", "main"]);
    change.repo.git(&["mv", "f.rs", "src.rs"]);
    change.commit("rename", "src.rs", &edited(WORDS, &["alpha+first"]));
    change.repo.git(&["checkout", "-q", "topic"]);
    change.repo.git(&["rebase", "-q", "main"]);
    let seen = |base, head| [&line, &whole].map(|anchor| change.seen(anchor, base, head));
    assert_eq!(seen("main", "topic"), ["anchored renamed src.rs:12 kilo", "anchored renamed src.rs"]);
    assert_eq!(seen("main", "main"), ["outdated restored src.rs:12 kilo", "anchored renamed src.rs"]);
}

#[test]
fn a_range_over_kept_and_deleted_lines_is_judged_by_the_deleted_ones() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let anchor = change.on_old("main", "topic", "f.rs", "juliet", "lima");
    assert_eq!(change.seen(&anchor, "main", "topic"), "anchored translated f.rs:10 juliet kilo lima");
    assert_eq!(change.seen(&anchor, "main", "topic~2"), "outdated restored f.rs:10 juliet kilo lima");
    // A line more in the base, inside the range: both ends are traced.
    change.repo.git(&["checkout", "-q", "main"]);
    change.commit("more", "f.rs", &edited(WORDS, &["alpha+first", "juliet+inside"]));
    change.repo.git(&["checkout", "-q", "topic"]);
    change.repo.git(&["rebase", "-q", "-X", "theirs", "main"]);
    let seen = change.seen(&anchor, "main", "topic");
    assert!(seen.ends_with("f.rs:11 juliet inside kilo lima"), "{seen}");
}
