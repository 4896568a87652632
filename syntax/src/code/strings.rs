//! Comments and strings: where they begin, and where they end.

use super::line::LineScan;
use super::state::{Delimiter, Inside};
use crate::class::SyntaxClass;
use crate::rules::{Oddity, StringRule};

impl LineScan<'_, '_> {
    /// Whether a comment begins here; it is then read, or the state says which one the line is in.
    pub(super) fn comment_begins(&mut self) -> bool {
        let rules = &self.language.rules;
        let at = self.at;
        if self.has(Oddity::LongBrackets) && self.starts_with(at, "--[") {
            self.at += 2;
            if self.long_bracket_begins(true) {
                return true;
            }
            self.at = at;
        }
        for (index, rule) in rules.block_comments.iter().enumerate() {
            if self.starts_with(at, rule.open) && (at == 0 || !rule.at_line_start) {
                self.state.inside = Inside::Comment { rule: index as u8, depth: 1 };
                self.at = at + rule.open.len();
                self.comment(index as u8, 1, at);
                return true;
            }
        }
        let is_free = !rules.comments_after_blanks
            || at == 0
            || matches!(self.line[at - 1], b' ' | b'\t' | b';' | b'(' | b'`');
        if is_free && rules.line_comments.iter().any(|mark| self.starts_with(at, mark)) {
            self.push(at, self.line.len(), SyntaxClass::Comment);
            self.at = self.line.len();
            return true;
        }
        if rules.line_strings.iter().any(|mark| self.starts_with(at, mark)) {
            self.push(at, self.line.len(), SyntaxClass::String);
            self.at = self.line.len();
            return true;
        }
        false
    }

    /// Reads a block comment that the line is in, from `start` on.
    pub(super) fn comment(&mut self, rule: u8, mut depth: u32, start: usize) {
        let block = &self.language.rules.block_comments[usize::from(rule)];
        let mut at = self.at;
        while at < self.line.len() {
            if self.starts_with(at, block.close) && (at == 0 || !block.at_line_start) {
                at += block.close.len();
                depth -= 1;
                if depth == 0 {
                    // Of documentation between lines, the line that ends it belongs to it.
                    let end = if block.at_line_start { self.line.len() } else { at };
                    self.push(start, end, SyntaxClass::Comment);
                    self.at = end;
                    self.state.inside = Inside::Code;
                    return;
                }
            } else if block.nests && self.starts_with(at, block.open) {
                at += block.open.len();
                depth = depth.saturating_add(1);
            } else {
                at += 1;
            }
        }
        self.push(start, self.line.len(), SyntaxClass::Comment);
        self.at = self.line.len();
        self.state.inside = Inside::Comment { rule, depth };
    }

    /// Whether a string begins here.
    pub(super) fn string_begins(&mut self) -> bool {
        let at = self.at;
        let rules = self.language.rules.strings;
        (0..rules.len()).any(|index| rules[index].prefixes.is_empty() && self.opens(index, at, at))
    }

    /// Whether a word is the beginning of a string, as the `r` of `r""` is.
    pub(super) fn string_after(&mut self, word: &[u8], end: usize) -> bool {
        if word.len() > 12 || !matches!(self.byte(end), b'"' | b'\'' | b'`' | b'#') {
            return false;
        }
        if self.has(Oddity::DelimitedRaw) && word.ends_with(b"R") && self.byte(end) == b'"' && word.len() <= 3
        {
            return self.delimited_begins(end);
        }
        let start = self.at;
        let rules = self.language.rules.strings;
        let is_one = |rule: &StringRule| rule.prefixes.iter().any(|prefix| prefix.as_bytes() == word);
        (0..rules.len()).any(|index| is_one(&rules[index]) && self.opens(index, start, end))
    }

    /// Whether a string of a kind opens at a place; `start` is where it begins with its prefix.
    fn opens(&mut self, index: usize, start: usize, at: usize) -> bool {
        let rule = &self.language.rules.strings[index];
        let mut open = at;
        let mut hashes = 0_u8;
        if rule.hashes {
            hashes = self.line[at..].iter().take(255).take_while(|byte| **byte == b'#').count() as u8;
            open += usize::from(hashes);
            // Without a prefix, `#` alone makes it such a string.
            if hashes == 0 && rule.prefixes.is_empty() {
                return false;
            }
        }
        if !self.starts_with(open, rule.open) {
            return false;
        }
        let body = open + rule.open.len();
        let bit = 1_u64 << (index % 64);
        if !rule.many_lines {
            if self.unclosed & bit != 0 {
                return false;
            }
            if !self.is_closed(rule, body) {
                self.unclosed |= bit;
                return false;
            }
        }
        self.at = body;
        self.string(index as u8, hashes, start);
        true
    }

    /// Whether a line closes a string of one line, or goes on in the next one.
    fn is_closed(&self, rule: &StringRule, mut at: usize) -> bool {
        while at < self.line.len() {
            if rule.escapes && self.line[at] == b'\\' {
                if at + 1 == self.line.len() {
                    return true;
                }
                at += 2;
            } else if self.starts_with(at, rule.close) {
                return true;
            } else {
                at += 1;
            }
        }
        false
    }

