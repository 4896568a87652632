//! `postil mcp`: both eras, its six tools, bad input, and who may write.

use serde_json::{Value, json};

use crate::support::finished::Finished;
use crate::support::mcp::{McpServer, mark_of};
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

fn alice(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);
    alice
}

fn modern(more: &Value) -> Value {
    let mut params = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "modern", "version": "2" },
    } });
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    params
}

/// Requests as clients of both eras send them, and what must be in the answer.
#[test]
fn recorded_requests_of_both_eras_get_their_answers() {
    let world = World::new();
    let alice = alice(&world);
    let mut server = McpServer::start(&alice, "mcp");
    let table: [(&str, &[&str]); 19] = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, &[r#""result":{}"#]),
        (r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#, &["-32600", "initialize"]),
        (r#"{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}"#, &["-32602", "protocolVersion"]),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"1999-01-01","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
            &[r#""protocolVersion":"2025-11-25""#, r#""tools":{}"#, r#""name":"postil""#],
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
            &[r#""protocolVersion":"2024-11-05""#],
        ),
        (
            r#"{"jsonrpc":"2.0","id":6,"method":"tools/list"}"#,
            &[r#""name":"threads""#, r#""readOnlyHint":true"#],
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}"#,
            &["-32602", "one page"],
        ),
        (r#"{"jsonrpc":"2.0","id":8,"method":"resources/list"}"#, &["-32601", "tools/call"]),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"nope"}}"#,
            &["-32602", "no tool"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"threads","arguments":[]}}"#,
            &["-32602"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"threads","arguments":{"status":"odd"}}}"#,
            &[r#""isError":true"#, "open, resolved, all"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"wait","arguments":{"seconds":51}}}"#,
            &[r#""isError":true"#, "1 to 50"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"thread","arguments":{"id":"ffffffff"}}}"#,
            &[r#""isError":true"#, "`threads` lists"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"comment","arguments":{"items":[{"text":"x"}]}}}"#,
            &[r#""isError":true"#, "postil mcp --write"],
        ),
        ("nonsense", &["-32700", r#""id":null"#]),
        ("[]", &["-32600", "no batches"]),
        (
            r#"{"jsonrpc":"2.0","id":15,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            &["-32022", r#""supported":["2026-07-28"]"#, r#""requested":"2031-01-01""#],
        ),
        (
            r#"{"jsonrpc":"2.0","id":16,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
            &["-32602", "clientCapabilities"],
        ),
        (
            r#"{"jsonrpc":"2.0","id":17,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            &[
                r#""supportedVersions":["2026-07-28"]"#,
                r#""resultType":"complete""#,
                r#""ttlMs""#,
                r#""cacheScope""#,
            ],
        ),
    ];
    for (line, expected) in table {
        server.send(line);
        let answer = server.next().to_string();
        for part in expected {
            assert!(answer.contains(part), "{line}\n{answer}\nlacks {part}");
        }
    }
    let listed = server.ask("tools/list", &modern(&json!({})));
    assert_eq!(listed["result"]["resultType"], "complete");
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["threads", "thread", "wait", "preview"], "the first four alone, in this order");
    let called = server.ask("tools/call", &modern(&json!({ "name": "threads" })));
    assert_eq!(called["result"]["resultType"], "complete");
    assert!(called["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("| why two?")));
    assert_eq!(server.end(), Some(0), "it ends with its input");
}

#[test]
fn an_agent_reads_answers_and_proposes_but_never_as_a_person() {
    let world = World::new();
    let alice = alice(&world);
    let mut reader = McpServer::start(&alice, "mcp --write");
    reader.introduce("alice");
    let tools = |server: &mut McpServer| {
        server.ask("tools/list", &json!({}))["result"]["tools"].as_array().expect("a list").len()
    };
    assert_eq!(tools(&mut reader), 4, "the person's configuration does not allow writing");
    alice.git("config postil.agents write");
    assert_eq!(tools(&mut reader), 4, "the repository's cannot");
    let item = json!({ "items": [{ "text": "me too", "path": "a.txt", "lines": "1" }] });
    let (told, is_error) = reader.call("comment", &item);
    assert!(is_error && told.contains("git config --global postil.agents"), "{told}");
    alice.git("config --global postil.agents draft");
    assert_eq!(tools(&mut reader), 6);
    let listed = reader.done("threads", &json!({}));
    assert!(listed.contains(" 2 here by alice\n| why two?\n2:two\n"), "{listed}");
    let id = alice.postil("list").code(0).stdout()[..7].to_owned();
    let items = json!({ "items": [
        { "text": "because", "reply_to": id },
        { "text": "odd", "path": "a.txt", "lines": "1", "code": "three", "key": "k" },
        { "text": "odd, said otherwise", "path": "a.txt", "lines": "3", "key": "k" },
        { "text": "x", "path": "../../etc/passwd", "lines": "1", "code": "root" },
        { "text": "x", "path": "a.txt", "lines": "3-1" },
        { "text": "x", "path": "a.txt", "lines": "1", "code": "four" },
        { "lines": "1" },
    ] });
    let written = reader.done("comment", &items);
    let lines: Vec<&str> = written.lines().collect();
    assert!(
        lines[1].contains("a.txt:3  (instead of 1)") && lines[2].contains("item 1 has the key \"k\" too"),
        "{written}"
    );
    assert!((2..7).all(|index| lines[index].starts_with(&format!("{index}: refused: "))), "{written}");
    assert!(written.contains("a person publishes drafts"), "{written}");
    let proposed = reader.done("propose", &json!({ "ids": [id], "note": "says two" }));
    assert!(proposed.contains("A person accepts"), "{proposed}");
    let shown = alice.postil(&format!("show {id}")).code(0).stdout();
    assert!(shown.contains("alice (agent for alice)") && !shown.contains("resolved"), "{shown}");
    let preview = reader.call("preview", &json!({ "id": id }));
    assert!(preview.1, "there is no suggestion: {}", preview.0);
    for refused in ["mcp --via person", "mcp --via tool:lint"] {
        assert!(alice.postil(refused).code(2).stderr().contains("only an agent"), "{refused}");
    }
    reader.end();
}

#[test]
fn a_wait_wakes_for_others_alone_and_misses_nothing_between_two_calls() {
    let world = World::new();
    let alice = alice(&world);
    alice.git("config --global postil.agents write");
    let mut server = McpServer::start(&alice, "mcp --write");
    server.introduce("helper");
    let mark = mark_of(&server.done("threads", &json!({})));
    let id = alice.postil("list").code(0).stdout()[..7].to_owned();
    server.done("comment", &json!({ "items": [{ "text": "mine", "reply_to": id }] }));
    let pending = server.done("wait", &json!({ "since": mark, "seconds": 1 }));
    assert!(pending.starts_with("pending"), "{pending}");
    let mark = mark_of(&pending);
    alice.postil(&format!("reply {id} -m 'and now?'")).code(0);
    let woken = server.done("wait", &json!({ "since": mark, "seconds": 50 }));
    assert!(woken.contains(&format!("* replied {id} by alice\n")) && woken.contains("| and now?"), "{woken}");
    let again = server.done("wait", &json!({ "since": mark_of(&woken), "seconds": 1 }));
    assert!(again.starts_with("pending"), "told once: {again}");
    // Others are answered while one waits, and one that is cancelled gives no answer.
    let call = json!({ "jsonrpc": "2.0", "id": "w", "method": "tools/call",
        "params": { "name": "wait", "arguments": { "seconds": 50 } } });
    server.send(&call.to_string());
    assert!(server.done("threads", &json!({})).contains("why two?"));
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}}"#);
    assert!(server.done("threads", &json!({ "since": mark })).contains("\n1 thread\n"));
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_long_answer_comes_in_pages_that_lead_through_all_of_it() {
    let world = World::new();
    let alice = alice(&world);
    for n in 0..60 {
        let text = format!("thread number {n} {}", "word ".repeat(150));
        alice.postil(&format!("comment a.txt:1 -m '{text}'")).code(0);
    }
    let mut server = McpServer::start(&alice, "mcp");
    server.introduce("x");
    let (mut seen, mut arguments, mut pages) = (0, json!({ "detail": "full" }), 0);
    loop {
        let page = server.done("threads", &arguments);
        assert!(page.len() < 40_000, "{} bytes", page.len());
        seen += page.matches("| thread number ").count();
        pages += 1;
        let Some(cursor) = page.lines().find_map(|line| line.strip_prefix("next ")) else {
            break;
        };
        arguments["cursor"] = json!(cursor);
    }
    assert_eq!(seen, 60);
    assert!(pages > 1);
    server.end();
}

#[test]
fn comments_of_strangers_are_withheld_where_a_person_wants_that() {
    let world = World::new();
    let alice = alice(&world);
    let bob = world.clone_of(&alice, "bob");
    bob.git("fetch --quiet origin refs/notes/*:refs/notes/*");
    let mut server = McpServer::start(&bob, "mcp");
    server.introduce("x");
    assert!(server.done("threads", &json!({})).contains("unsigned by alice\n| why two?"));
    bob.git("config --global postil.agentsRead trusted");
    let listed = server.done("threads", &json!({}));
    assert!(!listed.contains("why two?") && listed.contains("1 comment is withheld"), "{listed}");
    server.end();
}

#[test]
fn words_that_are_withheld_come_through_no_other_door() {
    let world = World::new();
    let alice = alice(&world);
    alice.write("better.txt", "2\n");
    let suggested = alice.postil("suggest a.txt:2 --with better.txt -m 'secret words'").code(0).stdout();
    let id = &suggested[..7];
    let bob = world.clone_of(&alice, "bob");
    bob.git("config --global postil.agentsRead trusted");
    let hook = |name: &str| {
        let input = json!({ "session_id": name, "cwd": bob.folder });
        let mut command = bob.command(POSTIL);
        command.args(["agent", "hook", "--for", "claude"]).env("POSTIL_DAEMON", "off");
        Finished::given(&mut command, &input.to_string()).code(0).stdout()
    };
    assert_eq!(hook("s"), "", "it remembers where it is");
    bob.git("fetch --quiet origin refs/notes/*:refs/notes/*");
    assert_eq!(hook("s"), "", "nobody goes on for what is withheld");
    let mut server = McpServer::start(&bob, "mcp");
    server.introduce("x");
    for (tool, arguments) in [
        ("threads", json!({ "detail": "full", "status": "all" })),
        ("thread", json!({ "id": id })),
        ("preview", json!({ "id": id })),
    ] {
        let (told, _) = server.call(tool, &arguments);
        assert!(
            !told.contains("secret") && !told.contains("+2") && told.contains("withheld"),
            "{tool}: {told}"
        );
    }
    server.end();
    for line in [
        "list",
        "list --json",
        "list --all",
        &format!("show {id}"),
        &format!("show {id} --json"),
        &format!("log {id}"),
        "inbox",
        "diff --threads lines",
        "diff --json",
        "export -f json",
        "review list",
        &format!("apply --check {id}"),
    ] {
        let told = bob.postil(&format!("{line} --via agent:helper"));
        let told = told.stdout() + &told.stderr();
        assert!(!told.contains("secret") && !told.contains("+2"), "{line}: {told}");
        let is_warned = told.contains("postil.agentsRead") || ["review list", "inbox"].contains(&line);
        assert!(is_warned, "{line}: {told}");
    }
    assert!(bob.postil("list").code(0).stdout().contains("secret words"), "a person gets everything");
    // What is written here is told in every way.
    bob.postil("comment a.txt:1 -m 'words of this machine'").code(0);
    assert!(hook("s").contains("words of this machine"));
}

#[test]
fn outside_of_a_repository_a_call_says_what_to_do_and_nothing_hangs() {
    let world = World::new();
    let mut server = McpServer::run(world.command(POSTIL).arg("mcp").env("POSTIL_DAEMON", "off"));
    server.introduce("x");
    let (told, is_error) = server.call("threads", &json!({}));
    assert!(is_error && told.contains("must start `postil mcp` in a git repository"), "{told}");
    server.send(&"x".repeat(5 << 20));
    assert!(server.next()["error"]["message"].as_str().is_some_and(|told| told.contains("longer than")));
    assert_eq!(server.end(), Some(0));
}
