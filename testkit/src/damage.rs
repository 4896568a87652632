//! A repository with reviews, for whatever somebody does to their ref, and the check that nothing is lost by it.

use std::cell::Cell;
use std::collections::BTreeSet;

use postil_core::git::{BlobId, ObjectId};
use postil_core::notes::{Home, MergeKind, Store, refs};
use postil_core::record::RecordId;

use super::{Checkout, Sandbox, binary_comment, by_alice, comment, options};

/// What a notes ref held: records with the objects they stand at, and pins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    pub records: BTreeSet<(ObjectId, RecordId)>,
    pub pins: BTreeSet<BlobId>,
}

impl Held {
    fn of(repo: &Checkout<'_>) -> Self {
        Self { records: repo.pairs(), pins: repo.pins() }
    }

    fn and(&self, other: &Self) -> Self {
        Self { records: &self.records | &other.records, pins: &self.pins | &other.pins }
    }

    fn holds(&self, other: &Self) -> bool {
        self.records.is_superset(&other.records) && self.pins.is_superset(&other.pins)
    }
}

/// Which records and pins had once been stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existed {
    /// Those of the ref before somebody came.
    Ours,
    /// Those of `refs/notes/theirs` too, because their history came in.
    Both,
}

/// Repositories that are all alike until somebody comes; see [`Table::check`].
pub struct Table {
    sandbox: Sandbox,
    rows: Cell<usize>,
    base: String,
    ours: Held,
    theirs: Held,
}

/// A repository with three commits, `one` to `three`, all published, and reviews of them.
///
/// `refs/notes/theirs` has the same beginning, another end, and records of its own on the same commits.
pub struct Reviewed<'t> {
    pub repo: Checkout<'t>,
    /// A copy of the repository that came with the notes of `refs/notes/theirs`, as its remote.
    pub origin: Checkout<'t>,
    /// Where the two sides parted.
    pub base: &'t str,
    ours: &'t Held,
    theirs: &'t Held,
}

impl Reviewed<'_> {
    pub fn notes(&self, args: &[&str]) -> String {
        self.repo.git(&[&["notes", "--ref=reviews"], args].concat())
    }

    fn tip(&self) -> Option<String> {
        let found = self.repo.try_git(&["rev-parse", "-q", "--verify", refs::NOTES]);
        found.status.success().then(|| String::from_utf8_lossy(&found.stdout).trim().to_owned())
    }
}

impl Table {
    pub fn new() -> Self {
        let sandbox = Sandbox::in_memory();
        let (base, ours, theirs) = review(&sandbox);
        assert_eq!(ours.records.len(), 4, "the set-up is as meant");
        assert_eq!(
            (ours.pins.len(), theirs.pins.len(), theirs.records.len()),
            (2, 2, 4),
            "the set-up is as meant"
        );
        Self { sandbox, rows: Cell::new(0), base, ours, theirs }
    }

