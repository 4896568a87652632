//! Tags and text: HTML, XML and their kin, with the scripts and styles inside of them, and PHP.

use crate::class::SyntaxClass;
use crate::code::{self, CodeState};
use crate::language::{Grammar, Language};
use crate::languages::{CSS, JAVASCRIPT, PHP, TYPESCRIPT};
use crate::spans::Spans;

/// What a line of markup leaves to the next one.
#[derive(Clone, Copy, Default)]
pub(crate) struct MarkupState {
    inside: MarkupInside,
    /// The language that begins where the tag ends.
    embeds: Option<Embedded>,
    code: CodeState,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum MarkupInside {
    #[default]
    Text,
    Tag,
    /// A value of an attribute, and the quote that closes it.
    Value(u8),
    Comment,
    /// `<![CDATA[`.
    Data,
    Code(Embedded),
}

/// Code between tags.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Embedded {
    Script,
    TypedScript,
    Style,
    Php,
}

impl Embedded {
    fn language(self) -> &'static Language {
        match self {
            Self::Script => &JAVASCRIPT,
            Self::TypedScript => &TYPESCRIPT,
            Self::Style => &CSS,
            Self::Php => &PHP,
        }
    }

    fn end(self) -> &'static [u8] {
        match self {
            Self::Script | Self::TypedScript => b"</script",
            Self::Style => b"</style",
            Self::Php => b"?>",
        }
    }
}

/// Reads a line of markup.
pub(crate) fn line(language: &'static Language, state: &mut MarkupState, line: &[u8], spans: &mut Spans<'_>) {
    let mut at = 0;
    while at < line.len() {
        at = match state.inside {
            MarkupInside::Text => text(language, state, line, at, spans),
            MarkupInside::Tag => tag(language, state, line, at, spans),
            MarkupInside::Value(quote) => value(state, line, at, at, quote, spans),
            MarkupInside::Comment => until(state, line, at, at, b"-->", SyntaxClass::Comment, spans),
            MarkupInside::Data => until(state, line, at, at, b"]]>", SyntaxClass::String, spans),
            MarkupInside::Code(embedded) => embedded_code(state, line, at, embedded, spans),
        };
    }
    if line.is_empty()
        && let MarkupInside::Code(embedded) = state.inside
    {
        // An empty line may be one of a here-document.
        code::line(embedded.language(), &mut state.code, line, 0, spans);
    }
}

fn text(
    language: &Language,
    state: &mut MarkupState,
    line: &[u8],
    at: usize,
    spans: &mut Spans<'_>,
) -> usize {
    let Some(found) = line[at..].iter().position(|byte| matches!(byte, b'<' | b'&')) else {
        return line.len();
    };
    let at = at + found;
    let rest = &line[at..];
    if rest[0] == b'&' {
        let len = rest
            .iter()
            .skip(1)
            .take(12)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#')
            .count();
        if len > 0 && rest.get(len + 1) == Some(&b';') {
            spans.push(at, at + len + 2, SyntaxClass::Number);
            return at + len + 2;
        }
        return at + 1;
    }
    if rest.starts_with(b"<!--") {
        state.inside = MarkupInside::Comment;
        return until(state, line, at, at + 4, b"-->", SyntaxClass::Comment, spans);
    }
    if rest.starts_with(b"<![CDATA[") {
        state.inside = MarkupInside::Data;
        return until(state, line, at, at + 9, b"]]>", SyntaxClass::String, spans);
    }
    if language.grammar == Grammar::Php && (rest.starts_with(b"<?php") || rest.starts_with(b"<?=")) {
        let len = if rest[2] == b'=' { 3 } else { 5 };
        spans.push(at, at + len, SyntaxClass::Keyword);
        state.inside = MarkupInside::Code(Embedded::Php);
        state.code = CodeState::default();
        return at + len;
    }
    let sign = usize::from(matches!(rest.get(1), Some(b'/' | b'!' | b'?')));
    let name = &rest[1 + sign..];
    let len = name.iter().take_while(|byte| is_name(**byte)).count();
    if len == 0 {
        return at + 1;
    }
    spans.push(at + 1 + sign, at + 1 + sign + len, SyntaxClass::Keyword);
    state.inside = MarkupInside::Tag;
    let is = |known: &str| sign == 0 && name[..len].eq_ignore_ascii_case(known.as_bytes());
    state.embeds = if is("script") {
        Some(Embedded::Script)
    } else if is("style") {
        Some(Embedded::Style)
    } else {
        None
    };
    at + 1 + sign + len
}

