//! The same positions for any order of anchors and any number of threads.

use std::num::NonZeroUsize;
use std::sync::Arc;

use postil_core::anchoring::{Head, LocateOptions, MapCache, Position, locate};
use postil_core::git::{BlobId, CommitId, RepoPath};
use postil_core::record::Anchor;
use postil_testkit::histories::story::{Story, texts};
use postil_testkit::{Files, ObjectWorld};

/// A file of `lines` lines; every seventh differs between versions, and blocks change places.
fn text(file: usize, lines: usize, version: usize) -> String {
    let mut blocks: Vec<String> = (0..lines / 10)
        .map(|block| {
            let body: String = (0..10)
                .map(|line| {
                    let edit = if (block * 10 + line) % 7 == 0 { version } else { 0 };
                    format!("    value_{}_{line} = compute({file}, {block}, {edit});\n", block * 13 % 17)
                })
                .collect();
            format!("fn block_{block}() {{\n{body}}}\n")
        })
        .collect();
    if version > 0 {
        blocks.rotate_left(version);
    }
    blocks.concat()
}

fn world() -> (ObjectWorld, Vec<Anchor>, Head) {
    let world = ObjectWorld::on_disk();
    let names: Vec<String> = (0..12).map(|file| format!("src/file_{file}.rs")).collect();
    let files = |version: usize| -> Files<'_> {
        names.iter().enumerate().map(|(file, name)| (name.as_str(), text(file, 60, version))).collect()
    };
    let mut commits = vec![world.commit(&files(0), &[])];
    for version in 1..4 {
        let parent = commits[version - 1];
        commits.push(world.commit(&files(version), &[parent]));
    }
    let anchors = names.iter().enumerate().flat_map(|(file, name)| {
        let text = text(file, 60, 0);
        (1..=40).map(move |line| (name.clone(), text.clone(), line)).collect::<Vec<_>>()
    });
    let anchors = anchors
        .map(|(name, text, line)| world.anchor(Some(commits[0]), &name, &text, line, line + line % 3))
        .collect();
    let head = Head { tree: world.tree_of(commits[3]), commit: Some(commits[3]) };
    (world, anchors, head)
}

fn positions(world: &ObjectWorld, anchors: &[Anchor], head: Head, threads: usize) -> Vec<Position> {
    let threads = NonZeroUsize::new(threads).unwrap();
    locate(&world.repo, anchors, head, threads).into_iter().map(Result::unwrap).collect()
}

#[test]
fn positions_do_not_depend_on_the_number_of_threads() {
    let (world, anchors, head) = world();
    assert_eq!(positions(&world, &anchors, head, 1), positions(&world, &anchors, head, 2));
}

#[test]
fn many_anchors_that_threads_look_up_in_the_tree_keep_their_order() {
    let world = ObjectWorld::on_disk();
    let files = |version: usize| -> Files<'_> {
        [("a.rs", 0), ("b.rs", 0), ("c.rs", version)]
            .map(|(name, version)| (name, text(1, 60, version)))
            .into()
    };
    let old = world.commit(&files(0), &[]);
    let new = world.commit(&files(1), &[old]);
    let made: Vec<Anchor> = ["a.rs", "b.rs", "c.rs", "none.rs"]
        .into_iter()
        .flat_map(|name| (1..=5).map(move |line| (name, line)))
        .map(|(name, line)| world.anchor(Some(old), name, &text(1, 60, 0), line, line))
        .collect();
    // Most of them stand in runs in files that did not change; a few others lie between.
    let count = 20_000;
    let anchors: Vec<&Anchor> =
        (0..count).map(|at| &made[if at % 97 == 0 { 10 + at % 10 } else { at / 50 % 10 }]).collect();
    let head = Head { tree: world.tree_of(new), commit: Some(new) };
    let located = |threads: usize| -> Vec<Position> {
        let threads = NonZeroUsize::new(threads).unwrap();
        locate(&world.repo, &anchors, head, threads).into_iter().map(Result::unwrap).collect()
    };
    let alone = located(1);
    assert_eq!(
        alone.iter().filter(|position| position.state() == "anchored").count(),
        count - count / 97 - 1
    );
    assert!(located(2) == alone && located(3) == alone, "not the same on several threads");
}

