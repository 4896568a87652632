//! Lines of source in colours, with the commented part of each marked.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use postil_protocol::{SyntaxView, SyntaxWord, TextRange};
use postil_syntax::{Language, Lexer, SyntaxClass};

use super::styled::StyledLine;
use crate::sanitize;

/// A longer line is cut before it is coloured.
const MAX_CODE_BYTES: usize = 4000;

/// A line of source: its syntax in colours, on top of a style, and its marked part underlined.
pub fn code_line(
    line: &[u8],
    syntax: &[SyntaxView],
    base: Style,
    marked: Option<Range<usize>>,
) -> StyledLine {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() > MAX_CODE_BYTES {
        let mut styled = StyledLine::default();
        styled.push(&sanitize::line(line), base);
        return styled;
    }
    let mut bounds = vec![0, line.len()];
    let marked = marked.unwrap_or(0..0);
    for bound in syntax.iter().flat_map(|span| [span.start as usize, span.end as usize]) {
        bounds.push(bound.min(line.len()));
    }
    bounds.extend([marked.start.min(line.len()), marked.end.min(line.len())]);
    if let Ok(text) = str::from_utf8(line) {
        // A character is not cut in two, wherever a comment may begin.
        bounds.retain(|bound| text.is_char_boundary(*bound));
    }
    bounds.sort_unstable();
    bounds.dedup();
    let mut styled = StyledLine::default();
    let mut spans = syntax.iter().peekable();
    for pair in bounds.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        while spans.next_if(|span| span.end as usize <= start).is_some() {}
        let class = spans.peek().filter(|span| span.start as usize <= start).map(|span| span.class);
        let mut style = class.map_or(base, |class| syntax_style(base, class));
        if marked.contains(&start) {
            style = style.underline();
        }
        styled.push(&sanitize::part(&line[start..end]), style);
    }
    styled
}

/// The part of a line that is commented on; `None` if the comment is on whole lines, or not on this one.
pub fn marked_part(range: Option<TextRange>, number: u32, line: &[u8]) -> Option<Range<usize>> {
    let TextRange { start, end } = range?;
    let (from, to) = (start.column?, end.column?);
    if number < start.line || number > end.line {
        return None;
    }
    let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let first = if number == start.line { from.saturating_sub(1) as usize } else { indent };
    let last = if number == end.line { (to as usize).min(line.len()) } else { line.len() };
    (first < last).then_some(first..last)
}

/// Carets below the marked part of a line, where nothing can be underlined.
pub fn carets(line: &[u8], marked: &Range<usize>) -> Option<String> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let marked = marked.start.min(line.len())..marked.end.min(line.len());
    if line.len() > MAX_CODE_BYTES || marked.is_empty() {
        return None;
    }
    let before = sanitize::width(&sanitize::part(&line[..marked.start]));
    let below = sanitize::width(&sanitize::part(&line[marked]));
    Some(" ".repeat(before) + &"^".repeat(below.max(1)))
}

/// The lines of a code block, in the colours of the language that its fence names.
pub fn code_block(text: &str, info: &str) -> Vec<StyledLine> {
    let plain = |line: &str| code_line(line.as_bytes(), &[], Style::new(), None);
    let Some(language) = Language::of_fence(info) else { return text.lines().map(plain).collect() };
    let mut lexer = Lexer::new(language, text.as_bytes());
    let (mut spans, mut lines, mut syntax) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(line) = lexer.line(&mut spans) {
        syntax.clear();
        syntax.extend(spans.iter().map(|span| SyntaxView {
            start: span.start,
            end: span.end,
            class: word(span.class),
        }));
        lines.push(code_line(line, &syntax, Style::new(), None));
    }
    lines
}

fn word(class: SyntaxClass) -> SyntaxWord {
    match class {
        SyntaxClass::Comment => SyntaxWord::Comment,
        SyntaxClass::String => SyntaxWord::String,
        SyntaxClass::Number => SyntaxWord::Number,
        SyntaxClass::Keyword => SyntaxWord::Keyword,
        SyntaxClass::Call => SyntaxWord::Call,
        SyntaxClass::Type => SyntaxWord::Type,
        SyntaxClass::Added => SyntaxWord::Added,
        SyntaxClass::Deleted => SyntaxWord::Deleted,
    }
}

fn syntax_style(base: Style, class: SyntaxWord) -> Style {
    let colour = match class {
        SyntaxWord::Comment => return base.italic().dimmed(),
        SyntaxWord::String | SyntaxWord::Added => AnsiColor::Green,
        SyntaxWord::Number => AnsiColor::Yellow,
        SyntaxWord::Keyword => AnsiColor::Magenta,
        SyntaxWord::Call => AnsiColor::Blue,
        SyntaxWord::Type => AnsiColor::Cyan,
        SyntaxWord::Deleted => AnsiColor::Red,
        SyntaxWord::Other => return base,
    };
    base.fg_color(Some(colour.into()))
}

#[cfg(test)]
mod tests {
    use postil_protocol::Point;

    use super::*;

    fn span(start: u32, end: u32, class: SyntaxWord) -> SyntaxView {
        SyntaxView { start, end, class }
    }

    #[test]
    fn colours_and_the_marked_part_overlap() {
        let syntax = [span(0, 3, SyntaxWord::Keyword), span(8, 9, SyntaxWord::Number)];
        let line = code_line(b"let x = 1;\r", &syntax, Style::new(), Some(2..9));
        assert_eq!(
            line.written(true),
            "\x1b[35mle\x1b[0m\x1b[4m\x1b[35mt\x1b[0m\x1b[4m x = \x1b[0m\x1b[4m\x1b[33m1\x1b[0m;"
        );
        assert_eq!(line.text(), "let x = 1;");
    }

    #[test]
    fn spans_that_do_not_fit_the_line_are_harmless() {
        let syntax = [span(3, 900, SyntaxWord::String), span(2, 1, SyntaxWord::Call)];
        let line = code_line("é\u{1b}[31m\r!".as_bytes(), &syntax, Style::new(), Some(50..52));
        assert_eq!(line.text(), "é^[[31m^M!");
        assert_eq!(
            code_line(&[0xff; 9000], &syntax, Style::new(), Some(0..9))
                .written(true)
                .matches('\u{1b}')
                .count(),
            0
        );
    }

    #[test]
    fn carets_are_below_what_is_meant() {
        let range = |from, to| {
            Some(TextRange {
                start: Point { line: 2, column: Some(from) },
                end: Point { line: 3, column: Some(to) },
            })
        };
        assert_eq!(marked_part(range(3, 2), 2, b"abcdef"), Some(2..6));
        assert_eq!(marked_part(range(3, 2), 3, b"  abc"), None);
        assert_eq!(marked_part(range(3, 4), 3, b"  abc"), Some(2..4));
        assert_eq!(marked_part(range(3, 2), 4, b"abcdef"), None);
        assert_eq!(carets("\t漢字x".as_bytes(), &(1..7)).as_deref(), Some("    ^^^^"));
        assert_eq!(carets(b"abc", &(3..9)), None);
    }
}
