//! Where a person wants that, no method gives their agents the words of strangers, through whatever door they ask.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;

use postil_protocol::{Call, Changes, Event, Hello, Mark, RunsIn, Subscribe, Topic, ViaView};
use serde_json::{Value, json};

use crate::support::finished::Finished;
use crate::support::mcp::McpServer;
use crate::support::postil::POSTIL;
use crate::support::served::{Served, TEN_SECONDS, until};
use crate::support::world::{Checkout, World};

/// What is in everything that the stranger writes, and in nothing else.
const SECRET: &str = "secret";

/// Two people: one reviews on their machine, the other is known by their notes alone.
struct Strangers<'w> {
    bob: Checkout<'w>,
    /// Bob's thread, on which the stranger wrote too.
    own: String,
    /// The stranger's suggestion.
    suggestion: String,
    /// The mark before the stranger's words came.
    before: Mark,
}

fn id_in(told: &Finished) -> String {
    told.code(0).stdout().split_whitespace().next().expect("an id is told").to_owned()
}

fn strangers(world: &World) -> Strangers<'_> {
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\nfour\n");
    alice.commit("first");
    let bob = world.clone_of(&alice, "bob");
    bob.git("switch --quiet -c topic");
    bob.write("b.txt", "one\n");
    bob.commit("second");
    bob.postil("review start --base main --title 'What Bob does'").code(0);
    let own = id_in(&bob.postil("comment a.txt:1 -m 'words of bob'"));
    let closed = id_in(&bob.postil("comment a.txt:4 -m 'other words of bob'"));
    let mut client = bob_client(world, &bob);
    let before = client.ask(&bob.about(Changes::default())).expect("there is a mark").mark;

    let stranger = world.clone_of(&bob, "secret-stranger");
    stranger.git("switch --quiet topic");
    stranger.git("fetch --quiet origin refs/notes/reviews:refs/notes/reviews");
    let run = |line: &str| stranger.postil(line);
    for (file, words) in [("better.txt", "secret code\n"), ("secret-folder/file.txt", "one\nsecret line\n")] {
        stranger.write(file, words);
    }
    run("comment a.txt:2 -m 'secret words' --severity blocker").code(0);
    run("comment secret-folder/file.txt:2 -m 'secret orphan'").code(0);
    run("comment a.txt -m 'secret on the file'").code(0);
    let suggestion = id_in(&run("suggest a.txt:3 --with better.txt -m 'secret suggestion'"));
    run(&format!("reply {own} -m 'secret reply'")).code(0);
    run(&format!("edit {own} -m 'secret edit'")).code(0);
    run(&format!("propose {own} -m 'secret proposal' --via tool:secret-tool")).code(0);
    run(&format!("propose {own} --place secret-folder/file.txt:2 --via tool:secret-tool")).code(0);
    run(&format!("resolve {closed} -m 'secret reason'")).code(0);
    run("review comment -m 'secret remark'").code(0);
    run("review request-changes -m 'secret verdict'").code(0);
    run("review edit --title 'secret other title'").code(0);
    run("review request 'secret-guest <secret@example.org>' bob@example.com").code(0);
    let report = r#"{"source":{"name":"secret-lint"},"severity":"ERROR","diagnostics":[
        {"message":"secret finding","code":{"value":"secret-rule"},"location":{"path":"a.txt","range":{"start":{"line":2}}}}]}"#;
    stranger.write("report.json", report);
    run("import -f rdjson report.json").code(0);
    stranger.git("switch --quiet -c secret-branch");
    stranger.write("c.txt", "one\n");
    stranger.commit("third");
    run("review start --base topic --title 'secret title' -m 'secret description'").code(0);
    run("comment c.txt:1 -m 'secret words elsewhere'").code(0);
    run("review request bob@example.com").code(0);
    let purged = id_in(&run("comment a.txt:2 -m 'secret and purged'"));
    come(&bob, &stranger);
    run(&format!("purge {purged} --force")).code(0);
    come(&bob, &stranger);
    bob.git("config --global postil.agents write");
    bob.git("config --global postil.agentsRead trusted");
    Strangers { bob, own, suggestion, before }
}

/// Brings the notes of the stranger.
fn come(bob: &Checkout<'_>, stranger: &Checkout<'_>) {
    let from = stranger.folder.display();
    bob.git(&format!("fetch --quiet {from} +refs/notes/reviews:refs/notes/reviews"));
}

fn bob_client(world: &World, bob: &Checkout<'_>) -> postil_protocol::Client {
    bob.served("status").code(0);
    world.client()
}

/// Asks the daemon for any method.
struct RawClient(BufReader<UnixStream>, u64);

