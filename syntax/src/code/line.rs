//! One line of code: finds words, and hands over to the files beside it where a string, a comment or an oddity begins.

use super::state::{CodeFrame, CodeState, Inside, MAX_NESTING};
use crate::class::SyntaxClass;
use crate::language::{Language, LexStart};
use crate::rules::Oddity;
use crate::spans::Spans;

/// Reads a line from a byte on, in the state that the line before it left.
pub(crate) fn line(
    language: &'static Language,
    state: &mut CodeState,
    line: &[u8],
    from: usize,
    spans: &mut Spans<'_>,
) {
    let mut scan = LineScan::new(language, state, line, from, spans);
    if scan.heredoc_line() {
        return;
    }
    if scan.state.inside == Inside::Code && scan.state.depth == 0 {
        scan.keys();
    }
    while scan.at < line.len() {
        match scan.state.inside {
            Inside::Code => scan.code(),
            Inside::Comment { rule, depth } => scan.comment(rule, depth, scan.at),
            Inside::String { rule, hashes } => scan.string(rule, hashes, scan.at),
            Inside::Delimited(delimiter) => scan.delimited(delimiter, scan.at),
            Inside::LongBracket { level, is_comment } => scan.long_bracket(level, is_comment, scan.at),
        }
    }
    scan.end();
}

/// A line that is being read.
pub(super) struct LineScan<'a, 'b> {
    pub(super) language: &'static Language,
    pub(super) state: &'a mut CodeState,
    pub(super) line: &'a [u8],
    pub(super) at: usize,
    pub(super) spans: &'a mut Spans<'b>,
    /// Whether a value is before this place, so that a slash divides.
    pub(super) after_value: bool,
    /// Kinds of strings, and of quotes, that nothing closes any more in this line; looking again would cost as much again.
    pub(super) unclosed: u64,
    /// Whether the line ends with a backslash that continues a string of one line.
    pub(super) continues: bool,
    /// Whether a word was there already.
    pub(super) had_word: bool,
    /// The first byte that is no blank.
    first: usize,
}

