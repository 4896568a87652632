//! The scenes of the demo, in the order in which they are played.
//!
//! Each explains, does and checks one thing. A scene may use what the scenes before it left on the stage.

use super::branch_scenes::{
    a_rebase, a_reworded_commit, an_amend, ready_to_merge, renamed_and_merged, since_a_verdict,
};
use super::listed_comments::DemoComment;
use super::stage::{DemoPerson, DemoStage};
use super::work_scenes::{a_damaged_repository, all_suggestions, an_agent, not_committed, nothing_missed};
use crate::failure::Failure;

/// Explains, does and checks one thing.
pub type Scene = fn(&mut DemoStage<'_>) -> Result<(), Failure>;

/// Titles and scenes.
pub const SCENES: &[(&str, Scene)] = &[
    ("An ordinary repository", a_repository),
    ("A comment is a git note next to the code", a_comment),
    ("The code moves, and the comment moves with it", the_code_moves),
    ("Uncommitted changes", not_committed),
    ("Deleted comments come back", the_daemon_heals),
    ("Two people, two clones, one review", two_people),
    ("A reply, and a resolved thread", an_answer),
    ("Damage is reported and repaired", a_damaged_repository),
    ("A suggestion is applied where it was meant", a_suggestion),
    ("All suggestions of a branch, in one commit", all_suggestions),
    ("No event is missed between two commands", nothing_missed),
    ("An agent reads, answers and proposes; a person decides", an_agent),
    ("An amended branch, and replaced lines", an_amend),
    ("A comment on a commit's message", a_reworded_commit),
    ("A rebase, and a comment on a deleted line", a_rebase),
    ("What changed since the last verdict", since_a_verdict),
    ("Ready to merge, or not yet", ready_to_merge),
    ("A renamed branch, a squash merge, and a deleted branch", renamed_and_merged),
    ("Commented files survive git gc", kept_from_gc),
];

const PARSER: &str = "src/parser.rs";
const QUESTION: &str = "why saturating?";
const NOTES_TREE: &[&str] = &["rev-parse", "refs/notes/reviews^{tree}"];

fn a_repository(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.git(alice, &["init", "--quiet"])?;
    let text = "fn parse(input: &str) -> usize {\n    input.len().saturating_sub(1)\n}\n";
    stage.write(alice, PARSER, text)?;
    commit(stage, alice, "parse the input")?;
    let log = stage.git(alice, &["log", "--format=%s, by %an <%ae>"])?;
    let is_alices = log == "parse the input, by Alice <alice@example.com>\n";
    stage.check("the author of the commit is Alice", is_alices)
}

fn a_comment(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.postil(alice, &["comment", "src/parser.rs:2", "-m", QUESTION])?;
    let log = stage.git(alice, &["log", "--format=%s, by %an", "refs/notes/reviews"])?;
    stage.check("the notes have a readable history", log == "Comment on src/parser.rs:2, by Alice\n")?;
    let listed = stage.git(alice, &["notes", "--ref=reviews", "list"])?;
    let head = stage.ask_git(alice, &["rev-parse", "HEAD"])?;
    stage.check("stock git finds the note at the commit", listed.ends_with(&head))?;
    expect(stage, alice, "anchored at src/parser.rs:2")
}

fn the_code_moves(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let text = "/// The length of what is left.\nfn parse(input: &str) -> usize {\n    input.len().saturating_sub(1)\n}\n";
    stage.write(alice, PARSER, text)?;
    commit(stage, alice, "say what it does")?;
    expect(stage, alice, "anchored at src/parser.rs:3")?;

    stage.git(alice, &["mv", PARSER, "src/length.rs"])?;
    commit(stage, alice, "call it what it is")?;
    expect(stage, alice, "anchored at src/length.rs:3")?;

    let text = "/// The length of what is left.\nfn parse(input: &str) -> usize {\n    if !input.is_empty() {\n        input.len().saturating_sub(1)\n    } else {\n        0\n    }\n}\n";
    stage.write(alice, "src/length.rs", text)?;
    commit(stage, alice, "indent it")?;
    expect(stage, alice, "shifted at src/length.rs:4")?;
    stage.postil(alice, &["list"])?;

    let text = "/// The length of what is left.\nfn parse(input: &str) -> usize {\n    if !input.is_empty() {\n        input.len() - 1\n    } else {\n        0\n    }\n}\n";
    stage.write(alice, "src/length.rs", text)?;
    commit(stage, alice, "it cannot underflow")?;
    expect(stage, alice, "outdated at src/length.rs:4")?;
    stage.postil(alice, &["list"])?;

    stage.git(alice, &["rm", "--quiet", "src/length.rs"])?;
    stage.write(alice, "README", "Nothing is left.\n")?;
    commit(stage, alice, "start over")?;
    expect(stage, alice, "orphaned")?;
    stage.git(alice, &["reset", "--quiet", "--hard", "HEAD~4"])?;
    expect(stage, alice, "anchored at src/parser.rs:3")
}

fn the_daemon_heals(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let mut daemon = stage.start_postil(alice, &["daemon", "run"])?;
    let watches = daemon.wait_for_line("watching").is_some();
    stage.check("the daemon watches the repository", watches)?;
    stage.git(alice, &["notes", "--ref=reviews", "remove", "HEAD~1"])?;
    // The next write heals first, so any of the following lines may be the one.
    let healed = loop {
        let list = stage.ask_git(alice, &["notes", "--ref=reviews", "list"])?;
        let commented = stage.ask_git(alice, &["rev-parse", "HEAD~1"])?;
        if list.contains(commented.trim()) {
            break true;
        }
        if daemon.wait_for_line("").is_none() {
            break false;
        }
    };
    stage.check("the daemon restored the comment", healed)?;
    stage.narrate("   alice$ kill -TERM %1")?;
    let ended = daemon.end();
    stage.check("the daemon stopped when asked to", ended)?;
    stage.git(alice, &["log", "-1", "--format=%s", "refs/notes/reviews"])?;
    expect(stage, alice, "anchored at src/parser.rs:3")
}

fn two_people(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let (alice, bob) = (&stage.person("Alice"), &stage.person("Bob"));
    stage.git(alice, &["clone", "--quiet", ".", "../bob"])?;
    stage.postil(bob, &["sync"])?;
    expect(stage, bob, "anchored at src/parser.rs:3")?;
    stage.postil(bob, &["comment", "src/parser.rs:1", "-m", "of what is left of what?"])?;
    stage.postil(alice, &["comment", "src/parser.rs:2", "-m", "a usize, really?"])?;
    stage.postil(bob, &["sync"])?;
    let alices = stage.ask_git(alice, NOTES_TREE)?;
    let bobs = stage.ask_git(bob, NOTES_TREE)?;
    stage.check("both have the same notes, to the byte", alices == bobs)?;
    let comments = comments(stage, bob)?;
    for found in &comments {
        stage.narrate(&format!("     {}: {} ({})", found.by, found.text, found.place))?;
    }
    stage.check("no comment was lost", comments.len() == 3)
}

fn an_answer(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let (alice, bob) = (&stage.person("Alice"), &stage.person("Bob"));
    stage.postil(alice, &["reply", "@", "-m", "a count of bytes"])?;
    stage.postil(bob, &["sync"])?;
    stage.postil(bob, &["show", "@"])?;
    stage.postil(bob, &["resolve", "@", "-m", "I see"])?;
    stage.postil(bob, &["list"])?;
    let status = stage.postil(bob, &["status"])?;
    stage.check("two of three threads are open", status.contains("2 open threads, 1 resolved"))
}

fn a_suggestion(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let (alice, bob) = (&stage.person("Alice"), &stage.person("Bob"));
    stage.write(bob, ".git/better", "    input.chars().count().saturating_sub(1)\n")?;
    let said = ["suggest", "src/parser.rs:3", "--with", ".git/better", "-m", "characters, not bytes"];
    let told = stage.postil(bob, &said)?;
    let id = told.split(' ').next().unwrap_or_default();
    stage.postil(bob, &["sync"])?;
    let text = "//! Parses.\n\n/// The length of what is left.\nfn parse(input: &str) -> usize {\n    input.len().saturating_sub(1)\n}\n";
    stage.write(alice, PARSER, text)?;
    let shown = stage.postil(alice, &["show", id])?;
    stage.check("it still applies, two lines further down", shown.contains("suggestion applies"))?;
    stage.postil(alice, &["apply", id])?;
    let changed = stage.git(alice, &["diff", "--unified=0"])?;
    let landed = changed.contains("+    input.chars().count().saturating_sub(1)\n");
    stage.check("it was applied where it was meant", landed && changed.contains("+//! Parses.\n"))?;
    stage.postil(alice, &["apply", "--undo"])?;
    stage.git(alice, &["checkout", "--quiet", "--", "."])?;
    let status = stage.git(alice, &["status", "--porcelain"])?;
    stage.check("the undo restored the file", status.is_empty())
}

fn kept_from_gc(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.write(alice, PARSER, "fn parse() {\n    todo()\n}\n")?;
    commit(stage, alice, "a draft")?;
    let blob = stage.ask_git(alice, &["rev-parse", "HEAD:src/parser.rs"])?;
    stage.postil(alice, &["comment", "src/parser.rs:2", "-m", "not like this"])?;
    stage.git(alice, &["reset", "--quiet", "--hard", "HEAD~1"])?;
    stage.git(alice, &["reflog", "expire", "--expire=now", "--all"])?;
    stage.git(alice, &["gc", "--quiet", "--prune=now"])?;
    let kept = stage.ask_git(alice, &["cat-file", "-t", blob.trim_end()]).is_ok();
    stage.check("the commented version of the file still exists", kept)
}

/// Commits everything, quietly.
pub(super) fn commit(stage: &mut DemoStage<'_>, person: &DemoPerson, message: &str) -> Result<(), Failure> {
    stage.ask_git(person, &["add", "--all"])?;
    stage.git(person, &["commit", "--quiet", "-m", message]).map(drop)
}

/// Where every comment is, whatever has become of it.
fn comments(stage: &mut DemoStage<'_>, person: &DemoPerson) -> Result<Vec<DemoComment>, Failure> {
    Ok(DemoComment::all(&stage.ask_postil(person, &["list", "--all", "--json"])?))
}

/// Claims that the first question is where `words` say.
fn expect(stage: &mut DemoStage<'_>, person: &DemoPerson, words: &str) -> Result<(), Failure> {
    expect_of(stage, person, QUESTION, words)
}

/// Claims that a comment is where `words` say.
pub(super) fn expect_of(
    stage: &mut DemoStage<'_>,
    person: &DemoPerson,
    text: &str,
    words: &str,
) -> Result<(), Failure> {
    let comments = comments(stage, person)?;
    let found = comments.iter().find(|found| found.text == text);
    let shown = found.map_or("nowhere", |found| found.place.as_str());
    stage
        .check(&format!("\"{text}\" is {words}"), shown == words)
        .map_err(|failure| failure.because(format!("it is {shown}")))
}
