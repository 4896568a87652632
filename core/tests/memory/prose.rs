//! Markdown made to be slow or large: rendering it and searching in it stay bounded.
//!
//! A limit here is far above what the work takes and far below what quadratic work would take, in time as in memory.

use std::time::{Duration, Instant};

use postil_core::anchoring::prose::{ExpectedPlace, Prose, quote};
use postil_core::edit::markdown::{MAX_MARKDOWN_BYTES, RenderError, render};
use postil_core::record::Quote;

use crate::memory_of;

/// Quadratic work on the smaller inputs takes minutes without optimisation, on the larger ones hours.
const LIMIT: Duration = Duration::from_secs(30);

/// What most inputs are made of: enough to tell quadratic work, little enough for a quick test.
const SMALL: usize = MAX_MARKDOWN_BYTES / 8;

/// So many bytes of memory may be in use at once for a byte of the text; the worst of these inputs takes 220. Memory that
/// grew with the square of the smaller inputs would take thousands.
const MEMORY_PER_BYTE: usize = 400;

/// Does something with so much text, in bounded time and memory.
fn bounded(name: &str, bytes: usize, work: impl FnOnce()) {
    let began = Instant::now();
    let memory = memory_of(work);
    let took = began.elapsed();
    assert!(took < LIMIT, "{name} took {took:?}");
    assert!(memory <= MEMORY_PER_BYTE * bytes, "{name} took {memory} bytes of memory for {bytes} of text");
}

/// Renders, and looks for a quote of the middle and for one that is not there.
fn check(name: &str, source: &str) {
    bounded(name, source.len(), || {
        let page = match render(source) {
            Ok(page) => page,
            Err(RenderError::TooDeep) => return,
            Err(error) => panic!("{name}: {error}"),
        };
        assert!(page.text().len() <= 2 * source.len(), "{name} grew to {}", page.text().len());
        let prose = Prose::rendered(&page);
        let text = page.text();
        let middle = text.floor_char_boundary(text.len() / 2);
        let end = text.ceil_char_boundary((middle + 2000).min(text.len()));
        if let Ok(made) = quote(text, middle..end) {
            let headings = page.outline().path_at_rendered(middle);
            let found = prose.find(&made, &ExpectedPlace { headings: Some(&headings), near: Some(middle) });
            assert!(format!("{found:?}").starts_with("Here"), "{name}: {found:?}");
        }
        let exact = "no such words are here ".repeat(20);
        let absent = Quote { exact, prefix: "[a](".into(), suffix: "> *".into() };
        prose.find(&absent, &ExpectedPlace { headings: None, near: None });
    });
}

#[test]
fn the_largest_document_of_one_mark_is_bounded() {
    for mark in ["[", "*", ">", "`", "<", "|"] {
        check(mark, &mark.repeat(MAX_MARKDOWN_BYTES));
    }
}

#[test]
fn many_of_one_mark_are_bounded() {
    for mark in [
        "]",
        "_",
        "**a ",
        "*a_ ",
        "~",
        "``a`",
        "> ",
        "- ",
        "1. ",
        "- a\n",
        "  - a\n",
        "</",
        "<!--",
        "<a b='",
        "<b>",
        "<div>\n",
        "<x\n",
        "&",
        "&#",
        "\\",
        "![",
        "[^",
        "[^a]: ",
        "[a]:b\n",
        "](",
        "[a](",
        "[a](b \"",
        "[[a]]",
        "|a",
        "|\n",
        "|-|\n",
        "|a|\n|-|\n",
        "# ",
        "# a\n",
        "a\n=\n",
        "\n",
        "\r",
        "\t",
        "(",
        "```\n",
        "~~~",
        "---\n",
        "+++\n",
        "\0",
        "\u{feff}",
        "&nGt;",
        "&amp;",
        "é",
        "word ",
    ] {
        check(mark, &mark.repeat(SMALL / mark.len()));
    }
}

#[test]
fn nesting_is_bounded() {
    let part = SMALL / 4;
    for depth in [50, part] {
        for (open, line) in
            [("> ", "b\n"), ("- ", "b\n"), ("> ", "> b\n"), ("- ", "\n"), ("1. ", "- b\n"), (">", "c\n")]
        {
            check(open, &format!("{}a\n{}", open.repeat(depth), line.repeat(part)));
        }
    }
    for steps in [40, 700] {
        let stairs: Vec<String> = (0..steps).map(|step| "  ".repeat(step) + "- a\n").collect();
        check("stairs", &(stairs.concat() + &"b\n".repeat(part)));
    }
    check("links", &("[".repeat(part) + &"](a)".repeat(part)));
    check("emphasis", &("*a **b ".repeat(part) + &"c** d* ".repeat(part)));
    check("tags", &("<b>a".repeat(part) + &"</b>".repeat(part)));
}

#[test]
fn tables_and_references_are_bounded() {
    let part = SMALL / 4;
    check("wide", &["|a".repeat(part), "|-".repeat(part), "|b\n".repeat(part)].join("\n"));
    let references: Vec<String> = (0..part / 4).map(|at| format!("[a{at}]: /u\n[a{at}] ")).collect();
    check("references", &references.concat());
    check("long reference", &format!("[a]: /{}\n\n{}", "u".repeat(part), "[a]".repeat(part)));
    let notes: Vec<String> = (0..part / 4).map(|at| format!("x[^{at}]\n\n[^{at}]: y\n\n")).collect();
    check("notes", &notes.concat());
}

#[test]
fn searching_text_that_repeats_itself_is_bounded() {
    let text = "ab ".repeat(300_000);
    for exact in
        ["a".to_owned(), "ab ".repeat(20_000), "ba ".repeat(300), "abab ".repeat(5_000), "b".repeat(4_000)]
    {
        let made = Quote { exact, prefix: "ab ".repeat(10), suffix: "ab ab".into() };
        let name: String = made.exact.chars().take(5).collect();
        bounded(&name, text.len() + made.exact.len(), || {
            let prose = Prose::plain(&text);
            prose.find(&made, &ExpectedPlace { headings: None, near: Some(450_001) });
            prose.first_literal(&made);
        });
    }
}

#[test]
fn memory_that_is_given_back_is_counted_all_the_same() {
    let memory = memory_of(|| {
        drop(vec![1_u8; 5000]);
        drop(vec![1_u8; 3000]);
    });
    assert_eq!(memory, 5000);
}
