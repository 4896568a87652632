//! In random histories the engine never mistakes one line for another.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Head, Position, locate};
use postil_core::git::CommitId;
use postil_core::record::Anchor;
use postil_testkit::ObjectWorld;
use postil_testkit::histories::rewriting::{Rewriting, rewrite};
use postil_testkit::histories::story::{Known, Story, Tally, Verb, texts};

/// How many histories are told; each has twelve commits of three edits.
const STORIES: u64 = 60;

/// How many histories of one verb are told.
const STORIES_A_VERB: u64 = 8;

/// How many commits come on top of a rewritten history.
const CHANGES_AFTERWARDS: usize = 4;

fn tell(seed: u64, commits: usize, verb: Option<Verb>, tally: &mut Tally) {
    let world = ObjectWorld::new();
    let mut story = Story::new(seed);
    let begin = story.files["a.rs"].clone();
    let text = texts(&story.files)["a.rs"].clone();
    let first = world.commit(&texts(&story.files), &[]);
    let anchors: Vec<Anchor> =
        (1..=begin.len() as u32).map(|line| world.anchor(Some(first), "a.rs", &text, line, line)).collect();
    let mut head = first;
    for _ in 0..commits {
        match verb {
            Some(verb) => story.change_by(verb),
            None => story.change(),
        }
        head = world.commit(&texts(&story.files), &[head]);
    }
    count(&world, &story, &begin, &anchors, head, tally);
}

/// Comments on all lines of the last commit of a branch, rewrites the branch, and goes on changing it.
fn tell_rewritten(seed: u64, rewriting: Rewriting, [all, written]: [&mut Tally; 2]) {
    let world = ObjectWorld::new();
    let mut story = Story::new(seed);
    let told = rewrite(&mut story, rewriting, CHANGES_AFTERWARDS);
    let mut old = vec![world.commit(&texts(&told.root), &[])];
    for files in &told.old {
        old.push(world.commit(&texts(files), &old[old.len() - 1..]));
    }
    let commented = &told.old[told.old.len() - 1];
    let (begin, text) = (&commented["a.rs"], &texts(commented)["a.rs"]);
    let anchors: Vec<Anchor> = (1..=begin.len() as u32)
        .map(|line| world.anchor(old.last().copied(), "a.rs", text, line, line))
        .collect();
    let unchanged = told.unchanged();
    let mut head = old[unchanged];
    for files in &told.new[unchanged..] {
        head = world.commit_called("rewritten", &texts(files), &[head]);
    }
    count(&world, &story, begin, &anchors, head, all);
    let (lines, anchors): (Vec<Known>, Vec<Anchor>) =
        begin.iter().cloned().zip(anchors).filter(|(line, _)| told.is_written(line)).unzip();
    count(&world, &story, &lines, &anchors, head, written);
}

fn count(
    world: &ObjectWorld,
    story: &Story,
    begin: &[Known],
    anchors: &[Anchor],
    head: CommitId,
    tally: &mut Tally,
) {
    let to = Head { tree: world.tree_of(head), commit: Some(head) };
    let positions = locate(&world.repo, anchors, to, NonZeroUsize::MIN);
    for (line, position) in begin.iter().zip(positions) {
        let position = position.unwrap();
        // What stands in the place of a line does not claim to be that line.
        let claimed = position.site().filter(|_| position.reason() != "replaced");
        let place = claimed.and_then(|site| Some((site.path.to_string(), site.range?.span().first())));
        let place = place.as_ref().map(|(path, line)| (path.as_str(), *line));
        tally.count(story, line.identity, place, matches!(position, Position::Anchored { .. }));
    }
}

#[test]
fn no_line_is_mistaken_for_another_in_random_histories() {
    let mut tally = Tally::default();
    for seed in 1..=STORIES {
        tell(seed, 12, None, &mut tally);
    }
    keeps_the_laws("all verbs", &tally);
}

#[test]
fn no_line_is_mistaken_for_another_in_histories_of_a_single_verb() {
    for verb in Verb::ALL {
        let mut tally = Tally::default();
        for seed in 1..=STORIES_A_VERB {
            tell(seed, 12, Some(verb), &mut tally);
        }
        keeps_the_laws(&format!("{verb:?}"), &tally);
    }
}

#[test]
fn no_line_is_mistaken_for_another_where_history_was_rewritten() {
    for rewriting in Rewriting::ALL {
        let (mut all, mut written) = (Tally::default(), Tally::default());
        for seed in 1..=STORIES_A_VERB {
            tell_rewritten(seed, rewriting, [&mut all, &mut written]);
        }
        for (what, tally) in [("all lines", all), ("lines that the branch wrote", written)] {
            let ((_, exist), told) = (tally.all(), tally.told());
            println!("{rewriting:?}, {what}: {told}");
            assert_eq!(tally.anchored_wrong, 0, "{rewriting:?}, {what}, {told}");
            assert!(tally.right * 100 >= exist * 95, "{rewriting:?}, {what}, {told}");
        }
        // What stayed behind is gone, and may be guessed at; what is there is not taken for something else.
        assert!(all.wrong * 200 <= all.all().1, "{rewriting:?}, {}", all.told());
    }
}

/// Histories in which a copy was once taken for its original, and called anchored.
#[test]
fn a_copy_in_the_place_of_its_original_is_not_anchored() {
    // In this order: a copy right beside that stayed when the original went, one that came before it, one that came
    // where the original had been before it moved on, one in a file that was split, and one in a renamed file.
    for seed in [81, 786, 515, 722, 854] {
        let mut tally = Tally::default();
        tell(seed, 12, None, &mut tally);
        assert_eq!(tally.anchored_wrong, 0, "history {seed}: {}", tally.told());
    }
}

#[track_caller]
fn keeps_the_laws(what: &str, tally: &Tally) {
    let ((all, exist), told) = (tally.all(), tally.told());
    println!("{what}: {told}");
    assert_eq!(tally.anchored_wrong, 0, "an anchored line is never another one: {what}, {told}");
    assert!(tally.right * 100 >= exist * 95, "{what}, {told}");
    let others = tally.wrong + tally.false_places;
    assert!(others * 200 <= all, "few are on another line, in any state: {what}, {told}");
}
