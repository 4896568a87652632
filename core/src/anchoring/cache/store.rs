//! The line maps and positions of one repository, in two files: the newer is appended to, the older is on its way out.
//!
//! When the newer one is full it becomes the older one, whose predecessor goes. A map that is used
//! from the older file is written to the newer one again, so that what is in use stays.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::entries::CacheEntries;
use super::generation::{self, MAX_VALUE_BYTES};
use super::positions::{self, HASH_BYTES, PositionKey};
use super::trails::{self, TrailKey};
use crate::anchoring::history::trail::Trail;
use crate::anchoring::position::Position;
use crate::edit::{Hunk, LineMap};
use crate::git::BlobId;

/// How large a file grows before it becomes the older one; both together are twice that, in memory too.
///
/// The positions of 10,000 comments at one head are 1.1 MB, and line maps much less.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// How many maps wait in memory before they are written together.
const MAX_WAITING: usize = 1024;

/// Maps that were not used for this long are dropped.
const UNUSED: Duration = Duration::from_hours(30 * 24);

/// Line maps that outlive a process, by the two blobs that they are between; and positions, by anchor and head.
///
/// Shared by threads and by processes. No error of the file system ever reaches a caller: a map that
/// is not here is computed again.
#[derive(Debug)]
pub struct MapCache {
    dir: PathBuf,
    /// A path that exists as long as the repository does, if there was one.
    head: Option<PathBuf>,
    held: Mutex<CacheState>,
}

#[derive(Debug, Default)]
struct CacheState {
    newer: CacheEntries,
    /// How much of the newer file is known to be whole.
    length: u64,
    older: CacheEntries,
    waiting: CacheEntries,
}

impl MapCache {
    /// Opens the cache of the repository with this common directory, and reads it.
    pub fn open(common_dir: &Path) -> Self {
        let dir = common_dir.join("postil").join("cache");
        let read = |name| generation::read(&dir.join(name)).unwrap_or_default();
        let ((newer, length), (older, _)) = (read(NEWER), read(OLDER));
        let held = CacheState { newer, length, older, waiting: CacheEntries::default() };
        let head = Some(common_dir.join("HEAD")).filter(|head| head.exists());
        Self { dir, head, held: Mutex::new(held) }
    }

    /// The map between two blobs, if it was computed before.
    pub fn get(&self, old: BlobId, new: BlobId) -> Option<LineMap> {
        self.find(&key(old, new), decode)
    }

    /// Remembers a map; it is on disk after the next [`MapCache::flush`].
    pub fn put(&self, old: BlobId, new: BlobId, map: &LineMap) {
        self.keep(&key(old, new), &encode(map));
    }

    /// A position, if it was computed before.
    pub(in super::super) fn position(&self, key: &PositionKey) -> Option<Position> {
        self.find(&key.0, positions::decode)
    }

    /// Remembers a position, as [`MapCache::put`] remembers a map.
    pub(in super::super) fn put_position(&self, key: &PositionKey, position: &Position) {
        if let Some(value) = positions::encode(position) {
            self.keep(&key.0, &value);
        }
    }

    /// How far a place was followed before.
    pub(in super::super) fn trail(&self, key: &TrailKey) -> Option<Trail> {
        self.find(&key.0, trails::decode)
    }

    /// Remembers how far a place was followed, as [`MapCache::put`] remembers a map.
    pub(in super::super) fn put_trail(&self, key: &TrailKey, trail: &Trail) {
        if let Some(value) = trails::encode(trail) {
            self.keep(&key.0, &value);
        }
    }

    fn find<T>(&self, key: &[u8], decode: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let mut held = self.lock();
        if let Some(value) = held.newer.get(key).or_else(|| held.waiting.get(key)) {
            return decode(value);
        }
        let CacheState { older, waiting, .. } = &mut *held;
        let value = older.get(key)?;
        waiting.insert(key, value);
        decode(value)
    }

    fn keep(&self, key: &[u8], value: &[u8]) {
        let mut held = self.lock();
        if value.len() <= MAX_VALUE_BYTES {
            held.waiting.insert(key, value);
        }
        if held.waiting.len() >= MAX_WAITING {
            self.write(&mut held);
        }
    }

