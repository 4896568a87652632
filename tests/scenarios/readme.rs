//! The session at the top of the README is a recording: it is played again, and must read the same.

use crate::support::postil::folder_of_git_postil;
use crate::support::world::World;

const README: &str = include_str!("../../README.md");

/// What the file holds that the session is about.
const LIB: &str =
    "fn rest(a: u32, b: u32) -> u32 {\n    // What is left of a.\n\n    a.saturating_sub(b)\n}\n";

#[test]
fn the_session_in_the_readme_is_a_recording() {
    let world = World::new();
    let ann = world.repository("ann");
    ann.write("src/lib.rs", LIB);
    ann.commit("first");
    ann.git("switch --quiet -c topic");
    ann.write("README", "a parser\n");
    ann.commit("Say what it is");
    let mut path = vec![folder_of_git_postil().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").expect("there is a PATH")));
    let path = std::env::join_paths(path).expect("no folder of the PATH holds its separator");

    let from = README.find("```console\n").expect("the README has a session") + "```console\n".len();
    let length = README[from..].find("```").expect("the session ends");
    let recorded = &README[from..from + length];
    let mut played = String::new();
    for line in recorded.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let mut shell = ann.command("sh");
        let output = shell
            .env("PATH", &path)
            .env("TZ", "UTC")
            .env("POSTIL_DAEMON", "off")
            .args(["-c", &format!("{line} 2>&1")])
            .output();
        let output = output.expect("there is a shell");
        let told = String::from_utf8_lossy(&output.stdout);
        played.extend(["$ ", line, "\n", &told]);
    }
    assert_eq!(played, recorded, "\n{played}");
}
