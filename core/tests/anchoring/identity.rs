//! In random histories the engine never mistakes one line for another.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Head, Position, locate};
use postil_core::record::Anchor;

use crate::story::{Story, Tally};
use crate::world::World;

/// How many histories are told; each has twelve commits of three edits.
const STORIES: u64 = 60;

fn tell(seed: u64, commits: usize, tally: &mut Tally) {
    let world = World::new();
    let mut story = Story::new(seed);
    let begin = story.files["a.rs"].clone();
    let text = story.texts()["a.rs"].clone();
    let first = world.commit(&story.texts(), &[]);
    let anchors: Vec<Anchor> =
        (1..=begin.len() as u32).map(|line| world.anchor(Some(first), "a.rs", &text, line, line)).collect();
    let mut head = first;
    for _ in 0..commits {
        story.change();
        head = world.commit(&story.texts(), &[head]);
    }
    let to = Head { tree: world.tree_of(head), commit: Some(head) };
    let positions = locate(&world.repo, &anchors, to, NonZeroUsize::MIN);
    for (line, position) in begin.iter().zip(positions) {
        let position = position.unwrap();
        let place =
            position.site().and_then(|site| Some((site.path.to_string(), site.range?.span().first())));
        let place = place.as_ref().map(|(path, line)| (path.as_str(), *line));
        tally.count(&story, line.identity, place, matches!(position, Position::Anchored { .. }));
    }
}

#[test]
fn no_line_is_mistaken_for_another_in_random_histories() {
    let mut tally = Tally::default();
    for seed in 1..=STORIES {
        tell(seed, 12, &mut tally);
    }
    let ((all, exist), told) = (tally.all(), tally.told());
    println!("{told}");
    assert_eq!(tally.anchored_wrong, 0, "an anchored line is never another one: {told}");
    assert!(tally.right * 100 >= exist * 95, "{told}");
    assert!((tally.wrong + tally.false_places) * 200 <= all, "few are on another line, in any state: {told}");
}
