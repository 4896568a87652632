//! A patch is read whole or not at all: what cannot be read is never passed over in silence.
//!
//! How hunks find their places is in `cases`.

use crate::patch::{ParsedPatch, PatchReadError};

const ONE: &str = "--- a/one\n+++ b/one\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n";
const TWO: &str = "--- a/two\n+++ b/two\n@@ -1,2 +1,2 @@\n c\n-d\n+D\n";

/// The two files as they are when all of a patch is applied to them.
#[track_caller]
fn check(patch: &str) {
    let read = ParsedPatch::read(patch.as_bytes()).unwrap_or_else(|error| panic!("{error}:\n{patch}"));
    let plan = read.plan(None, |path| match path.to_string().as_str() {
        "one" => Some(b"a\nb\n".to_vec()),
        "two" => Some(b"c\nd\n".to_vec()),
        _ => None,
    });
    let plan = plan.unwrap_or_else(|error| panic!("{error:?}:\n{patch}"));
    let texts: Vec<_> = plan.iter().map(|change| String::from_utf8_lossy(&change.applied.text)).collect();
    assert_eq!(texts, ["a\nB\n", "c\nD\n"], "{patch}");
}

#[track_caller]
fn check_refused(patch: &str, error: PatchReadError) {
    assert_eq!(ParsedPatch::read(patch.as_bytes()), Err(error), "{patch}");
}

fn fenced(patch: &str, indent: &str) -> String {
    let lines: Vec<_> = patch.lines().map(|line| format!("{indent}{line}\n")).collect();
    format!("{indent}```diff\n{}{indent}```\n", lines.concat())
}

#[test]
fn every_fence_of_an_answer_is_read_however_it_is_indented() {
    for (first, second) in [("", ""), ("   ", "   "), ("", "  "), ("    ", ""), ("\t", "   ")] {
        check(&format!("1. One:\n\n{}\n- Two:\n\n{}\nDone.\n", fenced(ONE, first), fenced(TWO, second)));
    }
}

#[test]
fn every_patch_that_begins_and_ends_is_read() {
    let one = "*** Begin Patch\n*** Update File: one\n@@\n-b\n+B\n*** End Patch\n";
    let two = one.replace("one", "two").replace("b\n", "d\n").replace("B\n", "D\n");
    check(&format!("{one}and then\n\n{two}"));
    check(&format!("{one}{}", two.replace("*** Begin Patch\n", "")));
    let empty = "*** Begin Patch\n*** Update File: one\n@@\n-b\n+B\n*** Update File: two\n*** End Patch\n";
    check_refused(empty, PatchReadError::Empty { line: 6 });
}

#[test]
fn a_file_whose_hunks_have_no_headers_is_read_beside_others() {
    let bare = |patch: &str| patch.replace("@@ -1,2 +1,2 @@\n", "");
    check(&format!("{ONE}{}", bare(TWO)));
    check(&format!("{}{TWO}", bare(ONE)));
    check(&format!("{}{}", bare(ONE), bare(TWO)));
}

#[test]
fn what_ends_before_it_says_anything_is_refused() {
    check_refused(&format!("{ONE}--- a/two\n+++ b/two\n"), PatchReadError::Empty { line: 7 });
    check_refused(
        &format!("{ONE}--- a/two\n+++ b/two\n@@ -1,2 +1,2 @@\n"),
        PatchReadError::Empty { line: 9 },
    );
    check_refused(&format!("{ONE}@@ -9,2 +9,2 @@\n"), PatchReadError::Empty { line: 7 });
    // A file that is renamed, made or deleted need not change as well, and one that git only looked at says so.
    let renamed = "diff --git a/x b/y\nrename from x\nrename to y\n";
    assert_eq!(ParsedPatch::read(format!("{renamed}{ONE}").as_bytes()).unwrap().files.len(), 2);
    let seen = "diff --git a/x b/x\n";
    assert_eq!(ParsedPatch::read(format!("{ONE}{seen}").as_bytes()).unwrap().files.len(), 2);
}

#[test]
fn a_hunk_goes_on_behind_a_line_that_lost_its_mark() {
    let text = "a\nb\nc\n\nd\ne\nf\n";
    let hunk = "@@ -1,7 +1,7 @@\n a\n-b\n+B\n c\n\nd\n-e\n+E\n f\n";
    for patch in [fenced(hunk, ""), hunk.replace("\n\nd\n", "\n \nd\n")] {
        let read = ParsedPatch::read(patch.as_bytes()).unwrap();
        let applied = read.files[0].apply(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&applied.text), "a\nB\nc\n\nd\nE\nf\n", "{patch}");
    }
    // Prose after a hunk is none of it, also where its counts are wrong.
    let prose = ONE.replace("-1,2 +1,2", "-1,9 +1,9");
    let read =
        ParsedPatch::read(format!("{prose}\nThis does:\n- one thing\n- another\n").as_bytes()).unwrap();
    assert_eq!(read.files[0].apply(b"a\nb\n").unwrap().text, b"a\nB\n");
}

#[test]
fn lines_of_a_diff_that_belong_to_no_hunk_are_refused() {
    check_refused(
        &format!("{}\n```diff\n-d\n+D\n```\n", fenced(ONE, "")),
        PatchReadError::Stray { line: 11 },
    );
    let block = "one\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n";
    check_refused(
        &format!("{block}<<<< SEARCH\nd\n=======\nD\n>>>>>>> REPLACE\n"),
        PatchReadError::Stray { line: 11 },
    );
    // In prose and in other code such lines are nothing.
    let read =
        ParsedPatch::read(format!("{}\n- so\n\n```sh\n-x\n```\n", fenced(ONE, "")).as_bytes()).unwrap();
    assert_eq!(read.files.len(), 1);
}

#[test]
fn a_text_with_patches_of_several_forms_is_refused() {
    let block = "one\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n";
    let begun = "*** Begin Patch\n*** Update File: one\n@@ -1 +1 @@\n-b\n+B\n*** End Patch\n";
    for (first, second, line) in [
        (block, TWO, 9),
        (ONE, block, 8),
        (begun, TWO, 9),
        (ONE, begun, 7),
        (block, begun, 7),
        (begun, block, 8),
    ] {
        check_refused(&format!("{first}{second}"), PatchReadError::Mixed { line });
    }
    // What is within a block is text.
    let within = "one\n<<<<<<< SEARCH\n@@ -1 +1 @@\n=======\n*** Begin Patch\n>>>>>>> REPLACE\n";
    assert!(ParsedPatch::read(within.as_bytes()).is_ok());
}

#[test]
fn a_block_is_named_also_with_blank_lines_and_a_fence_between() {
    let block = "```python\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n```\n";
    for name in ["one.py", "**one.py**", "### `one.py`"] {
        let read = ParsedPatch::read(format!("{name}\n\n{block}\n{block}").as_bytes()).unwrap();
        let names: Vec<_> = read.files.iter().filter_map(|file| file.new_path.as_ref()).collect();
        assert_eq!(names.iter().map(|name| name.path.to_string()).collect::<Vec<_>>(), ["one.py"], "{name}");
    }
}
