//! YAML: keys, strings, and blocks of text that their indentation ends.

use crate::class::SyntaxClass;
use crate::language::Language;
use crate::spans::Spans;

/// What a line of YAML leaves to the next one.
#[derive(Clone, Copy, Default)]
pub(crate) struct YamlState {
    inside: YamlInside,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum YamlInside {
    #[default]
    Nothing,
    /// A block of text whose lines are indented deeper than this.
    Block(usize),
    /// A string that this byte closes.
    Quoted(u8),
}

/// Reads a line of YAML.
pub(crate) fn line(language: &'static Language, state: &mut YamlState, line: &[u8], spans: &mut Spans<'_>) {
    let line = line.trim_ascii_end();
    let indent = line.iter().take_while(|byte| **byte == b' ').count();
    if let YamlInside::Block(depth) = state.inside {
        if indent == line.len() {
            return;
        }
        if indent > depth {
            spans.push(indent, line.len(), SyntaxClass::String);
            return;
        }
        state.inside = YamlInside::Nothing;
    }
    let mut at = indent;
    if let YamlInside::Quoted(quote) = state.inside {
        at = quoted(state, line, 0, 0, quote, spans);
    } else if line.starts_with(b"---") || line.starts_with(b"...") || line.starts_with(b"%") {
        spans.push(0, 3.min(line.len()), SyntaxClass::Keyword);
        at = 3.min(line.len());
    }
    let mut deepest = indent;
    // Several items and a key may begin in one line: `- - name: value`.
    while line.get(at) == Some(&b'-') && matches!(line.get(at + 1), Some(b' ') | None) {
        at += 1;
        at += line[at..].iter().take_while(|byte| **byte == b' ').count();
        if at < line.len() {
            deepest = at;
        }
    }
    let is_key = at < line.len()
        && plain_key(line, at, spans).is_some_and(|end| {
            at = end;
            true
        });
    value(language, state, line, at, if is_key { deepest } else { indent }, spans);
}

/// Reads a key without quotes; where it ends.
fn plain_key(line: &[u8], start: usize, spans: &mut Spans<'_>) -> Option<usize> {
    if matches!(line[start], b'"' | b'\'' | b'#' | b'{' | b'[' | b'|' | b'>' | b'&' | b'*' | b'!' | b'%') {
        return None;
    }
    let rest = &line[start..];
    let is_end = |at: usize| rest[at] == b':' && matches!(rest.get(at + 1), Some(b' ' | b'\t') | None);
    let is_comment = |at: usize| rest[at] == b'#' && at > 0 && rest[at - 1] == b' ';
    let end = (0..rest.len()).find(|at| is_end(*at) || is_comment(*at)).filter(|at| rest[*at] == b':')?;
    spans.push(start, start + end, SyntaxClass::Keyword);
    Some(start + end + 1)
}

/// Reads what is behind a key, or an item.
fn value(
    language: &'static Language,
    state: &mut YamlState,
    line: &[u8],
    mut at: usize,
    indent: usize,
    spans: &mut Spans<'_>,
) {
    while at < line.len() {
        let byte = line[at];
        let is_free = at == 0 || matches!(line[at - 1], b' ' | b'\t' | b'[' | b'{' | b',' | b':' | b'-');
        match byte {
            b'#' if is_free => return spans.push(at, line.len(), SyntaxClass::Comment),
            b'"' | b'\'' if is_free => {
                let start = at;
                at = quoted(state, line, at + 1, start, byte, spans);
                if line.get(at) == Some(&b':') {
                    spans.reclass(start, at, SyntaxClass::Keyword);
                }
            }
            b'|' | b'>' if is_free => {
                let rest = &line[at + 1..];
                let sign = rest.iter().take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9')).count();
                if sign == rest.len() || rest[sign..].trim_ascii_start().starts_with(b"#") {
                    state.inside = YamlInside::Block(indent);
                }
                at += 1;
            }
            b'&' | b'*' | b'!' if is_free => {
                let end = at + word_len(&line[at..]);
                spans.push(at, end, SyntaxClass::Type);
                at = end.max(at + 1);
            }
            b' ' | b'\t' | b'[' | b']' | b'{' | b'}' | b',' => at += 1,
            _ => {
                let end = at + word_len(&line[at..]).max(1);
                let word = &line[at..end];
                let is_last =
                    line[end..].iter().take(2).all(|byte| matches!(byte, b' ' | b',' | b']' | b'}' | b'#'));
                if is_free && is_last {
                    let is_number = word.iter().any(u8::is_ascii_digit)
                        && word.iter().all(|byte| byte.is_ascii_digit() || b"+-._xeE".contains(byte));
                    let known = language.words.class(word);
                    if let Some(class) = known.or(is_number.then_some(SyntaxClass::Number)) {
                        spans.push(at, end, class);
                    }
                } else if is_free && word.ends_with(b":") && word.len() > 1 {
                    // A key between braces.
                    spans.push(at, end - 1, SyntaxClass::Keyword);
                }
                at = end;
            }
        }
    }
}

fn word_len(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| !matches!(byte, b' ' | b'\t' | b',' | b']' | b'}')).count()
}

/// Reads a string from a byte on; where it ends.
fn quoted(
    state: &mut YamlState,
    line: &[u8],
    mut at: usize,
    start: usize,
    quote: u8,
    spans: &mut Spans<'_>,
) -> usize {
    while at < line.len() {
        if line[at] == b'\\' && quote == b'"' {
            at += 2;
        } else if line[at] == quote {
            if quote == b'\'' && line.get(at + 1) == Some(&b'\'') {
                at += 2;
                continue;
            }
            state.inside = YamlInside::Nothing;
            spans.push(start, at + 1, SyntaxClass::String);
            return at + 1;
        } else {
            at += 1;
        }
    }
    state.inside = YamlInside::Quoted(quote);
    spans.push(start, line.len(), SyntaxClass::String);
    line.len()
}
