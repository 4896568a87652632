//! Several machines that write, purge, lose and merge in any order come to the same tree.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use gix::objs::Write as _;
use gix::prelude::ObjectIdExt as _;
use postil_core::git::{BlobId, CommitId, ObjectId, RefName, TreeId, history};
use postil_core::notes::{HeadPositions, Home, MergeKind, NotesError, Store, refs};
use postil_core::record::{Basis, PositionEntry, RecordId};
use postil_testkit::{Sandbox, by_alice, comment, committer, options, purge_of};
use proptest::prelude::*;

/// How many machines there are.
const MACHINES: usize = 3;

/// What happens on one machine.
#[derive(Clone, Debug)]
enum Step {
    Say {
        object: u8,
        text: u8,
    },
    Pin {
        blob: u8,
    },
    Purge {
        texts: Vec<u8>,
        blob: u8,
    },
    /// Names everything that this machine sees, purges too.
    PurgeAll,
    Positions {
        head: u8,
        engine: u8,
        text: u8,
    },
    /// Words that stock git wrote instead of a note.
    Words {
        object: u8,
        words: u8,
    },
    /// A note that stock git removed.
    Remove {
        object: u8,
    },
    /// A tip that stock git made without history.
    Squash,
    MergeFrom {
        machine: u8,
    },
}

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Company {
    Postil,
    /// Somebody who puts words over notes, beside us. No positions then: those do not come back.
    Words,
    /// Somebody who removes notes. No words then: those do not come back either.
    Removals,
}

impl Step {
    fn suits(&self, company: Company) -> bool {
        match self {
            Self::Words { .. } => company == Company::Words,
            Self::Remove { .. } => company == Company::Removals,
            Self::Squash => company != Company::Postil,
            Self::Positions { .. } => company == Company::Postil,
            _ => true,
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..5_u8, 0..12_u8).prop_map(|(object, text)| Step::Say { object, text }),
        1 => (0..3_u8).prop_map(|blob| Step::Pin { blob }),
        1 => (prop::collection::vec(0..12_u8, 1..3), 0..3_u8).prop_map(|(texts, blob)| Step::Purge { texts, blob }),
        1 => Just(Step::PurgeAll),
        2 => (0..5_u8, 0..3_u8, 0..12_u8).prop_map(|(head, engine, text)| Step::Positions { head, engine, text }),
        1 => (0..5_u8, 0..3_u8).prop_map(|(object, words)| Step::Words { object, words }),
        1 => (0..5_u8).prop_map(|object| Step::Remove { object }),
        1 => Just(Step::Squash),
        4 => (0..3_u8).prop_map(|machine| Step::MergeFrom { machine }),
    ]
}

/// The refs of one machine.
#[derive(Clone, Copy, Debug, Default)]
struct Machine {
    tip: Option<CommitId>,
    known: Option<CommitId>,
}

/// Machines that share one object store, so that nothing needs to be fetched; each has its own refs.
struct World<'s> {
    store: Store,
    git_dir: PathBuf,
    machines: Vec<Machine>,
    commit: CommitId,
    blobs: [BlobId; 3],
    said: BTreeSet<(ObjectId, RecordId)>,
    purged: BTreeSet<RecordId>,
    unpinned: BTreeSet<BlobId>,
    wordy: BTreeSet<u8>,
    _sandbox: &'s Sandbox,
}

fn object(n: u8) -> ObjectId {
    ObjectId::from_bytes(&[n.wrapping_mul(57); 20]).unwrap()
}

fn text(n: u8) -> String {
    format!("text {n}")
}

