//! The scenes about work in progress: files that are not committed, and who waits for whom.

use super::scenes::expect_of;
use super::stage::DemoStage;
use crate::failure::Failure;

const PARSER: &str = "src/parser.rs";
const LENGTH: &str = "src/length.rs";
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
