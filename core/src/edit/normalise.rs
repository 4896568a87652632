//! Text without what formatters change: white space and the kind of quotes.

/// Returns `line` without white space and with every quote mark made `"`.
pub fn normalise(line: &[u8]) -> Vec<u8> {
    normal_bytes(line).collect()
}

/// Hashes what [`normalise`] returns; the same on every machine.
pub fn normal_hash(line: &[u8]) -> u64 {
    // FNV-1a: short inputs, no keys, no dependence on the platform.
    normal_bytes(line)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Whether the line has nothing but white space.
pub fn is_blank(line: &[u8]) -> bool {
    normal_bytes(line).next().is_none()
}

fn normal_bytes(line: &[u8]) -> impl Iterator<Item = u8> + '_ {
    line.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != 0x0b).map(|byte| match byte {
        b'\'' | b'`' => b'"',
        other => *other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_quotes_do_not_count() {
        assert_eq!(normalise(b"\tfoo( 'a' )\r"), b"foo(\"a\")");
        assert_eq!(normal_hash(b"a = `b`"), normal_hash(b"a='b' "));
        assert_ne!(normal_hash(b"a"), normal_hash(b"b"));
        assert!(is_blank(b" \t\r") && !is_blank(b" x"));
    }
}
