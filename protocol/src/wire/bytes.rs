//! Bytes in JSON: ids are hexadecimal digits, and paths and lines that are not UTF-8 have a form of their own.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An id in lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Hex(String);

/// A text that is not hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid id: {0:?} is not hexadecimal")]
pub struct NotHex(pub String);

impl Hex {
    /// Checks the digits, and converts them to lower case.
    pub fn new(digits: impl Into<String>) -> Result<Self, NotHex> {
        let mut digits = digits.into();
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(NotHex(digits));
        }
        digits.make_ascii_lowercase();
        Ok(Self(digits))
    }

    /// The digits of these bytes; never fails, and never looks at a digit twice.
    pub fn of(bytes: &[u8]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |half: u8| DIGITS[usize::from(half & 15)];
        let digits = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect();
        Self(String::from_utf8(digits).expect("hexadecimal digits are ASCII"))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A path or a line: a JSON string if it is UTF-8, else an object `{"hex": "…"}` with its bytes.
///
/// The same bytes always have the same form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteText(Vec<u8>);

impl ByteText {
    /// Any bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

impl From<&str> for ByteText {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for ByteText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

impl Serialize for ByteText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(text) = self.as_str() {
            return serializer.serialize_str(text);
        }
        let mut form = serializer.serialize_map(Some(1))?;
        form.serialize_entry("hex", Hex::of(&self.0).as_str())?;
        form.end()
    }
}

impl<'de> Deserialize<'de> for ByteText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherForm)
    }
}

/// Reads both forms without keeping either: a list has thousands of paths.
struct EitherForm;

impl<'de> Visitor<'de> for EitherForm {
    type Value = ByteText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or an object with `hex`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<ByteText, E> {
        Ok(ByteText::new(text))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<ByteText, E> {
        Ok(ByteText::new(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut form: A) -> Result<ByteText, A::Error> {
        let mut bytes = None;
        while let Some(key) = form.next_key::<String>()? {
            if key == "hex" {
                let digits: String = form.next_value()?;
                bytes = Some(from_digits(&digits).ok_or_else(|| de::Error::custom(NotHex(digits)))?);
            } else {
                form.next_value::<de::IgnoredAny>()?;
            }
        }
        bytes.map(ByteText).ok_or_else(|| de::Error::missing_field("hex"))
    }
}

fn from_digits(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    let pair = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let digit = |byte: u8| byte.is_ascii_hexdigit();
    if !digits.bytes().all(digit) {
        return None;
    }
    (0..digits.len()).step_by(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_a_string_and_other_bytes_are_digits() {
        let check = |bytes: &[u8], json: &str| {
            let text = ByteText::new(bytes);
            assert_eq!(serde_json::to_string(&text).unwrap(), json);
            assert_eq!(serde_json::from_str::<ByteText>(json).unwrap(), text);
        };
        check(b"src/a.rs", r#""src/a.rs""#);
        check("caf\u{e9}\t".as_bytes(), "\"caf\u{e9}\\t\"");
        check(b"caf\xe9", r#"{"hex":"636166e9"}"#);
        check(b"", r#""""#);
    }

    #[test]
    fn digits_that_are_none_are_refused() {
        for bad in [r#"{"hex":"6"}"#, r#"{"hex":"zz"}"#, r#"{"hex":"+1"}"#, "7", r#"{"hex":"é"}"#] {
            assert!(serde_json::from_str::<ByteText>(bad).is_err(), "{bad}");
        }
        assert_eq!(Hex::new("0AfF").unwrap().as_str(), "0aff");
        assert_eq!(Hex::of(&[0x0a, 0xff, 0x30]).as_str(), "0aff30");
        assert!(Hex::new("").is_err() && Hex::new("xy").is_err());
    }
}
