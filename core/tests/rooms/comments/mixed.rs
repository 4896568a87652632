//! One batch of anchors of every kind, for one head and its base.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Base, Pointed, Position, anchor_at, locate_change};
use postil_core::record::{Anchor, AnchorSide};
use postil_testkit::{Checkout, Sandbox};

use super::page::{head, on_words, told};
use crate::deleted_lines::change::{Change, Comments, WORDS, edited, path};

const README: &str = "# About\n\nThis is *about* words, which are `lines` here.\n";

/// A change with a page beside it, and a comment of every kind.
pub fn every_kind(change: &Change<'_>) -> Vec<Anchor> {
    change.repo.write("README.md", README);
    change.repo.git(&["add", "-A"]);
    change.repo.git(&["commit", "-q", "-m", "page"]);
    let Comments { added, kept, deleted, block } = Comments::on(change);
    let whole = Pointed {
        commit: Some(change.repo.commit_id("topic")),
        path: &path("f.rs"),
        blob: change.repo.blob_id("topic:f.rs"),
        content: b"",
        range: None,
    };
    let whole = anchor_at(&whole).expect("a file can be commented on");
    let quote = on_words(&change.repo, "topic", "README.md", "about words, which are lines");
    vec![deleted, quote, added, whole, block, kept]
}

/// Where the anchors are in the change from `base` to `head`, in one batch.
pub fn seen_together(repo: &Checkout<'_>, anchors: &[Anchor], base: &str, rev: &str) -> Vec<String> {
    let from = head(repo, base);
    let base_id = Base { tree: from.tree, commit: from.commit };
    let handle = repo.open().handle();
    let found = locate_change(&handle, anchors, base_id, head(repo, rev), NonZeroUsize::MIN);
    let positions: Vec<Position> = found.into_iter().map(|one| one.expect("it can be located")).collect();
    let side = |anchor: &Anchor| if matches!(anchor.side, AnchorSide::Old(_)) { base } else { rev };
    anchors.iter().zip(&positions).map(|(anchor, position)| told(repo, position, side(anchor))).collect()
}

#[test]
fn a_mixed_batch_is_answered_in_its_order() {
    let sandbox = Sandbox::new();
    let change = Change::new(&sandbox);
    let anchors = every_kind(&change);
    change.repo.git(&["checkout", "-q", "main"]);
    change.commit("news", "f.rs", &edited(WORDS, &["alpha+new", "-yankee"]));
    change.repo.git(&["checkout", "-q", "topic"]);
    change.repo.git(&["rebase", "-q", "main"]);
    change
        .repo
        .write("README.md", README.replace("*about*", "about").replace("# About", "# What it is about"));
    change.repo.git(&["commit", "-q", "-a", "-m", "plainer"]);
    let expected = [
        "anchored translated f.rs:12",
        "shifted quote README.md:3 \"about words, which are lines\" \"about words, which are `lines`\"",
        "anchored translated f.rs:4",
        "anchored translated f.rs",
        "anchored translated f.rs:21",
        "anchored translated f.rs:9",
    ];
    assert_eq!(seen_together(&change.repo, &anchors, "main", "topic"), expected);
}
