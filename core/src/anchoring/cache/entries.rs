//! Cached entries as they are in a file, with a table of where each is.
//!
//! ```text
//! for each entry: key length u8, value length u32, checksum 8 bytes, key, value
//! ```
//!
//! One piece of memory for all of them: a busy repository has a hundred thousand, of a hundred bytes each.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher as _};

/// Lengths and checksum before every entry.
const HEAD_BYTES: usize = 1 + 4 + 8;

/// Entries by key; of two with the same key the later one counts.
#[derive(Clone, Debug, Default)]
pub(super) struct CacheEntries {
    bytes: Vec<u8>,
    /// By the hash of the key. Where two keys share one, the later one is found and the other is computed again.
    places: HashMap<u64, u32>,
}

impl CacheEntries {
    /// Takes in bytes up to the first entry that does not match its checksum.
    pub fn parse(mut bytes: Vec<u8>) -> Self {
        let mut places = HashMap::new();
        let mut at = 0;
        while let Some(entry) = CacheEntry::read(&bytes[at..]) {
            let Ok(place) = u32::try_from(at) else { break };
            places.insert(hash(entry.key), place);
            at += entry.length();
        }
        bytes.truncate(at);
        Self { bytes, places }
    }

    /// Adds an entry; one that is too long for its form is left out.
    pub fn insert(&mut self, key: &[u8], value: &[u8]) {
        let (Ok(key_length), Ok(value_length), Ok(at)) =
            (u8::try_from(key.len()), u32::try_from(value.len()), u32::try_from(self.bytes.len()))
        else {
            return;
        };
        self.bytes.push(key_length);
        self.bytes.extend(value_length.to_be_bytes());
        self.bytes.extend(checksum(key, value));
        self.bytes.extend(key);
        self.bytes.extend(value);
        self.places.insert(hash(key), at);
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        let at = *self.places.get(&hash(key))?;
        CacheEntry::unchecked(self.bytes.get(at as usize..)?)
            .filter(|entry| entry.key == key)
            .map(|entry| entry.value)
    }

    /// Adds all entries of another set.
    pub fn append(&mut self, other: &Self) {
        let begin = self.bytes.len();
        if u32::try_from(begin + other.bytes.len()).is_err() {
            return;
        }
        self.bytes.extend(&other.bytes);
        self.places.extend(other.places.iter().map(|(hash, at)| (*hash, begin as u32 + at)));
    }

    /// Those whose key `keep` wants.
    pub fn filtered(&self, keep: impl Fn(&[u8]) -> bool) -> Self {
        let mut kept = Self::default();
        for entry in self.places.values().filter_map(|at| CacheEntry::unchecked(&self.bytes[*at as usize..]))
        {
            if keep(entry.key) {
                kept.insert(entry.key, entry.value);
            }
        }
        kept
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// As they are in a file.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// One entry in the bytes it is in.
struct CacheEntry<'a> {
    checksum: &'a [u8],
    key: &'a [u8],
    value: &'a [u8],
}

impl<'a> CacheEntry<'a> {
    /// The entry that begins these bytes, if it matches its checksum.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        Self::unchecked(bytes).filter(|entry| *entry.checksum == checksum(entry.key, entry.value))
    }

    /// The entry that begins these bytes, which were checked before.
    fn unchecked(bytes: &'a [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(HEAD_BYTES)?;
        let value_length = u32::from_be_bytes(head[1..5].try_into().ok()?) as usize;
        let (key, rest) = rest.split_at_checked(usize::from(head[0]))?;
        Some(Self { checksum: &head[5..], key, value: rest.get(..value_length)? })
    }

    fn length(&self) -> usize {
        HEAD_BYTES + self.key.len() + self.value.len()
    }
}

fn checksum(key: &[u8], value: &[u8]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[u8::try_from(key.len()).unwrap_or(u8::MAX)]).update(key).update(value);
    let mut checksum = [0; 8];
    checksum.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    checksum
}

fn hash(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(key);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_of_two_values_counts_also_after_reading_and_joining() {
        let mut entries = CacheEntries::default();
        entries.insert(b"key", b"first");
        entries.insert(b"", b"no key");
        entries.insert(b"key", b"second");
        let mut more = CacheEntries::default();
        more.insert(b"other", b"");
        more.insert(b"", b"still no key");
        entries.append(&more);
        for entries in [CacheEntries::parse(entries.as_bytes().to_vec()), entries] {
            assert_eq!(entries.get(b"key"), Some(&b"second"[..]));
            assert_eq!(entries.get(b"other"), Some(&b""[..]));
            assert_eq!(entries.get(b""), Some(&b"still no key"[..]));
            assert_eq!((entries.get(b"ke"), entries.len()), (None, 3));
            let kept = entries.filtered(|key| key == b"key");
            assert_eq!((kept.get(b"key"), kept.len()), (Some(&b"second"[..]), 1));
        }
    }
}
