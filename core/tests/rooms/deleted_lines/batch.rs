//! Many comments at once, on both sides.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Base, Head, locate_change};
use postil_testkit::Sandbox;

use super::change::{Change, WORDS, edited};

#[test]
fn any_number_of_threads_answers_both_sides_alike_and_in_order() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let mut anchors = Vec::new();
    for word in WORDS.split_whitespace() {
        anchors.push(change.on_old("main", "topic", "f.rs", word, word));
        if !["kilo", "tango", "uniform"].contains(&word) {
            anchors.push(change.on_new("topic", "f.rs", word));
        }
    }
    let anchors = [&anchors[..]; 4].concat();
    change.repo.git(&["checkout", "-q", "main"]);
    change.commit("news", "f.rs", &edited(WORDS, &["golf+new", "-yankee"]));
    change.repo.git(&["checkout", "-q", "topic"]);
    change.repo.git(&["rebase", "-q", "main"]);
    let at = |rev: &str| (change.tree(rev), Some(change.repo.commit_id(rev)));
    let ((tree, commit), (head, head_commit)) = (at("main"), at("topic"));
    let (base, head) = (Base { tree, commit }, Head { tree: head, commit: head_commit });
    let handle = change.repo.open().handle();
    let located = |threads: usize| -> Vec<_> {
        let threads = NonZeroUsize::new(threads).expect("there is at least one");
        let found = locate_change(&handle, &anchors, base, head, threads);
        found.into_iter().map(|position| position.expect("it can be located")).collect()
    };
    let (alone, many) = (located(1), located(3));
    assert_eq!(alone.len(), anchors.len());
    assert_eq!(alone, many);
    for (anchor, position) in anchors.iter().zip(&alone).step_by(7) {
        let one = locate_change(&handle, std::slice::from_ref(anchor), base, head, NonZeroUsize::MIN);
        assert_eq!(one.into_iter().next().and_then(Result::ok).as_ref(), Some(position));
    }
}
