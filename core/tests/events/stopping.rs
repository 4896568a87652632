//! A batch that nobody waits for any more ends behind the anchor that it is at.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use postil_core::anchoring::{Head, LocateError, LocateOptions, Stop, locate};
use postil_core::record::Anchor;
use postil_testkit::{Files, ObjectWorld};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Loses interest at the first event, and counts those that come all the same.
#[derive(Clone, Default)]
struct Fickle {
    stop: Stop,
    events: Arc<AtomicUsize>,
}

impl Subscriber for Fickle {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.stop.now();
        self.events.fetch_add(1, Ordering::SeqCst);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// How many of these are located, and how many events that takes, for somebody who loses interest at the first.
fn located(world: &ObjectWorld, anchors: &[Anchor], head: Head, stop: &Stop) -> (usize, usize) {
    let means = LocateOptions { stop: stop.clone(), ..LocateOptions::from(NonZeroUsize::MIN) };
    let fickle = Fickle { stop: stop.clone(), ..Fickle::default() };
    let locating = || locate(&world.repo, anchors, head, means);
    let found = tracing::subscriber::with_default(fickle.clone(), locating);
    assert!(found.iter().all(|one| matches!(one, Ok(_) | Err(LocateError::Stopped))), "{found:?}");
    (found.iter().filter(|one| one.is_ok()).count(), fickle.events.load(Ordering::SeqCst))
}

#[test]
fn a_batch_ends_behind_the_anchor_at_which_nobody_waits_any_more() {
    const ANCHORS: u32 = 20;
    let _alone = crate::alone();
    let world = ObjectWorld::new();
    let line = |n: u32, end: &str| format!("    let value_{n} = read({n}{end});\n");
    let old: String = (0..ANCHORS).map(|n| line(n, "")).collect();
    let new: String = (0..ANCHORS).map(|n| line(n, ", Mode::Slow")).collect();
    let commit = world.commit(&Files::from([("a.rs", old.clone())]), &[]);
    let head = Head { tree: world.tree(&Files::from([("a.rs", new)])), commit: None };
    let anchors: Vec<Anchor> =
        (1..=ANCHORS).map(|n| world.anchor(Some(commit), "a.rs", &old, n, n)).collect();
    let (first, events) = located(&world, &anchors, head, &Stop::default());
    assert_eq!(first, 1, "only the one that was under way");
    let (alone, of_one) = located(&world, &anchors[..1], head, &Stop::default());
    assert_eq!((alone, of_one), (1, events), "nothing was searched for the others");
    assert_eq!(located(&world, &anchors, head, &stopped()), (0, 0), "nothing is begun for nobody");
}

fn stopped() -> Stop {
    let stop = Stop::default();
    stop.now();
    stop
}
