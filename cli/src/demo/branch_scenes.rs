//! The scenes about a branch under review: rebased, judged, renamed, merged.

use super::scenes::{commit, expect_of};
use super::stage::DemoStage;
use crate::failure::Failure;

const KINDS: &str = "src/kinds.rs";
const NAMED: &str = "has what of jj?";
const ORDER: &str = "which of the two first?";
const GUIDE: &str = "guide.txt";
const ADDED: &str = "how slowly?";
const MESSAGE: &str = "how short?";
const DELETED: &str = "why not wait any more?";

/// Lines that the branch itself wrote keep their comments, though their commit is replaced by others.
pub fn an_amend(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let text = |found: &str, last: &str| {
        format!(
            "fn kind(root: &Path) -> Kind {{\n    {found}\n    let has_git = root.join(\".git\").is_dir();\n    {last}\n}}\n"
        )
    };
    let (found, last) = ("let has_jj = root.join(\".jj\").is_dir();", "Kind::of(has_jj, has_git)");
    stage.git(alice, &["switch", "--quiet", "-c", "kinds"])?;
    stage.write(alice, KINDS, &text(found, last))?;
    commit(stage, alice, "tell kinds apart")?;
    stage.postil(alice, &["comment", "src/kinds.rs:2", "-m", NAMED])?;
    stage.postil(alice, &["comment", "src/kinds.rs:4", "-m", ORDER])?;
    stage.git(alice, &["commit", "--quiet", "--amend", "-m", "tell kinds of repositories apart"])?;
    expect_of(stage, alice, NAMED, "anchored at src/kinds.rs:2")?;
    let (found, last) = (found.replace("has_jj", "has_jj_dir"), "match prefer { First => a(), _ => b() }");
    stage.write(alice, KINDS, &text(&found, last))?;
    stage.ask_git(alice, &["add", "--all"])?;
    stage.git(alice, &["commit", "--quiet", "--amend", "--no-edit"])?;
    expect_of(stage, alice, NAMED, "outdated at src/kinds.rs:2")?;
    expect_of(stage, alice, ORDER, "outdated at src/kinds.rs:4")?;
    let listed = stage.postil(alice, &["list"])?;
    stage.check("replaced lines are reported as replaced", listed.contains("were replaced by"))?;
    stage.git(alice, &["switch", "--quiet", "main"])?;
    stage.git(alice, &["branch", "--quiet", "-D", "kinds"]).map(drop)
}

/// A comment on a commit's message follows the commit that is reworded.
pub fn a_reworded_commit(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.git(alice, &["switch", "--quiet", "-c", "words"])?;
    stage.write(alice, GUIDE, "A guide.\n")?;
    commit(stage, alice, "Add a guide\n\nIt is short.")?;
    stage.postil(alice, &["comment", "--message", "HEAD:3", "-m", MESSAGE])?;
    let words = "Add a guide\n\nNobody knew the way.\n\nIt is short.";
    stage.git(alice, &["commit", "--quiet", "--amend", "-m", words])?;
    let listed = stage.postil(alice, &["list"])?;
    let head = stage.ask_git(alice, &["rev-parse", "--short=7", "HEAD"])?;
    let place = format!("message of {}:5", head.trim());
    stage.check("the comment is on line 5 of the new message", listed.contains(&place))?;
    stage.git(alice, &["switch", "--quiet", "main"])?;
    stage.git(alice, &["branch", "--quiet", "-D", "words"]).map(drop)
}

/// Deleted lines have comments too, and a rebase takes them along.
pub fn a_rebase(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
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
    let diff = stage.postil(alice, &["diff"])?;
    let is_git = diff.contains("\n-Wait a minute.\n") && diff.contains(&format!("{DELETED}\n"));
    stage.check("the diff of git is shown, with the comments in it", is_git)?;
    expect_of(stage, alice, ADDED, "anchored at guide.txt:4")?;
    expect_of(stage, alice, DELETED, "anchored at guide.txt:5")
}

/// What a rebase brought is not what changed.
pub fn since_a_verdict(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
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
    stage.check("the changes since the verdict are shown, without those from main", told)
}

/// What it takes to be ready is a file in the base, and nobody approves their own work.
pub fn ready_to_merge(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.postil(alice, &["review", "approve"])?;
    let told = stage.postil(alice, &["review", "ready"])?;
    stage.check("one's own approval does not count", told.contains("does not count: their own review"))?;
    stage.check("an approval is missing", told.contains("1 approval missing"))
}

/// A review goes on under another name, and ends where its work went.
pub fn renamed_and_merged(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.git(alice, &["branch", "-m", "topic", "careful"])?;
    let approved = stage.postil(alice, &["review", "approve"])?;
    stage.check("the review continued under the new name", approved.contains("careful into main\n"))?;
    stage.git(alice, &["switch", "--quiet", "main"])?;
    stage.git(alice, &["merge", "--quiet", "--squash", "careful"])?;
    commit(stage, alice, "be careful, all at once")?;
    stage.git(alice, &["branch", "--quiet", "-D", "careful"])?;
    stage.git(alice, &["reflog", "expire", "--expire=now", "--all"])?;
    stage.git(alice, &["gc", "--quiet", "--prune=now"])?;
    let shown = stage.postil(alice, &["review", "show", "careful"])?;
    stage.check(
        "postil detected the squash merge, although the branch is gone",
        shown.contains("merged into main (squash"),
    )?;
    let listed = stage.postil(alice, &["list"])?;
    stage.check("its open threads are listed on main", listed.contains(DELETED))
}
