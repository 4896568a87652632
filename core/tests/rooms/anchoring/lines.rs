//! Where lines go within one file.

use postil_core::anchoring::Head;
use postil_testkit::{Files, ObjectWorld, shown, unmark};

/// Expects the marked lines of `old` at the marked lines of `new`, in one comparison.
#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    let world = ObjectWorld::new();
    let ((old, was), (new, is)) = (unmark(old), unmark(new));
    let (first, last) = was.expect("a line of the old text is marked");
    let commit = world.commit(&Files::from([("f.rs", old.clone())]), &[]);
    let head = Head { tree: world.tree(&Files::from([("f.rs", new)])), commit: None };
    let position = world.locate(world.anchor(Some(commit), "f.rs", &old, first, last), head);
    let place = is.map(|(first, last)| format!(" {first}-{last}")).unwrap_or_default();
    assert_eq!(shown(&position), format!("{expected}{place}"));
}

const SHAPE: &str = "fn area(w: u32, h: u32) -> u32 {\n    w * h\n}\n\nfn edge(w: u32, h: u32) -> u32 {\n    2 * (w + h)\n}\n";

fn mark(text: &str, line: &str) -> String {
    text.replacen(line, &format!("▸{line}"), 1)
}

#[test]
fn an_unchanged_line_is_anchored() {
    check(&mark(SHAPE, "    w * h"), &mark(SHAPE, "    w * h"), "anchored translated");
}

#[test]
fn a_line_moved_by_edits_elsewhere_is_anchored_at_its_new_number() {
    let new = format!("// shapes\n{SHAPE}// end\n");
    check(&mark(SHAPE, "    w * h"), &mark(&new, "    w * h"), "anchored translated");
}

#[test]
fn the_first_and_the_last_line_are_lines_like_others() {
    check("▸one\ntwo\nthree\n", "zero\n▸one\ntwo\nthree\n", "anchored translated");
    check("one\ntwo\n▸three", "one\n2\ntwo\n▸three\nfour\n", "anchored translated");
}

#[test]
fn an_empty_line_is_kept_among_its_neighbours() {
    check("one\n▸\ntwo\n", "zero\none\n▸\ntwo\n", "anchored translated");
}

#[test]
fn a_function_that_moved_is_shifted_or_translated_to_its_new_place() {
    let old = "▸fn area(w: u32) -> u32 {\n▸    w * w\n▸}\n\nfn edge(w: u32) -> u32 {\n    let edges = 4;\n    let length = w;\n    edges * length\n}\n";
    let new = "fn edge(w: u32) -> u32 {\n    let edges = 4;\n    let length = w;\n    edges * length\n}\n\n▸fn area(w: u32) -> u32 {\n▸    w * w\n▸}\n";
    check(old, new, "shifted moved");
}

#[test]
fn of_two_swapped_lines_the_other_one_is_found_by_search() {
    let old = "fn main() {\n▸    let alpha = read_alpha();\n    let beta = read_beta();\n}\n";
    let new = "fn main() {\n    let beta = read_beta();\n▸    let alpha = read_alpha();\n}\n";
    check(old, new, "shifted moved");
    check(
        &old.replace('▸', "").replace("    let beta", "▸    let beta"),
        &new.replace('▸', "").replace("    let beta", "▸    let beta"),
        "anchored translated",
    );
}

#[test]
fn a_modified_line_is_outdated_where_it_stands() {
    let new = SHAPE.replace("    w * h", "▸    w.saturating_mul(h)");
    check(&mark(SHAPE, "    w * h"), &new, "outdated changed-in-place");
}

#[test]
fn a_statement_that_grew_is_all_of_its_lines() {
    let old = "fn main() {\n▸    let total = compute(first, second);\n    print(total);\n}\n";
    let new = "fn main() {\n▸    let total = compute(\n▸        first,\n▸        second,\n▸        third,\n▸    );\n    print(total);\n}\n";
    check(old, new, "outdated changed-in-place");
}

#[test]
fn lines_joined_by_a_formatter_are_reformatted() {
    let old = "fn main() {\n▸    let total = compute(\n▸        first,\n▸        second\n▸    );\n    print(total);\n}\n";
    let new = "fn main() {\n▸    let total = compute(first, second);\n    print(total);\n}\n";
    check(old, new, "shifted reformatted");
}

#[test]
fn a_change_of_white_space_alone_is_reformatted() {
    let old = "fn main() {\n  let a = 1;\n▸  let b = 2;\n  let c = 3;\n}\n";
    let new = "fn main() {\n\tlet a = 1;\n▸\tlet b = 2;\n\tlet c = 3;\n}\n";
    check(old, new, "shifted reformatted");
}

