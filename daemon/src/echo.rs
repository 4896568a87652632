//! What commands printed, in files of the runtime folder, to be printed again while nothing that it rests on changed.
//!
//! The daemon knows what a list rests on and writes them; a command reads them before it does anything else, and asks
//! nobody. Times of files alone decide whether one holds, so that it does not matter who still runs.
//!
//! A file holds its mark, the key, the paths that it rests on, a sum of what is at these paths, and the text; the
//! lengths of key and paths stand before them.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use crate::stamp::Stamp;

/// So many are kept; the oldest goes first.
pub const MAX_ECHOES: usize = 16;

/// So many bytes are kept in all; what is longer by itself is not kept.
pub const MAX_BYTES: u64 = 8 << 20;

/// How many were written by this process.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// With what a file of this form begins.
const MARK: &[u8; 8] = b"echo v1\n";

/// What a command printed before, if it would print the same now.
///
/// Costs a look at the times of each file that it rests on, and opens none of them.
pub fn recall(folder: &Path, key: &str) -> Option<Text> {
    let bytes = fs::read(place(folder, key)).ok()?;
    let rest = bytes.strip_prefix(MARK)?;
    let (found, rest) = sized(rest)?;
    let (paths, rest) = sized(rest)?;
    let (sum, text) = rest.split_first_chunk::<{ blake3::OUT_LEN }>()?;
    // Two keys may have the same name, if hardly ever.
    let holds = found == key.as_bytes() && *sum_of(paths, |_| ()).as_bytes() == *sum;
    let start = bytes.len() - text.len();
    holds.then_some(Text { bytes, start })
}

