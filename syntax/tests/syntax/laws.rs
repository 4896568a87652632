//! What holds for every language and every text.

use std::time::{Duration, Instant};

use postil_syntax::{Language, Lexer, MAX_SPANS, SyntaxSpan};
use proptest::prelude::*;

/// Names of files that lead to each grammar and to most oddities.
pub const FILES: [&str; 30] = [
    "a.rs", "a.c", "a.cpp", "a.cs", "a.java", "a.kt", "a.swift", "a.go", "a.py", "a.js", "a.tsx", "a.rb",
    "a.php", "a.pl", "a.sh", "a.sql", "a.lua", "a.hs", "a.ex", "a.scala", "a.zig", "a.scss", "a.html",
    "a.json", "a.yaml", "a.toml", "a.ini", "Makefile", "a.md", "a.diff",
];

fn language(file: &str) -> &'static Language {
    Language::of_file(file.as_bytes(), b"").expect("the language is known")
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\""),
        Just("'"),
        Just("\"\"\""),
        Just("`"),
        Just("\\"),
        Just("${"),
        Just("}"),
        Just("/*"),
        Just("*/"),
        Just("//"),
        Just("# "),
        Just("<<EOF"),
        Just("\nEOF\n"),
        Just("r#\""),
        Just("\"#"),
        Just("[==["),
        Just("]==]"),
        Just("<script>"),
        Just("</script>"),
        Just("<?php "),
        Just("?>"),
        Just("<!--"),
        Just("-->"),
        Just("```rust\n"),
        Just("qw("),
        Just(" key: |\n"),
        Just("é漢👍"),
        Just("fn f(x) 12"),
        Just("/"),
        Just("["),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

/// Reads all lines, and checks what every line must hold.
fn read(language: &'static Language, text: &[u8]) -> Vec<Vec<SyntaxSpan>> {
    let mut lexer = Lexer::new(language, text);
    let (mut spans, mut all, mut read) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(line) = lexer.line(&mut spans) {
        let mut end = 0;
        for span in &spans {
            assert!(
                span.start >= end && span.start < span.end && span.end as usize <= line.len(),
                "{spans:?}"
            );
            if let Ok(line) = str::from_utf8(line) {
                assert!(
                    line.is_char_boundary(span.start as usize) && line.is_char_boundary(span.end as usize)
                );
            }
            end = span.end;
        }
        assert!(spans.len() <= MAX_SPANS);
        read.push(line);
        all.push(spans.clone());
    }
    assert_eq!(read.concat(), text.iter().copied().filter(|byte| *byte != b'\n').collect::<Vec<_>>());
    all
}

proptest! {
    #[test]
    fn spans_are_in_order_and_inside_their_line(file in prop::sample::select(&FILES[..]), text in text()) {
        read(language(file), &text);
    }

    #[test]
    fn bytes_that_are_no_text_are_read_as_well(
        file in prop::sample::select(&FILES[..]),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        read(language(file), &bytes);
    }

    #[test]
    fn what_follows_a_line_does_not_change_it(file in prop::sample::select(&FILES[..]), text in text(), more in text()) {
        let before = read(language(file), &[&text[..], b"\n"].concat());
        let after = read(language(file), &[&text[..], b"\n", &more].concat());
        prop_assert_eq!(&after[..before.len()], &before[..]);
    }
}

/// What would cost the square of its length, if each look ahead went to the end of the line.
const REPEATED: [&str; 26] = [
    "'", "\"", "\\'", "=/[", "(/", "`", "``` ", "`` ` ", "${", "\"${", "<!--", "<!---->", "](", "q(", "s/a",
    "%w(", "# ", "<<E ", "[=", "--[=", "/*", "r#\"", "| ", "\"a\" ", "<a b='", "x ",
];

#[test]
fn a_long_line_costs_what_its_length_costs() {
    const LENGTH: usize = 30_000;
    for pattern in REPEATED {
        for blanks in ["", " "] {
            let mut line = blanks.repeat(LENGTH / 2);
            line.push_str(&pattern.repeat(LENGTH / pattern.len()));
            line.push_str(&blanks.repeat(LENGTH / 2));
            for file in FILES {
                let began = Instant::now();
                read(language(file), line.as_bytes());
                // The square would be a thousand million steps.
                assert!(
                    began.elapsed() < Duration::from_secs(3),
                    "{file}: {pattern:?} took {:?}",
                    began.elapsed()
                );
            }
        }
    }
}

#[test]
fn a_line_of_a_megabyte_has_a_bounded_number_of_spans() {
    let line = "let x = 1; ".repeat(100_000);
    let spans = read(language("a.rs"), line.as_bytes());
    assert_eq!(spans[0].len(), MAX_SPANS);
}

#[test]
fn what_begins_behind_the_last_span_of_a_long_line_is_still_known() {
    let text = format!("{}/* it\nis */ f()", "let x = 1; ".repeat(5000));
    let spans = read(language("a.rs"), text.as_bytes());
    assert_eq!(spans[1].len(), 2, "{:?}", spans[1]);
}
