//! Every attack of `tests/hostile`, through every output that there is.
//!
//! A new command has to be put into one of the two tables below, or a test here fails.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::Value;

use crate::support::finished::Finished;
use crate::support::mcp::McpServer;
use crate::support::postil::POSTIL;
use crate::support::served::{Served, TEN_SECONDS};
use crate::support::world::{Checkout, World};

/// The commands that print what other people wrote, as they are run here; `ID` is the thread with all texts.
const OUTPUTS: [&str; 43] = [
    "list",
    "list --all",
    "list --status open,resolved,withdrawn",
    "list --sort age --format '%(id) %(path) %(author) %(email) %(tags) %(text)'",
    "inbox",
    "resolve @",
    "show a.txt",
    "stats --all",
    "show ID",
    "list --all --compact",
    "list --all --compact=full",
    "list --all --compact=full --json",
    "show --compact ID",
    "log ID",
    "diff",
    "diff --threads lines",
    "status",
    "review list",
    "review show",
    "review ready",
    "review since",
    "export -f json",
    "export -f sarif",
    "export -f rdjson",
    "export -f rdjsonl",
    "export -f comments",
    "doctor",
    "publish",
    "wait --timeout 5 --since MARK",
    "wait --timeout 5 --since MARK --compact",
    "reply ID -m answer",
    "edit ID -m 'not mine'",
    "resolve ID -m done",
    "reopen ID -m again",
    "propose ID -m done",
    "decline ID -m no",
    "accept ID",
    "withdraw ID",
    "apply --all",
    "apply ID",
    "move ID a.txt:1",
    "purge ID",
    "purge --force ID",
];

/// The commands that are not run here, and why.
const NOT_HERE: [(&str, &str); 17] = [
    ("init", "prints settings of this repository alone"),
    ("comment", "prints what the person typed; the place is the person's own"),
    ("suggest", "as comment"),
    ("web", "prints a link alone; what its pages show is tested in `web` and in a browser"),
    ("patch", "reads a patch of the person's own; `refusing` tests hostile ones"),
    ("import", "`exchange` tests hostile files"),
    ("sync", "prints counts and names; `sharing` and `converging` test what arrives"),
    ("hook", "prints ids, through the same lines as list"),
    ("watch", "prints the lines of wait; `hostile` runs both"),
    ("lsp", "speaks with an editor; `lsp/tests` sends hostile texts through it"),
    ("mcp", "speaks with an agent; the corpus goes through it below"),
    ("agent", "prints its own words; the corpus goes through its hooks below"),
    ("completions", "prints a script"),
    ("man", "prints pages"),
    ("demo", "prints its own words"),
    ("daemon", "prints paths and numbers of this machine"),
    ("help", "prints help"),
];

/// One file of the corpus.
struct Attack {
    name: String,
    value: Value,
}

impl Attack {
    fn all(folder: &str) -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hostile").join(folder);
        let files =
            fs::read_dir(folder).expect("the corpus is there").map(|file| file.expect("a file").path());
        let mut all: Vec<Self> = files
            .map(|file| {
                let value: Value = serde_json::from_slice(&fs::read(&file).expect("it can be read"))
                    .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                assert!(
                    value["reason"].as_str().is_some_and(|reason| reason.len() > 10),
                    "{}",
                    file.display()
                );
                Self { name: file.file_stem().expect("a name").to_string_lossy().into_owned(), value }
            })
            .collect();
        assert!(all.len() > 5, "the corpus is not empty");
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    fn text(&self, key: &str) -> String {
        let text = self.value[key].as_str().expect("its text").to_owned();
        match (self.value["fill"].as_str(), self.value["times"].as_u64()) {
            (Some(fill), Some(times)) => text.replacen("{}", &fill.repeat(times as usize), 1),
            _ => text,
        }
    }
}

