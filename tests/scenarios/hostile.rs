//! What others wrote is shown harmlessly, and what cannot be read does no harm.

use std::process::Stdio;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::served::Served;
use crate::support::world::World;

const ESCAPES: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m \u{202e}evil\u{200b} caf\u{e9}";

#[test]
fn no_record_reaches_a_terminal_with_its_escapes() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", format!("{ESCAPES}\n"));
    alice.write("evil\u{1b}[31m.txt", "x\n");
    alice.commit("first");
    alice.git("switch --quiet -c top\u{202e}ic");
    let mut command = alice.command(POSTIL);
    command.env("POSTIL_DAEMON", "off");
    command.env("GIT_AUTHOR_NAME", "\u{1b}[7m\u{202e}mallory").args(["comment", "a.txt:1", "-m", ESCAPES]);
    command.env("GIT_AUTHOR_EMAIL", "mallory@example.com");
    command.args(["--tag", "\u{1b}[5m"]);
    Finished::run(&mut command).code(0);
    alice.postil("comment 'evil\u{1b}[31m.txt:1' -m path").code(0);
    alice.postil("review start").code(0);
    let check = |line: &str, code: i32| {
        let finished = alice.postil(line);
        let told = finished.code(code).stdout() + &finished.stderr();
        let is_bad = |c: &char| (c.is_control() && !"\n\t".contains(*c)) || "\u{202e}\u{200b}".contains(*c);
        assert_eq!(told.chars().find(is_bad), None, "{line}: {told:?}");
    };
    let lines = [
        "inbox",
        "stats",
        "list",
        "list --sort age",
        "show @",
        "list --all",
        "diff",
        "status",
        "status --short",
        "review list",
        "review show",
        "review ready",
        "log @",
    ];
    for line in lines {
        check(line, 0);
        check(&format!("--json {line}"), 0);
    }
    check("list --format '%(id) %(path) %(author) %(email) %(tags) %(subject) %(text) %(severity)'", 0);
    check("list --author mallroy", 0);
    // As on a terminal.
    for line in ["list", "list --sort severity", "inbox", "show @", "stats"] {
        let mut command = alice.command(POSTIL);
        command.args(["--color", "never"]).args(line.split(' ')).env("POSTIL_DAEMON", "off");
        command.env("GIT_PAGER_IN_USE", "1").env("COLUMNS", "80");
        let told = Finished::run(&mut command).code(0).stdout();
        let is_bad = |c: &char| (c.is_control() && *c != '\n') || "\u{202e}\u{200b}".contains(*c);
        assert_eq!(told.chars().find(is_bad), None, "{line}: {told:?}");
    }
    for line in ["doctor", "ids --described", "ids --reviews --described", "publish", "review approve"] {
        check(line, 0);
    }
    for format in ["json", "sarif", "rdjson", "rdjsonl"] {
        check(&format!("export -f {format}"), 0);
    }
    // What is refused may quote a name, a path, a branch.
    let mallorys = alice.postil("list a.txt").stdout().split(' ').next().expect("an id").to_owned();
    check(&format!("withdraw {mallorys}"), 4);
    check(&format!("--json withdraw {mallorys}"), 4);
    check(&format!("comment '{ESCAPES}:1' -m lost"), 3);
    check(&format!("review start --base '{ESCAPES}'"), 3);
    assert!(alice.postil("list").stdout().contains("\"evil\\033[31m.txt\":1"));
    // JSON escapes what it must, and a program gets every byte.
    let json = alice.postil("list a.txt --json").stdout();
    let value: serde_json::Value = serde_json::from_str(&json).expect("one JSON object");
    assert_eq!(value["threads"][0]["comments"][0]["text"], ESCAPES);
}

