//! Remembers trees and commits that were read, because a writer reads the same ones again and again.
//!
//! Each version of a tree is compared with the one before and with the one after it, and what was compared is compared
//! once more before it is synced; the commit that is built upon is looked at by each step of a write. A cache only: what is read is the same without it.

use std::collections::HashMap;

use gix::objs::Kind;
use gix_pack::cache::Object;

/// What is remembered at once; when there is more, all is forgotten.
const MAX_BYTES: usize = 32 << 20;

/// Trees and commits by id.
#[derive(Default)]
pub(in crate::git) struct KnownObjects {
    objects: HashMap<gix::ObjectId, (Kind, Vec<u8>)>,
    bytes: usize,
}

impl Object for KnownObjects {
    fn put(&mut self, id: gix::ObjectId, kind: Kind, data: &[u8]) {
        if !matches!(kind, Kind::Tree | Kind::Commit) || data.len() > MAX_BYTES {
            return;
        }
        if self.bytes + data.len() > MAX_BYTES {
            self.objects.clear();
            self.bytes = 0;
        }
        if self.objects.insert(id, (kind, data.to_vec())).is_none() {
            self.bytes += data.len();
        }
    }

    fn get(&mut self, id: &gix::ObjectId, out: &mut Vec<u8>) -> Option<Kind> {
        let (kind, data) = self.objects.get(id)?;
        out.clear();
        out.extend_from_slice(data);
        Some(*kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_and_commits_are_remembered_within_bounds_and_nothing_else_is() {
        let id = |n: u8| gix::ObjectId::from_bytes_or_panic(&[n; 20]);
        let mut known = KnownObjects::default();
        let mut out = b"before".to_vec();
        known.put(id(1), Kind::Tree, b"one");
        known.put(id(1), Kind::Tree, b"one");
        known.put(id(2), Kind::Blob, b"two");
        known.put(id(8), Kind::Commit, b"eight");
        assert_eq!((known.get(&id(8), &mut out), &*out), (Some(Kind::Commit), &b"eight"[..]));
        assert_eq!((known.get(&id(1), &mut out), &*out), (Some(Kind::Tree), &b"one"[..]));
        assert_eq!(known.get(&id(2), &mut out), None);
        for n in 3..6 {
            known.put(id(n), Kind::Tree, &vec![n; MAX_BYTES / 2]);
            let held: usize = known.objects.values().map(|(_, data)| data.len()).sum();
            assert_eq!((held, known.bytes <= MAX_BYTES), (known.bytes, true));
        }
        known.put(id(7), Kind::Tree, &vec![7; MAX_BYTES + 1]);
        assert_eq!(known.get(&id(7), &mut out), None);
        assert_eq!(known.get(&id(5), &mut out), Some(Kind::Tree), "the last one is there");
    }
}