impl<'s> World<'s> {
    fn new(sandbox: &'s Sandbox) -> Self {
        let repo = sandbox.init("repo", &[]);
        let names = ["a", "b", "c"];
        for name in names {
            repo.write(name, name);
        }
        repo.git(&["add", "-A"]);
        repo.git(&["commit", "-q", "-m", "three files"]);
        repo.git(&["remote", "add", "origin", "nowhere"]);
        repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        Self {
            git_dir: repo.dir.join(".git"),
            machines: vec![Machine::default(); MACHINES],
            commit: repo.commit_id("HEAD"),
            blobs: names.map(|name| repo.blob_id(&format!("HEAD:{name}"))),
            store: Store::new(repo.open(), options()),
            said: BTreeSet::new(),
            purged: BTreeSet::new(),
            unpinned: BTreeSet::new(),
            wordy: BTreeSet::new(),
            _sandbox: sandbox,
        }
    }

    /// Makes the refs those of one machine.
    fn switch_to(&self, machine: Machine) {
        for (name, id) in [(refs::NOTES, machine.tip), (refs::KNOWN, machine.known), (refs::PURGED, None)] {
            let path = self.git_dir.join(name);
            match id {
                Some(id) => {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, format!("{id}\n")).unwrap();
                }
                None => drop(fs::remove_file(path)),
            }
        }
    }

    /// What the refs are now.
    fn machine(&self) -> Machine {
        let known = self.store.repository().read_ref(&RefName::new(refs::KNOWN).unwrap()).unwrap();
        Machine { tip: self.store.tip().unwrap(), known: known.map(|id| id.raw().into()) }
    }

    fn take(&mut self, machine: usize, step: &Step) {
        self.switch_to(self.machines[machine]);
        match step {
            Step::Say { object: at, text: n } => {
                let record = comment(&text(*n));
                // Nobody says the very same thing at the very same moment again.
                if self.purged.contains(&record.id()) {
                    return;
                }
                self.said.insert((object(*at), record.id()));
                self.store.batch().add(Home::On(object(*at)), record).write(&by_alice(), "Say").unwrap();
            }
            Step::Pin { blob } => {
                let blob = self.blobs[usize::from(*blob)];
                if self.unpinned.contains(&blob) {
                    return;
                }
                self.store.batch().pin(blob, Some(self.commit)).write(&by_alice(), "Pin").unwrap();
            }
            Step::Purge { texts, blob } => {
                let of: Vec<RecordId> = texts.iter().map(|n| comment(&text(*n)).id()).collect();
                self.purge(&of, &[self.blobs[usize::from(*blob)]]);
            }
            Step::PurgeAll => {
                let snapshot = self.store.read().unwrap();
                let of: Vec<RecordId> = snapshot.records().map(|(_, record)| record.id()).collect();
                self.purge(&of, &[]);
            }
            Step::Positions { head, engine, text: n } => {
                let entry = PositionEntry {
                    engine: (*engine).into(),
                    basis: Basis::Blob,
                    ..PositionEntry::orphaned(comment(&text(*n)).id())
                };
                let head = object(*head).raw().into();
                let positions = HeadPositions { head, time: 7, entries: vec![entry.to_raw()] };
                self.store.write_positions(&[positions], &by_alice()).unwrap();
            }
            Step::Words { object: at, words } => {
                // Words that are changed later are other words, and who saw which is a matter of order.
                if self.wordy.insert(*at) {
                    self.as_stock_git(*at, Some(format!("words {words}\n")));
                }
            }
            Step::Remove { object: at } => self.as_stock_git(*at, None),
            Step::Squash => self.squash(),
            Step::MergeFrom { machine: from } => {
                if let Some(theirs) = self.machines[usize::from(*from) % MACHINES].tip {
                    self.store.merge(theirs, &by_alice()).unwrap();
                }
            }
        }
        self.machines[machine] = self.machine();
    }

    fn purge(&mut self, of: &[RecordId], blobs: &[BlobId]) {
        let (record, purge) = purge_of(of, blobs);
        match self.store.purge(&record, &purge, &by_alice()) {
            Ok(_) => {
                self.purged.extend(of);
                self.unpinned.extend(blobs);
            }
            Err(error) => assert!(matches!(error, NotesError::NothingToPurge), "{error:?}"),
        }
    }

    /// Writes or removes a note without knowing what it means.
    fn as_stock_git(&self, at: u8, words: Option<String>) {
        let Some(tip) = self.store.tip().unwrap() else { return };
        let repo = self.store.repository().handle();
        let tree = history::commit(&repo, tip).unwrap().tree;
        let blob = words.map(|words| repo.write_blob(words).unwrap().detach());
        let mut state = gix_note::State::new(tree.raw(), &repo.objects).unwrap();
        state.edit(object(at).raw(), blob, &repo.objects).unwrap();
        self.move_to(state.write(&repo.objects).unwrap().into(), &[tip]);
    }

    fn squash(&self) {
        let Some(tip) = self.store.tip().unwrap() else { return };
        let tree = history::commit(&self.store.repository().handle(), tip).unwrap().tree;
        self.move_to(tree, &[]);
    }

    fn move_to(&self, tree: TreeId, parents: &[CommitId]) {
        let repo = self.store.repository().handle();
        let by = gix::actor::Signature::from(committer());
        let commit = gix::objs::Commit {
            message: "as stock git does".into(),
            tree: tree.raw(),
            author: by.clone(),
            committer: by,
            encoding: None,
            parents: parents.iter().map(|parent| parent.raw()).collect(),
            extra_headers: Vec::new(),
        };
        let commit = repo.objects.write(&commit).unwrap().attach(&repo).detach();
        fs::write(self.git_dir.join(refs::NOTES), format!("{commit}\n")).unwrap();
    }

    /// Merges all machines into one, in this order, and returns where that leads to.
    fn gather(&self, order: &[usize]) -> Option<CommitId> {
        let (first, rest) = order.split_first().unwrap();
        self.switch_to(self.machines[*first]);
        for other in rest {
            if let Some(theirs) = self.machines[*other].tip {
                self.store.merge(theirs, &by_alice()).unwrap();
            }
        }
        self.store.tip().unwrap()
    }

    fn tree(&self, tip: Option<CommitId>) -> Option<TreeId> {
        tip.map(|tip| history::commit(&self.store.repository().handle(), tip).unwrap().tree)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn machines_that_exchange_in_any_order_agree(
        company in prop_oneof![Just(Company::Postil), Just(Company::Words), Just(Company::Removals)],
        steps in prop::collection::vec((0..MACHINES, step()), 1..14),
    ) {
        let sandbox = Sandbox::in_memory();
        let mut world = World::new(&sandbox);
        for (machine, step) in steps.iter().filter(|(_, step)| step.suits(company)) {
            world.take(*machine, step);
        }
        for machine in 0..MACHINES {
            world.switch_to(world.machines[machine]);
            world.store.check(&by_alice()).unwrap();
            world.machines[machine] = world.machine();
        }
        let one = world.gather(&[0, 1, 2]);
        let two = world.gather(&[2, 0, 1]);
        let three = world.gather(&[1, 2, 0]);
        // Two that have merged everything, in different orders, still agree, and then have nothing to do.
        world.switch_to(Machine { tip: one, known: one });
        if let (Some(two), Some(three)) = (two, three) {
            world.store.merge(two, &by_alice()).unwrap();
            world.store.merge(three, &by_alice()).unwrap();
            let again = world.store.merge(two, &by_alice()).unwrap();
            prop_assert_eq!(again.how, MergeKind::UpToDate);
        }
        let all = world.store.tip().unwrap();
        prop_assert_eq!(world.tree(one), world.tree(two), "two orders of merging");
        prop_assert_eq!(world.tree(one), world.tree(three), "another order of merging");
        prop_assert_eq!(world.tree(all), world.tree(one), "merging merges");

        let snapshot = world.store.read().unwrap();
        let found: BTreeSet<(ObjectId, RecordId)> = snapshot.records().map(|(at, record)| (at, record.id())).collect();
        for pair in &world.said {
            prop_assert_eq!(found.contains(pair), !world.purged.contains(&pair.1), "{:?}", pair);
        }
    }
}