fn tag(language: &Language, state: &mut MarkupState, line: &[u8], at: usize, spans: &mut Spans<'_>) -> usize {
    match line[at] {
        b'>' => {
            let is_closed = at > 0 && line[at - 1] == b'/';
            state.inside = match state.embeds.take().filter(|_| !is_closed) {
                Some(embedded) => MarkupInside::Code(embedded),
                None => MarkupInside::Text,
            };
            state.code = CodeState::default();
            at + 1
        }
        quote @ (b'"' | b'\'') => {
            let typed = [&b"\"ts\""[..], b"'ts'", b"\"tsx\"", b"\"typescript\""];
            if state.embeds == Some(Embedded::Script) && typed.iter().any(|word| line[at..].starts_with(word))
            {
                state.embeds = Some(Embedded::TypedScript);
            }
            state.inside = MarkupInside::Value(quote);
            value(state, line, at, at + 1, quote, spans)
        }
        b'<' if language.grammar == Grammar::Php && line[at..].starts_with(b"<?") => {
            state.inside = MarkupInside::Text;
            at
        }
        byte if is_name(byte) || matches!(byte, b'@' | b'#' | b'*') => {
            let is_part = |byte: u8| is_name(byte) || matches!(byte, b'@' | b'#' | b'*');
            let len = line[at..].iter().take_while(|byte| is_part(**byte)).count();
            spans.push(at, at + len, SyntaxClass::Type);
            at + len
        }
        _ => at + 1,
    }
}

fn value(
    state: &mut MarkupState,
    line: &[u8],
    start: usize,
    from: usize,
    quote: u8,
    spans: &mut Spans<'_>,
) -> usize {
    let Some(len) = line[from..].iter().position(|byte| *byte == quote) else {
        spans.push(start, line.len(), SyntaxClass::String);
        return line.len();
    };
    spans.push(start, from + len + 1, SyntaxClass::String);
    state.inside = MarkupInside::Tag;
    from + len + 1
}

/// Reads on to a mark, or to the end of the line.
fn until(
    state: &mut MarkupState,
    line: &[u8],
    start: usize,
    from: usize,
    mark: &[u8],
    class: SyntaxClass,
    spans: &mut Spans<'_>,
) -> usize {
    let rest = &line[from..];
    let Some(found) = rest.windows(mark.len()).position(|window| window == mark) else {
        spans.push(start, line.len(), class);
        return line.len();
    };
    let end = from + found + mark.len();
    spans.push(start, end, class);
    state.inside = MarkupInside::Text;
    end
}

fn embedded_code(
    state: &mut MarkupState,
    line: &[u8],
    at: usize,
    embedded: Embedded,
    spans: &mut Spans<'_>,
) -> usize {
    let mark = embedded.end();
    let found = line[at..].windows(mark.len()).position(|window| window.eq_ignore_ascii_case(mark));
    let end = found.map_or(line.len(), |found| at + found);
    code::line(embedded.language(), &mut state.code, &line[..end], at, spans);
    if found.is_some() {
        state.inside = MarkupInside::Text;
        if embedded == Embedded::Php {
            spans.push(end, end + mark.len(), SyntaxClass::Keyword);
            return end + mark.len();
        }
    }
    end
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.') || byte >= 0x80
}