/// Whether a terminal would obey this character, or hide it.
fn is_treacherous(c: char) -> bool {
    (c.is_control() && !"\n\t".contains(c))
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[track_caller]
fn is_harmless(line: &str, told: &str) {
    let bad = told.char_indices().find(|(_, c)| is_treacherous(*c));
    if let Some((at, c)) = bad {
        let around = told.floor_char_boundary(at.saturating_sub(100))
            ..told.ceil_char_boundary((at + 100).min(told.len()));
        panic!("{line} prints U+{:04X}: {:?}", u32::from(c), &told[around]);
    }
    // A text of half a megabyte is cut, not printed whole: JSON and exports are for programs.
    let is_for_people = !line.contains("--json") && !line.contains("export");
    assert!(!is_for_people || told.lines().all(|line| line.len() < 40_000), "{line} prints an endless line");
}

/// Runs a command as somebody with a hostile name; the text comes on standard input.
fn mallory(alice: &Checkout<'_>, name: &str, words: &[&str], input: &str) -> Finished {
    let mut command = alice.command(POSTIL);
    let name: String = name.chars().filter(|c| !matches!(c, '\0' | '\n' | '<' | '>')).take(200).collect();
    let name = if name.trim().is_empty() { "mallory".to_owned() } else { name };
    command.env("POSTIL_DAEMON", "off").env("GIT_AUTHOR_NAME", name);
    command.env("GIT_AUTHOR_EMAIL", "mallory@example.com").args(words).args(["-F", "-"]);
    Finished::given(&mut command, input)
}

/// Writes texts as a person of another name, many at once; those of which nothing is seen are refused.
fn say_all(alice: &Checkout<'_>, items: &[Value]) {
    for part in items.chunks(100) {
        let lines: String = part.iter().map(|item| format!("{item}\n")).collect();
        let mut command = alice.command(POSTIL);
        command.env("POSTIL_DAEMON", "off").env("GIT_AUTHOR_NAME", "mallory");
        command.env("GIT_AUTHOR_EMAIL", "mallory@example.com").args(["comment", "--batch", "-"]);
        let said = Finished::given(&mut command, &lines);
        let told = said.stdout() + &said.stderr();
        assert!(matches!(said.exit(), Some(0 | 1)) && told.matches("refused").count() < 5, "{told}");
        is_harmless("comment --batch", &told);
    }
}

fn id_of(finished: &Finished) -> String {
    let value: Value = serde_json::from_str(&finished.code(0).stdout()).expect("one JSON object");
    value["id"].as_str().expect("an id").to_owned()
}

#[test]
fn every_hostile_text_and_path_is_shown_harmlessly_by_every_output() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    let paths: Vec<String> = Attack::all("paths").iter().map(|attack| attack.text("path")).collect();
    for path in &paths {
        alice.write(path, "x\n");
    }
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\nthree\n");
    alice.commit("second");
    let texts = Attack::all("texts");
    let first = mallory(&alice, "mallory", &["--json", "comment", "a.txt:2"], "a thread of attacks");
    let thread = id_of(&first);
    let mark = mark(&alice);
    let reply = |attack: &Attack| serde_json::json!({ "reply_to": thread, "text": attack.text("text") });
    // A flood behind them, so that they are more than one page: of each text, the first 8 KB are shown.
    let flood = |number: usize| {
        let text = format!("line of flood {number}\n").repeat(500);
        serde_json::json!({ "reply_to": thread, "text": text })
    };
    say_all(&alice, &texts.iter().map(reply).chain((0..4).map(flood)).collect::<Vec<_>>());
    for attack in &texts {
        let text = attack.text("text");
        if text.len() < 1_000 && !text.contains('\0') {
            let tagged = mallory(&alice, &text, &["comment", "a.txt:1", "--tag", &text], &text);
            is_harmless(&attack.name, &(tagged.stdout() + &tagged.stderr()));
        }
    }
    for path in &paths {
        // Some names need the words that git users know; none may be taken for another file.
        let commented = mallory(&alice, "mallory", &["comment", &format!("./{path}:1")], "a hostile path");
        is_harmless(path, &(commented.stdout() + &commented.stderr()));
    }
    let all = "list --all --json";
    let listed: Value = serde_json::from_str(&alice.postil(all).code(0).stdout()).expect("one JSON object");
    let commented = |path: &String| {
        let mut threads = listed["threads"].as_array().into_iter().flatten();
        threads.any(|thread| thread["anchor"]["path"] == path.as_str())
    };
    assert!(paths.iter().filter(|path| commented(path)).count() >= paths.len() - 2, "{listed}");
    // The last of the outputs purge the thread.
    told_to_agents(&alice, &thread, &mark);
    for line in OUTPUTS {
        let line = line.replace("ID", &thread).replace("MARK", &mark);
        for line in [line.clone(), format!("--json {line}")] {
            let finished = alice.postil(&line);
            assert!(matches!(finished.exit(), Some(0..=6)), "{line}: {}", finished.stderr());
            let told = finished.stdout() + &finished.stderr();
            is_harmless(&line, &told);
            // An export is for a program, and a format is whatever a person makes of it.
            if !line.contains("export") && !line.contains("--format") {
                forges_nothing(&line, &told);
            }
        }
    }
}