    /// A world of its own.
    pub fn row(&self) -> Reviewed<'_> {
        let row = format!("row{}", self.rows.replace(self.rows.get() + 1));
        self.sandbox.copy("world", &row);
        Reviewed {
            repo: self.sandbox.at(&format!("{row}/repo")),
            origin: self.sandbox.at(&format!("{row}/origin.git")),
            base: &self.base,
            ours: &self.ours,
            theirs: &self.theirs,
        }
    }

    /// Lets somebody do something, and checks that opening the store brings everything back, once.
    ///
    /// The same is done in a copy of the repository, where a write comes instead: the two heal alike and come to agree.
    pub fn check(&self, what: &str, existed: Existed, somebody: impl FnOnce(&Reviewed<'_>)) {
        self.check_with(what, existed, |world| {
            somebody(world);
            Held::default()
        });
    }

    /// As [`Table::check`]; `somebody` says what else came to exist.
    pub fn check_with(&self, what: &str, existed: Existed, somebody: impl FnOnce(&Reviewed<'_>) -> Held) {
        let world = self.row();
        let more = somebody(&world);
        let expected = match existed {
            Existed::Ours => world.ours.and(&more),
            Existed::Both => world.ours.and(world.theirs).and(&more),
        };
        let twin = self.sandbox.copy_beside(&world.repo, "twin");
        let (before, found) = (world.tip(), Held::of(&world.repo));

        let (store, checked) =
            Store::open(world.repo.open(), options(), &by_alice()).expect("the store opens");
        let healed = Held::of(&world.repo);
        assert!(healed.holds(&expected), "{what}: something is still lost\n{healed:#?}\nof {expected:#?}");
        let after = world.tip().expect("the ref is there");
        let lost = (
            expected.records.difference(&found.records).count(),
            expected.pins.difference(&found.pins).count(),
        );
        match before {
            None => assert!(checked.restored, "{what}: the ref is back"),
            Some(before) => {
                assert_eq!((checked.records, checked.pins), lost, "{what}: what came back is told");
                let made =
                    world.repo.git(&["rev-list", "--count", "--first-parent", &format!("{before}..{after}")]);
                let needed = if found.holds(&expected) { "0" } else { "1" };
                assert_eq!(made, needed, "{what}: as many commits as needed");
            }
        }
        let again = store.check(&by_alice()).expect("the store opens again");
        assert!(!again.healed(), "{what}: nothing is healed twice");
        assert_eq!(world.tip(), Some(after), "{what}: the second time, nothing is written");

        twin.say("one", "written on top");
        let written = Held::of(&twin);
        assert!(written.holds(&expected), "{what}: a write heals first");
        agree(what, &world.repo, &twin);
    }
}

fn review(sandbox: &Sandbox) -> (String, Held, Held) {
    sandbox.git(&["init", "-q", "--bare", "world/origin.git"]);
    let repo = sandbox.init("world/repo", &[]);
    repo.git(&["remote", "add", "origin", "../origin.git"]);
    for (tag, content) in [("one", "1\n"), ("two", "1\n2\n"), ("three", "1\n2\n3\n")] {
        repo.commit("file", content);
        repo.git(&["tag", tag]);
    }
    repo.git(&["push", "-q", "origin", "main"]);
    let store = repo.store();
    let [one, two, three] = ["one", "two", "three"].map(|tag| repo.commit_id(tag));
    let blob = |tag: &str| repo.blob_id(&format!("{tag}:file"));
    let batch = store.batch().add(Home::On(one.into()), comment("base"));
    let batch = batch.add(Home::On(one.into()), binary_comment("base")).pin(blob("one"), Some(one));
    batch.write(&by_alice(), "Begin").expect("the beginning is written");
    let base = repo.git(&["rev-parse", refs::NOTES]);

    let batch = store.batch().add(Home::On(one.into()), binary_comment("theirs"));
    let batch = batch.add(Home::On(three.into()), comment("theirs")).pin(blob("two"), Some(two));
    batch.write(&by_alice(), "Their side").expect("their side is written");
    let theirs = Held::of(&repo);
    repo.git(&["update-ref", "refs/notes/theirs", refs::NOTES]);
    repo.git(&["update-ref", refs::NOTES, &base]);
    repo.git(&["update-ref", refs::KNOWN, &base]);

    let batch = store.batch().add(Home::On(one.into()), comment("ours"));
    let batch = batch.add(Home::On(two.into()), binary_comment("ours")).pin(blob("three"), Some(three));
    batch.write(&by_alice(), "Our side").expect("our side is written");
    (base, Held::of(&repo), theirs)
}

/// Two machines exchange their notes until neither has anything new.
fn agree(what: &str, one: &Checkout<'_>, two: &Checkout<'_>) {
    let expected = Held::of(one).and(&Held::of(two));
    take_in(one, two);
    assert_ne!(take_in(two, one), MergeKind::Commit, "{what}: one merge is enough");
    assert_eq!(
        one.commit_id(refs::NOTES),
        two.commit_id(refs::NOTES),
        "{what}: the exchange comes to an end"
    );
    for side in [one, two] {
        assert!(
            !side.store().check(&by_alice()).expect("the store opens").healed(),
            "{what}: nothing is lost by it"
        );
        assert_eq!(Held::of(side), expected, "{what}: both have everything");
    }
    one.git(&["fsck", "--strict"]);
}

/// Fetches the notes of `from` and merges them, as `sync` does.
pub fn take_in(to: &Checkout<'_>, from: &Checkout<'_>) -> MergeKind {
    let tracking = format!("{}other/reviews", refs::REMOTES);
    let from = from.dir.to_str().expect("the sandbox has a plain path");
    to.git(&["fetch", "-q", "--no-auto-maintenance", from, &format!("+{}:{tracking}", refs::NOTES)]);
    let theirs = to.commit_id(&tracking);
    to.store().merge(theirs, &by_alice()).expect("the notes can be merged").how
}
