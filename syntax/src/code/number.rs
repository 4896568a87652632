//! Numbers.

use super::line::LineScan;
use crate::class::SyntaxClass;
use crate::rules::Oddity;

impl LineScan<'_, '_> {
    /// Reads a number, with its unit or suffix.
    pub(super) fn number(&mut self) {
        let start = self.at;
        let quoted = self.has(Oddity::QuotedDigits);
        let mut at = start;
        loop {
            let (byte, next) = (self.byte(at), self.byte(at + 1));
            let goes_on = match byte {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => true,
                b'.' => next.is_ascii_digit() && (at == start || self.line[at - 1] != b'.'),
                b'\'' => quoted && next.is_ascii_alphanumeric(),
                b'+' | b'-' => {
                    let is_hex = self.line[start..at].starts_with(b"0x");
                    matches!(self.line[at - 1], b'e' | b'E') && !is_hex && next.is_ascii_digit()
                }
                b'%' => self.state.after_key,
                _ => false,
            };
            if !goes_on {
                break;
            }
            at += 1;
        }
        self.push(start, at, SyntaxClass::Number);
        self.at = at.max(start + 1);
        self.after_value = true;
    }

    /// `#fff`.
    pub(super) fn hex_number(&mut self) -> bool {
        let digits =
            self.line[self.at + 1..].iter().take(9).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let is_number = (3..=8).contains(&digits);
        if is_number {
            self.push(self.at, self.at + 1 + digits, SyntaxClass::Number);
            self.at += 1 + digits;
        }
        is_number
    }
}