    /// Writes what waits; if another process has the file, it is kept for the next time.
    pub fn flush(&self) {
        self.write(&mut self.lock());
    }

    /// Drops the maps and positions from blobs that no anchor needs any more, and all that went unused for 30 days.
    pub fn sweep(&self, needed: &BTreeSet<BlobId>, now: SystemTime) {
        let mut held = self.lock();
        self.write(&mut held);
        for name in [NEWER, OLDER] {
            let path = self.dir.join(name);
            let used = fs::metadata(&path).and_then(|file| file.modified());
            if used.is_ok_and(|used| now.duration_since(used).is_ok_and(|idle| idle > UNUSED)) {
                // Already gone is as good as removed.
                let _ = fs::remove_file(&path);
            }
            let (mut entries, mut length) = generation::read(&path).unwrap_or_default();
            let kept = entries.filtered(|key| old_blob(key).is_some_and(|old| needed.contains(&old)));
            if kept.len() < entries.len() {
                let Ok(written) = generation::replace(&path, &kept) else { continue };
                (entries, length) = (kept, written);
            }
            if name == NEWER {
                (held.newer, held.length) = (entries, length);
            } else {
                held.older = entries;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, CacheState> {
        // A panic elsewhere leaves whole entries behind, and those are all there is.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, held: &mut CacheState) {
        if held.waiting.is_empty() {
            return;
        }
        // A repository that is being deleted is not to be begun again by what is kept of it.
        if self.head.as_ref().is_some_and(|head| !head.exists()) {
            held.waiting = CacheEntries::default();
            return;
        }
        let newer = self.dir.join(NEWER);
        let written = fs::create_dir_all(&self.dir)
            .and_then(|()| generation::append(&newer, &held.waiting, held.length));
        match written {
            Ok(Some(length)) => {
                let written = std::mem::take(&mut held.waiting);
                held.newer.append(&written);
                held.length = length;
                if length > MAX_FILE_BYTES && fs::rename(&newer, self.dir.join(OLDER)).is_ok() {
                    held.older = std::mem::take(&mut held.newer);
                    held.length = 0;
                }
            }
            Ok(None) => {}
            Err(error) => {
                tracing::debug!(%error, "line maps could not be cached");
                held.waiting = CacheEntries::default();
            }
        }
    }
}

impl Drop for MapCache {
    fn drop(&mut self) {
        self.flush();
    }
}

const NEWER: &str = "line-maps";
const OLDER: &str = "line-maps.old";

fn key(old: BlobId, new: BlobId) -> Vec<u8> {
    [old.as_bytes(), new.as_bytes()].concat()
}

/// The blob that a map or a trail leads from, or that a position's anchor was put on.
///
/// The keys of maps have an even length, those of positions and trails an odd one.
fn old_blob(key: &[u8]) -> Option<BlobId> {
    match key.len() % 2 {
        0 => BlobId::from_bytes(&key[..key.len() / 2]),
        _ => BlobId::from_bytes(key.get(1..key.len().checked_sub(HASH_BYTES)?)?),
    }
}

/// Numbers of lines as groups of seven bits: both lengths, then for each hunk the gap before it and its two lengths.
fn encode(map: &LineMap) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + map.hunks().len() * 4);
    let (before, after) = map.lengths();
    push(&mut bytes, before);
    push(&mut bytes, after);
    let mut at = 0;
    for hunk in map.hunks() {
        push(&mut bytes, hunk.before.start - at);
        push(&mut bytes, hunk.before.end - hunk.before.start);
        push(&mut bytes, hunk.after.end - hunk.after.start);
        at = hunk.before.end;
    }
    bytes
}

fn decode(mut bytes: &[u8]) -> Option<LineMap> {
    let (before, after) = (pull(&mut bytes)?, pull(&mut bytes)?);
    let mut hunks = Vec::new();
    let (mut old, mut new) = (0_u32, 0_u32);
    while !bytes.is_empty() {
        let gap = pull(&mut bytes)?;
        let (old_start, new_start) = (old.checked_add(gap)?, new.checked_add(gap)?);
        old = old_start.checked_add(pull(&mut bytes)?)?;
        new = new_start.checked_add(pull(&mut bytes)?)?;
        hunks.push(Hunk { before: old_start..old, after: new_start..new });
    }
    LineMap::from_hunks(hunks, before, after)
}

fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn pull(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::edit::{Algorithm, Text};

    fn blob(n: u8) -> BlobId {
        BlobId::from_bytes(&[n; 20]).unwrap()
    }

    fn map(n: usize) -> LineMap {
        let old: String = (0..400).map(|line| format!("line {line}\n")).collect();
        let new: String =
            (0..400).filter(|line| line % (n + 2) != 0).map(|line| format!("line {line}\n")).collect();
        LineMap::between(&Text::new(old), &Text::new(new), Algorithm::Histogram)
    }

    #[test]
    fn a_map_is_the_same_in_another_process() {
        let dir = tempfile::tempdir().unwrap();
        let cache = MapCache::open(dir.path());
        for n in 0..40_u8 {
            cache.put(blob(n), blob(n + 1), &map(n.into()));
        }
        assert_eq!(cache.get(blob(3), blob(4)), Some(map(3)), "before it is written");
        drop(cache);
        let cache = MapCache::open(dir.path());
        for n in 0..40_u8 {
            assert_eq!(cache.get(blob(n), blob(n + 1)), Some(map(n.into())));
        }
        assert_eq!(cache.get(blob(1), blob(3)), None);
    }

    #[test]
    fn a_repository_that_was_deleted_is_not_begun_anew() {
        let dir = tempfile::tempdir().unwrap();
        let git_dir = dir.path().join("r.git");
        fs::create_dir(&git_dir).unwrap();
        fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let cache = MapCache::open(&git_dir);
        fs::remove_dir_all(&git_dir).unwrap();
        cache.put(blob(1), blob(2), &map(1));
        drop(cache);
        assert!(!git_dir.exists());
    }

    #[test]
    fn damage_costs_time_and_changes_no_answer() {
        let dir = tempfile::tempdir().unwrap();
        MapCache::open(dir.path()).put(blob(1), blob(2), &map(1));
        let path = dir.path().join("postil/cache").join(NEWER);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            let found = MapCache::open(dir.path()).get(blob(1), blob(2));
            assert!(found.is_none_or(|found| found == map(1)), "byte {at}");
        }
    }

