//! Stores and records for tests.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use postil_core::git::{BlobId, CommitId, ObjectId, RepoPath, history, tree};
use postil_core::notes::{Committer, Home, Store, StoreOptions, WrittenBatch};
use postil_core::record::{
    Anchor, AnchorSide, Author, Body, CommentRecord, Line, LineSpan, PurgeRecord, Range, Record, RecordId,
    Seq, Timestamp,
};

use super::sandbox::{Checkout, patient};

/// Two threads, and patience.
pub fn options() -> StoreOptions {
    StoreOptions { patience: patient(), threads: NonZeroUsize::new(2).expect("two is not zero") }
}

/// The person of the tests.
pub fn alice() -> Author {
    Author { name: "Alice".into(), email: "alice@example.com".into() }
}

/// The person of the tests, at their moment.
pub fn by_alice() -> Committer {
    Committer::new(&alice(), 1_700_000_000, 3600)
}

/// A comment that says `text`.
pub fn comment(text: &str) -> Record {
    sealed(text, None)
}

/// A comment on a line that no text tool leaves alone: NUL, newlines in the words, bytes that are no UTF-8.
pub fn binary_comment(text: &str) -> Record {
    let blob = BlobId::from_bytes(b"\0\n  \n\n\t \xff\xfe\0trailing\n").expect("an id is 20 bytes");
    let line = |bytes: &[u8]| Line::new(bytes);
    let anchor = Anchor {
        commit: None,
        path: RepoPath::new(b"caf\xe9 \x01.rs".to_vec()).expect("the path has no NUL"),
        blob: Some(blob),
        side: AnchorSide::New,
        range: LineSpan::from_numbers(2, 3).map(Range::lines),
        lines: vec![line(b"a\0b \xff"), line(b"   \t")],
        before: vec![line(b"")],
        after: vec![line(b"\r"), line(b"\n")],
        quote: None,
        headings: Vec::new(),
        scope: Vec::new(),
    };
    sealed(&format!("{text}\0\n\n\nsecond paragraph   \n\n"), Some(anchor))
}

fn sealed(text: &str, anchor: Option<Anchor>) -> Record {
    let comment = CommentRecord {
        author: alice(),
        at: Timestamp(1_700_000_000_000),
        seq: Seq::new(1),
        via: None,
        review: None,
        parent: None,
        anchor: anchor.map(Into::into),
        text: text.into(),
        severity: None,
        tags: Vec::new(),
        suggestion: Vec::new(),
    };
    Record::new(&Body::Comment(comment)).expect("the comment is short")
}

/// A purge of these records and of the pins of these blobs.
pub fn purge_of(of: &[RecordId], blobs: &[BlobId]) -> (Record, PurgeRecord) {
    let purge = PurgeRecord {
        author: alice(),
        at: Timestamp(1_700_000_000_000),
        seq: Seq::new(2),
        via: None,
        of: of.to_vec(),
        blobs: blobs.to_vec(),
    };
    (Record::new(&Body::Purge(purge.clone())).expect("the purge is short"), purge)
}

impl Checkout<'_> {
    /// The store, as it is.
    pub fn store(&self) -> Store {
        Store::new(self.open(), options())
    }

    /// The commit that `rev` names.
    pub fn commit_id(&self, rev: &str) -> CommitId {
        CommitId::from_hex(self.git(&["rev-parse", rev]).as_bytes()).expect("git prints ids")
    }

    /// The object that `rev` names.
    pub fn object_id(&self, rev: &str) -> ObjectId {
        ObjectId::from_hex(self.git(&["rev-parse", rev]).as_bytes()).expect("git prints ids")
    }

    /// The blob that `rev` names.
    pub fn blob_id(&self, rev: &str) -> BlobId {
        self.object_id(rev).raw().into()
    }

    /// Writes a comment on the commit `rev`.
    pub fn say(&self, rev: &str, text: &str) -> WrittenBatch {
        let home = Home::On(ObjectId::from(self.commit_id(rev)));
        let written = self.store().batch().add(home, comment(text)).write(&by_alice(), "Comment on a commit");
        written.expect("the comment is written")
    }

    /// The ids of all records that a reader sees.
    pub fn record_ids(&self) -> BTreeSet<RecordId> {
        let snapshot = self.store().read().expect("the store can be read");
        snapshot.records().map(|(_, record)| record.id()).collect()
    }

    /// The records that a reader sees, each with the object whose note it stands in.
    pub fn pairs(&self) -> BTreeSet<(ObjectId, RecordId)> {
        let snapshot = self.store().read().expect("the store can be read");
        snapshot.records().map(|(object, record)| (object, record.id())).collect()
    }

    /// The blobs that the notes tree pins.
    pub fn pins(&self) -> BTreeSet<BlobId> {
        let paths = self.notes_paths();
        let pins = paths.iter().filter_map(|path| path.strip_prefix("pins/"));
        pins.map(|path| BlobId::from_hex(path.replace('/', "").as_bytes()).expect("a pin is an id")).collect()
    }

    /// The paths of all entries of the notes tree.
    pub fn notes_paths(&self) -> Vec<String> {
        let store = self.store();
        let Some(tip) = store.tip().expect("the ref can be read") else { return Vec::new() };
        let handle = store.repository().handle();
        let tree = history::commit(&handle, tip).expect("the tip is a commit").tree;
        let listing = tree::list(&handle, tree).expect("the tree is there");
        listing
            .entries
            .iter()
            .map(|(path, _)| String::from_utf8_lossy(path.as_bytes()).into_owned())
            .collect()
    }
}
