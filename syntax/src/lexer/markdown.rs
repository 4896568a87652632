//! Markdown: headings, marks, quoted words, and fenced code in its own language.

use super::by_line::Lexer;
use crate::class::SyntaxClass;
use crate::language::Language;
use crate::spans::Spans;

/// What a line of Markdown leaves to the next one.
#[derive(Clone, Default)]
pub(super) struct MarkdownState {
    fence: Option<CodeFence>,
    in_comment: bool,
}

#[derive(Clone)]
struct CodeFence {
    mark: u8,
    width: usize,
    /// Reads the code, if its language is known.
    lexer: Option<Lexer<'static>>,
}

/// Reads a line of Markdown.
pub(super) fn line(state: &mut MarkdownState, line: &[u8], spans: &mut Spans<'_>) {
    let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = &line[indent..];
    if let Some(fence) = &mut state.fence {
        let width = rest.iter().take_while(|byte| **byte == fence.mark).count();
        if width >= fence.width && rest[width..].trim_ascii().is_empty() {
            spans.push(indent, line.len(), SyntaxClass::Keyword);
            state.fence = None;
        } else if let Some(lexer) = &mut fence.lexer {
            lexer.read_line(line, spans);
        } else {
            spans.push(indent, line.len(), SyntaxClass::String);
        }
        return;
    }
    if state.in_comment {
        let Some(end) = comment_end(line, 0) else { return spans.push(0, line.len(), SyntaxClass::Comment) };
        state.in_comment = false;
        spans.push(0, end, SyntaxClass::Comment);
        return inline(state, line, end, spans);
    }
    let mark = rest.first().copied().unwrap_or(0);
    let width = rest.iter().take_while(|byte| **byte == mark).count();
    match mark {
        b'`' | b'~' if width >= 3 && !(mark == b'`' && rest[width..].contains(&b'`')) => {
            spans.push(indent, line.len(), SyntaxClass::Keyword);
            let info = str::from_utf8(rest[width..].trim_ascii()).unwrap_or_default();
            // A fence inside of this one would be Markdown in Markdown without end.
            let language = Language::of_fence(info).filter(|language| language.name() != "Markdown");
            let lexer = language.map(|language| Lexer::new(language, &[]));
            state.fence = Some(CodeFence { mark, width, lexer });
        }
        b'#' if width <= 6 && matches!(rest.get(width), Some(b' ') | None) => {
            spans.push(indent, line.len(), SyntaxClass::Keyword);
        }
        b'=' | b'-' | b'*' | b'_' if width >= 3 && width == rest.trim_ascii_end().len() => {
            spans.push(indent, line.len(), SyntaxClass::Keyword);
        }
        _ => inline(state, line, indent, spans),
    }
}

fn inline(state: &mut MarkdownState, line: &[u8], mut at: usize, spans: &mut Spans<'_>) {
    while line.get(at) == Some(&b'>') {
        spans.push(at, at + 1, SyntaxClass::Comment);
        at += 1;
        at += line[at..].iter().take_while(|byte| **byte == b' ').count();
    }
    let digits = line[at..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
    let mark = match line.get(at + digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if digits > 0 => digits + 1,
        _ => 0,
    };
    if mark > 0 && line.get(at + mark) == Some(&b' ') {
        spans.push(at, at + mark, SyntaxClass::Number);
        at += mark;
    }
    // Runs of so many backticks that nothing closes any more in this line.
    let mut unclosed = [false; 4];
    // Whether an address may end in the rest of the line.
    let mut has_links = true;
    while at < line.len() {
        match line[at] {
            b'\\' => at += 2,
            b'`' => {
                let width = line[at..].iter().take_while(|byte| **byte == b'`').count();
                let close =
                    if width < 4 && !unclosed[width] { closing(line, at + width, width) } else { None };
                if let Some(end) = close {
                    spans.push(at, end, SyntaxClass::String);
                    at = end;
                } else {
                    unclosed[width.min(3)] |= width < 4;
                    at += width;
                }
            }
            b'<' if line[at..].starts_with(b"<!--") => {
                let end = comment_end(line, at + 4);
                state.in_comment = end.is_none();
                spans.push(at, end.unwrap_or(line.len()), SyntaxClass::Comment);
                at = end.unwrap_or(line.len());
            }
            b']' if has_links && line.get(at + 1) == Some(&b'(') => {
                let len = line[at + 2..].iter().position(|byte| matches!(byte, b')' | b' '));
                has_links = len.is_some();
                let len = len.unwrap_or(0);
                spans.push(at + 2, at + 2 + len, SyntaxClass::Call);
                at += 2 + len;
            }
            _ => at += 1,
        }
    }
}

/// Where quoted words end that so many backticks close.
fn closing(line: &[u8], mut at: usize, width: usize) -> Option<usize> {
    while at < line.len() {
        let run = line[at..].iter().take_while(|byte| **byte == b'`').count();
        if run == width {
            return Some(at + run);
        }
        at += run.max(1);
    }
    None
}

/// Where a comment ends.
fn comment_end(line: &[u8], from: usize) -> Option<usize> {
    let found = line.get(from..)?.windows(3).position(|window| window == b"-->")?;
    Some(from + found + 3)
}
