//! The page about the protocol is true: each of its examples is read, and its tables list what there is.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

use postil_protocol::{
    Advice, ByteText, Call, ConflictView, Control, Effect, Event, FaultCode, Incoming, RpcRequest, RunsIn,
    ThreadView, Traits, Welcome,
};

const PAGE: &str = include_str!("../../docs/protocol.md");

/// The lines of JSON on the page.
fn examples() -> Vec<&'static str> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in PAGE.lines() {
        match line {
            "```json" => inside = true,
            "```" => inside = false,
            line if inside => lines.push(line),
            _ => {}
        }
    }
    lines
}

/// Reads an example as what it is, and says what that was.
fn read(line: &str) -> &'static str {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    if value.get("hex").is_some() {
        let path: ByteText = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&path).unwrap(), line);
        return "bytes";
    }
    if value.get("meeting").is_some() {
        let conflict: ConflictView = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&conflict).unwrap(), line);
        return "conflict";
    }
    if value.get("jsonrpc").is_none() {
        let thread: ThreadView = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&thread).unwrap(), line, "as it is written, field by field");
        return "thread";
    }
    if value.get("method").is_some() && value.get("id").is_some() {
        let request = RpcRequest::parse(line.as_bytes()).unwrap();
        let call = Call::from_parts(&request.method, request.params()).map(|call| call.map(drop));
        let control = || Control::from_parts(&request.method, request.params()).map(|call| call.map(drop));
        call.or_else(control).expect("a method that there is").unwrap();
        return "request";
    }
    match Incoming::parse(line.as_bytes()).unwrap() {
        Incoming::Event(event) => {
            assert_eq!(serde_json::to_string(&event).unwrap(), line);
            match event {
                Event::Resolving(_) => "resolving",
                Event::Placed(_) => "placed",
                Event::Changed(_) => "changed",
                Event::Reset(_) => "reset",
                Event::Ended(_) => "ended",
            }
        }
        Incoming::Response { outcome: Err(fault), .. } => {
            assert_eq!(fault.code.name(), &*fault.data.name);
            "error"
        }
        Incoming::Response { outcome: Ok(result), .. } => {
            if result.contains("capabilities") {
                serde_json::from_str::<Welcome>(result).unwrap();
            }
            "response"
        }
        Incoming::Unknown(method) => panic!("{method} is no event"),
    }
}

#[test]
fn every_example_is_read() {
    let kinds: std::collections::BTreeSet<&str> = examples().into_iter().map(read).collect();
    let all = [
        "bytes",
        "changed",
        "conflict",
        "ended",
        "error",
        "placed",
        "request",
        "reset",
        "resolving",
        "response",
        "thread",
    ];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
}

/// The row of a method in the table of what each method does.
fn row(method: &Traits) -> String {
    let effect = match method.effect {
        Effect::Reads => "reads",
        Effect::Writes => "writes",
    };
    let reviews = if method.follows_reviews { "follows" } else { "" };
    let notes = if method.heals { "heals" } else { "" };
    let runs = match method.runs {
        RunsIn::AnyProcess => "anywhere",
        RunsIn::Client => "client",
    };
    let frontends: Vec<&str> = method.frontends.iter().map(|frontend| frontend.name()).collect();
    let (name, frontends, progress) = (method.name, frontends.join(", "), method.progress);
    format!("| `{name}` | {effect} | {reviews} | {notes} | {runs} | {frontends} | {progress} |\n")
}

#[test]
fn the_page_says_of_every_method_what_the_table_of_methods_says() {
    let head = "| method | effect | reviews | notes | runs | offered by | while it runs |\n|---|---|---|---|---|---|---|\n";
    let begins = PAGE.find(head).expect("the page has the table") + head.len();
    let told =
        PAGE[begins..].split_inclusive('\n').take_while(|line| line.starts_with('|')).collect::<String>();
    let is: String = Call::METHODS.iter().map(row).collect();
    assert_eq!(told, is, "the table in docs/protocol.md should be:\n{is}");
}

#[test]
fn the_page_has_the_parameters_and_the_answer_of_every_method() {
    let (_, after) = PAGE.split_once("| method | parameters | answer |").expect("the page has the table");
    let (table, _) = after.split_once("\n\n").expect("the table ends");
    let told: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
        .flat_map(|names| names.split(", "))
        .map(|name| name.trim_matches('`'))
        .collect();
    for method in Call::METHODS {
        assert!(told.contains(&method.name), "{}", method.name);
    }
    for name in &told {
        assert!(Call::METHODS.iter().any(|method| method.name == *name), "{name}");
    }
}

#[test]
fn the_page_has_every_word_of_advice() {
    for word in Advice::WORDS {
        assert!(PAGE.contains(&format!("\n| `{word}` | ")), "{word}");
    }
}

#[test]
fn every_method_of_the_daemon_and_every_error_is_told() {
    for name in Control::NAMES {
        assert!(PAGE.contains(&format!("`{name}`")), "{name}");
    }
    for code in FaultCode::ALL {
        assert!(PAGE.contains(&format!("| {} | `{}` |", code.number(), code.name())), "{code:?}");
    }
}
