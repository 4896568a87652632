//! What an anchor's own text can do where its file's old content is missing.

use postil_core::anchoring::Head;
use postil_core::git::{BlobId, CommitId};
use postil_testkit::{Files, ObjectWorld, shown, unmark};

/// Expects the marked lines of `old` at the marked lines of `new`, with neither commit nor blob.
#[track_caller]
fn check(old: &str, new: &str, expected: &str) -> usize {
    let world = ObjectWorld::new();
    let ((old, was), (new, is)) = (unmark(old), unmark(new));
    let (first, last) = was.expect("a line of the old text is marked");
    let mut anchor = world.anchor(None, "f.rs", &old, first, last);
    anchor.blob = BlobId::from_bytes(&[7; 20]);
    anchor.commit = CommitId::from_bytes(&[7; 20]);
    let head = Head { tree: world.tree(&Files::from([("f.rs", new)])), commit: None };
    let position = world.locate(anchor, head);
    let place = is.map(|(first, last)| format!(" {first}-{last}")).unwrap_or_default();
    assert_eq!(shown(&position), format!("{expected}{place}"));
    position.candidates().len()
}

const OLD: &str =
    "fn main() {\n    let alpha = read_alpha();\n▸    let beta = read_beta(alpha);\n    print(beta);\n}\n";

#[test]
fn text_carries_an_anchor_whose_commit_is_unreachable() {
    let new = "use std::io;\n\nfn main() {\n    let alpha = read_alpha();\n▸    let beta = read_beta(alpha);\n    print(beta);\n}\n";
    check(OLD, new, "shifted text");
}

#[test]
fn a_text_that_is_much_alike_is_shifted() {
    let new = "fn main() {\n    let alpha = read_alpha();\n▸    let beta = read_betas(alpha);\n    print(beta);\n}\n";
    check(OLD, new, "shifted text");
}

#[test]
fn a_text_that_is_less_alike_is_only_a_candidate() {
    let new = "fn main() {\n    let alpha = read_alpha();\n    let beta = compute(alpha, other);\n    print(beta);\n}\n";
    assert_eq!(check(OLD, new, "orphaned deleted"), 1);
}

#[test]
fn a_text_without_a_trace_has_no_candidate() {
    assert_eq!(check(OLD, "something\nelse\n", "orphaned deleted"), 0);
}

#[test]
fn twins_without_context_are_not_placed() {
    let old = "first line here\n▸    log();\nlast line here\n";
    check(old, "x()\n    log();\ny()\n    log();\nz()\n", "orphaned ambiguous");
}

#[test]
fn twins_with_context_are_told_apart() {
    let old = "fn b() {\n    two();\n▸    log();\n}\n";
    check(old, "fn a() {\n    one();\n    log();\n}\nfn b() {\n    two();\n▸    log();\n}\n", "shifted text");
}

/// Two functions with one body, longer than the context of a line, in this order.
fn alike(marked: &str, names: [&str; 2]) -> String {
    names
        .map(|name| {
            let mark = if name == marked { "▸" } else { "" };
            let steps = |from: u32| (from..from + 4).map(|n| format!("    step({n});\n")).collect::<String>();
            format!("fn {name}() {{\n{}{mark}    log();\n{}}}\n", steps(0), steps(4))
        })
        .concat()
}

#[test]
fn twins_with_one_context_are_told_apart_by_their_scope() {
    for marked in ["first", "second"] {
        let new = format!("use std::io;\n\n{}", alike(marked, ["first", "second"]));
        check(&alike(marked, ["first", "second"]), &new, "shifted text");
        check(&alike(marked, ["first", "second"]), &alike(marked, ["second", "first"]), "shifted text");
    }
}

#[test]
fn twins_with_one_context_in_other_scopes_are_not_placed() {
    let new = alike("", ["third", "fourth"]);
    check(&alike("first", ["first", "second"]), &new, "orphaned ambiguous");
}

/// A function in which the line stands, with what may stand there instead.
fn main_with(line: &str) -> String {
    format!("fn main() {{\n    let alpha = read_alpha();\n{line}\n    print(beta);\n}}\n")
}

const LINE: &str = "    connect(gateway, timeout);";

#[test]
fn the_same_line_among_strangers_gives_way_to_a_changed_one_in_its_place() {
    let old = main_with(&format!("▸{LINE}"));
    let stranger = format!("fn other() {{\n    let first = open();\n{LINE}\n    close(first);\n}}\n");
    let changed = main_with("▸    connect(&gateway, timeout);");
    for new in [format!("{stranger}\n{changed}"), format!("{changed}\n{stranger}")] {
        check(&old, &new, "shifted text");
    }
    // What stands there is hardly like it: neither can be defended.
    for other in ["    wait();", "    connect(peer);"] {
        let rewritten = main_with(other);
        for new in [format!("{stranger}\n{rewritten}"), format!("{rewritten}\n{stranger}")] {
            assert!(check(&old, &new, "orphaned deleted") >= 1, "{new}");
        }
    }
    // Also in the function that it was in.
    let again = main_with("    wait();").replace("}\n", &format!("    let second = open();\n{LINE}\n}}\n"));
    assert_eq!(check(&old, &again, "orphaned deleted"), 2);
}

#[test]
fn a_line_that_moved_is_known_by_its_text() {
    let old = main_with(&format!("▸{LINE}"));
    let moved = format!("fn other() {{\n    let first = open();\n▸{LINE}\n    close(first);\n}}\n");
    // It left its surroundings, or they are gone.
    let closed = main_with("").replace("\n\n", "\n");
    check(&old, &format!("{moved}\n{closed}"), "shifted text");
    check(&old, &format!("{closed}\n{moved}"), "shifted text");
    check(&old, &format!("{moved}\nfn main() {{\n    run();\n}}\n"), "shifted text");
}

#[test]
fn a_block_that_says_much_is_known_wherever_it_went() {
    let block = "    let gateway = Gateway::with(settings.timeout, settings.retries);\n    journal.record(gateway.state());";
    let old = main_with(&format!("▸{}", block.replace('\n', "\n▸")));
    let marked = block.replace("    let", "▸    let").replace("    journal", "▸    journal");
    let moved = format!("fn other() {{\n    let first = open();\n{marked}\n    close(first);\n}}\n");
    check(&old, &format!("{moved}\n{}", main_with("    wait();\n    stop();")), "shifted text");
    check(&old, &format!("{}\n{moved}", main_with("    wait();\n    stop();")), "shifted text");
}

#[test]
fn of_equal_lines_in_one_block_the_nearer_one_is_meant() {
    let run = "    step(1);\n    step(2);\n    step(3);\n";
    let text = |marks: [&str; 2], head: usize| {
        let head = "use io;\n".repeat(head);
        let (first, second) = (marks[0], marks[1]);
        format!(
            "{head}fn main() {{\n{run}{first}    log();\n{run}    idle();\n{run}{second}    log();\n{run}}}\n"
        )
    };
    check(&text(["▸", ""], 0), &text(["▸", ""], 2), "shifted twin");
    assert_eq!(check(&text(["", "▸"], 0), &text(["", "▸"], 2), "shifted twin"), 1);
    // Eight lines lie between them: now it was as far from the one as from the other.
    assert_eq!(check(&text(["", "▸"], 0), &text(["", ""], 4), "orphaned ambiguous"), 2);
}
