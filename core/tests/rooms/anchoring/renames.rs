//! Which added file a deleted one became, where several are alike.

use postil_core::anchoring::{Head, Position};
use postil_testkit::{Files, ObjectWorld, shown};

/// A file of a family: most of its lines are in all of them, and some are its own.
fn member(name: &str) -> String {
    let shared: String =
        (0..8).map(|n| format!("    let step_{n} = pipeline.prepare(input, {n});\n")).collect();
    format!(
        "fn {name}(input: &Input) {{\n{shared}    {name}_gateway.connect({name}_options);\n    finish({name}_ledger);\n}}\n"
    )
}

fn files<'a>(files: &[(&'a str, &str)]) -> Files<'a> {
    files.iter().map(|(path, text)| (*path, (*text).to_owned())).collect()
}

/// Expects a line of `src/alpha.rs` somewhere after one commit.
#[track_caller]
fn check(before: &[(&str, &str)], after: &[(&str, &str)], line: u32, expected: &str, path: Option<&str>) {
    let world = ObjectWorld::new();
    let old = world.commit(&files(before), &[]);
    let new = world.commit(&files(after), &[old]);
    let text = before.iter().find(|(path, _)| *path == "src/alpha.rs").unwrap().1;
    let anchor = world.anchor(Some(old), "src/alpha.rs", text, line, line);
    let position = world.locate(anchor, Head { tree: world.tree_of(new), commit: Some(new) });
    let found = position.site().map(|site| site.path.to_string());
    assert_eq!((shown(&position).as_str(), found.as_deref()), (expected, path));
}

#[test]
fn a_file_that_was_renamed_as_it_was_is_no_other_files_new_name() {
    let (alpha, beta) = (member("alpha"), member("beta"));
    let before = [("src/alpha.rs", alpha.as_str()), ("src/beta.rs", &beta)];
    // A line that both have, and one that only the deleted file had.
    for line in [3, 10] {
        check(&before, &[("src/gamma.rs", &beta)], line, "orphaned file-deleted", None);
    }
}

#[test]
fn a_file_that_was_renamed_and_edited_is_no_other_files_new_name() {
    let (alpha, beta) = (member("alpha"), member("beta"));
    let before = [("src/alpha.rs", alpha.as_str()), ("src/beta.rs", &beta)];
    let edited = beta.replace("finish(beta_ledger)", "finish(beta_ledger, journal)");
    for line in [3, 10] {
        check(&before, &[("src/gamma.rs", &edited)], line, "orphaned file-deleted", None);
    }
}

#[test]
fn a_file_whose_likeness_was_anothers_new_name_has_its_own() {
    let (alpha, beta) = (member("alpha"), member("beta"));
    let before = [("src/alpha.rs", alpha.as_str()), ("src/beta.rs", &beta)];
    // Half of the lines that all have are rewritten, so that the renamed twin is more like the old file.
    let own = (0..5).fold(alpha.clone(), |text, n| {
        text.replace(&format!("step_{n} = pipeline.prepare(input, {n})"), &format!("part_{n} = open({n})"))
    });
    let after = [("src/gamma.rs", beta.as_str()), ("src/omega.rs", &own)];
    check(&before, &after, 10, "anchored renamed 10-10", Some("src/omega.rs"));
}

#[test]
fn a_deleted_file_with_a_better_new_name_of_its_own_is_no_rival() {
    let (alpha, beta) = (member("alpha"), member("beta"));
    let before = [("src/alpha.rs", alpha.as_str()), ("src/beta.rs", &beta)];
    let edited = alpha.replace("alpha_gateway.connect(alpha_options)", "beta_gateway.connect(beta_options)");
    let edited = edited.replace("finish(alpha_ledger)", "finish(all)");
    let after = [("src/gamma.rs", edited.as_str()), ("src/delta.rs", &beta)];
    check(&before, &after, 3, "anchored renamed 3-3", Some("src/gamma.rs"));
}

