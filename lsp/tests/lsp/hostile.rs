//! Messages that no editor should send, and texts that want to harm.

use serde_json::{Value, json};

use crate::editor::{Editor, Project, lines};

#[test]
fn bad_messages_get_an_error_or_nothing_and_the_server_goes_on() {
    let project = Project::new();
    project.comment(10, "why?");
    let mut editor = Editor::start(&project);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    editor.until(&uri, &["9: Ann: why?"]);
    for (method, params) in [
        ("textDocument/hover", json!({ "textDocument": {} })),
        ("textDocument/codeAction", json!([])),
        (
            "workspace/executeCommand",
            json!({ "command": "postil.resolve", "arguments": [{ "thread": "nothing" }] }),
        ),
        ("workspace/executeCommand", json!({ "command": "rm" })),
        (
            "workspace/executeCommand",
            json!({ "command": "postil.comment", "arguments": [{ "uri": "file:///etc/passwd", "text": "x" }] }),
        ),
        ("nothing/known", Value::Null),
    ] {
        assert!(editor.request(method, params.clone()).is_err(), "{method} {params}");
    }
    // Lines outside of the text, documents that are not open, versions that go back.
    editor.replace(&uri, (4_000_000, 0), (4_000_001, 0), "x");
    editor.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": "file:///x", "version": -3 }, "contentChanges": [] }),
    );
    editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": 7 } }));
    editor.notify("nothing/known", json!({}));
    // What the editor has is not known any more, until it sends or saves a whole text.
    editor.until_asked("window/logMessage");
    project.write("a.rs", &format!("// new\n{}", lines().concat()));
    editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    editor.until(&uri, &["10: Ann: why?"]);
    editor.replace(&uri, (0, 0), (1, 0), "");
    editor.until(&uri, &["9: Ann: why?"]);
}

#[test]
fn words_of_others_are_shown_harmless() {
    let project = Project::new();
    let evil =
        "\u{1b}[31m\u{202e}<script>alert(1)</script> ![x](http://example.com/x.png) [run](command:evil)";
    project.comment(10, evil);
    let mut editor = Editor::start(&project);
    let uri = project.uri("a.rs");
    editor.open(&uri, &lines().concat());
    while editor.shown(&uri).is_empty() {
        editor.request("textDocument/codeAction", json!({
            "textDocument": { "uri": uri }, "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
            "context": { "diagnostics": [] },
        })).expect("it answers");
    }
    let hover = editor.request(
        "textDocument/hover",
        json!({
            "textDocument": { "uri": uri }, "position": { "line": 9, "character": 4 },
        }),
    );
    let hover =
        hover.expect("there is a thread")["contents"]["value"].as_str().unwrap_or_default().to_owned();
    for shown in editor.shown(&uri).iter().chain([&hover]) {
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    }
    for bad in ["<script", "![x]", "](command:"] {
        assert!(!hover.contains(bad), "{bad} in {hover:?}");
    }
}
