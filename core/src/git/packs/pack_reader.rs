//! Reads objects of the packs that a repository itself has, unpacking each base of differences once.
//!
//! gix caches what it made of deltas, but unpacks the base of a delta chain again for every object of the chain: the
//! newest version of a file or folder, which all older ones are stored against.
//! Only a shortcut: what is not found here, or looks wrong, is left to gix, which reports what is wrong.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use gix::objs::Kind;
use gix::zlib::Inflate;
use gix_pack::data::entry::Header;

use super::open_pack::OpenPack;

/// What is remembered at once; when there is more, all is forgotten.
const MAX_BYTES: usize = 48 << 20;

/// Larger objects, and what is stored against them, are left to gix.
const MAX_OBJECT_BYTES: u64 = 16 << 20;

/// Longer chains are left to gix; git itself makes none of more than 4,095.
const MAX_CHAIN: usize = 4_095;

/// Reading more packs than this costs more than it saves.
const MAX_PACKS: usize = 64;

/// The packs of one repository, open.
pub(crate) struct Packs(Vec<OpenPack>);

/// Reads objects from packs; each thread has its own.
pub(crate) struct PackReader {
    packs: Arc<Packs>,
    state: RefCell<PackReaderState>,
}

/// What an object is, and its bytes.
type Object = (Kind, Rc<Vec<u8>>);

#[derive(Default)]
struct PackReaderState {
    inflate: Inflate,
    known: HashMap<(usize, u64), Object>,
    bytes: usize,
}

impl Packs {
    /// A reader that remembers on its own.
    pub fn reader(self: &Arc<Self>) -> PackReader {
        PackReader { packs: self.clone(), state: RefCell::default() }
    }
}

impl PackReader {
    /// Opens the packs of a repository; none if it has `git replace` refs.
    pub fn new(repo: &gix::Repository) -> Self {
        let names = OpenPack::names(repo);
        let replaces = repo.objects.store_ref().replacements().next().is_some();
        let mut packs = Vec::new();
        if !replaces && names.len() <= MAX_PACKS {
            packs = names.iter().filter_map(|name| OpenPack::at(name, repo.object_hash())).collect();
        }
        Arc::new(Packs(packs)).reader()
    }

    /// The packs, for other threads.
    pub fn packs(&self) -> Arc<Packs> {
        self.packs.clone()
    }

    /// Returns an object of any kind; `None` if it is not in these packs or cannot be read.
    pub fn read(&self, id: &gix::oid) -> Option<Object> {
        let mut state = self.state.borrow_mut();
        self.packs.0.iter().enumerate().find_map(|(pack, OpenPack { index, .. })| {
            let offset = index.pack_offset_at_index(index.lookup(id)?);
            state.read(&self.packs, pack, offset)
        })
    }
}

impl PackReaderState {
    /// The object at an offset: the end of its chain, and the differences on the way back.
    fn read(&mut self, packs: &Packs, pack: usize, offset: u64) -> Option<Object> {
        let OpenPack { index, data } = &packs.0[pack];
        let mut differences: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut at = offset;
        let (kind, mut object) = loop {
            if let Some(known) = self.known.get(&(pack, at)) {
                break known.clone();
            }
            let entry = data.entry(at).ok()?;
            if entry.decompressed_size > MAX_OBJECT_BYTES || differences.len() > MAX_CHAIN {
                return None;
            }
            let mut bytes = vec![0; entry.decompressed_size as usize];
            data.decompress_entry(&entry, &mut self.inflate, &mut bytes).ok()?;
            let base = match entry.header {
                Header::OfsDelta { base_distance } => entry.checked_base_pack_offset(base_distance)?,
                Header::RefDelta { base_id } => index.pack_offset_at_index(index.lookup(base_id)?),
                Header::Commit | Header::Tree | Header::Blob | Header::Tag => {
                    let object = (entry.header.as_kind()?, Rc::new(bytes));
                    self.remember(pack, at, &object);
                    break object;
                }
            };
            differences.push((at, bytes));
            at = base;
        };
        for (at, difference) in differences.into_iter().rev() {
            object = Rc::new(apply(&object, &difference)?);
            self.remember(pack, at, &(kind, object.clone()));
        }
        Some((kind, object))
    }

