//! A repository says in its own `.gitattributes` where comments are searched for.

use std::num::NonZeroUsize;

use postil_core::anchoring::{Head, Orphaning, Pointed, Position, anchor_at, locate};
use postil_core::git::{BlobId, RepoPath, history};
use postil_core::record::{LineSpan, Range};
use postil_testkit::{Checkout, Sandbox};

const OLD: &str = "one\ntwo\nlet answer = compute(41);\nfour\nfive\n";
const NEW: &str = "one\ntwo\nlet answer = compute(42);\nfour\nfive\n";

/// Changes the commented line of `path` and tells where the comment is then.
fn change(repo: &Checkout<'_>, path: &str) -> Position {
    repo.commit(path, OLD);
    let commit = repo.commit_id("HEAD");
    let blob = BlobId::from_hex(repo.git(&["rev-parse", &format!("HEAD:{path}")]).as_bytes()).unwrap();
    let repo_path = RepoPath::new(path).unwrap();
    let range = LineSpan::from_numbers(3, 3).map(Range::lines);
    let pointed = Pointed { commit: Some(commit), path: &repo_path, blob, content: OLD.as_bytes(), range };
    let anchor = anchor_at(&pointed).unwrap();
    repo.commit(path, NEW);
    let handle = repo.open().handle();
    let head = repo.commit_id("HEAD");
    let head = Head { tree: history::commit(&handle, head).unwrap().tree, commit: Some(head) };
    locate(&handle, &[anchor], head, NonZeroUsize::MIN).remove(0).unwrap()
}

fn is_bypassed(position: &Position) -> bool {
    matches!(position, Position::Orphaned { why: Orphaning::Bypassed, .. })
}

#[test]
fn attributes_of_the_head_add_and_take_away_patterns() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    repo.write(
        ".gitattributes",
        "*.snap postil=exact\nfull.lock postil=full\n[attr]made linguist-generated\n*.out made\n",
    );
    repo.write("sub/.gitattributes", "*.snap postil=full\n");
    for (path, bypassed) in [
        ("a.rs", false),
        ("a.snap", true),
        ("sub/a.snap", false),
        ("other/a.snap", true),
        ("Cargo.lock", true),
        ("full.lock", false),
        ("deep/down/a.out", true),
    ] {
        let position = change(&repo, path);
        assert_eq!(is_bypassed(&position), bypassed, "{path}: {position:?}");
        if !bypassed {
            assert!(matches!(position, Position::Outdated { .. }), "{path}: {position:?}");
        }
    }
}

#[test]
fn attributes_of_this_machine_alone_do_not_count() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("repo");
    std::fs::write(repo.dir.join(".git/info/attributes"), "*.rs postil=exact\n").unwrap();
    assert!(!is_bypassed(&change(&repo, "a.rs")));
}
