//! Notes whose newest commit or tree cannot be read: what is older is read, built upon, and completed later.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use postil_core::git::{CommitId, ObjectId};
use postil_core::notes::{Home, TipToRead, refs};
use postil_core::record::RecordId;
use postil_testkit::{Checkout, Sandbox, by_alice, comment};

/// What can happen to the file of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    Missing,
    Empty,
    Truncated,
    Rubbish,
}

impl Harm {
    const ALL: [Self; 4] = [Self::Missing, Self::Empty, Self::Truncated, Self::Rubbish];

    /// Does it, and returns the file as it was.
    fn do_to(self, file: &Path) -> Vec<u8> {
        let before = fs::read(file).unwrap();
        fs::remove_file(file).unwrap();
        // What is kept elsewhere would be put back.
        let _ = fs::remove_dir_all(file.ancestors().nth(3).unwrap().join("postil/kept"));
        match self {
            Self::Missing => {}
            Self::Empty => fs::write(file, b"").unwrap(),
            Self::Truncated => fs::write(file, &before[..before.len() / 2]).unwrap(),
            Self::Rubbish => fs::write(file, b"rubbish").unwrap(),
        }
        before
    }
}

fn write(repo: &Checkout<'_>, text: &str) -> RecordId {
    let on = ObjectId::from(repo.commit_id("HEAD"));
    let written = repo.store().batch().add(Home::On(on), comment(text)).write(&by_alice(), text).unwrap();
    written.ids[0]
}

fn loose(repo: &Checkout<'_>, rev: &str) -> PathBuf {
    let id = repo.git(&["rev-parse", rev]);
    repo.dir.join(".git/objects").join(&id[..2]).join(&id[2..])
}

fn ids(ids: &[RecordId]) -> BTreeSet<RecordId> {
    ids.iter().copied().collect()
}

/// A repository with two comments, the second one in the commit at the tip of the notes.
struct TwoComments<'s> {
    repo: Checkout<'s>,
    first: RecordId,
    second: RecordId,
    tip: CommitId,
}

impl<'s> TwoComments<'s> {
    fn new(sandbox: &'s Sandbox, name: &str) -> Self {
        let repo = sandbox.repo(name);
        let (first, second) = (write(&repo, "first"), write(&repo, "second"));
        let tip = repo.commit_id(refs::NOTES);
        Self { repo, first, second, tip }
    }

    /// What is older is read, a comment is built upon it, and what is lost is recorded until it is back.
    fn check(&self, file: &Path, harm: Harm) {
        let (repo, parent) = (&self.repo, self.repo.commit_id("refs/notes/reviews~1"));
        let before = harm.do_to(file);
        let store = repo.store();
        let to_read = TipToRead { commit: Some(parent), unreadable: Some(self.tip) };
        assert_eq!(store.notes_to_read().unwrap(), to_read);
        assert_eq!(store.overwritten().unwrap(), None);
        assert_eq!(repo.record_ids(), ids(&[self.first]));
        assert_eq!(repo.commit_id(refs::NOTES), self.tip, "reading moves nothing");

        let third = write(repo, "third");
        assert_eq!(repo.record_ids(), ids(&[self.first, third]));
        let lost = repo.store().lost_tips();
        assert_eq!(
            lost.iter().map(|lost| (lost.commit, lost.is_acknowledged)).collect::<Vec<_>>(),
            [(self.tip, false)]
        );
        repo.git(&["notes", "--ref=reviews", "list"]);
        assert_eq!(repo.store().recover_lost_tips(&by_alice()).unwrap(), 0);
        repo.store().acknowledge_lost_tips(&by_alice()).unwrap();
        assert!(repo.store().lost_tips()[0].is_acknowledged, "somebody was told");

        // A fetch, or a backup, brings the object back.
        let _ = fs::remove_file(file);
        fs::write(file, before).unwrap();
        assert_eq!(repo.store().recover_lost_tips(&by_alice()).unwrap(), 1);
        assert_eq!(repo.record_ids(), ids(&[self.first, self.second, third]));
        assert_eq!(repo.store().lost_tips(), []);
        repo.git(&["fsck", "--strict"]);
    }
}

#[test]
fn an_unreadable_commit_or_tree_at_the_tip_costs_only_what_it_added() {
    let sandbox = Sandbox::in_memory();
    for (n, harm) in Harm::ALL.into_iter().enumerate() {
        for rev in [refs::NOTES, "refs/notes/reviews^{tree}"] {
            let two = TwoComments::new(&sandbox, &format!("repo {n} {}", rev.len()));
            println!("{harm:?} {rev}");
            two.check(&loose(&two.repo, rev), harm);
        }
    }
}

#[test]
fn without_a_reflog_the_file_of_the_last_tips_is_enough() {
    let sandbox = Sandbox::in_memory();
    let two = TwoComments::new(&sandbox, "repo");
    fs::remove_file(two.repo.dir.join(".git/logs/refs/notes/reviews")).unwrap();
    two.check(&loose(&two.repo, refs::NOTES), Harm::Missing);
}

#[test]
fn a_subject_tells_what_was_lost() {
    let sandbox = Sandbox::in_memory();
    let two = TwoComments::new(&sandbox, "repo");
    Harm::Missing.do_to(&loose(&two.repo, refs::NOTES));
    write(&two.repo, "third");
    assert_eq!(two.repo.store().lost_tips()[0].subject, "second");
}

