//! The scenes of the demo, in the order in which they are played.
//!
//! Each tells, does and checks one thing. A scene may use what the scenes before it left on the stage.

use super::stage::Stage;
use crate::failure::Failure;

/// Tells, does and checks one thing.
pub type Scene = fn(&mut Stage<'_>) -> Result<(), Failure>;

/// Titles and scenes.
pub const SCENES: &[(&str, Scene)] = &[
    ("A repository like any other", a_repository),
    ("A comment is an ordinary git note", a_comment),
    ("Comments travel with git, and merge", two_people),
    ("What stock git takes away comes back", damage),
    ("The commented version of a file is never lost", collected),
];

/// The file that they talk about.
const FILE: &str = "src/parser.rs";

/// What it holds at first.
const BEFORE: &str = "fn parse(input: &str) -> usize {\n    input.len().saturating_sub(1)\n}\n";

/// What it holds in the end.
const AFTER: &str = "fn parse(input: &str) -> Option<usize> {\n    input.len().checked_sub(1)\n}\n";

fn a_repository(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.git(alice, &["init", "--quiet"])?;
    stage.write(alice, FILE, BEFORE)?;
    stage.git(alice, &["add", FILE])?;
    stage.git(alice, &["commit", "--quiet", "-m", "parse the input"])?;
    stage.git(alice, &["init", "--quiet", "--bare", "../team.git"])?;
    stage.git(alice, &["remote", "add", "origin", "../team.git"])?;
    stage.git(alice, &["push", "--quiet", "origin", "main"])?;
    let log = stage.git(alice, &["log", "--format=%s, by %an", "origin/main"])?;
    stage.claim("the team has Alice's commit", log == "parse the input, by Alice\n")
}

fn a_comment(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.comment(alice, FILE, 2, "why saturating?")?;
    let notes = stage.git(alice, &["notes", "--ref=reviews", "list"])?;
    let head = stage.ask_git(alice, &["rev-parse", "HEAD"])?;
    stage.claim("stock git lists one note, on the commented commit", notes.ends_with(&format!(" {head}")))?;
    let log = stage.git(alice, &["log", "--format=%s, by %an", "refs/notes/reviews"])?;
    stage.claim("the notes have a history to read", log == format!("Comment on {FILE}:2, by Alice\n"))?;
    let fsck = stage.git_succeeds(alice, &["fsck", "--strict"])?;
    stage.claim("git fsck finds nothing wrong", fsck)
}

fn two_people(stage: &mut Stage<'_>) -> Result<(), Failure> {
    const THEIRS: &str = "refs/postil/remotes/origin/reviews";
    let (alice, bob) = (&stage.person("Alice"), &stage.person("Bob"));
    stage.git(alice, &["push", "--quiet", "origin", "refs/notes/reviews"])?;
    stage.git(bob, &["clone", "--quiet", "../team.git", "."])?;
    stage.git(bob, &["fetch", "--quiet", "origin", "refs/notes/reviews:refs/notes/reviews"])?;
    let first = stage.only_comment(bob)?;
    stage.reply(bob, first, "an empty input has no last byte")?;
    stage.comment(alice, FILE, 1, "what is it counted from?")?;
    stage.tell("   Both wrote at once, to the same note.")?;
    stage.git(bob, &["push", "--quiet", "origin", "refs/notes/reviews"])?;
    stage.git(alice, &["fetch", "--quiet", "origin", &format!("+refs/notes/reviews:{THEIRS}")])?;
    stage.git(bob, &["fetch", "--quiet", "../alice", &format!("+refs/notes/reviews:{THEIRS}")])?;
    stage.merge_notes(alice, THEIRS)?;
    stage.merge_notes(bob, THEIRS)?;
    let threads = stage.threads(alice)?;
    stage.claim("nothing that was said is missing", threads == told())?;
    let tree = ["rev-parse", "refs/notes/reviews^{tree}"];
    let (alices, bobs) = (stage.ask_git(alice, &tree)?, stage.ask_git(bob, &tree)?);
    stage.claim("merged in either order, the notes are the same to the byte", alices == bobs)
}

fn damage(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let mut daemon = stage.start_postil(alice, &["daemon", "run"])?;
    let watches = daemon.hear("watching").is_some();
    stage.claim("the daemon watches the repository", watches)?;
    stage.git(alice, &["notes", "--ref=reviews", "remove", "HEAD"])?;
    let healed = daemon.hear("brought back").is_some();
    stage.claim("the daemon saw that records were taken away, and healed", healed)?;
    let threads = stage.threads(alice)?;
    stage.claim("all of them are back", threads == told())?;
    stage.tell("   alice$ kill -TERM %1")?;
    let ended = daemon.end();
    stage.claim("the daemon ended when it was asked to", ended)
}

fn collected(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let commented = stage.ask_git(alice, &["rev-parse", "HEAD", &format!("HEAD:{FILE}")])?;
    let (commit, blob) = commented.trim_end().split_once('\n').unwrap_or_default();
    stage.write(alice, FILE, AFTER)?;
    stage.git(alice, &["commit", "--quiet", "--all", "--amend", "-m", "parse what there is"])?;
    stage.git(alice, &["push", "--quiet", "--force", "origin", "main"])?;
    stage.git(alice, &["reflog", "expire", "--expire=now", "--all"])?;
    stage.git(alice, &["gc", "--quiet", "--prune=now"])?;
    let gone = !stage.git_succeeds(alice, &["cat-file", "-e", commit])?;
    stage.claim("the commented commit is gone", gone)?;
    let kept = stage.git(alice, &["cat-file", "-p", blob])?;
    stage.claim("the file as it was commented on is still there", kept == BEFORE)?;
    let threads = stage.threads(alice)?;
    stage.claim("and so is everything that was said about it", threads == told())
}

/// Everything that was said, once both have spoken.
fn told() -> [String; 2] {
    [
        format!("{FILE}:1  open  Alice: what is it counted from?"),
        format!("{FILE}:2  open  Alice: why saturating? / Bob: an empty input has no last byte"),
    ]
}
