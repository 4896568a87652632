//! Stores and records for tests.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::{Committer, Home, Options, Store, Written};
use postil_core::record::{Author, Body, Comment, Record, RecordId, Seq, Timestamp};

use super::sandbox::{Checkout, patient};

/// Two threads, and patience.
pub fn options() -> Options {
    Options { patience: patient(), threads: NonZeroUsize::new(2).expect("two is not zero") }
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
    let comment = Comment {
        author: alice(),
        at: Timestamp(1_700_000_000_000),
        seq: Seq::new(1),
        review: None,
        parent: None,
        anchor: None,
        text: text.into(),
        severity: None,
        tags: Vec::new(),
        suggestion: Vec::new(),
    };
    Record::new(&Body::Comment(comment)).expect("the comment is short")
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

    /// Writes a comment on the commit `rev`.
    pub fn say(&self, rev: &str, text: &str) -> Written {
        let home = Home::On(ObjectId::from(self.commit_id(rev)));
        let written = self.store().batch().add(home, comment(text)).write(&by_alice(), "Comment on a commit");
        written.expect("the comment is written")
    }

    /// The ids of all records that a reader sees.
    pub fn record_ids(&self) -> BTreeSet<RecordId> {
        let snapshot = self.store().read().expect("the store can be read");
        snapshot.records().map(|(_, record)| record.id()).collect()
    }
}
