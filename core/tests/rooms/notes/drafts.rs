//! Drafts stay on one machine, survive what happens to it, and become records once.

use std::collections::BTreeSet;

use postil_core::git::ObjectId;
use postil_core::notes::{Draft, DraftPin, DraftsOf, Home, NotesError, refs};
use postil_core::record::{Record, RecordId};
use postil_testkit::{Checkout, Sandbox, binary_comment, by_alice, comment};

fn review(number: u8) -> RecordId {
    RecordId::from_array([number; 16])
}

fn draft(repo: &Checkout<'_>, review: Option<RecordId>, record: Record) -> Draft {
    Draft { review, home: Home::On(ObjectId::from(repo.commit_id("HEAD"))), record, pins: Vec::new() }
}

fn ids(drafts: &[Draft]) -> BTreeSet<RecordId> {
    drafts.iter().map(|draft| draft.record.id()).collect()
}

#[test]
fn a_draft_is_read_back_as_it_was_kept_and_is_no_record_yet() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let (head, blob) = (repo.commit_id("HEAD"), repo.blob_id("HEAD:file"));
    let kept = Draft {
        home: Home::Anchor { commit: Some(head), blob },
        pins: vec![DraftPin::Blob(blob, Some(head))],
        ..draft(&repo, Some(review(1)), binary_comment("later"))
    };
    let store = repo.store();
    store.add_drafts(std::slice::from_ref(&kept), &by_alice()).unwrap();
    store.add_drafts(std::slice::from_ref(&kept), &by_alice()).unwrap();
    assert_eq!(store.drafts().unwrap(), [kept]);
    assert!(repo.record_ids().is_empty());
    assert_eq!(store.tip().unwrap(), None, "the notes ref is not touched");
}

#[test]
fn publishing_makes_one_commit_of_all_drafts_of_a_review_and_leaves_the_others() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.say("HEAD", "shared before");
    let store = repo.store();
    let (one, two) = (comment("one"), comment("two"));
    let (other, alone) = (comment("other"), comment("alone"));
    let drafts = [
        draft(&repo, Some(review(1)), one.clone()),
        draft(&repo, Some(review(1)), two.clone()),
        draft(&repo, Some(review(2)), other.clone()),
        draft(&repo, None, alone.clone()),
    ];
    store.add_drafts(&drafts, &by_alice()).unwrap();

    let before = repo.git(&["rev-list", "--count", refs::NOTES]);
    let written = store.publish(DraftsOf::Reviews(&[review(1)]), &by_alice(), "Publish").unwrap().unwrap();
    assert_eq!(written.ids.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from([one.id(), two.id()]));
    let after = repo.git(&["rev-list", "--count", refs::NOTES]);
    assert_eq!(after.parse::<u32>().unwrap(), before.parse::<u32>().unwrap() + 1);
    assert!(repo.record_ids().is_superset(&BTreeSet::from([one.id(), two.id()])));
    assert_eq!(ids(&store.drafts().unwrap()), BTreeSet::from([other.id(), alone.id()]));

    store.publish(DraftsOf::NoReview, &by_alice(), "Publish").unwrap().unwrap();
    assert_eq!(ids(&store.drafts().unwrap()), BTreeSet::from([other.id()]));
    store.publish(DraftsOf::Anything, &by_alice(), "Publish").unwrap().unwrap();
    assert_eq!(store.drafts().unwrap(), []);
    assert!(!repo.try_git(&["rev-parse", "-q", "--verify", refs::DRAFTS]).status.success());
    assert!(store.publish(DraftsOf::Anything, &by_alice(), "Publish").unwrap().is_none());
    assert_eq!(repo.record_ids().len(), 5);
}

#[test]
fn drafts_of_a_review_and_of_none_are_published_in_one_commit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let store = repo.store();
    let (mine, other, alone) = (comment("mine"), comment("other"), comment("alone"));
    let drafts = [
        draft(&repo, Some(review(1)), mine.clone()),
        draft(&repo, Some(review(2)), other.clone()),
        draft(&repo, None, alone.clone()),
    ];
    store.add_drafts(&drafts, &by_alice()).unwrap();
    store.publish(DraftsOf::ReviewsOrNone(&[review(1)]), &by_alice(), "Publish").unwrap().unwrap();
    assert_eq!(repo.record_ids(), BTreeSet::from([mine.id(), alone.id()]));
    assert_eq!(repo.git(&["rev-list", "--count", refs::NOTES]), "1");
    assert_eq!(ids(&store.drafts().unwrap()), BTreeSet::from([other.id()]));
}

