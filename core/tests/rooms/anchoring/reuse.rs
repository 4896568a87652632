//! What is not computed: where nothing changed, and what an earlier run found.

use std::num::NonZeroUsize;
use std::sync::Arc;

use postil_core::anchoring::{Head, LocateOptions, MapCache, Position, locate};
use postil_core::record::Anchor;
use postil_testkit::{Files, ObjectWorld};

fn text(version: u32) -> String {
    (0..40).map(|n| format!("let value_{n} = compute({});\n", if n % 5 == 0 { version } else { n })).collect()
}

/// Takes an object away, as if it had never come here.
fn remove(world: &ObjectWorld, id: gix::ObjectId) {
    let hex = id.to_string();
    std::fs::remove_file(world.repo.path().join("objects").join(&hex[..2]).join(&hex[2..])).unwrap();
}

/// Locates with a handle that has read nothing yet.
fn located(
    world: &ObjectWorld,
    anchors: &[Anchor],
    head: Head,
    maps: Option<Arc<MapCache>>,
) -> Vec<Position> {
    let repo = gix::open_opts(world.repo.path(), gix::open::Options::isolated()).unwrap();
    let means = LocateOptions { maps, ..NonZeroUsize::MIN.into() };
    locate(&repo, anchors, head, means).into_iter().map(Result::unwrap).collect()
}

#[test]
fn nothing_is_computed_when_the_head_is_the_anchors_own() {
    let world = ObjectWorld::on_disk();
    let commit = world.commit(&Files::from([("a.rs", text(0))]), &[]);
    let anchors: Vec<Anchor> =
        (1..=40).map(|line| world.anchor(Some(commit), "a.rs", &text(0), line, line)).collect();
    let head = Head { tree: world.tree_of(commit), commit: Some(commit) };
    // Neither the file nor the commit can be read.
    remove(&world, world.blob(text(0).as_bytes()).raw());
    remove(&world, commit.raw());
    for (anchor, position) in anchors.iter().zip(located(&world, &anchors, head, None)) {
        assert_eq!(position.state(), "anchored");
        assert_eq!(position.site().unwrap().range, anchor.range);
    }
}

#[test]
fn resolved_positions_are_reused_while_the_head_stays() {
    let world = ObjectWorld::on_disk();
    let old = world.commit(&Files::from([("a.rs", text(0))]), &[]);
    let new = world.commit(&Files::from([("a.rs", text(9))]), &[old]);
    let anchors: Vec<Anchor> =
        (1..=40).map(|line| world.anchor(Some(old), "a.rs", &text(0), line, line)).collect();
    let head = Head { tree: world.tree_of(new), commit: Some(new) };
    let folder = tempfile::tempdir().unwrap();
    let open = || Some(Arc::new(MapCache::open(folder.path())));
    let first = located(&world, &anchors, head, open());
    assert!(first.iter().any(|position| position.state() == "outdated"));
    // Whoever computed them again would miss the file.
    remove(&world, world.blob(text(9).as_bytes()).raw());
    assert_eq!(located(&world, &anchors, head, open()), first);
}

#[test]
fn a_rewritten_branch_that_goes_on_is_followed_alike_with_and_without_a_cache() {
    let world = ObjectWorld::on_disk();
    let file = |version: u32| Files::from([("a.rs", text(version))]);
    let base = world.commit_called("base", &file(0), &[]);
    let commented = world.commit_called("topic", &file(1), &[base]);
    let anchors: Vec<Anchor> =
        (1..=40).map(|line| world.anchor(Some(commented), "a.rs", &text(1), line, line)).collect();
    // The very version in another commit, and one that only makes much the same change.
    for again in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let mut head = world.commit_called(&format!("amended {again}"), &file(again), &[base]);
        for version in 3..7 {
            head = world.commit_called("on", &file(version), &[head]);
            let at = Head { tree: world.tree_of(head), commit: Some(head) };
            let cached = Some(Arc::new(MapCache::open(folder.path())));
            assert_eq!(located(&world, &anchors, at, cached), located(&world, &anchors, at, None));
        }
    }
}
