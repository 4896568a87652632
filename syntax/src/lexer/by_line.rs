//! Reads a text line by line.

use super::markdown::{self, MarkdownState};
use crate::code::CodeState;
use crate::language::{Grammar, Language};
use crate::markup::MarkupState;
use crate::spans::{Spans, SyntaxSpan};
use crate::yaml::YamlState;
use crate::{code, diff, markup, yaml};

/// Reads a text line by line, and says what the pieces of each line are.
#[derive(Clone)]
pub struct Lexer<'a> {
    rest: &'a [u8],
    language: &'static Language,
    state: LexState,
}

/// What the next line begins in.
#[derive(Clone)]
enum LexState {
    Code(CodeState),
    Markup(MarkupState),
    Markdown(Box<MarkdownState>),
    Yaml(YamlState),
    Diff,
}

impl<'a> Lexer<'a> {
    /// Begins at the start of a text.
    pub fn new(language: &'static Language, text: &'a [u8]) -> Self {
        let state = match language.grammar {
            Grammar::Code => LexState::Code(CodeState::default()),
            Grammar::Markup | Grammar::Php => LexState::Markup(MarkupState::default()),
            Grammar::Markdown => LexState::Markdown(Box::default()),
            Grammar::Yaml => LexState::Yaml(YamlState::default()),
            Grammar::Diff => LexState::Diff,
        };
        Self { rest: text, language, state }
    }

    /// Reads the next line, and puts its spans into `spans`, in order and without overlaps; `None` at the end.
    ///
    /// A line ends with `\n`, which is not part of it; a `\r` before that is. Spans begin and end where characters do, if
    /// the text is UTF-8. The cost grows with the length of the line alone.
    pub fn line(&mut self, spans: &mut Vec<SyntaxSpan>) -> Option<&'a [u8]> {
        spans.clear();
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &[][..]),
        };
        self.rest = rest;
        // Columns of a span are 32 bits.
        let read = &line[..line.len().min(u32::MAX as usize)];
        let read = read.strip_suffix(b"\r").unwrap_or(read);
        self.read_line(read, &mut Spans::new(read, spans));
        Some(line)
    }

    /// Reads a line that is not from the text.
    pub(super) fn read_line(&mut self, line: &[u8], spans: &mut Spans<'_>) {
        match &mut self.state {
            LexState::Code(state) => code::line(self.language, state, line, 0, spans),
            LexState::Markup(state) => markup::line(self.language, state, line, spans),
            LexState::Markdown(state) => markdown::line(state, line, spans),
            LexState::Yaml(state) => yaml::line(self.language, state, line, spans),
            LexState::Diff => diff::line(line, spans),
        }
    }
}
