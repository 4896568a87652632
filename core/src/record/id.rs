//! The id of a record: the hash of its bytes.

use std::fmt;

/// The first 16 bytes of the BLAKE3 of a record's kind, body and version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId([u8; RecordId::LEN]);

impl RecordId {
    /// How many bytes an id has.
    pub const LEN: usize = 16;

    /// Wraps raw bytes; that they are the id of a record is not checked here.
    pub const fn from_array(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// Returns `None` unless there are exactly 16 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns `None` unless `hex` is 32 hexadecimal digits.
    pub fn from_hex(hex: &str) -> Option<Self> {
        let digits = hex.as_bytes();
        if digits.len() != Self::LEN * 2 {
            return None;
        }
        let mut bytes = [0; Self::LEN];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = hex_digit(pair[0])? << 4 | hex_digit(pair[1])?;
        }
        Some(Self(bytes))
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }
}

fn hex_digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Lists show thousands of ids: the digits are written at once.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut digits = [0; Self::LEN * 2];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(&self.0) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        f.write_str(std::str::from_utf8(&digits).expect("hexadecimal digits are ASCII"))
    }
}

impl fmt::Debug for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_and_anything_else_is_refused() {
        let id = RecordId::from_array(*b"sixteen bytes !\xff");
        assert_eq!(RecordId::from_hex(&id.to_string()), Some(id));
        assert_eq!(RecordId::from_hex("00"), None);
        assert_eq!(RecordId::from_hex(&"zz".repeat(16)), None);
    }
}
