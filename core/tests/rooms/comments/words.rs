//! Comments on words of a page, while its source is edited.

use postil_core::anchoring::WordSelection;
use postil_core::record::{Anchor, LineSpan, Quote, Range};
use postil_testkit::{Checkout, Sandbox};

use super::page::{on_words, seen, try_on_words};

const GUIDE: &str = "\
---
title: Guide
---

# Guide

Open the **main valve** slowly, and wait until the needle rests.

## Mornings

Check the gauge first. It must stand below four bars before anybody goes near the pump.

## Evenings

Check the gauge first. Then close everything in the reverse order, beginning with the pump.
";

fn commit(repo: &Checkout<'_>, file: &str, content: &str) {
    repo.write(file, content);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", "words"]);
}

/// Comments on `exact` in the guide, then edits the guide as told, and expects where the comment is.
fn check(exact: &str, edits: &[(&str, &str)], expected: &str) {
    let sandbox = Sandbox::new();
    let repo = sandbox.init("repo", &[]);
    commit(&repo, "guide.md", GUIDE);
    let anchor = on_words(&repo, "HEAD", "guide.md", exact);
    let mut content = GUIDE.to_owned();
    for (from, to) in edits {
        assert!(content.contains(from), "{from:?} is in the guide");
        content = content.replace(from, to);
    }
    if content != GUIDE {
        commit(&repo, "guide.md", &content);
    }
    assert_eq!(seen(&repo, &anchor, "HEAD"), expected, "after {edits:?}");
}

#[test]
fn words_are_where_they_were_quoted() {
    check("main valve", &[], "anchored translated guide.md:7 \"main valve\" \"**main valve**\"");
}

#[test]
fn words_stay_where_their_line_is_kept() {
    let above = ("# Guide\n", "# Guide\n\nRead all of this first.\n");
    check("main valve", &[above], "anchored translated guide.md:9 \"main valve\" \"**main valve**\"");
}

#[test]
fn other_marks_and_other_line_breaks_do_not_change_words() {
    let plain = ("**main valve** slowly, and", "main valve\nslowly, _and_");
    let expected =
        "shifted quote guide.md:7 \"main valve slowly, and wait\" \"main valve\\nslowly, _and_ wait\"";
    check("main valve slowly, and wait", &[plain], expected);
}

#[test]
fn words_around_a_quote_may_change() {
    let around = ("until the needle rests", "for a minute");
    check("main valve", &[around], "shifted quote guide.md:7 \"main valve\" \"**main valve**\"");
}

#[test]
fn changed_words_are_outdated_where_they_stand_now() {
    let changed = ("It must stand below four bars", "It must stand below five bars");
    let quote = "It must stand below four bars before anybody";
    let expected = "outdated changed-in-place guide.md:11 \
                    \"It must stand below five bars before anybody\" \
                    \"It must stand below five bars before anybody\"";
    check(quote, &[changed], expected);
}

#[test]
fn words_follow_their_section_and_a_renamed_one() {
    let mornings = "## Mornings\n\nCheck the gauge first. It must stand below four bars before anybody goes near the pump.\n\n";
    let moved =
        [(mornings, ""), ("beginning with the pump.\n", &*format!("beginning with the pump.\n\n{mornings}"))];
    check(
        "stand below four bars",
        &moved,
        "anchored translated guide.md:15 \"stand below four bars\" \"stand below four bars\"",
    );
    let renamed = ("## Mornings", "### Before work");
    check(
        "stand below four bars",
        &[renamed],
        "anchored translated guide.md:11 \"stand below four bars\" \"stand below four bars\"",
    );
}

#[test]
fn words_that_are_gone_are_never_placed_with_confidence() {
    let sandbox = Sandbox::new();
    let repo = sandbox.init("repo", &[]);
    commit(&repo, "guide.md", GUIDE);
    let anchor = on_words(&repo, "HEAD", "guide.md", "wait until the needle rests");
    commit(
        &repo,
        "guide.md",
        &GUIDE.replace("Open the **main valve** slowly, and wait until the needle rests.\n\n", ""),
    );
    let gone = seen(&repo, &anchor, "HEAD");
    assert!(gone.starts_with("outdated") || gone.starts_with("orphaned"), "{gone}");
    repo.git(&["rm", "-q", "guide.md"]);
    repo.git(&["commit", "-q", "-m", "no guide"]);
    assert_eq!(seen(&repo, &anchor, "HEAD"), "orphaned file-deleted");
}