#[test]
fn positions_do_not_depend_on_what_earlier_runs_left() {
    let (world, anchors, head) = world();
    let without = positions(&world, &anchors, head, 1);
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 2, 1] {
        let maps = Some(Arc::new(MapCache::open(folder.path())));
        let means = LocateOptions { maps, ..NonZeroUsize::new(threads).unwrap().into() };
        let with: Vec<_> =
            locate(&world.repo, &anchors, head, means).into_iter().map(Result::unwrap).collect();
        assert_eq!(with, without);
    }
    let kept = std::fs::metadata(folder.path().join("postil/cache/line-maps")).unwrap().len();
    assert!(kept > 100, "{kept} bytes of maps");
}

#[test]
fn heads_that_move_one_by_one_give_the_same_as_each_head_alone() {
    for seed in 1..6 {
        let world = ObjectWorld::on_disk();
        let mut story = Story::new(seed);
        let text = texts(&story.files)["a.rs"].clone();
        let mut heads = vec![world.commit(&texts(&story.files), &[])];
        let anchors: Vec<Anchor> =
            (1..=60).map(|line| world.anchor(Some(heads[0]), "a.rs", &text, line, line)).collect();
        let folder = tempfile::tempdir().unwrap();
        let maps = Arc::new(MapCache::open(folder.path()));
        for number in 1..24 {
            story.change();
            // Here and there a merge, which changes nothing on its own.
            let mut parents = vec![heads[number - 1]];
            if number % 9 == 8 {
                parents.push(heads[number - 4]);
            }
            heads.push(world.commit(&texts(&story.files), &parents));
            let head = Head { tree: world.tree_of(heads[number]), commit: Some(heads[number]) };
            let means = LocateOptions { maps: Some(maps.clone()), ..NonZeroUsize::MIN.into() };
            let moved: Vec<_> =
                locate(&world.repo, &anchors, head, means).into_iter().map(Result::unwrap).collect();
            assert_eq!(moved, positions(&world, &anchors, head, 1), "story {seed}, head {number}");
        }
    }
}

#[test]
fn positions_do_not_depend_on_the_order_or_on_each_other() {
    let (world, anchors, head) = world();
    let together = positions(&world, &anchors, head, 1);
    // A fixed shuffle: 7 has no divisor in common with the number of anchors.
    let order: Vec<usize> = (0..anchors.len()).map(|i| i * 7 % anchors.len()).collect();
    let shuffled: Vec<Anchor> = order.iter().map(|i| anchors[*i].clone()).collect();
    let found = positions(&world, &shuffled, head, 1);
    for (at, index) in order.iter().enumerate() {
        assert_eq!(found[at], together[*index]);
    }
    for index in (0..anchors.len()).step_by(37) {
        assert_eq!(positions(&world, &anchors[index..=index], head, 1), [together[index].clone()]);
    }
}

#[test]
fn one_anchor_without_its_objects_affects_no_other() {
    let (world, mut anchors, head) = world();
    let expected = positions(&world, &anchors[1..], head, 1);
    anchors[0].blob = BlobId::from_bytes(&[0xee; 20]);
    anchors[0].commit = CommitId::from_bytes(&[0xee; 20]);
    anchors[0].path = RepoPath::new("gone/with/its/objects.rs").unwrap();
    let results = locate(&world.repo, &anchors, head, NonZeroUsize::MIN);
    assert!(results[0].as_ref().is_ok_and(|position| position.site().is_none()), "{:?}", results[0]);
    let rest: Vec<_> = results.into_iter().skip(1).map(Result::unwrap).collect();
    assert_eq!(rest, expected);
}

#[test]
fn a_head_that_is_not_committed_gives_the_same_as_its_commit() {
    let (world, anchors, head) = world();
    let parent = world.repo.find_commit(head.commit.unwrap().raw()).unwrap();
    let parent: CommitId = parent.parent_ids().next().unwrap().detach().into();
    let unsaved = Head { tree: head.tree, commit: Some(parent) };
    assert_eq!(positions(&world, &anchors, unsaved, 1), positions(&world, &anchors, head, 1));
}
