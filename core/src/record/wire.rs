//! How ids, paths, lines and ranges are encoded in CBOR.
//!
//! Ids and paths are byte strings, a range is a list of two or four numbers, a line is a byte
//! string or, hashed, a list of one, and a choice of words is a text.

use std::fmt;
use std::num::NonZeroU32;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

use super::{Columns, Line, LineSpan, LinesHash, Range, RecordId};
use crate::git::{BlobId, CommitId, RepoPath};

/// An enum of words is encoded as a text, and as nothing else.
///
/// What serde derives for an enum also reads a map of one, and minicbor then takes that map's value
/// for the next key: readers would disagree about what a body means.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ }) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(match self {
                    $(Self::$variant => $word),+
                })
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match String::deserialize(deserializer)?.as_str() {
                    $($word => Ok(Self::$variant),)+
                    other => Err(serde::de::Error::unknown_variant(other, &[$($word),+])),
                }
            }
        }
    };
}

pub(super) use words;

macro_rules! byte_string {
    ($name:ident, $from:expr, $what:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(self.as_bytes())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct BytesVisitor;
                impl Visitor<'_> for BytesVisitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }

                    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<$name, E> {
                        $from(bytes).ok_or_else(|| E::invalid_length(bytes.len(), &self))
                    }
                }
                deserializer.deserialize_bytes(BytesVisitor)
            }
        }
    };
}

byte_string!(RecordId, RecordId::from_bytes, "a record id of 16 bytes");
byte_string!(CommitId, CommitId::from_bytes, "a commit id of 20 or 32 bytes");
byte_string!(BlobId, BlobId::from_bytes, "a blob id of 20 or 32 bytes");
byte_string!(RepoPath, RepoPath::new, "a path in a tree");
byte_string!(LinesHash, LinesHash::from_bytes, "a hash of 32 bytes");

impl Serialize for Range {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (first, last) = (self.span().first(), self.span().last());
        match self.columns() {
            None => (first, last).serialize(serializer),
            Some(columns) => (first, last, columns.start, columns.end).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = Vec::<NonZeroU32>::deserialize(deserializer)?;
        let range = match *numbers {
            [first, last] => LineSpan::new(first, last).map(Range::lines),
            [first, last, start, end] => LineSpan::new(first, last)
                .and_then(|lines| Range::with_columns(lines, Columns { start, end })),
            _ => None,
        };
        range.ok_or_else(|| {
            D::Error::custom("a range is [first, last] or [first, last, start, end], forwards")
        })
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(bytes) => serializer.serialize_bytes(bytes),
            Self::Hash(hash) => [Bytes::new(hash)].serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LineVisitor;
        impl<'de> Visitor<'de> for LineVisitor {
            type Value = Line;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a line, or a list of its hash alone")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Line, E> {
                Ok(Line::Text(bytes.to_vec()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Line, A::Error> {
                let hash: ByteBuf =
                    items.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                let hash =
                    hash.as_slice().try_into().map_err(|_| A::Error::invalid_length(hash.len(), &self))?;
                match items.next_element::<ByteBuf>()? {
                    None => Ok(Line::Hash(hash)),
                    Some(_) => Err(A::Error::invalid_length(2, &self)),
                }
            }
        }
        deserializer.deserialize_any(LineVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::super::StatusWord;

    #[test]
    fn a_choice_of_words_is_a_text_and_nothing_else() {
        let read = |bytes: &[u8]| minicbor_serde::from_slice::<StatusWord>(bytes).ok();
        assert_eq!(read(b"\x64open"), Some(StatusWord::Open));
        assert_eq!(read(b"\x64opem"), None);
        assert_eq!(read(b"\xa1\x64open\xf6"), None, "a map of one");
        assert_eq!(read(b"\x00"), None, "its place in a list");
    }
}
