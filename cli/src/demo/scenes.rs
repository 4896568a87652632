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
    ("The daemon sees what happens to the notes", the_daemon_watches),
];

fn a_repository(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    stage.git(alice, &["init", "--quiet"])?;
    let text = "fn parse(input: &str) -> usize {\n    input.len().saturating_sub(1)\n}\n";
    stage.write(alice, "src/parser.rs", text)?;
    stage.git(alice, &["add", "src/parser.rs"])?;
    stage.git(alice, &["commit", "--quiet", "-m", "parse the input"])?;
    let log = stage.git(alice, &["log", "--format=%s, by %an <%ae>"])?;
    let is_alices = log == "parse the input, by Alice <alice@example.com>\n";
    stage.claim("the commit is Alice's, whoever runs the demo", is_alices)
}

fn the_daemon_watches(stage: &mut Stage<'_>) -> Result<(), Failure> {
    let alice = &stage.person("Alice");
    let mut daemon = stage.start_postil(alice, &["daemon", "run"])?;
    let watches = daemon.hear("watching").is_some();
    stage.claim("the daemon watches the repository", watches)?;
    stage.git(alice, &["notes", "--ref=reviews", "add", "-m", "why saturating?", "HEAD"])?;
    let moved = daemon.hear("notes moved");
    let tip = stage.ask_git(alice, &["rev-parse", "refs/notes/reviews"])?;
    let knows_the_tip = moved.is_some_and(|line| line.contains(tip.trim_end()));
    stage.claim("the daemon saw the notes move to where stock git put them", knows_the_tip)?;
    stage.tell("   alice$ kill -TERM %1")?;
    let ended = daemon.end();
    stage.claim("the daemon ended when it was asked to", ended)
}
