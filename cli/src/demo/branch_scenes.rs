//! The scenes about a branch under review: rebased, judged, renamed, merged.

use super::scenes::{commit, expect_of};
use super::stage::Stage;
use crate::failure::Failure;

const GUIDE: &str = "guide.txt";
const ADDED: &str = "how slowly?";
const DELETED: &str = "why not wait any more?";

/// Deleted lines have comments too, and a rebase takes them along.
pub fn a_rebase(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let lines = "A guide.\n\nOpen the valve.\nWait a minute.\nClose the gate.\nGo home.\n";
    stage.write(alice, GUIDE, lines)?;
    commit(stage, alice, "a guide")?;
    stage.git(alice, &["switch", "--quiet", "-c", "topic"])?;
    stage.write(alice, GUIDE, "A guide.\n\nOpen the valve slowly.\nClose the gate.\nGo home.\n")?;
    commit(stage, alice, "be careful")?;
    stage.postil(alice, &["comment", "guide.txt:3", "-m", ADDED])?;
    stage.postil(alice, &["comment", "guide.txt:4", "--side", "old", "-m", DELETED])?;
    stage.git(alice, &["switch", "--quiet", "main"])?;
    stage.write(alice, GUIDE, &format!("Read this first.\n{lines}"))?;
    commit(stage, alice, "an introduction")?;
    stage.git(alice, &["rebase", "--quiet", "main", "topic"])?;
    stage.postil(alice, &["diff"])?;
    expect_of(stage, alice, ADDED, "anchored at guide.txt:4")?;
    expect_of(stage, alice, DELETED, "anchored at guide.txt:5")
}

/// What a rebase brought is not what changed.
pub fn since_a_verdict(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.postil(alice, &["review", "request-changes", "-m", "say how slowly"])?;
    stage.git(alice, &["switch", "--quiet", "main"])?;
    stage.write(alice, "LICENSE", "Do as you like.\n")?;
    commit(stage, alice, "a license")?;
    stage.git(alice, &["rebase", "--quiet", "main", "topic"])?;
    let text = "Read this first.\nA guide.\n\nOpen the valve in a minute.\nClose the gate.\nGo home.\n";
    stage.write(alice, GUIDE, text)?;
    commit(stage, alice, "say how slowly")?;
    let since = stage.postil(alice, &["review", "since"])?;
    let told = since.contains("++Open the valve in a minute.\n") && !since.contains("Do as you like");
    stage.claim("what changed since is told, and nothing that came from main", told)
}

/// A review goes on under another name, and ends where its work went.
pub fn renamed_and_merged(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.git(alice, &["branch", "-m", "topic", "careful"])?;
    let approved = stage.postil(alice, &["review", "approve"])?;
    stage.claim("the review went on under the new name", approved.contains("careful into main\n"))?;
    stage.git(alice, &["switch", "--quiet", "main"])?;
    stage.git(alice, &["merge", "--quiet", "--squash", "careful"])?;
    commit(stage, alice, "be careful, all at once")?;
    stage.git(alice, &["branch", "--quiet", "-D", "careful"])?;
    stage.git(alice, &["reflog", "expire", "--expire=now", "--all"])?;
    stage.git(alice, &["gc", "--quiet", "--prune=now"])?;
    let shown = stage.postil(alice, &["review", "show", "careful"])?;
    stage.claim(
        "it noticed the squash, though its branch is gone",
        shown.contains("its work is in main (squash"),
    )?;
    let listed = stage.postil(alice, &["list"])?;
    stage.claim("its open threads are seen from main", listed.contains(DELETED))
}
