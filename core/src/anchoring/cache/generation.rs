//! One file of cached entries: appended to under a lock, read as far as its checksums hold.
//!
//! It begins with `postil maps 2`, and a newline; what follows is `entries`. What the keys and values mean is `store`'s
//! business.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::entries::CacheEntries;

/// The first bytes of a file; another version of the map algorithm writes another number.
const MAGIC: &[u8] = b"postil maps 2\n";

/// A longer value is not cached: a map that large is as cheap to compute as to read.
pub(super) const MAX_VALUE_BYTES: usize = 1 << 20;

/// Reads the entries of a file; one that is missing or of another version has none.
///
/// Stops at the first entry that does not match its checksum, and returns how far it came.
pub(super) fn read(path: &Path) -> io::Result<(CacheEntries, u64)> {
    match File::open(path) {
        Ok(mut file) => read_from(&mut file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Default::default()),
        Err(error) => Err(error),
    }
}

fn read_from(file: &mut File) -> io::Result<(CacheEntries, u64)> {
    let mut magic = Vec::new();
    file.take(MAGIC.len() as u64).read_to_end(&mut magic)?;
    if magic != MAGIC {
        return Ok(Default::default());
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let entries = CacheEntries::parse(bytes);
    let whole = MAGIC.len() + entries.as_bytes().len();
    Ok((entries, whole as u64))
}

/// Appends entries after the last whole one; returns the new length of the file.
///
/// A file of the length `known` was read or written to its end by the caller; any other is read first. Two processes
/// take turns by a lock on the file; `None` if another process has it. What is after a damaged
/// entry is cut off.
pub(super) fn append(path: &Path, entries: &CacheEntries, known: u64) -> io::Result<Option<u64>> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    if file.try_lock().is_err() {
        return Ok(None);
    }
    let length = file.metadata()?.len();
    let mut whole = if length > 0 && length == known { known } else { read_from(&mut file)?.1 };
    if whole == 0 {
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(MAGIC)?;
        whole = MAGIC.len() as u64;
    }
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    file.write_all(entries.as_bytes())?;
    Ok(Some(whole + entries.as_bytes().len() as u64))
}

/// Replaces a file by one with these entries, and returns its length; a reader sees the old or the new one.
pub(super) fn replace(path: &Path, entries: &CacheEntries) -> io::Result<u64> {
    let draft = path.with_extension("draft");
    let bytes = [MAGIC, entries.as_bytes()].concat();
    fs::write(&draft, &bytes)?;
    fs::rename(&draft, path)?;
    Ok(bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of which nothing is known.
    const UNKNOWN: u64 = 0;

    fn some(count: u8) -> CacheEntries {
        let mut entries = CacheEntries::default();
        for n in 0..count {
            entries.insert(&[n; 40], &vec![n; usize::from(n) * 7]);
        }
        entries
    }

    /// How many entries of these there are, whose values must be right.
    fn count(entries: &CacheEntries) -> usize {
        let of = |n: u8| entries.get(&[n; 40]).map(|value| (n, value.to_vec()));
        let found: Vec<_> = (0..20).filter_map(of).collect();
        assert!(found.iter().all(|(n, value)| *value == vec![*n; usize::from(*n) * 7]), "{found:?}");
        found.len()
    }

    #[test]
    fn what_was_appended_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("maps");
        assert!(read(&path).unwrap().0.is_empty());
        let known = append(&path, &some(3), UNKNOWN).unwrap().unwrap();
        let known = append(&path, &some(9), known).unwrap().unwrap();
        // Somebody else has written meanwhile.
        let length = append(&path, &some(12), known - 1).unwrap().unwrap();
        let (entries, whole) = read(&path).unwrap();
        assert_eq!((count(&entries), entries.len(), whole), (12, 12, length));
        assert_eq!(fs::metadata(&path).unwrap().len(), length);
    }

    #[test]
    fn damage_costs_what_stands_behind_it_and_the_next_write_mends_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("maps");
        append(&path, &some(9), UNKNOWN).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(11) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x40;
            fs::write(&path, &damaged).unwrap();
            assert!(count(&read(&path).unwrap().0) < 9, "damage at {at}");
            append(&path, &some(9), UNKNOWN).unwrap().unwrap();
            assert_eq!(count(&read(&path).unwrap().0), 9, "damage at {at}");
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
        append(&path, &some(2), UNKNOWN).unwrap();
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        assert_eq!(append(&path, &some(5), UNKNOWN).unwrap(), None);
        assert_eq!(count(&read(&path).unwrap().0), 2);
    }
}
