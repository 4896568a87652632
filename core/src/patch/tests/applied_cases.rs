//! Patches that are applied already, in whole or in part, and those that only seem to be.

use super::cases::{BASE, apply, check, check_refused};
use crate::patch::{HunkProblem, PatchFailure, PlacementStage};

#[test]
fn a_patch_that_is_applied_already_is_told_apart() {
    let patch = "@@ -4,3 +4,4 @@\n gamma\n-delta\n+DELTA\n+more\n epsilon\n";
    let once = apply(BASE, patch).unwrap().text;
    let once = String::from_utf8(once).unwrap();
    assert_eq!(apply(&once, patch), Err(PatchFailure::AlreadyApplied));
    let adds = "@@ -1,2 +1,3 @@\n alpha\n+new\n beta\n";
    let once = String::from_utf8(apply(BASE, adds).unwrap().text).unwrap();
    assert_eq!(apply(&once, adds), Err(PatchFailure::AlreadyApplied));
    let appends = "@@ -1,1 +1,2 @@\n a\n+b\n";
    assert_eq!(apply("a\nb\n", appends), Err(PatchFailure::AlreadyApplied));
    let deletes = "@@ -1,3 +1,2 @@\n alpha\n-beta\n gamma\n";
    assert_eq!(apply("alpha\ngamma\n", deletes), Err(PatchFailure::AlreadyApplied));
}

#[test]
fn what_a_patch_leaves_elsewhere_is_no_proof_that_it_is_applied() {
    let file = |lines: usize| {
        let between = "    rest()\n".repeat(lines);
        format!(
            "def a():\n    start()\n    x = 5\n    stop()\n{between}def b():\n    start()\n    x = 2\n    stop()\n"
        )
    };
    let stated = "@@ -2,3 +2,3 @@\n     start()\n-    x = 1\n+    x = 2\n     stop()\n";
    let headed = stated.replace("@@ -2,3 +2,3 @@", "*** Begin Patch\n*** Update File: f.py\n@@ def a():");
    let block = "<<<<<<< SEARCH\n    start()\n    x = 1\n    stop()\n=======\n    start()\n    x = 2\n    stop()\n>>>>>>> REPLACE\n";
    let adds = "@@ -2,2 +2,3 @@\n     start()\n+    x = 2\n     stop()\n";
    let removes = "@@ -2,3 +2,2 @@\n     start()\n-    x = 1\n     stop()\n";
    for lines in [40, 3] {
        for patch in [stated, &headed, block, adds] {
            check_refused(&file(lines), patch, HunkProblem::NotFound);
        }
        check_refused(&file(lines).replace("    x = 2\n", ""), removes, HunkProblem::NotFound);
    }
    let trivial = |new: &str| format!("<<<<<<< SEARCH\nfoo()\nbar()\n=======\n{new}\n>>>>>>> REPLACE\n");
    for (base, new) in [
        ("a\nstop()\nb\nstop()\n", "stop()"),
        ("a\n}\n", "}"),
        ("a\n# why\n", "# why"),
        ("a\nx\ny\nb\nx\ny\n", "x\ny"),
    ] {
        check_refused(base, &trivial(new), HunkProblem::NotFound);
    }
    check_refused("a\nreturn\nb\n", "@@ -1 +1 @@\n-c\n+return\n", HunkProblem::NotFound);
}

#[test]
fn what_a_patch_leaves_where_it_is_meant_is_proof() {
    let base = "def a():\n    start()\n    x = 1\n    stop()\ndef b():\n    start()\n    x = 3\n    stop()\n";
    let stated = "@@ -2,3 +2,3 @@\n     start()\n-    x = 1\n+    x = 2\n     stop()\n";
    let headed = stated.replace("@@ -2,3 +2,3 @@", "*** Begin Patch\n*** Update File: f.py\n@@ def a():");
    let block = "<<<<<<< SEARCH\ndef a():\n    start()\n    x = 1\n=======\ndef a():\n    start()\n    x = 2\n>>>>>>> REPLACE\n";
    let bare = "<<<<<<< SEARCH\n    x = 1\n=======\n    x = 2\n>>>>>>> REPLACE\n";
    let off = "@@ -7,3 +7,3 @@\n def a():\n     start()\n-    x = 1\n+    x = 2\n";
    let removes = "@@ -1,4 +1,3 @@\n def a():\n     start()\n-    x = 1\n     stop()\n";
    let behind = off.replace('7', "99");
    for patch in [stated, &headed, block, bare, off, &behind, removes] {
        let once = String::from_utf8(apply(base, patch).unwrap().text).unwrap();
        assert_eq!(apply(&once, patch), Err(PatchFailure::AlreadyApplied), "{patch}");
    }
    // Where the header says so, the same may be elsewhere.
    let both = base.replace("x = 1", "x = 2").replace("x = 3", "x = 2");
    assert_eq!(apply(&both, stated), Err(PatchFailure::AlreadyApplied));
}

#[test]
fn a_patch_that_is_applied_is_not_applied_to_a_twin() {
    let twins = "first\nopen(\n    one,\n)\nbetween\nopen(\n    one,\n)\nlast\n";
    let changed = twins.replacen("one", "two", 1);
    for header in ["@@ -2,3 +2,3 @@", "@@ -1,3 +1,3 @@", "@@ -3,3 +3,3 @@"] {
        let patch = format!("{header}\n open(\n-    one,\n+    two,\n )\n");
        check(
            twins,
            &patch,
            if header.contains("-2") { PlacementStage::Strict } else { PlacementStage::Fuzz },
            &changed,
        );
        assert_eq!(apply(&changed, &patch), Err(PatchFailure::AlreadyApplied), "{header}");
    }
    let headed = "*** Begin Patch\n*** Update File: f.py\n@@ def a():\n     start()\n-    x = 1\n+    x = 2\n     stop()\n*** End Patch\n";
    let two = "def a():\n    start()\n    x = 2\n    stop()\ndef b():\n    start()\n    x = 1\n    stop()\n";
    assert_eq!(apply(two, headed), Err(PatchFailure::AlreadyApplied));
    // Nearer to the second, that one is meant.
    let second = "@@ -7,3 +7,3 @@\n open(\n-    one,\n+    two,\n )\n";
    check(&changed, second, PlacementStage::Fuzz, &twins.replace("one", "two"));
    // Without a header there is one place where it can be applied.
    check(
        &changed,
        "@@\n open(\n-    one,\n+    two,\n )\n",
        PlacementStage::Strict,
        &twins.replace("one", "two"),
    );
}

#[test]
fn a_patch_that_is_applied_in_part_is_refused() {
    let patch = "@@ -1,2 +1,2 @@\n-alpha\n+ALPHA\n beta\n@@ -5,2 +5,2 @@\n-delta\n+DELTA\n epsilon\n";
    check_refused(&BASE.replace("alpha", "ALPHA"), patch, HunkProblem::AlreadyApplied);
}
