//! Branches that were amended, squashed, split and rebased: the commented commit is not on the way to the head.

use postil_core::anchoring::{Head, Position};
use postil_core::git::{CommitId, RepoPath};
use postil_core::record::Anchor;
use postil_testkit::{Files, ObjectWorld};

const BASE: &str = "use std::path::Path;\n\nfn find(root: &Path) -> bool {\n    let name = root.join(\"config\");\n    name.exists()\n}\n";

/// What the branch wrote: three statements more.
fn written() -> String {
    BASE.replace(
        "    name.exists()",
        "    let has_jj = root.join(\".jj\").is_dir();\n    check(&name);\n    log(&name);\n    let has_git = root.join(\".git\").is_dir();\n    has_jj && has_git && name.exists()",
    )
}

/// The line on `has_jj`, counted from one.
const HAS_JJ: u32 = 5;

fn file(text: &str) -> Files<'static> {
    Files::from([("src/find.rs", text.to_owned())])
}

fn at(world: &ObjectWorld, commit: CommitId, anchor: &Anchor) -> Position {
    world.locate(anchor.clone(), Head { tree: world.tree_of(commit), commit: Some(commit) })
}

/// State, reason and first line.
fn told(position: &Position) -> String {
    let line = position.site().and_then(|site| site.range).map(|range| range.span().first());
    format!("{} {} {line:?}", position.state(), position.reason())
}

/// A world with a base, and a comment on what a commit on top of it wrote.
fn commented() -> (ObjectWorld, CommitId, CommitId, Anchor) {
    let world = ObjectWorld::new();
    let base = world.commit_called("base", &file(BASE), &[]);
    let commit = world.commit_called("find jj", &file(&written()), &[base]);
    let anchor = world.anchor(Some(commit), "src/find.rs", &written(), HAS_JJ, HAS_JJ);
    (world, base, commit, anchor)
}

/// Where the comment is after `new` was committed right on top of its own commit.
fn control(new: &Files<'_>) -> String {
    let (world, _, commit, anchor) = commented();
    let head = world.commit_called("next", new, &[commit]);
    told(&at(&world, head, &anchor))
}

#[test]
fn an_amended_message_changes_no_answer() {
    let renamed = written().replace("has_jj", "has_jj_dir");
    let elsewhere = Files::from([("src/search.rs", written())]);
    let rewritten =
        written().replace("    let has_jj = root.join(\".jj\").is_dir();", "    let has_jj = jj(root)?;");
    for new in [file(&renamed), elsewhere, file(&rewritten)] {
        let (world, base, _, anchor) = commented();
        let amended = world.commit_called("find jj, reworded", &file(&written()), &[base]);
        let head = world.commit_called("next", &new, &[amended]);
        let told = told(&at(&world, head, &anchor));
        assert_eq!(told, control(&new));
        assert!(told.ends_with(&format!("Some({HAS_JJ})")), "{told}");
    }
}

#[test]
fn a_pure_rename_behind_an_amend_is_no_copy() {
    let (world, base, _, anchor) = commented();
    let amended = world.commit_called("reworded", &file(&written()), &[base]);
    let head = world.commit_called("move", &Files::from([("src/search.rs", written())]), &[amended]);
    assert_eq!(told(&at(&world, head, &anchor)), "anchored renamed Some(5)");
}

#[test]
fn the_version_is_found_under_the_name_that_an_amend_gave_it() {
    let (world, base, _, anchor) = commented();
    let moved = |text: &str| Files::from([("src/search.rs", text.to_owned())]);
    let amended = world.commit_called("reworded", &moved(&written()), &[base]);
    let head = world.commit_called("next", &moved(&written().replace("has_jj", "is_jj")), &[amended]);
    let position = at(&world, head, &anchor);
    assert_eq!(told(&position), "outdated changed-in-place Some(5)");
    assert_eq!(position.site().map(|site| site.path.to_string()).as_deref(), Some("src/search.rs"));
}

#[test]
fn a_squashed_branch_is_compared_with_the_commented_version() {
    let new = file(&written().replace("let has_jj", "let has_jj_dir"));
    let (world, base, _, anchor) = commented();
    let head = world.commit_called("all in one", &new, &[base]);
    assert_eq!(told(&at(&world, head, &anchor)), control(&new));
}

