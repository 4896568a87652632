//! The rules for deleted lines, over any four texts that agree in the order of their lines.
//!
//! Every line is unlike every other one, so that what a diff must say is known without a diff.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Base, Counterpart, Head, PointedBase, Position, anchor_at_base, locate_change};
use postil_core::git::{BlobId, CommitId, TreeId};
use postil_core::record::{LineSpan, Range};
use postil_testkit::Sandbox;
use proptest::prelude::*;

use super::change::{WORDS, path};

/// Which of the four texts have a word.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "four texts, each with or without the word")]
struct Word {
    old: Sides,
    new: Sides,
}

/// Which sides of a change have a word.
#[derive(Clone, Copy, Debug)]
struct Sides {
    base: bool,
    head: bool,
}

/// A commit of one file, in memory, and the file itself.
fn commit(repo: &gix::Repository, content: &str) -> (CommitId, TreeId, BlobId) {
    use gix::objs::tree::{Entry, EntryKind};
    let blob = repo.write_blob(content).expect("memory takes it").detach();
    let entries = vec![Entry { mode: EntryKind::Blob.into(), filename: "f.rs".into(), oid: blob }];
    let tree = repo.write_object(gix::objs::Tree { entries }).expect("memory takes it").detach();
    let nobody = postil_testkit::committer();
    let none: [gix::ObjectId; 0] = [];
    let commit = repo.new_commit_as(nobody, nobody, "commit", tree, none).expect("memory takes it");
    (commit.id.into(), tree.into(), blob.into())
}

/// Comments on every line that the old change deletes, and locates the comments in the new change.
fn check(repo: &gix::Repository, words: &[Word]) {
    let text = |has: fn(&Word) -> bool| -> Vec<&str> {
        let all = WORDS.split_whitespace().zip(words);
        all.filter(|(_, word)| has(word)).map(|(name, _)| name).collect()
    };
    let repo = repo.clone().with_object_memory();
    let file = |names: &[&str]| names.iter().flat_map(|name| [*name, "();\n"]).collect::<String>();
    let (old_base, new_base) = (text(|word| word.old.base), text(|word| word.new.base));
    let (old_head, new_head) = (text(|word| word.old.head), text(|word| word.new.head));
    let content = file(&old_base);
    let (base, _, blob) = commit(&repo, &content);
    let (head, _, head_blob) = commit(&repo, &file(&old_head));
    let (_, base_tree, _) = commit(&repo, &file(&new_base));
    let (_, head_tree, _) = commit(&repo, &file(&new_head));
    let deleted: Vec<&str> = old_base.iter().copied().filter(|name| !old_head.contains(name)).collect();
    let number =
        |names: &[&str], name: &str| names.iter().position(|other| *other == name).map(|at| at as u32 + 1);
    let path = path("f.rs");
    let anchor = |name: &&str| {
        let line = number(&old_base, name).and_then(|line| LineSpan::from_numbers(line, line));
        let pointed = PointedBase {
            base,
            path: &path,
            blob,
            content: content.as_bytes(),
            range: line.map(Range::lines),
            head: Some(head),
            counterpart: Some(Counterpart { path: path.clone(), blob: head_blob }),
        };
        anchor_at_base(&pointed).expect("the line is there")
    };
    let anchors: Vec<_> = deleted.iter().map(anchor).collect();
    let (base, head) = (Base { tree: base_tree, commit: None }, Head { tree: head_tree, commit: None });
    let found = locate_change(&repo, &anchors, base, head, NonZeroUsize::MIN);
    for (name, position) in deleted.iter().zip(found) {
        let position = position.expect("everything is there");
        let line = position.site().and_then(|site| site.range).map(|range| range.span().first());
        let told = (position.state(), line);
        match (number(&new_base, name), new_head.contains(name)) {
            (Some(line), false) => assert_eq!(told, ("anchored", Some(line)), "{name} is deleted still"),
            (Some(line), true) => assert_eq!(told, ("outdated", Some(line)), "{name} is back"),
            (None, _) if new_base.is_empty() => assert!(matches!(position, Position::Orphaned { .. })),
            (None, _) => assert_eq!(told.0, "outdated", "the base has lost {name}"),
        }
    }
}

fn sides() -> impl Strategy<Value = Sides> {
    (any::<bool>(), any::<bool>()).prop_map(|(base, head)| Sides { base, head })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_deleted_line_is_anchored_exactly_as_long_as_it_is_deleted(
        words in proptest::collection::vec((sides(), sides()).prop_map(|(old, new)| Word { old, new }), 0..26)
    ) {
        // One repository for all cases: nothing is ever written to it.
        thread_local! {
            static WORLD: (Sandbox, gix::Repository) = {
                let sandbox = Sandbox::new();
                let repo = sandbox.init("repo", &[]).open().handle();
                (sandbox, repo)
            };
        }
        WORLD.with(|(_, repo)| check(repo, &words));
    }
}