impl RawClient {
    fn connect(world: &World) -> Self {
        let stream = UnixStream::connect(world.socket()).expect("a daemon listens");
        stream.set_read_timeout(Some(TEN_SECONDS)).expect("a socket can have a time limit");
        let mut client = Self(BufReader::new(stream), 0);
        let hello = serde_json::to_value(Hello::new("test", env!("CARGO_PKG_VERSION"))).expect("it is JSON");
        client.ask("hello", &hello);
        client
    }

    /// The whole answer, as text.
    fn ask(&mut self, method: &str, params: &Value) -> String {
        self.1 += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.1, "method": method, "params": params });
        self.0.get_mut().write_all(format!("{request}\n").as_bytes()).expect("it is sent");
        let mut line = String::new();
        self.0.read_line(&mut line).expect("it is answered");
        assert_eq!(serde_json::from_str::<Value>(&line).expect("JSON")["id"], json!(self.1), "{line}");
        line
    }
}

/// What an agent asks of each method to see as much as it can; several questions for some.
fn questions(method: &str, one: &Strangers<'_>) -> Vec<Value> {
    let Strangers { own, suggestion, before, .. } = one;
    let stale = json!({ "of": "0000000" });
    match method {
        "init" | "publish" | "status" | "inbox" | "doctor" | "write-positions" | "review.ready" => {
            vec![json!({})]
        }
        "comment" => {
            vec![json!({ "place": { "path": "a.txt", "span": { "start": 1, "end": 1 } }, "text": "hello" })]
        }
        "comment.batch" => vec![json!({ "items": [
            { "path": "a.txt", "lines": 3, "text": "hi" }, { "reply_to": own, "text": "ho", "key": "k" },
            { "path": "secret.txt".replace(SECRET, "other"), "lines": 3, "text": "hi" }] })],
        "reply" => vec![json!({ "to": own, "text": "yes" }), json!({ "to": suggestion, "text": "yes" })],
        "edit" => vec![json!({ "of": own, "text": "agents say" }), json!({ "of": suggestion, "text": "x" })],
        "resolve" | "reopen" => vec![json!({ "threads": [own, suggestion] })],
        "propose" => vec![json!({ "threads": [suggestion] }), json!({ "threads": [own], "text": "done" })],
        "answer" => vec![json!({ "threads": [own], "answer": "accept" })],
        "withdraw" => vec![json!({ "comments": [suggestion] }), json!({ "comments": [own] })],
        "move" => vec![json!({ "of": own, "to": { "candidate": 1 } })],
        "apply" => {
            vec![json!({ "comments": [suggestion] }), json!({ "all": true }), json!({ "comments": [own] })]
        }
        "patch" => vec![json!({ "text": { "text": "nonsense" } }), json!({})],
        "list" => {
            let details = ["line", "row", "brief", "comments", "full"];
            let all = details.map(|detail| json!({ "detail": detail, "scope": "all", "code": 3 }));
            let seen = details.map(|detail| json!({ "detail": detail, "code": 3 }));
            all.into_iter().chain(seen).chain([json!({ "filter": { "authors": ["secre"] } })]).collect()
        }
        "changes" => vec![json!({}), json!({ "since": before }), json!({ "since": before, "head": "head" })],
        "show" | "log" => {
            vec![json!({ "of": own }), json!({ "of": suggestion }), json!({ "of": "@" }), stale]
        }
        "diff" => {
            vec![json!({}), json!({ "resolved": true, "base": "main", "content": true, "commits": true })]
        }
        "review.start" => vec![json!({ "title": "one more" })],
        "review.list" => vec![json!({}), json!({ "statuses": ["open", "closed", "merged"] })],
        "review.show" | "review.since" => vec![json!({}), json!({ "review": "secret-branch" })],
        "review.verdict" => vec![json!({ "verdict": "approve" })],
        "review.change" => vec![json!({ "status": "closed" })],
        "review.edit" => vec![json!({ "title": "mine" })],
        "review.request" => vec![json!({ "who": ["ben@example.com"] })],
        "import" => vec![json!({ "files": [] })],
        "export" => ["json", "sarif", "rdjson", "rdjsonl", "comments"]
            .map(|format| json!({ "format": format, "scope": "all" }))
            .to_vec(),
        "stats" => vec![json!({ "scope": "all" })],
        "read" => vec![json!({ "all": true })],
        "purge" => vec![json!({ "of": [suggestion] })],
        other => panic!("{other}: say here what an agent asks to see the words of strangers"),
    }
}

