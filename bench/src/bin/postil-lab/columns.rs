//! Columns in code points, as cases count them, and in bytes, as anchors do.

/// The offset of the code point with this index, or the line's length behind its last one.
pub fn to_byte(line: &[u8], point: u32) -> u32 {
    match std::str::from_utf8(line) {
        Ok(text) => text.char_indices().nth(point as usize).map_or(line.len(), |(at, _)| at) as u32,
        // A line in another encoding has one code point a byte.
        Err(_) => point.min(line.len() as u32),
    }
}

/// How many code points stand before the byte with this offset.
pub fn to_point(line: &[u8], byte: u32) -> u32 {
    let cut = &line[..line.len().min(byte as usize)];
    match std::str::from_utf8(line) {
        Ok(_) => cut.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u32,
        Err(_) => cut.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_point_may_be_several_bytes() {
        let line = "aüb".as_bytes();
        assert_eq!((to_byte(line, 2), to_point(line, 3)), (3, 2));
        assert_eq!(to_byte(line, 9), 4);
        assert_eq!((to_byte(b"a\xfcb", 2), to_point(b"a\xfcb", 2)), (2, 2));
    }
}
