//! One file of cached entries: appended to under a lock, read as far as its checksums hold.
//!
//! ```text
//! "postil maps 1\n"  then for each entry: key length u8, value length u32, checksum 8 bytes, key, value
//! ```
//!
//! What the keys and values mean is `store`'s business.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The first bytes of a file; another version of the map algorithm writes another number.
const MAGIC: &[u8] = b"postil maps 1\n";

/// Lengths and checksum before every entry.
const HEAD_BYTES: usize = 1 + 4 + 8;

/// A longer value is not cached: a map that large is as cheap to compute as to read.
pub(super) const MAX_VALUE_BYTES: usize = 1 << 20;

/// The entries of one file.
pub(super) type Entries = HashMap<Vec<u8>, Vec<u8>>;

/// Reads the entries of a file; one that is missing or of another version has none.
///
/// Stops at the first entry that does not match its checksum, and returns how far it came.
pub(super) fn read(path: &Path) -> io::Result<(Entries, u64)> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(mut file) => file.read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    Ok(parse(&bytes))
}

fn parse(bytes: &[u8]) -> (Entries, u64) {
    let mut entries = Entries::new();
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else { return (entries, 0) };
    while let Some((key, value, behind)) = entry(rest) {
        entries.insert(key.to_vec(), value.to_vec());
        rest = behind;
    }
    (entries, (bytes.len() - rest.len()) as u64)
}

fn entry(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (head, rest) = bytes.split_at_checked(HEAD_BYTES)?;
    let key_length = usize::from(head[0]);
    let value_length = u32::from_be_bytes(head[1..5].try_into().ok()?) as usize;
    let (key, rest) = rest.split_at_checked(key_length)?;
    let (value, rest) = rest.split_at_checked(value_length)?;
    (head[5..] == checksum(key, value)).then_some((key, value, rest))
}

fn checksum(key: &[u8], value: &[u8]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[u8::try_from(key.len()).unwrap_or(u8::MAX)]).update(key).update(value);
    let mut checksum = [0; 8];
    checksum.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    checksum
}

fn encode<'a>(entries: impl IntoIterator<Item = (&'a Vec<u8>, &'a Vec<u8>)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (key, value) in entries {
        let (Ok(key_length), Ok(value_length)) = (u8::try_from(key.len()), u32::try_from(value.len())) else {
            continue;
        };
        bytes.push(key_length);
        bytes.extend_from_slice(&value_length.to_be_bytes());
        bytes.extend_from_slice(&checksum(key, value));
        bytes.extend_from_slice(key);
        bytes.extend_from_slice(value);
    }
    bytes
}

/// Appends entries behind the last whole one; returns the new length of the file.
///
/// Two processes take turns by a lock on the file; whoever finds it taken gives up, and `None`
/// says so. What stands behind a damaged entry is cut off.
pub(super) fn append<'a>(
    path: &Path,
    entries: impl IntoIterator<Item = (&'a Vec<u8>, &'a Vec<u8>)>,
) -> io::Result<Option<u64>> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    if file.try_lock().is_err() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let (_, mut whole) = parse(&bytes);
    if whole == 0 {
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(MAGIC)?;
        whole = MAGIC.len() as u64;
    }
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    let new = encode(entries);
    file.write_all(&new)?;
    Ok(Some(whole + new.len() as u64))
}

/// Replaces a file by one with these entries; a reader sees the old or the new one.
pub(super) fn replace<'a>(
    path: &Path,
    entries: impl IntoIterator<Item = (&'a Vec<u8>, &'a Vec<u8>)>,
) -> io::Result<()> {
    let draft = path.with_extension("draft");
    fs::write(&draft, [MAGIC, &encode(entries)].concat())?;
    fs::rename(&draft, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(count: u8) -> Entries {
        (0..count).map(|n| (vec![n; 40], vec![n; usize::from(n) * 7])).collect()
    }

    #[test]
    fn what_was_appended_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("maps");
        assert_eq!(read(&path).unwrap().0, Entries::new());
        append(&path, &some(3)).unwrap().unwrap();
        let length = append(&path, &some(9)).unwrap().unwrap();
        assert_eq!(read(&path).unwrap(), (some(9), length));
    }

    #[test]
    fn damage_costs_what_stands_behind_it_and_the_next_write_mends_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("maps");
        append(&path, &some(9)).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(11) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x40;
            fs::write(&path, &damaged).unwrap();
            for (key, value) in read(&path).unwrap().0 {
                assert_eq!(some(9).get(&key), Some(&value), "damage at {at} changed an entry");
            }
            append(&path, &some(9)).unwrap().unwrap();
            assert_eq!(read(&path).unwrap().0, some(9), "damage at {at}");
        }
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(read(&path).unwrap().1 <= cut as u64);
        }
    }

    #[test]
    fn a_file_that_another_process_writes_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("maps");
        append(&path, &some(2)).unwrap();
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        assert_eq!(append(&path, &some(5)).unwrap(), None);
        assert_eq!(read(&path).unwrap().0, some(2));
    }
}
