//! What refs point at, read from disk each time.
//!
//! gix keeps the packed refs and looks at their modification time, which two rewrites within one tick of the file
//! system's clock do not change. Moving a ref is `durable_write/ref_update`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gix::refs::packed;

use crate::git::error::RefError;
use crate::git::{ObjectId, RefName, Repository};

/// Larger packed refs are mapped instead of read.
const MAP_PACKED_REFS_ABOVE: u64 = 32 << 10;

/// The refs below a prefix.
#[derive(Debug, Default)]
pub struct RefList {
    /// Those that name an object, in the order of their names; symbolic refs are left out.
    pub refs: Vec<(RefName, ObjectId)>,
    /// Files that hold no object id.
    pub broken: Vec<PathBuf>,
}

/// The content of a loose ref.
pub(super) enum Loose {
    Absent,
    Id(ObjectId),
    Symbolic,
    Broken,
}

impl Repository {
    /// Returns what `name` points at now, or `None` if there is no such ref.
    pub fn read_ref(&self, name: &RefName) -> Result<Option<ObjectId>, RefError> {
        // In this order: `git pack-refs` adds to the packed refs before it removes the file.
        let path = name.below(self.common_dir());
        match read_loose(&path, self.object_hash())? {
            Loose::Id(id) => Ok(Some(id)),
            Loose::Symbolic => Err(RefError::Symbolic { name: name.clone() }),
            Loose::Broken => Err(RefError::Broken { path }),
            Loose::Absent => match self.packed_refs()? {
                Some(packed) => self.find_packed(&packed, name),
                None => Ok(None),
            },
        }
    }

    /// Returns the refs whose names begin with `prefix`, which ends in a slash or is a whole directory's name.
    pub fn list_refs(&self, prefix: &str) -> Result<RefList, RefError> {
        let prefix = format!("{}/", prefix.trim_end_matches('/'));
        let mut list = RefList::default();
        let mut found: BTreeMap<RefName, Option<ObjectId>> = BTreeMap::new();
        let mut dirs = vec![self.common_dir().join(&prefix)];
        while let Some(dir) = dirs.pop() {
            for path in entries(&dir)? {
                if path.is_dir() {
                    dirs.push(path);
                } else if let Some(name) = self.name_of(&path) {
                    let id = match read_loose(&path, self.object_hash())? {
                        Loose::Absent => continue,
                        Loose::Id(id) => Some(id),
                        Loose::Symbolic => None,
                        Loose::Broken => {
                            list.broken.push(path);
                            None
                        }
                    };
                    found.insert(name, id);
                }
            }
        }
        if let Some(packed) = self.packed_refs()? {
            let path = self.packed_refs_path();
            let wrap = |source| RefError::Packed { path: path.clone(), source };
            for entry in packed.iter_prefixed(prefix.into()).map_err(wrap)? {
                let entry = entry.map_err(wrap)?;
                if let Ok(name) = RefName::from_bytes(entry.name.as_bstr()) {
                    found.entry(name).or_insert(Some(entry.target().into()));
                }
            }
        }
        list.refs = found.into_iter().filter_map(|(name, id)| Some((name, id?))).collect();
        Ok(list)
    }

    /// The packed refs as they are now, if there are any.
    pub(in crate::git) fn packed_refs(&self) -> Result<Option<packed::Buffer>, RefError> {
        let path = self.packed_refs_path();
        match packed::Buffer::open(path.clone(), MAP_PACKED_REFS_ABOVE, self.object_hash()) {
            Ok(packed) => Ok(Some(packed)),
            Err(err) if err.is_not_found() => Ok(None),
            Err(source) => Err(RefError::Packed { path, source }),
        }
    }

    pub(in crate::git) fn find_packed(
        &self,
        packed: &packed::Buffer,
        name: &RefName,
    ) -> Result<Option<ObjectId>, RefError> {
        let entry = packed.try_find(name.as_full_name());
        let entry = entry.map_err(|source| RefError::Packed { path: self.packed_refs_path(), source })?;
        Ok(entry.map(|entry| entry.target().into()))
    }

    pub(in crate::git) fn packed_refs_path(&self) -> PathBuf {
        self.common_dir().join("packed-refs")
    }

    /// Returns `None` for lock files and other files that cannot be refs.
    fn name_of(&self, path: &Path) -> Option<RefName> {
        let name = gix::path::into_bstr(path.strip_prefix(self.common_dir()).ok()?).ok()?;
        RefName::from_bytes(&gix::path::to_unix_separators_on_windows(name)).ok()
    }
}

/// Reads the file of a ref.
pub(super) fn read_loose(path: &Path, hash: gix::hash::Kind) -> Result<Loose, RefError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(err) if is_absent(&err) => return Ok(Loose::Absent),
        Err(source) => return Err(RefError::Read { path: path.to_owned(), source }),
    };
    if bytes.starts_with(b"ref:") {
        return Ok(Loose::Symbolic);
    }
    let hex_len = hash.len_in_hex();
    let ends = bytes.get(hex_len).is_none_or(u8::is_ascii_whitespace);
    let id = bytes.get(..hex_len).filter(|_| ends).and_then(ObjectId::from_hex);
    Ok(id.map_or(Loose::Broken, Loose::Id))
}

/// Whether there is no file of that name; a directory in its place counts as none.
fn is_absent(err: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(err.kind(), NotFound | IsADirectory | NotADirectory)
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, RefError> {
    let listed = fs::read_dir(dir).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    match listed {
        Err(err) if is_absent(&err) => Ok(Vec::new()),
        Err(source) => Err(RefError::Read { path: dir.to_owned(), source }),
        Ok(paths) => Ok(paths),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loose_ref_is_an_id_a_symbol_or_broken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ref");
        let hex = "0123456789abcdef0123456789abcdef01234567";
        let read = |content: &str| {
            fs::write(&path, content).unwrap();
            match read_loose(&path, gix::hash::Kind::Sha1).unwrap() {
                Loose::Absent => "absent",
                Loose::Id(id) if id.to_string() == hex => "id",
                Loose::Id(_) => "another id",
                Loose::Symbolic => "symbolic",
                Loose::Broken => "broken",
            }
        };
        assert_eq!(read(&format!("{hex}\n")), "id");
        assert_eq!(read(hex), "id");
        assert_eq!(read(&format!("{hex} trailing\n")), "id");
        assert_eq!(read("ref: refs/heads/main\n"), "symbolic");
        assert_eq!(read(""), "broken");
        assert_eq!(read(&hex[..39]), "broken");
        assert_eq!(read(&format!("{hex}0\n")), "broken");
        assert!(matches!(read_loose(&path.join("below"), gix::hash::Kind::Sha1), Ok(Loose::Absent)));
        assert!(matches!(read_loose(dir.path(), gix::hash::Kind::Sha1), Ok(Loose::Absent)));
    }
}
