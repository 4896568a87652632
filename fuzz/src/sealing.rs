//! Frames made by hand from `docs/format.md`, without asking the code that is under test.

/// The bytes of a record, whatever its kind, body and version are.
pub fn sealed(kind: &str, body: &[u8], version: u8) -> Vec<u8> {
    let mut rest = head(3, kind.len() as u64);
    rest.extend_from_slice(kind.as_bytes());
    rest.extend(head(2, body.len() as u64));
    rest.extend_from_slice(body);
    rest.push(version);
    framed(&rest)
}

/// The bytes of a frame with the right id around `rest`, which may be anything.
pub fn framed(rest: &[u8]) -> Vec<u8> {
    let hash = blake3::Hasher::new().update(&[0x83]).update(rest).finalize();
    [&[0xd9, 0xd9, 0xf7, 0x84, 0x50], &hash.as_bytes()[..16], rest].concat()
}

/// The shortest head of an item.
pub fn head(major: u8, argument: u64) -> Vec<u8> {
    let digits = argument.to_be_bytes();
    let (info, behind): (u8, &[u8]) = match argument {
        0..=23 => (digits[7], &[]),
        24..=0xff => (24, &digits[7..]),
        0x100..=0xffff => (25, &digits[6..]),
        0x1_0000..=0xffff_ffff => (26, &digits[4..]),
        _ => (27, &digits),
    };
    [&[major << 5 | info], behind].concat()
}
