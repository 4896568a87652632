//! The spans of a text in a form that a test can read.

use postil_syntax::{Language, Lexer, SyntaxClass, SyntaxSpan};

/// The spans of each line, as `k(let) n(1)`.
pub fn spans_of(language: &'static Language, text: &[u8]) -> Vec<String> {
    let mut lexer = Lexer::new(language, text);
    let mut spans = Vec::new();
    let mut lines = Vec::new();
    while let Some(line) = lexer.line(&mut spans) {
        let told: Vec<String> = spans.iter().map(|span| told(span, line)).collect();
        lines.push(told.join(" "));
    }
    lines
}

fn told(span: &SyntaxSpan, line: &[u8]) -> String {
    let sign = match span.class {
        SyntaxClass::Comment => 'c',
        SyntaxClass::String => 's',
        SyntaxClass::Number => 'n',
        SyntaxClass::Keyword => 'k',
        SyntaxClass::Call => 'f',
        SyntaxClass::Type => 't',
        SyntaxClass::Added => '+',
        SyntaxClass::Deleted => '-',
    };
    format!("{sign}({})", String::from_utf8_lossy(&line[span.start as usize..span.end as usize]))
}

/// Checks the spans of a text, line by line, in the language of this name.
#[track_caller]
pub fn check(language: &str, lines: &[(&str, &str)]) {
    let language = Language::of_fence(language).expect("the language is known");
    let text: Vec<&str> = lines.iter().map(|(line, _)| *line).collect();
    let told = spans_of(language, text.join("\n").as_bytes());
    let expected: Vec<&str> = lines.iter().map(|(_, told)| *told).collect();
    assert_eq!(told, expected, "{text:#?}");
}