#[test]
fn a_clone_without_the_commented_commit_answers_alike() {
    let renamed = file(&written().replace("has_jj", "has_jj_dir"));
    let (world, base, _, anchor) = commented();
    let amended = world.commit_called("reworded", &file(&written()), &[base]);
    let head = world.commit_called("next", &renamed, &[amended]);
    let missing = CommitId::from_bytes(&[7; 20]);
    let pruned = Anchor { commit: missing, ..anchor.clone() };
    assert_eq!(at(&world, head, &pruned), at(&world, head, &anchor));
}

/// The base changed around and the branch was rebased; then somebody renamed the variable.
fn rebased(message: &str, change: impl Fn(String) -> String) -> String {
    let (world, base, _, anchor) = commented();
    let upstream = |text: &str| {
        text.replace(
            "use std::path::Path;",
            "use std::fs;\nuse std::path::Path;\n\nconst NAME: &str = \"config\";",
        )
        .replace("root.join(\"config\")", "root.join(NAME)")
    };
    let other = world.commit_called("upstream", &file(&upstream(BASE)), &[base]);
    let picked = world.commit_called(message, &file(&change(upstream(&written()))), &[other]);
    let renamed = change(upstream(&written())).replace("has_jj", "has_jj_dir");
    let head = world.commit_called("next", &file(&renamed), &[picked]);
    told(&at(&world, head, &anchor))
}

#[test]
fn a_rebased_commit_is_known_by_what_it_does() {
    assert_eq!(rebased("find jj", |text| text), "outdated changed-in-place Some(8)");
}

#[test]
fn a_rebased_and_amended_commit_is_known_by_most_of_what_it_wrote() {
    let amended = |text: String| text.replace("    log(&name);\n", "    log(&name, Level::Info);\n");
    assert_eq!(rebased("other words", amended), "outdated changed-in-place Some(8)");
}

#[test]
fn a_change_id_names_the_counterpart_before_everything_else() {
    let (world, base, _, _) = commented();
    let message = "find jj\n\nChange-Id: I0123456789abcdef\n";
    let commit = world.commit_called(message, &file(&written()), &[base]);
    let anchor = world.anchor(Some(commit), "src/find.rs", &written(), HAS_JJ, HAS_JJ);
    // Rewritten so far that nothing else tells that it is the same change.
    let other = BASE.replace(
        "    name.exists()",
        "    let jj = Marker::new(root, \".jj\");\n    jj.is_dir() && name.exists()",
    );
    let again = "find it all\n\nBecause.\n\nReviewed-by: b\nChange-Id: I0123456789abcdef\n";
    let counterpart = world.commit_called(again, &file(&other), &[base]);
    let new = other.replace("let jj = Marker::new(root, \".jj\");", "let marker = Marker::of(root, kind);");
    let head = world.commit_called("next", &file(&new), &[counterpart]);
    assert_eq!(told(&at(&world, counterpart, &anchor)), "outdated changed-in-place Some(5)");
    assert_eq!(told(&at(&world, head, &anchor)), "outdated changed-in-place Some(5)");
}

#[test]
fn lines_that_stand_in_the_common_ancestor_are_followed_from_there() {
    let (world, base, commit, _) = commented();
    let anchor = world.anchor(Some(commit), "src/find.rs", &written(), 4, 4);
    // Upstream takes the line through several shapes; no single comparison would know it again.
    let steps = [
        "let config = root.join(\"config\");",
        "let config = base(root).join(\"config\");",
        "let config = base(root)?.open(CONFIG);",
    ];
    let mut tip = base;
    let mut text = BASE.to_owned();
    for step in steps {
        let line = text.lines().nth(3).unwrap().to_owned();
        text = text.replace(&line, &format!("    {step}"));
        tip = world.commit_called(step, &file(&text), &[tip]);
    }
    assert_eq!(told(&at(&world, tip, &anchor)), "outdated changed-in-place Some(4)");
}

#[test]
fn a_whole_file_is_followed_over_a_rewritten_branch() {
    let (world, base, commit, anchor) = commented();
    let anchor = Anchor { range: None, commit: Some(commit), ..anchor };
    let amended = world.commit_called("reworded", &file(&written()), &[base]);
    let head = world.commit_called("move", &Files::from([("src/search.rs", written())]), &[amended]);
    let position = at(&world, head, &anchor);
    assert_eq!(position.site().map(|site| &site.path), RepoPath::new("src/search.rs").as_ref());
}
