//! The page about the protocol is true: each of its examples is read, and its tables list what there is.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic anywhere")]

use postil_protocol::{
    ByteText, Call, ConflictView, Control, Event, FaultCode, Incoming, RpcRequest, ThreadView, Welcome,
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
                Event::Resolved(_) => "resolved",
                Event::Changed(_) => "changed",
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
        "request",
        "resolved",
        "resolving",
        "response",
        "thread",
    ];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn every_method_and_every_error_is_told() {
    for name in Call::NAMES.iter().chain(Control::NAMES) {
        assert!(PAGE.contains(&format!("`{name}`")), "{name}");
    }
    for code in FaultCode::ALL {
        assert!(PAGE.contains(&format!("| {} | `{}` |", code.number(), code.name())), "{code:?}");
    }
}
