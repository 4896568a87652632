//! Characters, regular expressions, and quotes whose marks the author chooses.
//!
//! All of them end in their line; what does not is something else.

use super::line::LineScan;
use crate::class::SyntaxClass;

/// The longest character: `'\u{10FFFF}'`.
const MAX_CHARACTER: usize = 12;

/// In `unclosed`, that no regular expression ends in this line any more.
const NO_REGEX: u64 = 1 << 63;

/// The same for quotes.
const NO_QUOTE: u64 = 1 << 62;

impl LineScan<'_, '_> {
    /// Whether `'a'` is here. If not, the `'` and the word behind it are passed: a lifetime, a symbol.
    pub(super) fn character(&mut self) -> bool {
        let start = self.at;
        let rest = &self.line[start + 1..];
        let close = match rest.first() {
            Some(b'\\') => {
                rest.iter().take(MAX_CHARACTER).skip(2).position(|byte| *byte == b'\'').map(|at| at + 2)
            }
            Some(b'\'') | None => None,
            Some(first) => {
                let width = match first {
                    0xf0.. => 4,
                    0xe0.. => 3,
                    0xc0.. => 2,
                    _ => 1,
                };
                (rest.get(width) == Some(&b'\'')).then_some(width)
            }
        };
        match close {
            Some(close) => {
                self.push(start, start + close + 2, SyntaxClass::String);
                self.at = start + close + 2;
                self.after_value = true;
            }
            None => {
                let name =
                    rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                self.at = start + 1 + name;
            }
        }
        true
    }

    /// Whether a regular expression is here: between slashes, behind no value, and closed in its line.
    pub(super) fn regex(&mut self) -> bool {
        let start = self.at;
        let before = start.checked_sub(1).map(|at| self.line[at]);
        if self.after_value || before == Some(b'<') || self.unclosed & NO_REGEX != 0 {
            return false;
        }
        let mut in_class = false;
        let mut at = start + 1;
        while at < self.line.len() {
            match self.line[at] {
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class && at > start + 1 => {
                    let flags =
                        self.line[at + 1..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
                    self.push(start, at + 1 + flags, SyntaxClass::String);
                    self.at = at + 1 + flags;
                    self.after_value = true;
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        self.unclosed |= NO_REGEX;
        false
    }

    /// Whether a word is one of Perl's quotes: `q{…}`, `qw(…)`, `s/…/…/`; it is then read.
    pub(super) fn perl_quote(&mut self, start: usize, end: usize) -> bool {
        let parts = match &self.line[start..end] {
            b"q" | b"qq" | b"qw" | b"qr" | b"m" | b"qx" => 1,
            b"s" | b"tr" | b"y" => 2,
            _ => return false,
        };
        let is_variable =
            start > 0 && matches!(self.line[start - 1], b'$' | b'@' | b'%' | b'&' | b'{' | b'>' | b'-');
        // `y => 1`, `s = 2`, `q, 3` and `{s}` are names.
        let is_mark = matches!(self.byte(end), b'{' | b'(' | b'[' | b'<' | b'/' | b'|' | b'!' | b'#' | b'~');
        !is_variable && is_mark && self.chosen_quote(start, end, parts)
    }

    /// Whether `%w[…]` is here.
    pub(super) fn percent_quote(&mut self) -> bool {
        if self.after_value {
            return false;
        }
        let start = self.at;
        let letter = usize::from(self.byte(start + 1).is_ascii_alphabetic());
        let is_mark = matches!(self.byte(start + 1 + letter), b'{' | b'(' | b'[' | b'<' | b'|' | b'!');
        is_mark && self.chosen_quote(start, start + 1 + letter, 1)
    }

    /// Whether `~s(…)` is here.
    pub(super) fn sigil(&mut self) -> bool {
        let start = self.at;
        let is_mark = matches!(self.byte(start + 2), b'{' | b'(' | b'[' | b'<' | b'|' | b'/' | b'"' | b'\'');
        self.byte(start + 1).is_ascii_alphabetic()
            && is_mark
            && !self.starts_with(start + 2, "\"\"\"")
            && self.chosen_quote(start, start + 2, 1)
    }

    /// Reads a quote from its mark on, if this line closes all its parts.
    fn chosen_quote(&mut self, start: usize, mark: usize, parts: usize) -> bool {
        if self.unclosed & NO_QUOTE != 0 {
            return false;
        }
        let mut at = mark;
        for part in 0..parts {
            let open = self.byte(at);
            let close = match open {
                b'(' => b')',
                b'[' => b']',
                b'{' => b'}',
                b'<' => b'>',
                other => other,
            };
            let Some(end) = self.closing(at + 1, open, close) else {
                self.unclosed |= NO_QUOTE;
                return false;
            };
            // The second part of `s/a/b/` begins with the mark that ends the first.
            at = if open == close && part + 1 < parts { end } else { end + 1 };
        }
        let flags =
            self.line[at.min(self.line.len())..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        self.push(start, at + flags, SyntaxClass::String);
        self.at = (at + flags).min(self.line.len());
        self.after_value = true;
        true
    }

    fn closing(&self, from: usize, open: u8, close: u8) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = from;
        while at < self.line.len() {
            let byte = self.line[at];
            if byte == b'\\' {
                at += 1;
            } else if byte == close {
                if depth == 0 {
                    return Some(at);
                }
                depth -= 1;
            } else if byte == open {
                depth += 1;
            }
            at += 1;
        }
        None
    }
}
