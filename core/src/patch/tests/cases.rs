//! Patches as people, programs and language models write them: one row for each kind.
//!
//! Only the `check` functions know the interface. Laws that hold for all patches are in `laws`.

use crate::patch::{Applied, HunkProblem, ParsedPatch, PatchFailure, PatchForm, PlacementStage, flatten};

pub(crate) const BASE: &str = "alpha\nbeta\n},\ngamma\ndelta\nepsilon\n";

pub(crate) fn apply(base: &str, patch: &str) -> Result<Applied, PatchFailure> {
    let patch = ParsedPatch::read(patch.as_bytes()).expect("it is a patch");
    assert_eq!(patch.files.len(), 1, "{patch:?}");
    patch.files[0].apply(base.as_bytes())
}

#[track_caller]
pub(crate) fn check(base: &str, patch: &str, stage: PlacementStage, result: &str) {
    let applied = apply(base, patch).unwrap_or_else(|failure| panic!("{failure:?}"));
    assert_eq!(String::from_utf8_lossy(&applied.text), result);
    assert_eq!(applied.stages(), [stage]);
    assert_eq!(applied.edit.apply(base.as_bytes()).unwrap(), result.as_bytes());
}

#[track_caller]
pub(crate) fn check_refused(base: &str, patch: &str, why: HunkProblem) {
    match apply(base, patch) {
        Err(PatchFailure::Hunks { failed, .. }) => assert_eq!(failed[0].why, why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_right_patch_is_applied_strictly() {
    let patch = "--- a/f.txt\n+++ b/f.txt\n@@ -4,3 +4,3 @@\n gamma\n-delta\n+DELTA\n epsilon\n";
    check(BASE, patch, PlacementStage::Strict, "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n");
}

#[test]
fn a_wrong_header_is_anchored_to_the_text() {
    let patch = "--- a/f.txt\n+++ b/f.txt\n@@ -90,3 +90,3 @@\n gamma\n-delta\n+DELTA\n epsilon\n";
    check(BASE, patch, PlacementStage::Reanchored, "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n");
    let near = "@@ -1,3 +1,3 @@\n gamma\n-delta\n+DELTA\n epsilon\n";
    check(BASE, near, PlacementStage::Fuzz, "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n");
}

#[test]
fn all_of_the_context_far_away_comes_before_part_of_it_nearby() {
    let part = "a\nb\nold\ny\nz\n";
    let whole = "a\nb\nold\nc\nd\n";
    let patch = "@@ -1,5 +1,5 @@\n a\n b\n-old\n+new\n c\n d\n";
    let base = [part, &"-\n".repeat(40), whole].concat();
    let result = [part, &"-\n".repeat(40), &whole.replace("old", "new")].concat();
    check(&base, patch, PlacementStage::Reanchored, &result);
    // Without the other place, part of the context nearby is enough.
    check(part, patch, PlacementStage::Fuzz, &part.replace("old", "new"));
}

#[test]
fn more_context_far_away_comes_before_less_nearby() {
    let less = "a\nx\nold\ny\nd\n";
    let more = "a\nb\nold\nc\nz\n";
    let patch = "@@ -1,5 +1,5 @@\n a\n b\n-old\n+new\n c\n d\n";
    let base = [less, &"-\n".repeat(40), more].concat();
    let applied = apply(&base, patch).unwrap();
    assert_eq!(applied.text, [less, &"-\n".repeat(40), &more.replace("old", "new")].concat().as_bytes());
}

#[test]
fn hunks_stay_in_their_order_or_are_refused() {
    let block = "start\nold\nend\n";
    let base = [block, "middle\n", block].concat();
    let hunk = |line: usize, old: &str, new: &str| {
        format!("@@ -{line},3 +{line},3 @@\n start\n-{old}\n+{new}\n end\n")
    };
    // Both could be the first block; the second hunk comes after the first.
    let two = hunk(1, "old", "one") + &hunk(2, "old", "two");
    let result = "start\none\nend\nmiddle\nstart\ntwo\nend\n";
    let applied = apply(&base, &two).unwrap();
    assert_eq!(String::from_utf8(applied.text).unwrap(), result);
    // The third block is more than ten lines off, and the first two are taken.
    let base = [block, block, &"-\n".repeat(20), block].concat();
    let three = hunk(1, "old", "one") + &hunk(4, "old", "two") + &hunk(7, "old", "three");
    let result = ["start\none\nend\nstart\ntwo\nend\n", &"-\n".repeat(20), "start\nthree\nend\n"].concat();
    assert_eq!(String::from_utf8(apply(&base, &three).unwrap().text).unwrap(), result);
    // The first is done where it is meant; part of its context after the second is not its place.
    let done = "top\n1\nnew\n2\nbottom\nsecond\n1\nold\n3\n";
    let patch = "@@ -2,3 +2,4 @@\n 1\n+new\n 2\n bottom\n@@ -6,2 +7,2 @@\n-second\n+SECOND\n 1\n";
    assert!(apply(done, patch).is_err());
    let strays = "x\nsecond\nq\np\n1\nold\n3\n4\n";
    let patch = "@@ -1,4 +1,4 @@\n p\n 1\n-old\n+new\n 7\n@@ -9,2 +9,2 @@\n-second\n+SECOND\n q\n";
    check_refused(strays, patch, HunkProblem::Strayed);
    // With all of its context, but forty lines off, where its neighbour is where it says.
    let far = ["a\nsecond\nb\n", &"-\n".repeat(40), "p\nold\nq\n"].concat();
    let patch = "@@ -1,3 +1,3 @@\n p\n-old\n+new\n q\n@@ -2,2 +2,2 @@\n-second\n+SECOND\n b\n";
    check_refused(&far, patch, HunkProblem::Strayed);
    // Numbers that are all made up say nothing about the order.
    let wild = patch.replace("-1,3 +1,3", "-301,3 +301,3").replace("-2,2 +2,2", "-302,2 +302,2");
    check(&far, &wild, PlacementStage::Reanchored, &far.replace("second", "SECOND").replace("old", "new"));
}

#[test]
fn where_blank_lines_are_all_that_changes_each_counts() {
    let base = "one();\n}\n\n\nfn two() {\n}\n\nfn three() {\n";
    let patch = "@@ -2,5 +2,4 @@\n }\n \n-\n fn two() {\n }\n";
    check(base, patch, PlacementStage::Strict, "one();\n}\n\nfn two() {\n}\n\nfn three() {\n");
    // The one blank line that is left is not taken as well.
    let once = "one();\n}\n\nfn two() {\n}\n\nfn three() {\n";
    assert_eq!(apply(once, patch), Err(PatchFailure::AlreadyApplied));
}

#[test]
fn a_wrong_header_and_wrong_context_are_both_told() {
    let base = ["-\n".repeat(40), "a\nb\nold\ny\nz\n".to_owned()].concat();
    let patch = "@@ -1,5 +1,5 @@\n a\n b\n-old\n+new\n c\n d\n";
    let applied = apply(&base, patch).unwrap();
    assert_eq!(applied.stages(), [PlacementStage::Fuzz, PlacementStage::Reanchored]);
    assert_eq!(applied.text, base.replace("old", "new").as_bytes());
    assert_eq!((applied.hunks[0].line, applied.hunks[0].fuzz, applied.hunks[0].left_out), (41, 2, 2));
}

#[test]
fn wrong_white_space_is_told_wherever_the_hunk_is_found() {
    let base = ["-\n".repeat(40), "    if a:\n        b()\n        c()\n".to_owned()].concat();
    let patch = "@@ -1,3 +1,3 @@\n if a:\n-    b()\n+    d()\n     c()\n";
    let applied = apply(&base, patch).unwrap();
    assert_eq!(applied.text, base.replace("b()", "d()").as_bytes());
    assert_eq!(applied.stages(), [PlacementStage::Whitespace, PlacementStage::Reanchored]);
}

#[test]
fn counts_that_are_wrong_do_not_matter() {
    for counts in
        ["-4,9 +4,9", "-4,1 +4,1", "-4 +4", "-4,99999999999 +4,0", "-4,3 +4,99999999999999999999999"]
    {
        let patch = format!("@@ {counts} @@\n gamma\n-delta\n+DELTA\n epsilon\n");
        check(BASE, &patch, PlacementStage::Strict, "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n");
    }
}

#[test]
fn headers_may_be_missing() {
    let result = "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n";
    for head in
        ["@@\n", "@@ ... @@\n", "", "--- f.txt\n+++ f.txt\n", "+++ b/f.txt\n@@\n", "--- a/f.txt\n@@ @@\n"]
    {
        check(BASE, &format!("{head} gamma\n-delta\n+DELTA\n epsilon\n"), PlacementStage::Strict, result);
    }
}

#[test]
fn entries_with_newlines_in_them_are_several_lines() {
    let lines = ["@@ -4,3 +4,3 @@\n gamma\n-delta", "+DELTA\n", " epsilon"];
    check(BASE, &flatten(lines), PlacementStage::Strict, "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n");
    let whole = flatten(["@@ -4,3 +4,3 @@", " gamma", "-delta", "+DELTA", " epsilon"]);
    assert_eq!(flatten(lines), whole);
}

#[test]
fn fences_and_prose_around_a_diff_are_passed_over() {
    let diff = "--- a/f.txt\n+++ b/f.txt\n@@ -4,3 +4,3 @@\n gamma\n-delta\n+DELTA\n epsilon\n";
    let result = "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n";
    check(
        BASE,
        &format!("Here you are:\n\n```diff\n{diff}```\n\nThat should do.\n"),
        PlacementStage::Strict,
        result,
    );
    check(BASE, &format!("- first\n- then\n\n{diff}\nThat should do.\n"), PlacementStage::Strict, result);
    let uncounted = diff.replace("-4,3 +4,3", "-4 +4");
    check(BASE, &format!("{uncounted}\nThat should do.\n"), PlacementStage::Strict, result);
    check(BASE, &format!("{diff}-- \n2.43.0\n"), PlacementStage::Strict, result);
    check(BASE, &format!("{uncounted}-- \n2.43.0\n"), PlacementStage::Strict, result);
}

#[test]
fn an_indented_patch_is_read_and_prose_is_no_patch_that_is_done() {
    let result = "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n";
    let diff =
        "   --- a/f.txt\n   +++ b/f.txt\n   @@ -4,3 +4,3 @@\n    gamma\n   -delta\n   +DELTA\n    epsilon\n";
    check(
        BASE,
        &format!("1. this:\n\n   ```diff\n{diff}   ```\n\n2. done\n"),
        PlacementStage::Strict,
        result,
    );
    check(BASE, diff, PlacementStage::Strict, result);
    let block = "    <<<<<<< SEARCH\n    delta\n    =======\n    DELTA\n    >>>>>>> REPLACE\n";
    check(BASE, block, PlacementStage::Strict, result);
    for prose in ["    alpha\n    beta\n", " alpha\n", "@@ -1,2 +1,2 @@\n alpha\n beta\n"] {
        assert!(ParsedPatch::read(prose.as_bytes()).is_err(), "{prose:?}");
    }
}

#[test]
fn one_missing_closing_bracket_is_skipped() {
    let patch = "@@ -1,5 +1,5 @@\n alpha\n beta\n gamma\n-delta\n+DELTA\n epsilon\n";
    let found = apply(BASE, patch).unwrap();
    assert_eq!(found.text, b"alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n");
    let base = "a1\na2\na3\na4\n},\n// why\nb1\nb2\nb3\nold\nc1\nc2\nc3\n";
    let patch = "@@ -1,5 +1,5 @@\n a1\n a2\n a3\n a4\n b1\n b2\n b3\n-old\n+new\n c1\n c2\n c3\n";
    check(base, patch, PlacementStage::Structural, &base.replace("old", "new"));
    let more = base.replace("// why\n", "// why\n}\n");
    check_refused(&more, patch, HunkProblem::NotFound);
}

#[test]
fn a_line_within_the_context_may_be_missing_in_the_last_stage_only() {
    let base = "a1\na2\na3\nextra\nb1\nb2\nb3\nold\nc1\nc2\nc3\n";
    let patch = "@@ -1,5 +1,5 @@\n a1\n a2\n a3\n b1\n b2\n b3\n-old\n+new\n c1\n c2\n c3\n";
    check(base, patch, PlacementStage::InternalContext, &base.replace("old", "new"));
    let other = patch.replace(" b1\n", " b1\n never\n").replace(" a3\n", " a3\n extra\n");
    check(base, &other, PlacementStage::InternalContext, &base.replace("old", "new"));
    check_refused(&base.replace("extra", "e1\ne2\ne3"), patch, HunkProblem::NotFound);
    // Without context after the change nothing within may be left out.
    let open = "@@ -1,5 +1,5 @@\n a1\n a2\n a3\n b1\n b2\n b3\n-old\n+new\n";
    check_refused(base, open, HunkProblem::NotFound);
}

#[test]
fn lines_are_never_skipped_where_something_is_added() {
    let base = "a1\na2\na3\n}\nb1\nb2\nb3\n";
    check_refused(base, "@@ -1,6 +1,7 @@\n a1\n a2\n a3\n+new\n b1\n b2\n b3\n", HunkProblem::NotFound);
}

#[test]
fn a_failure_tells_what_was_expected_and_what_is_there() {
    let patch = "--- a/f.txt\n+++ b/f.txt\n@@ -4,3 +4,3 @@\n gamma\n-two\n+TWO\n epsilon\n";
    let Err(PatchFailure::Hunks { hunks: 1, failed }) = apply(BASE, patch) else { panic!("it has no place") };
    assert_eq!(failed[0].expected, [&b"gamma"[..], b"two", b"epsilon"]);
    assert_eq!(failed[0].actual, [&b"gamma"[..], b"delta", b"epsilon"]);
    assert_eq!((failed[0].line, failed[0].patch_line, failed[0].why), (4, 3, HunkProblem::NotFound));
    check_refused(BASE, "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n", HunkProblem::NotFound);
}

#[test]
fn all_hunks_or_none() {
    let patch = "@@ -1,2 +1,2 @@\n-alpha\n+ALPHA\n beta\n@@ -4,2 +4,2 @@\n-nowhere\n+NOWHERE\n delta\n";
    let Err(PatchFailure::Hunks { hunks: 2, failed }) = apply(BASE, patch) else {
        panic!("one has no place")
    };
    assert_eq!((failed.len(), failed[0].hunk), (1, 1));
}

#[test]
fn fuzz_gives_up_two_lines_at_either_end_and_no_more() {
    let base = "x1\nx2\na3\nold\nb1\nb2\nb3\n";
    let patch = "@@ -1,7 +1,7 @@\n a1\n a2\n a3\n-old\n+new\n b1\n b2\n b3\n";
    check(base, patch, PlacementStage::Fuzz, &base.replace("old", "new"));
    check_refused("x1\nx2\nx3\nold\nb1\nb2\nb3\n", patch, HunkProblem::NotFound);
    check_refused("x\nold\ny\n", "@@ -1,3 +1,3 @@\n a\n-old\n+new\n b\n", HunkProblem::NotFound);
}

#[test]
fn white_space_may_differ_and_context_keeps_the_bytes_of_the_file() {
    let base = "fn  main() {\n\tlet a = 1;\t\n\n\tlet b = 2;\n}\n";
    let patch = "@@ -1,4 +1,4 @@\n fn main() {\n \tlet a = 1;\n-\tlet b = 2;\n+\tlet b = 3;\n }\n";
    check(base, patch, PlacementStage::Whitespace, "fn  main() {\n\tlet a = 1;\t\n\n\tlet b = 3;\n}\n");
}

#[test]
fn blank_lines_may_be_missing_on_either_side() {
    let base = "import a\n\n\ndef f():\n    pass\n";
    let patch = "@@ -1,3 +1,4 @@\n import a\n \n+import b\n def f():\n";
    check(base, patch, PlacementStage::Whitespace, "import a\n\n\nimport b\ndef f():\n    pass\n");
    let dense = "import a\ndef f():\n    pass\n";
    let patch = "@@ -1,4 +1,4 @@\n import a\n\n\n def f():\n-    pass\n+    return\n";
    check(dense, patch, PlacementStage::Whitespace, "import a\ndef f():\n    return\n");
}

#[test]
fn wrong_indentation_is_put_right() {
    let base = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n";
    let patch = "@@ -2,2 +2,3 @@\n def f(self):\n-    return 1\n+    if self:\n+        return 3\n";
    let result = base.replace("        return 1\n", "        if self:\n            return 3\n");
    check(base, patch, PlacementStage::Whitespace, &result);
    let tabs = base.replace("    ", "\t");
    check(&tabs, patch, PlacementStage::Whitespace, &result.replace("    ", "\t"));
}

#[test]
fn line_ends_are_those_of_the_file() {
    let lf = "alpha\nbeta\ngamma\n";
    let crlf = "alpha\r\nbeta\r\ngamma\r\n";
    let patch = "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n alpha\n-beta\n+BETA\n+more\n gamma\n";
    check(crlf, patch, PlacementStage::Whitespace, "alpha\r\nBETA\r\nmore\r\ngamma\r\n");
    check(lf, &patch.replace('\n', "\r\n"), PlacementStage::Whitespace, "alpha\nBETA\nmore\ngamma\n");
    check(crlf, &patch.replace('\n', "\r\n"), PlacementStage::Strict, "alpha\r\nBETA\r\nmore\r\ngamma\r\n");
    // A patch that is about line ends changes them.
    let ends = "@@ -1,3 +1,3 @@\n alpha\r\n-beta\r\n+beta\n gamma\r\n";
    check(crlf, ends, PlacementStage::Strict, "alpha\r\nbeta\ngamma\r\n");
}

#[test]
fn typographic_quotes_and_dashes_are_read_as_plain_ones() {
    let base = "a\nsay(\"hi - there\");\nb\n";
    let patch =
        "@@ -1,3 +1,3 @@\n a\n-say(\u{201c}hi \u{2013} there\u{201d});\n+say(\u{201c}bye\u{201d});\n b\n";
    check(base, patch, PlacementStage::Whitespace, "a\nsay(\"bye\");\nb\n");
    // Where the file has them, they stay.
    let typographic = "a\nsay(\u{201c}hi\u{201d});\nb\n";
    let patch = "@@ -1,3 +1,3 @@\n a\n-say(\u{201c}hi\u{201d});\n+say(\u{201c}bye\u{201d});\n b\n";
    check(typographic, patch, PlacementStage::Strict, "a\nsay(\u{201c}bye\u{201d});\nb\n");
}

#[test]
fn a_file_may_end_without_a_newline() {
    let marked = "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n";
    check("a\nb", marked, PlacementStage::Strict, "a\nc");
    check(
        "a\nb",
        "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
        PlacementStage::Strict,
        "a\nb\n",
    );
    check(
        "a\nb\n",
        "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n",
        PlacementStage::Strict,
        "a\nb",
    );
    // Who forgets the mark does not mean the newline.
    check("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", PlacementStage::Whitespace, "a\nc");
    check("a\nb", "@@ -1,2 +1,3 @@\n a\n b\n+c\n", PlacementStage::Whitespace, "a\nb\nc");
}

#[test]
fn what_stands_beside_the_change_is_no_end_of_the_context() {
    let patch = "@@ -1,3 +1,4 @@\n ann\n ben\n zoe\n+new\n";
    // One in the middle is missing: the last is where it goes on, not the first.
    check("abe\nann\nzoe\n", patch, PlacementStage::Fuzz, "abe\nann\nzoe\nnew\n");
    check_refused("abe\nann\nben\nzoe\n", &patch.replace("zoe", "zoo"), HunkProblem::NotFound);
}

#[test]
fn the_end_of_the_file_is_not_given_up_for_a_little_more_context() {
    let patch = "@@ -9,4 +9,5 @@\n check\n done\n }\n+more\n )\n";
    let base = "check\ndone\n}\nother\n}\n)\n";
    check(base, patch, PlacementStage::Fuzz, "check\ndone\n}\nother\n}\nmore\n)\n");
}

#[test]
fn short_context_at_the_end_pins_a_hunk_to_the_end_of_the_file() {
    let base = "a\nb\nc\na\nb\n";
    check(base, "@@ -2,2 +2,3 @@\n a\n b\n+new\n", PlacementStage::Fuzz, "a\nb\nc\na\nb\nnew\n");
    check(base, "@@\n a\n b\n+new\n", PlacementStage::Strict, "a\nb\nc\na\nb\nnew\n");
    check("a\nb\nc\n", "@@ -1,2 +1,3 @@\n a\n b\n+new\n", PlacementStage::Strict, "a\nb\nnew\nc\n");
}

#[test]
fn only_a_diff_that_a_program_wrote_is_pinned_by_its_context() {
    let base = "def a():\n    x()\n    y()\n\ndef b():\n    x()\n    y()\n";
    let block = "<<<<<<< SEARCH\n    x()\n    y()\n=======\n    x()\n    y()\n    z()\n>>>>>>> REPLACE\n";
    check_refused(base, block, HunkProblem::Ambiguous(2));
    let begun = "*** Begin Patch\n*** Update File: f\n     x()\n     y()\n+    z()\n*** End Patch\n";
    check_refused(base, begun, HunkProblem::Ambiguous(2));
    let alike = "{\nx\nreturn 0\n}\n{\ny\nreturn 0\n}\n{\nz\nreturn 0\n}\n";
    // Who writes no header may have left off anywhere but at the very change.
    let two = "{\nreturn 0\n}\n{\nreturn 0\n}\n";
    check_refused(two, "@@\n {\n return 0\n+more\n }\n", HunkProblem::Ambiguous(2));
    // Without all of its context it is where it says.
    let near = alike.replacen("y\nreturn 0", "y\nreturn 1", 1);
    check(alike, "@@ -5,4 +5,4 @@\n {\n wrong\n-return 0\n+return 1\n }\n", PlacementStage::Fuzz, &near);
}

#[test]
fn the_end_of_the_file_does_not_come_before_the_place_that_the_header_says() {
    let base = "func a {\nstart()\nuse(1)\n}\n\nfunc b {\nstart()\nuse(1)\n}\n";
    let patch = |line: usize| format!("@@ -{line},3 +{line},4 @@\n start()\n use(1)\n+more()\n }}\n");
    let first = base.replacen("}\n", "more()\n}\n", 1);
    check(base, &patch(2), PlacementStage::Strict, &first);
    let last = base.strip_suffix("}\n").unwrap().to_owned() + "more()\n}\n";
    check(base, &patch(7), PlacementStage::Strict, &last);
    check(base, &patch(3), PlacementStage::Fuzz, &last);
    check(
        "a\nb\nc\na\nb\n",
        "@@ -1,2 +1,3 @@\n a\n b\n+new\n",
        PlacementStage::Strict,
        "a\nb\nnew\nc\na\nb\n",
    );
    let said = "*** Begin Patch\n*** Update File: f\n@@ -1,2 +1,3 @@\n a\n b\n+new\n*** End of File\n*** End Patch\n";
    check("a\nb\nc\na\nb\n", said, PlacementStage::Fuzz, "a\nb\nc\na\nb\nnew\n");
    // A closing bracket more, as git has it: the one below is context.
    check(
        "if x {\ny\n}\n}\n",
        "@@ -1,3 +1,4 @@\n if x {\n y\n+}\n }\n",
        PlacementStage::Strict,
        "if x {\ny\n}\n}\n}\n",
    );
}

#[test]
fn of_several_places_the_nearest_to_the_stated_line_is_meant() {
    let base = "x\nold\ny\n".repeat(5);
    let patch = |line: usize| format!("@@ -{line},3 +{line},3 @@\n x\n-old\n+new\n y\n");
    let at =
        |n: usize| ["x\nold\ny\n".repeat(n), "x\nnew\ny\n".to_owned(), "x\nold\ny\n".repeat(4 - n)].concat();
    check(&base, &patch(4), PlacementStage::Strict, &at(1));
    check(&base, &patch(5), PlacementStage::Fuzz, &at(1));
    check(&base, &patch(99), PlacementStage::Reanchored, &at(4));
    check_refused(&base, "@@\n x\n-old\n+new\n y\n", HunkProblem::Ambiguous(5));
    let tie = "x\nold\ny\n-\nx\nold\ny\n";
    check_refused(tie, "@@ -3,3 +3,3 @@\n x\n-old\n+new\n y\n", HunkProblem::Ambiguous(2));
}

#[test]
fn a_reversed_patch_undoes_what_the_patch_does() {
    let patch = "@@ -3,4 +3,5 @@\n },\n gamma\n-delta\n+DELTA\n+more\n epsilon\n";
    let done = apply(BASE, patch).unwrap().text;
    let undo = ParsedPatch::read(patch.as_bytes()).unwrap().reversed();
    assert_eq!(undo.files[0].apply(&done).unwrap().text, BASE.as_bytes());
}

#[test]
fn hunks_that_change_the_same_lines_are_refused() {
    let patch = "@@ -4,2 +4,2 @@\n gamma\n-delta\n+DELTA\n@@ -5,2 +5,2 @@\n-delta\n+other\n epsilon\n";
    check_refused(BASE, patch, HunkProblem::Overlap);
}

#[test]
fn forgotten_marks_of_context_are_put_back() {
    let base = "def f():\n    a = 1\n    return a\n";
    let patch = "@@ -1,3 +1,4 @@\ndef f():\n    a = 1\n+    a += 1\n    return a\n";
    check(base, patch, PlacementStage::Whitespace, "def f():\n    a = 1\n    a += 1\n    return a\n");
}

#[test]
fn search_and_replace_blocks_are_applied() {
    let patch = "f.txt\n```\n<<<<<<< SEARCH\ngamma\n=======\nGAMMA\n>>>>>>> REPLACE\n```\n";
    check(BASE, patch, PlacementStage::Strict, "alpha\nbeta\n},\nGAMMA\ndelta\nepsilon\n");
    for name in
        ["f.txt", "`f.txt`", "**f.txt**", "### f.txt", "**`f.txt`**:", "File: f.txt", "## File: `f.txt`"]
    {
        let patch = format!("{name}\n```\n------- SEARCH\ngamma\n=======\nGAMMA\n+++++++ REPLACE\n```\n");
        check(BASE, &patch, PlacementStage::Strict, "alpha\nbeta\n},\nGAMMA\ndelta\nepsilon\n");
        let path =
            ParsedPatch::read(patch.as_bytes()).unwrap().files[0].new_path.clone().expect("it is named");
        assert_eq!(path.path.to_string(), "f.txt", "{name}");
    }
    let two = "<<<<<<< SEARCH\ndelta\n=======\nDELTA\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\nalpha\nbeta\n=======\nalpha\nBETA\n>>>>>>> REPLACE\n";
    check(BASE, two, PlacementStage::Strict, "alpha\nBETA\n},\ngamma\nDELTA\nepsilon\n");
    let twice = "x\ny\nx\n";
    check_refused(twice, "<<<<<<< SEARCH\nx\n=======\nz\n>>>>>>> REPLACE\n", HunkProblem::Ambiguous(2));
    check_refused(BASE, "<<<<<<< SEARCH\nzeta\n=======\nz\n>>>>>>> REPLACE\n", HunkProblem::NotFound);
    check("", "<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n", PlacementStage::Strict, "new\n");
    let indented = "<<<<<<< SEARCH\nif x:\n    go()\n=======\nif x:\n    stay()\n>>>>>>> REPLACE\n";
    check(
        "def f():\n    if x:\n        go()\n",
        indented,
        PlacementStage::Whitespace,
        "def f():\n    if x:\n        stay()\n",
    );
    assert!(ParsedPatch::read(b"<<<<<<< SEARCH\nx\n=======\ny\n").is_err());
}

#[test]
fn a_sentence_that_ends_with_a_path_names_the_file_of_a_block() {
    let block = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
    let names = |between: &str| -> Vec<Option<String>> {
        let patch =
            ParsedPatch::read(format!("a.txt\n{block}\n{between}\n```\n{block}```\n").as_bytes()).unwrap();
        patch.files.iter().map(|file| Some(file.new_path.as_ref()?.path.to_string())).collect()
    };
    let two = [Some("a.txt".to_owned()), Some("src/b.rs".to_owned())];
    for between in ["And in `src/b.rs`:", "Then change `src/b.rs`", "Last, `src/b.rs`."] {
        assert_eq!(names(between), two, "{between}");
    }
    // What names no path, or several, is about the file before.
    for between in
        ["And then:", "Call `f()`:", "Not `src/b.rs` but `src/c.rs`:", "The `src/b.rs` stays as it is"]
    {
        assert_eq!(names(between), two[..1], "{between}");
    }
}

#[test]
fn a_block_may_build_on_those_before_it() {
    let block = |old: &str, new: &str| format!("<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n");
    let patch = block("beta\n", "beta\nnew\n") + &block("new\n},\n", "new\nnewer\n},\n");
    let result = "alpha\nbeta\nnew\nnewer\n},\ngamma\ndelta\nepsilon\n";
    check(BASE, &patch, PlacementStage::Strict, result);
    let back = ParsedPatch::read(patch.as_bytes()).unwrap().reversed();
    assert_eq!(back.files[0].apply(result.as_bytes()).unwrap().text, BASE.as_bytes());
    // All or none, and what one of them made ambiguous has no place.
    check_refused(BASE, &(patch + &block("zeta\n", "z\n")), HunkProblem::NotFound);
    check_refused(BASE, &(block("beta\n", "x\nx\n") + &block("x\n", "y\n")), HunkProblem::NotFound);
    // Two that say something else of the same place do not build on each other.
    check_refused(
        BASE,
        &(block("beta\n", "beta\nx\n") + &block("beta\n", "beta\ny\n")),
        HunkProblem::Overlap,
    );
}

#[test]
fn the_form_that_begins_and_ends_is_applied() {
    let base =
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n";
    let patch = "*** Begin Patch\n*** Update File: f.py\n@@ class B:\n@@     def f(self):\n-        return 1\n+        return 2\n*** End Patch\n";
    let result =
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n";
    check(base, patch, PlacementStage::Strict, result);
    let plain = "*** Begin Patch\n*** Update File: f.txt\n@@\n gamma\n-delta\n+DELTA\n*** End Patch";
    check(BASE, plain, PlacementStage::Strict, "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n");
    let end = "*** Begin Patch\n*** Update File: f.txt\n@@\n x\n+y\n*** End of File\n*** End Patch\n";
    check("x\na\nx\n", end, PlacementStage::Strict, "x\na\nx\ny\n");
    let append = "*** Begin Patch\n*** Update File: f.txt\n@@\n+last\n*** End Patch\n";
    check("first\n", append, PlacementStage::Strict, "first\nlast\n");
}

#[test]
fn a_heading_may_leave_out_the_end_of_its_line() {
    let base = "class AB:\n    def f(self):\n        x = 1\n\nclass A(Base):\n    def f(self):\n        x = 1\n\nclass B:\n    def f(self):\n        x = 1\n";
    let change = |heading: &str| {
        format!(
            "*** Begin Patch\n*** Update File: f.py\n{heading}\n-        x = 1\n+        x = 2\n*** End Patch\n"
        )
    };
    let (head, tail) = base.split_at(base.find("class A(").unwrap());
    for heading in ["@@ class A", "@@ class A\n@@ def f", "@@ class A(Base)"] {
        let result = format!("{head}{}", tail.replacen("x = 1", "x = 2", 1));
        check(base, &change(heading), PlacementStage::Strict, &result);
    }
    let (head, tail) = base.split_at(base.find("class B").unwrap());
    check(
        base,
        &change("@@ class B @@"),
        PlacementStage::Strict,
        &format!("{head}{}", tail.replace("x = 1", "x = 2")),
    );
    // What is part of a word is no heading, and a heading that is nowhere leaves three places.
    check_refused(base, &change("@@ class Bas"), HunkProblem::Ambiguous(3));
    check_refused(base, &change("@@ class C"), HunkProblem::Ambiguous(3));
}

#[test]
fn marks_are_read_in_letters_of_either_case() {
    let begun = "*** begin patch\n*** update file: f.txt\n@@\n gamma\n-delta\n+DELTA\n*** end patch\n";
    check(BASE, begun, PlacementStage::Strict, "alpha\nbeta\n},\ngamma\nDELTA\nepsilon\n");
    for (first, last) in [("search", "replace"), ("Search", "Replace"), ("original", "Updated")] {
        let block = format!("<<<<<<< {first}\ngamma\n=======\nGAMMA\n>>>>>>> {last}\n");
        check(BASE, &block, PlacementStage::Strict, "alpha\nbeta\n},\nGAMMA\ndelta\nepsilon\n");
    }
}

#[test]
fn the_form_is_told_by_its_marks() {
    assert_eq!(PatchForm::detect(b"*** Add File: x\n+<<<<<<< SEARCH\n"), PatchForm::BeginEnd);
    assert_eq!(PatchForm::detect(b"x\n<<<<<<< SEARCH\n"), PatchForm::SearchReplace);
    assert_eq!(PatchForm::detect(b"*** Begin Patch\n@@ -1 +1 @@\n"), PatchForm::BeginEnd);
    assert_eq!(PatchForm::detect(b"@@ -1 +1 @@\n+<<<<<<< SEARCH\n"), PatchForm::Unified);
    assert_eq!(PatchForm::detect(b""), PatchForm::Unified);
}

#[test]
fn insertions_without_context_go_where_their_header_says() {
    check("a\nb\n", "@@ -1,0 +2,1 @@\n+x\n", PlacementStage::Strict, "a\nx\nb\n");
    check("", "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+x\n+y\n", PlacementStage::Strict, "x\ny\n");
    check_refused("a\nb\n", "@@\n+x\n", HunkProblem::NothingToFind);
    check_refused("a\nb\n", "@@ -7,0 +8,1 @@\n+x\n", HunkProblem::NothingToFind);
}

#[test]
fn a_header_that_says_that_the_file_is_empty_has_no_place_in_another() {
    let patch = "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n";
    check("", patch, PlacementStage::Strict, "x\n");
    check_refused("a\nb\n", patch, HunkProblem::NothingToFind);
    check_refused("x\nb\n", patch, HunkProblem::NothingToFind);
    assert_eq!(apply("x\n", patch), Err(PatchFailure::AlreadyApplied));
    // Where another hunk is of a line that is there, it is a diff without context.
    let two = format!("{patch}@@ -2 +3 @@\n-b\n+c\n");
    check("a\nb\n", &two, PlacementStage::Strict, "x\na\nc\n");
}

#[test]
fn a_signature_alone_is_no_patch() {
    for text in ["-- \n", "-- \n2.43.0\n", "x\n-- \n", "-- "] {
        assert!(ParsedPatch::read(text.as_bytes()).is_err(), "{text:?}");
    }
}
