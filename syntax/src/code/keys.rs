//! Keys at the start of a line: of settings, and of makefiles.

use super::line::LineScan;
use crate::class::SyntaxClass;
use crate::rules::Oddity;

impl LineScan<'_, '_> {
    /// Reads the key or the section that a line begins with, if the language has such.
    pub(super) fn keys(&mut self) {
        if self.at > 0 {
            return;
        }
        if self.has(Oddity::EqualsKeys) {
            self.setting(b"=", false);
        } else if self.has(Oddity::PropertyKeys) {
            self.setting(b"=:", true);
        } else if self.has(Oddity::MakeKeys) {
            self.make_key();
        }
    }

    fn setting(&mut self, ends: &[u8], is_text: bool) {
        let start = self.line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let first = self.byte(start);
        if first == b'[' {
            let line = self.line.trim_ascii_end();
            let inside = self.line[start + 1..].iter().position(|byte| matches!(byte, b',' | b'='));
            let close = self.line[start..].iter().rposition(|byte| *byte == b']');
            if let Some(close) = close.filter(|_| inside.is_none() || is_text)
                && (start + close + 1 == line.len() || matches!(self.byte(start + close + 1), b' ' | b'\t'))
            {
                self.push(start, start + close + 1, SyntaxClass::Type);
                self.at = start + close + 1;
            }
            return;
        }
        if is_text && matches!(first, b'#' | b';' | b'!') {
            self.push(start, self.line.len(), SyntaxClass::Comment);
            self.at = self.line.len();
            return;
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-. /$*@".contains(&byte) || byte >= 0x80;
        let len = self.line[start..].iter().take_while(|byte| is_name(**byte)).count();
        if len > 0 && ends.contains(&self.byte(start + len)) {
            let name = self.line[start..start + len].trim_ascii_end().len();
            self.push(start, start + name, SyntaxClass::Keyword);
            self.at = start + len + 1;
        }
        if is_text {
            self.at = self.line.len();
        }
    }

    /// `target: needs`, or `NAME := value`; what begins with a tab is a recipe.
    fn make_key(&mut self) {
        if matches!(self.byte(0), b'\t' | b' ' | b'#' | 0) {
            return;
        }
        let is_name =
            |byte: u8| byte.is_ascii_alphanumeric() || b"_-. /$(){}%@,".contains(&byte) || byte >= 0x80;
        let len = self.line.iter().take_while(|byte| is_name(**byte)).count();
        let rest = &self.line[len..];
        let is_variable =
            [&b"="[..], b":=", b"?=", b"+=", b"::=", b"!="].iter().any(|sign| rest.starts_with(sign));
        let name = self.line[..len].trim_ascii_end().len();
        let first = self.line[..name].iter().position(|byte| *byte == b' ').unwrap_or(name);
        if first < name && self.language.words.class(&self.line[..first]).is_some() {
            // `export NAME = value` begins with a word of make.
            return;
        }
        if is_variable {
            self.push(0, name, SyntaxClass::Type);
            self.at = len;
        } else if rest.first() == Some(&b':') {
            self.push(0, name, SyntaxClass::Call);
            self.at = len;
        }
    }
}