    /// Reads a string that the line is in, from `start` on.
    pub(super) fn string(&mut self, index: u8, hashes: u8, start: usize) {
        let rule = &self.language.rules.strings[usize::from(index)];
        let close = rule.close.as_bytes();
        let code = rule.code.map(|(open, ..)| open.as_bytes());
        let mut at = self.at;
        while at < self.line.len() {
            let byte = self.line[at];
            if let Some(open) = code
                && byte == open[0]
                && self.line[at..].starts_with(open)
                && !(open == b"{" && self.byte(at + 1) == b'{')
            {
                let end = at + open.len();
                if self.enter(index, hashes) {
                    self.push(start, end, SyntaxClass::String);
                    self.at = end;
                    return;
                }
                at = end;
            } else if rule.escapes && byte == b'\\' && hashes == 0 {
                self.continues = at + 1 >= self.line.len();
                at += 2;
            } else if byte == close[0] && self.line[at..].starts_with(close) {
                let end = at + close.len();
                let follow =
                    self.line[end..].iter().take(usize::from(hashes)).take_while(|byte| **byte == b'#');
                if hashes > 0 && follow.count() < usize::from(hashes) {
                    at += 1;
                    continue;
                }
                let end = end + usize::from(hashes);
                self.push(start, end, SyntaxClass::String);
                self.at = end;
                self.state.inside = Inside::Code;
                self.after_value = true;
                if self.has(Oddity::StringKeys) && self.state.depth == 0 {
                    self.string_key(start, end);
                }
                return;
            } else if byte == b'{' && code == Some(b"{") {
                // `{{` is a brace of its own.
                at += 2;
            } else {
                at += 1;
            }
        }
        self.push(start, self.line.len(), SyntaxClass::String);
        self.at = self.line.len();
        self.state.inside = Inside::String { rule: index, hashes };
    }

    /// A string before a colon is a key.
    fn string_key(&mut self, start: usize, end: usize) {
        let blanks = self.line[end..].iter().take(8).take_while(|byte| **byte == b' ').count();
        if self.byte(end + blanks) == b':' {
            self.spans.reclass(start, end, SyntaxClass::Keyword);
        }
    }

    /// `R"x(`, from its quote on.
    fn delimited_begins(&mut self, quote: usize) -> bool {
        let rest = &self.line[quote + 1..];
        let Some(len) = rest.iter().take(17).position(|byte| *byte == b'(') else { return false };
        let Some(delimiter) = Delimiter::new(&rest[..len]) else { return false };
        let start = self.at;
        self.at = quote + 1 + len + 1;
        self.delimited(delimiter, start);
        true
    }

    /// Reads a raw string that ends with `)x"`.
    pub(super) fn delimited(&mut self, delimiter: Delimiter, start: usize) {
        let word = delimiter.as_bytes();
        let mut at = self.at;
        while at < self.line.len() {
            if self.line[at] == b')' {
                let end = at + 1 + word.len();
                if self.line[at + 1..].starts_with(word) && self.byte(end) == b'"' {
                    self.push(start, end + 1, SyntaxClass::String);
                    self.at = end + 1;
                    self.state.inside = Inside::Code;
                    return;
                }
            }
            at += 1;
        }
        self.push(start, self.line.len(), SyntaxClass::String);
        self.at = self.line.len();
        self.state.inside = Inside::Delimited(delimiter);
    }

    /// Whether `[==[` is here; for a comment, the two dashes are before it.
    pub(super) fn long_bracket_begins(&mut self, is_comment: bool) -> bool {
        let level = self.line[self.at + 1..].iter().take(200).take_while(|byte| **byte == b'=').count();
        if self.byte(self.at + 1 + level) != b'[' {
            return false;
        }
        let start = self.at - if is_comment { 2 } else { 0 };
        self.at += level + 2;
        self.long_bracket(level as u8, is_comment, start);
        true
    }

    /// Reads on to `]==]`.
    pub(super) fn long_bracket(&mut self, level: u8, is_comment: bool, start: usize) {
        let class = if is_comment { SyntaxClass::Comment } else { SyntaxClass::String };
        let width = usize::from(level);
        let mut at = self.at;
        while at < self.line.len() {
            if self.line[at] == b']' {
                let equals =
                    self.line[at + 1..].iter().take(width + 1).take_while(|byte| **byte == b'=').count();
                if equals == width && self.byte(at + 1 + width) == b']' {
                    let end = at + width + 2;
                    self.push(start, end, class);
                    self.at = end;
                    self.state.inside = Inside::Code;
                    return;
                }
                at += equals;
            }
            at += 1;
        }
        self.push(start, self.line.len(), class);
        self.at = self.line.len();
        self.state.inside = Inside::LongBracket { level, is_comment };
    }
}