    #[test]
    fn a_sweep_keeps_what_is_needed_and_was_used() {
        let dir = tempfile::tempdir().unwrap();
        let cache = MapCache::open(dir.path());
        for n in 0..4 {
            cache.put(blob(n), blob(9), &map(n.into()));
        }
        cache.sweep(&BTreeSet::from([blob(1), blob(2)]), UNIX_EPOCH);
        drop(cache);
        let cache = MapCache::open(dir.path());
        let kept: Vec<u8> = (0..4).filter(|n| cache.get(blob(*n), blob(9)).is_some()).collect();
        assert_eq!(kept, [1, 2]);
        let path = dir.path().join("postil/cache").join(NEWER);
        let later = fs::metadata(&path).unwrap().modified().unwrap() + UNUSED + Duration::from_secs(1);
        cache.sweep(&BTreeSet::from([blob(1), blob(2)]), later);
        assert_eq!(cache.get(blob(1), blob(9)), None);
    }

    #[test]
    fn a_full_file_makes_room_and_what_is_used_stays() {
        let dir = tempfile::tempdir().unwrap();
        let cache = MapCache::open(dir.path());
        cache.put(blob(1), blob(2), &map(1));
        cache.flush();
        let path = dir.path().join("postil/cache");
        fs::rename(path.join(NEWER), path.join(OLDER)).unwrap();
        let cache = MapCache::open(dir.path());
        assert_eq!(cache.get(blob(1), blob(2)), Some(map(1)), "from the older file");
        cache.flush();
        fs::remove_file(path.join(OLDER)).unwrap();
        assert_eq!(MapCache::open(dir.path()).get(blob(1), blob(2)), Some(map(1)), "written again");
    }
}
