//! The bytes that records begin with, and how to keep them out of the content of records.
//!
//! Only byte strings can contain them: they are not valid UTF-8, and nobody can choose the bytes of an id. Every byte
//! string of free content is checked here before it is stored.

/// What every record begins with, so that a reader finds the next one after damage.
pub const RECORD_TAG: [u8; 3] = [0xd9, 0xd9, 0xf7];

/// Whether a reader that looks for the record tag could find it in a byte string of these bytes.
///
/// The tag could also begin in the head that CBOR puts before the string and end in its first two
/// bytes. It cannot end after the string: no item that we write begins with `f7`.
pub(super) fn could_hide_a_record(bytes: &[u8]) -> bool {
    begins_inside_the_tag(bytes) || memchr::memmem::find(bytes, &RECORD_TAG).is_some()
}

/// Whether `bytes` begin with the end of the tag: `f7`, or `d9 f7`.
pub(super) fn begins_inside_the_tag(bytes: &[u8]) -> bool {
    (1..RECORD_TAG.len()).any(|cut| bytes.starts_with(&RECORD_TAG[cut..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_is_found_whole_or_begun_in_the_head() {
        assert!(could_hide_a_record(b"quoted: \xd9\xd9\xf7\x84"));
        assert!(could_hide_a_record(b"\xd9\xf7\x84"), "behind a head that ends in d9");
        assert!(could_hide_a_record(b"\xf7\x84"), "behind a head that ends in d9 d9");
        assert!(!could_hide_a_record(b"let x = 1;"));
        assert!(!could_hide_a_record(b"\xd9\xd9"), "two bytes of the tag are no tag");
        assert!(!could_hide_a_record(b"\xd9\xd9\x00\xf7"));
        assert!(!could_hide_a_record(b""));
    }
}