/// A text that was found.
#[derive(Debug)]
pub struct Text {
    bytes: Vec<u8>,
    start: usize,
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Keeps what a command printed; returns whether all that it rests on is as it was at `since`, and so it was kept.
pub(crate) fn put(
    folder: &Path,
    (key, text): (&str, &str),
    paths: &[PathBuf],
    since: SystemTime,
) -> io::Result<bool> {
    let paths: Vec<u8> =
        paths.iter().map(|path| path.as_os_str().as_bytes()).collect::<Vec<_>>().join(&b"\0"[..]);
    let mut is_old = true;
    let sum = sum_of(&paths, |stamp| is_old &= stamp.is_unchanged_since(since));
    let mut bytes = MARK.to_vec();
    for part in [key.as_bytes(), &paths] {
        let length = u32::try_from(part.len()).map_err(io::Error::other)?;
        bytes.extend(length.to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes.extend_from_slice(sum.as_bytes());
    bytes.extend_from_slice(text.as_bytes());
    if !is_old || bytes.len() as u64 > MAX_BYTES {
        return Ok(false);
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let place = place(folder, key);
    make_room(folder, &place, bytes.len() as u64)?;
    // Two who write the same at once must not write into one file.
    let turn = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let new = place.with_extension(format!("{}-{turn}", std::process::id()));
    let written = fs::File::create(&new).and_then(|mut file| file.write_all(&bytes));
    if let Err(error) = written.and_then(|()| fs::rename(&new, place)) {
        let _ = fs::remove_file(new);
        return Err(error);
    }
    Ok(true)
}

fn place(folder: &Path, key: &str) -> PathBuf {
    folder.join(&blake3::hash(key.as_bytes()).to_hex().as_str()[..32])
}

/// What stands behind its own length, and the rest.
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// A sum of what is at these paths now; each stamp is shown to `see`.
fn sum_of(paths: &[u8], mut see: impl FnMut(&Stamp)) -> blake3::Hash {
    let mut sum = blake3::Hasher::new();
    for path in paths.split(|byte| *byte == 0) {
        let path = Path::new(OsStr::from_bytes(path));
        let entry = Stamp::of_entry(path);
        // Settings are often a link to somewhere else, where they are changed.
        let target = entry.as_ref().filter(|entry| entry.is_link()).map(|_| Stamp::of_file(path));
        for stamp in [entry].into_iter().chain(target) {
            match stamp {
                Some(stamp) => {
                    sum.update(b"+");
                    stamp.sum_into(&mut sum);
                    see(&stamp);
                }
                None => drop(sum.update(b"-")),
            }
        }
    }
    sum.finalize()
}

/// Takes away what is older than the few that may stay beside a new one.
fn make_room(folder: &Path, new: &Path, mut bytes: u64) -> io::Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Somebody else may have taken it away meanwhile.
        if let Ok(found) = entry.metadata() {
            files.push((found.modified()?, found.len(), entry.path()));
        }
    }
    files.sort_by(|one, other| other.cmp(one));
    let mut count = 1;
    for (_, length, path) in files.into_iter().filter(|(.., path)| path != new) {
        (count, bytes) = (count + 1, bytes + length);
        if count > MAX_ECHOES || bytes > MAX_BYTES {
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn later() -> SystemTime {
        SystemTime::now() + Duration::from_secs(1)
    }

    #[test]
    fn a_damaged_file_or_another_ones_is_no_echo() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("echoes");
        let rests = root.path().join("file");
        fs::write(&rests, "x").unwrap();
        assert!(put(&folder, ("key", "text\n"), std::slice::from_ref(&rests), later()).unwrap());
        assert_eq!(recall(&folder, "key").unwrap().as_ref(), b"text\n");
        assert!(recall(&folder, "other").is_none());
        let file = place(&folder, "key");
        let bytes = fs::read(&file).unwrap();
        fs::write(place(&folder, "other"), &bytes).unwrap();
        assert!(recall(&folder, "other").is_none(), "a file under the name of another key");
        // Behind the sum is the text, which may be anything.
        for at in 0..bytes.len() - "text\n".len() {
            fs::write(&file, &bytes[..at]).unwrap();
            assert!(recall(&folder, "key").is_none(), "cut at {at}");
        }
        fs::write(&file, &bytes).unwrap();
        fs::write(rests, "y").unwrap();
        assert!(recall(&folder, "key").is_none(), "what it rests on changed");
    }

    #[test]
    fn what_changed_since_is_not_kept_and_what_appears_later_ends_it() {
        let root = tempfile::tempdir().unwrap();
        let (file, absent) = (root.path().join("file"), root.path().join("absent"));
        let before = SystemTime::now() - Duration::from_secs(1);
        fs::write(&file, "x").unwrap();
        let paths = [file, absent.clone()];
        assert!(!put(root.path(), ("key", "text"), &paths, before).unwrap());
        assert!(recall(root.path(), "key").is_none());
        assert!(put(root.path(), ("key", "text"), &paths, later()).unwrap());
        fs::write(absent, "").unwrap();
        assert!(recall(root.path(), "key").is_none());
    }

    #[test]
    fn what_a_link_leads_to_counts_as_well_as_the_link() {
        let root = tempfile::tempdir().unwrap();
        let (folder, target, link) =
            (root.path().join("echoes"), root.path().join("target"), root.path().join("link"));
        fs::write(&target, "x").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let kept = || put(&folder, ("key", "text"), std::slice::from_ref(&link), later()).unwrap();
        assert!(kept() && recall(&folder, "key").is_some());
        fs::write(&target, "other").unwrap();
        assert!(recall(&folder, "key").is_none(), "its target was written");
        assert!(kept() && recall(&folder, "key").is_some());
        fs::remove_file(&target).unwrap();
        assert!(recall(&folder, "key").is_none(), "it leads nowhere");
    }

    #[test]
    fn few_are_kept_and_not_too_much_of_them() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..3 * MAX_ECHOES {
            put(root.path(), (&number.to_string(), "text"), &[], later()).unwrap();
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), MAX_ECHOES);
        let long = "x".repeat(MAX_BYTES as usize / 2 - 100);
        for key in ["one", "two", "three"] {
            assert!(put(root.path(), (key, &long), &[], later()).unwrap());
        }
        let kept = ["one", "two", "three"].map(|key| recall(root.path(), key).is_some());
        assert_eq!(kept, [false, true, true]);
        let longer = "x".repeat(MAX_BYTES as usize);
        assert!(!put(root.path(), ("four", &longer), &[], later()).unwrap());
    }
}