#[test]
fn no_event_reaches_a_terminal_with_its_escapes_or_without_end() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.write("evil\u{1b}[31m\u{202e}.txt", "x\n");
    alice.commit("first");
    alice.git("switch --quiet -c top\u{202e}ic");
    alice.write("a.txt", "one\n2\n");
    alice.commit("second");
    let mark = || {
        let listed = alice.postil("list --json").code(0).stdout();
        let listed: serde_json::Value = serde_json::from_str(&listed).expect("one JSON object");
        listed["mark"].as_str().expect("every answer has one").to_owned()
    };
    let before = mark();
    let huge = "\u{1b}[2J\u{202e}x".repeat(100_000);
    let mallory = |words: &[&str], input: &str| {
        let mut command = alice.command(POSTIL);
        command.env("POSTIL_DAEMON", "off").env("GIT_AUTHOR_NAME", "\u{1b}[7m\u{202e}mallory\u{9b}31m");
        command.env("GIT_AUTHOR_EMAIL", "mallory@example.com").args(words);
        let file = world.tmp().join("input");
        std::fs::write(&file, input).expect("a file can be written");
        Finished::run(command.stdin(std::fs::File::open(file).expect("it was written"))).code(0).stdout()
    };
    mallory(&["review", "start", "--title", ESCAPES, "-m", ESCAPES], "");
    mallory(&["comment", "a.txt:2", "-F", "-", "--tag", "\u{1b}[5m"], &format!("{ESCAPES}\n{huge}"));
    mallory(&["comment", "evil\u{1b}[31m\u{202e}.txt:1", "-F", "-"], &huge);
    mallory(&["reply", "@", "-m", ESCAPES], "");
    mallory(&["resolve", "@", "-m", ESCAPES], "");
    let then = mark();
    alice.write("a.txt", "new\none\n2\n");
    alice.git("mv evil\u{1b}[31m\u{202e}.txt evil\u{1b}[32m\u{202e}.txt");
    alice.commit(ESCAPES);
    let is_bad = |c: &char| (c.is_control() && !"\n\t".contains(*c)) || "\u{202e}\u{200b}".contains(*c);
    for served in [false, true] {
        for (what, mark) in [("changed", &before), ("placed", &then)] {
            for json in ["", "--json "] {
                let line = format!("{json}wait --timeout 10 --for {what} --since {mark}");
                let finished = if served { alice.served(&line) } else { alice.postil(&line) };
                let told = finished.code(0).stdout() + &finished.stderr();
                assert_eq!(told.chars().find(is_bad), None, "{line}: {:?}", &told[..told.len().min(2_000)]);
                assert!(told.contains(if json.is_empty() { "evil" } else { what }), "{line}");
                // A line of each change, and no more of it than fits there.
                assert!(!json.is_empty() || told.len() < 20_000, "{line}: {}", told.len());
            }
        }
    }
    // A program gets every byte.
    let json = alice.postil(&format!("--json wait --since {before}")).code(0).stdout();
    let value: serde_json::Value = serde_json::from_str(&json).expect("one JSON object");
    let threads = value["params"]["threads"].as_array().expect("threads are told");
    let texts: Vec<&str> =
        threads.iter().filter_map(|thread| thread["comments"][0]["text"].as_str()).collect();
    assert!(texts.iter().any(|text| text.starts_with(ESCAPES) && text.ends_with(&huge)), "{}", texts.len());
}

#[test]
fn huge_lines_are_cut_and_bytes_that_are_no_text_are_shown() {
    let world = World::new();
    let alice = world.repository("alice");
    let mut content = vec![b'x'; 10 << 20];
    content.extend_from_slice(b"\nlatin \xe9\n");
    alice.write("big.txt", content);
    alice.commit("first");
    alice.postil("comment big.txt:1 -m huge").code(0);
    alice.postil("comment big.txt:2 -m bytes").code(0);
    let shown = alice.postil("show @").code(0).stdout();
    assert!(shown.len() < 20_000, "{}", shown.len());
    assert!(shown.contains("latin \\xe9"), "{}", &shown[shown.len().saturating_sub(400)..]);
}

#[test]
fn a_reader_who_leaves_early_hears_no_complaint() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "x\n".repeat(50));
    alice.commit("first");
    for line in 1..20 {
        alice.postil(&format!("comment a.txt:{line} -m text")).code(0);
    }
    let mut command = alice.command(POSTIL);
    command.env("POSTIL_DAEMON", "off");
    command.arg("list").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("postil can be started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("a child can be waited for");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn foreign_and_damaged_notes_are_reported_and_kept() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.git("notes --ref=reviews add -m 'somebody elses words' HEAD");
    alice.postil("comment a.txt:2 -m ours").code(0);
    assert!(alice.postil("list").code(0).stdout().contains("a.txt:2  alice: ours"));
    alice.postil("status").code(0);
    assert!(alice.git("notes --ref=reviews show HEAD").contains("somebody elses words"));
}
