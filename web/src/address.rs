//! Paths and queries of addresses: what stands in them is any bytes, written as browsers write it.

use std::fmt::Write as _;

/// Writes any bytes as one part of a path, or as a value of a query.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            text.push(char::from(*byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Reads it back; `None` if a sign is cut off or is not one.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'%' {
            let digits =
                text.get(at + 1..at + 3).filter(|two| two.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            decoded.push(if *byte == b'+' { b' ' } else { *byte });
            at += 1;
        }
    }
    Some(decoded)
}

/// The values of a query, decoded; those that cannot be read are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, Vec<u8>)>);

impl Query {
    pub(crate) fn read(text: &str) -> Self {
        let pairs = text.split('&').filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((name.to_owned(), decode(value)?))
        });
        Self(pairs.collect())
    }

    /// All values of a name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_slice())
    }

    /// The first value of a name, if it is text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let value = self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)?;
        std::str::from_utf8(value).ok()
    }

    /// The first value of a name, if it is a number.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.text(name)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_survive_an_address() {
        for bytes in [&b"src/a b.rs"[..], b"\xff\x00%2F&=+", "caf\u{e9}".as_bytes(), b""] {
            let text = encode(bytes);
            assert!(
                text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/' && byte != b'&'),
                "{text}"
            );
            assert_eq!(decode(&text).as_deref(), Some(bytes));
        }
        for bad in ["%", "%2", "%zz", "a%é"] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_query_has_several_values() {
        let query = Query::read("path=a%2Fb&context=12&path=c&bad=%&empty");
        assert_eq!(query.all("path").collect::<Vec<_>>(), [&b"a/b"[..], b"c"]);
        assert_eq!(
            (query.number("context"), query.text("bad"), query.text("empty")),
            (Some(12), None, Some(""))
        );
        assert_eq!(query.number("path"), None);
    }
}
