//! Lists, the inbox, the status and the drift as a person sees them at a terminal: screens that are kept, at 80 and 120 columns.
//!
//! `POSTIL_BLESS=1` writes the screens again; read them before you commit them.

use std::fs;
use std::path::Path;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::served::Served;
use crate::support::world::{Checkout, World, words};
use crate::terminal::shown_at;

/// Compares a screen with the one that is kept.
#[track_caller]
fn check_screen(name: &str, shown: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios/screens").join(name);
    if std::env::var_os("POSTIL_BLESS").is_some() {
        fs::write(&file, shown).expect("a screen can be written");
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(shown, kept, "{name} is another screen; see the head of this file");
}

/// Runs a line as somebody else, at another time, in the same repository.
fn by(checkout: &Checkout<'_>, name: &str, when: &str, line: &str) -> String {
    let mut command = checkout.command(POSTIL);
    let email = format!("{}@example.com", name.split(' ').next().unwrap_or_default().to_lowercase());
    command.env("GIT_AUTHOR_NAME", name).env("GIT_AUTHOR_EMAIL", email).env("GIT_AUTHOR_DATE", when);
    let told = Finished::run(command.args(words(line)).env("POSTIL_DAEMON", "off")).code(0).stdout();
    told.split(' ').next().expect("an id comes first").to_owned()
}

const LONG: &str = "src/very/long/path/that/goes/on/and/on/until/nobody/remembers/where/it/began/parser.rs";

/// A branch with threads of all kinds.
fn reviewed(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.git("config core.quotePath false");
    let lines = (1..=150).map(|line| format!("let number_{line} = {line};\n")).collect::<String>();
    for file in ["src/lib.rs", LONG, "docs/漢字.md"] {
        alice.write(file, &lines);
    }
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.commit("Say what it is");
    alice.postil("comment -m 'About the whole of it'").code(0);
    alice.postil("comment src/lib.rs:4 --severity question -m 'Why saturating? This is longer than a line of eighty columns, and than what remains of one.'").code(0);
    let blocker = by(
        &alice,
        "Bob Dean",
        "2026-01-02T09:00:00Z",
        "comment src/lib.rs:12-20 --severity blocker -m 'This overflows'",
    );
    by(
        &alice,
        "Ann Cole",
        "2025-12-01T09:00:00Z",
        "comment src/lib.rs:30 --tag perf -m 'Slow for long inputs'",
    );
    by(&alice, "Ann Bell", "2025-12-24T09:00:00Z", "comment src/lib.rs -m 'Too long a file'");
    by(
        &alice,
        "Bob Dean",
        "2026-01-05T07:00:00Z",
        &format!(
            "comment {LONG}:99-104 --severity nit -m '名前は短い方がいい、読みやすいので。もう少し考えてください。それから長い文章も切れるべき'"
        ),
    );
    by(
        &alice,
        "漢字 太郎",
        "2026-01-05T08:48:00Z",
        "comment docs/漢字.md:7 --severity praise -m 'e\u{301}cru 👩‍👩‍👧 fine'",
    );
    alice.postil("comment docs/漢字.md:140 -m 'not yet said' --draft").code(0);
    by(&alice, "Bob Dean", "2026-01-05T08:59:00Z", &format!("reply {blocker} -m 'And here too'"));
    let moved = lines.replace("let number_4 = 4;\n", "").replace("let number_30 = 30;", "something else");
    alice.write("src/lib.rs", format!("use std::fmt;\n{moved}"));
    alice
}

/// No line is wider than the terminal.
#[track_caller]
fn check_width(shown: &str, columns: usize) {
    for line in shown.lines() {
        let width = unicode_width::UnicodeWidthStr::width(line);
        assert!(width <= columns, "{width} columns: {line}");
    }
}

#[test]
fn a_list_is_a_table_at_a_terminal() {
    let world = World::new();
    let alice = reviewed(&world);
    for columns in [80, 120] {
        let Some(shown) = shown_at(&alice, "list", columns) else { return };
        check_width(&shown, columns);
        check_screen(&format!("list-{columns}.txt"), &shown);
        let shown = shown_at(&alice, "list --sort age", columns).expect("as before");
        check_width(&shown, columns);
        check_screen(&format!("list-by-age-{columns}.txt"), &shown);
    }
    let shown = shown_at(&alice, "list --sort severity --author bob", 80).expect("as before");
    check_screen("list-by-severity-80.txt", &shown);
    assert!(shown_at(&alice, "list --grep nowhere", 80).expect("as before").contains("there would be"));
    // A pipe has one line for each thread, and what is to be said of its place.
    let piped = alice.postil("list src/lib.rs --author dean").code(0).stdout();
    assert!(piped.contains("  src/lib.rs:12-20  blocker  Bob Dean: This overflows  [1 reply]\n"), "{piped}");
}

#[test]
fn two_hundred_threads_stay_in_their_columns() {
    let world = World::new();
    let alice = world.repository("alice");
    let files: Vec<String> = (0..20).map(|file| format!("src/part_{file}/module.rs")).collect();
    for file in &files {
        alice.write(file, (1..=100).map(|line| format!("line {line} of {file}\n")).collect::<String>());
    }
    alice.commit("first");
    let threads = files.iter().flat_map(|file| {
        (1..=10).map(move |nth| format!("{file}:{}:1: words of a linter that go on for long {nth}", nth * 9))
    });
    let report: Vec<serde_json::Value> = threads
        .map(|told| {
            let mut parts = told.splitn(4, ':');
            let (path, line) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            serde_json::json!({
                "message": parts.nth(1).unwrap_or_default(),
                "location": {"path": path, "range": {"start": {"line": line.parse::<u32>().unwrap_or(1)}}},
                "severity": "WARNING",
            })
        })
        .collect();
    let report: String = report.iter().map(|one| format!("{one}\n")).collect();
    alice.write("../report.jsonl", report);
    alice.postil("import ../report.jsonl --format rdjsonl").code(0);
    let Some(shown) = shown_at(&alice, "list", 80) else { return };
    check_width(&shown, 80);
    assert_eq!(shown.lines().filter(|line| line.starts_with("src/part_")).count(), 20, "{shown}");
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains("words of a")).collect();
    assert_eq!(rows.len(), 200, "{shown}");
    let column = |row: &&str| row.find("words of a");
    assert!(rows.iter().all(|row| column(row) == column(&rows[0])), "{shown}");
    assert!(shown.ends_with("200 open\n") || shown.contains("200 open,"), "{shown}");
}