#[test]
fn no_method_gives_an_agent_the_words_of_strangers() {
    let world = World::new();
    let _served = Served(&world);
    let strangers = strangers(&world);
    let mut client = RawClient::connect(&world);
    let name = serde_json::to_value(strangers.bob.name()).expect("it is JSON");
    let mut asks = |method: &str, question: &Value, via: Option<&str>| {
        let mut params = question.clone();
        params["repository"].clone_from(&name);
        params["author"] = json!({ "name": "bob", "email": "bob@example.com" });
        if let Some(kind) = via {
            params["via"] = json!({ "kind": kind, "program": "helper" });
        }
        client.ask(method, &params)
    };
    let shows = [
        "list",
        "changes",
        "show",
        "log",
        "diff",
        "review.list",
        "review.show",
        "review.ready",
        "status",
        "inbox",
        "export",
        "apply",
        "stats",
        "doctor",
    ];
    let mut silent = Vec::new();
    for method in
        Call::METHODS.iter().filter(|method| method.runs == RunsIn::AnyProcess).map(|method| method.name)
    {
        let mut has_words = false;
        for question in questions(method, &strangers) {
            // What people get is asked only of what changes nothing.
            if shows.contains(&method) {
                has_words |= asks(method, &question, None).contains(SECRET);
            }
            let told = asks(method, &question, Some("agent"));
            assert!(!told.contains(SECRET), "{method} {question}: {told}");
        }
        if shows.contains(&method) && !has_words {
            silent.push(method);
        }
    }
    assert!(
        silent.is_empty(),
        "these tell a person nothing of the stranger, so they prove nothing: {silent:?}"
    );
}

#[test]
fn no_event_gives_an_agent_the_words_of_strangers() {
    let world = World::new();
    let _served = Served(&world);
    let Strangers { bob, own, before, .. } = strangers(&world);
    let (kind, program) = ("agent".to_owned(), "helper".to_owned());
    let via = Some(ViaView { kind, program, version: None, model: None, person: None });
    let (repository, topic) = (bob.name(), Topic::Repository);
    let subscribe = Subscribe { repository, topic, work_tree: false, since: Some(before), via };
    let mut agent = world.client();
    agent.ask(&subscribe).expect("an agent may listen");
    let mut person = world.client();
    person.ask(&Subscribe { via: None, ..subscribe }).expect("a person may listen");
    let told = |event: &Event, words: &str| format!("{event:?}").contains(words);
    until(&mut person, |event| told(event, SECRET));
    bob.served(&format!("reply {own} -m 'words to the agent'")).code(0);
    until(&mut agent, |event| {
        assert!(!told(event, SECRET), "{event:?}");
        told(event, "words to the agent")
    });
}

#[test]
fn a_declaration_that_is_not_understood_reads_as_an_agent_and_never_as_a_person() {
    let world = World::new();
    let _served = Served(&world);
    let Strangers { bob, .. } = strangers(&world);
    let listed = |via: &str| {
        let mut command = bob.command(POSTIL);
        command.args(["list", "--all"]).env("POSTIL_VIA", via).env("POSTIL_DAEMON", "off");
        Finished::run(&mut command).code(0).stdout()
    };
    assert!(listed("person").contains(SECRET) && listed("tool:lint").contains(SECRET));
    for via in ["agent:x", "helper", "agent:", "AGENT:X"] {
        assert!(!listed(via).contains(SECRET), "{via}");
    }
}

#[test]
fn strangers_wake_no_agent_and_how_much_was_withheld_is_told_when_the_time_is_over() {
    let world = World::new();
    let Strangers { bob, own, .. } = strangers(&world);
    let before = world.client().ask(&bob.about(Changes::default())).expect("there is a mark").mark;
    world.postil("daemon stop").code(0);
    let stranger = world.folder_of("secret-stranger");
    stranger.postil(&format!("reply {own} -m 'secret again'")).code(0);
    stranger.postil("comment a.txt:2 -m 'secret news'").code(0);
    come(&bob, &stranger);
    for line in ["--compact", "--json", ""] {
        let waited = bob.postil(&format!("wait --since {before} --timeout 1 --via agent:helper {line}"));
        let told = waited.code(1).stdout() + &waited.stderr();
        assert!(told.contains("1 change is withheld") && !told.contains(SECRET), "{line}: {told}");
        let person = bob.postil(&format!("wait --since {before} --timeout 1 --via person {line}"));
        person.code(0);
    }
    let mut server = McpServer::start(&bob, "mcp");
    server.introduce("helper");
    let told = server.done("wait", &json!({ "since": before, "seconds": 1 }));
    assert!(told.starts_with("pending: ") && told.contains("1 change is withheld"), "{told}");
    let told = server.done("threads", &json!({ "since": before }));
    assert!(told.contains("1 change is withheld") && told.contains("0 threads"), "{told}");
    server.end();
    bob.postil(&format!("reply {own} -m 'words to the agent'")).code(0);
    let told = bob.postil(&format!("wait --since {before} --timeout 1 --via agent:helper --compact"));
    let told = told.code(0).stdout();
    assert!(told.contains("words to the agent") && !told.contains(SECRET), "{told}");
}
