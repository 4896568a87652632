//! The process that is killed, failed and raced: it writes batch after batch, and tells each acknowledgement.
//!
//! It is this very test binary, started again with orders in its environment. What is done to it, and what must
//! hold afterwards, is decided by the tests.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use postil_core::git::{BlobId, CommitId, ConfigScope, ObjectId, PACK_FROM, Patience, Repository};
use postil_core::notes::{Committer, Home, NotesError, Store, StoreOptions};
use postil_core::record::RecordId;
use postil_testkit::Dice;
use postil_testkit::{Sandbox, alice, comment, options};

/// Holds the orders: seed, number of batches, repository.
const ORDERS: &str = "POSTIL_TEST_WRITER_ORDERS";

/// The test that is a writer which gives up at once, and tells when it begins.
pub const IMPATIENT_WRITER: &str = "a_writer_acknowledges_what_a_reader_then_finds";

/// Enough notes that the tree has several levels, few enough that notes are changed again and again.
const NOTES: u64 = 300;

/// What a writer is to do.
#[derive(Clone, Debug)]
pub struct Orders {
    /// Decides what the batches hold; no two writers of a repository have the same.
    pub seed: u64,
    pub batches: u64,
    pub repo: PathBuf,
}

impl Orders {
    /// A process that carries these out: the test of this name, which calls [`write_as_ordered`].
    pub fn command(&self, writer: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().expect("the test binary is known"));
        command
            .args([writer, "--exact", "--nocapture", "--test-threads=1"])
            .env(ORDERS, format!("{} {} {}", self.seed, self.batches, self.repo.display()));
        command
    }

    fn from_environment() -> Option<Self> {
        let orders = std::env::var(ORDERS).ok()?;
        let mut parts = orders.splitn(3, ' ');
        let mut number =
            || parts.next().and_then(|part| part.parse().ok()).expect("orders begin with numbers");
        let (seed, batches) = (number(), number());
        Some(Self { seed, batches, repo: parts.next().expect("orders name a repository").into() })
    }
}

/// What a writer said before it ended.
#[derive(Debug, Default)]
pub struct Said {
    /// Every record that was acknowledged.
    pub acknowledged: BTreeSet<RecordId>,
    /// One entry for each batch: the error of those that failed.
    pub outcomes: Vec<Result<(), String>>,
    /// Whatever else it said, a panic for one.
    pub other: String,
}

impl Said {
    pub fn parse(text: &str) -> Self {
        let mut said = Self::default();
        for line in text.split_inclusive('\n') {
            if let Some(ids) = line.strip_prefix("acknowledged ").and_then(|ids| ids.strip_suffix('\n')) {
                let ids = ids.split(' ').map(|id| RecordId::from_hex(id).expect("the writer says ids"));
                said.acknowledged.extend(ids);
                said.outcomes.push(Ok(()));
            } else if let Some(error) = line.strip_prefix("failed ") {
                said.outcomes.push(Err(error.trim_end().to_owned()));
            } else {
                said.other.push_str(line);
            }
        }
        said
    }
}

/// Carries out the orders of the environment, or a few of its own in a repository of its own.
///
/// `begin` is called before the first batch, once everything is open.
pub fn write_as_ordered(patience: Patience, begin: fn()) {
    if let Some(orders) = Orders::from_environment() {
        let store = open(&orders.repo, patience);
        begin();
        for number in 0..orders.batches {
            tell(write(&store, orders.seed, number));
        }
        return;
    }
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let store = open(&repo.dir, patience);
    let mut acknowledged = BTreeSet::new();
    for number in 0..12 {
        acknowledged.extend(write(&store, 0, number).expect("nothing is in the way"));
    }
    assert_eq!(repo.record_ids(), acknowledged);
}

/// Opens the store as it is.
pub fn open(repo: &Path, patience: Patience) -> Store {
    let repo = Repository::open(repo, ConfigScope::Isolated).expect("the repository opens");
    Store::new(repo, StoreOptions { patience, ..options() })
}

/// Alice at this moment: `git gc` compares the times of objects with the clock.
pub fn by_alice_now() -> Committer {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later than 1970");
    Committer::new(&alice(), i64::try_from(now.as_secs()).expect("it is not that late"), 0)
}

/// Writes one batch: mostly small, now and then one with a pin, now and then one so large that it becomes a pack.
pub fn write(store: &Store, seed: u64, number: u64) -> Result<Vec<RecordId>, NotesError> {
    let records = match Dice::new(seed ^ number).below(8) {
        0 => PACK_FROM as u64,
        1 | 2 => 5,
        _ => 1,
    };
    write_records(store, seed, number, records)
}

/// Writes one batch of so many records, each on another object.
pub fn write_records(
    store: &Store,
    seed: u64,
    number: u64,
    records: u64,
) -> Result<Vec<RecordId>, NotesError> {
    loop {
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let mut batch = store.batch();
        for record in 0..records {
            let home = Home::On(annotated(if records == 1 { dice.below(NOTES) } else { record }));
            batch = batch.add(home, comment(&format!("writer {seed}, batch {number}, record {record}")));
        }
        // As somebody who saves a file and comments on it: the blob lies there as a loose object that nobody synced.
        if let Some(text) = pinned_text(seed, number)
            && let Ok(handle) = store.repository().reopen().map(|repo| repo.handle())
            && let Ok(blob) = handle.write_blob(text)
        {
            let committed = handle.rev_parse_single("HEAD:pinned").is_ok_and(|there| there == blob);
            let head = handle.head_id().ok().filter(|_| committed);
            batch = batch.pin(BlobId::from(blob.detach()), head.map(|head| CommitId::from(head.detach())));
        }
        match batch.write(&by_alice_now(), &format!("Write batch {number}")) {
            // Nothing leads to the blob yet, so `git repack -a -d` after a `git gc` may have taken it.
            Err(NotesError::NoSuchBlob { .. }) => {}
            written => return written.map(|written| written.ids),
        }
    }
}

/// The file that a batch comments on, if it is one of those that pin a blob.
pub fn pinned_text(seed: u64, number: u64) -> Option<String> {
    let pins = Dice::new(seed.wrapping_sub(number)).below(4) == 0;
    pins.then(|| format!("writer {seed}, batch {number}\n"))
}

/// Any id can be annotated, whether or not there is such an object.
fn annotated(number: u64) -> ObjectId {
    let mut dice = Dice::new(number);
    let mut bytes = [0; 20];
    for chunk in bytes.chunks_mut(8) {
        let spread = dice.roll().to_be_bytes();
        chunk.copy_from_slice(&spread[..chunk.len()]);
    }
    ObjectId::from_bytes(&bytes).expect("twenty bytes are an id")
}

/// One line in one write, so that a writer that dies has told all of it or nothing.
fn tell(outcome: Result<Vec<RecordId>, NotesError>) {
    let line = match outcome {
        Ok(ids) => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            format!("acknowledged {}\n", ids.join(" "))
        }
        Err(error) => format!("failed {}\n", chain(&error)),
    };
    std::io::stderr().write_all(line.as_bytes()).expect("somebody listens");
}

fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |cause| cause.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ").replace('\n', " ")
}
