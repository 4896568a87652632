//! Lines that are added beside lines that were skipped or left out: one place, or none.

use super::cases::{check, check_refused};
use crate::patch::PlacementStage;
use crate::patch::outcome::HunkProblem;

#[test]
fn what_is_added_beside_a_line_that_became_another_is_refused() {
    let above = "@@ -1,6 +1,7 @@\n a1\n a2\n start();\n+// it runs now\n b1\n b2\n b3\n";
    let below = "@@ -1,6 +1,7 @@\n a1\n a2\n a3\n+// it runs next\n start();\n b2\n b3\n";
    check_refused("a1\na2\nstart(1);\nb1\nb2\nb3\n", above, HunkProblem::Ambiguous(2));
    check_refused("a1\na2\na3\nstart(1);\nb2\nb3\n", below, HunkProblem::Ambiguous(2));
    // With nothing in its stead there is one place.
    let result = "a1\na2\n// it runs now\nb1\nb2\nb3\n";
    check("a1\na2\nb1\nb2\nb3\n", above, PlacementStage::InternalContext, result);
    let result = "a1\na2\na3\n// it runs next\nb2\nb3\n";
    check("a1\na2\na3\nb2\nb3\n", below, PlacementStage::InternalContext, result);
}

#[test]
fn what_is_added_beside_a_bracket_that_was_skipped_is_refused() {
    let patch = "@@ -1,7 +1,8 @@\n a1\n a2\n a3\n+more();\n \n b1\n b2\n b3\n";
    check_refused("a1\na2\na3\n}\nb1\nb2\nb3\n", patch, HunkProblem::Ambiguous(2));
    let result = "a1\na2\na3\nmore();\nb1\nb2\nb3\n";
    check("a1\na2\na3\nb1\nb2\nb3\n", patch, PlacementStage::Whitespace, result);
    // Away from what is added, a bracket may be skipped.
    let base = "a0\na1\na2\n}\na3\nb1\nb2\nb3\n";
    let patch = "@@ -1,7 +1,8 @@\n a0\n a1\n a2\n a3\n+more();\n b1\n b2\n b3\n";
    check(base, patch, PlacementStage::Structural, &base.replace("a3\n", "a3\nmore();\n"));
}

#[test]
fn what_fuzz_leaves_out_on_one_side_may_not_stand_close_by() {
    let patch = "@@ -1,2 +1,3 @@\n stop();\n+// wait for it\n start();\n";
    check_refused("stop();\nother();\nstart();\n", patch, HunkProblem::Ambiguous(2));
    check_refused("x\nstop();\n\nother();\nmore();\nstart();\n", patch, HunkProblem::Ambiguous(2));
    let two = "@@ -1,4 +1,5 @@\n a1\n stop();\n+// wait for it\n start();\n b1\n";
    check_refused("a1\nstop();\n}\nstart();\nb1\n", two, HunkProblem::Ambiguous(2));
    // One of the two alone says where it is.
    check("a\nstop();\nother();\n", patch, PlacementStage::Fuzz, "a\nstop();\n// wait for it\nother();\n");
    check("other();\nstart();\na\n", patch, PlacementStage::Fuzz, "other();\n// wait for it\nstart();\na\n");
}

#[test]
fn what_is_added_stays_on_its_side_of_blank_lines_or_is_refused() {
    let base = "stop();\n\n\nstart();\n";
    let hunk = |lines: &str| format!("@@ -1,2 +1,3 @@\n{lines}");
    check_refused(base, &hunk(" stop();\n+// of which?\n start();\n"), HunkProblem::Ambiguous(2));
    // A blank line in the hunk tells the side, whichever line it is found by.
    for twice in ["stop();", "start();"] {
        let base = format!("{base}end\n{twice}\n");
        let above = hunk(" stop();\n+// above\n \n start();\n");
        check(
            &base,
            &above,
            PlacementStage::Whitespace,
            &base.replacen("stop();\n", "stop();\n// above\n", 1),
        );
        let below = hunk(" stop();\n \n+// below\n start();\n");
        check(
            &base,
            &below,
            PlacementStage::Whitespace,
            &base.replacen("start();\n", "// below\nstart();\n", 1),
        );
    }
    // So do blank lines of what is added.
    let part = hunk(" stop();\n+\n+middle();\n start();\n");
    check(base, &part, PlacementStage::Whitespace, "stop();\n\nmiddle();\n\n\nstart();\n");
    let part = hunk(" stop();\n+middle();\n+\n start();\n");
    check(base, &part, PlacementStage::Whitespace, "stop();\n\n\nmiddle();\n\nstart();\n");
    // So does its depth.
    let base = "def f():\n    stop()\n\n\ndef g():\n";
    let deep = hunk(" def f():\n     stop()\n+    # still in f\n def g():\n");
    check(base, &deep, PlacementStage::Whitespace, &base.replace("stop()\n", "stop()\n    # still in f\n"));
    let flat = hunk(" def f():\n     stop()\n+# about g\n def g():\n");
    check(base, &flat, PlacementStage::Whitespace, &base.replace("def g", "# about g\ndef g"));
}

#[test]
fn lines_that_come_in_the_place_of_others_stay_in_it() {
    let patch = "@@ -1,5 +1,5 @@\n a1\n start();\n-old\n+new\n b1\n b2\n";
    check("a1\nstart(1);\nold\nb1\nb2\n", patch, PlacementStage::Fuzz, "a1\nstart(1);\nnew\nb1\nb2\n");
}
