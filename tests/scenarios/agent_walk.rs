//! The walk through a review of an agent's work in `docs/agents.md` is played as it stands.
//!
//! `POSTIL_BLESS=1` writes what the commands print into the page instead of comparing; read it before you commit it.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

const PAGE: &str = include_str!("../../docs/agents.md");

const SUM: &str = "fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n\nfn mean(all: &[u32]) -> u32 {\n    sum(all) / all.len() as u32\n}\n";

/// What one of the two types, and what the terminal shows.
fn typed(ann: &Checkout<'_>, who: &str, line: &str, mark: &mut String) -> String {
    let folder = Path::new(POSTIL).parent().expect("a program is in a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = ann.command("bash");
    command.args(["-c", &format!("exec 2>&1; {}", line.replace("MARK", mark))]);
    command.env("PATH", format!("{folder}:{path}")).env("POSTIL_DAEMON", "off");
    if who == "agent" {
        command.env("CLAUDECODE", "1");
    }
    let output = command.output().expect("there is a shell");
    let mut shown = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        match line.strip_prefix("mark ") {
            // It is long, and nobody reads it.
            Some(found) => {
                found.clone_into(mark);
                shown.push_str("mark MARK\n");
            }
            None => {
                let _ = writeln!(shown, "{line}");
            }
        }
    }
    shown
}

fn prompt(line: &str) -> Option<(&str, &str)> {
    line.split_once("$ ").filter(|(who, _)| matches!(*who, "ann" | "agent"))
}

#[test]
fn the_walk_through_a_review_of_an_agents_work_shows_what_the_commands_print() {
    let world = World::new();
    let ann = world.repository("ann");
    ann.write("README", "Sums.\n");
    ann.commit("first");
    ann.write("src/sum.rs", SUM);
    let (mut played, mut mark, mut is_screen) = (String::new(), String::new(), false);
    let mut lines = PAGE.lines().peekable();
    while let Some(line) = lines.next() {
        let _ = writeln!(played, "{line}");
        if line.starts_with("```") {
            is_screen = line == "```console";
            continue;
        }
        let Some((who, command)) = prompt(line).filter(|_| is_screen) else { continue };
        played.push_str(&typed(&ann, who, command, &mut mark));
        // What the page has there.
        while lines.next_if(|next| !next.starts_with("```") && prompt(next).is_none()).is_some() {}
    }
    if std::env::var_os("POSTIL_BLESS").is_some_and(|bless| bless == "1") {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/agents.md");
        std::fs::write(page, &played).expect("the page can be written");
        return;
    }
    for (nth, (played, page)) in played.lines().zip(PAGE.lines()).enumerate() {
        assert_eq!(played, page, "line {} of docs/agents.md", nth + 1);
    }
    assert_eq!(played.lines().count(), PAGE.lines().count());
}
