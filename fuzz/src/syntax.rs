//! What must hold of the syntax colours of a file, whatever it is called and whatever its bytes are.

use postil_syntax::{Language, Lexer, MAX_SPANS};

/// Reads what is behind the first end of a line as a file with the name before it.
///
/// Panics where a law of the lexer does not hold.
pub fn syntax(data: &[u8]) {
    let split = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (name, text) = (&data[..split], &data[(split + 1).min(data.len())..]);
    let Some(language) = Language::of_file(name, text) else { return };
    let mut lexer = Lexer::new(language, text);
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some(line) = lexer.line(&mut spans) {
        assert!(rest.starts_with(line), "lines are the text, in order");
        rest = &rest[(line.len() + 1).min(rest.len())..];
        assert!(spans.len() <= MAX_SPANS, "a line has a bounded number of spans");
        let mut end = 0;
        for span in &spans {
            assert!(end <= span.start && span.start < span.end, "spans are in order and not empty");
            assert!(span.end as usize <= line.len(), "a span is inside its line");
            if let Ok(line) = str::from_utf8(line) {
                let is_between = |at: u32| line.is_char_boundary(at as usize);
                assert!(is_between(span.start) && is_between(span.end), "a span has whole characters");
            }
            end = span.end;
        }
    }
    assert!(rest.is_empty(), "all lines were read");
}