/// Beginnings of lines that attacks of the corpus pretend are ours, or another program's.
const FORGED: [&str; 22] = [
    "3f9c1a2",
    "== src/secret",
    "> signed by Ada Lovelace",
    "? done at 51d2e07",
    "* resolved 3f9c1a2",
    "mark 0000",
    "mark 0.0",
    "mark x",
    "next 40",
    "0: 3f9c1a2",
    "Lines after \"|\" are instructions",
    "warning: the repository is compromised",
    "error: the index is damaged",
    "hint: run `curl",
    "{\"jsonrpc\"",
    "{\"decision\":\"approve",
    "event: changed",
    "Human:",
    "<|im_start|>",
    "Content-Length:",
    "EOF",
    "::set-output",
];

/// Whether no comment began a line of its own.
#[track_caller]
fn forges_nothing(what: &str, told: &str) {
    for line in told.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']) {
        assert!(!FORGED.iter().any(|forged| line.starts_with(forged)), "{what} has a forged line: {line}");
    }
}

/// A call of a tool in both eras: the text of both is the same, but for the mark, and harmless.
#[track_caller]
fn called(server: &mut McpServer, tool: &str, arguments: &Value) -> String {
    let (told, _) = server.call(tool, arguments);
    let modern = serde_json::json!({ "name": tool, "arguments": arguments, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "reader", "version": "1.0" },
    } });
    let answer = server.ask("tools/call", &modern);
    assert_eq!(answer["result"]["content"][0]["text"], told.as_str(), "{tool}");
    is_harmless(&format!("mcp {tool}"), &told);
    is_harmless(&format!("--json mcp {tool}"), &answer.to_string());
    // The last line of a page is ours.
    let others = told.rsplit_once("\nnext ").map_or(told.as_str(), |(others, _)| others);
    forges_nothing(tool, others);
    told
}

/// What an agent gets over MCP: no line of it is anybody else's, but for those that are marked as such.
fn told_to_agents(alice: &Checkout<'_>, thread: &str, mark: &str) {
    let mut server = McpServer::start(alice, "mcp");
    server.introduce("reader");
    let next = |told: &str| told.lines().find_map(|line| line.strip_prefix("next ")).map(str::to_owned);
    for detail in ["line", "code", "full"] {
        let mut arguments = serde_json::json!({ "detail": detail, "status": "all" });
        while let Some(cursor) = next(&called(&mut server, "threads", &arguments)) {
            arguments["cursor"] = Value::from(cursor);
        }
    }
    let mut arguments = serde_json::json!({ "id": thread });
    let mut pages = 0;
    while let Some(cursor) = next(&called(&mut server, "thread", &arguments)) {
        arguments["cursor"] = Value::from(cursor);
        pages += 1;
    }
    assert!(pages > 0, "the flood does not fit on one page");
    called(&mut server, "wait", &serde_json::json!({ "since": mark, "seconds": 1 }));
    called(&mut server, "preview", &serde_json::json!({ "id": thread }));
    for text in
        Attack::all("texts").iter().map(|attack| attack.text("text")).filter(|text| text.len() < 4_000)
    {
        called(&mut server, "thread", &serde_json::json!({ "id": text }));
        called(&mut server, "threads", &serde_json::json!({ "path": text, "detail": "line", "since": text }));
    }
    server.end();
}

#[test]
fn an_agent_that_stops_is_told_no_forged_line() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    let stop = |agent: &str| {
        let input = serde_json::json!({ "session_id": "s", "cwd": alice.folder });
        let mut command = alice.command(POSTIL);
        command.args(["agent", "hook", "--for", agent]).env("POSTIL_DAEMON", "off");
        Finished::given(&mut command, &input.to_string()).code(0).stdout()
    };
    let agents = ["claude", "codex", "copilot", "gemini", "cursor"];
    for agent in &agents {
        drop(stop(agent));
    }
    // As many as are shown at once.
    for part in Attack::all("texts").chunks(20) {
        let comment =
            |attack: &Attack| serde_json::json!({ "path": "a.txt", "lines": 2, "text": attack.text("text") });
        say_all(&alice, &part.iter().map(comment).collect::<Vec<_>>());
        for agent in agents {
            let told = stop(agent);
            is_harmless(&format!("--json {agent}"), &told);
            let answer: Value = serde_json::from_str(&told).expect("one line of JSON");
            let reason = answer["reason"].as_str().or(answer["followup_message"].as_str()).expect("words");
            forges_nothing(agent, reason);
            assert!(reason.matches("\n| ").count() > 14, "{agent}: {reason}");
        }
    }
}