    fn remember(&mut self, pack: usize, offset: u64, object: &Object) {
        if self.bytes + object.1.len() > MAX_BYTES {
            self.known.clear();
            self.bytes = 0;
        }
        self.bytes += object.1.len();
        self.known.insert((pack, offset), object.clone());
    }
}

/// What a difference makes of its base; `None` if it does not belong to it.
fn apply(base: &[u8], difference: &[u8]) -> Option<Vec<u8>> {
    let mut rest = difference;
    if size(&mut rest)? != base.len() as u64 {
        return None;
    }
    let length = size(&mut rest)?;
    if length > MAX_OBJECT_BYTES {
        return None;
    }
    let mut made = Vec::with_capacity(length as usize);
    while let Some((command, behind)) = rest.split_first() {
        rest = behind;
        if command & 0x80 == 0 {
            // So many bytes that are new; zero is reserved.
            let (new, behind) = rest.split_at_checked(usize::from(*command)).filter(|_| *command != 0)?;
            made.extend_from_slice(new);
            rest = behind;
        } else {
            let mut number = |bits: std::ops::Range<u32>| -> Option<usize> {
                let mut number = 0;
                for (place, bit) in bits.enumerate() {
                    if command & (1 << bit) != 0 {
                        let (byte, behind) = rest.split_first()?;
                        number |= usize::from(*byte) << (8 * place);
                        rest = behind;
                    }
                }
                Some(number)
            };
            let start = number(0..4)?;
            let count = match number(4..7)? {
                0 => 0x1_0000,
                count => count,
            };
            made.extend_from_slice(base.get(start..start.checked_add(count)?)?);
        }
        if made.len() as u64 > length {
            return None;
        }
    }
    (made.len() as u64 == length).then_some(made)
}

/// A number in groups of seven bits, the lowest first.
fn size(bytes: &mut &[u8]) -> Option<u64> {
    let mut size = 0_u64;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        size |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(size);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_copies_and_inserts() {
        let base = b"the quick brown fox";
        let difference = [19, 12, 0x90, 4, 3, b'r', b'e', b'd', 0x91, 15, 4, 1, b'!'];
        assert_eq!(apply(base, &difference).as_deref(), Some(&b"the red fox!"[..]));
        assert_eq!(apply(b"another base", &difference), None, "of another length");
        for cut in 0..difference.len() {
            assert_eq!(apply(base, &difference[..cut]), None, "cut at {cut}");
        }
    }

    #[test]
    fn every_object_of_a_pack_is_what_gix_reads() {
        let dir = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str], input: &str| {
            use std::io::Write as _;
            let mut child = std::process::Command::new("git")
                .arg("-C")
                .arg(dir.path())
                .args(arguments)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .stdin(std::process::Stdio::piped())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
            assert!(child.wait().unwrap().success());
        };
        git(&["init", "-q", "--bare", "--initial-branch=main", "."], "");
        let mut stream = String::new();
        for version in 0..20 {
            let text: String = (0..300)
                .map(|line| format!("line {line} {}\n", if line == version { "!" } else { "" }))
                .collect();
            let head = format!("committer A U Thor <author@example.com> {version} +0000\ndata 1\nc");
            let file = format!("M 100644 inline a/b\ndata {}\n{text}", text.len());
            stream.push_str(&["commit refs/heads/main", &head, &file, ""].join("\n"));
        }
        git(&["fast-import", "--quiet"], &stream);
        git(&["repack", "-q", "-a", "-d", "-f"], "");
        let repo = gix::open_opts(dir.path(), gix::open::Options::isolated()).unwrap();
        let reader = PackReader::new(&repo);
        let mut chained = 0;
        for id in repo.objects.iter().unwrap() {
            let id = id.unwrap();
            let (kind, bytes) = reader.read(&id).expect("all objects are packed");
            let object = repo.find_object(id).unwrap();
            assert_eq!((kind, &**bytes), (object.kind, &object.data[..]));
            let OpenPack { index, data } = &reader.packs.0[0];
            let entry = data.entry(index.pack_offset_at_index(index.lookup(id).unwrap())).unwrap();
            chained += usize::from(entry.header.is_delta());
        }
        assert!(chained > 15, "{chained} objects are differences");
        assert!(reader.packs().reader().read(&repo.head_id().unwrap()).is_some());
        assert!(reader.read(gix::hash::Kind::Sha1.null_ref()).is_none());
    }
}
