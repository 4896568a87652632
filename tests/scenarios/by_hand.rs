//! The walk through a review, `docs/by-hand.md`, is played as it stands: in a real terminal of 80 columns, by two people.
//!
//! `POSTIL_BLESS=1` writes what the terminals show into the page instead of comparing; read it before you commit it.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::postil::POSTIL;
use crate::support::served::Served;
use crate::support::tmux::Tmux;
use crate::support::world::{Checkout, World};

const PAGE: &str = include_str!("../../docs/by-hand.md");

/// How many files the branch changes.
const FILES: usize = 300;

/// A project of which one branch changes 300 files, and where it is cloned from.
fn project(ann: &Checkout<'_>) {
    ann.git("init --quiet --bare --initial-branch=main ../parser.git");
    ann.git("remote add origin ../parser.git");
    let body = |nth: usize, word: &str| {
        let lines = (1..=20).map(|line| format!("    total += {word}({line}, {nth});\n"));
        format!(
            "//! Part {nth}.\n\npub fn sum_{nth}() -> u32 {{\n    let mut total = 0;\n{}    total\n}}\n",
            lines.collect::<String>()
        )
    };
    let path = |nth: usize| format!("src/part_{:02}/step_{nth:03}.rs", nth / 20);
    for nth in 0..FILES {
        ann.write(&path(nth), body(nth, "add"));
    }
    ann.write("src/lib.rs", "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n");
    ann.commit("Sum up");
    ann.git("push --quiet origin main");
    ann.git("switch --quiet -c checked-sums");
    for nth in 0..FILES {
        ann.write(&path(nth), body(nth, "checked_add"));
    }
    ann.write(
        "src/lib.rs",
        "pub fn checked_add(a: u32, b: u32) -> u32 {\n    a.checked_add(b).unwrap()\n}\n",
    );
    ann.commit("Check sums\n\nThey could overflow before.");
    ann.git("push --quiet --set-upstream origin checked-sums");
}

#[test]
fn the_walk_through_a_review_shows_what_the_terminals_show() {
    // Two machines: each has its own home and its own daemon, and both reach the project.
    let (world, other_world) = (World::new(), World::new());
    let _served = (Served(&world), Served(&other_world));
    let ann = world.repository("ann");
    project(&ann);
    let shared = "parser.git";
    symlink(world.people().join(shared), other_world.people().join(shared)).expect("the folder is empty");
    let ben = other_world.folder_of("ben");
    let folder = Path::new(POSTIL).parent().expect("a program is in a folder").display().to_string();
    let mut played = String::new();
    let mut lines = PAGE.lines().peekable();
    let mut is_screen = false;
    let Some(ann) = Tmux::open(&world, &ann) else { return };
    let ben = Tmux::open(&other_world, &ben).expect("there is a tmux");
    for person in [&ann, &ben] {
        person.typed(&format!("PATH={folder}:$PATH"));
    }
    ann.typed("cd ann");
    while let Some(line) = lines.next() {
        let _ = writeln!(played, "{line}");
        if line.starts_with("```") {
            is_screen = line == "```console";
            continue;
        }
        let Some((person, typed)) = line.split_once("$ ").filter(|_| is_screen) else { continue };
        let (person, world) = if person == "ann" { (&ann, &world) } else { (&ben, &other_world) };
        let shown = person.typed(typed).replace(&world.people().display().to_string(), "/home");
        played.push_str(&shown);
        // What the page has there.
        while lines.next_if(|next| !next.starts_with("```") && !is_prompt(next)).is_some() {}
    }
    if std::env::var_os("POSTIL_BLESS").is_some_and(|bless| bless == "1") {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/by-hand.md");
        std::fs::write(page, &played).expect("the page can be written");
        return;
    }
    for (nth, (played, page)) in played.lines().zip(PAGE.lines()).enumerate() {
        assert_eq!(played, page, "line {} of docs/by-hand.md", nth + 1);
    }
    assert_eq!(played.lines().count(), PAGE.lines().count());
}

fn is_prompt(line: &str) -> bool {
    line.starts_with("ann$ ") || line.starts_with("ben$ ")
}
