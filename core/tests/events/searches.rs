//! Every search is an event that says what was weighed, and never what was written.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use postil_core::anchoring::Head;
use postil_testkit::{Files, ObjectWorld};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps the fields of every event as one line.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<String>>>);

struct Written(String);

impl Visit for Written {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

impl Subscriber for Kept {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut written = Written(String::new());
        event.record(&mut written);
        self.0.lock().unwrap().push(written.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_search_tells_its_layer_candidates_score_and_runner_up_and_no_text() {
    let _alone = crate::alone();
    let world = ObjectWorld::new();
    let old = "fn main() {\n    let secret_alpha = read(1);\n    let secret_beta = read(2);\n}\n";
    let new = old.replace("read(2)", "read(2, secret_gamma)").replace("read(1)", "read(1, 3)");
    let commit = world.commit(&Files::from([("a.rs", old.to_owned())]), &[]);
    let head = Head { tree: world.tree(&Files::from([("a.rs", new)])), commit: None };
    let anchor = world.anchor(Some(commit), "a.rs", old, 3, 3);
    let kept = Kept::default();
    tracing::subscriber::with_default(kept.clone(), || world.locate(anchor, head));
    let events = kept.0.lock().unwrap().clone();
    let searched: Vec<&String> = events.iter().filter(|event| event.contains("searched")).collect();
    assert!(!searched.is_empty(), "{events:?}");
    for field in ["layer=", "candidates=", "score=", "runner_up="] {
        assert!(searched.iter().any(|event| event.contains(field)), "{field} in {searched:?}");
    }
    assert!(events.iter().all(|event| !event.contains("secret")), "{events:?}");
}