#[test]
fn a_change_of_quotes_alone_is_reformatted() {
    check("a\n▸print('hello', name)\nb\n", "a\n▸print(\"hello\", name)\nb\n", "shifted reformatted");
}

#[test]
fn a_change_of_line_ends_alone_is_reformatted() {
    check("one\n▸two\nthree\n", "one\r\n▸two\r\nthree\r\n", "shifted reformatted");
}

#[test]
fn a_deleted_line_is_outdated_at_what_stood_before_it() {
    let old = "alpha = 1\nbeta = 2\n▸gamma = compute_gamma(beta)\ndelta = 4\n";
    check(old, "alpha = 1\n▸beta = 2\ndelta = 4\n", "outdated deleted");
}

#[test]
fn what_stands_in_the_place_of_a_line_is_told_as_that() {
    let old = "alpha = 1\nbeta = 2\n▸gamma = 3\ndelta = 4\nepsilon = 5\n";
    check(old, "alpha = 1\nbeta = 2\n▸raise Failure\ndelta = 4\nepsilon = 5\n", "outdated replaced");
}

#[test]
fn text_and_neighbourhood_gone_is_an_orphan() {
    let old = "alpha = 1\n▸gamma = compute_gamma(beta)\ndelta = 4\n";
    check(old, "something\nwholly different\nstands here\nnow\n", "orphaned deleted");
}

#[test]
fn duplicates_are_told_apart_by_their_context() {
    let old = "fn a() {\n    one();\n    log();\n}\nfn b() {\n    two();\n▸    log();\n}\n";
    let new = "fn b() {\n    two();\n▸    log();\n}\nfn c() {\n    three();\n    log();\n}\nfn a() {\n    one();\n    log();\n}\n";
    check(old, new, "anchored translated");
}

#[test]
fn a_line_inserted_inside_a_large_range_leaves_it_shifted() {
    let old = "▸a = 1\n▸b = 2\n▸c = 3\n▸d = 4\n▸e = 5\nf = 6\n";
    check(old, "▸a = 1\n▸b = 2\n▸new = 0\n▸c = 3\n▸d = 4\n▸e = 5\nf = 6\n", "shifted grown");
}

#[test]
fn lines_inserted_right_before_and_behind_stay_outside() {
    check("a\n▸b\n▸c\nd\n", "a\nx\n▸b\n▸c\ny\nd\n", "anchored translated");
}

#[test]
fn a_hundred_lines_moved_at_once_are_found() {
    let block: String = (0..100).map(|i| format!("    let value_{i} = source_{};\n", i * 7 % 101)).collect();
    let marked: String = block.lines().map(|line| format!("▸{line}\n")).collect();
    let rest: String = (0..150).map(|i| format!("    call_{i}(argument_{});\n", i * 3)).collect();
    check(&format!("begin\n{marked}{rest}end\n"), &format!("begin\n{rest}{marked}end\n"), "shifted moved");
}

#[test]
fn in_a_conflict_the_line_is_found_on_our_side() {
    let old = "fn main() {\n    first();\n▸    second(1);\n    third();\n}\n";
    let new = "fn main() {\n    first();\n<<<<<<< HEAD\n▸    second(1);\n=======\n    zero();\n    second(1);\n>>>>>>> other\n    third();\n}\n";
    check(old, new, "anchored translated");
}

#[test]
fn in_a_rebase_the_line_is_found_on_the_side_of_what_is_rebased() {
    let old = "fn main() {\n    first();\n▸    second(1);\n    third();\n}\n";
    let new = "fn main() {\n    first();\n<<<<<<< HEAD\n    second(2);\n=======\n▸    second(1);\n>>>>>>> 3f9c1a2 (mine)\n    third();\n}\n";
    check(old, new, "anchored translated");
}

#[test]
fn a_line_of_keywords_alone_is_not_found_in_another_function() {
    let old = "fn read() {\n    for line in lines {\n        if skip(line) {\n▸            continue;\n        }\n        keep(line);\n    }\n}\n\nfn end() {\n    close();\n}\n";
    let new = "▸fn end() {\n    close();\n}\n\nfn first(args: &Args) {\n    while let Some(arg) = args.next() {\n        if arg.is_empty() {\n            continue;\n        }\n        take(arg);\n    }\n}\n";
    check(old, new, "outdated deleted");
}