#[test]
fn an_inbox_has_all_repositories_with_a_daemon_and_without() {
    let world = World::new();
    let _served = Served(&world);
    let alice = reviewed(&world);
    let bob = world.repository("bob");
    bob.write("b.txt", "one\ntwo\n");
    bob.commit("first");
    bob.git("switch --quiet -c side");
    bob.commit("Another branch");
    by(&bob, "Cy Fox", "2026-01-05T08:00:00Z", "comment b.txt:2 -m 'Please look'");
    by(&bob, "Cy Fox", "2026-01-05T08:30:00Z", "review request 'alice <alice@example.com>'");
    // Both are known to the daemon, and the person is who the environment says.
    bob.served("list").code(0);
    alice.served("list").code(0);
    let told = alice.served("inbox").code(0).stdout();
    check_screen("inbox.txt", &told.replace(&world.people().display().to_string(), "PEOPLE"));
    assert_eq!(alice.served("inbox --exit-code").code(1).stdout(), told);
    let json = alice.served("inbox --json").code(0).stdout();
    assert_eq!(json.lines().count(), 2, "an object for each repository: {json}");
    let mut outside = world.command(POSTIL);
    outside.env("GIT_AUTHOR_NAME", "alice").env("GIT_AUTHOR_EMAIL", "alice@example.com").arg("inbox");
    let outside = Finished::run(&mut outside).code(0).stdout();
    assert_eq!(outside.lines().count(), told.lines().count(), "{outside}");
    // Without a daemon, those that it had written down; this one first.
    alice.served("daemon stop").code(0);
    assert_eq!(alice.postil("inbox").code(0).stdout(), told);
    if let Some(shown) = shown_at(&alice, "inbox", 80) {
        check_width(&shown.lines().skip(1).collect::<Vec<_>>().join("\n"), 80);
    }
    // What is shown is read, and what is to be judged waits.
    let blocker = alice.postil("list --severity blocker").stdout();
    let blocker = blocker.split(' ').next().expect("an id").to_owned();
    alice.postil(&format!("show --json {blocker}")).code(0);
    assert!(alice.postil("inbox").stdout().contains(&blocker), "a program has read it, nobody else");
    alice.postil(&format!("show {blocker}")).code(0);
    assert!(!alice.postil("inbox").stdout().contains(&blocker));
    alice.postil("inbox --mark-read").code(0);
    let left = alice.postil("inbox").code(0).stdout();
    assert!(left.contains("asked you to review") && !left.contains("src/lib.rs"), "{left}");
    assert_eq!(alice.postil("list --unread").code(0).stdout(), "");
    alice.postil("inbox --here --exit-code").code(0);
}

