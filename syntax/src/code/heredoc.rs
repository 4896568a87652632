//! Here-documents: the lines after one are text, up to a line with a word alone.

use super::line::LineScan;
use super::state::{Delimiter, Heredoc, Inside, MAX_DELIMITER, MAX_HEREDOCS};
use crate::class::SyntaxClass;
use crate::rules::Oddity;

/// So far back, `((` makes `<<` a shift.
const MAX_ARITHMETIC: usize = 120;

impl LineScan<'_, '_> {
    /// Whether this line is part of a here-document; it is then read.
    pub(super) fn heredoc_line(&mut self) -> bool {
        if self.state.waiting == 0 || self.state.inside != Inside::Code {
            return false;
        }
        let Heredoc { word, indented } = self.state.heredocs[0];
        let mut line = self.line;
        if indented {
            line = line.trim_ascii_start();
        }
        let word = word.as_bytes();
        // Behind the word of PHP, the statement goes on.
        let goes_on = |rest: &[u8]| rest.first().is_some_and(|byte| matches!(byte, b';' | b',' | b')'));
        let ends = match line.strip_prefix(word) {
            Some(rest) => rest.is_empty() || self.has(Oddity::TripleHeredocs) && goes_on(rest),
            None => false,
        };
        let end = if ends { self.line.len() - line.len() + word.len() } else { self.line.len() };
        self.push(0, end, SyntaxClass::String);
        if ends {
            self.state.waiting -= 1;
            self.state.heredocs.copy_within(1.., 0);
        }
        self.at = self.line.len();
        true
    }

    /// Whether a here-document is announced here.
    pub(super) fn heredoc_begins(&mut self) -> bool {
        let signs = if self.has(Oddity::TripleHeredocs) {
            3
        } else if self.has(Oddity::ShellHeredocs) || self.has(Oddity::WordHeredocs) {
            2
        } else {
            return false;
        };
        let count = self.line[self.at..].iter().take(4).take_while(|byte| **byte == b'<').count();
        if count != signs {
            // `<<<` of shells, and shifts: all of it is passed.
            self.at += count;
            self.after_value = false;
            return true;
        }
        let is_shell = self.has(Oddity::ShellHeredocs);
        let mut at = self.at + signs;
        let mut indented = self.has(Oddity::TripleHeredocs);
        if matches!(self.byte(at), b'-' | b'~') && signs == 2 {
            indented = true;
            at += 1;
        }
        if is_shell || signs == 3 {
            at +=
                self.line[at.min(self.line.len())..].iter().take(8).take_while(|byte| **byte == b' ').count();
        }
        let quote = Some(self.byte(at)).filter(|byte| matches!(byte, b'\'' | b'"' | b'`'));
        let start = at + usize::from(quote.is_some() || (is_shell && self.byte(at) == b'\\'));
        let is_word = |byte: &&u8| {
            byte.is_ascii_alphanumeric() || **byte == b'_' || (is_shell && b"-.!".contains(byte))
        };
        let rest = self.line.get(start..).unwrap_or_default();
        let len = match quote {
            Some(quote) => rest.iter().take(MAX_DELIMITER + 1).take_while(|byte| **byte != quote).count(),
            None => rest.iter().take(MAX_DELIMITER + 1).take_while(is_word).count(),
        };
        let word = &rest[..len];
        let is_named = match (quote, word.first()) {
            (_, None) => false,
            (Some(quote), _) => rest.get(len) == Some(&quote),
            (None, Some(first)) if is_shell || signs == 3 => first.is_ascii_alphabetic() || *first == b'_',
            // Elsewhere `a << b` is an operator.
            (None, Some(first)) => first.is_ascii_uppercase() || *first == b'_',
        };
        let before = &self.line[self.at.saturating_sub(MAX_ARITHMETIC)..self.at];
        let is_shift = is_shell
            && before.windows(2).any(|two| two == b"((")
            && !before.windows(2).any(|two| two == b"))");
        let delimiter = Delimiter::new(word).filter(|_| is_named && !is_shift);
        let end = start + len + usize::from(quote.is_some());
        match delimiter {
            Some(word) if self.state.waiting < MAX_HEREDOCS => {
                self.state.heredocs[self.state.waiting] = Heredoc { word, indented };
                self.state.waiting += 1;
                self.push(self.at, end, SyntaxClass::String);
                self.at = end.min(self.line.len());
                self.after_value = true;
            }
            _ => {
                self.at += signs;
                self.after_value = false;
            }
        }
        true
    }
}