#[test]
fn words_that_nobody_reads_any_more_are_outdated() {
    let hidden = ("Open the **main valve** slowly", "<!--\nOpen the **main valve** slowly");
    let closed = ("needle rests.\n", "needle rests.\n-->\n");
    let sandbox = Sandbox::new();
    let repo = sandbox.init("repo", &[]);
    commit(&repo, "guide.md", GUIDE);
    let anchor = on_words(&repo, "HEAD", "guide.md", "main valve");
    commit(&repo, "guide.md", &GUIDE.replace(hidden.0, hidden.1).replace(closed.0, closed.1));
    let seen = seen(&repo, &anchor, "HEAD");
    assert!(seen.starts_with("outdated"), "{seen}");
}

#[test]
fn words_follow_their_file_to_another_name_and_into_another_file() {
    let sandbox = Sandbox::new();
    let repo = sandbox.init("repo", &[]);
    commit(&repo, "guide.md", GUIDE);
    let anchor = on_words(&repo, "HEAD", "guide.md", "stand below four bars");
    repo.git(&["mv", "guide.md", "manual.md"]);
    commit(&repo, "manual.md", &GUIDE.replace("# Guide\n", "# Manual\n"));
    let quoted = "\"stand below four bars\" \"stand below four bars\"";
    assert_eq!(seen(&repo, &anchor, "HEAD"), format!("anchored renamed manual.md:11 {quoted}"));
    let section = "Check the gauge first. It must stand below four bars before anybody goes near the pump.\n";
    repo.write("pump.md", format!("# The pump\n\n{section}"));
    repo.write("other.md", "# Other\n\nNothing of this.\n");
    commit(&repo, "manual.md", &GUIDE.replace(section, ""));
    assert_eq!(seen(&repo, &anchor, "HEAD"), format!("shifted moved-to-file pump.md:3 {quoted}"));
    repo.git(&["rm", "-q", "manual.md"]);
    repo.git(&["commit", "-q", "-m", "no manual"]);
    assert_eq!(seen(&repo, &anchor, "HEAD"), format!("shifted moved-to-file pump.md:3 {quoted}"));
}

#[test]
fn a_file_that_said_the_same_before_is_not_where_words_went() {
    let sandbox = Sandbox::new();
    let repo = sandbox.init("repo", &[]);
    repo.write("copy.md", GUIDE);
    commit(&repo, "guide.md", GUIDE);
    let anchor = on_words(&repo, "HEAD", "guide.md", "stand below four bars");
    repo.write("copy.md", GUIDE.replace("# Guide", "# Copy"));
    commit(&repo, "guide.md", "# Guide\n\nAll of it was rubbish.\n");
    let seen = seen(&repo, &anchor, "HEAD");
    assert!(!seen.contains("copy.md"), "{seen}");
}

/// Comments on words that stand several times, the ones behind `prefix`, and edits the page.
fn seen_among_twins(prefix: &str, exact: &str, old: &str, new: &str) -> String {
    let sandbox = Sandbox::new();
    let repo = sandbox.init("repo", &[]);
    commit(&repo, "page.md", old);
    let words = WordSelection::Said { exact, prefix, suffix: "" };
    let anchor = try_on_words(&repo, "HEAD", "page.md", words).expect("what stands before tells them apart");
    commit(&repo, "page.md", new);
    seen(&repo, &anchor, "HEAD")
}

