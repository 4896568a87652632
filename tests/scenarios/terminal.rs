//! On a terminal: colours, the pager, and choosing a place.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use postil_testkit::skipped;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

/// Starts a line of postil on a terminal of its own; `None` where none can be made.
fn start(checkout: &Checkout<'_>, line: &str) -> Option<Child> {
    start_at(checkout, line, 80)
}

/// The same on a terminal of so many columns.
fn start_at(checkout: &Checkout<'_>, line: &str, columns: usize) -> Option<Child> {
    let there = Command::new("script").arg("--version").output();
    if !there.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux")) {
        skipped("script of util-linux, which makes terminals");
        return None;
    }
    let mut command = checkout.command("script");
    command
        .args(["--quiet", "--return", "--command", &format!("{POSTIL} {line}"), "/dev/null"])
        .env("POSTIL_DAEMON", "off")
        .env("TERM", "xterm")
        .env("COLUMNS", columns.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    Some(command.spawn().expect("script can be started"))
}

/// Runs a line of postil on a terminal of its own, types `typed`, and returns what was shown; `None` without one.
pub fn on_terminal(checkout: &Checkout<'_>, line: &str, typed: &str) -> Option<String> {
    let mut child = start(checkout, line)?;
    child.stdin.take().expect("it was piped").write_all(typed.as_bytes()).expect("script reads");
    let output = child.wait_with_output().expect("script ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    Some(String::from_utf8_lossy(&output.stdout).replace('\r', ""))
}

/// What a line of postil shows on a terminal of so many columns, without colours and pager; `None` without a terminal.
pub fn shown_at(checkout: &Checkout<'_>, line: &str, columns: usize) -> Option<String> {
    let child = start_at(checkout, &format!("--color never --no-pager {line}"), columns)?;
    let output = child.wait_with_output().expect("script ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    Some(String::from_utf8_lossy(&output.stdout).replace('\r', ""))
}

fn commented(world: &World) -> (Checkout<'_>, String) {
    let alice = world.repository("alice");
    alice.write("a.txt", (1..=40).map(|line| format!("line number {line}\n")).collect::<String>());
    alice.commit("first");
    let said = alice.postil("comment a.txt:30 -m 'over here'").code(0).stdout();
    let id = said.split(' ').next().expect("the id comes first").to_owned();
    (alice, id)
}

#[test]
fn a_terminal_gets_colours_and_a_pager_and_a_pipe_gets_neither() {
    let world = World::new();
    let (alice, id) = commented(&world);
    alice.git("config core.pager 'sed s/^/paged:/'");
    let Some(shown) = on_terminal(&alice, "list", "") else { return };
    assert!(shown.starts_with("paged:\u{1b}[36ma.txt"), "{shown:?}");
    assert!(shown.contains(&id), "{shown:?}");
    let plain = on_terminal(&alice, "--color never list", "").expect("there was a terminal");
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    assert!(!alice.postil("list").stdout().contains('\u{1b}'));
    assert!(alice.postil("list --color always").stdout().contains("\u{1b}[33m"));
    // What `git -p` says to the command that it runs behind its pager.
    let paged_by_git = || {
        let mut command = alice.command(POSTIL);
        let paged = command.args(["list"]).env("POSTIL_DAEMON", "off").env("GIT_PAGER_IN_USE", "true");
        Finished::run(paged.env("TERM", "xterm").env("COLUMNS", "40")).code(0).stdout()
    };
    assert!(paged_by_git().starts_with("\u{1b}[36ma.txt"), "{:?}", paged_by_git());
    alice.git("config color.pager false");
    assert!(!paged_by_git().contains('\u{1b}'), "{:?}", paged_by_git());
    let plain = on_terminal(&alice, "list", "").expect("there was a terminal");
    assert!(plain.starts_with("paged:") && !plain.contains('\u{1b}'), "{plain:?}");
    alice.git("config color.ui always");
    assert!(alice.postil("list").stdout().contains("\u{1b}[33m"));
}

#[test]
fn a_pager_of_its_own_counts_and_none_is_used_where_nobody_wants_one() {
    let world = World::new();
    let (alice, _) = commented(&world);
    alice.git("config core.pager 'sed s/^/paged:/'");
    alice.git("config pager.postil 'sed s/^/own:/'");
    let Some(shown) = on_terminal(&alice, "--color never list", "") else { return };
    assert!(shown.starts_with("own:"), "{shown:?}");
    let shown = on_terminal(&alice, "--color never list --no-pager", "").expect("there was a terminal");
    assert!(!shown.contains("own:") && shown.contains("over here"), "{shown:?}");
    alice.git("config pager.postil nosuchpager");
    let failed = start(&alice, "list").expect("there was a terminal").wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert_eq!(failed.status.code(), Some(5), "{told}");
    assert!(told.contains("could not run the pager"), "{told}");
    alice.git("config pager.postil false");
    let shown = on_terminal(&alice, "--color never list", "").expect("there was a terminal");
    assert!(!shown.contains("paged:") && shown.contains("over here"), "{shown:?}");
    alice.git("config pager.postil true");
    let shown = on_terminal(&alice, "--color never list", "").expect("there was a terminal");
    assert!(shown.starts_with("paged:"), "{shown:?}");
}

#[test]
fn long_words_are_wrapped_at_the_width_of_the_terminal() {
    let world = World::new();
    let (alice, _) = commented(&world);
    let said = "word ".repeat(40);
    let id = alice.postil(&format!("comment a.txt:20 -m '{said}'")).code(0).stdout();
    let id = id.split(' ').next().expect("the id comes first");
    // Its text is gone, and that takes many words to tell.
    let text = std::fs::read_to_string(alice.folder.join("a.txt")).expect("it was written");
    alice.write("a.txt", text.replace("line number 20\n", "something else entirely\n"));
    alice.git("config core.pager cat");
    let Some(shown) = on_terminal(&alice, &format!("--color never show {id}"), "") else { return };
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(shown.matches("    word word").count() >= 3, "{shown}");
    let diff = on_terminal(&alice, "--color never diff", "").expect("as before");
    assert!(diff.lines().all(|line| line.chars().count() <= 80), "{diff}");
    assert!(diff.contains("\n#   alice: word word") && diff.contains("\n#     word word"), "{diff}");
    let piped = alice.postil(&format!("show {id}")).code(0).stdout();
    assert!(piped.contains(said.trim_end()), "a pipe gets whole lines: {piped}");
}

#[test]
fn a_person_chooses_a_place_at_a_terminal() {
    let world = World::new();
    let (alice, id) = commented(&world);
    let Some(shown) = on_terminal(&alice, &format!("move {id} --radius 5"), "/number 7\n:7\n") else {
        return;
    };
    assert!(shown.contains("    25 | line number 25") && !shown.contains("    24 | line"), "{shown}");
    assert!(shown.contains("move to ("), "{shown}");
    assert!(shown.contains("     7 | line number 7\n"), "{shown}");
    assert!(alice.postil("list").stdout().contains("a.txt:7  alice: over here"));
    on_terminal(&alice, &format!("move {id}"), "nonsense:0\nq\n");
    let shown =
        on_terminal(&alice, &format!("move {id}"), "what?\nnowhere.txt:3\n:99\nq\n").expect("as before");
    assert_eq!(shown.matches("is not a valid answer; enter LINE, FILE:LINE,").count(), 3, "{shown}");
    assert_eq!(shown.matches("move to (").count(), 4, "it asks again: {shown}");
    assert!(alice.postil("list").stdout().contains("a.txt:7  alice: over here"));
    on_terminal(&alice, &format!("move {id}"), "9\n");
    assert!(
        alice.postil("list").stdout().contains("a.txt:9  alice: over here"),
        "a number is that of a line"
    );
    // A file that has become shorter is shown as far as it goes.
    alice.write("a.txt", "something\nelse\n");
    let shown = on_terminal(&alice, &format!("move {id}"), "q\n").expect("as before");
    assert!(shown.contains("     2 | else\n"), "{shown}");
    on_terminal(&alice, &format!("move {id}"), "w\n");
    assert_eq!(alice.postil("list").stdout(), "");
}

#[test]
fn what_takes_long_is_told_at_a_terminal_and_taken_away_when_it_is_done() {
    let world = World::new();
    let (alice, _) = commented(&world);
    // Somebody else writes for as long as this is held.
    let writer = File::open(alice.folder.join(".git/postil/writer")).expect("somebody wrote before");
    writer.lock().expect("nobody writes");
    let Some(mut quiet) = start(&alice, "-q comment a.txt:1 -m quietly") else { return };
    let mut loud = start(&alice, "comment a.txt:2 -m loudly").expect("there was a terminal");
    let mut out = loud.stdout.take().expect("it was piped");
    let mut shown = Vec::new();
    while !String::from_utf8_lossy(&shown).contains("writing… ") {
        let mut part = [0; 64];
        let read = out.read(&mut part).expect("a terminal can be read");
        assert!(read > 0, "it ended and told nothing: {}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&part[..read]);
    }
    writer.unlock().expect("it was locked");
    out.read_to_end(&mut shown).expect("a terminal can be read");
    assert!(loud.wait().expect("script ends").success());
    let shown = String::from_utf8_lossy(&shown);
    let (_, left) = shown.rsplit_once("\r\u{1b}[K").expect("the line is erased");
    assert!(left.contains("a.txt:2") && !left.contains("writing"), "{shown:?}");

    let mut shown = String::new();
    quiet.stdout.take().expect("it was piped").read_to_string(&mut shown).expect("a terminal can be read");
    assert!(quiet.wait().expect("script ends").success());
    assert!(!shown.contains("writing"), "{shown:?}");
}

#[test]
fn who_changes_the_newest_comment_is_asked_if_it_is_new_to_them() {
    let world = World::new();
    let (_alice, bob) = crate::targets::team(&world);
    let Some(mut child) = start(&bob, "resolve @") else { return };
    child.stdin.take().expect("it was piped").write_all(b"n\n").expect("script reads");
    let output = child.wait_with_output().expect("script ends");
    let shown = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    assert!(shown.contains("by alice: why two?\nuse it? [y/N] "), "{shown}");
    assert!(output.status.code() == Some(6) && shown.contains("error: nothing was written"), "{shown}");
    let shown = on_terminal(&bob, "resolve @", "y\n").expect("there was one before");
    assert!(shown.contains("resolved "), "{shown}");
}

/// A comment on a part of a line, with Markdown.
fn commented_in_markdown(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.write("a.rs", "/* not\n   code */\nlet x = \"é\";\n");
    alice.commit("first");
    alice.write("text", "*Why* `x`?\n\n- see [it](https://example.com/x)\n\n```rust\nlet y = 1;\n```\n");
    alice.postil("comment a.rs:3:5-3:5 -F text").code(0);
    alice
}

#[test]
fn at_a_terminal_markdown_is_rendered_and_code_has_colours() {
    let world = World::new();
    let alice = commented_in_markdown(&world);
    let Some(shown) = on_terminal(&alice, "--no-pager show", "") else { return };
    for expected in [
        // The comment began two lines above, and `x` is what is meant.
        "\u{1b}[2m\u{1b}[3m   code */\u{1b}[0m",
        "|\u{20}\u{1b}[35mlet\u{1b}[0m \u{1b}[4mx\u{1b}[0m = \u{1b}[32m\"é\"\u{1b}[0m;",
        "    \u{1b}[3mWhy\u{1b}[0m \u{1b}[36mx\u{1b}[0m?\n",
        "    - see \u{1b}[4mit\u{1b}[0m\u{1b}[2m (https://example.com/x)\u{1b}[0m\n",
        "        \u{1b}[35mlet\u{1b}[0m y = \u{1b}[33m1\u{1b}[0m;\n",
    ] {
        assert!(shown.contains(expected), "{expected:?} in {shown:?}");
    }
    let plain = shown_at(&alice, "show", 80).expect("there was a terminal");
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    let carets = ">      3 | let x = \"é\";\n         |     ^\n";
    assert!(plain.contains(carets), "{plain}");
    assert!(plain.contains("    *Why* `x`?\n\n    - see it (https://example.com/x)\n"), "{plain}");
}

#[test]
fn a_pipe_gets_markdown_as_it_was_written() {
    let world = World::new();
    let alice = commented_in_markdown(&world);
    let piped = alice.postil("show").code(0).stdout();
    assert!(
        piped.contains("    *Why* `x`?\n\n    - see [it](https://example.com/x)\n\n    ```rust\n"),
        "{piped}"
    );
    assert!(!alice.postil("show --json").code(0).stdout().contains("\"syntax\""));
}

#[test]
fn hostile_markdown_is_harmless_at_a_terminal() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.rs", "let x = \"\u{1b}[2J\";\u{9b}5m \u{202e}\n");
    alice.commit("first");
    alice.write(
        "text",
        "&#27;[2J [x\u{1b}]0;y\u{7}](https://z/\u{1b}\\) <!-- unseen -->\n\n[d]: https://w \"secret\"\n\n```\u{1b}c\n\u{9b}5m\n```\n",
    );
    alice.postil("comment a.rs:1:3-1:20 -F text").code(0);
    for line in ["show", "--color never show"] {
        let Some(shown) = on_terminal(&alice, &format!("--no-pager {line}"), "") else { return };
        assert!(shown.contains("unseen") && shown.contains("secret"), "{shown:?}");
        for sequence in shown.split('\u{1b}').skip(1) {
            let end = sequence.find('m').unwrap_or(usize::MAX);
            let is_style = sequence.starts_with('[')
                && end < 8
                && sequence[1..end].bytes().all(|b| b.is_ascii_digit() || b == b';');
            assert!(is_style, "{sequence:?} in {shown:?}");
        }
        assert!(!shown.contains(['\u{9b}', '\u{202e}', '\u{7}', '\r']), "{shown:?}");
    }
}
