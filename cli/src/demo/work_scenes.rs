//! The scenes about work in progress: files that are not committed, who waits for whom, and what broke meanwhile.

use super::scenes::{commit, expect_of};
use super::stage::DemoStage;
use crate::failure::Failure;

const PARSER: &str = "src/parser.rs";
const LENGTH: &str = "src/length.rs";
const SIZES: &str = "src/sizes.rs";
const QUESTION: &str = "why saturating?";

/// A comment follows what is on disk, also into files that git does not track yet.
pub fn not_committed(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let text = DemoStage::read(alice, PARSER)?;
    stage.move_file(alice, PARSER, LENGTH)?;
    expect_of(stage, alice, QUESTION, "anchored at src/length.rs:3")?;
    stage.write(alice, LENGTH, &format!("//! Not saved long ago.\n\n{text}"))?;
    expect_of(stage, alice, QUESTION, "anchored at src/length.rs:5")?;
    stage.postil(alice, &["list"])?;
    stage.move_file(alice, LENGTH, PARSER)?;
    stage.git(alice, &["checkout", "--quiet", "--", "."])?;
    expect_of(stage, alice, QUESTION, "anchored at src/parser.rs:3")
}

/// What others suggest is taken over in one commit, which names them and resolves their threads.
pub fn all_suggestions(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let (alice, bob) = (&stage.person("Alice"), &stage.person("Bob"));
    stage.git(alice, &["switch", "--quiet", "-c", "sizes"])?;
    stage.write(alice, SIZES, "const SMALL: u8 = 1;\nconst MEDIUM: u8 = 2;\nconst LARGE: u8 = 3;\n")?;
    commit(stage, alice, "name the sizes")?;
    stage.postil(alice, &["review", "start"])?;
    stage.postil(bob, &["sync"])?;
    stage.git(bob, &["fetch", "--quiet"])?;
    stage.git(bob, &["switch", "--quiet", "sizes"])?;
    for (line, text) in [("1", "const SMALL: u32 = 1;\n"), ("3", "const LARGE: u32 = 3;\n")] {
        stage.write(bob, ".git/wider", text)?;
        let (place, words) = (format!("{SIZES}:{line}"), format!("line {line} may overflow"));
        stage.postil(bob, &["suggest", &place, "--with", ".git/wider", "-m", &words])?;
    }
    stage.postil(bob, &["sync"])?;
    stage.postil(alice, &["apply", "--all", "--commit", "--resolve"])?;
    let text = DemoStage::read(alice, SIZES)?;
    stage.check("both suggestions are applied", text.matches(": u32").count() == 2)?;
    let message = stage.git(alice, &["log", "-1", "--format=%B"])?;
    let named = message.contains("Co-authored-by: Bob <bob@example.com>");
    stage.check(
        "the commit names Bob and the threads",
        named && message.matches("Postil-Thread: ").count() == 2,
    )?;
    let review = stage.postil(alice, &["review", "show"])?;
    stage.check("the threads are resolved", review.contains("0 open, 2 resolved"))?;
    stage.git(alice, &["switch", "--quiet", "main"]).map(drop)
}

/// Who lists, does something else and waits then misses nothing.
pub fn nothing_missed(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let listed = stage.ask_postil(alice, &["list", "--json"])?;
    let mark = serde_json::from_str::<serde_json::Value>(&listed).ok();
    let mark = mark.as_ref().and_then(|listed| listed["mark"].as_str()).unwrap_or_default();
    let said = ["comment", "src/parser.rs:1", "-m", "written before anyone waited"];
    let told = stage.postil(alice, &said)?;
    let id = told.split(' ').next().unwrap_or_default();
    let waited = stage.postil(alice, &["wait", "--timeout", "10", "--since", mark])?;
    stage.check(
        "`wait --since` reports the earlier comment",
        waited.contains("written before anyone waited"),
    )?;
    stage.postil(alice, &["resolve", id]).map(drop)
}

/// An agent that declares itself reads in few words, answers and proposes; a person accepts.
pub fn an_agent(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let told = stage.postil(alice, &["comment", "src/parser.rs:3", "-m", "say what is parsed"])?;
    let id = told.split(' ').next().unwrap_or_default();
    stage.git(alice, &["config", "--global", "postil.agents", "write"])?;
    let via = ["--via", "agent:helper"];
    let listed = stage.postil(alice, &["list", "--compact", via[0], via[1]])?;
    stage.check(
        "the agent reads the comment as data, with its code",
        listed.contains("| say what is parsed\n3:"),
    )?;
    let said = ["reply", id, "-m", "It parses a length; the name says so.", via[0], via[1]];
    stage.postil(alice, &said)?;
    stage.postil(alice, &["propose", id, "--obsolete", "-m", "nothing is left to say", via[0], via[1]])?;
    let shown = stage.postil(alice, &["show", id])?;
    let is_told = shown.contains("helper (agent for Alice)") && shown.contains("proposed as obsolete");
    stage.check(
        "what the agent wrote is the agent's, and the thread is open",
        is_told && !shown.contains("resolved"),
    )?;
    stage.postil(alice, &["accept", id])?;
    let shown = stage.ask_postil(alice, &["show", id])?;
    stage.check("the thread is resolved, by Alice", shown.contains("resolved by Alice"))
}

/// An object of the newest notes is gone: the rest is shown, no check passes, and a sync brings it back.
pub fn a_damaged_repository(stage: &mut DemoStage<'_>) -> Result<(), Failure> {
    let bob = &stage.person("Bob");
    let said = ["comment", "src/parser.rs:1", "-m", "will this last?"];
    let told = stage.postil(bob, &said)?;
    let id = told.split(' ').next().unwrap_or_default().to_owned();
    stage.postil(bob, &["sync"])?;
    let tip = stage.ask_git(bob, &["rev-parse", "refs/notes/reviews"])?;
    let (folder, rest) = tip.trim_end().split_at(2);
    stage.move_file(bob, &format!(".git/objects/{folder}/{rest}"), ".git/gone")?;
    // It was written a moment ago, so it has a second name, from which it would come back.
    stage.move_file(bob, &format!(".git/postil/kept/{folder}{rest}"), ".git/gone-too")?;
    let listed: serde_json::Value =
        serde_json::from_str(&stage.ask_postil(bob, &["list", "--json"])?).unwrap_or_default();
    let warning = listed["warnings"][0]["what"].as_str().unwrap_or_default();
    stage.narrate(&format!("     warning: {warning}"))?;
    let is_listed = listed["threads"].as_array().is_some_and(|threads| !threads.is_empty());
    stage.check(
        "older comments are shown, and the answer says what is missing",
        is_listed && warning.contains(tip.trim_end()),
    )?;
    stage.postil(bob, &["sync"])?;
    let shown = stage.postil(bob, &["show", &id])?;
    stage.check("a sync brought the lost comment back", shown.contains("will this last?"))?;
    stage.postil(bob, &["withdraw", &id])?;
    stage.postil(bob, &["sync"]).map(drop)
}