impl<'a, 'b> LineScan<'a, 'b> {
    fn new(
        language: &'static Language,
        state: &'a mut CodeState,
        line: &'a [u8],
        at: usize,
        spans: &'a mut Spans<'b>,
    ) -> Self {
        let (after_value, unclosed, continues, had_word) = (false, 0, false, false);
        let first = at + line[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        state.after_key = false;
        Self { language, state, line, at, spans, after_value, unclosed, continues, had_word, first }
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.line.get(at).copied().unwrap_or(0)
    }

    pub(super) fn starts_with(&self, at: usize, text: &str) -> bool {
        self.line.get(at..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    pub(super) fn push(&mut self, start: usize, end: usize, class: SyntaxClass) {
        self.spans.push(start, end.min(self.line.len()), class);
    }

    pub(super) fn has(&self, oddity: Oddity) -> bool {
        self.language.rules.has(oddity)
    }

    /// Reads on until something but code begins, or code inside a string ends.
    fn code(&mut self) {
        let starts = &self.language.starts;
        while let Some(&byte) = self.line.get(self.at) {
            match starts[usize::from(byte)] {
                LexStart::Blank => self.at += 1,
                LexStart::Plain => {
                    self.after_value = false;
                    self.at += 1;
                }
                LexStart::Word => {
                    if self.word() {
                        return;
                    }
                }
                LexStart::Digit => self.number(),
                LexStart::Open => {
                    self.bracket_opens(byte);
                    self.at += 1;
                }
                LexStart::Close => {
                    if self.bracket_closes(byte) {
                        return;
                    }
                    self.at += 1;
                }
                LexStart::Mark | LexStart::WordEnd => {
                    if self.mark(byte) {
                        return;
                    }
                }
            }
        }
    }

    pub(super) fn bracket_opens(&mut self, byte: u8) {
        self.after_value = false;
        if let Some((frame, brackets)) = self.frame()
            && brackets.0 == byte
        {
            frame.brackets = frame.brackets.saturating_add(1);
        }
    }

    /// Whether a string goes on behind this bracket.
    pub(super) fn bracket_closes(&mut self, byte: u8) -> bool {
        self.after_value = true;
        let Some((frame, brackets)) = self.frame() else { return false };
        if brackets.1 != byte {
            return false;
        }
        if frame.brackets > 0 {
            frame.brackets -= 1;
            return false;
        }
        let CodeFrame { rule, hashes, .. } = *frame;
        self.state.depth -= 1;
        self.state.inside = Inside::String { rule, hashes };
        true
    }

    /// The string that this code is in, and the brackets of such code.
    fn frame(&mut self) -> Option<(&mut CodeFrame, (u8, u8))> {
        let frame = self.state.frames[..self.state.depth].last_mut()?;
        let rule = self.language.rules.strings.get(usize::from(frame.rule))?;
        rule.code.map(|(_, left, right)| (frame, (left, right)))
    }

    /// Begins code inside a string; `false` if that is too deep.
    pub(super) fn enter(&mut self, rule: u8, hashes: u8) -> bool {
        if self.state.depth == MAX_NESTING {
            return false;
        }
        self.state.frames[self.state.depth] = CodeFrame { rule, hashes, brackets: 0 };
        self.state.depth += 1;
        self.state.inside = Inside::Code;
        self.after_value = false;
        true
    }

    fn word_end(&self, from: usize) -> usize {
        let starts = &self.language.starts;
        let is_part = |byte: &u8| {
            matches!(starts[usize::from(*byte)], LexStart::Word | LexStart::Digit | LexStart::WordEnd)
        };
        from + self.line[from..].iter().take_while(|byte| is_part(byte)).count()
    }

    /// Reads a word; whether something other than code begins behind it.
    fn word(&mut self) -> bool {
        let rules = &self.language.rules;
        let start = self.at;
        if self.line[start] == b'-' && self.byte(start + 1).is_ascii_digit() {
            // Where names may begin with a dash, a number may have one as well.
            self.at += 1;
            return false;
        }
        let end = self.word_end(start);
        let word = &self.line[start..end];
        let next = self.byte(end);
        if self.string_after(word, end) {
            return true;
        }
        let is_first = !std::mem::replace(&mut self.had_word, true);
        self.at = end;
        if self.has(Oddity::PerlQuotes) && self.perl_quote(start, end) {
            return false;
        }
        let is_member =
            start > 0 && self.line[start - 1] == b'.' && (start < 2 || self.line[start - 2] != b'.');
        let known = if (is_member && word != b"await") || (!is_first && self.has(Oddity::FirstWords)) {
            None
        } else {
            self.language.words.class(word)
        };
        if let Some(class) = known {
            self.push(start, end, class);
            self.after_value = class != SyntaxClass::Keyword;
            return false;
        }
        self.after_value = true;
        if self.has(Oddity::ColonKeys) && next == b':' && matches!(self.byte(end + 1), b' ' | 0) {
            self.push(start, end, SyntaxClass::Keyword);
            self.state.after_key = true;
        } else if rules.calls && next == b'(' {
            self.push(start, end, SyntaxClass::Call);
        } else if next == b'!'
            && self.has(Oddity::BangCalls)
            && matches!(self.byte(end + 1), b'(' | b'[' | b'{')
        {
            self.push(start, end + 1, SyntaxClass::Call);
            self.at = end + 1;
        } else if rules.capital_types && is_type(word) {
            self.push(start, end, SyntaxClass::Type);
        }
        false
    }

    /// Reads what begins with a byte that may begin several things; whether something other than code begins.
    fn mark(&mut self, byte: u8) -> bool {
        let at = self.at;
        if self.comment_begins() || self.string_begins() || self.odd(byte) {
            return self.state.inside != Inside::Code;
        }
        if self.at > at {
            return false;
        }
        match byte {
            b'(' | b'[' | b'{' => self.bracket_opens(byte),
            b')' | b']' | b'}' => {
                if self.bracket_closes(byte) {
                    return true;
                }
            }
            _ => self.after_value = false,
        }
        self.at += 1;
        false
    }

    /// Reads an oddity, and goes behind it.
    fn odd(&mut self, byte: u8) -> bool {
        match byte {
            b'\'' if self.has(Oddity::Characters) => self.character(),
            b'/' if self.has(Oddity::SlashRegex) => self.regex(),
            b'[' if self.has(Oddity::LongBrackets) => self.long_bracket_begins(false),
            b'<' => self.heredoc_begins(),
            b'%' if self.has(Oddity::PercentQuotes) => self.percent_quote(),
            b'~' if self.has(Oddity::Sigils) => self.sigil(),
            b'\\' if self.has(Oddity::CodeEscapes) => {
                self.at = (self.at + 2).min(self.line.len());
                true
            }
            b'@' if self.has(Oddity::Decorators) => self.named(SyntaxClass::Call),
            b'@' if self.has(Oddity::AtKeywords) => self.named(SyntaxClass::Keyword),
            b'$' if self.has(Oddity::Variables) => self.variable(),
            b'#' if self.has(Oddity::Preprocessor) => self.directive(),
            b'#' if self.has(Oddity::ColonKeys) && self.state.after_key => self.hex_number(),
            _ => false,
        }
    }

    /// A sign and the word behind it.
    fn named(&mut self, class: SyntaxClass) -> bool {
        let end = self.word_end(self.at + 1);
        let is_name = end > self.at + 1 && (self.at == 0 || !self.line[self.at - 1].is_ascii_alphanumeric());
        if is_name {
            self.push(self.at, end, class);
            self.at = end;
        }
        is_name
    }

    /// `$name` or `${name`; what follows the name is code again.
    fn variable(&mut self) -> bool {
        let braced = usize::from(self.byte(self.at + 1) == b'{');
        let end = self.word_end(self.at + 1 + braced);
        if end == self.at + 1 + braced {
            // `$#` and its like: the sign behind the dollar begins nothing.
            self.at = (self.at + 2
                - usize::from(matches!(self.byte(self.at + 1), b'(' | b'{' | b'\'' | b'"')))
            .min(self.line.len());
            return true;
        }
        self.push(self.at, end, SyntaxClass::Type);
        if braced == 1 {
            self.bracket_opens(b'{');
        }
        self.at = end;
        self.after_value = true;
        true
    }

    /// `#include <a.h>`, if nothing is before it.
    fn directive(&mut self) -> bool {
        if self.at != self.first {
            return false;
        }
        let blanks = self.line[self.at + 1..].iter().take_while(|byte| **byte == b' ').count();
        let start = self.at + 1 + blanks;
        let end = self.word_end(start);
        self.push(self.at, end, SyntaxClass::Keyword);
        let is_include = matches!(&self.line[start..end], b"include" | b"import" | b"include_next");
        self.at = end.max(self.at + 1);
        if is_include {
            let blanks = self.line[self.at..].iter().take_while(|byte| **byte == b' ').count();
            let open = self.at + blanks;
            if self.byte(open) == b'<'
                && let Some(len) = self.line[open..].iter().position(|byte| *byte == b'>')
            {
                self.push(open, open + len + 1, SyntaxClass::String);
                self.at = open + len + 1;
            }
        }
        true
    }

    /// What begins a line without a word does not last longer than the line allows.
    fn end(&mut self) {
        if let Inside::String { rule, .. } = self.state.inside {
            let many_lines = self.language.rules.strings[usize::from(rule)].many_lines;
            if !many_lines && !self.continues {
                self.state.inside = Inside::Code;
            }
        }
        // Code inside a string of one line ends with it.
        let one_line = self.state.frames[..self.state.depth]
            .iter()
            .position(|frame| !self.language.rules.strings[usize::from(frame.rule)].many_lines);
        if let Some(depth) = one_line.filter(|_| !self.continues) {
            self.state.depth = depth;
            self.state.inside = Inside::Code;
        }
    }
}

/// Whether a name looks like a type: a capital, and not capitals alone.
fn is_type(word: &[u8]) -> bool {
    word[0].is_ascii_uppercase() && (word.len() == 1 || word.iter().any(u8::is_ascii_lowercase))
}