#[test]
fn ended_between_the_records_and_the_drafts_publishing_again_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let store = repo.store();
    let record = comment("once");
    store.add_drafts(&[draft(&repo, None, record.clone())], &by_alice()).unwrap();
    let drafts = repo.git(&["rev-parse", refs::DRAFTS]);
    store.publish(DraftsOf::Anything, &by_alice(), "Publish").unwrap();
    let published = store.tip().unwrap();

    repo.git(&["update-ref", refs::DRAFTS, &drafts]);
    assert_eq!(ids(&store.drafts().unwrap()), BTreeSet::from([record.id()]));
    store.publish(DraftsOf::Anything, &by_alice(), "Publish").unwrap();
    assert_eq!(store.tip().unwrap(), published, "no second commit");
    assert_eq!(repo.record_ids(), BTreeSet::from([record.id()]));
    assert_eq!(store.drafts().unwrap(), []);
}

#[test]
fn a_dropped_draft_is_gone_for_good() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let store = repo.store();
    let (gone, kept) = (comment("gone"), comment("kept"));
    let both = [draft(&repo, None, gone.clone()), draft(&repo, None, kept.clone())];
    store.add_drafts(&both, &by_alice()).unwrap();
    assert_eq!(store.drop_drafts(&[gone.id(), review(9)], &by_alice()).unwrap(), 1);
    assert_eq!(ids(&store.drafts().unwrap()), BTreeSet::from([kept.id()]));
    assert_eq!(repo.git(&["rev-list", "--count", refs::DRAFTS]), "1", "the ref has no history");
    let blobs = repo.git(&["rev-list", "--objects", refs::DRAFTS]);
    assert!(!blobs.contains(&gone.id().to_string()));
}

#[test]
fn the_blobs_of_a_draft_stay_here_and_are_safe_from_gc() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "-q", "--bare", "origin.git"]);
    let repo = sandbox.repo("repo");
    repo.git(&["remote", "add", "origin", "../origin.git"]);
    repo.git(&["push", "-q", "origin", "main"]);
    let store = repo.store();
    let unsaved = b"not committed\n".to_vec();
    let pinned = Draft {
        pins: vec![DraftPin::Content(unsaved.clone())],
        ..draft(&repo, None, comment("on unsaved text"))
    };
    store.add_drafts(&[pinned], &by_alice()).unwrap();
    repo.git(&["gc", "-q", "--prune=now"]);
    let store = repo.store();
    let drafts = store.drafts().unwrap();
    let [DraftPin::Blob(blob, None)] = drafts[0].pins.as_slice() else { panic!("{drafts:?}") };
    assert_eq!(repo.git(&["cat-file", "blob", &blob.to_string()]), "not committed");

    store.publish(DraftsOf::Anything, &by_alice(), "Publish").unwrap();
    repo.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(repo.git(&["cat-file", "blob", &blob.to_string()]), "not committed");
    assert!(repo.pins().is_empty(), "git has not published it");
}

#[test]
fn a_draft_about_a_blob_that_is_not_here_is_refused_with_all_others() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let nowhere = ObjectId::from_bytes(&[7; 20]).unwrap().raw().into();
    let good = draft(&repo, None, comment("good"));
    let bad = Draft { pins: vec![DraftPin::Blob(nowhere, None)], ..draft(&repo, None, comment("bad")) };
    let refused = repo.store().add_drafts(&[good, bad], &by_alice());
    assert!(matches!(refused, Err(NotesError::NoSuchBlob { blob_id }) if blob_id == nowhere));
    assert_eq!(repo.store().drafts().unwrap(), []);
}

#[test]
fn drafts_that_cannot_be_deleted_are_published_all_the_same() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    let patience = postil_testkit::impatient();
    let options = postil_core::notes::StoreOptions { patience, ..postil_testkit::options() };
    let store = postil_core::notes::Store::new(repo.open(), options);
    let record = comment("one");
    store.add_drafts(&[draft(&repo, None, record.clone())], &by_alice()).unwrap();
    let lock = repo.dir.join(".git/refs/postil/drafts.lock");
    std::fs::write(&lock, "").unwrap();
    let publish = || store.publish(DraftsOf::Anything, &by_alice(), "Publish").unwrap().unwrap();
    let written = publish();
    assert_eq!(written.ids, [record.id()]);
    let [warning] = &written.warnings[..] else { panic!("{:?}", written.warnings) };
    assert!(warning.contains("drafts.lock"), "{warning}");
    assert!(repo.record_ids().contains(&record.id()));
    std::fs::remove_file(&lock).unwrap();
    assert_eq!((publish().warnings, store.drafts().unwrap()), (Vec::new(), Vec::new()));
    assert_eq!(repo.record_ids().len(), 1, "it is stored once");
}