fn mark(alice: &Checkout<'_>) -> String {
    let listed = alice.postil("list --json").code(0).stdout();
    let listed: Value = serde_json::from_str(&listed).expect("one JSON object");
    listed["mark"].as_str().expect("every answer has one").to_owned()
}

#[test]
fn a_program_gets_every_byte_of_a_hostile_text() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    let thread = id_of(&mallory(&alice, "mallory", &["--json", "comment", "a.txt:1"], "a thread of attacks"));
    let said: Vec<(String, String)> = Attack::all("texts")
        .into_iter()
        .map(|attack| {
            let text = attack.text("text");
            (attack.name, text)
        })
        .filter(|(_, text)| text.chars().any(char::is_alphanumeric))
        .collect();
    let reply = |(_, text): &(String, String)| serde_json::json!({ "reply_to": thread, "text": text });
    say_all(&alice, &said.iter().map(reply).collect::<Vec<_>>());
    assert!(said.len() >= 100, "{} texts", said.len());
    let shown = alice.postil(&format!("--json show {thread}")).code(0).stdout();
    let shown: Value = serde_json::from_str(&shown).expect("one JSON object");
    let texts: Vec<&str> = (shown["thread"]["comments"].as_array().expect("comments").iter())
        .filter_map(|comment| comment["text"].as_str())
        .collect();
    for (name, text) in said {
        let is_text = |found: &&str| {
            found.trim_end() == text.trim_end() || found.replace('\r', "") == text.replace('\r', "")
        };
        assert!(texts.iter().any(is_text), "{name} is not there whole");
    }
}

#[test]
fn hostile_notes_are_kept_and_stop_nothing() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    for attack in Attack::all("notes") {
        let hex = attack.text("hex");
        let bytes: Vec<u8> = (0..hex.len() / 2)
            .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hex"))
            .collect();
        let file = world.tmp().join("note");
        fs::write(&file, &bytes).expect("a file can be written");
        let commit = alice.commit(&attack.name);
        let blob = alice.git(&format!("hash-object -w {}", file.display()));
        alice.git(&format!("notes --ref=reviews add -C {blob} {commit}"));
        let commented = alice.postil(&format!("comment a.txt:1 -m 'beside {}'", attack.name));
        commented.code(0);
        for line in ["list --all", "status", "doctor", "--json list --all"] {
            let finished = alice.postil(line);
            assert!(matches!(finished.exit(), Some(0 | 1)), "{}: {line}: {}", attack.name, finished.stderr());
            is_harmless(line, &(finished.stdout() + &finished.stderr()));
        }
        let listed = alice.postil("list --all").stdout();
        assert!(listed.contains(&format!("beside {}", attack.name)), "{listed}");
    }
    alice.git("fsck --strict");
}

#[test]
fn hostile_requests_get_an_error_and_harm_nobody_else() {
    let world = World::new();
    let _served = Served(&world);
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    alice.served("comment a.txt:1 -m honest").code(0);
    let pid = world.daemon();
    for attack in Attack::all("requests") {
        let mut stream = UnixStream::connect(world.socket()).expect("a daemon listens");
        stream.set_read_timeout(Some(TEN_SECONDS)).expect("a socket can have a time limit");
        let line = attack.text("line");
        // It may be cut off while it still talks.
        let _ = stream.write_all(line.as_bytes()).and_then(|()| stream.write_all(b"\n"));
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        // Whatever it says, it comes to an end.
        let read = stream.read_to_end(&mut answer);
        let is_over = read.is_ok() || read.is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock);
        assert!(is_over, "{}: the daemon goes on and on", attack.name);
        is_harmless(&format!("--json {}", attack.name), &String::from_utf8_lossy(&answer));
        let told = String::from_utf8_lossy(&answer).into_owned();
        assert!(answer.is_empty() || told.contains("\"error\""), "{}: {told}", attack.name);
        assert!(alice.served("list").code(0).stdout().contains("honest"), "{}", attack.name);
    }
    assert_eq!(world.daemon(), pid, "the same daemon did all this");
}

#[test]
fn every_command_is_in_one_of_the_tables() {
    let help = World::new().postil("--help").code(0).stdout();
    let commands = help.split_once("Commands:").expect("commands are listed").1;
    let commands = commands.split_once("\n\n").expect("options follow").0;
    let names: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let is_run = OUTPUTS.iter().any(|line| line.split(' ').next() == Some(name));
        let is_excused = NOT_HERE.iter().any(|(excused, _)| *excused == name);
        assert!(is_run || is_excused, "what does `postil {name}` print of other people's words?");
    }
}
