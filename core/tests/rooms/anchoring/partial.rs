//! What the engine looks at in a tree of which only some files are known.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use postil_core::anchoring::{Head, LocateOptions, PartialTree, Position, locate};
use postil_core::git::RepoPath;
use postil_testkit::{Files, ObjectWorld};

fn text(from: u32) -> String {
    (from..from + 40).map(|n| format!("let value_{n} = compute({n}, weight_of({n}));\n")).collect()
}

/// Locates a comment on line 20 of `a.rs`, of which the head knows this text; says whether other files were looked at.
fn located(now: Option<String>) -> (Position, bool) {
    let world = ObjectWorld::new();
    let commit = world.commit(&Files::from([("a.rs", text(0)), ("b.rs", text(100))]), &[]);
    let anchor = world.anchor(Some(commit), "a.rs", &text(0), 20, 20);
    let mut files = Files::from([("b.rs", text(100))]);
    files.extend(now.map(|now| ("a.rs", now)));
    let tree = world.tree(&files);
    let known = ["a.rs", ".gitattributes"].map(|path| RepoPath::new(path).unwrap());
    let partial = Arc::new(PartialTree::new(tree, HashSet::from(known)));
    let means = LocateOptions { partial: Some(Arc::clone(&partial)), ..NonZeroUsize::MIN.into() };
    let head = Head { tree, commit: Some(commit) };
    let position = locate(&world.repo, &[anchor], head, means).remove(0).unwrap();
    (position, partial.was_left())
}

#[test]
fn lines_that_are_found_in_their_own_file_need_no_other() {
    for typed in ["", "one more line\n", "one\ntwo\nthree\n"] {
        let (position, left) = located(Some(format!("{typed}{}", text(0))));
        assert_eq!((position.state(), left), ("anchored", false), "{typed:?}");
    }
}

#[test]
fn lines_that_are_gone_from_their_file_are_looked_for_in_others() {
    let without: String =
        text(0).lines().filter(|line| !line.contains("value_19")).map(|l| format!("{l}\n")).collect();
    assert!(located(Some(without)).1, "the line may have moved elsewhere");
    assert!(located(None).1, "the file may have another name");
}

#[test]
fn a_line_that_was_changed_where_it_is_needs_no_other_file() {
    let (position, left) = located(Some(text(0).replace("compute(19, weight", "calculate(19, weight")));
    assert_eq!((position.state(), left), ("outdated", false), "{position:?}");
}
