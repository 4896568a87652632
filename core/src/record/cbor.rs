//! Deterministic CBOR (RFC 8949 §4.2.1): one value, one encoding.
//!
//! Writing goes through ciborium, whose `Value` can be sorted; checking what was read is done here
//! on the bytes, without building anything.

use ciborium::Value;
use serde::Serialize;

/// A body nested deeper is not understood; ours are four deep at most.
const MAX_DEPTH: usize = 16;

/// Why bytes are not the deterministic CBOR of one map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDeterministic {
    /// The bytes end inside an item.
    #[error("the data is truncated")]
    CutShort,
    /// The outermost item is something else.
    #[error("the data is not a map")]
    NotAMap,
    /// Something follows the map.
    #[error("there are bytes after the map")]
    Trailing,
    /// A head uses more bytes than it needs, or a reserved or open-ended form.
    #[error("a number or length is not in its shortest form")]
    LongHead,
    /// Keys are not in ascending order of their bytes, or one is there twice.
    #[error("the keys are not in order")]
    KeyOrder,
    /// A text is not UTF-8.
    #[error("a text is not valid UTF-8")]
    NotUtf8,
    /// Nested too deeply.
    #[error("the data is nested too deeply")]
    TooDeep,
}

/// Encodes `value` with the keys of every map sorted.
pub(super) fn to_vec<T: Serialize>(value: &T) -> Vec<u8> {
    let mut tree = Value::serialized(value).expect("bodies hold nothing that CBOR cannot say");
    sort(&mut tree);
    encode(&tree)
}

fn sort(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(sort),
        Value::Tag(_, inner) => sort(inner),
        Value::Map(entries) => {
            for (_, item) in entries.iter_mut() {
                sort(item);
            }
            entries.sort_by_cached_key(|(key, _)| encode(key));
        }
        _ => {}
    }
}

fn encode(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).expect("writing to memory does not fail");
    bytes
}

/// Checks that `bytes` are the deterministic encoding of exactly one map.
///
/// Costs one pass over the heads; nothing is allocated.
pub(super) fn check_map(bytes: &[u8]) -> Result<(), NotDeterministic> {
    if bytes.first().is_some_and(|first| first >> 5 != 5) {
        return Err(NotDeterministic::NotAMap);
    }
    match item(bytes, 0)? {
        [] => Ok(()),
        _ => Err(NotDeterministic::Trailing),
    }
}

/// Checks one item and returns what follows it.
fn item(bytes: &[u8], depth: usize) -> Result<&[u8], NotDeterministic> {
    if depth > MAX_DEPTH {
        return Err(NotDeterministic::TooDeep);
    }
    let (major, argument, mut rest) = head(bytes)?;
    match major {
        2 | 3 => {
            let length = usize::try_from(argument).map_err(|_| NotDeterministic::CutShort)?;
            let (content, rest) = rest.split_at_checked(length).ok_or(NotDeterministic::CutShort)?;
            if major == 3 && std::str::from_utf8(content).is_err() {
                return Err(NotDeterministic::NotUtf8);
            }
            Ok(rest)
        }
        4 => {
            for _ in 0..argument {
                rest = item(rest, depth + 1)?;
            }
            Ok(rest)
        }
        5 => {
            let mut last_key: Option<&[u8]> = None;
            for _ in 0..argument {
                let behind = item(rest, depth + 1)?;
                let key = &rest[..rest.len() - behind.len()];
                if last_key.is_some_and(|last| last >= key) {
                    return Err(NotDeterministic::KeyOrder);
                }
                last_key = Some(key);
                rest = item(behind, depth + 1)?;
            }
            Ok(rest)
        }
        6 => item(rest, depth + 1),
        // Numbers and simple values are all head.
        _ => Ok(rest),
    }
}

/// Reads one head: major type, argument, what follows.
pub(super) fn head(bytes: &[u8]) -> Result<(u8, u64, &[u8]), NotDeterministic> {
    let (first, rest) = bytes.split_first().ok_or(NotDeterministic::CutShort)?;
    let (major, info) = (first >> 5, first & 0x1f);
    let width = match info {
        0..=23 => return Ok((major, u64::from(info), rest)),
        24 => 1,
        25 => 2,
        26 => 4,
        27 => 8,
        _ => return Err(NotDeterministic::LongHead),
    };
    let (argument, rest) = rest.split_at_checked(width).ok_or(NotDeterministic::CutShort)?;
    let argument = argument.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    // Behind major type 7 stand simple values and floats, whose width is their kind.
    let shortest = match width {
        _ if major == 7 => width > 1 || argument >= 32,
        1 => argument >= 24,
        2 => argument > u64::from(u8::MAX),
        4 => argument > u64::from(u16::MAX),
        _ => argument > u64::from(u32::MAX),
    };
    if shortest { Ok((major, argument, rest)) } else { Err(NotDeterministic::LongHead) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_shorter_first_then_by_bytes() {
        #[derive(Serialize)]
        struct Unsorted {
            zz: u8,
            b: u8,
            a: u8,
        }
        assert_eq!(to_vec(&Unsorted { zz: 1, b: 2, a: 3 }), b"\xa3\x61a\x03\x61b\x02\x62zz\x01");
    }

    #[test]
    fn only_the_one_encoding_of_a_map_passes() {
        let check = |bytes: &[u8], expected| assert_eq!(check_map(bytes), expected, "{bytes:02x?}");
        check(b"\xa0", Ok(()));
        check(b"\xa2\x61a\x18\x18\x62aa\x81\x41\x00", Ok(()));
        check(b"", Err(NotDeterministic::CutShort));
        check(b"\x80", Err(NotDeterministic::NotAMap));
        check(b"\xa0\xa0", Err(NotDeterministic::Trailing));
        check(b"\xbf\xff", Err(NotDeterministic::LongHead));
        check(b"\xb8\x01\x61a\x00", Err(NotDeterministic::LongHead));
        check(b"\xa1\x61a\x18\x17", Err(NotDeterministic::LongHead));
        check(b"\xa2\x61b\x00\x61a\x00", Err(NotDeterministic::KeyOrder));
        check(b"\xa2\x61a\x00\x61a\x00", Err(NotDeterministic::KeyOrder));
        check(b"\xa1\x61a\x61\xff", Err(NotDeterministic::NotUtf8));
        check(b"\xa1\x61a\x5b\xff\xff\xff\xff\xff\xff\xff\xff", Err(NotDeterministic::CutShort));
        check(&[b"\xa1\x61a".as_slice(), &[0x81; 100], b"\x00"].concat(), Err(NotDeterministic::TooDeep));
    }
}
