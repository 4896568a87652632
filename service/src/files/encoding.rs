//! Files that are UTF-16 on disk and UTF-8 in the repository, by git's attribute `working-tree-encoding`.
//!
//! The filters of gix know other encodings, but of these they read one byte order alone, write UTF-8, and do not know
//! the names that git made up. Which file has which attributes is `disk`'s to ask.

use gix::bstr::ByteSlice as _;

/// A kind of UTF-16, as the attribute names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Utf16 {
    order: ByteOrder,
    mark: ByteOrderMark,
}

/// Which byte of a unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
    /// As the mark at the beginning says.
    Marked,
}

/// Whether a file begins with a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrderMark {
    Needed,
    Forbidden,
    /// Written, but not asked for.
    Written,
}

/// How lines end on disk, where they end with a newline in the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskLineEnds {
    /// Whatever is there is kept.
    Kept,
    /// Newlines; carriage returns before them are not stored.
    Newlines,
    /// Carriage returns and newlines; only the latter are stored.
    Returns,
}

impl DiskLineEnds {
    /// What git stores for a text whose lines end so on disk.
    pub fn stored(self, text: &[u8]) -> Vec<u8> {
        match self {
            Self::Kept => text.to_vec(),
            Self::Newlines | Self::Returns => text.replace("\r\n", "\n"),
        }
    }
}

const LITTLE: [u8; 2] = [0xff, 0xfe];
const BIG: [u8; 2] = [0xfe, 0xff];

impl Utf16 {
    /// Reads the value of the attribute; `None` for any other encoding.
    pub fn named(name: &[u8]) -> Option<Self> {
        let name = name.to_ascii_uppercase();
        let (order, mark) = match name.as_slice() {
            b"UTF-16" | b"UTF16" => (ByteOrder::Marked, ByteOrderMark::Needed),
            b"UTF-16LE" | b"UTF16LE" => (ByteOrder::Little, ByteOrderMark::Forbidden),
            b"UTF-16BE" | b"UTF16BE" => (ByteOrder::Big, ByteOrderMark::Forbidden),
            b"UTF-16LE-BOM" | b"UTF16LE-BOM" => (ByteOrder::Little, ByteOrderMark::Written),
            b"UTF-16BE-BOM" | b"UTF16BE-BOM" => (ByteOrder::Big, ByteOrderMark::Written),
            _ => return None,
        };
        Some(Self { order, mark })
    }

    /// What git stores for these bytes; `None` for what it would not add.
    pub fn stored(self, raw: &[u8], ends: DiskLineEnds) -> Option<Vec<u8>> {
        let mark = raw.get(..2).and_then(|mark| match mark {
            _ if mark == LITTLE => Some(ByteOrder::Little),
            _ if mark == BIG => Some(ByteOrder::Big),
            _ => None,
        });
        let order = match (self.mark, mark) {
            (ByteOrderMark::Needed, None) | (ByteOrderMark::Forbidden, Some(_)) => return None,
            (ByteOrderMark::Needed, Some(order)) => order,
            (ByteOrderMark::Forbidden, None) | (ByteOrderMark::Written, _) => self.order,
        };
        let raw = if mark.is_some() { &raw[2..] } else { raw };
        let (units, rest) = raw.as_chunks::<2>();
        let unit = |bytes: &[u8; 2]| match order {
            ByteOrder::Big => u16::from_be_bytes(*bytes),
            ByteOrder::Little | ByteOrder::Marked => u16::from_le_bytes(*bytes),
        };
        let text: Result<String, _> = char::decode_utf16(units.iter().map(unit)).collect();
        let text = text.ok().filter(|_| rest.is_empty())?;
        Some(ends.stored(text.as_bytes()))
    }

    /// The bytes that git would check out for this content; `None` if it is not a text.
    pub fn checked_out(self, content: &[u8], ends: DiskLineEnds) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(content).ok()?;
        let returns = match ends {
            DiskLineEnds::Returns => text.replace("\r\n", "\n").replace('\n', "\r\n"),
            DiskLineEnds::Kept | DiskLineEnds::Newlines => text.to_owned(),
        };
        let mark = Some('\u{feff}').filter(|_| self.mark != ByteOrderMark::Forbidden);
        let text: String = mark.into_iter().chain(returns.chars()).collect();
        let bytes = |unit: u16| match self.order {
            ByteOrder::Big => unit.to_be_bytes(),
            ByteOrder::Little | ByteOrder::Marked => unit.to_le_bytes(),
        };
        Some(text.encode_utf16().flat_map(bytes).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATTE: &str = "grüße\r\n\u{1f642}\r\n";

    fn bytes(text: &str, order: ByteOrder) -> Vec<u8> {
        let unit = |unit: u16| if order == ByteOrder::Big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn what_is_checked_out_is_stored_as_it_was() {
        for name in ["UTF-16", "utf-16le", "UTF-16BE", "UTF-16LE-BOM", "UTF-16BE-BOM"] {
            let encoding = Utf16::named(name.as_bytes()).unwrap();
            for (ends, content) in [
                (DiskLineEnds::Kept, LATTE.to_owned()),
                (DiskLineEnds::Newlines, LATTE.replace('\r', "")),
                (DiskLineEnds::Returns, LATTE.replace('\r', "")),
            ] {
                let raw = encoding.checked_out(content.as_bytes(), ends).unwrap();
                assert_eq!(encoding.stored(&raw, ends).as_deref(), Some(content.as_bytes()), "{name}");
            }
        }
        assert_eq!(Utf16::named(b"ISO-8859-1"), None);
    }

    #[test]
    fn the_mark_says_the_order_and_is_asked_for_as_git_does() {
        let check = |name: &str, mark: &[u8], order, expected: bool| {
            let raw = [mark, &bytes(LATTE, order)].concat();
            let stored = Utf16::named(name.as_bytes()).unwrap().stored(&raw, DiskLineEnds::Kept);
            assert_eq!(stored.is_some_and(|text| text == LATTE.as_bytes()), expected, "{name} {mark:?}");
        };
        check("UTF-16", &LITTLE, ByteOrder::Little, true);
        check("UTF-16", &BIG, ByteOrder::Big, true);
        check("UTF-16", &[], ByteOrder::Little, false);
        check("UTF-16LE", &[], ByteOrder::Little, true);
        check("UTF-16LE", &LITTLE, ByteOrder::Little, false);
        check("UTF-16BE", &[], ByteOrder::Big, true);
        check("UTF-16LE-BOM", &LITTLE, ByteOrder::Little, true);
        check("UTF-16BE-BOM", &BIG, ByteOrder::Big, true);
    }

    #[test]
    fn half_a_unit_and_half_a_pair_are_no_text() {
        let encoding = Utf16::named(b"UTF-16LE").unwrap();
        assert_eq!(encoding.stored(b"a", DiskLineEnds::Kept), None);
        assert_eq!(encoding.stored(&[0x00, 0xd8], DiskLineEnds::Kept), None);
        assert_eq!(encoding.checked_out(b"\xff", DiskLineEnds::Kept), None);
    }
}
