//! Bytes that are no UTF-8, and files that became something without lines.

use gix::objs::tree::{Entry, EntryKind};
use postil_core::anchoring::{AnchorError, Head, Pointed, anchor_at};
use postil_core::git::{RepoPath, TreeId};
use postil_core::record::{Anchor, LineSpan, Range};
use postil_testkit::{ObjectWorld, shown};

/// A tree with one entry.
fn tree(world: &ObjectWorld, path: &str, kind: EntryKind, oid: gix::ObjectId) -> TreeId {
    let entries = vec![Entry { mode: kind.into(), filename: path.into(), oid }];
    world.repo.write_object(gix::objs::Tree { entries }).unwrap().detach().into()
}

/// A comment on a line of some bytes, or on all of them.
fn anchor(world: &ObjectWorld, path: &str, content: &[u8], line: Option<u32>) -> Result<Anchor, AnchorError> {
    let path = RepoPath::new(path).unwrap();
    let range = line.map(|line| Range::lines(LineSpan::from_numbers(line, line).unwrap()));
    anchor_at(&Pointed { commit: None, path: &path, blob: world.blob(content), content, range })
}

/// Expects line 2 of some bytes in a state in other bytes.
#[track_caller]
fn check(old: &[u8], new: &[u8], expected: &str) {
    let world = ObjectWorld::new();
    let anchor = anchor(&world, "a.txt", old, Some(2)).unwrap();
    let tree = tree(&world, "a.txt", EntryKind::Blob, world.blob(new).raw());
    assert_eq!(shown(&world.locate(anchor, Head { tree, commit: None })), expected);
}

fn utf16(text: &str) -> Vec<u8> {
    [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn latin_1_has_lines_like_any_other_text() {
    let old = b"eins\n  gr\xfc\xdfe = laut(1);\ndrei\n";
    check(old, b"null\neins\n  gr\xfc\xdfe = laut(1);\ndrei\n", "anchored translated 3-3");
    check(old, b"eins\n    gr\xfc\xdfe = laut(1);\ndrei\n", "shifted reformatted 2-2");
    check(old, b"eins\n  gr\xfc\xdfe = laut(1, 2);\ndrei\n", "outdated changed-in-place 2-2");
}

#[test]
fn utf_16_as_it_is_stored_takes_comments_on_the_whole_file_alone() {
    let world = ObjectWorld::new();
    let content = utf16("one\ntwo\nthree\n");
    assert!(matches!(anchor(&world, "a.txt", &content, Some(2)), Err(AnchorError::Binary { .. })));
    let whole = anchor(&world, "a.txt", &content, None).unwrap();
    let changed = world.blob(&utf16("one\n2\nthree\n")).raw();
    let tree = tree(&world, "a.txt", EntryKind::Blob, changed);
    assert_eq!(shown(&world.locate(whole, Head { tree, commit: None })), "anchored translated");
}

#[test]
fn text_that_became_utf_16_has_no_lines() {
    check(b"one\ntwo\nthree\n", &utf16("one\ntwo!\nthree\n"), "orphaned not-text");
}

#[test]
fn with_a_working_tree_encoding_git_stores_utf_8_and_that_has_lines() {
    // What `*.txt working-tree-encoding=UTF-16` leaves in the repository.
    check(
        "one\nzwölf\nthree\n".as_bytes(),
        "zero\none\nzwölf\nthree\n".as_bytes(),
        "anchored translated 3-3",
    );
}

#[test]
fn a_link_or_a_submodule_in_a_files_place_has_no_lines() {
    let world = ObjectWorld::new();
    let content = b"one\ntwo\nthree\n";
    let target = world.blob(b"elsewhere").raw();
    let commit = gix::ObjectId::from_hex(&[b'7'; 40]).unwrap();
    for (kind, oid) in [(EntryKind::Link, target), (EntryKind::Commit, commit)] {
        let anchor = anchor(&world, "a.txt", content, Some(2)).unwrap();
        let head = Head { tree: tree(&world, "a.txt", kind, oid), commit: None };
        assert_eq!(shown(&world.locate(anchor, head)), "orphaned not-text", "{kind:?}");
    }
}
