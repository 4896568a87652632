//! The page that talks to the daemon by hand is played as it stands.
//!
//! `POSTIL_WRITE_PAGE=1` writes what the daemon says into the page instead of comparing.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::support::served::{Served, TEN_SECONDS};
use crate::support::world::World;

const PAGE: &str = include_str!("../../docs/daemon-by-hand.md");

/// Where the page says that the repository is.
const THERE: &str = "/home/ann/parser/.git";

#[test]
fn the_page_that_talks_by_hand_says_what_the_daemon_says() {
    let world = World::new();
    let _served = Served(&world);
    let ann = world.repository("ann");
    ann.write("src/lib.rs", "fn f(a: u8, b: u8) -> u8 {\n    a.saturating_sub(b)\n}\n");
    ann.commit("first");
    world.postil("daemon start").code(0);
    let here = ann.name().git_dir.as_str().expect("plain letters").to_owned();
    let stream = UnixStream::connect(world.socket()).expect("the daemon listens");
    stream.set_read_timeout(Some(TEN_SECONDS)).expect("a socket can have a time limit");
    let mut writing = stream.try_clone().expect("a socket has two ends");
    let mut lines = BufReader::new(stream).lines();
    let mut played = String::new();
    for line in PAGE.lines() {
        if let Some(typed) = line.strip_prefix("→ ") {
            writeln!(writing, "{}", typed.replace(THERE, &here)).expect("the daemon reads");
            played.push_str(line);
        } else if let Some(command) = line.strip_prefix("$ ") {
            let status = ann.command("sh").args(["-c", command]).status().expect("a shell");
            assert!(status.success(), "{command}");
            played.push_str(line);
        } else if line.starts_with("← ") {
            let said = lines.next().expect("the daemon goes on").expect("it can be read");
            played.push_str("← ");
            played.push_str(&plain(&said.replace(&here, THERE)));
        } else {
            played.push_str(line);
        }
        played.push('\n');
    }
    if std::env::var_os("POSTIL_WRITE_PAGE").is_some() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/daemon-by-hand.md");
        std::fs::write(page, played).expect("the page can be written");
        return;
    }
    for (played, page) in played.lines().zip(PAGE.lines()) {
        assert_eq!(played, plain(page));
    }
}

/// With what differs from day to day left out: the process, the version, and where the notes and marks are.
fn plain(line: &str) -> String {
    let line = masked(line, "\"pid\":", "4711");
    let line = masked(&line, "\"version\":\"", "0.1.0");
    let line = masked(&line, "\"mark\":\"", "1275544171970616700062f98881487517999df5.0-x");
    masked(&line, "\"notes\":\"", "1275544171970616700062f98881487517999df5")
}

fn masked(line: &str, key: &str, with: &str) -> String {
    let Some((before, after)) = line.split_once(key) else { return line.to_owned() };
    let rest = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || ".-".contains(c));
    format!("{before}{key}{with}{rest}")
}