#[test]
fn a_status_tells_what_is_unsent_and_a_prompt_gets_one_line() {
    let world = World::new();
    let alice = reviewed(&world);
    check_screen("status.txt", &alice.postil("status").code(0).stdout());
    assert_eq!(alice.postil("status --short").code(0).stdout(), "8 open, 1 blocker, 5 unread, 1 draft\n");
    let bob = world.clone_of(&alice, "bob");
    let told = bob.postil("list");
    let hint =
        "nothing to show\nhint: `git clone` does not fetch reviews; `postil sync` fetches those of origin\n";
    assert_eq!((told.code(0).stdout(), told.stderr()), (String::new(), hint.to_owned()));
    assert_eq!(bob.postil("status --short").code(0).stdout(), "");
    bob.postil("sync").code(0);
    bob.git("switch --quiet topic");
    assert!(bob.postil("status").code(0).stdout().contains("origin had the same reviews at the last sync\n"));
    bob.postil("comment src/lib.rs:50 -m 'bob was here'").code(0);
    let told = bob.postil("status").code(0).stdout();
    assert!(told.contains("1 unsent to origin (use `postil sync`)\n"), "{told}");
    assert!(bob.postil("status --short").stdout().ends_with("1 unsent\n"));
}

#[test]
fn a_form_of_ones_own_and_what_is_nearly_right() {
    let world = World::new();
    let alice = reviewed(&world);
    let line = "list --sort severity --author dean --format '%(severity)|%(path):%(lines)|%(author)|%(replies)|%(age)%%'";
    let long = format!("nit|{LONG}:99-104|Bob Dean|0|2h%\n");
    assert_eq!(
        alice.postil(line).code(0).stdout(),
        format!("blocker|src/lib.rs:12-20|Bob Dean|1|1m%\n{long}")
    );
    let refused = alice.postil("list --format '%(athor)'");
    assert!(refused.code(2).stderr().contains("hint: fields: id, short, path,"), "{}", refused.stderr());
    let told = alice.postil("list src/lbi.rs --severity blocker").code(0).stderr();
    assert!(told.contains("note: there would be 1 thread without `PATH`\n"), "{told}");
    assert!(told.contains("hint: a file with threads has a similar name: src/lib.rs\n"), "{told}");
    let told = alice.postil("list --author deen").code(0).stderr();
    assert!(told.contains("hint: a person with threads has a similar name: Bob Dean\n"), "{told}");
    assert!(alice.postil("lsit").code(2).stderr().contains("list"), "clap suggests commands");
    alice.postil("list --mine").code(0);
    assert_eq!(alice.postil("list --mine").stdout().lines().filter(|line| line.contains("alice")).count(), 3);
}

#[test]
fn drift_is_a_table_with_bars_at_a_terminal_and_agrees_with_a_list() {
    let world = World::new();
    let alice = world.repository("alice");
    let text = |file: &str| (1..=20).map(|line| format!("{file} has line {line}\n")).collect::<String>();
    for file in ["src/a.txt", "src/b.txt", "docs/c.txt"] {
        alice.write(file, text(file));
    }
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    for place in ["src/a.txt:5", "src/a.txt:9", "src/b.txt:2", "docs/c.txt:7"] {
        alice.postil(&format!("comment {place} -m words")).code(0);
    }
    alice.postil("comment -m 'on the whole'").code(0);
    alice.write("src/a.txt", "nothing is left of it\n");
    alice.write("docs/c.txt", format!("a line\n{}", text("docs/c.txt")));
    alice.commit("second");
    let piped = alice.postil("stats").code(0).stdout();
    let expected = "5 threads, 5 open: 1 in place, 1 moved, 0 outdated, 2 lost, 1 on no file\n\n\
        folder  threads     open in place    moved outdated     lost\n\
        src/          3        3        1        0        0        2\n\
        docs/         1        1        0        1        0        0\n\
        unstable: src/\n";
    assert!(piped.starts_with(expected) && !piped.contains('█'), "{piped}");
    let listed = alice.postil("list --all").stdout();
    assert_eq!(listed.lines().filter(|line| !line.starts_with(' ')).count(), 5, "{listed}");
    let docs = alice.postil("stats --all docs").code(0).stdout();
    assert!(docs.starts_with("1 thread, 1 open: 0 in place, 1 moved"), "{docs}");
    assert_eq!(alice.postil("stats nowhere").code(0).stderr(), "nothing to count\n");
    alice.postil("stats --since 'some day'").code(2);
    if let Some(shown) = shown_at(&alice, "stats", 80) {
        assert!(
            shown.contains("src/          3        3        1        0        0        2  ██"),
            "{shown}"
        );
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    }
    assert!(alice.postil("stats --json").code(0).stdout().contains("\"lost\":2"));
}