#[test]
fn lines_that_a_renamed_file_had_already_did_not_move_there() {
    let (alpha, beta) = (member("alpha"), member("beta"));
    let before = [("src/alpha.rs", alpha.as_str()), ("src/beta.rs", &beta)];
    let rest = "fn alpha(input: &Input) {\n    todo();\n}\n";
    check(&before, &[("src/alpha.rs", rest), ("src/gamma.rs", &beta)], 3, "orphaned deleted", None);
}

#[test]
fn lines_that_came_to_a_file_while_it_was_renamed_moved_there() {
    let (alpha, beta) = (member("alpha"), member("beta"));
    let before = [("src/alpha.rs", alpha.as_str()), ("src/beta.rs", &beta)];
    let with = beta.replace(
        "    finish(beta_ledger);\n",
        "    finish(beta_ledger);\n    alpha_gateway.connect(alpha_options);\n    finish(alpha_ledger);\n",
    );
    check(&before, &[("src/gamma.rs", &with)], 10, "shifted moved-to-file 12-12", Some("src/gamma.rs"));
}

#[test]
fn a_copy_that_is_kept_among_the_tests_is_no_new_name() {
    let alpha = member("alpha");
    let before = [("src/alpha.rs", alpha.as_str())];
    // The file moved on, and its copy of then did not.
    let moved = (0..4).fold(alpha.clone(), |text, n| {
        text.replace(&format!("step_{n} = pipeline.prepare(input, {n})"), &format!("part_{n} = open({n})"))
    });
    let copy = alpha.replace("finish(", "end(");
    let after = [("core/alpha.rs", moved.as_str()), ("core/testdata/v1/alpha.rs", &copy)];
    check(&before, &after, 10, "anchored renamed 10-10", Some("core/alpha.rs"));
}

#[test]
fn of_copies_that_a_renamed_file_became_none_is_called_the_file_itself() {
    let alpha = member("alpha");
    let before = [("src/alpha.rs", alpha.as_str())];
    let one = |path: &'static str, expected: &str, found: &str| {
        check(&before, &[("src/beta.rs", &alpha), (path, &alpha)], 3, expected, Some(found));
    };
    one("src/gamma.rs", "shifted twin 3-3", "src/beta.rs");
    one("lib/delta/gamma.rs", "shifted twin 3-3", "src/beta.rs");
    // Its own name tells a file from copies of it, and so does where copies are kept.
    one("lib/alpha.rs", "anchored renamed 3-3", "lib/alpha.rs");
    one("tests/fixtures/gamma.rs", "anchored renamed 3-3", "src/beta.rs");
    check(&before, &[("src/beta.rs", &alpha)], 3, "anchored renamed 3-3", Some("src/beta.rs"));
}

#[test]
fn the_copies_of_a_renamed_file_are_offered() {
    let world = ObjectWorld::new();
    let alpha = member("alpha");
    let old = world.commit(&files(&[("src/alpha.rs", &alpha)]), &[]);
    let new = world.commit(&files(&[("src/beta.rs", &alpha), ("src/gamma.rs", &alpha)]), &[old]);
    let later = world.commit(
        &files(&[("src/beta.rs", &alpha), ("src/gamma.rs", &alpha), ("src/late.rs", &alpha)]),
        &[new],
    );
    let anchor = world.anchor(Some(old), "src/alpha.rs", &alpha, 3, 3);
    for head in [new, later] {
        let position = world.locate(anchor.clone(), Head { tree: world.tree_of(head), commit: Some(head) });
        let Position::Shifted { candidates, .. } = &position else { panic!("{position:?}") };
        let offered: Vec<String> = candidates.iter().map(|found| found.site.path.to_string()).collect();
        assert!(offered.contains(&"src/gamma.rs".to_owned()), "{offered:?}");
    }
    // One that was copied after it was renamed is known.
    let renamed = world.commit(&files(&[("src/beta.rs", &alpha)]), &[old]);
    let copied = world.commit(&files(&[("src/beta.rs", &alpha), ("src/gamma.rs", &alpha)]), &[renamed]);
    let position = world.locate(anchor, Head { tree: world.tree_of(copied), commit: Some(copied) });
    assert_eq!(shown(&position), "anchored renamed 3-3");
}
