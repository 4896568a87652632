//! Remembers trees that were read, because checks of a history read the same ones again and again.
//!
//! Each version of a tree is compared with the one before and with the one after it, and what was compared is compared
//! once more before it is synced. A cache only: what is read is the same without it.

use std::collections::HashMap;

use gix::objs::Kind;
use gix_pack::cache::Object;

/// What is remembered at once; when there is more, all is forgotten.
const MAX_BYTES: usize = 32 << 20;

/// Trees by id.
#[derive(Default)]
pub(super) struct KnownTrees {
    trees: HashMap<gix::ObjectId, Vec<u8>>,
    bytes: usize,
}

impl Object for KnownTrees {
    fn put(&mut self, id: gix::ObjectId, kind: Kind, data: &[u8]) {
        if kind != Kind::Tree || data.len() > MAX_BYTES {
            return;
        }
        if self.bytes + data.len() > MAX_BYTES {
            self.trees.clear();
            self.bytes = 0;
        }
        if self.trees.insert(id, data.to_vec()).is_none() {
            self.bytes += data.len();
        }
    }

    fn get(&mut self, id: &gix::ObjectId, out: &mut Vec<u8>) -> Option<Kind> {
        let data = self.trees.get(id)?;
        out.clear();
        out.extend_from_slice(data);
        Some(Kind::Tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_remembered_within_bounds_and_nothing_else_is() {
        let id = |n: u8| gix::ObjectId::from_bytes_or_panic(&[n; 20]);
        let mut known = KnownTrees::default();
        let mut out = b"before".to_vec();
        known.put(id(1), Kind::Tree, b"one");
        known.put(id(1), Kind::Tree, b"one");
        known.put(id(2), Kind::Blob, b"two");
        assert_eq!((known.get(&id(1), &mut out), &*out), (Some(Kind::Tree), &b"one"[..]));
        assert_eq!(known.get(&id(2), &mut out), None);
        for n in 3..6 {
            known.put(id(n), Kind::Tree, &vec![n; MAX_BYTES / 2]);
            let held: usize = known.trees.values().map(Vec::len).sum();
            assert_eq!((held, known.bytes <= MAX_BYTES), (known.bytes, true));
        }
        known.put(id(7), Kind::Tree, &vec![7; MAX_BYTES + 1]);
        assert_eq!(known.get(&id(7), &mut out), None);
        assert_eq!(known.get(&id(5), &mut out), Some(Kind::Tree), "the last one is there");
    }
}