#[test]
fn if_nothing_can_be_read_a_comment_begins_anew_and_the_old_id_is_recorded() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let first = write(&repo, "first");
    let tip = repo.commit_id(refs::NOTES);
    let file = loose(&repo, refs::NOTES);
    let before = Harm::Missing.do_to(&file);
    assert_eq!(repo.record_ids(), ids(&[]));
    let second = write(&repo, "second");
    assert_eq!(repo.record_ids(), ids(&[second]));
    assert_eq!(repo.store().lost_tips()[0].commit, tip);
    fs::write(&file, before).unwrap();
    assert_eq!(repo.store().recover_lost_tips(&by_alice()).unwrap(), 1);
    assert_eq!(repo.record_ids(), ids(&[first, second]));
}

/// The trees below the tree of the notes, in their order.
fn folders(repo: &Checkout<'_>) -> Vec<String> {
    let listed = repo.git(&["ls-tree", "-d", refs::NOTES]);
    listed.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_owned).collect()
}

/// The id of an object, which need not exist; they are spread as ids are.
fn some_object(n: u16) -> ObjectId {
    let mut id = [0; 20];
    id[..2].copy_from_slice(&n.wrapping_mul(0x9e37).to_be_bytes());
    ObjectId::from_bytes(&id).unwrap()
}

fn write_on(repo: &Checkout<'_>, n: u16, text: &str) -> RecordId {
    let on = Home::On(some_object(n));
    repo.store().batch().add(on, comment(text)).write(&by_alice(), text).unwrap().ids[0]
}

#[test]
fn a_part_of_the_tree_that_cannot_be_read_does_not_stop_a_comment_in_it() {
    let sandbox = Sandbox::in_memory();
    for (n, harm) in Harm::ALL.into_iter().enumerate() {
        let repo = sandbox.repo(&format!("repo {n}"));
        let store = repo.store();
        let many = (0..600).fold(store.batch(), |batch, on| {
            batch.add(Home::On(some_object(on)), comment(&format!("comment {on}")))
        });
        let mut all: BTreeSet<RecordId> = many.write(&by_alice(), "many").unwrap().ids.into_iter().collect();
        let before = folders(&repo);
        assert!(before.len() > 200, "the notes have a fanout: {before:?}");
        all.insert(write_on(&repo, 7, "newer"));
        let (tip, changed) = (repo.commit_id(refs::NOTES), folders(&repo));
        let changed: Vec<&String> = changed.iter().filter(|folder| !before.contains(folder)).collect();
        let [changed] = changed[..] else { panic!("one folder has the newer comment: {changed:?}") };
        let file = loose(&repo, changed);
        let whole = harm.do_to(&file);

        println!("{harm:?}");
        // A comment elsewhere, in the missing part, and a check of everything.
        all.insert(write_on(&repo, 8, "elsewhere"));
        let again = write_on(&repo, 7, "again");
        all.insert(again);
        let newer: BTreeSet<RecordId> = &all - &repo.record_ids();
        assert_eq!(newer.len(), 1, "only what the missing part had alone is not here");
        repo.store().check_all(&by_alice()).unwrap();
        repo.git(&["rev-list", "--objects", refs::NOTES]);
        let lost: Vec<CommitId> = repo.store().lost_tips().iter().map(|lost| lost.commit).collect();
        assert_eq!(lost.len(), 1, "{lost:?}");
        assert!(repo.git(&["rev-list", &lost[0].to_string()]).contains(&tip.to_string()), "it has the tip");

        let _ = fs::remove_file(&file);
        fs::write(&file, whole).unwrap();
        assert_eq!(repo.store().recover_lost_tips(&by_alice()).unwrap(), 1);
        assert_eq!(repo.record_ids(), all);
        repo.git(&["fsck", "--strict"]);
    }
}

#[test]
fn a_hole_in_the_history_is_left_out_and_nothing_is_lost() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let all = ids(&["first", "second", "third", "fourth"].map(|text| write(&repo, text)));
    let (tip, tree) = (repo.commit_id(refs::NOTES), repo.git(&["rev-parse", "refs/notes/reviews^{tree}"]));
    let first = repo.commit_id("refs/notes/reviews~3");
    let file = loose(&repo, "refs/notes/reviews~2");
    let before = Harm::Missing.do_to(&file);
    let store = repo.store();
    assert_eq!(store.skip_missing_history(&by_alice()).unwrap(), 1);
    assert_eq!(repo.record_ids(), all);
    assert_eq!(repo.git(&["rev-parse", "refs/notes/reviews^{tree}"]), tree);
    repo.git(&["rev-list", "--objects", refs::NOTES]);
    assert_eq!(store.lost_tips()[0].commit, tip);
    assert_eq!(store.skip_missing_history(&by_alice()).unwrap(), 0);
    assert_eq!(store.recover_lost_tips(&by_alice()).unwrap(), 0, "the hole would come with it");
    fs::write(&file, before).unwrap();
    assert_eq!(store.recover_lost_tips(&by_alice()).unwrap(), 1);
    assert_eq!((repo.record_ids(), store.lost_tips()), (all, Vec::new()));
    assert!(repo.git(&["rev-list", refs::NOTES]).contains(&first.to_string()));
}