#[test]
fn words_that_are_gone_do_not_become_those_of_the_next_item() {
    let options = "# Opt\n\n- width must be a positive integer\n- height must be a positive integer\n";
    let table =
        "| System | State |\n|---|---|\n| Linux | not supported yet |\n| Windows | not supported yet |\n";
    let log = "# 1.2\n\nFixed a crash on startup.\n\n# 1.1\n\nFixed a crash on startup.\n";
    let sections =
        "# One\n\nAll of it is returned to the caller.\n\n# Two\n\nAll of it is returned to the caller.\n";
    let items =
        "# Calls\n\n- alpha(): Returns an error.\n- beta(): Returns an error.\n- gamma(): Returns nothing.\n";
    let line = "Set the timeout in foo. Set the timeout in bar.\n";
    for (prefix, exact, old, from, to) in [
        (
            "height ",
            "must be a positive integer",
            options,
            "height must be a positive integer",
            "height may be anything",
        ),
        (
            "Windows\t",
            "not supported yet",
            table,
            "| Windows | not supported yet |",
            "| Windows | works since May |",
        ),
        (
            "1.2\n",
            "Fixed a crash on startup.",
            log,
            "# 1.2\n\nFixed a crash on startup.",
            "# 1.2\n\nNothing new.",
        ),
        (
            "Two\n",
            "All of it is returned to the caller.",
            sections,
            "# Two\n\nAll of it is returned to the caller.\n",
            "",
        ),
        ("beta(): ", "Returns an error.", items, "- beta(): Returns an error.\n", ""),
        ("foo. ", "Set the timeout in", line, " Set the timeout in bar.", " Nothing is set for bar."),
        ("", "Set the timeout in foo", line, "Set the timeout in foo. ", "Nothing is set for foo. "),
    ] {
        assert!(old.contains(from), "{from:?}");
        let seen = seen_among_twins(prefix, exact, old, &old.replacen(from, to, 1));
        assert!(seen.starts_with("outdated") || seen.starts_with("orphaned"), "{from:?}: {seen}");
    }
}

#[test]
fn words_among_others_that_say_the_same_are_followed() {
    let options = "# Opt\n\n- width must be a positive integer\n- height must be a positive integer\n";
    let seen = |new: &str| seen_among_twins("height ", "must be a positive integer", options, new);
    let turned = "# Opt\n\n- height must be a positive integer\n- width must be a positive integer\n";
    assert!(seen(turned).contains("page.md:3"), "{}", seen(turned));
    let longer = "# Opt\n\nThese are needed:\n\n- depth must be a positive integer\n- width must be a positive integer\n- the height must be a positive integer, too\n";
    assert!(seen(longer).contains("page.md:7"), "{}", seen(longer));
    let alone = "# Opt\n\n- height must be a positive integer\n";
    assert!(seen(alone).contains("page.md:3"), "{}", seen(alone));
}

#[test]
fn plain_text_is_quoted_as_it_stands() {
    let sandbox = Sandbox::new();
    let repo = sandbox.init("repo", &[]);
    commit(&repo, "notes.txt", "Some *plain* words,\nand some more of them.\n");
    let anchor = on_words(&repo, "HEAD", "notes.txt", "words, and");
    commit(&repo, "notes.txt", "First of all:\nsome *plain* words, and some more of them.\n");
    let expected = "shifted quote notes.txt:2 \"words, and\" \"words, and\"";
    assert_eq!(seen(&repo, &anchor, "HEAD"), expected);
}

#[test]
fn words_that_nobody_could_have_selected_harm_nobody() {
    let sandbox = Sandbox::new();
    let repo = sandbox.init("repo", &[]);
    commit(&repo, "guide.md", GUIDE);
    let honest = on_words(&repo, "HEAD", "guide.md", "main valve");
    let long = "valve and pump ".repeat(6_000);
    commit(&repo, "guide.md", &format!("{GUIDE}\n{}", "pump and valve ".repeat(5_000)));
    let quote = |exact: &str, prefix: &str, suffix: &str| {
        Some(Quote { exact: exact.into(), prefix: prefix.into(), suffix: suffix.into() })
    };
    let far = Range::lines(LineSpan::from_numbers(4_000_000, u32::MAX).expect("the lines run forward"));
    let everything = Range::lines(LineSpan::from_numbers(1, u32::MAX).expect("the lines run forward"));
    for quote in [
        quote("", "", ""),
        quote(" \n\u{200b}", "a", "b"),
        quote(&long, "", ""),
        quote("pump", &long, &long),
        quote("\u{1a}\0", "\0", "\0"),
    ] {
        for range in [honest.range, Some(far), Some(everything), None] {
            for blob in [honest.blob, None] {
                let liar = Anchor { quote: quote.clone(), range, blob, ..honest.clone() };
                let seen = seen(&repo, &liar, "HEAD");
                assert!(!seen.starts_with("anchored"), "{seen}");
            }
        }
    }
}
